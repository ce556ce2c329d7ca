//! Options of a session.

use std::time::Duration;

use super::Session;
use crate::Error;
use crate::config::Config;
use crate::types::{HttpVersion, Profile, Tier};

/// Builds a [`Session`].
///
/// ```
/// use std::time::Duration;
/// use crawlingo::{Profile, Session};
/// let session = Session::builder().profile(Profile::Firefox).timeout(Duration::from_secs(20)).build()?;
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Default)]
#[must_use]
pub struct SessionBuilder {
    config: Config,
    /// The first thing that was wrong; `build` says it.
    error: Option<Error>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty),+ $(,)?) => {
        $($(#[$doc])* pub fn $name(mut self, $name: $type) -> Self { self.config.$name = $name; self })+
    };
}

impl SessionBuilder {
    setters! {
        /// Sets whether requests look like this crate's or like a browser's.
        tier: Tier,
        /// Sets the version of HTTP.
        http_version: HttpVersion,
        /// Sets how long a connection may take to be made.
        connect_timeout: Duration,
        /// Sets how long the first byte of the answer may take.
        first_byte_timeout: Duration,
        /// Sets how long the body may pause.
        idle_timeout: Duration,
        /// Sets how long a request may take, redirects and body included.
        timeout: Duration,
        /// Sets the most bytes of a body, compressed or not.
        max_body_bytes: usize,
        /// Sets the most headers of a response.
        max_headers: usize,
        /// Sets the most redirects that one request follows; 0: none is followed.
        max_redirects: usize,
        /// Sets the most requests that are on their way at once.
        concurrency: usize,
        /// Sets whether cookies are kept and sent back.
        cookies: bool,
        /// Sets whether addresses of private networks and of this machine are refused.
        deny_private: bool,
        /// Sets whether the certificates of servers are checked.
        verify_tls: bool,
        /// Sets the most threads that parse; 0: as many as there are cores.
        parse_threads: usize,
    }

    /// Sets the browser that requests look like, and with it the stealthy tier.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.config.tier = Tier::Stealthy;
        self.config.profile = profile;
        self
    }

    /// Sets the User-Agent of the standard tier.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.config.user_agent = user_agent.into();
        self
    }

    /// Sets the proxy: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` where it asks for that.
    pub fn proxy(mut self, proxy: impl Into<String>) -> Self {
        self.config.proxy = Some(proxy.into());
        self
    }

    /// Adds a header that every request carries.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Err(error) = self.config.headers.insert(name, value) {
            self.error.get_or_insert(error);
        }
        self
    }

    /// Checks the options and makes the session.
    ///
    /// # Errors
    /// `ErrorKind::Config` with the option that is wrong.
    pub fn build(self) -> Result<Session, Error> {
        match self.error {
            Some(error) => Err(error),
            None => Session::from_config(self.config),
        }
    }
}

//! The configuration of a session.

use std::time::Duration;

use url::Url;

use crate::Error;
use crate::types::{Headers, HttpVersion, Profile, Tier};

/// Everything that can be set about a session, with its defaults.
///
/// ```
/// let config = crawlingo::Config::default();
/// assert_eq!(config.max_redirects, 20);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Config {
    /// Whether requests look like this crate's or like a browser's.
    pub tier: Tier,
    /// The browser that the stealthy tier looks like.
    pub profile: Profile,
    /// The User-Agent of the standard tier.
    pub user_agent: String,
    /// Headers that every request carries.
    pub headers: Headers,
    /// The proxy: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` where it asks for that.
    pub proxy: Option<String>,
    /// The version of HTTP.
    pub http_version: HttpVersion,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// How long the first byte of the answer may take.
    pub first_byte_timeout: Duration,
    /// How long the body may pause.
    pub idle_timeout: Duration,
    /// How long a request may take, redirects and body included.
    pub timeout: Duration,
    /// The most bytes of a body, compressed or not.
    pub max_body_bytes: usize,
    /// The most headers of a response.
    pub max_headers: usize,
    /// The most redirects that one request follows; 0: none is followed.
    pub max_redirects: usize,
    /// The most requests that are on their way at once.
    pub concurrency: usize,
    /// Whether cookies are kept and sent back.
    pub cookies: bool,
    /// Whether addresses of private networks and of this machine are refused.
    pub deny_private: bool,
    /// Whether the certificates of servers are checked.
    pub verify_tls: bool,
    /// The most threads that parse; 0: as many as there are cores.
    pub parse_threads: usize,
}

/// The User-Agent of the standard tier.
pub const USER_AGENT: &str =
    concat!("crawlingo/", env!("CARGO_PKG_VERSION"), " (+https://github.com/crawlingo/crawlingo)");

impl Default for Config {
    fn default() -> Self {
        Self {
            tier: Tier::Standard,
            profile: Profile::Chrome,
            user_agent: USER_AGENT.to_owned(),
            headers: Headers::new(),
            proxy: None,
            http_version: HttpVersion::Auto,
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            timeout: Duration::from_secs(120),
            max_body_bytes: 64 << 20,
            max_headers: 256,
            max_redirects: 20,
            concurrency: 64,
            cookies: true,
            deny_private: false,
            verify_tls: true,
            parse_threads: 0,
        }
    }
}

impl Config {
    /// Checks what the types alone do not say.
    ///
    /// # Errors
    /// `ErrorKind::Config` with the option and what would be right.
    pub fn check(&self) -> Result<(), Error> {
        if self.concurrency == 0 {
            return Err(Error::config("concurrency", "0 lets no request through; write 1 or more"));
        }
        if self.max_body_bytes == 0 {
            return Err(Error::config(
                "max_body_bytes",
                "0 lets no body through; write how many bytes are at most read",
            ));
        }
        for (key, timeout) in [
            ("connect_timeout", self.connect_timeout),
            ("first_byte_timeout", self.first_byte_timeout),
            ("idle_timeout", self.idle_timeout),
            ("timeout", self.timeout),
        ] {
            if timeout.is_zero() {
                return Err(Error::config(key, "0 fails every request; write a duration"));
            }
        }
        if let Some(proxy) = &self.proxy {
            check_proxy(proxy)?;
        }
        if self.user_agent.chars().any(char::is_control) {
            return Err(Error::config("user_agent", "it holds a control character"));
        }
        Ok(())
    }
}

/// Checks the address of a proxy, without repeating its password.
pub(crate) fn check_proxy(proxy: &str) -> Result<(), Error> {
    let good = Url::parse(proxy).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h") && url.has_host()
    });
    if good {
        return Ok(());
    }
    Err(Error::config(
        "proxy",
        "this is not a proxy's address; write it like http://user:password@host:8080 or socks5://host:1080",
    ))
}

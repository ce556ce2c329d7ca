//! A request.

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use url::Url;

use super::{Headers, Profile, Tier};
use crate::{Error, FetchFailure};

/// What a session is asked to fetch.
///
/// ```
/// use crawlingo::Request;
/// let request = Request::get("https://example.org/search?q=rust")?.header("accept-language", "de")?;
/// assert_eq!(request.url.host_str(), Some("example.org"));
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Where to.
    pub url: Url,
    /// The headers beyond those of the session, in the order in which they are sent.
    pub headers: Headers,
    /// The body; empty for none.
    pub body: Bytes,
    /// What this request does differently from its session.
    pub options: RequestOptions,
}

/// What one request does differently from its session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOptions {
    /// Another tier.
    pub tier: Option<Tier>,
    /// Another profile.
    pub profile: Option<Profile>,
    /// Another deadline for the whole request, redirects and body included.
    pub timeout: Option<Duration>,
    /// Another proxy.
    pub proxy: Option<String>,
    /// Whether redirects are followed.
    pub follow_redirects: Option<bool>,
}

impl Request {
    /// A request with that method.
    ///
    /// # Errors
    /// `ErrorKind::Fetch` when the URL is none, or none of http or https.
    pub fn new(method: Method, url: &str) -> Result<Self, Error> {
        let fail = |message: String| Error::fetch(url, FetchFailure::Request, message);
        let parsed = Url::parse(url.trim()).map_err(|error| {
            let hint =
                if url.contains("://") { "" } else { "; write it with its scheme, such as https://example.org/" };
            fail(format!("this is not an absolute URL: {error}{hint}"))
        })?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none_or(str::is_empty) {
            return Err(fail(format!("only http and https can be fetched, not `{}`", parsed.scheme())));
        }
        Ok(Self {
            method,
            url: parsed,
            headers: Headers::new(),
            body: Bytes::new(),
            options: RequestOptions::default(),
        })
    }

    /// A GET request.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn get(url: &str) -> Result<Self, Error> {
        Self::new(Method::GET, url)
    }

    /// A POST request with a body.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn post(url: &str, content_type: &str, body: impl Into<Bytes>) -> Result<Self, Error> {
        let mut request = Self::new(Method::POST, url)?;
        request.headers.insert("content-type", content_type)?;
        request.body = body.into();
        Ok(request)
    }

    /// Sets a header.
    ///
    /// # Errors
    /// When the name or the value is none of a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        self.headers.insert(name, value)?;
        Ok(self)
    }

    /// Sets the deadline for the whole request.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Sets the tier.
    #[must_use]
    pub fn tier(mut self, tier: Tier) -> Self {
        self.options.tier = Some(tier);
        self
    }

    /// Sets the profile, and with it the stealthy tier.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.options.tier = Some(Tier::Stealthy);
        self.options.profile = Some(profile);
        self
    }
}

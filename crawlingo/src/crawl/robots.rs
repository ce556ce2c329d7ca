//! robots.txt: what a site lets robots fetch, and how often.
//!
//! Source: [RFC 9309](https://www.rfc-editor.org/rfc/rfc9309). What fetching the file means is
//! decided here: a file that is not there (4xx) allows all, a site that cannot say (5xx, no answer) allows
//! nothing.

use std::sync::Arc;
use std::time::Duration;

use moka::future::Cache;
use url::Url;

use super::robots_rules::Rules;
use crate::session::Session;
use crate::types::Request;
use crate::{Error, ErrorKind, FetchFailure};

/// What is read of a file: RFC 9309 asks for at least so much.
const MAX_BYTES: usize = 500 * 1024;
/// How long a file is believed.
const EXPIRES: Duration = Duration::from_secs(24 * 3600);
const MAX_SITES: u64 = 10_000;

/// The rules of one site for one robot.
///
/// ```
/// use crawlingo::crawl::Robots;
/// let robots = Robots::parse("crawlingo", b"User-agent: *\nDisallow: /private/\nCrawl-delay: 2");
/// assert!(robots.allows("https://example.org/books"));
/// assert!(!robots.allows("https://example.org/private/x"));
/// assert_eq!(robots.crawl_delay().map(|delay| delay.as_secs()), Some(2));
/// ```
#[derive(Debug, Clone)]
pub struct Robots(Says);

#[derive(Debug, Clone)]
enum Says {
    All,
    None(String),
    Some(Arc<Rules>),
}

impl Robots {
    /// Reads a file for a robot, which is named by the first word of its User-Agent. What is over 500 KiB is not read.
    pub fn parse(agent: &str, text: &[u8]) -> Self {
        let mut text = text;
        if text.len() > MAX_BYTES {
            let end = text[..MAX_BYTES].iter().rposition(|&byte| byte == b'\n').unwrap_or(MAX_BYTES);
            text = &text[..end];
        }
        Self(Says::Some(Arc::new(Rules::parse(agent, &String::from_utf8_lossy(text)))))
    }

    /// All is allowed.
    pub fn allow_all() -> Self {
        Self(Says::All)
    }

    /// Nothing is allowed, for a reason.
    pub fn deny_all(reason: impl Into<String>) -> Self {
        Self(Says::None(reason.into()))
    }

    /// Whether a URL may be fetched.
    pub fn allows(&self, url: &str) -> bool {
        match &self.0 {
            Says::All => true,
            Says::None(_) => false,
            Says::Some(rules) => rules.allows(url),
        }
    }

    /// Why nothing is allowed, where that is not by the file's word.
    pub fn reason(&self) -> Option<&str> {
        match &self.0 {
            Says::None(reason) => Some(reason),
            _ => None,
        }
    }

    /// The time that is asked for between two requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        match &self.0 {
            Says::Some(rules) => rules.delay,
            _ => None,
        }
    }

    /// The sitemaps that the file names.
    pub fn sitemaps(&self) -> &[String] {
        match &self.0 {
            Says::Some(rules) => &rules.sitemaps,
            _ => &[],
        }
    }
}

/// The rules of many sites, each fetched once: of several that ask at once, one fetches and the others wait for it.
#[derive(Debug, Clone)]
pub(super) struct RobotsCache {
    session: Session,
    agent: Arc<str>,
    sites: Cache<String, Robots>,
}

impl RobotsCache {
    pub(super) fn new(session: Session) -> Self {
        let agent = session.config().user_agent.split(['/', ' ']).next().unwrap_or("crawlingo").to_owned();
        let sites = Cache::builder().max_capacity(MAX_SITES).time_to_live(EXPIRES).build();
        Self { session, agent: agent.into(), sites }
    }

    /// The rules for the site of a URL.
    pub(super) async fn of(&self, url: &Url) -> Robots {
        let site = url.origin().ascii_serialization();
        self.sites.get_with(site.clone(), self.fetch(site)).await
    }

    async fn fetch(&self, site: String) -> Robots {
        let url = format!("{site}/robots.txt");
        let request = match Request::get(&url) {
            Ok(request) => request,
            Err(error) => return Robots::deny_all(error.to_string()),
        };
        let response = match self.session.fetch(request).await {
            Ok(response) => response,
            Err(error) => return unanswered(&error),
        };
        let status = response.status.as_u16();
        match status {
            200..=299 => {
                let (agent, bytes) = (Arc::clone(&self.agent), response.bytes().clone());
                let parsed = self.session.pool().run(move || Ok(Robots::parse(&agent, &bytes))).await;
                parsed.unwrap_or_else(|error| Robots::deny_all(format!("its robots.txt cannot be read: {error}")))
            }
            // A redirect that was not followed any further is as good as no file.
            300..=499 if status != 429 => Robots::allow_all(),
            _ => Robots::deny_all(format!(
                "its robots.txt answers {status}: until it says otherwise, nothing is allowed"
            )),
        }
    }
}

fn unanswered(error: &Error) -> Robots {
    match error.kind() {
        // RFC 9309, 2.3.1.2: more than five redirects are as good as no file.
        ErrorKind::Fetch { failure: FetchFailure::Redirect, .. } => Robots::allow_all(),
        _ => Robots::deny_all(format!("its robots.txt cannot be fetched: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_shape_are_taken() {
        for text in
            [&b""[..], b"\xff\xfe\x00", b"User-agent", b"Disallow: /", &b"User-agent: *\nDisallow: /x\n".repeat(50_000)]
        {
            let robots = Robots::parse("crawlingo", text);
            assert!(robots.allows("https://example.org/free") || text.starts_with(b"Disallow"));
        }
        for text in ["-1", "NaN", "inf", "1e999", "x", ""] {
            let text = format!("User-agent: *\nCrawl-delay: {text}");
            assert_eq!(Robots::parse("crawlingo", text.as_bytes()).crawl_delay(), None, "{text}");
        }
        assert!(!Robots::deny_all("x").allows("https://example.org/"));
    }
}

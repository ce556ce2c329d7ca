//! One page of a crawl: robots.txt, and the fetch. What is read of it is in `read`.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use regex::Regex;
use url::Url;

use super::canonical::request_key;
use super::frontier::{Entry, Frontier, HostPolicy, Lease, What};
use super::hooks::Hooks;
use super::links::Links;
use super::login::Logins;
use super::pagination::Pages;
use super::read::{Read, read};
use super::robots::RobotsCache;
use crate::dataset::Extractor;
use crate::session::Session;
use crate::types::{Request, status_error};
use crate::{Error, ErrorKind};

/// The longest that a host can ask for between two requests; what asks for more is taken for a mistake.
const MAX_DELAY: Duration = Duration::from_secs(120);
/// The first pause before a page is tried again; it doubles from time to time.
const BACK_OFF: Duration = Duration::from_millis(500);

/// The most sitemaps that are taken of one robots.txt.
const MAX_SITEMAPS: usize = 1_000;

/// What all pages of a crawl share.
pub(super) struct Shared {
    pub(super) session: Session,
    pub(super) frontier: Arc<dyn Frontier>,
    pub(super) links: Links,
    pub(super) items: Vec<Item>,
    pub(super) pages: Vec<Pages>,
    pub(super) robots: RobotsCache,
    /// Whether robots.txt is obeyed.
    pub(super) obeys: bool,
    /// Whether a page's own word on robots is.
    pub(super) meta_robots: bool,
    pub(super) sitemap_since: Option<String>,
    pub(super) logins: Logins,
    pub(super) hooks: Option<Arc<dyn Hooks>>,
    /// Whether records go through their types.
    pub(super) typed: bool,
    /// Whether records that are known are left out.
    pub(super) incremental: bool,
    pub(super) policy: HostPolicy,
    pub(super) retries: u32,
    pub(super) run_id: Arc<str>,
}

pub(super) struct Item {
    pub(super) extractor: Arc<Extractor>,
    pub(super) on: Option<Regex>,
}

/// What a page came to.
pub(super) enum Came {
    /// It was fetched and read.
    Read(Box<Read>),
    /// It is to be tried again.
    Again(Duration),
    /// It failed for good.
    Failed { status: Option<u16>, reason: String },
    /// It was not fetched.
    Skipped(&'static str),
}

pub(super) async fn work(lease: &Lease, shared: &Arc<Shared>) -> Came {
    let entry = &lease.entry;
    let url = match Url::parse(&entry.url) {
        Ok(url) => url,
        Err(error) => return Came::Failed { status: None, reason: format!("it is no URL: {error}") },
    };
    if entry.what == What::Sitemaps {
        return sitemaps(&url, shared).await;
    }
    if shared.obeys {
        let rules = shared.robots.of(&url).await;
        if let Some(delay) = rules.crawl_delay() {
            let interval = shared.policy.interval.max(delay.min(MAX_DELAY));
            shared.frontier.set_policy(&host_of(&url), HostPolicy { interval, at_once: 1 });
        }
        if !rules.allows(&entry.url) {
            return match rules.reason() {
                Some(reason) => Came::Failed { status: None, reason: reason.to_owned() },
                None => Came::Skipped("robots.txt"),
            };
        }
    }
    let mut request = match request(entry) {
        Ok(request) => request,
        Err(error) => return Came::Failed { status: None, reason: error.to_string() },
    };
    let logins = shared.logins.times();
    // Each hop of a redirect is a page of its own: it waits its turn, and is asked of robots.txt.
    request.options.follow_redirects = Some(false);
    let response = match shared.session.fetch(request).await {
        Ok(response) => response,
        Err(error) => return failed(entry, shared, &url, &error),
    };
    let status = response.status.as_u16();
    if status >= 400 {
        return failed(entry, shared, &url, &status_error(&response.url, response.status, &response.headers));
    }
    if let (300..=399, Some(location)) = (status, response.headers.get("location")) {
        return redirected(entry, shared, &url, status, location);
    }
    let (of, theirs) = (Arc::clone(shared), entry.clone());
    match shared.session.pool().run(move || read(response, &theirs, &of)).await {
        Ok(Some(read)) => Came::Read(Box::new(read)),
        Ok(None) if entry.attempts > shared.retries => Came::Failed {
            status: Some(status),
            reason: "it is a page for those who are not logged in, still".to_owned(),
        },
        Ok(None) => match shared.logins.login(&shared.session, logins).await {
            Ok(()) => Came::Again(Duration::ZERO),
            Err(error) => {
                Came::Failed { status: Some(status), reason: format!("it needs a login, which failed: {error}") }
            }
        },
        Err(error) => Came::Failed { status: Some(status), reason: error.to_string() },
    }
}

fn request(entry: &Entry) -> Result<Request, Error> {
    let Some(payload) = &entry.payload else { return Request::get(&entry.url) };
    let method = Method::from_bytes(payload.method.as_bytes())
        .map_err(|_| Error::config("method", format!("{:?} is no method of HTTP", payload.method)))?;
    let mut request = Request::new(method, &entry.url)?;
    for (name, value) in &payload.headers {
        request = request.header(name, value)?;
    }
    request.body = payload.body.clone().into();
    Ok(request)
}

/// The sitemaps that a site's robots.txt names; where it names none, the one at the usual place.
async fn sitemaps(url: &Url, shared: &Shared) -> Came {
    let rules = shared.robots.of(url).await;
    let mut named: Vec<Url> = rules.sitemaps().iter().filter_map(|named| url.join(named).ok()).collect();
    if named.is_empty() {
        named.extend(url.join("/sitemap.xml").ok());
    }
    let mut read = Read::default();
    for sitemap in named.into_iter().take(MAX_SITEMAPS) {
        if matches!(sitemap.scheme(), "http" | "https") {
            let key = request_key("GET", &sitemap, b"");
            read.discovered.push((key, Entry { what: What::Sitemap, ..Entry::new(sitemap) }));
        }
    }
    Came::Read(Box::new(read))
}

/// The host with its port, as the frontier counts it.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    url.port().map_or(host.clone(), |port| format!("{host}:{port}"))
}

fn failed(entry: &Entry, shared: &Shared, url: &Url, error: &Error) -> Came {
    let (status, after) = match error.kind() {
        ErrorKind::Fetch { status, retry_after, .. } => (*status, *retry_after),
        _ => (None, None),
    };
    if let Some(after) = after {
        shared.frontier.hold(&host_of(url), after.min(MAX_DELAY));
    }
    if !error.is_retryable() || entry.attempts >= shared.retries {
        return Came::Failed { status, reason: error.to_string() };
    }
    // Full jitter, so that what failed together does not come back together.
    let most = BACK_OFF.saturating_mul(1 << entry.attempts.min(10));
    let pause = most.mul_f64(rand::random::<f64>()).max(Duration::from_millis(10));
    Came::Again(pause.max(after.unwrap_or_default()).min(MAX_DELAY))
}

fn redirected(entry: &Entry, shared: &Shared, url: &Url, status: u16, location: &str) -> Came {
    let Ok(mut target) = url.join(location.trim()) else {
        return Came::Failed { status: Some(status), reason: "it redirects to what is no URL".to_owned() };
    };
    target.set_fragment(None);
    // What was sent by POST is asked for by GET where it was moved, unless the answer says to send it again (RFC 9110,
    // 15.4).
    let payload = entry.payload.clone().filter(|_| matches!(status, 307 | 308));
    let moved = Entry { url: target.as_str().to_owned(), attempts: 0, payload, ..entry.clone() };
    let key = moved.key(&target);
    if key == entry.key(url) {
        // It may have set a cookie, which the next try carries; after that it is a circle.
        return match entry.attempts {
            0 => Came::Again(Duration::ZERO),
            _ => Came::Failed { status: Some(status), reason: "it redirects to itself".to_owned() },
        };
    }
    // Where a start leads to is where the spider was sent.
    if entry.referrer.is_none() && matches!(target.scheme(), "http" | "https") {
        shared.links.add_host(&target);
    }
    let mut read = Read { status, ..Read::default() };
    match shared.links.refuses(&target) {
        // A filter on links is none on where they lead.
        Some(why) if why != "filter" && entry.what == What::Page => *read.skipped.entry(why).or_default() += 1,
        _ => read.discovered.push((key, moved)),
    }
    Came::Read(Box::new(read))
}

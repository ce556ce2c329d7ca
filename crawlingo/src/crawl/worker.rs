//! One page of a crawl: robots.txt, fetch, parse, extract, links.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use regex::Regex;
use url::Url;

use super::canonical::{RequestKey, request_key};
use super::frontier::{Entry, Frontier, HostPolicy, Lease};
use super::links::{Links, Skipped};
use super::robots::RobotsCache;
use crate::dataset::Extractor;
use crate::session::{Page, Session};
use crate::sink::{Origin, Scraped};
use crate::types::{Request, Response, status_error};
use crate::{Error, ErrorKind};

/// The longest that a host can ask for between two requests; what asks for more is taken for a mistake.
const MAX_DELAY: Duration = Duration::from_secs(120);
/// The first pause before a page is tried again; it doubles from time to time.
const BACK_OFF: Duration = Duration::from_millis(500);

/// What all pages of a crawl share.
pub(super) struct Shared {
    pub(super) session: Session,
    pub(super) frontier: Arc<dyn Frontier>,
    pub(super) links: Links,
    pub(super) items: Vec<Item>,
    pub(super) robots: Option<RobotsCache>,
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

#[derive(Default)]
pub(super) struct Read {
    pub(super) status: u16,
    pub(super) bytes: u64,
    pub(super) records: Vec<Scraped>,
    pub(super) invalid: Vec<Error>,
    pub(super) discovered: Vec<(RequestKey, Entry)>,
    pub(super) skipped: Skipped,
    /// By dataset and field.
    pub(super) healed: BTreeMap<String, Vec<String>>,
}

pub(super) async fn work(lease: &Lease, shared: &Arc<Shared>) -> Came {
    let entry = &lease.entry;
    let url = match Url::parse(&entry.url) {
        Ok(url) => url,
        Err(error) => return Came::Failed { status: None, reason: format!("it is no URL: {error}") },
    };
    if let Some(robots) = &shared.robots {
        let rules = robots.of(&url).await;
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
    let mut request = match Request::get(&entry.url) {
        Ok(request) => request,
        Err(error) => return Came::Failed { status: None, reason: error.to_string() },
    };
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
    let (shared, entry) = (Arc::clone(shared), entry.clone());
    let session = shared.session.clone();
    match session.pool().run(move || read(response, &entry, &shared)).await {
        Ok(read) => Came::Read(Box::new(read)),
        Err(error) => Came::Failed { status: Some(status), reason: error.to_string() },
    }
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
    let key = request_key("GET", &target, b"");
    if key == request_key("GET", url, b"") {
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
        Some(why) if why != "filter" => *read.skipped.entry(why).or_default() += 1,
        _ => read.discovered.push((key, Entry { url: target.into(), attempts: 0, ..entry.clone() })),
    }
    Came::Read(Box::new(read))
}

/// Parses and extracts; on a thread that does so.
fn read(response: Response, entry: &Entry, shared: &Shared) -> Result<Read, Error> {
    let status = response.status.as_u16();
    let bytes = response.bytes().len() as u64;
    let page = shared.session.adopt(Page::from_response(response)?);
    let url = page.url().to_string();
    let origin = Origin::new(url.as_str(), Timestamp::now(), Arc::clone(&shared.run_id), entry.depth);
    let origin = Arc::new(origin);
    let mut read = Read { status, bytes, ..Read::default() };
    for item in &shared.items {
        if item.on.as_ref().is_some_and(|pattern| !pattern.is_match(&url)) {
            continue;
        }
        let extraction = page.extract(&item.extractor);
        let healed = extraction.report.fields.iter().filter(|field| field.healed > 0).map(|field| field.path.clone());
        let healed: Vec<String> = healed.collect();
        if !healed.is_empty() {
            read.healed.insert(item.extractor.schema().name.clone(), healed);
        }
        read.records.extend(extraction.records.into_iter().map(|record| Scraped::new(record, Arc::clone(&origin))));
        read.invalid.extend(extraction.errors);
    }
    let (links, skipped) = shared.links.of_page(&page, entry.depth)?;
    read.skipped = skipped;
    read.discovered = links
        .into_iter()
        .map(|link| {
            let key = request_key("GET", &link.url, b"");
            let (depth, priority) = (entry.depth + 1, link.priority);
            let referrer = Some(entry.url.clone());
            (key, Entry { depth, priority, referrer, ..Entry::new(link.url) })
        })
        .collect();
    Ok(read)
}

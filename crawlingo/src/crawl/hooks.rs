//! What a spider's own code does in a crawl.

use std::collections::BTreeMap;

use url::Url;

use super::frontier::{Entry, Payload};
use super::spider::Spider;
use crate::Error;
use crate::dataset::{Dataset, Record};
use crate::session::{Page, Session};
use crate::types::BoxFuture;

/// The most that one page's own code can give.
const MAX_FOUND: usize = 50_000;

/// What [`Spider::parse`] finds on a page, and what is known of the page.
///
/// ```
/// use crawlingo::crawl::{Found, Next};
/// use crawlingo::{Error, Page};
///
/// fn parse(page: &Page, found: &mut Found) -> Result<(), Error> {
///     let shelf = found.meta("shelf").unwrap_or("none").to_owned();
///     for link in page.css("a.book")?.iter().filter_map(|link| link.attr("href")) {
///         found.follow(Next::request(&page.join(link)?)?.meta("shelf", &shelf).priority(5));
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Default)]
pub struct Found {
    pub(super) records: Vec<Record>,
    pub(super) next: Vec<Next>,
    pub(super) dropped: u64,
    meta: BTreeMap<String, String>,
    depth: u32,
}

impl Found {
    pub(super) fn of(entry: &Entry) -> Self {
        Self { meta: entry.meta.clone(), depth: entry.depth, ..Self::default() }
    }

    /// What the request for this page carried along.
    pub fn meta(&self, key: &str) -> Option<&str> {
        self.meta.get(key).map(String::as_str)
    }

    /// How many links the page lies from a start.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Gives a record.
    pub fn item<T: Dataset>(&mut self, item: T) {
        self.record(item.into_record());
    }

    /// Gives a record whose type is not known.
    pub fn record(&mut self, record: Record) {
        match self.records.len() < MAX_FOUND {
            true => self.records.push(record),
            false => self.dropped += 1,
        }
    }

    /// Asks for a page; it is fetched if the spider's filters and robots.txt let it, and it was not seen before.
    pub fn follow(&mut self, next: Next) {
        match self.next.len() < MAX_FOUND {
            true => self.next.push(next),
            false => self.dropped += 1,
        }
    }
}

/// A page that is asked for by hand.
#[derive(Debug, Clone)]
pub struct Next {
    pub(super) url: Url,
    pub(super) payload: Option<Payload>,
    pub(super) meta: BTreeMap<String, String>,
    pub(super) priority: i32,
}

impl Next {
    /// A page by its address.
    ///
    /// # Errors
    /// When it is no URL.
    pub fn request(url: &str) -> Result<Self, Error> {
        let mut url = Url::parse(url).map_err(|error| Error::config("url", format!("{url:?} is no URL: {error}")))?;
        url.set_fragment(None);
        Ok(Self { url, payload: None, meta: BTreeMap::new(), priority: 0 })
    }

    /// What is sent, by POST.
    #[must_use]
    pub fn body(mut self, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        self.payload = Some(Payload { method: "POST".to_owned(), body: body.into(), headers });
        self
    }

    /// Carries something along to the page.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// Higher comes first; 0 unless said otherwise.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }
}

/// The code of a spider, whatever its type.
pub(super) trait Hooks: Send + Sync {
    fn parse(&self, page: &Page, found: &mut Found) -> Result<(), Error>;

    fn login<'s>(&'s self, session: &'s Session) -> BoxFuture<'s, Result<(), Error>>;

    fn typed(&self, record: Record) -> Result<Record, Error>;
}

impl<S: Spider + Send + Sync> Hooks for S {
    fn parse(&self, page: &Page, found: &mut Found) -> Result<(), Error> {
        Spider::parse(self, page, found)
    }

    fn login<'s>(&'s self, session: &'s Session) -> BoxFuture<'s, Result<(), Error>> {
        Spider::login(self, session)
    }

    fn typed(&self, record: Record) -> Result<Record, Error> {
        Spider::typed(self, record)
    }
}

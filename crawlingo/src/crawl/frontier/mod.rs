//! The frontier: what is still to be fetched, what was seen, and what was made last, in one place and one transaction.

mod keyed;
mod memory;
mod sled_store;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

pub use keyed::KeyedFrontier;
pub use memory::MemoryStore;
pub use sled_store::SledStore;

use super::canonical::{RequestKey, request_key};
use super::pagination::PageNumber;
use crate::Error;
use crate::sink::Checkpoint;
use crate::types::BoxFuture;

/// A page that is to be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// The URL, as it was written.
    pub url: String,
    /// How many links it lies from a start.
    pub depth: u32,
    /// Higher comes first.
    pub priority: i32,
    /// How often it was tried.
    pub attempts: u32,
    /// The page that linked to it.
    pub referrer: Option<String>,
    /// What is asked for.
    pub what: What,
    /// What is sent, where it is no plain GET.
    pub payload: Option<Payload>,
    /// Which page of a pagination it is.
    pub page: Option<PageNumber>,
    /// What was carried along to it.
    pub meta: BTreeMap<String, String>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum What {
    /// A page.
    #[default]
    Page,
    /// The sitemaps that a site's robots.txt names.
    Sitemaps,
    /// A sitemap.
    Sitemap,
}

/// What is sent with a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// The method.
    pub method: String,
    /// The body.
    pub body: Vec<u8>,
    /// Headers beside those of the session.
    pub headers: Vec<(String, String)>,
}

impl Entry {
    /// A page to start from.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            depth: 0,
            priority: 0,
            attempts: 0,
            referrer: None,
            what: What::Page,
            payload: None,
            page: None,
            meta: BTreeMap::new(),
        }
    }

    /// The key by which the request is known.
    pub fn key(&self, url: &Url) -> RequestKey {
        match &self.payload {
            None => request_key("GET", url, b""),
            Some(payload) => request_key(&payload.method, url, &payload.body),
        }
    }
}

/// An [`Entry`] that was given out, until it is committed, put back, or its time has passed.
#[derive(Debug, Clone)]
pub struct Lease {
    /// The entry.
    pub entry: Entry,
    /// Fences off a worker whose lease has expired: its commit fails.
    pub(super) token: u64,
}

/// What a batch of pages came to. All of it lasts, or nothing.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Commit {
    /// The pages that are done.
    pub done: Vec<Lease>,
    /// What they link to, with the keys by which they are known.
    pub discovered: Vec<(RequestKey, Entry)>,
    /// Keys that are seen without being fetched: where redirects led.
    pub seen: Vec<RequestKey>,
    /// Pages that failed for good, and why; they are done as well.
    pub failed: Vec<(Entry, String)>,
    /// The keys of records that were written, and what they are now.
    pub records: Vec<(u128, u64)>,
    /// What the sinks have made last, by name.
    pub checkpoints: BTreeMap<String, Checkpoint>,
    /// How far the crawl has come, as its engine writes it.
    pub progress: Vec<u8>,
}

/// What [`Frontier::lease`] gives.
#[derive(Debug)]
pub struct Leased {
    /// Pages that may be fetched now.
    pub leases: Vec<Lease>,
    /// When there may be more, if hosts are waiting; `None` where nothing waits but what is given out.
    pub ready_in: Option<Duration>,
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FrontierStats {
    /// To be fetched, with what is given out.
    pub pending: u64,
    /// Given out.
    pub leased: u64,
    /// Hosts with something to be fetched.
    pub hosts: usize,
}

/// How a host may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPolicy {
    /// The time between two requests.
    pub interval: Duration,
    /// How many at once.
    pub at_once: usize,
}

/// Keeps what is to be fetched. One for each crawl; implementations differ in where they keep it.
pub trait Frontier: Send + Sync {
    /// Gives out pages of hosts that are ready, at most `most`. A host that must wait delays no other.
    fn lease(&self, most: usize) -> BoxFuture<'_, Result<Leased, Error>>;

    /// Puts a page back that could not be fetched, for a while. The attempt counts.
    fn nack(&self, lease: Lease, delay: Duration) -> BoxFuture<'_, Result<(), Error>>;

    /// Makes a batch last. Of what was discovered, what was seen before is left out; gives how many were new.
    ///
    /// # Errors
    /// When it cannot be written, or a lease was lost: then nothing of it lasts, and the sinks are to be rolled back.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<u64, Error>>;

    /// Sets how a host may be asked, as when its robots.txt is known.
    fn set_policy(&self, host: &str, policy: HostPolicy);

    /// Leaves a host alone for a while, as it asked for by `Retry-After`.
    fn hold(&self, host: &str, delay: Duration);

    /// What the last commit stored: the sinks' checkpoints, and the progress; `None` in a new frontier.
    #[allow(clippy::type_complexity)]
    fn resume(&self) -> BoxFuture<'_, Result<Option<(BTreeMap<String, Checkpoint>, Vec<u8>)>, Error>>;

    /// What a record was when it was written last, in this crawl or one before it; `None` if it never was.
    ///
    /// # Errors
    /// When it cannot be read.
    fn known(&self, record: u128) -> Result<Option<u64>, Error>;

    /// Puts the pages that failed for good back, to be tried anew; gives how many.
    fn retry_failed(&self) -> BoxFuture<'_, Result<u64, Error>>;

    /// Forgets the pages and the progress, and keeps what is known of records: the next crawl begins at the start.
    fn begin_again(&self) -> BoxFuture<'_, Result<(), Error>>;

    /// How much there is.
    fn stats(&self) -> FrontierStats;
}

/// A store of bytes by bytes, in order, for [`KeyedFrontier`].
pub trait Store: Send {
    /// Reads an entry.
    ///
    /// # Errors
    /// When it cannot be read.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error>;

    /// The first entry behind `after` whose key begins with `prefix`.
    ///
    /// # Errors
    /// When it cannot be read.
    #[allow(clippy::type_complexity)]
    fn next(&self, prefix: &[u8], after: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>, Error>;

    /// Writes and removes entries, all or none; what was written lasts when it returns.
    ///
    /// # Errors
    /// When it cannot be written.
    #[allow(clippy::type_complexity)]
    fn apply(&mut self, changes: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Result<(), Error>;
}

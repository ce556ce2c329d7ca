//! The frontier over a store of keys in order: which page comes next, and when a host may be asked.
//!
//! A page that is to be fetched stands under `p`, its host, its rank and its number, so that the pages of a host lie
//! together in the order in which they are fetched. What was seen stands under `s` and the request's key. Who was given
//! what is not stored: a process that ends had not done it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawlingo_schema::Order;
use tokio::time::Instant;

use super::{Commit, Entry, Frontier, FrontierStats, HostPolicy, Lease, Leased, Store};
use crate::crawl::canonical::RequestKey;
use crate::sink::Checkpoint;
use crate::types::BoxFuture;
use crate::{Error, FetchFailure};

/// The version of what is stored; another one is refused and never misread.
const VERSION: u8 = 2;
const VERSION_KEY: &[u8] = b"m:version";
const NUMBER_KEY: &[u8] = b"m:number";
const PENDING_KEY: &[u8] = b"m:pending";
const PROGRESS_KEY: &[u8] = b"m:progress";
const CHECKPOINT: &[u8] = b"m:checkpoint:";
const FAILED: &[u8] = b"f";
/// How many entries are changed at once where many are.
const MANY: usize = 10_000;
/// How long a page may be out.
const LEASE: Duration = Duration::from_secs(900);
/// How many hosts are remembered that have nothing to be fetched.
const MAX_IDLE_HOSTS: usize = 10_000;

type Changes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// A frontier over a [`Store`].
pub struct KeyedFrontier<S> {
    inner: Mutex<Inner<S>>,
    order: Order,
    policy: HostPolicy,
}

struct Inner<S> {
    store: S,
    hosts: HashMap<String, Host>,
    /// When a host can be looked at again. A host may stand in it more often than once.
    ready: BinaryHeap<Reverse<(Instant, String)>>,
    /// By token: the stored key, the host, and until when.
    leases: HashMap<u64, Out>,
    next_token: u64,
    next_number: u64,
    pending: u64,
}

struct Out {
    key: Vec<u8>,
    host: String,
    until: Instant,
}

#[derive(Debug)]
struct Host {
    policy: HostPolicy,
    ready_at: Instant,
    /// How many are stored.
    pending: u64,
    /// The keys that are given out, or wait for their next attempt.
    out: HashSet<Vec<u8>>,
    leased: usize,
    /// Up to which key all is given out.
    cursor: Vec<u8>,
    /// Keys that wait for their next attempt, and until when.
    waiting: BinaryHeap<Reverse<(Instant, Vec<u8>)>>,
}

fn bad(message: impl Into<String>) -> Error {
    Error::io("frontier", std::io::Error::other(message.into()))
}

/// The host of a URL, with its port: what is asked, and how often, is counted by it.
fn host_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().to_ascii_lowercase()
}

fn prefix_of(host: &str) -> Vec<u8> {
    [b"p", host.as_bytes(), b"\0"].concat()
}

fn seen_key(key: RequestKey) -> Vec<u8> {
    [&b"s"[..], &key.to_be_bytes()].concat()
}

fn record_key(key: u128) -> Vec<u8> {
    [&b"r"[..], &key.to_be_bytes()].concat()
}

impl<S: Store> KeyedFrontier<S> {
    /// A frontier over a store, which may hold a crawl that goes on.
    ///
    /// # Errors
    /// When the store cannot be read, or was written by another version.
    pub fn new(mut store: S, order: Order, policy: HostPolicy) -> Result<Self, Error> {
        match store.get(VERSION_KEY)? {
            None => store.apply(vec![(VERSION_KEY.to_vec(), Some(vec![VERSION]))])?,
            Some(version) if version == [VERSION] => {}
            Some(version) => {
                let message = format!(
                    "this crawl was stored by another version (format {:?}, this one reads {VERSION}); begin anew in another folder",
                    version.first()
                );
                return Err(bad(message));
            }
        }
        let number = |key: &[u8]| -> Result<u64, Error> {
            let bytes = store.get(key)?.unwrap_or_else(|| vec![0; 8]);
            let bytes = bytes.as_slice().try_into().map_err(|_| bad("a number that is stored is damaged"))?;
            Ok(u64::from_be_bytes(bytes))
        };
        let (next_number, pending) = (number(NUMBER_KEY)?, number(PENDING_KEY)?);
        let mut inner = Inner {
            store,
            hosts: HashMap::new(),
            ready: BinaryHeap::new(),
            leases: HashMap::new(),
            next_token: 1,
            next_number,
            pending,
        };
        inner.find_hosts(policy)?;
        Ok(Self { inner: Mutex::new(inner), order, policy })
    }

    fn inner(&self) -> MutexGuard<'_, Inner<S>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key of an entry: lower ones come first.
    fn key(&self, host: &str, entry: &Entry, number: u64) -> Vec<u8> {
        let priority = (i64::from(i32::MAX) - i64::from(entry.priority)) as u32;
        let (depth, number) = match self.order {
            Order::Depth => (u32::MAX - entry.depth, u64::MAX - number),
            _ => (entry.depth, number),
        };
        let mut key = prefix_of(host);
        key.extend_from_slice(&priority.to_be_bytes());
        key.extend_from_slice(&depth.to_be_bytes());
        key.extend_from_slice(&number.to_be_bytes());
        key
    }
}

impl<S: Store> Inner<S> {
    /// Counts what is stored, by host.
    fn find_hosts(&mut self, policy: HostPolicy) -> Result<(), Error> {
        let now = Instant::now();
        let (mut after, mut count) = (Vec::new(), 0);
        while let Some((key, _)) = self.store.next(b"p", &after)? {
            let end = key.iter().position(|&byte| byte == 0).ok_or_else(|| bad("an entry is damaged"))?;
            let name = String::from_utf8_lossy(&key[1..end]).into_owned();
            self.host(&name, policy, now).pending += 1;
            count += 1;
            after = key;
        }
        self.pending = count;
        Ok(())
    }

    fn host(&mut self, name: &str, policy: HostPolicy, now: Instant) -> &mut Host {
        if !self.hosts.contains_key(name) {
            self.ready.push(Reverse((now, name.to_owned())));
            if self.hosts.len() > MAX_IDLE_HOSTS * 2 {
                let busy = |host: &Host| host.pending > 0 || host.ready_at > now;
                self.hosts.retain(|_, host| busy(host));
            }
        }
        self.hosts.entry(name.to_owned()).or_insert_with(|| Host {
            policy,
            ready_at: now,
            pending: 0,
            out: HashSet::new(),
            leased: 0,
            cursor: Vec::new(),
            waiting: BinaryHeap::new(),
        })
    }

    /// Takes back what was given out too long ago.
    fn expire(&mut self, now: Instant) {
        let late: Vec<u64> = self.leases.iter().filter(|(_, out)| out.until <= now).map(|(token, _)| *token).collect();
        for token in late {
            let Some(out) = self.leases.remove(&token) else { continue };
            if let Some(host) = self.hosts.get_mut(&out.host) {
                host.leased -= 1;
                host.out.remove(&out.key);
                host.cursor.clear();
            }
            self.ready.push(Reverse((now, out.host)));
        }
    }

    /// The next entry of a host that is not given out and does not wait.
    fn take(&mut self, name: &str, now: Instant) -> Result<Option<(Vec<u8>, Entry)>, Error> {
        let Some(host) = self.hosts.get_mut(name) else { return Ok(None) };
        if let Some(Reverse((at, _))) = host.waiting.peek()
            && *at <= now
            && let Some(Reverse((_, key))) = host.waiting.pop()
        {
            if let Some(value) = self.store.get(&key)? {
                return Ok(Some((key, read(&value)?)));
            }
            host.out.remove(&key);
        }
        let prefix = prefix_of(name);
        while let Some((key, value)) = self.store.next(&prefix, &host.cursor)? {
            host.cursor.clone_from(&key);
            if !host.out.contains(&key) {
                host.out.insert(key.clone());
                return Ok(Some((key, read(&value)?)));
            }
        }
        Ok(None)
    }
}

fn read(bytes: &[u8]) -> Result<Entry, Error> {
    postcard::from_bytes(bytes).map_err(|error| bad(format!("an entry is damaged: {error}")))
}

fn written(entry: &Entry) -> Result<Vec<u8>, Error> {
    postcard::to_stdvec(entry).map_err(|error| bad(error.to_string()))
}

impl<S: Store> KeyedFrontier<S> {
    fn lease_now(&self, most: usize) -> Result<Leased, Error> {
        let now = Instant::now();
        let mut inner = self.inner();
        inner.expire(now);
        let mut leases = Vec::new();
        while leases.len() < most {
            let Some(Reverse((at, _))) = inner.ready.peek() else { break };
            if *at > now {
                break;
            }
            let Some(Reverse((_, name))) = inner.ready.pop() else { break };
            let Some(host) = inner.hosts.get(&name) else { continue };
            if host.ready_at > now {
                let at = host.ready_at;
                inner.ready.push(Reverse((at, name)));
                continue;
            }
            // When one comes back, the host is looked at again.
            if host.leased >= host.policy.at_once {
                continue;
            }
            let Some((key, entry)) = inner.take(&name, now)? else {
                if let Some(Reverse((at, _))) = inner.hosts.get(&name).and_then(|host| host.waiting.peek()) {
                    let at = *at;
                    inner.ready.push(Reverse((at, name)));
                }
                continue;
            };
            let token = inner.next_token;
            inner.next_token += 1;
            let Some(host) = inner.hosts.get_mut(&name) else { continue };
            host.leased += 1;
            host.ready_at = now + host.policy.interval;
            let at = host.ready_at;
            inner.leases.insert(token, Out { key, host: name.clone(), until: now + LEASE });
            inner.ready.push(Reverse((at, name)));
            leases.push(Lease { entry, token });
        }
        let ready_in = inner.ready.peek().map(|Reverse((at, _))| at.saturating_duration_since(now));
        Ok(Leased { leases, ready_in: ready_in.filter(|_| inner.pending > inner.leases.len() as u64) })
    }

    fn commit_now(&self, commit: Commit) -> Result<u64, Error> {
        let now = Instant::now();
        let mut inner = self.inner();
        inner.expire(now);
        let lost = commit.done.iter().find(|lease| !inner.leases.contains_key(&lease.token));
        if let Some(lost) = lost {
            let message = "its lease was lost: it took longer than a quarter of an hour, and was given out again";
            return Err(Error::fetch(lost.entry.url.as_str(), FetchFailure::Timeout, message));
        }
        let mut changes: Changes = Vec::new();
        let done: Vec<(u64, Vec<u8>)> = commit
            .done
            .iter()
            .filter_map(|lease| Some((lease.token, inner.leases.get(&lease.token)?.key.clone())))
            .collect();
        changes.extend(done.iter().map(|(_, key)| (key.clone(), None)));
        let mut fresh: HashSet<RequestKey> = HashSet::new();
        let mut added: Vec<(String, Vec<u8>)> = Vec::new();
        let mut number = inner.next_number;
        for (key, entry) in commit.discovered {
            if fresh.contains(&key) || inner.store.get(&seen_key(key))?.is_some() {
                continue;
            }
            fresh.insert(key);
            let host = host_of(&entry.url);
            let stored = self.key(&host, &entry, number);
            number += 1;
            changes.push((stored.clone(), Some(written(&entry)?)));
            added.push((host, stored));
        }
        for (entry, reason) in commit.failed {
            let failed = postcard::to_stdvec(&(entry, reason)).map_err(|error| bad(error.to_string()))?;
            changes.push(([FAILED, &number.to_be_bytes()[..]].concat(), Some(failed)));
            number += 1;
        }
        changes.extend(commit.records.iter().map(|(key, is)| (record_key(*key), Some(is.to_be_bytes().to_vec()))));
        changes.extend(fresh.iter().chain(&commit.seen).map(|key| (seen_key(*key), Some(Vec::new()))));
        let pending = inner.pending + added.len() as u64 - done.len() as u64;
        changes.push((NUMBER_KEY.to_vec(), Some(number.to_be_bytes().to_vec())));
        changes.push((PENDING_KEY.to_vec(), Some(pending.to_be_bytes().to_vec())));
        changes.push((PROGRESS_KEY.to_vec(), Some(commit.progress)));
        for (name, checkpoint) in commit.checkpoints {
            changes.push(([CHECKPOINT, name.as_bytes()].concat(), Some(checkpoint.0)));
        }
        inner.store.apply(changes)?;
        // From here on it lasts: what is in memory follows.
        inner.next_number = number;
        inner.pending = pending;
        let count = added.len() as u64;
        for (token, key) in done {
            let Some(out) = inner.leases.remove(&token) else { continue };
            if let Some(host) = inner.hosts.get_mut(&out.host) {
                host.leased -= 1;
                host.pending -= 1;
                host.out.remove(&key);
                let at = host.ready_at;
                inner.ready.push(Reverse((at, out.host)));
            }
        }
        for (name, key) in added {
            let host = inner.host(&name, self.policy, now);
            host.pending += 1;
            if key < host.cursor {
                host.cursor.clear();
            }
            let at = host.ready_at;
            inner.ready.push(Reverse((at, name)));
        }
        inner.tidy();
        Ok(count)
    }

    fn retry_now(&self) -> Result<u64, Error> {
        let (mut count, mut after) = (0, Vec::new());
        let mut changes: Changes = Vec::new();
        let mut inner = self.inner();
        let mut number = inner.next_number;
        while let Some((key, value)) = inner.store.next(FAILED, &after)? {
            let (entry, _): (Entry, String) =
                postcard::from_bytes(&value).map_err(|error| bad(format!("a failed page is damaged: {error}")))?;
            let entry = Entry { attempts: 0, ..entry };
            let host = host_of(&entry.url);
            changes.push((self.key(&host, &entry, number), Some(written(&entry)?)));
            changes.push((key.clone(), None));
            number += 1;
            count += 1;
            after = key;
        }
        changes.push((NUMBER_KEY.to_vec(), Some(number.to_be_bytes().to_vec())));
        inner.store.apply(changes)?;
        inner.next_number = number;
        inner.forget();
        inner.find_hosts(self.policy)?;
        Ok(count)
    }

    fn begin_now(&self) -> Result<(), Error> {
        let mut inner = self.inner();
        // The progress goes first: what is left of a crawl without progress is cleared by the next call.
        let mut changes: Changes = vec![(PROGRESS_KEY.to_vec(), None)];
        for prefix in [CHECKPOINT, b"p", b"s", FAILED] {
            let mut after = Vec::new();
            while let Some((key, _)) = inner.store.next(prefix, &after)? {
                changes.push((key.clone(), None));
                after = key;
                if changes.len() >= MANY {
                    inner.store.apply(std::mem::take(&mut changes))?;
                }
            }
        }
        inner.store.apply(changes)?;
        inner.forget();
        inner.find_hosts(self.policy)
    }

    fn nack_now(&self, mut lease: Lease, delay: Duration) -> Result<(), Error> {
        let now = Instant::now();
        let mut inner = self.inner();
        let Some(out) = inner.leases.remove(&lease.token) else { return Ok(()) };
        lease.entry.attempts += 1;
        // The attempt is remembered; it need not last, for a new process tries anew.
        inner.store.apply(vec![(out.key.clone(), Some(written(&lease.entry)?))])?;
        if let Some(host) = inner.hosts.get_mut(&out.host) {
            host.leased -= 1;
            host.waiting.push(Reverse((now + delay, out.key)));
            let at = host.ready_at.min(now + delay);
            inner.ready.push(Reverse((at, out.host)));
        }
        Ok(())
    }
}

impl<S> Inner<S> {
    /// Forgets what is only in memory.
    fn forget(&mut self) {
        self.hosts.clear();
        self.ready.clear();
        self.leases.clear();
        self.pending = 0;
    }

    /// A host stands in the heap once for each thing that happened to it; past a bound, once is enough.
    fn tidy(&mut self) {
        if self.ready.len() <= 1024 + self.hosts.len() * 4 {
            return;
        }
        let mut first: HashMap<String, Instant> = HashMap::new();
        for Reverse((at, name)) in self.ready.drain() {
            first.entry(name).and_modify(|known| *known = (*known).min(at)).or_insert(at);
        }
        self.ready = first.into_iter().map(|(name, at)| Reverse((at, name))).collect();
    }
}

impl<S: Store> Frontier for KeyedFrontier<S> {
    fn lease(&self, most: usize) -> BoxFuture<'_, Result<Leased, Error>> {
        let result = self.lease_now(most);
        Box::pin(async { result })
    }

    fn nack(&self, lease: Lease, delay: Duration) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.nack_now(lease, delay);
        Box::pin(async { result })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<u64, Error>> {
        let result = self.commit_now(commit);
        Box::pin(async { result })
    }

    fn set_policy(&self, host: &str, policy: HostPolicy) {
        let now = Instant::now();
        self.inner().host(host, policy, now).policy = policy;
    }

    fn hold(&self, host: &str, delay: Duration) {
        let now = Instant::now();
        let policy = self.policy;
        let mut inner = self.inner();
        let host = inner.host(host, policy, now);
        host.ready_at = host.ready_at.max(now + delay);
    }

    fn resume(&self) -> BoxFuture<'_, Result<Option<(BTreeMap<String, Checkpoint>, Vec<u8>)>, Error>> {
        let result = (|| {
            let inner = self.inner();
            let Some(progress) = inner.store.get(PROGRESS_KEY)? else { return Ok(None) };
            let (mut checkpoints, mut after) = (BTreeMap::new(), Vec::new());
            while let Some((key, value)) = inner.store.next(CHECKPOINT, &after)? {
                let name = String::from_utf8_lossy(&key[CHECKPOINT.len()..]).into_owned();
                checkpoints.insert(name, Checkpoint(value));
                after = key;
            }
            Ok(Some((checkpoints, progress)))
        })();
        Box::pin(async { result })
    }

    fn known(&self, record: u128) -> Result<Option<u64>, Error> {
        let stored = self.inner().store.get(&record_key(record))?;
        let number = |bytes: Vec<u8>| bytes.try_into().map(u64::from_be_bytes);
        stored.map(number).transpose().map_err(|_| bad("what is known of a record is damaged"))
    }

    fn retry_failed(&self) -> BoxFuture<'_, Result<u64, Error>> {
        let result = self.retry_now();
        Box::pin(async { result })
    }

    fn begin_again(&self) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.begin_now();
        Box::pin(async { result })
    }

    fn stats(&self) -> FrontierStats {
        let inner = self.inner();
        let hosts = inner.hosts.values().filter(|host| host.pending > 0).count();
        FrontierStats { pending: inner.pending, leased: inner.leases.len() as u64, hosts }
    }
}

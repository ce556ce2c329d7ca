//! The engine: leases pages, works on many at once, and commits what they came to in batches.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use crawlingo_schema::{OnInvalid, Rate, SpiderSpec, pattern};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use super::canonical::RequestKey;
use super::frontier::{Commit, Entry, Frontier, HostPolicy, KeyedFrontier, Lease, MemoryStore, SledStore, What};
use super::hooks::Hooks;
use super::links::Links;
use super::login::Logins;
use super::pagination::Pages;
use super::read::{Known, Read};
use super::report::{CrawlReport, Ended};
use super::robots::RobotsCache;
use super::throttle::Throttle;
use super::worker::{Came, Item, Shared, work};
use crate::Error;
use crate::dataset::Extractor;
use crate::session::Session;
use crate::sink::{Checkpoint, Scraped, Sink};
use crate::value::Value;

/// How many pages are committed at once, at most.
const BATCH: usize = 64;
/// How long a page that is done waits for others, at most.
const BATCH_WAIT: Duration = Duration::from_millis(500);
/// How long it waits where nothing else can be leased before it.
const SHORT_WAIT: Duration = Duration::from_millis(20);
/// How long a run that is asked to stop waits for the pages that are on their way.
const DRAIN: Duration = Duration::from_secs(10);
/// The names of the checkpoints.
const OUTPUT: &str = "output";
const QUARANTINE: &str = "quarantine";

/// Asks a crawl to stop. Clones ask the same crawl.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<(AtomicU8, Notify)>);

impl Stop {
    /// Asks to stop once: no page is begun any more, and those that are on their way have ten seconds. Asked twice: at
    /// once. Either way what was committed lasts, and a crawl that is stored can go on.
    pub fn stop(&self) {
        if self.level() < 2 {
            self.0.0.fetch_add(1, Ordering::SeqCst);
        }
        self.0.1.notify_waiters();
    }

    fn level(&self) -> u8 {
        self.0.0.load(Ordering::SeqCst)
    }

    /// Waits, unless it is asked to stop.
    async fn within(self, wait: Duration) {
        tokio::select! {
            () = tokio::time::sleep(wait.max(Duration::from_millis(1))) => {}
            () = self.0.1.notified() => {}
        }
    }
}

/// Called after each commit with how far the crawl has come.
type OnProgress = Arc<dyn Fn(&CrawlReport) + Send + Sync>;

/// A crawl that is put together.
///
/// ```no_run
/// use crawlingo::crawl::Crawl;
/// use crawlingo::schema::SpiderSpec;
/// use crawlingo::sink::to;
/// # async fn example() -> Result<(), crawlingo::Error> {
/// let spider = SpiderSpec::from_toml(&std::fs::read_to_string("books.toml").unwrap())?;
/// let report = Crawl::new(spider).store(".crawlingo/books").run(to("books.jsonl")?).await?;
/// println!("{} records of {} pages", report.records, report.fetched());
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Crawl {
    spec: Result<SpiderSpec, Error>,
    hooks: Option<Arc<dyn Hooks>>,
    session: Option<Session>,
    retry_failed: bool,
    incremental: bool,
    store: Option<PathBuf>,
    quarantine: Option<Box<dyn Sink>>,
    on_progress: Option<OnProgress>,
    stop: Stop,
}

impl Crawl {
    /// A crawl of a spider.
    pub fn new(spec: SpiderSpec) -> Self {
        Self {
            spec: Ok(spec),
            hooks: None,
            session: None,
            retry_failed: false,
            incremental: false,
            store: None,
            quarantine: None,
            on_progress: None,
            stop: Stop::default(),
        }
    }

    /// A crawl of a spider that has code of its own; what is wrong with its data is told when it runs.
    pub(super) fn of(spec: Result<SpiderSpec, Error>, hooks: Arc<dyn Hooks>) -> Self {
        Self { spec, hooks: Some(hooks), ..Self::new(SpiderSpec::default()) }
    }

    /// Sets whether the pages that failed for good in the runs before are tried anew.
    pub fn retry_failed(mut self, retry: bool) -> Self {
        self.retry_failed = retry;
        self
    }

    /// Sets whether records are left out that are as they were when the stored crawl, or one before it in the same folder,
    /// wrote them. A crawl that had come to its end begins again at its start.
    pub fn incremental(mut self, incremental: bool) -> Self {
        self.incremental = incremental;
        self
    }

    /// Sets the session that pages are fetched by.
    pub fn session(mut self, session: Session) -> Self {
        self.session = Some(session);
        self
    }

    /// Sets the folder in which the crawl is kept: if it was interrupted, by whatever, the same call goes on with it.
    /// Without one it is in memory.
    pub fn store(mut self, folder: impl Into<PathBuf>) -> Self {
        self.store = Some(folder.into());
        self
    }

    /// Sets where what is no record goes, with the reason. It takes JSON lines.
    pub fn quarantine(mut self, sink: Box<dyn Sink>) -> Self {
        self.quarantine = Some(sink);
        self
    }

    /// Sets what is called with the report so far, after each commit.
    pub fn on_progress(mut self, call: impl Fn(&CrawlReport) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Arc::new(call));
        self
    }

    /// What asks the crawl to stop.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Runs the crawl; records go to the sink.
    ///
    /// # Errors
    /// When the spider is wrong, the store or the sink fails, or a record is invalid and `on_invalid` is `fail`. Pages
    /// that fail are no errors: they stand in the report.
    pub async fn run(self, sink: Box<dyn Sink>) -> Result<CrawlReport, Error> {
        let spec = self.spec?;
        spec.check()?;
        if self.store.is_none() && (self.incremental || self.retry_failed) {
            let what = if self.incremental { "incremental" } else { "retry_failed" };
            return Err(Error::config(what, "it needs the store of the crawls before; set the folder with `store`"));
        }
        let session = match self.session {
            Some(session) => session,
            None => Session::builder().concurrency(spec.concurrency.max(1)).build()?,
        };
        let policy = HostPolicy {
            interval: spec.rate_per_host.map(|rate: Rate| rate.interval()).unwrap_or_default(),
            at_once: spec.concurrency_per_host,
        };
        let frontier: Arc<dyn Frontier> = match &self.store {
            Some(folder) => Arc::new(KeyedFrontier::new(SledStore::open(folder)?, spec.order, policy)?),
            None => Arc::new(KeyedFrontier::new(MemoryStore::default(), spec.order, policy)?),
        };
        let resumed = frontier.resume().await?;
        let (mut checkpoints, mut report) = match resumed {
            None => (BTreeMap::new(), CrawlReport { run_id: run_id(), ..CrawlReport::default() }),
            Some((checkpoints, progress)) => {
                let report = serde_json::from_slice(&progress).map_err(|error| {
                    Error::config(
                        "store",
                        format!("the stored progress cannot be read ({error}); begin anew in another folder"),
                    )
                })?;
                (checkpoints, report)
            }
        };
        if self.incremental && matches!(report.ended, Ended::Done | Ended::Bound) {
            frontier.begin_again().await?;
            (checkpoints, report) = (BTreeMap::new(), CrawlReport { run_id: run_id(), ..CrawlReport::default() });
        }
        if self.retry_failed {
            let again = frontier.retry_failed().await?;
            tracing::info!(target: "crawlingo::crawl", again, "pages that failed are tried anew");
            report.failures = report.failures.saturating_sub(again);
            report.failed.clear();
        }
        let links = Links::new(&spec)?;
        if !report.hosts.is_empty() {
            links.set_hosts(std::mem::take(&mut report.hosts));
        }
        report.ended = Ended::Running;
        let shared = Arc::new(Shared {
            robots: RobotsCache::new(session.clone()),
            obeys: spec.robots,
            meta_robots: spec.meta_robots,
            sitemap_since: spec.sitemap_since.clone(),
            logins: Logins::new(&spec, self.hooks.clone())?,
            hooks: self.hooks,
            incremental: self.incremental,
            pages: spec.paginate.iter().map(Pages::new).collect::<Result<_, _>>()?,
            session,
            frontier,
            links,
            items: items(&spec)?,
            policy,
            retries: spec.retries,
            run_id: report.run_id.as_str().into(),
        });
        let seconds = report.seconds;
        let mut engine = Engine {
            throttle: Throttle::new(spec.concurrency, spec.adaptive),
            spec,
            shared,
            sink,
            quarantine: self.quarantine,
            checkpoints,
            report,
            on_progress: self.on_progress,
            stop: self.stop,
            batch: Batch::default(),
            begun: Instant::now(),
            seconds,
        };
        engine.run().await
    }
}

impl std::fmt::Debug for Crawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Crawl").field("spec", &self.spec).field("store", &self.store).finish_non_exhaustive()
    }
}

fn run_id() -> String {
    format!("{}-{:04x}", jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ"), rand::random::<u16>())
}

fn items(spec: &SpiderSpec) -> Result<Vec<Item>, Error> {
    let item = |rule: &crawlingo_schema::ItemRule| {
        let on = rule.on.as_deref().map(pattern::parse).transpose()?;
        Ok(Item { extractor: Arc::new(Extractor::new(&rule.schema)?), on })
    };
    spec.items.iter().map(item).collect()
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::List(values) => !values.is_empty(),
        Value::Text(text) => !text.trim().is_empty(),
        _ => true,
    }
}

/// What pages came to that are not committed yet.
#[derive(Default)]
struct Batch {
    done: Vec<Lease>,
    records: Vec<Scraped>,
    known: Vec<Known>,
    failed: Vec<(Entry, String)>,
    invalid: Vec<Scraped>,
    discovered: Vec<(RequestKey, Entry)>,
    since: Option<Instant>,
}

struct Engine {
    spec: SpiderSpec,
    throttle: Throttle,
    shared: Arc<Shared>,
    sink: Box<dyn Sink>,
    quarantine: Option<Box<dyn Sink>>,
    checkpoints: BTreeMap<String, Checkpoint>,
    report: CrawlReport,
    on_progress: Option<OnProgress>,
    stop: Stop,
    batch: Batch,
    begun: Instant,
    /// Of the runs before.
    seconds: f64,
}

impl Engine {
    async fn run(&mut self) -> Result<CrawlReport, Error> {
        self.sink.restore(self.checkpoints.get(OUTPUT)).await?;
        if let Some(quarantine) = &mut self.quarantine {
            quarantine.restore(self.checkpoints.get(QUARANTINE)).await?;
        }
        self.shared.logins.login(&self.shared.session, 0).await?;
        self.start().await?;
        let mut on_way: JoinSet<(Lease, Came, Duration)> = JoinSet::new();
        let ended = loop {
            let bound = self.bound();
            let stopping = self.stop.level() > 0 || bound;
            let free = match stopping {
                true => 0,
                false => self.throttle.limit().saturating_sub(on_way.len()).min(self.pages_left(on_way.len())),
            };
            let leased = self.shared.frontier.lease(free).await?;
            let starved = leased.leases.len() < free || stopping;
            for lease in leased.leases {
                let (over, warning) = match lease.entry.attempts {
                    0 => self.report.counted.count(&lease.entry.url, &self.spec),
                    _ => (None, None),
                };
                if let Some(warning) = warning {
                    tracing::warn!(target: "crawlingo::crawl", "{warning}");
                    self.report.warnings.push(warning);
                }
                if let Some(why) = over {
                    self.report.skip(why, 1);
                    self.done(lease);
                    continue;
                }
                let shared = Arc::clone(&self.shared);
                on_way.spawn(async move {
                    let begun = Instant::now();
                    let came = work(&lease, &shared).await;
                    (lease, came, begun.elapsed())
                });
            }
            let wait = if starved { SHORT_WAIT } else { BATCH_WAIT };
            let waited = self.batch.since.is_some_and(|since| since.elapsed() >= wait);
            if self.batch.done.len() >= BATCH || waited || (on_way.is_empty() && !self.batch.done.is_empty()) {
                self.flush().await?;
                continue;
            }
            if on_way.is_empty() {
                if self.stop.level() > 0 {
                    break Ended::Stopped;
                }
                if bound || self.pages_left(0) == 0 {
                    break Ended::Bound;
                }
                let Some(ready_in) = leased.ready_in else { break Ended::Done };
                self.stop.clone().within(ready_in).await;
                continue;
            }
            if self.stop.level() > 0 {
                self.drain(&mut on_way).await?;
                continue;
            }
            let flush_in = self.batch.since.map(|since| wait.saturating_sub(since.elapsed()));
            let until = flush_in.into_iter().chain(leased.ready_in.filter(|_| free > 0)).min();
            let until = until.unwrap_or(Duration::from_secs(60)).max(Duration::from_millis(1));
            let stopped = self.stop.clone();
            tokio::select! {
                joined = on_way.join_next() => self.take(joined).await?,
                () = tokio::time::sleep(until) => {}
                () = stopped.0.1.notified() => {}
            }
        };
        self.report.ended = ended;
        self.flush().await?;
        if ended != Ended::Stopped {
            self.sink.finish().await?;
            if let Some(quarantine) = &mut self.quarantine {
                quarantine.finish().await?;
            }
        }
        Ok(self.report.clone())
    }

    /// What is left to do is awaited, for a while; then it is given up, and done by the next run.
    async fn drain(&mut self, on_way: &mut JoinSet<(Lease, Came, Duration)>) -> Result<(), Error> {
        let until = Instant::now() + DRAIN;
        while !on_way.is_empty() && self.stop.level() < 2 {
            let stopped = self.stop.clone();
            tokio::select! {
                joined = on_way.join_next() => self.take(joined).await?,
                () = tokio::time::sleep_until(until) => break,
                () = stopped.0.1.notified() => {}
            }
        }
        on_way.shutdown().await;
        Ok(())
    }

    /// The first run puts the starts into the frontier; they are known after.
    async fn start(&mut self) -> Result<(), Error> {
        let mut discovered = Vec::new();
        for start in &self.spec.start {
            let mut url =
                Url::parse(start).map_err(|error| Error::config("start", format!("{start:?} is no URL: {error}")))?;
            url.set_fragment(None);
            if self.spec.sitemap
                && let Ok(robots) = url.join("/robots.txt")
            {
                let entry = Entry { what: What::Sitemaps, ..Entry::new(robots.as_str()) };
                discovered.push((entry.key(&robots), entry));
            }
            let entry = Entry::new(url.as_str());
            discovered.push((entry.key(&url), entry));
        }
        let firsts = self.shared.pages.iter().enumerate().filter_map(|(rule, pages)| pages.first(rule));
        for first in firsts {
            let url = Url::parse(&first.url)
                .map_err(|error| Error::config("paginate", format!("{:?} is no URL: {error}", first.url)))?;
            discovered.push((first.key(&url), first));
        }
        self.batch.discovered = discovered;
        self.flush().await
    }

    fn bound(&self) -> bool {
        let over = |is: u64, most: Option<u64>| most.is_some_and(|most| is >= most);
        over(self.report.records + self.batch.records.len() as u64, self.spec.max_records)
            || over(self.report.bytes, self.spec.max_bytes)
            || over(self.begun.elapsed().as_secs(), self.spec.max_seconds)
    }

    fn pages_left(&self, on_way: usize) -> usize {
        let Some(most) = self.spec.max_pages else { return usize::MAX };
        let begun = self.report.fetched() + self.report.failures + on_way as u64;
        usize::try_from(most.saturating_sub(begun)).unwrap_or(usize::MAX)
    }

    fn done(&mut self, lease: Lease) {
        self.batch.done.push(lease);
        self.batch.since.get_or_insert_with(Instant::now);
    }

    async fn take(
        &mut self,
        joined: Option<Result<(Lease, Came, Duration), tokio::task::JoinError>>,
    ) -> Result<(), Error> {
        let (lease, came) = match joined {
            None => return Ok(()),
            Some(Ok((lease, came, took))) => {
                self.throttle.saw(matches!(came, Came::Again(_) | Came::Failed { .. }), took);
                (lease, came)
            }
            // The page's lease runs out, and it comes again.
            Some(Err(error)) => {
                tracing::error!(target: "crawlingo::crawl", %error, "a page's task ended before its end");
                self.report.retries += 1;
                return Ok(());
            }
        };
        match came {
            Came::Again(delay) => {
                tracing::debug!(target: "crawlingo::crawl", url = %lease.entry.url, ?delay, "again");
                self.report.retries += 1;
                return self.shared.frontier.nack(lease, delay).await;
            }
            Came::Skipped(reason) => self.report.skip(reason, 1),
            Came::Failed { status, reason } => {
                tracing::warn!(target: "crawlingo::crawl", url = %lease.entry.url, %reason, "a page failed");
                if let Some(status) = status {
                    *self.report.pages.entry(status).or_default() += 1;
                }
                self.report.fail(lease.entry.url.clone(), reason.clone());
                self.batch.failed.push((lease.entry.clone(), reason));
            }
            Came::Read(read) => self.read(*read)?,
        }
        self.done(lease);
        Ok(())
    }

    fn read(&mut self, read: Read) -> Result<(), Error> {
        let report = &mut self.report;
        if read.status != 0 {
            *report.pages.entry(read.status).or_default() += 1;
        }
        report.bytes += read.bytes;
        for (reason, count) in read.skipped {
            report.skip(reason, count);
        }
        for (dataset, fields) in read.healed {
            let counts = report.healed.entry(dataset).or_default();
            fields.into_iter().for_each(|field| *counts.entry(field).or_default() += 1);
        }
        report.invalid += read.invalid.len() as u64;
        let mut invalid = read.invalid.into_iter();
        match self.spec.on_invalid {
            OnInvalid::Fail => {
                if let Some(error) = invalid.next() {
                    return Err(error);
                }
            }
            OnInvalid::Quarantine if self.quarantine.is_some() => {
                self.batch.invalid.extend(invalid.map(|error| super::quarantine::record(&error, &self.shared.run_id)));
            }
            _ => {}
        }
        let room = match self.spec.max_records {
            Some(most) => most.saturating_sub(self.report.records + self.batch.records.len() as u64),
            None => u64::MAX,
        };
        for (scraped, known) in read.records.into_iter().take(usize::try_from(room).unwrap_or(usize::MAX)) {
            self.batch.records.push(scraped);
            self.batch.known.extend(known);
        }
        self.batch.discovered.extend(read.discovered);
        Ok(())
    }

    /// Makes a batch last: the sinks first, then the frontier, whose transaction decides.
    async fn flush(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        self.sink.write(&batch.records).await?;
        let mut checkpoints = BTreeMap::from([(OUTPUT.to_owned(), self.sink.prepare().await?)]);
        if let Some(quarantine) = &mut self.quarantine {
            quarantine.write(&batch.invalid).await?;
            checkpoints.insert(QUARANTINE.to_owned(), quarantine.prepare().await?);
        }
        for scraped in &batch.records {
            let record = &scraped.record;
            let name = &record.schema().name;
            *self.report.datasets.entry(name.clone()).or_default() += 1;
            let fields = self.report.coverage.entry(name.clone()).or_default();
            for (field, value) in record.iter() {
                let count = fields.entry(field.to_owned()).or_default();
                *count += u64::from(is_filled(value));
            }
        }
        self.report.records += batch.records.len() as u64;
        self.report.seconds = self.seconds + self.begun.elapsed().as_secs_f64();
        let found = batch.discovered.len() as u64;
        let stats = self.shared.frontier.stats();
        self.report.pending = stats.pending.saturating_sub(batch.done.len() as u64);
        self.report.hosts = self.shared.links.hosts();
        let progress = serde_json::to_vec(&self.report).map_err(|error| Error::sdk(error.to_string()))?;
        let commit = Commit {
            done: batch.done,
            discovered: batch.discovered,
            failed: batch.failed,
            records: batch.known,
            checkpoints: checkpoints.clone(),
            progress,
            ..Commit::default()
        };
        match self.shared.frontier.commit(commit).await {
            Ok(new) => {
                self.report.skip("seen before", found - new);
                self.checkpoints = checkpoints;
                self.report.pending = self.shared.frontier.stats().pending;
                if let Some(call) = &self.on_progress {
                    call(&self.report);
                }
                Ok(())
            }
            Err(error) => {
                for (name, checkpoint) in &self.checkpoints {
                    match (name.as_str(), &mut self.quarantine) {
                        (QUARANTINE, Some(quarantine)) => quarantine.rollback(checkpoint).await?,
                        (OUTPUT, _) => self.sink.rollback(checkpoint).await?,
                        _ => {}
                    }
                }
                Err(error)
            }
        }
    }
}

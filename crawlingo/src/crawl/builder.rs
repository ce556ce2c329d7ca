//! A crawl, put together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crawlingo_schema::{Rate, SpiderSpec, pattern};
use tokio::time::Instant;

use super::engine::{Batch, Engine};
use super::frontier::{Frontier, HostPolicy, KeyedFrontier, MemoryStore, SledStore};
use super::hooks::Hooks;
use super::links::Links;
use super::login::Logins;
use super::pagination::Pages;
use super::report::{CrawlReport, Ended};
use super::robots::RobotsCache;
use super::stop::Stop;
use super::throttle::Throttle;
use super::worker::{Item, Shared};
use crate::Error;
use crate::dataset::Extractor;
use crate::session::Session;
use crate::sink::Sink;

/// Called after each commit with how far the crawl has come.
pub(super) type OnProgress = Arc<dyn Fn(&CrawlReport) + Send + Sync>;

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
    typed: bool,
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
            typed: false,
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

    /// Records go through their types, for what takes them knows none.
    pub(super) fn typed(mut self) -> Self {
        self.typed = true;
        self
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
            typed: self.typed,
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

//! The engine: leases pages, works on many at once, and commits what they came to in batches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crawlingo_schema::{OnInvalid, SpiderSpec};
use tokio::task::JoinSet;
use tokio::time::Instant;
use url::Url;

use super::builder::OnProgress;
use super::canonical::RequestKey;
use super::frontier::{Commit, Entry, Lease, What};
use super::read::{Known, Read};
use super::report::{CrawlReport, Ended};
use super::stop::Stop;
use super::throttle::Throttle;
use super::worker::{Came, Shared, work};
use crate::Error;
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
pub(super) struct Batch {
    done: Vec<Lease>,
    records: Vec<Scraped>,
    known: Vec<Known>,
    failed: Vec<(Entry, String)>,
    invalid: Vec<Scraped>,
    discovered: Vec<(RequestKey, Entry)>,
    since: Option<Instant>,
}

pub(super) struct Engine {
    pub(super) spec: SpiderSpec,
    pub(super) throttle: Throttle,
    pub(super) shared: Arc<Shared>,
    pub(super) sink: Box<dyn Sink>,
    pub(super) quarantine: Option<Box<dyn Sink>>,
    pub(super) checkpoints: BTreeMap<String, Checkpoint>,
    pub(super) report: CrawlReport,
    pub(super) on_progress: Option<OnProgress>,
    pub(super) stop: Stop,
    pub(super) batch: Batch,
    pub(super) begun: Instant,
    /// Of the runs before.
    pub(super) seconds: f64,
}

impl Engine {
    pub(super) async fn run(&mut self) -> Result<CrawlReport, Error> {
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
                () = stopped.asked() => {}
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
                () = stopped.asked() => {}
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

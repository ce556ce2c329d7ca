//! The records of a crawl as a stream.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::builder::Crawl;
use super::report::CrawlReport;
use super::spider::FromScraped;
use crate::Error;
use crate::sink::{Checkpoint, Scraped, Sink};
use crate::types::BoxFuture;

struct Batch {
    records: Vec<Scraped>,
    /// Told when the consumer has come past the last of them.
    taken: oneshot::Sender<()>,
}

/// The records of a crawl, as they come. The crawl waits for its consumer: what was not taken is not committed, so that a
/// stored crawl that is interrupted gives it again. Records are given at least once; asking for the next one says that the
/// one before is done with. Dropping the stream ends the crawl.
#[must_use = "a stream does nothing until it is polled"]
pub struct RecordStream<T> {
    crawl: Option<Crawl>,
    running: Option<Running>,
    current: VecDeque<Scraped>,
    taken: Option<oneshot::Sender<()>>,
    report: Option<CrawlReport>,
    item: PhantomData<fn() -> T>,
}

struct Running {
    batches: mpsc::Receiver<Batch>,
    task: JoinHandle<Result<CrawlReport, Error>>,
}

impl<T> RecordStream<T> {
    pub(super) fn new(crawl: Crawl) -> Self {
        Self {
            crawl: Some(crawl),
            running: None,
            current: VecDeque::new(),
            taken: None,
            report: None,
            item: PhantomData,
        }
    }

    /// The report, once the stream has ended.
    pub fn report(&self) -> Option<&CrawlReport> {
        self.report.as_ref()
    }

    fn start(&mut self) -> Result<(), Error> {
        let Some(crawl) = self.crawl.take() else { return Ok(()) };
        let runtime = tokio::runtime::Handle::try_current()
            .map_err(|_| Error::config("runtime", "a crawl runs inside of a Tokio runtime; poll its stream in one"))?;
        let (sender, batches) = mpsc::channel(1);
        let sink = Box::new(StreamSink { sender, waiting: Vec::new() });
        self.running = Some(Running { batches, task: runtime.spawn(crawl.run(sink)) });
        Ok(())
    }
}

impl<T: FromScraped> Stream for RecordStream<T> {
    type Item = Result<Scraped<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Err(error) = self.start() {
            return Poll::Ready(Some(Err(error)));
        }
        loop {
            if let Some(scraped) = self.current.pop_front() {
                let Scraped { record, origin } = scraped;
                let typed = T::from_scraped(record).map_err(|error| error.at_url(&origin.url));
                return Poll::Ready(Some(typed.map(|record| Scraped::new(record, origin))));
            }
            if let Some(taken) = self.taken.take() {
                // Nobody waits for it any more if the crawl has failed since.
                let _ = taken.send(());
            }
            let Some(running) = &mut self.running else { return Poll::Ready(None) };
            if let Some(batch) = ready!(running.batches.poll_recv(context)) {
                self.current = batch.records.into();
                self.taken = Some(batch.taken);
                continue;
            }
            let ended = ready!(Pin::new(&mut running.task).poll(context));
            self.running = None;
            return match ended {
                Ok(Ok(report)) => {
                    self.report = Some(report);
                    Poll::Ready(None)
                }
                Ok(Err(error)) => Poll::Ready(Some(Err(error))),
                Err(error) => Poll::Ready(Some(Err(Error::sdk(format!("the crawl ended before its end: {error}"))))),
            };
        }
    }
}

impl<T> Drop for RecordStream<T> {
    fn drop(&mut self) {
        if let Some(running) = &self.running {
            running.task.abort();
        }
    }
}

impl<T> std::fmt::Debug for RecordStream<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordStream").field("crawl", &self.crawl).finish_non_exhaustive()
    }
}

/// Gives the records to the consumer, and is prepared when that has taken them.
struct StreamSink {
    sender: mpsc::Sender<Batch>,
    waiting: Vec<oneshot::Receiver<()>>,
}

fn gone() -> Error {
    Error::sdk("nobody takes the records any more")
}

impl Sink for StreamSink {
    fn restore(&mut self, _: Option<&Checkpoint>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }

    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<(), Error>> {
        Box::pin(async move {
            if records.is_empty() {
                return Ok(());
            }
            let (taken, waits) = oneshot::channel();
            self.waiting.push(waits);
            self.sender.send(Batch { records: records.to_vec(), taken }).await.map_err(|_| gone())
        })
    }

    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint, Error>> {
        Box::pin(async {
            for waits in self.waiting.drain(..) {
                waits.await.map_err(|_| gone())?;
            }
            Ok(Checkpoint(Vec::new()))
        })
    }

    fn rollback(&mut self, _: &Checkpoint) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }
}

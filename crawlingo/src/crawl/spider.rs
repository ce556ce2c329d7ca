//! Spiders as types.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;

use crawlingo_schema::SpiderSpec;

use super::builder::Crawl;
use super::hooks::Found;
use super::report::CrawlReport;
use super::stop::Stop;
use super::stream::RecordStream;
use crate::Error;
use crate::dataset::{Dataset, Record};
use crate::session::{Page, Session};
use crate::sink::Sink;
use crate::types::BoxFuture;

/// A spider: a type that says where it starts, what it takes and what it follows. `#[derive(Spider)]` implements it.
///
/// ```no_run
/// use crawlingo::sink::to;
/// use crawlingo::{Dataset, Spider};
///
/// #[derive(Dataset)]
/// #[dataset(each = "article.product")]
/// struct Book {
///     #[selector(css = "h3 a", attr = "title")]
///     title: String,
/// }
///
/// #[derive(Spider)]
/// #[spider(start = "https://shop.example/{category}/", item = Book, follow(css = "li.next a"), rate_per_host = "8/s")]
/// struct Books {
///     category: String,
/// }
///
/// # async fn example() -> Result<(), crawlingo::Error> {
/// let report = Books { category: "maps".to_owned() }.crawl().run(to("books.jsonl")?).await?;
/// println!("{} records", report.records);
/// # Ok(())
/// # }
/// ```
pub trait Spider {
    /// What it gives: its dataset, or [`Record`] where it has several.
    type Item: FromScraped;

    /// The spider as plain data.
    ///
    /// # Errors
    /// When its arguments make no spider, such as a start that is no URL.
    fn spec(&self) -> Result<SpiderSpec, Error>;

    /// Finds what cannot be declared, on each page, beside what is declared. `#[spider(parse = path)]` names a function for
    /// it. It runs on a thread that computes: what it waits for, others wait for.
    ///
    /// # Errors
    /// Whatever is wrong with the page: it is counted as failed, and the crawl goes on.
    fn parse(&self, page: &Page, found: &mut Found) -> Result<(), Error> {
        let _ = (page, found);
        Ok(())
    }

    /// Makes the session ready before the first page, such as by logging in, and again when a page has what `logged_out`
    /// selects. `#[spider(login = path)]` names an asynchronous function for it.
    ///
    /// # Errors
    /// What went wrong: at the start it ends the crawl.
    fn login<'s>(&'s self, session: &'s Session) -> BoxFuture<'s, Result<(), Error>> {
        let _ = session;
        Box::pin(async { Ok(()) })
    }

    /// What goes into a sink for a record: that which the functions of its type (`with`) make of it.
    ///
    /// # Errors
    /// When they refuse it: then it is no record.
    fn typed(&self, record: Record) -> Result<Record, Error> {
        Ok(record)
    }

    /// Puts a crawl of it together. What is wrong with its arguments is told when it runs.
    fn crawl(self) -> SpiderCrawl<Self::Item>
    where
        Self: Sized + Send + Sync + 'static,
    {
        SpiderCrawl { crawl: Crawl::of(self.spec(), Arc::new(self)), item: PhantomData }
    }
}

/// What a record of a crawl can be taken as: a dataset type, or the record itself.
pub trait FromScraped: Sized + Send + 'static {
    /// Makes it of a record.
    ///
    /// # Errors
    /// When a value is none that the type takes.
    fn from_scraped(record: Record) -> Result<Self, Error>;
}

impl<T: Dataset + Send + 'static> FromScraped for T {
    fn from_scraped(record: Record) -> Result<Self, Error> {
        T::from_record(record)
    }
}

impl FromScraped for Record {
    fn from_scraped(record: Record) -> Result<Self, Error> {
        Ok(record)
    }
}

/// A [`Crawl`] whose records are of a type.
#[derive(Debug)]
#[must_use]
pub struct SpiderCrawl<T> {
    crawl: Crawl,
    item: PhantomData<fn() -> T>,
}

impl<T: FromScraped> SpiderCrawl<T> {
    fn with(self, change: impl FnOnce(Crawl) -> Crawl) -> Self {
        Self { crawl: change(self.crawl), item: PhantomData }
    }

    /// Sets the session that pages are fetched by.
    pub fn session(self, session: Session) -> Self {
        self.with(|crawl| crawl.session(session))
    }

    /// Sets the folder in which the crawl is kept: if it was interrupted, the same call goes on with it.
    pub fn store(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|crawl| crawl.store(folder))
    }

    /// Sets where what is no record goes, with the reason.
    pub fn quarantine(self, sink: Box<dyn Sink>) -> Self {
        self.with(|crawl| crawl.quarantine(sink))
    }

    /// Sets what is called with the report so far, after each commit.
    pub fn on_progress(self, call: impl Fn(&CrawlReport) + Send + Sync + 'static) -> Self {
        self.with(|crawl| crawl.on_progress(call))
    }

    /// Sets whether the pages that failed for good before are tried anew.
    pub fn retry_failed(self, retry: bool) -> Self {
        self.with(|crawl| crawl.retry_failed(retry))
    }

    /// Sets whether records that are as they were in the stored crawls before are left out.
    pub fn incremental(self, incremental: bool) -> Self {
        self.with(|crawl| crawl.incremental(incremental))
    }

    /// What asks the crawl to stop.
    pub fn stopper(&self) -> Stop {
        self.crawl.stopper()
    }

    /// Runs the crawl; records go to the sink.
    ///
    /// # Errors
    /// As [`Crawl::run`].
    pub async fn run(self, sink: Box<dyn Sink>) -> Result<CrawlReport, Error> {
        self.crawl.typed().run(sink).await
    }

    /// Runs the crawl while its records are taken from the stream.
    pub fn stream(self) -> RecordStream<T> {
        RecordStream::new(self.crawl)
    }
}

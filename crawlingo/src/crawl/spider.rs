//! Spiders as types.

use std::marker::PhantomData;
use std::path::PathBuf;

use crawlingo_schema::SpiderSpec;

use super::engine::{Crawl, Stop};
use super::report::CrawlReport;
use super::stream::RecordStream;
use crate::Error;
use crate::dataset::{Dataset, Record};
use crate::session::Session;
use crate::sink::Sink;

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
/// let report = Books { category: "maps".to_owned() }.crawl()?.run(to("books.jsonl")?).await?;
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

    /// Puts a crawl of it together.
    ///
    /// # Errors
    /// As [`spec`](Self::spec).
    fn crawl(&self) -> Result<SpiderCrawl<Self::Item>, Error> {
        Ok(SpiderCrawl { crawl: Crawl::new(self.spec()?), item: PhantomData })
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

    /// What asks the crawl to stop.
    pub fn stopper(&self) -> Stop {
        self.crawl.stopper()
    }

    /// Runs the crawl; records go to the sink.
    ///
    /// # Errors
    /// As [`Crawl::run`].
    pub async fn run(self, sink: Box<dyn Sink>) -> Result<CrawlReport, Error> {
        self.crawl.run(sink).await
    }

    /// Runs the crawl while its records are taken from the stream.
    pub fn stream(self) -> RecordStream<T> {
        RecordStream::new(self.crawl)
    }
}

//! Where records go: files and memory, each of which can be set back to where it was when something was last committed.
//!
//! A sink and the crawl's frontier agree in two steps. Records are written; [`prepare`](Sink::prepare) makes them last and
//! gives a [`Checkpoint`]; the frontier stores that with the pages that the records came from, in one transaction. After a
//! crash the sink is [restored](Sink::restore) to the checkpoint that was stored last: what was written after it goes, for
//! the pages that it came from are fetched again.

mod csv;
mod file;
mod json;
mod memory;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::csv::CsvSink;
pub use json::{JsonSink, JsonlSink};
pub use memory::MemorySink;

use crate::Error;
use crate::dataset::Record;
use crate::types::BoxFuture;

/// What a sink has made last, as it stands in the frontier. Only the sink that made it reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint(pub Vec<u8>);

impl Checkpoint {
    fn of_length(length: u64) -> Self {
        Self(length.to_le_bytes().to_vec())
    }

    fn length(&self) -> Result<u64, Error> {
        let bytes = self.0.as_slice().try_into();
        let bytes = bytes.map_err(|_| Error::config("sink", "the stored checkpoint is not one of a file"))?;
        Ok(u64::from_le_bytes(bytes))
    }
}

/// A record, as it is or as a dataset type, and where it came from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scraped<T = Record> {
    /// The record.
    pub record: T,
    /// The page.
    pub origin: Arc<Origin>,
}

impl<T> Scraped<T> {
    /// A record of a page.
    pub fn new(record: T, origin: Arc<Origin>) -> Self {
        Self { record, origin }
    }
}

/// The page that a record came from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Origin {
    /// The page's address, after redirects.
    pub url: String,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The run.
    pub run_id: Arc<str>,
    /// How many links it lies from a start.
    pub depth: u32,
}

impl Origin {
    /// A page.
    pub fn new(url: impl Into<String>, fetched_at: Timestamp, run_id: impl Into<Arc<str>>, depth: u32) -> Self {
        Self { url: url.into(), fetched_at, run_id: run_id.into(), depth }
    }
}

/// Columns about the page that a sink can write beside those of the dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetaColumn {
    /// `_url`: the page's address.
    Url,
    /// `_fetched_at`: when it was fetched.
    FetchedAt,
    /// `_run_id`: the run.
    RunId,
    /// `_depth`: how many links it lies from a start.
    Depth,
    /// `_type`: the dataset's name, for a crawl of several.
    Type,
}

impl MetaColumn {
    /// The column's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Url => "_url",
            Self::FetchedAt => "_fetched_at",
            Self::RunId => "_run_id",
            Self::Depth => "_depth",
            Self::Type => "_type",
        }
    }

    fn value(self, scraped: &Scraped) -> serde_json::Value {
        let origin = &scraped.origin;
        match self {
            Self::Url => origin.url.as_str().into(),
            Self::FetchedAt => origin.fetched_at.to_string().into(),
            Self::RunId => origin.run_id.as_ref().into(),
            Self::Depth => origin.depth.into(),
            Self::Type => scraped.record.schema().name.as_str().into(),
        }
    }
}

/// Takes records.
pub trait Sink: Send {
    /// Sets the sink back to a checkpoint, or, without one, begins anew. Called once, before anything is written.
    ///
    /// # Errors
    /// When what stands there is not what the checkpoint says, or would be lost.
    fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> BoxFuture<'_, Result<(), Error>>;

    /// Writes records; they need not last yet.
    ///
    /// # Errors
    /// When they cannot be written; the crawl stops, and can be resumed.
    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<(), Error>>;

    /// Makes what was written last, and says how to come back to it.
    ///
    /// # Errors
    /// When it cannot.
    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint, Error>>;

    /// Takes back what was written since the last [`prepare`](Self::prepare), or the one before, if that was not
    /// committed.
    ///
    /// # Errors
    /// When it cannot.
    fn rollback(&mut self, to: &Checkpoint) -> BoxFuture<'_, Result<(), Error>>;

    /// Ends the output, once all is committed.
    ///
    /// # Errors
    /// When it cannot.
    fn finish(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async { Ok(()) })
    }
}

/// What a file sink does with a file that is there when a crawl begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Existing {
    /// It is an error, so that nothing is lost.
    #[default]
    Refuse,
    /// It is written over.
    Overwrite,
}

/// The sink for a file, by its ending: `.jsonl`, `.ndjson`, `.json` or `.csv`.
///
/// ```
/// assert!(crawlingo::sink::to("books.jsonl").is_ok());
/// assert!(crawlingo::sink::to("books.xls").is_err_and(|error| error.to_string().contains(".csv")));
/// ```
///
/// # Errors
/// `ErrorKind::Config` for another ending.
pub fn to(path: impl AsRef<Path>) -> Result<Box<dyn Sink>, Error> {
    to_with(path, Existing::Refuse, &[])
}

/// As [`to`], with what becomes of a file that is there, and with columns about the page.
///
/// # Errors
/// As [`to`].
pub fn to_with(path: impl AsRef<Path>, existing: Existing, meta: &[MetaColumn]) -> Result<Box<dyn Sink>, Error> {
    let path = path.as_ref();
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    Ok(match ending.as_str() {
        "jsonl" | "ndjson" => Box::new(JsonlSink::new(path).existing(existing).meta(meta)),
        "json" => Box::new(JsonSink::new(path).existing(existing).meta(meta)),
        "csv" => Box::new(CsvSink::new(path).existing(existing).meta(meta)),
        _ => {
            let message = format!("{}: the ending says how records are written: .jsonl, .json or .csv", path.display());
            return Err(Error::config("output", message));
        }
    })
}

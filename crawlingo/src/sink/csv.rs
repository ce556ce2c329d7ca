//! CSV: a header, and a line for each record. Lists and nested records stand in their cells as JSON.

use std::path::PathBuf;
use std::sync::Arc;

use crawlingo_schema::Schema;

use super::file::File;
use super::{Checkpoint, Existing, MetaColumn, Scraped, Sink};
use crate::Error;
use crate::types::BoxFuture;
use crate::value::Value;

/// Writes comma-separated values (RFC 4180).
#[derive(Debug)]
pub struct CsvSink {
    file: File,
    meta: Vec<MetaColumn>,
    schema: Option<Arc<Schema>>,
}

impl CsvSink {
    /// A sink that writes to a file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { file: File::new(path.into()), meta: Vec::new(), schema: None }
    }

    /// Sets what becomes of a file that is there when a crawl begins anew.
    #[must_use]
    pub fn existing(mut self, existing: Existing) -> Self {
        self.file.existing = existing;
        self
    }

    /// Adds columns about the page.
    #[must_use]
    pub fn meta(mut self, columns: &[MetaColumn]) -> Self {
        self.meta = columns.to_vec();
        self
    }

    fn line(&mut self, cells: impl Iterator<Item = String>) -> Result<(), Error> {
        let failed = |error: String| Error::sdk(format!("a record cannot be written as CSV: {error}"));
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(cells).map_err(|error| failed(error.to_string()))?;
        let line = writer.into_inner().map_err(|error| failed(error.to_string()))?;
        self.file.write(&line)
    }

    fn header(&mut self, schema: &Arc<Schema>) -> Result<(), Error> {
        match &self.schema {
            Some(known) if known.name == schema.name => return Ok(()),
            Some(known) => {
                let message = format!(
                    "a CSV file has the columns of one dataset, and this crawl gives {} and {}; write .jsonl instead",
                    known.name, schema.name
                );
                return Err(Error::config("output", message));
            }
            None => self.schema = Some(Arc::clone(schema)),
        }
        if self.file.length() == 0 {
            let names: Vec<String> = schema.fields.iter().map(|field| field.name.clone()).collect();
            let meta: Vec<String> = self.meta.iter().map(|column| column.name().to_owned()).collect();
            self.line(names.into_iter().chain(meta))?;
        }
        Ok(())
    }
}

fn cell(value: &Value) -> Result<String, Error> {
    match value {
        Value::List(_) | Value::Record(_) => serde_json::to_string(value)
            .map_err(|error| Error::sdk(format!("a value cannot be written as JSON: {error}"))),
        other => Ok(other.to_string()),
    }
}

impl Sink for CsvSink {
    fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.file.restore(checkpoint);
        Box::pin(async { result })
    }

    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<(), Error>> {
        Box::pin(async move {
            for scraped in records {
                self.header(scraped.record.schema())?;
                let mut cells = scraped.record.values().iter().map(cell).collect::<Result<Vec<_>, _>>()?;
                cells.extend(self.meta.iter().map(|column| match column.value(scraped) {
                    serde_json::Value::String(text) => text,
                    other => other.to_string(),
                }));
                self.line(cells.into_iter())?;
            }
            Ok(())
        })
    }

    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint, Error>> {
        Box::pin(async { self.file.prepare() })
    }

    fn rollback(&mut self, to: &Checkpoint) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.file.restore(Some(to));
        self.schema = None;
        Box::pin(async { result })
    }
}

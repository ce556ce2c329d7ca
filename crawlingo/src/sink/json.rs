//! JSON: a line for each record, or one array.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::file::File;
use super::{Checkpoint, Existing, MetaColumn, Scraped, Sink};
use crate::Error;
use crate::types::BoxFuture;

/// Writes JSON lines: one object for each record.
#[derive(Debug)]
pub struct JsonlSink {
    file: File,
    meta: Vec<MetaColumn>,
}

/// Writes one JSON array of objects.
#[derive(Debug)]
pub struct JsonSink {
    file: File,
    meta: Vec<MetaColumn>,
}

const OPEN: &[u8] = b"[";
const CLOSE: &[u8] = b"\n]\n";

macro_rules! options {
    ($name:ident) => {
        impl $name {
            /// A sink that writes to a file.
            pub fn new(path: impl Into<PathBuf>) -> Self {
                Self { file: File::new(path.into()), meta: Vec::new() }
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
        }
    };
}

options!(JsonlSink);
options!(JsonSink);

/// A record with the columns about its page.
pub(super) fn object(scraped: &Scraped, meta: &[MetaColumn]) -> Result<Value, Error> {
    let record = serde_json::to_value(&scraped.record);
    let mut value = record.map_err(|error| Error::sdk(format!("a record cannot be written as JSON: {error}")))?;
    if let Value::Object(fields) = &mut value {
        fields
            .extend(meta.iter().map(|column| (column.name().to_owned(), column.value(scraped))).collect::<Map<_, _>>());
    }
    Ok(value)
}

impl Sink for JsonlSink {
    fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.file.restore(checkpoint);
        Box::pin(async { result })
    }

    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<(), Error>> {
        Box::pin(async move {
            for scraped in records {
                let line = format!("{}\n", object(scraped, &self.meta)?);
                self.file.write(line.as_bytes())?;
            }
            Ok(())
        })
    }

    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint, Error>> {
        Box::pin(async { self.file.prepare() })
    }

    fn rollback(&mut self, to: &Checkpoint) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.file.restore(Some(to));
        Box::pin(async { result })
    }
}

impl Sink for JsonSink {
    fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.file.restore(checkpoint);
        Box::pin(async { result })
    }

    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<(), Error>> {
        Box::pin(async move {
            for scraped in records {
                let first = self.file.length() == 0;
                if first {
                    self.file.write(OPEN)?;
                }
                let line = format!("{}{}", if first { "\n" } else { ",\n" }, object(scraped, &self.meta)?);
                self.file.write(line.as_bytes())?;
            }
            Ok(())
        })
    }

    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint, Error>> {
        Box::pin(async { self.file.prepare() })
    }

    fn rollback(&mut self, to: &Checkpoint) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.file.restore(Some(to));
        Box::pin(async { result })
    }

    // The end is behind every checkpoint: a crawl that goes on cuts it off again.
    fn finish(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(async {
            if self.file.length() == 0 {
                self.file.write(OPEN)?;
            }
            self.file.write(CLOSE)?;
            self.file.prepare().map(drop)
        })
    }
}

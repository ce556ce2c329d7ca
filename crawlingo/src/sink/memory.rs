//! Records in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Checkpoint, Scraped, Sink};
use crate::Error;
use crate::types::BoxFuture;

/// Keeps the records in memory. Clones share them: keep one, give the crawl the other.
#[derive(Debug, Clone, Default)]
pub struct MemorySink(Arc<Mutex<Vec<Scraped>>>);

impl MemorySink {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn records(&self) -> MutexGuard<'_, Vec<Scraped>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what was written.
    pub fn take(&self) -> Vec<Scraped> {
        std::mem::take(&mut *self.records())
    }

    fn cut(&self, to: Option<&Checkpoint>) -> Result<(), Error> {
        let length = to.map(Checkpoint::length).transpose()?.unwrap_or(0);
        self.records().truncate(length as usize);
        Ok(())
    }
}

impl Sink for MemorySink {
    fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.cut(checkpoint);
        Box::pin(async { result })
    }

    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<(), Error>> {
        self.records().extend_from_slice(records);
        Box::pin(async { Ok(()) })
    }

    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint, Error>> {
        let checkpoint = Checkpoint::of_length(self.records().len() as u64);
        Box::pin(async { Ok(checkpoint) })
    }

    fn rollback(&mut self, to: &Checkpoint) -> BoxFuture<'_, Result<(), Error>> {
        let result = self.cut(Some(to));
        Box::pin(async { result })
    }
}

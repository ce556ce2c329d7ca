//! A frontier in memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::Store;
use crate::Error;

/// Keeps everything in memory; it is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryStore(BTreeMap<Box<[u8]>, Box<[u8]>>);

impl Store for MemoryStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.0.get(key).map(|value| value.to_vec()))
    }

    fn next(&self, prefix: &[u8], after: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>, Error> {
        let from = if after < prefix { Bound::Included(prefix) } else { Bound::Excluded(after) };
        let entry = self.0.range::<[u8], _>((from, Bound::Unbounded)).next();
        let entry = entry.filter(|(key, _)| key.starts_with(prefix));
        Ok(entry.map(|(key, value)| (key.to_vec(), value.to_vec())))
    }

    fn apply(&mut self, changes: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Result<(), Error> {
        for (key, value) in changes {
            match value {
                Some(value) => drop(self.0.insert(key.into(), value.into())),
                None => drop(self.0.remove(key.as_slice())),
            }
        }
        Ok(())
    }
}

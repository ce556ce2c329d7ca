//! A frontier on disk, by sled.

use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Store;
use crate::Error;

/// Keeps everything in a folder; what was committed survives `kill -9`.
#[derive(Debug)]
pub struct SledStore {
    folder: PathBuf,
    database: sled::Db,
}

/// How often, and how long apart, a folder is tried that is held.
const HELD_TRIES: usize = 20;
const HELD_PAUSE: Duration = Duration::from_millis(50);

impl SledStore {
    /// Opens a folder, or makes one.
    ///
    /// # Errors
    /// `ErrorKind::Io` when another process holds it, or it cannot be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref().to_owned();
        // Its default cache is a gigabyte; a commit flushes by itself.
        let config = sled::Config::new().path(&folder).cache_capacity(32 << 20).flush_every_ms(None);
        let mut tries = 0;
        let database = loop {
            match config.open() {
                // Its threads let go of the folder a moment after the last handle is gone.
                Err(error) if error.to_string().contains("lock") && tries < HELD_TRIES => {
                    tries += 1;
                    std::thread::sleep(HELD_PAUSE);
                }
                opened => break opened,
            }
        };
        match database {
            Ok(database) => Ok(Self { folder, database }),
            Err(error) => Err(broken(&folder, &error)),
        }
    }
}

fn broken(folder: &Path, error: &sled::Error) -> Error {
    let message = match error.to_string() {
        said if said.contains("lock") => {
            format!("another process runs this crawl ({said}); wait for it, or use another folder")
        }
        said => said,
    };
    Error::io(folder.display().to_string(), std::io::Error::other(message))
}

impl Store for SledStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let value = self.database.get(key).map_err(|error| broken(&self.folder, &error))?;
        Ok(value.map(|value| value.to_vec()))
    }

    fn next(&self, prefix: &[u8], after: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>, Error> {
        let from = if after < prefix { Bound::Included(prefix) } else { Bound::Excluded(after) };
        match self.database.range::<&[u8], _>((from, Bound::Unbounded)).next() {
            None => Ok(None),
            Some(Err(error)) => Err(broken(&self.folder, &error)),
            Some(Ok((key, value))) => Ok(key.starts_with(prefix).then(|| (key.to_vec(), value.to_vec()))),
        }
    }

    fn apply(&mut self, changes: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Result<(), Error> {
        let mut batch = sled::Batch::default();
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        let done = self.database.apply_batch(batch).and_then(|()| self.database.flush());
        done.map(drop).map_err(|error| broken(&self.folder, &error))
    }
}

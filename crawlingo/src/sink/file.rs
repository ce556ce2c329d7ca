//! A file that can be cut back to a length.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::{Checkpoint, Existing};
use crate::Error;

#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    pub(super) existing: Existing,
    open: Option<BufWriter<std::fs::File>>,
    length: u64,
}

impl File {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, existing: Existing::Refuse, open: None, length: 0 }
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::io(self.path.display().to_string(), error)
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> Result<(), Error> {
        self.open = None;
        let length = checkpoint.map(Checkpoint::length).transpose()?;
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| self.failed(error))?;
        }
        let options = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(&self.path);
        let mut file = options.map_err(|error| self.failed(error))?;
        let is = file.metadata().map_err(|error| self.failed(error))?.len();
        let keep = match length {
            Some(length) if is < length => {
                let message = format!(
                    "it has {is} bytes, and the crawl that is resumed had written {length}; put the file back, or begin anew"
                );
                return Err(self.failed(std::io::Error::other(message)));
            }
            Some(length) => length,
            None if is > 0 && self.existing == Existing::Refuse => {
                let message = "it is there already; write to another file, or say that it may be overwritten";
                return Err(self.failed(std::io::Error::new(std::io::ErrorKind::AlreadyExists, message)));
            }
            None => 0,
        };
        file.set_len(keep).and_then(|()| file.seek(SeekFrom::Start(keep))).map_err(|error| self.failed(error))?;
        self.length = keep;
        self.open = Some(BufWriter::new(file));
        Ok(())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(file) = &mut self.open else { return Err(Error::sdk("a sink is restored before it is written to")) };
        if let Err(error) = file.write_all(bytes) {
            return Err(self.failed(error));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes all to the disk.
    pub(super) fn prepare(&mut self) -> Result<Checkpoint, Error> {
        let Some(file) = &mut self.open else { return Err(Error::sdk("a sink is restored before it is prepared")) };
        let done = file.flush().and_then(|()| file.get_ref().sync_data());
        done.map_err(|error| self.failed(error))?;
        Ok(Checkpoint::of_length(self.length))
    }
}

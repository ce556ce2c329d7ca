//! Where prints and the history of heals are kept: in memory, or on disk by sled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use dashmap::DashMap;
use serde::{Deserialize, Serialize};

use super::memory::{HealSnapshot, Remembered};
use crate::Error;

/// The version of what is stored; another one is refused and never misread.
const VERSION: u8 = 1;

/// How many rows of history are kept for each field; the oldest go first.
const MAX_ROWS: usize = 1_000;

/// What is remembered is kept by site and schema.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HealKey {
    /// The site: scheme, host and port.
    pub site: String,
    /// The schema's name.
    pub schema: String,
    /// The schema's version; a new one starts anew.
    pub version: u32,
}

/// One heal, or one refusal, as the history has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HealRow {
    /// The site and schema.
    pub key: HealKey,
    /// The field's path; `each` for the records themselves.
    pub field: String,
    /// The page.
    pub url: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What happened: `healed`, `suggested`, `abstained` or `drifted`.
    pub outcome: String,
    /// The probability that the element is right.
    pub confidence: f32,
    /// The selector that is proposed.
    pub selector: Option<String>,
    /// The element that was bound, or would have been.
    pub element: String,
}

/// Keeps prints and history. Implementations are shared by all sessions and threads.
pub trait HealStore: Send + Sync + std::fmt::Debug {
    /// What is remembered of the fields of a schema on a site.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn snapshot(&self, key: &HealKey) -> Result<HealSnapshot, Error>;

    /// Keeps what an extraction learned, and its rows of history.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn commit(&self, key: &HealKey, learned: &[(String, Remembered)], rows: &[HealRow]) -> Result<(), Error>;

    /// The history, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn history(&self) -> Result<Vec<HealRow>, Error>;

    /// Forgets what is remembered of a schema on a site, as after a redesign that was looked through.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn forget(&self, key: &HealKey) -> Result<(), Error>;
}

/// Keeps everything in memory; it is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryHealStore {
    snapshots: DashMap<HealKey, HealSnapshot>,
    rows: Mutex<Vec<HealRow>>,
}

impl MemoryHealStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl HealStore for MemoryHealStore {
    fn snapshot(&self, key: &HealKey) -> Result<HealSnapshot, Error> {
        Ok(self.snapshots.get(key).map(|snapshot| snapshot.clone()).unwrap_or_default())
    }

    fn commit(&self, key: &HealKey, learned: &[(String, Remembered)], rows: &[HealRow]) -> Result<(), Error> {
        if !learned.is_empty() {
            let mut snapshot = self.snapshots.entry(key.clone()).or_default();
            for (field, remembered) in learned {
                snapshot.insert(field.clone(), remembered.clone());
            }
        }
        let mut kept = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(rows);
        let over = kept.len().saturating_sub(MAX_ROWS * 10);
        kept.drain(..over);
        Ok(())
    }

    fn history(&self) -> Result<Vec<HealRow>, Error> {
        Ok(self.rows.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn forget(&self, key: &HealKey) -> Result<(), Error> {
        self.snapshots.remove(key);
        Ok(())
    }
}

/// Keeps everything in a folder, by sled. Prints in use are held in memory; a commit that learned nothing writes nothing,
/// and one that did is on disk when it returns.
#[derive(Debug, Clone)]
pub struct SledHealStore(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    folder: PathBuf,
    prints: sled::Tree,
    rows: sled::Tree,
    database: sled::Db,
    cache: DashMap<HealKey, Arc<HealSnapshot>>,
}

/// sled locks its folder: within a process, one handle serves all.
static OPEN: LazyLock<Mutex<BTreeMap<PathBuf, Weak<Opened>>>> = LazyLock::new(Mutex::default);

impl SledHealStore {
    /// Opens a store, or makes one.
    ///
    /// # Errors
    /// `ErrorKind::Io` when another process holds it, when it cannot be read, or when it was written by another version.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref();
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display().to_string(), error))?;
        let folder = folder.canonicalize().map_err(|error| Error::io(folder.display().to_string(), error))?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = open.get(&folder).and_then(Weak::upgrade) {
            return Ok(Self(opened));
        }
        let failed = |error: sled::Error| broken(&folder, error);
        // Its default cache is a gigabyte.
        let database = sled::Config::new().path(&folder).cache_capacity(32 << 20).open().map_err(failed)?;
        match database.get("version").map_err(failed)? {
            None => {
                database.insert("version", &[VERSION]).map_err(failed)?;
                database.flush().map_err(failed)?;
            }
            Some(version) if version.as_ref() == [VERSION] => {}
            Some(version) => {
                let message = format!(
                    "the fingerprints were stored by another version (format {:?}, this one reads {VERSION}); move the folder away to start anew",
                    version.first()
                );
                return Err(Error::io(folder.display().to_string(), std::io::Error::other(message)));
            }
        }
        let prints = database.open_tree("prints").map_err(failed)?;
        let rows = database.open_tree("rows").map_err(failed)?;
        let opened = Arc::new(Opened { folder: folder.clone(), prints, rows, database, cache: DashMap::new() });
        open.insert(folder, Arc::downgrade(&opened));
        Ok(Self(opened))
    }

    fn prefix(key: &HealKey) -> String {
        // Control characters occur in no site, and in no name that a schema takes.
        format!("{}\u{1}{}\u{1}{}\u{1}", key.site, key.schema, key.version)
    }

    fn failed(&self, error: impl std::fmt::Display) -> Error {
        broken(&self.0.folder, error)
    }
}

fn broken(folder: &Path, error: impl std::fmt::Display) -> Error {
    let message = match error.to_string() {
        said if said.contains("lock") => {
            format!("another process holds it ({said}); close that one, or use another folder")
        }
        said => said,
    };
    Error::io(folder.display().to_string(), std::io::Error::other(message))
}

fn pack<T: Serialize>(value: &T) -> Result<Vec<u8>, postcard::Error> {
    let mut bytes = vec![VERSION];
    bytes.extend(postcard::to_stdvec(value)?);
    Ok(bytes)
}

fn unpack<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<T, String> {
    match bytes.split_first() {
        Some((&VERSION, rest)) => postcard::from_bytes(rest).map_err(|error| format!("an entry is damaged: {error}")),
        Some((version, _)) => Err(format!("an entry is of format {version}, and this version reads {VERSION}")),
        None => Err("an entry is empty".to_owned()),
    }
}

impl HealStore for SledHealStore {
    fn snapshot(&self, key: &HealKey) -> Result<HealSnapshot, Error> {
        if let Some(snapshot) = self.0.cache.get(key) {
            return Ok((**snapshot).clone());
        }
        let prefix = Self::prefix(key);
        let mut snapshot = HealSnapshot::default();
        for entry in self.0.prints.scan_prefix(&prefix) {
            let (name, bytes) = entry.map_err(|error| self.failed(error))?;
            let field = String::from_utf8_lossy(&name[prefix.len()..]).into_owned();
            snapshot.insert(field, unpack::<Remembered>(&bytes).map_err(|error| self.failed(error))?);
        }
        self.0.cache.insert(key.clone(), Arc::new(snapshot.clone()));
        Ok(snapshot)
    }

    fn commit(&self, key: &HealKey, learned: &[(String, Remembered)], rows: &[HealRow]) -> Result<(), Error> {
        if learned.is_empty() && rows.is_empty() {
            return Ok(());
        }
        let failed = |error: &dyn std::fmt::Display| self.failed(error);
        let prefix = Self::prefix(key);
        let mut batch = sled::Batch::default();
        for (field, remembered) in learned {
            batch.insert(format!("{prefix}{field}").as_bytes(), pack(remembered).map_err(|error| failed(&error))?);
        }
        self.0.prints.apply_batch(batch).map_err(|error| failed(&error))?;
        for row in rows {
            let id = self.0.database.generate_id().map_err(|error| failed(&error))?;
            self.0
                .rows
                .insert(id.to_be_bytes(), pack(row).map_err(|error| failed(&error))?)
                .map_err(|error| failed(&error))?;
        }
        while self.0.rows.len() > MAX_ROWS * 10 {
            self.0.rows.pop_min().map_err(|error| failed(&error))?;
        }
        self.0.database.flush().map_err(|error| failed(&error))?;
        if !learned.is_empty() {
            self.0.cache.remove(key);
        }
        Ok(())
    }

    fn history(&self) -> Result<Vec<HealRow>, Error> {
        let row = |entry: sled::Result<(sled::IVec, sled::IVec)>| {
            let (_, bytes) = entry.map_err(|error| self.failed(error))?;
            unpack(&bytes).map_err(|error| self.failed(error))
        };
        self.0.rows.iter().map(row).collect()
    }

    fn forget(&self, key: &HealKey) -> Result<(), Error> {
        for entry in self.0.prints.scan_prefix(Self::prefix(key)) {
            let (name, _) = entry.map_err(|error| self.failed(error))?;
            self.0.prints.remove(name).map_err(|error| self.failed(error))?;
        }
        self.0.database.flush().map_err(|error| self.failed(error))?;
        self.0.cache.remove(key);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Document;
    use crate::heal::{PageIndex, remember};

    fn key(schema: &str) -> HealKey {
        HealKey { site: "https://example.org".to_owned(), schema: schema.to_owned(), version: 1 }
    }

    fn remembered(html: &str) -> Remembered {
        let document = Document::parse(html);
        let index = PageIndex::new(&document);
        let found = document.css("b").expect("it parses");
        Remembered::new(remember(&index, &found).expect("there is one"), None, None)
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("crawlingo-heal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_was_committed_is_there_when_it_is_opened_again() {
        let folder = folder("again");
        let learned = vec![("price".to_owned(), remembered("<p>Price <b class=price>5</b>"))];
        let store = SledHealStore::open(&folder).expect("it opens");
        store.commit(&key("Book"), &learned, &[]).expect("it writes");
        drop(store);
        let store = SledHealStore::open(&folder).expect("it opens again");
        let snapshot = store.snapshot(&key("Book")).expect("it reads");
        assert_eq!(snapshot.get("price"), Some(&learned[0].1));
        assert!(store.snapshot(&key("Boo")).expect("it reads").is_empty(), "a name that begins alike is another");
        store.forget(&key("Book")).expect("it writes");
        assert!(store.snapshot(&key("Book")).expect("it reads").is_empty());
        drop(store);
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn another_version_is_refused_and_never_misread() {
        let folder = folder("version");
        let database = sled::open(&folder).expect("it opens");
        database.insert("version", &[9]).expect("it writes");
        drop(database);
        let error = SledHealStore::open(&folder).expect_err("it is of another version").to_string();
        assert!(error.contains("another version") && error.contains("start anew"), "{error}");

        let store_folder = self::folder("entry");
        let store = SledHealStore::open(&store_folder).expect("it opens");
        for bytes in [vec![], vec![9, 1, 2], vec![VERSION, 0xff, 0xff, 0xff]] {
            store.0.prints.insert(SledHealStore::prefix(&key("Book")) + "price", bytes).expect("it writes");
            let error = store.snapshot(&key("Book")).expect_err("it is damaged").to_string();
            assert!(error.contains("an entry is"), "{error}");
        }
        drop(store);
        let _ = (std::fs::remove_dir_all(&folder), std::fs::remove_dir_all(&store_folder));
    }

    #[test]
    fn a_folder_that_is_held_is_said_to_be() {
        let folder = folder("held");
        let held = sled::open(&folder).expect("it opens");
        let error = SledHealStore::open(&folder).expect_err("it is held").to_string();
        assert!(error.contains("another process holds it"), "{error}");
        drop(held);
        let first = SledHealStore::open(&folder).expect("it is free");
        let second = SledHealStore::open(&folder).expect("within a process one handle serves all");
        assert!(Arc::ptr_eq(&first.0, &second.0));
        drop((first, second));
        let _ = std::fs::remove_dir_all(&folder);
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = folder("writers");
        let stores: [Arc<dyn HealStore>; 2] =
            [Arc::new(MemoryHealStore::new()), Arc::new(SledHealStore::open(&folder).expect("it opens"))];
        for store in stores {
            std::thread::scope(|scope| {
                for writer in 0..8 {
                    let store = Arc::clone(&store);
                    scope.spawn(move || {
                        for field in 0..5 {
                            let learned = vec![(format!("{writer}.{field}"), remembered("<b>x</b>"))];
                            store.commit(&key("Book"), &learned, &[]).expect("it writes");
                            store.snapshot(&key("Book")).expect("it reads");
                        }
                    });
                }
            });
            assert_eq!(store.snapshot(&key("Book")).expect("it reads").len(), 40);
        }
        let _ = std::fs::remove_dir_all(&folder);
    }
}

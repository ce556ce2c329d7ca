//! The store on disk, by sled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use moka::sync::Cache;
use serde::{Deserialize, Serialize};

use super::proposal::{Proposal, ProposalState};
use super::snapshot::HealSnapshot;
use super::store::{Changed, HealCommit, HealKey, HealRow, HealStore, MAX_ROWS, Site};
use crate::Error;

/// The version of what is stored; another one is refused and never misread.
const VERSION: u8 = 1;
/// Of how many sites and schemas prints are held in memory.
const MAX_CACHED: u64 = 1_000;
/// Of how many prints are kept on disk; past it, those go that were not used for longest.
const MAX_SITES: usize = 50_000;

/// How often, and how long apart, a folder is tried that is held.
const HELD_TRIES: usize = 20;
const HELD_PAUSE: Duration = Duration::from_millis(50);

const PRINT: char = 'p';
const PROPOSAL: char = 'q';

/// Keeps everything in a folder, by sled. Prints in use are held in memory; a commit that learned nothing writes nothing,
/// and one that did is on disk, whole, when it returns.
#[derive(Debug, Clone)]
pub struct SledHealStore(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    folder: PathBuf,
    database: sled::Db,
    /// Prints and proposals, by key, sort and field.
    fields: sled::Tree,
    rows: sled::Tree,
    /// When each key was read last, in milliseconds since 1970.
    used: sled::Tree,
    row_count: AtomicUsize,
    site_count: AtomicUsize,
    max_sites: usize,
    cache: Cache<HealKey, Arc<(Site, HealSnapshot)>>,
    /// Held over each change, and over each reading from disk: what is cached is never older than what is stored.
    changing: Mutex<()>,
}

/// sled locks its folder: within a process, one handle serves all.
static OPEN: LazyLock<Mutex<BTreeMap<PathBuf, Weak<Opened>>>> = LazyLock::new(Mutex::default);

impl SledHealStore {
    /// Opens a store, or makes one.
    ///
    /// # Errors
    /// `ErrorKind::Io` when another process holds it, when it cannot be read, or when it was written by another version.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_bounded(folder.as_ref(), MAX_SITES)
    }

    fn open_bounded(folder: &Path, max_sites: usize) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(|error| Error::io(folder.display().to_string(), error))?;
        let folder = folder.canonicalize().map_err(|error| Error::io(folder.display().to_string(), error))?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = open.get(&folder).and_then(Weak::upgrade) {
            return Ok(Self(opened));
        }
        let failed = |error: sled::Error| broken(&folder, error);
        let database = open_database(&folder).map_err(failed)?;
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
        let tree = |name: &str| database.open_tree(name).map_err(failed);
        let (fields, rows, used) = (tree("fields")?, tree("rows")?, tree("used")?);
        let opened = Arc::new(Opened {
            folder: folder.clone(),
            row_count: AtomicUsize::new(rows.len()),
            site_count: AtomicUsize::new(used.len()),
            max_sites,
            database,
            fields,
            rows,
            used,
            cache: Cache::new(MAX_CACHED),
            changing: Mutex::new(()),
        });
        open.insert(folder, Arc::downgrade(&opened));
        Ok(Self(opened))
    }

    fn failed(&self, error: impl std::fmt::Display) -> Error {
        broken(&self.0.folder, error)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        // It guards no data of its own: after a panic what is stored is as whole as before.
        self.0.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept of a key, from disk if need be. Asks for the lock.
    fn site(&self, key: &HealKey, _changing: &MutexGuard<'_, ()>) -> Result<Arc<(Site, HealSnapshot)>, Error> {
        if let Some(site) = self.0.cache.get(key) {
            return Ok(site);
        }
        let mut site = Site::default();
        let prefix = prefix(key);
        for entry in self.0.fields.scan_prefix(&prefix) {
            let (name, bytes) = entry.map_err(|error| self.failed(error))?;
            let name = String::from_utf8_lossy(&name[prefix.len()..]).into_owned();
            if let Some(field) = name.strip_prefix(PRINT) {
                site.prints.insert(field.to_owned(), unpack(&bytes).map_err(|error| self.failed(error))?);
            } else if let Some(field) = name.strip_prefix(PROPOSAL) {
                site.proposals.insert(field.to_owned(), unpack(&bytes).map_err(|error| self.failed(error))?);
            }
        }
        if !site.prints.is_empty() {
            self.mark_used(&prefix)?;
        }
        let snapshot = site.snapshot();
        let site = Arc::new((site, snapshot));
        self.0.cache.insert(key.clone(), Arc::clone(&site));
        Ok(site)
    }

    /// Not flushed: a lost mark makes a print look older than it is, and no more.
    fn mark_used(&self, prefix: &str) -> Result<(), Error> {
        let now = jiff::Timestamp::now().as_millisecond().to_be_bytes();
        let before = self.0.used.insert(prefix, &now).map_err(|error| self.failed(error))?;
        if before.is_none() {
            self.0.site_count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn change<T>(
        &self,
        key: &HealKey,
        change: impl FnOnce(&mut Site) -> Result<(Changed, T), Error>,
    ) -> Result<T, Error> {
        let changing = self.changing();
        let mut site = self.site(key, &changing)?.0.clone();
        let (changed, out) = change(&mut site)?;
        let prefix = prefix(key);
        let mut batch = sled::Batch::default();
        let failed = |error: &dyn std::fmt::Display| self.failed(error);
        for field in changed.prints {
            let Some(print) = site.prints.get(&field) else { continue };
            let bytes = pack(print).map_err(|error| failed(&error))?;
            batch.insert(format!("{prefix}{PRINT}{field}").as_bytes(), bytes);
        }
        for field in changed.proposals {
            let Some(proposal) = site.proposals.get(&field) else { continue };
            let bytes = pack(proposal).map_err(|error| failed(&error))?;
            batch.insert(format!("{prefix}{PROPOSAL}{field}").as_bytes(), bytes);
        }
        self.0.fields.apply_batch(batch).map_err(|error| failed(&error))?;
        self.mark_used(&prefix)?;
        self.evict()?;
        self.0.database.flush().map_err(|error| failed(&error))?;
        let snapshot = site.snapshot();
        self.0.cache.insert(key.clone(), Arc::new((site, snapshot)));
        Ok(out)
    }

    /// Past the bound, a tenth of the keys goes: those that were not used for longest.
    fn evict(&self) -> Result<(), Error> {
        if self.0.site_count.load(Ordering::Relaxed) <= self.0.max_sites {
            return Ok(());
        }
        let failed = |error: sled::Error| self.failed(error);
        let mut by_use: Vec<_> = self.0.used.iter().collect::<Result<_, _>>().map_err(failed)?;
        by_use.sort_by(|a, b| a.1.cmp(&b.1));
        let keep = self.0.max_sites - self.0.max_sites / 10;
        for (prefix, _) in by_use.iter().take(by_use.len().saturating_sub(keep)) {
            for entry in self.0.fields.scan_prefix(prefix) {
                self.0.fields.remove(entry.map_err(failed)?.0).map_err(failed)?;
            }
            self.0.used.remove(prefix).map_err(failed)?;
        }
        self.0.site_count.store(self.0.used.len(), Ordering::Relaxed);
        self.0.cache.invalidate_all();
        Ok(())
    }
}

fn open_database(folder: &Path) -> sled::Result<sled::Db> {
    // Its default cache is a gigabyte.
    let config = sled::Config::new().path(folder).cache_capacity(32 << 20);
    let mut tries = 0;
    loop {
        match config.open() {
            // Its threads let go of the folder a moment after the last handle is gone.
            Err(error) if is_held(&error) && tries < HELD_TRIES => {
                tries += 1;
                std::thread::sleep(HELD_PAUSE);
            }
            opened => return opened,
        }
    }
}

fn is_held(error: &impl std::fmt::Display) -> bool {
    error.to_string().contains("lock")
}

fn prefix(key: &HealKey) -> String {
    // Control characters occur in no site, and in no name that a schema takes.
    format!("{}\u{1}{}\u{1}{}\u{1}", key.site, key.schema, key.version)
}

fn broken(folder: &Path, error: impl std::fmt::Display) -> Error {
    let message = match error.to_string() {
        said if is_held(&said) => {
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
        match self.0.cache.get(key) {
            Some(site) => Ok(site.1.clone()),
            None => Ok(self.site(key, &self.changing())?.1.clone()),
        }
    }

    fn commit(&self, key: &HealKey, commit: &HealCommit) -> Result<(), Error> {
        for row in &commit.rows {
            let id = self.0.database.generate_id().map_err(|error| self.failed(error))?;
            let bytes = pack(row).map_err(|error| self.failed(error))?;
            self.0.rows.insert(id.to_be_bytes(), bytes).map_err(|error| self.failed(error))?;
            if self.0.row_count.fetch_add(1, Ordering::Relaxed) >= MAX_ROWS {
                self.0.rows.pop_min().map_err(|error| self.failed(error))?;
                self.0.row_count.fetch_sub(1, Ordering::Relaxed);
            }
        }
        if !commit.learned.is_empty() || !commit.found.is_empty() {
            return self.change(key, |site| Ok((site.apply(key, commit), ())));
        }
        if !commit.rows.is_empty() {
            self.0.database.flush().map_err(|error| self.failed(error))?;
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

    fn list(&self) -> Result<Vec<Proposal>, Error> {
        let mut all: Vec<Proposal> = Vec::new();
        for entry in self.0.fields.iter() {
            let (name, bytes) = entry.map_err(|error| self.failed(error))?;
            let sort = name.rsplit(|&byte| byte == 1).next().and_then(|last| last.first());
            if sort == Some(&(PROPOSAL as u8)) {
                all.push(unpack(&bytes).map_err(|error| self.failed(error))?);
            }
        }
        all.sort_by(|a, b| (&a.key, &a.found.field).cmp(&(&b.key, &b.found.field)));
        Ok(all)
    }

    fn approve(&self, key: &HealKey, field: &str) -> Result<Proposal, Error> {
        self.decide(key, field, ProposalState::Approved)
    }

    fn reject(&self, key: &HealKey, field: &str) -> Result<Proposal, Error> {
        self.decide(key, field, ProposalState::Rejected)
    }

    fn forget(&self, key: &HealKey) -> Result<(), Error> {
        let _changing = self.changing();
        let prefix = prefix(key);
        for entry in self.0.fields.scan_prefix(&prefix) {
            let (name, _) = entry.map_err(|error| self.failed(error))?;
            self.0.fields.remove(name).map_err(|error| self.failed(error))?;
        }
        if self.0.used.remove(&prefix).map_err(|error| self.failed(error))?.is_some() {
            self.0.site_count.fetch_sub(1, Ordering::Relaxed);
        }
        self.0.database.flush().map_err(|error| self.failed(error))?;
        self.0.cache.invalidate(key);
        Ok(())
    }
}

impl SledHealStore {
    fn decide(&self, key: &HealKey, field: &str, state: ProposalState) -> Result<Proposal, Error> {
        self.change(key, |site| {
            let proposal = site.decide(key, field, state)?;
            let field = || vec![field.to_owned()];
            let prints = if state.is_in_use() { field() } else { Vec::new() };
            Ok((Changed { prints, proposals: field() }, proposal))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heal::store::tests::{key, learned};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("crawlingo-heal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_was_committed_is_there_when_it_is_opened_again() {
        let folder = folder("again");
        let commit = learned("price", "<p>Price <b class=price>5</b>");
        let store = SledHealStore::open(&folder).expect("it opens");
        let generation = store.snapshot(&key("Book")).expect("it reads").generation();
        store.commit(&key("Book"), &HealCommit { generation, ..commit.clone() }).expect("it writes");
        drop(store);
        let store = SledHealStore::open(&folder).expect("it opens again");
        let snapshot = store.snapshot(&key("Book")).expect("it reads");
        assert_eq!(snapshot.get("price"), Some(&commit.learned[0].1));
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
            store.0.fields.insert(prefix(&key("Book")) + "pprice", bytes).expect("it writes");
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
    fn past_the_bound_what_was_not_used_for_longest_goes() {
        let folder = folder("bound");
        let store = SledHealStore::open_bounded(&folder, 20).expect("it opens");
        let commit = |number: usize| {
            let key = key(&format!("Book{number}"));
            let generation = store.snapshot(&key).expect("it reads").generation();
            store.commit(&key, &HealCommit { generation, ..learned("price", "<b>5</b>") }).expect("it writes");
            // The marks are in milliseconds.
            std::thread::sleep(std::time::Duration::from_millis(2));
        };
        (0..20).for_each(commit);
        store.mark_used(&prefix(&key("Book0"))).expect("it writes");
        commit(20);
        let known = |number: usize| !store.snapshot(&key(&format!("Book{number}"))).expect("it reads").is_empty();
        assert!(known(0) && known(20) && known(19), "what was used last stays");
        assert!(!known(1) && !known(2), "what was used first is gone");
        assert_eq!((0..=20).filter(|&number| known(number)).count(), 18);
        drop(store);
        let _ = std::fs::remove_dir_all(&folder);
    }

    const KILLED: &str = "CRAWLINGO_TEST_HEAL_STORE";

    /// What the process does that is killed: it says what was committed, and never ends.
    fn write_until_killed(folder: &str) {
        let store = SledHealStore::open(folder).expect("it opens");
        for number in 0.. {
            let key = key(&format!("Book{}", number % 7));
            let generation = store.snapshot(&key).expect("it reads").generation();
            let commit = HealCommit { generation, ..learned(&format!("field{number}"), "<b class=price>5</b>") };
            store.commit(&key, &commit).expect("it writes");
            std::io::Write::write_all(&mut std::io::stderr(), format!("@{number}\n").as_bytes()).expect("it is read");
        }
    }

    #[test]
    fn what_was_committed_survives_a_kill() {
        use std::io::{BufRead, BufReader};
        if let Ok(folder) = std::env::var(KILLED) {
            return write_until_killed(&folder);
        }
        let folder = folder("killed");
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut child = std::process::Command::new(std::env::current_exe().expect("a path"))
            .args(["--exact", "heal::sled_store::tests::what_was_committed_survives_a_kill", "--nocapture"])
            .env(KILLED, &folder)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let numbers = lines.map_while(Result::ok).filter_map(|line| line.strip_prefix('@')?.parse::<usize>().ok());
        let last = numbers.take(60).last().expect("it writes");
        child.kill().expect("it is killed");
        child.wait().expect("it ends");
        assert_eq!(last, 59);
        let store = SledHealStore::open(&folder).expect("it opens again");
        for number in 0..=last {
            let snapshot = store.snapshot(&key(&format!("Book{}", number % 7))).expect("it reads");
            assert!(snapshot.get(&format!("field{number}")).is_some(), "commit {number} was said to be done");
        }
        drop(store);
        let _ = std::fs::remove_dir_all(&folder);
    }
}

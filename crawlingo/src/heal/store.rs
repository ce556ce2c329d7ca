//! Where prints, proposals and the history of heals are kept.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use dashmap::DashMap;
use serde::{Deserialize, Serialize};

use super::memory::Remembered;
use super::proposal::{Found, Proposal, ProposalState};
use super::snapshot::HealSnapshot;
use crate::Error;

/// How many rows of history are kept; the oldest go first.
pub(super) const MAX_ROWS: usize = 10_000;

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

/// What one extraction has to tell a store.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HealCommit {
    /// What is to be remembered, by field.
    pub learned: Vec<(String, Remembered)>,
    /// What was found in the place of what is no longer found.
    pub found: Vec<Found>,
    /// The rows of history.
    pub rows: Vec<HealRow>,
    /// The [`generation`](HealSnapshot::generation) of the snapshot that the extraction worked with.
    pub generation: u64,
}

impl HealCommit {
    /// Nothing yet, of an extraction that worked with a snapshot.
    pub fn new(snapshot: &HealSnapshot) -> Self {
        Self { generation: snapshot.generation(), ..Self::default() }
    }

    /// Whether there is nothing to tell.
    pub fn is_empty(&self) -> bool {
        self.learned.is_empty() && self.found.is_empty() && self.rows.is_empty()
    }
}

/// Keeps prints, proposals and history. Implementations are shared by all sessions and threads.
pub trait HealStore: Send + Sync + std::fmt::Debug {
    /// What is remembered of the fields of a schema on a site.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn snapshot(&self, key: &HealKey) -> Result<HealSnapshot, Error>;

    /// Keeps what an extraction learned and found, and its rows of history. What was learned against a snapshot that a
    /// decision has overtaken since is left out: the next page teaches it anew.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn commit(&self, key: &HealKey, commit: &HealCommit) -> Result<(), Error>;

    /// The history, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn history(&self) -> Result<Vec<HealRow>, Error>;

    /// The proposals of all sites and schemas, in the order of their keys.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&self) -> Result<Vec<Proposal>, Error>;

    /// Takes a proposal for right: its selector is used from then on when those of the schema find nothing, and its
    /// element is what is remembered.
    ///
    /// # Errors
    /// `ErrorKind::Config` when there is no proposal for the field, or it has no selector; or when the store fails.
    fn approve(&self, key: &HealKey, field: &str) -> Result<Proposal, Error>;

    /// Takes a proposal for wrong: it is not bound again.
    ///
    /// # Errors
    /// `ErrorKind::Config` when there is no proposal for the field; or when the store fails.
    fn reject(&self, key: &HealKey, field: &str) -> Result<Proposal, Error>;

    /// Forgets what is remembered of a schema on a site, as after a redesign that was looked through.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn forget(&self, key: &HealKey) -> Result<(), Error>;
}

/// All that is kept of a schema on a site.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) prints: BTreeMap<String, Remembered>,
    pub(super) proposals: BTreeMap<String, Proposal>,
    generation: u64,
}

/// The fields whose entries changed.
#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) prints: Vec<String>,
    pub(super) proposals: Vec<String>,
}

impl Default for Site {
    fn default() -> Self {
        Self { prints: BTreeMap::new(), proposals: BTreeMap::new(), generation: next_generation() }
    }
}

/// Never the same twice in a process.
fn next_generation() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Site {
    pub(super) fn snapshot(&self) -> HealSnapshot {
        let mut snapshot = HealSnapshot::of_generation(self.generation);
        for (field, print) in &self.prints {
            snapshot.insert(field.clone(), print.clone());
        }
        for proposal in self.proposals.values() {
            snapshot.insert_proposal(proposal);
        }
        snapshot
    }

    pub(super) fn apply(&mut self, key: &HealKey, commit: &HealCommit) -> Changed {
        let mut changed = Changed::default();
        if commit.generation == self.generation {
            for (field, print) in &commit.learned {
                self.prints.insert(field.clone(), print.clone());
                changed.prints.push(field.clone());
            }
        }
        let at = jiff::Timestamp::now().as_millisecond();
        for found in &commit.found {
            let before = self.prints.get(&found.field).and_then(|print| print.view.as_ref());
            let old = self.proposals.get(&found.field);
            let Some(next) = Proposal::next(old, key, found, before, at) else { continue };
            if next.state.is_in_use() {
                self.take_over(&next);
                changed.prints.push(found.field.clone());
            }
            self.proposals.insert(found.field.clone(), next);
            changed.proposals.push(found.field.clone());
        }
        changed
    }

    /// From now on the new element is what is remembered.
    fn take_over(&mut self, proposal: &Proposal) {
        self.prints.insert(proposal.found.field.clone(), proposal.found.print.clone());
        self.generation = next_generation();
    }

    pub(super) fn decide(&mut self, key: &HealKey, field: &str, state: ProposalState) -> Result<Proposal, Error> {
        let missing =
            || Error::config("heal", format!("there is no proposal for `{field}` of {} on {}", key.schema, key.site));
        let mut proposal = self.proposals.get(field).cloned().ok_or_else(missing)?;
        if state == ProposalState::Approved {
            if proposal.found.selector.is_none() {
                let message = format!(
                    "no selector was found for `{field}` that finds just the element; write one into the schema"
                );
                return Err(Error::config("heal", message));
            }
            self.take_over(&proposal);
        } else {
            proposal.rejected.push(proposal.found.rejectable());
            self.generation = next_generation();
        }
        proposal.state = state;
        self.proposals.insert(field.to_owned(), proposal.clone());
        Ok(proposal)
    }
}

/// Keeps everything in memory; it is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryHealStore {
    sites: DashMap<HealKey, (Site, HealSnapshot)>,
    rows: Mutex<Vec<HealRow>>,
}

impl MemoryHealStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn change<T>(&self, key: &HealKey, change: impl FnOnce(&mut Site) -> T) -> T {
        let mut entry = self.sites.entry(key.clone()).or_insert_with(|| {
            let site = Site::default();
            let snapshot = site.snapshot();
            (site, snapshot)
        });
        let out = change(&mut entry.0);
        entry.1 = entry.0.snapshot();
        out
    }
}

impl HealStore for MemoryHealStore {
    fn snapshot(&self, key: &HealKey) -> Result<HealSnapshot, Error> {
        match self.sites.get(key) {
            Some(site) => Ok(site.1.clone()),
            None => Ok(self.change(key, |site| site.snapshot())),
        }
    }

    fn commit(&self, key: &HealKey, commit: &HealCommit) -> Result<(), Error> {
        if !commit.learned.is_empty() || !commit.found.is_empty() {
            self.change(key, |site| site.apply(key, commit));
        }
        let mut kept = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&commit.rows);
        let over = kept.len().saturating_sub(MAX_ROWS);
        kept.drain(..over);
        Ok(())
    }

    fn history(&self) -> Result<Vec<HealRow>, Error> {
        Ok(self.rows.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn list(&self) -> Result<Vec<Proposal>, Error> {
        let of = |site: dashmap::mapref::multiple::RefMulti<'_, HealKey, (Site, HealSnapshot)>| {
            site.0.proposals.values().cloned().collect::<Vec<_>>()
        };
        let mut all: Vec<Proposal> = self.sites.iter().flat_map(of).collect();
        all.sort_by(|a, b| (&a.key, &a.found.field).cmp(&(&b.key, &b.found.field)));
        Ok(all)
    }

    fn approve(&self, key: &HealKey, field: &str) -> Result<Proposal, Error> {
        self.change(key, |site| site.decide(key, field, ProposalState::Approved))
    }

    fn reject(&self, key: &HealKey, field: &str) -> Result<Proposal, Error> {
        self.change(key, |site| site.decide(key, field, ProposalState::Rejected))
    }

    fn forget(&self, key: &HealKey) -> Result<(), Error> {
        self.sites.remove(key);
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dom::Document;
    use crate::heal::{PageIndex, SledHealStore, View, remember};

    pub(in crate::heal) fn key(schema: &str) -> HealKey {
        HealKey { site: "https://example.org".to_owned(), schema: schema.to_owned(), version: 1 }
    }

    fn remembered(html: &str) -> Remembered {
        let document = Document::parse(html);
        let index = PageIndex::new(&document);
        let found = document.css("b").expect("it parses");
        let view = View::of(found[0], None);
        Remembered::new(remember(&index, &found).expect("there is one"), None, None).with_view(view)
    }

    pub(in crate::heal) fn learned(field: &str, html: &str) -> HealCommit {
        HealCommit { learned: vec![(field.to_owned(), remembered(html))], ..HealCommit::default() }
    }

    fn found(selector: Option<&str>, page: &str, confidence: f32) -> Found {
        let document = Document::parse("<p>Price <b class=amount>5</b>");
        let mut after = View::of(document.css("b").expect("it parses")[0], None);
        after.url = Some(page.to_owned());
        Found {
            field: "price".to_owned(),
            selectors: vec!["css \"b.price\"".to_owned()],
            selector: selector.map(str::to_owned),
            bound: confidence >= 0.94,
            reason: None,
            confidence,
            count: 1,
            evidence: Vec::new(),
            rivals: Vec::new(),
            after,
            print: remembered("<p>Price <b class=amount>5</b>"),
        }
    }

    /// Runs a test over each store there is.
    fn every_store(name: &str, test: impl Fn(Arc<dyn HealStore>)) {
        test(Arc::new(MemoryHealStore::new()));
        let folder = std::env::temp_dir().join(format!("crawlingo-heal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        test(Arc::new(SledHealStore::open(&folder).expect("it opens")));
        let _ = std::fs::remove_dir_all(&folder);
    }

    fn tell(store: &dyn HealStore, commit: HealCommit) {
        let generation = store.snapshot(&key("Book")).expect("it reads").generation();
        store.commit(&key("Book"), &HealCommit { generation, ..commit }).expect("it writes");
    }

    fn tell_found(store: &dyn HealStore, found: Found) {
        tell(store, HealCommit { found: vec![found], ..HealCommit::default() });
    }

    fn proposal(store: &dyn HealStore) -> Proposal {
        let mut all = store.list().expect("it reads");
        assert_eq!(all.len(), 1, "one for each field");
        all.remove(0)
    }

    #[test]
    fn many_writers_lose_nothing() {
        every_store("writers", |store| {
            std::thread::scope(|scope| {
                for writer in 0..8 {
                    let store = Arc::clone(&store);
                    scope.spawn(move || {
                        for field in 0..5 {
                            tell(&*store, learned(&format!("{writer}.{field}"), "<b>x</b>"));
                        }
                    });
                }
            });
            assert_eq!(store.snapshot(&key("Book")).expect("it reads").len(), 40);
        });
    }

    #[test]
    fn what_is_approved_is_used_and_remembered() {
        every_store("approve", |store| {
            tell(&*store, learned("price", "<p>Price <b class=price>5</b>"));
            tell_found(&*store, found(Some("b.amount"), "https://example.org/1", 0.97));
            let pending = proposal(&*store);
            assert_eq!(pending.state, ProposalState::Pending);
            assert_eq!(pending.before.expect("it was seen").parts().1, "<b class=\"price\">5</b>");
            let before = store.snapshot(&key("Book")).expect("it reads");
            assert!(before.proposed("price").is_some_and(|proposed| !proposed.state.is_in_use()), "nobody said yes");

            assert_eq!(store.approve(&key("Book"), "price").expect("it is there").state, ProposalState::Approved);
            let after = store.snapshot(&key("Book")).expect("it reads");
            assert!(after.proposed("price").is_some_and(|proposed| proposed.state.is_in_use()));
            assert_eq!(
                after.get("price").and_then(|print| print.view.as_ref()).map(|view| view.parts().1),
                Some("<b class=\"amount\">5</b>"),
                "the new element is what is remembered"
            );

            // An extraction that began before the decision learns nothing over it.
            let late = HealCommit { generation: before.generation(), ..learned("price", "<b class=price>5</b>") };
            store.commit(&key("Book"), &late).expect("it writes");
            assert_eq!(store.snapshot(&key("Book")).expect("it reads").get("price"), after.get("price"));

            let error = store.approve(&key("Book"), "title").expect_err("there is none").to_string();
            assert!(error.contains("no proposal for `title`"), "{error}");
        });
    }

    #[test]
    fn what_is_rejected_stays_rejected() {
        every_store("reject", |store| {
            tell_found(&*store, found(Some("b.amount"), "https://example.org/1", 0.97));
            store.reject(&key("Book"), "price").expect("it is there");
            for _ in 0..5 {
                tell_found(&*store, found(Some("b.amount"), "https://example.org/2", 0.99));
            }
            assert_eq!(proposal(&*store).state, ProposalState::Rejected);
            tell_found(&*store, found(Some("i.other"), "https://example.org/2", 0.99));
            let other = proposal(&*store);
            assert_eq!((other.state, other.rejected), (ProposalState::Pending, vec!["b.amount".to_owned()]));
            let error = {
                tell_found(&*store, found(None, "https://example.org/3", 0.99));
                store.approve(&key("Book"), "price").expect_err("it has no selector").to_string()
            };
            assert!(error.contains("write one into the schema"), "{error}");
        });
    }

    #[test]
    fn three_other_pages_confirm_and_fewer_or_less_sure_ones_do_not() {
        every_store("confirm", |store| {
            tell(&*store, learned("price", "<p>Price <b class=price>5</b>"));
            let seen = |page: usize, confidence: f32| {
                tell_found(&*store, found(Some("b.amount"), &format!("https://example.org/{page}"), confidence));
                proposal(&*store).state
            };
            assert_eq!(seen(1, 0.95), ProposalState::Pending);
            for _ in 0..5 {
                assert_eq!(seen(1, 0.96), ProposalState::Pending, "the same page says nothing new");
            }
            assert_eq!(seen(2, 0.95), ProposalState::Pending);
            for page in 10..20 {
                assert_eq!(seen(page, 0.80), ProposalState::Pending, "not sure enough");
            }
            assert_eq!(seen(3, 0.94), ProposalState::Pending);
            assert_eq!(seen(4, 0.95), ProposalState::Confirmed);
            let snapshot = store.snapshot(&key("Book")).expect("it reads");
            assert!(snapshot.proposed("price").is_some_and(|proposed| proposed.selector.is_some()));
        });
    }
}

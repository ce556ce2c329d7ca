//! The immutable view of what is remembered that an extraction works with.

use std::collections::BTreeMap;
use std::sync::Arc;

use crawlingo_schema::HealMode;
use crawlingo_schema::css::{self, CssSelector};

use super::memory::{DEFAULT_THRESHOLD, Remembered};
use super::model::Model;
use super::proposal::{Proposal, ProposalState};

/// What is remembered of the fields of one schema on one site. An extraction reads it and never writes: what it learned
/// it gives back.
///
/// ```
/// use crawlingo::dataset::{Extractor, Source};
/// use crawlingo::dom::Document;
/// use crawlingo::heal::HealSnapshot;
/// use crawlingo::schema::{Field, HealMode, Kind, Schema, Selector};
///
/// let price = Field::new("price", Kind::price(), Selector::css("span.price")).heal(HealMode::Bind);
/// let extractor = Extractor::new(&Schema::builder("Book").field(price).build()?)?;
///
/// let before = Document::parse("<h1>Ulysses</h1><p>Price: <span class=price id=amount>12.50 €</span> incl. VAT");
/// let seen = extractor.extract_with(&Source::document(&before, None), &HealSnapshot::default());
/// let mut snapshot = HealSnapshot::default();
/// for (field, remembered) in seen.learned {
///     snapshot.insert(field, remembered);
/// }
/// // The class is gone, and another element has come in between.
/// let after = Document::parse("<h1>Ulysses</h1><div>Price: <b><span id=amount>12.50 €</span></b> incl. VAT</div>");
/// let healed = extractor.extract_with(&Source::document(&after, None), &snapshot);
/// println!("{:?}", healed.report.field("price"));
/// # Ok::<(), crawlingo::Error>(())
/// ```
///
/// Cheap to clone: clones share what is remembered.
#[derive(Debug, Clone)]
pub struct HealSnapshot {
    known: Arc<Known>,
    generation: u64,
    threshold: f32,
    everywhere: HealMode,
    model: Option<Arc<Model>>,
}

#[derive(Debug, Clone, Default)]
struct Known {
    fields: BTreeMap<String, Remembered>,
    proposals: BTreeMap<String, Proposed>,
}

/// What was proposed for a field, and what became of it.
#[derive(Debug, Clone)]
pub(crate) struct Proposed {
    /// The selector as it is written.
    pub(crate) text: Option<String>,
    /// Whether it is to be used, and by whose word.
    pub(crate) state: ProposalState,
    /// Compiled, if it is in use, or was bound and nobody has decided yet.
    pub(crate) selector: Option<CssSelector>,
    /// How surely it was right where it was found.
    pub(crate) confidence: f32,
    /// The page where that was.
    pub(crate) page: Option<String>,
    rejected: Vec<String>,
}

impl Proposed {
    pub(crate) fn is_rejected(&self, selector: Option<&str>) -> bool {
        self.rejected.iter().any(|rejected| rejected == selector.unwrap_or_default())
    }
}

impl Default for HealSnapshot {
    fn default() -> Self {
        Self {
            known: Arc::default(),
            generation: 0,
            threshold: DEFAULT_THRESHOLD,
            everywhere: HealMode::Off,
            model: None,
        }
    }
}

impl HealSnapshot {
    pub(super) fn of_generation(generation: u64) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Which state of a store it is of: a decision of a person, or a confirmation, begins a new one.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Sets the probability of being right from which on a heal is bound, from 0.5 to 1. It is no similarity: 0.94 says
    /// that 94 of 100 such binds are right on sites that the model has never seen.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f32) -> Self {
        self.threshold = threshold.clamp(0.5, 1.0);
        self
    }

    /// The threshold.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Sets how fields heal that can heal, of schemas that say nothing of healing.
    #[must_use]
    pub fn with_auto_match(mut self, mode: HealMode) -> Self {
        self.everywhere = mode;
        self
    }

    pub(crate) fn auto_match(&self) -> HealMode {
        self.everywhere
    }

    /// Sets the model that ranks and decides. With one that is not calibrated nothing is bound, only suggested.
    #[must_use]
    pub fn with_model(mut self, model: Arc<Model>) -> Self {
        self.model = Some(model);
        self
    }

    pub(crate) fn model(&self) -> &Model {
        self.model.as_deref().unwrap_or_else(|| Model::standard())
    }

    /// Puts in what is remembered of a field, by its path.
    pub fn insert(&mut self, field: impl Into<String>, remembered: Remembered) {
        Arc::make_mut(&mut self.known).fields.insert(field.into(), remembered);
    }

    /// Puts in what was proposed for a field. A selector that is in use is tried when those of the schema find nothing.
    pub fn insert_proposal(&mut self, proposal: &Proposal) {
        let text = proposal.found.selector.clone();
        let bound = proposal.state == ProposalState::Pending && proposal.found.bound;
        let in_use = text.as_deref().filter(|_| proposal.state.is_in_use() || bound);
        let proposed = Proposed {
            // It was made by this library, which reads what it writes; what is damaged is not used.
            selector: in_use.and_then(|text| css::parse(text).ok()),
            text,
            state: proposal.state,
            confidence: proposal.found.confidence,
            page: proposal.found.after.url.clone(),
            rejected: proposal.rejected.clone(),
        };
        Arc::make_mut(&mut self.known).proposals.insert(proposal.found.field.clone(), proposed);
    }

    /// What is remembered of a field.
    pub fn get(&self, field: &str) -> Option<&Remembered> {
        self.known.fields.get(field)
    }

    pub(crate) fn proposed(&self, field: &str) -> Option<&Proposed> {
        self.known.proposals.get(field)
    }

    /// The pages that what is remembered was taken from, the one of most fields first.
    pub fn pages(&self) -> Vec<&str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for url in self.known.fields.values().flat_map(Remembered::urls) {
            *counts.entry(url).or_default() += 1;
        }
        let mut pages: Vec<(&str, usize)> = counts.into_iter().collect();
        pages.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        pages.into_iter().map(|(url, _)| url).collect()
    }

    /// The number of fields that something is remembered of.
    pub fn len(&self) -> usize {
        self.known.fields.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.known.fields.is_empty()
    }
}

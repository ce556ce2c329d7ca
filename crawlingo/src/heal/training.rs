//! What the training program in `benches/heal` needs of the inside; no part of the public interface.

use super::decide::{Lineup, NAMES as DECISION};
use super::features::NAMES;
use super::fingerprint::Fingerprint;
use super::index::PageIndex;
use super::lists::{self, ListPrint};
use super::model::as_likeness;
pub use super::model::{Decider, FeatureWeight, Model, Ranker, TreeNode, curve};
use crate::dom::{Document, Element, NodeId};

/// A page, indexed.
pub struct Page<'a>(PageIndex<'a>);

/// The candidates for one stored element on one page, and which of them are right.
pub struct Lined {
    lineup: Lineup,
    right: Vec<u32>,
}

impl<'a> Page<'a> {
    /// Indexes a page.
    pub fn new(document: &'a Document) -> Self {
        Self(PageIndex::new(document))
    }

    /// Remembers an element.
    pub fn fingerprint(&self, element: Element<'_>) -> Option<Fingerprint> {
        Fingerprint::take(&self.0, element)
    }

    /// Remembers a list.
    pub fn list(&self, elements: &[Element<'_>]) -> Option<ListPrint> {
        ListPrint::take(&self.0, elements)
    }

    /// Whether two elements are nested and have the same words.
    pub fn same_thing(&self, a: NodeId, b: NodeId) -> bool {
        match (self.0.entry_at(a), self.0.entry_at(b)) {
            (Some(a), Some(b)) => self.0.same_thing(a, b),
            _ => false,
        }
    }

    /// The hash of the words of each element, in document order; 0 for none.
    pub fn texts(&self) -> Vec<(NodeId, u64)> {
        let of = |entry: &super::index::Entry| (NodeId::from_u32(entry.node), self.0.hash_of(&entry.words));
        self.0.entries().iter().map(of).collect()
    }

    /// Compares the best candidates.
    pub fn line_up(&self, fingerprint: &Fingerprint, truth: Option<NodeId>) -> Lined {
        let lineup = Lineup::new(&self.0, fingerprint);
        let truth = truth.and_then(|truth| self.0.entry_at(truth));
        let is_right = |entry: u32| truth.is_some_and(|truth| self.0.same_thing(truth, entry));
        let right =
            lineup.candidates.iter().map(|candidate| candidate.entry).filter(|&entry| is_right(entry)).collect();
        Lined { lineup, right }
    }

    /// The sets that a list may have become, with the numbers that they are judged by.
    pub fn sets(&self, list: &ListPrint, ranker: &Ranker) -> Vec<(Vec<NodeId>, Vec<f32>)> {
        let nodes = |entries: Vec<u32>| {
            entries.into_iter().map(|entry| NodeId::from_u32(self.0.entry(entry).node)).collect::<Vec<_>>()
        };
        lists::sets(&self.0, list, ranker).into_iter().map(|set| (nodes(set.entries), set.numbers)).collect()
    }
}

impl Lined {
    /// For each candidate what the ranker weighs, and whether it is right.
    pub fn rows(&self) -> Vec<(Vec<f32>, bool)> {
        let row =
            |candidate: &super::decide::Compared| (weighed(&candidate.features), self.right.contains(&candidate.entry));
        self.lineup.candidates.iter().map(row).collect()
    }

    /// The numbers of the decision and whether the first candidate is right.
    pub fn decision(&self, ranker: &Ranker) -> Option<(Vec<f32>, bool)> {
        let ranked = self.lineup.clone().rank(ranker);
        let right = self.right.contains(&ranked.things.first()?.entry);
        Some((ranked.numbers(ranker)?, right))
    }
}

/// Three numbers for each feature: its likeness, whether neither has it, whether both are the same.
fn weighed(features: &[f32]) -> Vec<f32> {
    let flag = |yes: bool| f32::from(u8::from(yes));
    features.iter().flat_map(|&value| [as_likeness(value), flag(value == -1.0), flag(value >= 1.0)]).collect()
}

/// A ranker of weights in the order of [`Lined::rows`].
pub fn ranker(weights: &[f32]) -> Ranker {
    let mut out = [FeatureWeight::default(); NAMES.len()];
    for (weight, given) in out.iter_mut().zip(weights.chunks(3)) {
        *weight = FeatureWeight { alike: given[0], neither: given[1], same: given[2] };
    }
    Ranker::new(out)
}

/// The names of the features.
pub fn feature_names() -> Vec<&'static str> {
    NAMES.iter().map(|(name, _)| *name).collect()
}

/// The names of the numbers of a decision, and of those about lists.
pub fn decision_names() -> (Vec<String>, Vec<String>) {
    (DECISION.clone(), lists::NAMES.clone())
}

/// The page as HTML without one of its nodes.
pub fn html_without(document: &Document, id: NodeId) -> String {
    document.html_without(id)
}

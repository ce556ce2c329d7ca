//! Finds a stored element again, and says how surely.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::candidates::{KEEP, Probe, gap_closed};
use super::features::{Features, NAMES as FEATURES, compare};
use super::fingerprint::{Fingerprint, page_sketch};
use super::index::PageIndex;
use super::model::{Model, Ranker, as_likeness};
use super::print::ElementPrint;
use super::similarity::sketched;

/// The features whose lead over the runner-up, and over the nearest rival, is looked at one by one.
const KEYS: &[&str] = &[
    "text_alike",
    "words",
    "length",
    "id",
    "class_parts",
    "href_alike",
    "attr_values",
    "path_marks",
    "steps_either",
    "inner",
    "label",
    "follower",
    "before_bag",
    "after_bag",
    "around_near",
    "around_far",
    "heading",
    "prev_words",
    "next_words",
    "place",
];

/// What the decision looks at besides the features of the best candidate.
const OWN: &[&str] = &[
    "score",
    "lead",
    "lead_on_third",
    "share",
    "entropy",
    "rival_gap",
    "rivals_ahead",
    "rival_elsewhere",
    "rival_wins",
    "below_rivals",
    "below_best_rival",
    "page_alike",
    "gap_closed",
    "rivals",
    "page_size",
];

/// The names of the numbers that the decision is made by.
pub(super) static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let own = OWN.iter().map(|&name| name.to_owned());
    let features = FEATURES.iter().map(|(name, _)| format!("best.{name}"));
    let leads = KEYS.iter().map(|name| format!("lead.{name}"));
    let rivals = KEYS.iter().map(|name| format!("rival.{name}"));
    let counts = ["same", "different", "neither"].map(str::to_owned);
    own.chain(features).chain(leads).chain(rivals).chain(counts).collect()
});

static KEY_AT: LazyLock<Vec<usize>> = LazyLock::new(|| {
    let at = |key: &&str| FEATURES.iter().position(|(name, _)| name == key);
    KEYS.iter().filter_map(at).collect()
});

/// A candidate that was compared in full.
#[derive(Debug, Clone)]
pub(super) struct Compared {
    pub(super) entry: u32,
    /// The number of the thing that it is: nested elements with the same words are one.
    thing: usize,
    pub(super) features: Features,
    /// How alike each rival is to it.
    pub(super) rivals: Vec<Features>,
    pub(super) score: f32,
}

/// The candidates of a page and what is known of the page as a whole.
#[derive(Clone)]
pub(super) struct Lineup {
    pub(super) candidates: Vec<Compared>,
    page_alike: f32,
    gap_closed: f32,
    page_size: usize,
}

/// What came of looking for an element.
pub(super) struct Relocation {
    /// One for each thing on the page, the best first; nested elements with the same words are one thing.
    pub(super) ranked: Vec<Compared>,
    /// The probability that the first is right.
    pub(super) confidence: f32,
}

impl Lineup {
    /// Compares the best candidates of a page with the fingerprint.
    pub(super) fn new(index: &PageIndex<'_>, fingerprint: &Fingerprint) -> Self {
        let target = &fingerprint.target;
        let mut candidates: Vec<Compared> = Vec::with_capacity(KEEP);
        for candidate in Probe::new(target).best(index, KEEP) {
            let entry = candidate.entry;
            let Some(print) = ElementPrint::new(index, entry) else { continue };
            let known = candidates.iter().find(|known| index.same_thing(known.entry, entry)).map(|known| known.thing);
            candidates.push(Compared {
                entry,
                thing: known.unwrap_or(candidates.len()),
                features: compare(target, &print),
                rivals: fingerprint.rivals.iter().map(|rival| compare(rival, &print)).collect(),
                score: 0.0,
            });
        }
        Self {
            candidates,
            page_alike: sketched(&fingerprint.page, &page_sketch(index)),
            gap_closed: gap_closed(index, target),
            page_size: index.document().len(),
        }
    }

    /// Ranks the candidates; of nested elements with the same words the best one stands for all.
    pub(super) fn rank(mut self, ranker: &Ranker) -> Ranked {
        for candidate in &mut self.candidates {
            candidate.score = ranker.score(&candidate.features);
        }
        self.candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.entry.cmp(&b.entry)));
        let mut seen = HashSet::new();
        self.candidates.retain(|candidate| seen.insert(candidate.thing));
        Ranked { things: std::mem::take(&mut self.candidates), lineup: self }
    }
}

/// Candidates in their order.
pub(super) struct Ranked {
    pub(super) things: Vec<Compared>,
    lineup: Lineup,
}

impl Ranked {
    /// The numbers that the decision is made by; `None` where there is no candidate at all.
    pub(super) fn numbers(&self, ranker: &Ranker) -> Option<Vec<f32>> {
        let first = self.things.first()?;
        let score = |at: usize| self.things.get(at).map(|thing| thing.score);
        let second = score(1).unwrap_or(first.score - 10.0);
        let third = score(2).unwrap_or(second);
        let powers: Vec<f32> = self.things.iter().map(|thing| (thing.score - first.score).exp()).collect();
        let sum: f32 = powers.iter().sum();
        let entropy: f32 = powers.iter().map(|power| power / sum).map(|share| -share * (share + 1e-9).ln()).sum();
        let mut numbers = Vec::with_capacity(NAMES.len());
        numbers.extend([first.score, first.score - second, first.score - third, 1.0 / sum, entropy]);

        let rivals = first.rivals.len();
        let mut nearest = None;
        if rivals == 0 {
            numbers.extend([15.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        } else {
            let of = |thing: &Compared| thing.rivals.iter().map(|rival| ranker.score(rival)).collect::<Vec<_>>();
            let here = of(first);
            let mut best = here.clone();
            for thing in &self.things[1..] {
                for (best, score) in best.iter_mut().zip(of(thing)) {
                    *best = best.max(score);
                }
            }
            let at = (0..rivals).max_by(|&a, &b| here[a].total_cmp(&here[b])).unwrap_or(0);
            nearest = Some(&first.rivals[at]);
            let wins = here.iter().zip(&best).filter(|(here, best)| here >= best).count();
            let ahead = here.iter().filter(|&&score| score > first.score).count();
            let mean = best.iter().sum::<f32>() / rivals as f32;
            let most = best.iter().copied().fold(f32::MIN, f32::max);
            numbers.extend([
                first.score - here[at],
                ahead as f32,
                best[at] - here[at],
                wins as f32,
                first.score - mean,
                first.score - most,
            ]);
        }
        let lineup = &self.lineup;
        numbers.extend([lineup.page_alike, lineup.gap_closed, rivals as f32, (lineup.page_size as f32).ln()]);
        numbers.extend(first.features);
        let lead = |other: Option<&Features>| {
            let other = other.copied();
            let first = first.features;
            KEY_AT.iter().map(move |&at| match other {
                Some(other) => as_likeness(first[at]) - as_likeness(other[at]),
                None => 1.0,
            })
        };
        numbers.extend(lead(self.things.get(1).map(|thing| &thing.features)));
        numbers.extend(lead(nearest));
        let count = |test: fn(f32) -> bool| first.features.iter().filter(|&&value| test(value)).count() as f32;
        numbers.extend([count(|value| value >= 1.0), count(|value| value == 0.0), count(|value| value == -1.0)]);
        debug_assert_eq!(numbers.len(), NAMES.len());
        Some(numbers)
    }
}

/// Looks for the element of a fingerprint on a page.
pub(super) fn relocate(index: &PageIndex<'_>, fingerprint: &Fingerprint, model: &Model) -> Relocation {
    let ranked = Lineup::new(index, fingerprint).rank(&model.ranker);
    let confidence = ranked.numbers(&model.ranker).map_or(0.0, |numbers| model.decider.probability(&numbers));
    Relocation { ranked: ranked.things, confidence }
}

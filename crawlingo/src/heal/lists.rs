//! Lists: a selector that matched several elements heals as a set, or not at all.
//!
//! Elements of a list stand in the same way below what holds them. Sets are made from each likely element by that: those
//! that look the same, those with the same way from an element around, and so on; each set is judged as a whole, by how
//! well the remembered elements fit into it and how many it has.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::candidates::Probe;
use super::features::{Features, NAMES as FEATURES, compare};
use super::fingerprint::page_sketch;
use super::index::PageIndex;
use super::model::{Model, Ranker, as_likeness};
use super::print::{ElementPrint, look, parent};
use super::similarity::sketched;
use crate::dom::Element;

/// How many elements of a list are remembered.
const EXEMPLARS: usize = 6;
/// From how many likely elements sets are made, for each exemplar.
const SEEDS: usize = 6;
/// The largest list.
const MAX_MEMBERS: usize = 20_000;
/// How many members of a set are compared.
const SAMPLE: usize = 10;
/// How many sets are judged.
const MAX_SETS: usize = 120;

/// The features whose mean over the exemplars is looked at.
const KEYS: &[&str] = &[
    "tag",
    "text_alike",
    "words",
    "length",
    "class_same",
    "class_parts",
    "attr_values",
    "path_tags",
    "path_marks",
    "path_ids",
    "parent_tag",
    "parent_class",
    "children",
    "inner_count",
    "inner",
    "around_far",
    "heading",
    "depth",
    "place",
    "steps_marked",
];

/// The names of the numbers that a set is judged by.
pub(super) static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let own = [
        "size_ratio",
        "size_log_ratio",
        "old_size",
        "new_size",
        "fit_mean",
        "fit_min",
        "members_mean",
        "members_min",
        "left_out",
        "outsiders",
        "distinct",
        "same_look",
        "same_parent_look",
        "same_way",
        "one_holder",
        "holders_alike",
        "page_alike",
        "seeds",
        "in_order",
        "words_lead",
        "score_lead",
    ];
    own.iter().map(|&name| name.to_owned()).chain(KEYS.iter().map(|name| format!("mean.{name}"))).collect()
});

static KEY_AT: LazyLock<Vec<usize>> =
    LazyLock::new(|| KEYS.iter().filter_map(|key| FEATURES.iter().position(|(name, _)| name == key)).collect());

static WORDS_AT: LazyLock<usize> =
    LazyLock::new(|| FEATURES.iter().position(|(name, _)| *name == "words").unwrap_or_default());

/// What is stored of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListPrint {
    /// Some of the elements, the first and the last among them.
    pub exemplars: Vec<ElementPrint>,
    /// How many there were.
    pub count: u32,
    /// Whether all had the same parent.
    pub one_holder: bool,
    /// A sketch of the looks of the page.
    pub page: Vec<u32>,
}

impl ListPrint {
    /// Remembers the elements of a list. `None` for fewer than two.
    pub(crate) fn take(index: &PageIndex<'_>, elements: &[Element<'_>]) -> Option<Self> {
        let entries: Vec<u32> = elements.iter().filter_map(|element| index.entry_at(element.id())).collect();
        if entries.len() < 2 {
            return None;
        }
        let last = entries.len() - 1;
        let mut places: Vec<usize> = (0..EXEMPLARS).map(|at| at * last / (EXEMPLARS - 1)).collect();
        places.dedup();
        let exemplars = places.into_iter().filter_map(|place| ElementPrint::new(index, entries[place])).collect();
        let holder = |entry: u32| parent(index.entry(entry));
        Some(Self {
            exemplars,
            count: entries.len() as u32,
            one_holder: entries.iter().all(|&entry| holder(entry) == holder(entries[0])),
            page: page_sketch(index),
        })
    }

    /// Forgets the texts.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        self.exemplars = self.exemplars.into_iter().map(ElementPrint::without_text).collect();
        self
    }

    /// Forgets the addresses.
    #[must_use]
    pub fn without_addresses(mut self) -> Self {
        self.exemplars = self.exemplars.into_iter().map(ElementPrint::without_addresses).collect();
        self
    }
}

/// A set of elements and how it was judged.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) entries: Vec<u32>,
    pub(super) numbers: Vec<f32>,
}

/// What elements of a list have in common, as a key.
#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Way(u8, Vec<u32>, u32);

/// The ways in which an element may belong with others: the kind of key, the tags (and looks) upward, and the element
/// around inside of which they are counted, or all of the page.
fn ways(index: &PageIndex<'_>, at: u32) -> Vec<Way> {
    let entry = index.entry(at);
    let own = [entry.tag, look(index, entry)];
    let mut ways = vec![Way(0, own.to_vec(), u32::MAX)];
    let (mut tags, mut looks) = (vec![entry.tag], own.to_vec());
    let mut around = parent(entry);
    for level in 1..=5 {
        let Some(holder) = around else { break };
        // Inside of this element, by the way of tags from it; and the same with looks.
        ways.push(Way(1, tags.clone(), holder));
        ways.push(Way(2, looks.clone(), holder));
        let outer = index.entry(holder);
        tags.push(outer.tag);
        looks.extend([outer.tag, look(index, outer)]);
        if level <= 3 {
            ways.push(Way(1, tags.clone(), u32::MAX));
            ways.push(Way(2, looks.clone(), u32::MAX));
            let mut mixed = vec![entry.tag];
            mixed.extend([outer.tag, look(index, outer)]);
            ways.push(Way(3 + level, mixed, u32::MAX));
        }
        around = parent(outer);
    }
    ways
}

/// Whether an element is of the set.
fn belongs(index: &PageIndex<'_>, at: u32, way: &Way) -> bool {
    let Way(kind, key, holder) = way;
    let entry = index.entry(at);
    match kind {
        0 => key[..] == [entry.tag, look(index, entry)],
        1 | 2 => {
            let mut here = Some(at);
            let step = if *kind == 1 { 1 } else { 2 };
            for wanted in key.chunks(step) {
                let Some(now) = here else { return false };
                let entry = index.entry(now);
                if wanted[0] != entry.tag || (step == 2 && wanted[1] != look(index, entry)) {
                    return false;
                }
                here = parent(entry);
            }
            *holder == u32::MAX || here == Some(*holder)
        }
        level => {
            let mut here = at;
            for _ in 0..level - 3 {
                let Some(around) = parent(index.entry(here)) else { return false };
                here = around;
            }
            let outer = index.entry(here);
            key[..] == [entry.tag, outer.tag, look(index, outer)]
        }
    }
}

/// How an element fits each of the exemplars: the scores, and the features behind them.
type Fit = (Vec<f32>, Vec<Features>);

/// The sets that the list may have become, judged by numbers.
pub(super) fn sets(index: &PageIndex<'_>, list: &ListPrint, ranker: &Ranker) -> Vec<Judged> {
    let mut prints: HashMap<u32, Option<Fit>> = HashMap::new();
    let mut fit = |entry: u32| {
        prints
            .entry(entry)
            .or_insert_with(|| {
                let print = ElementPrint::new(index, entry)?;
                let features: Vec<_> = list.exemplars.iter().map(|old| compare(old, &print)).collect();
                Some((features.iter().map(|features| ranker.score(features)).collect(), features))
            })
            .clone()
    };
    // The likely elements, by how well they fit one of the exemplars.
    let mut likely: BTreeMap<u32, f32> = BTreeMap::new();
    let mut seeds: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, exemplar) in list.exemplars.iter().enumerate() {
        let mut best: Vec<(f32, u32)> = Vec::new();
        for candidate in Probe::new(exemplar).best(index, 24) {
            let Some((scores, _)) = fit(candidate.entry) else { continue };
            let most = scores.iter().copied().fold(f32::MIN, f32::max);
            likely.entry(candidate.entry).and_modify(|score| *score = score.max(most)).or_insert(most);
            best.push((scores[number], candidate.entry));
        }
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, entry) in best.into_iter().take(SEEDS) {
            *seeds.entry(entry).or_default() += 1;
        }
    }
    let mut ways_of: BTreeMap<Way, usize> = BTreeMap::new();
    for (&seed, &count) in &seeds {
        for way in ways(index, seed) {
            *ways_of.entry(way).or_default() += count;
        }
    }
    let mut by_votes: Vec<_> = ways_of.into_iter().collect();
    by_votes.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    by_votes.truncate(MAX_SETS * 2);
    let mut ordered: Vec<(f32, u32)> = likely.iter().map(|(&entry, &score)| (score, entry)).collect();
    ordered.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));

    let page_alike = sketched(&list.page, &page_sketch(index));
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    let mut judged = Vec::new();
    for (way, votes) in by_votes {
        let all = 0..index.entries().len() as u32;
        let entries: Vec<u32> = all.filter(|&at| belongs(index, at, &way)).take(MAX_MEMBERS).collect();
        if entries.is_empty() || !seen.insert(entries.clone()) {
            continue;
        }
        let numbers = judge(index, list, &entries, votes, page_alike, &ordered, &mut fit);
        judged.push(Judged { entries, numbers });
        if judged.len() == MAX_SETS {
            break;
        }
    }
    judged
}

fn judge(
    index: &PageIndex<'_>,
    list: &ListPrint,
    entries: &[u32],
    votes: usize,
    page_alike: f32,
    likely: &[(f32, u32)],
    fit: &mut dyn FnMut(u32) -> Option<Fit>,
) -> Vec<f32> {
    let (old, new) = (list.count as f32, entries.len() as f32);
    let inside: HashSet<u32> = entries.iter().copied().collect();
    // Members are sampled over the whole set, and those that fit best are always among them.
    let mut sample: Vec<u32> =
        (0..SAMPLE.min(entries.len())).map(|at| entries[at * entries.len() / SAMPLE.min(entries.len())]).collect();
    let members = sample.clone();
    sample.extend(likely.iter().map(|&(_, entry)| entry).filter(|entry| inside.contains(entry)).take(24));
    sample.sort_unstable();
    sample.dedup();
    let fits: Vec<(u32, Fit)> = sample.iter().filter_map(|&entry| Some((entry, fit(entry)?))).collect();
    let mut best = vec![(f32::MIN, 0usize); list.exemplars.len()];
    for (at, (_, (scores, _))) in fits.iter().enumerate() {
        for (best, &score) in best.iter_mut().zip(scores) {
            if score > best.0 {
                *best = (score, at);
            }
        }
    }
    let mean = |values: &[f32]| values.iter().sum::<f32>() / values.len().max(1) as f32;
    let least = |values: &[f32]| values.iter().copied().fold(f32::MAX, f32::min);
    let fit_scores: Vec<f32> = best.iter().map(|best| best.0.max(-20.0)).collect();
    let member_scores: Vec<f32> = fits
        .iter()
        .filter(|(entry, _)| members.contains(entry))
        .map(|(_, (scores, _))| scores.iter().copied().fold(f32::MIN, f32::max))
        .collect();
    let wanted = (list.count as usize).min(likely.len()).max(1);
    let top = &likely[..wanted.min(likely.len())];
    let left_out = top.iter().filter(|(_, entry)| !inside.contains(entry)).count() as f32 / wanted as f32;
    let outsider = likely.iter().find(|(_, entry)| !inside.contains(entry)).map_or(-20.0, |&(score, _)| score);
    let distinct: HashSet<usize> = best.iter().map(|best| best.1).collect();
    let share = |key: &dyn Fn(u32) -> Option<u64>| {
        let mut counts: HashMap<Option<u64>, usize> = HashMap::new();
        members.iter().for_each(|&entry| *counts.entry(key(entry)).or_default() += 1);
        counts.values().copied().max().unwrap_or(0) as f32 / members.len().max(1) as f32
    };
    let look_of = |entry: u32| u64::from(look(index, index.entry(entry)));
    let up = |entry: u32, levels: usize| (0..levels).try_fold(entry, |entry, _| parent(index.entry(entry)));
    let one_holder = share(&|entry| up(entry, 1).map(u64::from));
    let mut numbers = vec![
        old.min(new) / old.max(new),
        (new / old).ln().clamp(-4.0, 4.0),
        old.ln(),
        new.ln(),
        mean(&fit_scores),
        least(&fit_scores),
        mean(&member_scores),
        least(&member_scores),
        left_out,
        mean(&fit_scores) - outsider,
        distinct.len() as f32 / list.exemplars.len().max(1) as f32,
        share(&|entry| Some(look_of(entry))),
        share(&|entry| up(entry, 1).map(look_of)),
        share(&|entry| Some(u64::from(index.entry(entry).depth))),
        one_holder,
        1.0 - (one_holder - f32::from(u8::from(list.one_holder))).abs(),
        page_alike,
        votes as f32 / (list.exemplars.len() * SEEDS).max(1) as f32,
    ];
    // Exemplars that find their counterparts in their own order, each more like its own than like the others.
    let places: Vec<u32> = best.iter().filter_map(|best| Some(fits.get(best.1)?.0)).collect();
    let rising = places.windows(2).filter(|pair| pair[0] < pair[1]).count();
    numbers.push(rising as f32 / places.len().saturating_sub(1).max(1) as f32);
    let leads = |value: &dyn Fn(usize, usize) -> f32| {
        let lead = |exemplar: usize| {
            let own = best[exemplar].1;
            let others: Vec<f32> = (0..fits.len()).filter(|&at| at != own).map(|at| value(at, exemplar)).collect();
            if others.is_empty() { 0.0 } else { value(own, exemplar) - mean(&others) }
        };
        if fits.is_empty() { 0.0 } else { mean(&(0..best.len()).map(lead).collect::<Vec<_>>()) }
    };
    numbers.push(leads(&|at, exemplar| as_likeness(fits[at].1.1[exemplar][*WORDS_AT])));
    numbers.push(leads(&|at, exemplar| fits[at].1.0[exemplar].max(-20.0)));
    for &key in KEY_AT.iter() {
        let values: Vec<f32> = best
            .iter()
            .enumerate()
            .filter_map(|(exemplar, best)| Some(as_likeness(fits.get(best.1)?.1.1[exemplar][key])))
            .collect();
        numbers.push(mean(&values));
    }
    debug_assert_eq!(numbers.len(), NAMES.len());
    numbers
}

/// Looks for a list on a page: the best set, and the probability that it is exactly the list.
pub(super) fn relocate(index: &PageIndex<'_>, list: &ListPrint, model: &Model) -> Option<(Judged, f32)> {
    let confidence = |set: &Judged| model.lists.probability(&set.numbers);
    let judged = sets(index, list, &model.ranker).into_iter().map(|set| (confidence(&set), set));
    let (confidence, best) = judged.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((best, confidence))
}

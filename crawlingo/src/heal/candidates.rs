//! Cheap rejection: of the thousands of elements of a page, the few dozen that are worth a real comparison.

use super::index::{Entry, PageIndex, Word, hash32};
use super::print::{ElementPrint, parent};
use crate::dom::NONE;

/// How many candidates are compared in full.
pub(super) const KEEP: usize = 48;

/// What is asked of each element of a page, prepared from a print.
pub(super) struct Probe {
    tag: u32,
    id: u32,
    classes: Vec<u32>,
    text: u64,
    word_count: u32,
    before: [Option<Word>; 2],
    after: [Option<Word>; 2],
    parent_tag: u32,
    parent_id: u32,
    parent_classes: Vec<u32>,
    depth: u16,
    nth: u16,
}

/// An element that came through, by its entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) entry: u32,
    pub(super) score: f32,
}

fn overlap(old: &[u32], new: &[u32]) -> f32 {
    if old.is_empty() {
        return if new.is_empty() { 0.5 } else { 0.0 };
    }
    let shared = old.iter().filter(|class| new.contains(class)).count();
    shared as f32 / (old.len() + new.len() - shared).max(1) as f32
}

impl Probe {
    pub(super) fn new(print: &ElementPrint) -> Self {
        let hashed = |names: &[String]| names.iter().map(|name| hash32(name)).collect();
        let id = |id: &Option<String>| id.as_ref().map_or(0, |id| hash32(id).max(1));
        let parent = print.path.first();
        Self {
            tag: hash32(&print.tag),
            id: id(&print.id),
            classes: hashed(&print.classes),
            text: print.text_hash,
            word_count: print.word_count,
            before: [print.before.first().copied(), print.before.get(1).copied()],
            after: [print.after.first().copied(), print.after.get(1).copied()],
            parent_tag: parent.map_or(0, |step| hash32(&step.tag)),
            parent_id: parent.map_or(0, |step| id(&step.id)),
            parent_classes: parent.map_or_else(Vec::new, |step| hashed(&step.classes)),
            depth: print.depth,
            nth: print.nth,
        }
    }

    fn score(&self, index: &PageIndex<'_>, entry: &Entry) -> f32 {
        let all = index.all_words();
        let (start, end) = (entry.words.start as usize, entry.words.end as usize);
        let mut score = 0.0;
        if entry.tag == self.tag {
            score += 1.5;
        }
        if self.id != 0 && entry.id == self.id {
            score += 2.5;
        }
        score += 2.0 * overlap(&self.classes, index.classes(entry));
        if self.text != 0 && index.hash_of(&entry.words) == self.text {
            score += 3.0;
        }
        let words = entry.words.len() as u32;
        score += match self.word_count.max(words) {
            0 => 0.5,
            larger => self.word_count.min(words) as f32 / larger as f32,
        };
        let word = |at: Option<usize>| at.and_then(|at| all.get(at)).copied();
        for (far, worth) in [(0, 0.7), (1, 0.5)] {
            if self.before[far].is_some() && word(start.checked_sub(far + 1)) == self.before[far] {
                score += worth;
            }
            if self.after[far].is_some() && word(Some(end + far)) == self.after[far] {
                score += worth;
            }
        }
        if entry.parent != NONE {
            let around = index.entry(entry.parent);
            if around.tag == self.parent_tag {
                score += 0.5;
            }
            if self.parent_id != 0 && around.id == self.parent_id {
                score += 1.0;
            }
            score += overlap(&self.parent_classes, index.classes(around));
        }
        if entry.nth == self.nth {
            score += 0.3;
        }
        score + 0.4 / (1.0 + f32::from(entry.depth.abs_diff(self.depth)))
    }

    /// The best elements of the page, the best first; equal ones in the order of the page.
    pub(super) fn best(&self, index: &PageIndex<'_>, keep: usize) -> Vec<Candidate> {
        let mut best: Vec<Candidate> = Vec::with_capacity(keep * 2);
        let mut floor = f32::MIN;
        for (at, entry) in index.entries().iter().enumerate() {
            let score = self.score(index, entry);
            if score <= floor {
                continue;
            }
            best.push(Candidate { entry: at as u32, score });
            if best.len() == keep * 2 {
                best.sort_by(by_score);
                best.truncate(keep);
                floor = best[keep - 1].score;
            }
        }
        best.sort_by(by_score);
        best.truncate(keep);
        best
    }
}

fn by_score(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(a.entry.cmp(&b.entry))
}

/// Whether one of two entries lies around the other.
pub(super) fn nested(index: &PageIndex<'_>, a: u32, b: u32) -> bool {
    let (outer, mut inner) = (a.min(b), a.max(b));
    while let Some(around) = parent(index.entry(inner)) {
        if around == outer {
            return true;
        }
        if around < outer {
            return false;
        }
        inner = around;
    }
    false
}

/// How surely the place where the element was is there without it: the words before it and those behind it now stand
/// side by side. From 0, nowhere, to 1, six words on both sides.
pub(super) fn gap_closed(index: &PageIndex<'_>, print: &ElementPrint) -> f32 {
    let all = index.all_words();
    let (Some(&before), Some(&after)) = (print.before.first(), print.after.first()) else { return 0.0 };
    let mut best = 0;
    for at in 1..all.len() {
        if all[at - 1] == before && all[at] == after {
            let left = print.before.iter().zip(all[..at].iter().rev()).take(6).take_while(|(a, b)| a == b).count();
            let right = print.after.iter().zip(&all[at..]).take(6).take_while(|(a, b)| a == b).count();
            best = best.max(left.min(right));
        }
    }
    best as f32 / 6.0
}

//! What is stored for one field of a page: the element, those that could be taken for it, and how the page looked.

use serde::{Deserialize, Serialize};

use super::candidates::{Probe, nested};
use super::index::PageIndex;
use super::print::{ElementPrint, look};
use crate::dom::Element;

/// How many rivals are kept.
const RIVALS: usize = 8;
/// How many hashes stand for the look of a page.
const PAGE_SKETCH: usize = 96;

/// An element as it was when its selector last matched, with its rivals: the elements of that page that were most like
/// it. When, later, the best candidate is more like a rival than like the element, the element is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The element.
    pub target: ElementPrint,
    /// The elements of the same page that were most like it, at most eight.
    pub rivals: Vec<ElementPrint>,
    /// A sketch of the looks (tag and classes) of all elements of the page: says how much of the page changed.
    pub page: Vec<u32>,
}

impl Fingerprint {
    /// Remembers an element. `None` if it lies inside of a `<template>`, where no selector finds it.
    pub(crate) fn take(index: &PageIndex<'_>, element: Element<'_>) -> Option<Self> {
        let at = index.entry_at(element.id())?;
        let mut target = ElementPrint::new(index, at)?;
        target.count_same(index, at);
        let probe = Probe::new(&target);
        let mut rivals: Vec<u32> = Vec::new();
        for candidate in probe.best(index, RIVALS * 4) {
            let other = candidate.entry;
            let known = |&rival: &u32| index.same_thing(rival, other);
            if other == at || index.same_thing(at, other) || nested(index, at, other) || rivals.iter().any(known) {
                continue;
            }
            rivals.push(other);
            if rivals.len() == RIVALS {
                break;
            }
        }
        let rivals = rivals.into_iter().filter_map(|rival| ElementPrint::new(index, rival)).collect();
        Some(Self { target, rivals, page: page_sketch(index) })
    }

    /// Forgets the texts, for an element whose text is known to change.
    #[must_use]
    pub fn without_text(self) -> Self {
        Self {
            target: self.target.without_text(),
            rivals: self.rivals.into_iter().map(ElementPrint::without_text).collect(),
            page: self.page,
        }
    }

    /// Forgets the addresses, for a page other than the one that the print was taken from.
    #[must_use]
    pub fn without_addresses(self) -> Self {
        Self {
            target: self.target.without_addresses(),
            rivals: self.rivals.into_iter().map(ElementPrint::without_addresses).collect(),
            page: self.page,
        }
    }
}

/// The smallest hashes of the set of looks.
pub(super) fn page_sketch(index: &PageIndex<'_>) -> Vec<u32> {
    let mut looks: Vec<_> = index
        .entries()
        .iter()
        .map(|entry| (look(index, entry) ^ entry.tag).wrapping_mul(0x9E37_79B1).rotate_left(13))
        .collect();
    looks.sort_unstable();
    looks.dedup();
    looks.truncate(PAGE_SKETCH);
    looks
}

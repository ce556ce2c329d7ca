//! From a print to elements of a page, with the probability that they are right.

use super::decide;
use super::features::compare;
use super::fingerprint::Fingerprint;
use super::index::{PageIndex, words_hash};
use super::lists::{self, ListPrint};
use super::memory::Print;
use super::model::Model;
use super::print::{ElementPrint, MAX_CLASSES, MAX_STEPS};
use super::proposal::Evidence;
use crate::dom::Element;

/// How many of the next best are told.
const OTHERS: usize = 4;

/// The elements that a print's most likely are now.
pub(crate) struct Relocated<'a> {
    pub(crate) elements: Vec<Element<'a>>,
    pub(crate) confidence: f32,
    /// The next best, and how far behind they lie.
    pub(crate) others: Vec<(Element<'a>, f32)>,
}

/// Remembers elements: one, or several.
pub(crate) fn remember(index: &PageIndex<'_>, elements: &[Element<'_>]) -> Option<Print> {
    match elements {
        [] => None,
        [one] => Fingerprint::take(index, *one).map(Box::new).map(Print::One),
        several => ListPrint::take(index, several).map(Print::List),
    }
}

/// Looks for the elements of a print. `None` where the page has nothing to compare.
pub(crate) fn relocate<'a>(index: &PageIndex<'a>, print: &Print, model: &Model) -> Option<Relocated<'a>> {
    match print {
        Print::One(print) => {
            let found = decide::relocate(index, print, model);
            let first = found.ranked.first()?;
            let element = index.element(index.entry(first.entry))?;
            let other =
                |other: &decide::Compared| Some((index.element(index.entry(other.entry))?, first.score - other.score));
            let others = found.ranked.iter().skip(1).take(OTHERS).filter_map(other).collect();
            Some(Relocated { elements: vec![element], confidence: found.confidence, others })
        }
        Print::List(list) => {
            let (set, confidence) = lists::relocate(index, list, model)?;
            let elements = set.entries.iter().filter_map(|&entry| index.element(index.entry(entry))).collect();
            Some(Relocated { elements, confidence, others: Vec::new() })
        }
    }
}

/// Whether an element that a selector still finds stands where it did and is marked as it was, or says the same. Cheap, for
/// it is asked of every match, and needs no index of the page; a `false` is looked into.
pub(crate) fn looks_the_same(print: &Print, element: Element<'_>, reading: Option<&str>) -> bool {
    let Print::One(print) = print else { return true };
    let target = &print.target;
    let marked = element.tag() == target.tag && element.classes().take(MAX_CLASSES).eq(target.classes.iter());
    let tags = element.ancestors().take(MAX_STEPS).map(Element::tag);
    (marked && tags.eq(target.path.iter().map(|step| step.tag.as_str())))
        || (target.text_hash != 0 && target.text_hash == words_hash(element, reading))
}

/// Whether the two are one thing: nested, with the same words.
pub(crate) fn same_thing(index: &PageIndex<'_>, a: Element<'_>, b: Element<'_>) -> bool {
    match (index.entry_at(a.id()), index.entry_at(b.id())) {
        (Some(a), Some(b)) => index.same_thing(a, b),
        _ => false,
    }
}

/// How like the print an element is, feature by feature, for people: the name, what it says, the value.
pub(crate) fn evidence(index: &PageIndex<'_>, print: &Print, element: Element<'_>, model: &Model) -> Vec<Evidence> {
    // Of a list, how the first of its elements now is like the first that is remembered.
    let Some(before) = print.elements().first() else { return Vec::new() };
    let Some(now) = index.entry_at(element.id()).and_then(|entry| ElementPrint::new(index, entry)) else {
        return Vec::new();
    };
    let features = compare(before, &now);
    let parts: Vec<f32> = model.ranker.parts(&features).collect();
    let mut all: Vec<_> = super::features::NAMES.iter().map(|(_, says)| *says).zip(parts).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(8);
    all.retain(|part| part.1 > 0.05);
    all.into_iter().map(|(says, weight)| Evidence { says: says.to_owned(), weight }).collect()
}

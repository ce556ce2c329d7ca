//! From a print to elements of a page, with the probability that they are right.

use super::decide;
use super::features::compare;
use super::fingerprint::Fingerprint;
use super::index::PageIndex;
use super::lists::{self, ListPrint};
use super::memory::Print;
use super::model::Model;
use super::print::ElementPrint;
use crate::dom::Element;

/// The elements that a print's most likely are now.
pub(crate) struct Relocated<'a> {
    pub(crate) elements: Vec<Element<'a>>,
    pub(crate) confidence: f32,
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
pub(crate) fn relocate<'a>(index: &PageIndex<'a>, print: &Print) -> Option<Relocated<'a>> {
    let model = Model::standard();
    match print {
        Print::One(print) => {
            let found = decide::relocate(index, print, model);
            let element = index.element(index.entry(found.ranked.first()?.entry))?;
            Some(Relocated { elements: vec![element], confidence: found.confidence })
        }
        Print::List(list) => {
            let (set, confidence) = lists::relocate(index, list, model)?;
            let elements = set.entries.iter().filter_map(|&entry| index.element(index.entry(entry))).collect();
            Some(Relocated { elements, confidence })
        }
    }
}

/// Whether an element that a selector still finds stands where it did and is marked as it was. Cheap, and asked of every
/// match; a `false` is looked into.
pub(crate) fn looks_the_same(index: &PageIndex<'_>, print: &Print, element: Element<'_>) -> bool {
    let Print::One(print) = print else { return true };
    let Some(now) = index.entry_at(element.id()).and_then(|entry| ElementPrint::new(index, entry)) else { return true };
    if now.text_hash != 0 && now.text_hash == print.target.text_hash {
        return true;
    }
    let tags = |print: &ElementPrint| print.path.iter().map(|step| step.tag.clone()).collect::<Vec<_>>();
    now.tag == print.target.tag && now.classes == print.target.classes && tags(&now) == tags(&print.target)
}

/// Whether the two are one thing: nested, with the same words.
pub(crate) fn same_thing(index: &PageIndex<'_>, a: Element<'_>, b: Element<'_>) -> bool {
    match (index.entry_at(a.id()), index.entry_at(b.id())) {
        (Some(a), Some(b)) => index.same_thing(a, b),
        _ => false,
    }
}

/// How like the print an element is, feature by feature, for people: the name, what it says, the value.
pub(crate) fn evidence(index: &PageIndex<'_>, print: &Print, element: Element<'_>) -> Vec<(&'static str, f32)> {
    let Print::One(print) = print else { return Vec::new() };
    let Some(now) = index.entry_at(element.id()).and_then(|entry| ElementPrint::new(index, entry)) else {
        return Vec::new();
    };
    let features = compare(&print.target, &now);
    let parts: Vec<f32> = Model::standard().ranker.parts(&features).collect();
    let mut all: Vec<_> = super::features::NAMES.iter().map(|(_, says)| *says).zip(parts).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all.truncate(5);
    all.retain(|part| part.1 > 0.05);
    all
}

//! What becomes of an element that was found again: it is bound, suggested or left alone; and what is remembered.

use crawlingo_schema::HealMode;

use super::compile::{Compiled, PlanField};
use super::heal::reading_of;
use super::report::Outcome;
use super::run::Run;
use crate::dom::{Element, Node};
use crate::heal::{
    Evidence, Found, Remembered, Rival, View, evidence, looks_the_same, propose, relocate, remember, same_thing,
};

/// How far an element is shown in a report.
const SHOWN: usize = 160;
/// From which probability on, that what was remembered stands elsewhere, a match is said to have drifted. Lower than what
/// binds: a warning takes nothing away.
const DRIFT_FROM: f32 = 0.8;
/// From which probability on what is not bound is put before a person all the same.
const WORTH_A_LOOK: f32 = 0.5;

/// What an element is shown as: its start tag, and its text.
fn shown(element: Element<'_>) -> String {
    let mut text = format!("{element:?} {}", element.text().split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some((at, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// What came of looking.
#[derive(Clone)]
pub(super) struct Attempt<'a> {
    pub(super) elements: Vec<Element<'a>>,
    pub(super) confidence: f32,
    /// Whether it can be what is looked for.
    pub(super) fits: bool,
    pub(super) evidence: Vec<Evidence>,
    pub(super) rivals: Vec<Rival>,
    /// Whether it was found on another page, and only looked up here.
    pub(super) carried: bool,
}

/// What is looked for.
pub(super) struct Judged<'e> {
    pub(super) path: &'e str,
    pub(super) selectors: &'e [Compiled],
    pub(super) report: usize,
    pub(super) reading: Option<&'e str>,
    pub(super) mode: HealMode,
}

impl<'e, 'a> Run<'e, 'a> {
    /// Finds the elements of what is remembered, and whether they can be what is looked for.
    pub(super) fn found_again(
        &self,
        path: &str,
        reading: Option<&str>,
        fits: &dyn Fn(&[Element<'a>]) -> bool,
    ) -> Option<Attempt<'a>> {
        let index = self.index(reading)?;
        let healing = self.healing.as_ref()?;
        let print = healing.remembered(path, reading)?.for_page(self.url);
        let model = healing.snapshot.model();
        let found = relocate(index, &print, model)?;
        let fits = fits(&found.elements);
        let evidence = found.elements.first().map(|&first| evidence(index, &print, first, model)).unwrap_or_default();
        let rival = |&(element, behind): &(Element<'a>, f32)| Rival { element: shown(element), behind };
        let rivals = found.others.iter().map(rival).collect();
        let (elements, confidence) = (found.elements, found.confidence);
        Some(Attempt { elements, confidence, fits, evidence, rivals, carried: false })
    }

    /// Binds, suggests or abstains, and says so. Gives what is bound.
    pub(super) fn judge(&mut self, of: &Judged<'e>, attempt: Attempt<'a>, scopes: &[Node<'a>]) -> Vec<Element<'a>> {
        let (threshold, url) = (self.threshold(), self.url);
        let Some(healing) = &mut self.healing else { return Vec::new() };
        let proposed = healing.snapshot.proposed(of.path);
        let Attempt { elements, confidence, fits, evidence, rivals, carried } = attempt;
        let Some(&first) = elements.first() else { return Vec::new() };
        let element = shown(first);
        // What was proposed on another page is proposed again where it holds: the same selector is the same heal.
        let selector = propose(scopes, &elements, proposed.and_then(|proposed| proposed.text.as_deref()));
        let reason = if !fits {
            Some("what it holds is no value of the field's kind, or does not lie one in each record".to_owned())
        } else if proposed.is_some_and(|proposed| proposed.is_rejected(selector.as_deref())) {
            Some("a person rejected it".to_owned())
        } else if confidence < threshold {
            Some(format!("it is right with a probability of {confidence:.2}, and {threshold:.2} is asked for"))
        } else {
            None
        };
        let bound = reason.is_none() && of.mode == HealMode::Bind;
        let (count, says) = (elements.len(), evidence.iter().map(|part| part.says.clone()).collect());
        let outcome = match &reason {
            Some(reason) => Outcome::Abstained { confidence, reason: reason.clone(), element },
            None if bound => Outcome::Healed { confidence, selector: selector.clone(), element, count, evidence: says },
            None => Outcome::Suggested { confidence, selector: selector.clone(), element, count, evidence: says },
        };
        self.report.fields[of.report].note(0, outcome);
        // What was only looked up confirms nothing.
        if fits && confidence >= WORTH_A_LOOK && !carried {
            let view = View::of(first, url);
            let print = self.index(of.reading).and_then(|index| remember(index, &elements));
            let print = print.map(|print| Remembered::new(print, url, of.reading).with_view(view.clone()));
            if let (Some(print), Some(healing)) = (print, &mut self.healing) {
                healing.found.push(Found {
                    field: of.path.to_owned(),
                    selectors: of.selectors.iter().map(|selector| selector.shown.clone()).collect(),
                    selector,
                    bound,
                    reason,
                    confidence,
                    count,
                    evidence,
                    rivals,
                    after: view,
                    print,
                });
            }
        }
        if bound { elements } else { Vec::new() }
    }

    /// A selector that matches something else than it did is worse than one that matches nothing.
    pub(super) fn check_drift(&mut self, planned: &PlanField, matched: &[Element<'a>]) {
        let (&[element], reading) = (matched, reading_of(planned)) else { return };
        let Some(healing) = &self.healing else { return };
        let Some(remembered) = healing.remembered(&planned.path, reading) else { return };
        if looks_the_same(&remembered.print, element, reading) {
            return;
        }
        let Some(index) = self.index(reading) else { return };
        let model = healing.snapshot.model();
        let Some(found) = relocate(index, &remembered.for_page(self.url), model) else { return };
        let &[best] = found.elements.as_slice() else { return };
        if found.confidence >= DRIFT_FROM && !same_thing(index, best, element) {
            let outcome =
                Outcome::Drifted { confidence: found.confidence, element: shown(best), matched: shown(element) };
            self.report.fields[planned.report].note(0, outcome);
        }
    }

    pub(super) fn learn(&mut self, path: &str, reading: Option<&str>, elements: &[Element<'a>]) {
        let url = self.url;
        let Some(healing) = &self.healing else { return };
        let known = healing.remembered(path, reading);
        // Three pages say what is stable; then a match costs nothing more.
        if known.is_some_and(|known| !known.can_learn_from(url)) {
            return;
        }
        let Some(print) = self.index(reading).and_then(|index| remember(index, elements)) else { return };
        let news = match (known, elements.first()) {
            (Some(known), _) => known.seen_again(print, url),
            (None, Some(&first)) => Remembered::new(print, url, reading).with_view(View::of(first, url)),
            (None, None) => return,
        };
        if let Some(healing) = &mut self.healing {
            healing.learned.push((path.to_owned(), news));
        }
    }
}

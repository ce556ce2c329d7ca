//! The part of a run that heals: before the records are read, fields that match nowhere on the page are looked for by
//! what is remembered of them, and fields that match are remembered.

use std::cell::OnceCell;
use std::collections::HashMap;

use crawlingo_schema::{Cardinality, Field, HealMode};

use super::Content;
use super::compile::{Compiled, Plan, PlanField};
use super::convert::take_of;
use super::find::{Found, FoundContent, Scope};
use super::report::Outcome;
use super::run::Run;
use crate::dom::{Element, Node};
use crate::heal::{
    EACH, HealSnapshot, PageIndex, Remembered, evidence, looks_the_same, propose, relocate, remember, same_thing,
};
use crate::value::convert;

/// How far an element is shown in a report.
const SHOWN: usize = 160;

pub(super) struct Healing<'e, 'a> {
    snapshot: &'e HealSnapshot,
    index: OnceCell<PageIndex<'a>>,
    /// By the field's report and the record's place.
    bound: HashMap<(usize, u32), Vec<Element<'a>>>,
    pub(super) learned: Vec<(String, Remembered)>,
}

impl<'e, 'a> Healing<'e, 'a> {
    pub(super) fn new(snapshot: &'e HealSnapshot) -> Self {
        Self { snapshot, index: OnceCell::new(), bound: HashMap::new(), learned: Vec::new() }
    }

    /// The elements that were bound to a field of the record at a place.
    pub(super) fn bound(&self, report: usize, scope: &Scope<'a>) -> Option<&[Element<'a>]> {
        let Scope::Node(node) = scope else { return None };
        self.bound.get(&(report, node.id().get())).map(Vec::as_slice)
    }
}

/// What an element is shown as: its start tag, and its text.
fn shown(element: Element<'_>) -> String {
    let mut text = format!("{element:?} {}", element.text().split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some((at, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Whether what a selector takes is of the element alone, so that the element says it all.
fn whole_element(selector: &Compiled) -> bool {
    !matches!(selector.find, super::compile::Find::AfterText(_) | super::compile::Find::BeforeText(_))
}

impl<'e, 'a> Run<'e, 'a> {
    fn document_index(&self) -> Option<&PageIndex<'a>> {
        let Content::Document(document) = self.page.content else { return None };
        let healing = self.healing.as_ref()?;
        Some(healing.index.get_or_init(|| PageIndex::new(document)))
    }

    /// Looks for the records themselves, when `each` finds none and a field of theirs heals.
    pub(super) fn heal_each(&mut self, plan: &'e Plan, found: Vec<Scope<'a>>) -> Vec<Scope<'a>> {
        let (true, Some(mode)) = (plan.each.is_some(), mode_of(plan)) else { return found };
        if self.healing.is_none() {
            return found;
        }
        let elements: Vec<Element<'a>> = found
            .iter()
            .filter_map(|scope| match scope {
                Scope::Node(node) => node.as_element(),
                Scope::Json(_) => None,
            })
            .collect();
        if elements.is_empty() {
            let Content::Document(document) = self.page.content else { return found };
            let Some(healed) = self.look_for(EACH, mode, &[document.root()], &|_| true) else { return found };
            return healed.into_iter().map(|element| Scope::Node(element.node())).collect();
        }
        self.learn(EACH, &elements);
        found
    }

    /// Remembers the fields that match, and looks for those that match in no record.
    pub(super) fn heal_fields(&mut self, plan: &'e Plan, scopes: &[Scope<'a>]) {
        if self.healing.is_none() {
            return;
        }
        let nodes: Vec<Node<'a>> = scopes
            .iter()
            .filter_map(|scope| match scope {
                Scope::Node(node) => Some(*node),
                Scope::Json(_) => None,
            })
            .collect();
        if nodes.is_empty() {
            return;
        }
        for (field, planned) in plan.schema.fields.iter().zip(&plan.fields) {
            if field.heal != HealMode::Off && planned.nested.is_none() {
                self.heal_field(field, planned, &nodes);
            }
        }
    }

    fn heal_field(&mut self, field: &'e Field, planned: &'e PlanField, scopes: &[Node<'a>]) {
        let many = field.cardinality == Cardinality::Many;
        let mut matched: Vec<Element<'a>> = Vec::new();
        let mut alone = true;
        for scope in scopes {
            for selector in &planned.selectors {
                let Ok(places) = self.page.places(selector, &Scope::Node(*scope)) else { continue };
                let elements = places.into_iter().filter_map(|place| match place {
                    Scope::Node(node) => node.as_element(),
                    Scope::Json(_) => None,
                });
                let before = matched.len();
                matched.extend(elements.take(if many { usize::MAX } else { 1 }));
                if matched.len() > before {
                    alone &= whole_element(selector);
                    break;
                }
            }
        }
        if !matched.is_empty() {
            // An element that holds the label too would give it back with the value.
            if alone {
                self.check_drift(planned, &matched);
                self.learn(&planned.path, &matched);
            }
            return;
        }
        let Some(selector) = planned.selectors.first() else { return };
        let reads = |run: &Self, element: Element<'a>| run.reads(field, selector, element);
        let healed = {
            let run: &Self = self;
            let fits = |elements: &[Element<'a>]| {
                let per_record = |scope: &Node<'a>| elements.iter().filter(|e| scope.contains(e.node())).count();
                let inside: usize = scopes.iter().map(per_record).sum();
                let good = elements.iter().filter(|element| reads(run, **element)).count();
                inside == elements.len()
                    && (many || scopes.iter().all(|scope| per_record(scope) <= 1))
                    && good * 10 >= elements.len() * 9
            };
            run.found_again(&planned.path, &fits)
        };
        let Some(attempt) = healed else { return };
        let elements = self.judge(planned.report, field.heal, attempt, scopes);
        for scope in scopes {
            let own: Vec<Element<'a>> =
                elements.iter().copied().filter(|element| scope.contains(element.node())).collect();
            if let (false, Some(healing)) = (own.is_empty(), &mut self.healing) {
                healing.bound.insert((planned.report, scope.id().get()), own);
            }
        }
    }

    /// Whether what would be taken of an element is a value of the field's kind.
    fn reads(&self, field: &Field, selector: &Compiled, element: Element<'a>) -> bool {
        let Some(text) = take_of(element, &selector.take, &field.kind) else { return false };
        super::convert::transform(vec![text], &field.transforms)
            .into_iter()
            .any(|text| !text.trim().is_empty() && convert(&text, &field.kind, self.context()).is_ok())
    }

    /// What a field of a record has by healing.
    pub(super) fn healed_values(&self, field: &Field, planned: &'e PlanField, scope: &Scope<'a>) -> Vec<Found> {
        let bound = self.healing.as_ref().and_then(|healing| healing.bound(planned.report, scope));
        let (Some(elements), Some(selector)) = (bound, planned.selectors.first()) else { return Vec::new() };
        let verbatim = !matches!(selector.take, crawlingo_schema::Take::Text);
        let taken = |element: &Element<'a>| {
            let text = take_of(*element, &selector.take, &field.kind)?;
            Some(Found { content: FoundContent::Text { text, verbatim } })
        };
        elements.iter().filter_map(taken).collect()
    }

    fn look_for(
        &mut self,
        path: &str,
        mode: HealMode,
        scopes: &[Node<'a>],
        fits: &dyn Fn(&[Element<'a>]) -> bool,
    ) -> Option<Vec<Element<'a>>> {
        let attempt = self.found_again(path, fits)?;
        let report = self.report.fields.iter().position(|field| field.path == path)?;
        let elements = self.judge(report, mode, attempt, scopes);
        (!elements.is_empty()).then_some(elements)
    }

    /// Finds the elements of what is remembered, and whether they can be what is looked for.
    fn found_again(&self, path: &str, fits: &dyn Fn(&[Element<'a>]) -> bool) -> Option<Attempt<'a>> {
        let index = self.document_index()?;
        let remembered = self.healing.as_ref()?.snapshot.get(path)?;
        let print = remembered.for_page(self.url);
        let found = relocate(index, &print)?;
        let fits = fits(&found.elements);
        let evidence = found.elements.first().map(|&first| evidence(index, &print, first)).unwrap_or_default();
        Some(Attempt { elements: found.elements, confidence: found.confidence, fits, evidence })
    }

    /// Binds, suggests or abstains, and says so. Gives what is bound.
    fn judge(&mut self, report: usize, mode: HealMode, attempt: Attempt<'a>, scopes: &[Node<'a>]) -> Vec<Element<'a>> {
        let Some(threshold) = self.healing.as_ref().map(|healing| healing.snapshot.threshold()) else {
            return Vec::new();
        };
        let Attempt { elements, confidence, fits, evidence } = attempt;
        let element = elements.first().map(|&first| shown(first)).unwrap_or_default();
        let reason = if !fits {
            Some("what it holds is no value of the field's kind, or does not lie one in each record".to_owned())
        } else if confidence < threshold {
            Some(format!("it is right with a probability of {confidence:.2}, and {threshold:.2} is asked for"))
        } else {
            None
        };
        let (outcome, bound) = match (reason, mode) {
            (Some(reason), _) => (Outcome::Abstained { confidence, reason, element }, Vec::new()),
            (None, mode) => {
                let selector = propose(scopes, &elements);
                let evidence = evidence.iter().map(|(says, _)| (*says).to_owned()).collect();
                let count = elements.len();
                match mode {
                    HealMode::Bind => (Outcome::Healed { confidence, selector, element, count, evidence }, elements),
                    _ => (Outcome::Suggested { confidence, selector, element, count, evidence }, Vec::new()),
                }
            }
        };
        self.report.fields[report].note(0, outcome);
        bound
    }

    /// A selector that matches something else than it did is worse than one that matches nothing.
    fn check_drift(&mut self, planned: &PlanField, matched: &[Element<'a>]) {
        let &[element] = matched else { return };
        let Some(index) = self.document_index() else { return };
        let Some(healing) = &self.healing else { return };
        let Some(remembered) = healing.snapshot.get(&planned.path) else { return };
        if looks_the_same(index, &remembered.print, element) {
            return;
        }
        let threshold = healing.snapshot.threshold();
        let Some(found) = relocate(index, &remembered.for_page(self.url)) else { return };
        let Some(&best) = found.elements.first() else { return };
        if found.confidence >= threshold && found.elements.len() == 1 && !same_thing(index, best, element) {
            let outcome =
                Outcome::Drifted { confidence: found.confidence, element: shown(best), matched: shown(element) };
            self.report.fields[planned.report].note(0, outcome);
        }
    }

    fn learn(&mut self, path: &str, elements: &[Element<'a>]) {
        let url = self.url;
        let Some(index) = self.document_index() else { return };
        let Some(healing) = &self.healing else { return };
        let known = healing.snapshot.get(path);
        // Three pages say what is stable; then a match costs nothing more.
        if known.is_some_and(|known| known.pages >= 3 || known.url.as_deref() == url.map(url::Url::as_str)) {
            return;
        }
        let Some(print) = remember(index, elements) else { return };
        let news = match known {
            None => Some(Remembered::new(print, url)),
            Some(known) => known.seen_again(&print, url),
        };
        if let (Some(news), Some(healing)) = (news, &mut self.healing) {
            healing.learned.push((path.to_owned(), news));
        }
    }
}

/// What came of looking.
struct Attempt<'a> {
    elements: Vec<Element<'a>>,
    confidence: f32,
    fits: bool,
    evidence: Vec<(&'static str, f32)>,
}

/// The strongest mode of a plan's fields: what is asked of the records as a whole.
fn mode_of(plan: &Plan) -> Option<HealMode> {
    let modes = || plan.schema.fields.iter().map(|field| field.heal);
    match (modes().any(|mode| mode == HealMode::Bind), modes().any(|mode| mode == HealMode::Suggest)) {
        (true, _) => Some(HealMode::Bind),
        (_, true) => Some(HealMode::Suggest),
        _ => None,
    }
}

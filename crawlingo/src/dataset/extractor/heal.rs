//! The part of a run that heals: before the records are read, fields that match nowhere on the page are looked for by
//! what is remembered of them, and fields that match are remembered.

use std::cell::OnceCell;
use std::collections::HashMap;

use crawlingo_schema::{Cardinality, Field, HealMode, Take};

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
/// From which probability on, that what was remembered stands elsewhere, a match is said to have drifted. Lower than what
/// binds: a warning takes nothing away.
const DRIFT_FROM: f32 = 0.8;

pub(super) struct Healing<'e, 'a> {
    snapshot: &'e HealSnapshot,
    /// One for each attribute that a field takes, and one for text.
    indexes: Vec<(Option<&'e str>, OnceCell<PageIndex<'a>>)>,
    /// By the field's report and the record's place.
    bound: HashMap<(usize, u32), Vec<Element<'a>>>,
    pub(super) learned: Vec<(String, Remembered)>,
}

impl<'e, 'a> Healing<'e, 'a> {
    pub(super) fn new(snapshot: &'e HealSnapshot, plan: &'e Plan) -> Self {
        let mut readings: Vec<Option<&'e str>> = plan.fields.iter().map(reading_of).chain([None]).collect();
        readings.sort_unstable();
        readings.dedup();
        let indexes = readings.into_iter().map(|reading| (reading, OnceCell::new())).collect();
        Self { snapshot, indexes, bound: HashMap::new(), learned: Vec::new() }
    }

    /// What is remembered of a field, if it was read as it is now.
    fn remembered(&self, path: &str, reading: Option<&str>) -> Option<&'e Remembered> {
        self.snapshot.get(path).filter(|known| known.reading.as_deref() == reading)
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

/// The attribute that a field takes: what its elements are compared by, in the place of their text.
fn reading_of(planned: &PlanField) -> Option<&str> {
    match &planned.selectors.first()?.take {
        Take::Attr(name) => Some(name),
        _ => None,
    }
}

/// Whether what a selector takes is of the element alone, so that the element says it all.
fn whole_element(selector: &Compiled) -> bool {
    !matches!(selector.find, super::compile::Find::AfterText(_) | super::compile::Find::BeforeText(_))
}

impl<'e, 'a> Run<'e, 'a> {
    fn index(&self, reading: Option<&str>) -> Option<&PageIndex<'a>> {
        let Content::Document(document) = self.page.content else { return None };
        let indexes = &self.healing.as_ref()?.indexes;
        let (_, index) = indexes.iter().find(|(own, _)| *own == reading)?;
        Some(index.get_or_init(|| PageIndex::reading(document, reading)))
    }

    fn threshold(&self) -> f32 {
        self.healing.as_ref().map_or(1.0, |healing| healing.snapshot.threshold())
    }

    /// Looks for the records themselves, when `each` finds none and a field of theirs heals.
    pub(super) fn heal_each(&mut self, plan: &'e Plan, found: Vec<Scope<'a>>) -> Vec<Scope<'a>> {
        let (true, Some(mode)) = (plan.each.is_some(), mode_of(plan)) else { return found };
        let Content::Document(document) = self.page.content else { return found };
        if self.healing.is_none() {
            return found;
        }
        let elements: Vec<Element<'a>> = found.iter().filter_map(node_of).filter_map(Node::as_element).collect();
        if !elements.is_empty() {
            self.learn(EACH, None, &elements);
            return found;
        }
        let Some(report) = self.report.fields.iter().position(|field| field.path == EACH) else { return found };
        let own = self.found_again(EACH, None, &|_| true);
        let attempt = match own {
            Some(own) if own.confidence >= self.threshold() => Some(own),
            own => self.around_fields(plan).or(own),
        };
        let Some(attempt) = attempt else { return found };
        let healed = self.judge(report, mode, attempt, &[document.root()]);
        healed.into_iter().map(|element| Scope::Node(element.node())).collect()
    }

    /// The records by what they hold: a field that stood in each of them, and is surely found again as a list, lies in the
    /// records still. As sure as that field is; where two fields would have it differently, nothing is.
    fn around_fields(&self, plan: &'e Plan) -> Option<Attempt<'a>> {
        let records = self.healing.as_ref()?.snapshot.get(EACH)?.listed()?;
        let mut best: Option<Attempt<'a>> = None;
        for (field, planned) in plan.schema.fields.iter().zip(&plan.fields) {
            let (reading, selector) = (reading_of(planned), planned.selectors.first());
            let known = self.healing.as_ref()?.remembered(&planned.path, reading);
            let (Some(selector), Some(true)) = (selector, known.map(|known| known.listed() == Some(records))) else {
                continue;
            };
            let fits = |elements: &[Element<'a>]| {
                let good = elements.iter().filter(|element| self.reads(field, selector, **element)).count();
                good * 10 >= elements.len() * 9
            };
            let Some(found) = self.found_again(&planned.path, reading, &fits) else { continue };
            if !found.fits || found.confidence < self.threshold() {
                continue;
            }
            let around = around_each(&found.elements)?;
            let says = format!("holds `{}`, which is found again", planned.path);
            match &mut best {
                Some(best) if best.elements != around => return None,
                Some(best) => {
                    best.confidence = best.confidence.max(found.confidence);
                    best.evidence.push(says);
                }
                None => best = Some(Attempt { elements: around, evidence: vec![says], ..found }),
            }
        }
        best
    }

    /// Remembers the fields that match, and looks for those that match in no record.
    pub(super) fn heal_fields(&mut self, plan: &'e Plan, scopes: &[Scope<'a>]) {
        if self.healing.is_none() {
            return;
        }
        let nodes: Vec<Node<'a>> = scopes.iter().filter_map(node_of).collect();
        if nodes.is_empty() {
            return;
        }
        let mut lost: Vec<(&'e Field, &'e PlanField, Option<Attempt<'a>>)> = Vec::new();
        for (field, planned) in plan.schema.fields.iter().zip(&plan.fields) {
            if field.heal != HealMode::Off && planned.nested.is_none() && !self.field_matches(field, planned, &nodes) {
                let fits = |elements: &[Element<'a>]| self.fits_records(field, planned, &nodes, elements);
                lost.push((field, planned, self.found_again(&planned.path, reading_of(planned), &fits)));
            }
        }
        // Fields of one element are found again together: the surest of them says where.
        let together: Vec<Option<Attempt<'a>>> = (0..lost.len()).map(|at| self.found_with(&lost, at, &nodes)).collect();
        for ((field, planned, own), together) in lost.into_iter().zip(together) {
            if let Some(attempt) = together.or(own) {
                self.bind(field, planned, attempt, &nodes);
            }
        }
    }

    /// What a surer field of the same elements found.
    fn found_with(
        &self,
        lost: &[(&'e Field, &'e PlanField, Option<Attempt<'a>>)],
        at: usize,
        scopes: &[Node<'a>],
    ) -> Option<Attempt<'a>> {
        let (field, planned, own) = &lost[at];
        let healing = self.healing.as_ref()?;
        let known = healing.remembered(&planned.path, reading_of(planned))?;
        let surer = lost.iter().filter_map(|(_, other, attempt)| {
            let attempt = attempt.as_ref().filter(|attempt| attempt.fits)?;
            let theirs = healing.remembered(&other.path, reading_of(other))?;
            let ahead = own.as_ref().is_none_or(|own| !own.fits || own.confidence < attempt.confidence);
            (other.path != planned.path && ahead && theirs.same_elements(known)).then_some((other, attempt))
        });
        let (other, attempt) = surer.max_by(|a, b| a.1.confidence.total_cmp(&b.1.confidence))?;
        self.fits_records(field, planned, scopes, &attempt.elements).then(|| Attempt {
            evidence: vec![format!("the element of `{}`, which is found again", other.path)],
            ..attempt.clone()
        })
    }

    /// Whether the selectors of a field match in any record; what they match is remembered, and looked at.
    fn field_matches(&mut self, field: &'e Field, planned: &'e PlanField, scopes: &[Node<'a>]) -> bool {
        let many = field.cardinality == Cardinality::Many;
        let mut matched: Vec<Element<'a>> = Vec::new();
        let mut alone = true;
        for scope in scopes {
            for selector in &planned.selectors {
                let Ok(places) = self.page.places(selector, &Scope::Node(*scope)) else { continue };
                let elements = places.iter().filter_map(node_of).filter_map(Node::as_element);
                let before = matched.len();
                matched.extend(elements.take(if many { usize::MAX } else { 1 }));
                if matched.len() > before {
                    alone &= whole_element(selector);
                    break;
                }
            }
        }
        // An element that holds the label too would give it back with the value.
        if !matched.is_empty() && alone {
            self.check_drift(planned, &matched);
            self.learn(&planned.path, reading_of(planned), &matched);
        }
        !matched.is_empty()
    }

    /// Whether elements can be a field's: each lies in a record, and nearly all hold what the field reads.
    fn fits_records(&self, field: &Field, planned: &PlanField, scopes: &[Node<'a>], elements: &[Element<'a>]) -> bool {
        let Some(selector) = planned.selectors.first() else { return false };
        let many = field.cardinality == Cardinality::Many;
        let per_record = |scope: &Node<'a>| elements.iter().filter(|element| scope.contains(element.node())).count();
        let counts: Vec<usize> = scopes.iter().map(per_record).collect();
        let good = elements.iter().filter(|element| self.reads(field, selector, **element)).count();
        counts.iter().sum::<usize>() == elements.len()
            && (many || counts.iter().all(|&count| count <= 1))
            && good * 10 >= elements.len() * 9
    }

    fn bind(&mut self, field: &'e Field, planned: &'e PlanField, attempt: Attempt<'a>, scopes: &[Node<'a>]) {
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

    /// Finds the elements of what is remembered, and whether they can be what is looked for.
    fn found_again(
        &self,
        path: &str,
        reading: Option<&str>,
        fits: &dyn Fn(&[Element<'a>]) -> bool,
    ) -> Option<Attempt<'a>> {
        let index = self.index(reading)?;
        let print = self.healing.as_ref()?.remembered(path, reading)?.for_page(self.url);
        let found = relocate(index, &print)?;
        let fits = fits(&found.elements);
        let evidence = found.elements.first().map(|&first| evidence(index, &print, first)).unwrap_or_default();
        let evidence = evidence.into_iter().map(|(says, _)| says.to_owned()).collect();
        Some(Attempt { elements: found.elements, confidence: found.confidence, fits, evidence })
    }

    /// Binds, suggests or abstains, and says so. Gives what is bound.
    fn judge(&mut self, report: usize, mode: HealMode, attempt: Attempt<'a>, scopes: &[Node<'a>]) -> Vec<Element<'a>> {
        let threshold = self.threshold();
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
        let (&[element], reading) = (matched, reading_of(planned)) else { return };
        let Some(remembered) = self.healing.as_ref().and_then(|own| own.remembered(&planned.path, reading)) else {
            return;
        };
        let Some(index) = self.index(reading) else { return };
        if looks_the_same(index, &remembered.print, element) {
            return;
        }
        let Some(found) = relocate(index, &remembered.for_page(self.url)) else { return };
        let &[best] = found.elements.as_slice() else { return };
        if found.confidence >= DRIFT_FROM && !same_thing(index, best, element) {
            let outcome =
                Outcome::Drifted { confidence: found.confidence, element: shown(best), matched: shown(element) };
            self.report.fields[planned.report].note(0, outcome);
        }
    }

    fn learn(&mut self, path: &str, reading: Option<&str>, elements: &[Element<'a>]) {
        let url = self.url;
        let Some(healing) = &self.healing else { return };
        let known = healing.remembered(path, reading);
        // Three pages say what is stable; then a match costs nothing more.
        if known.is_some_and(|known| known.pages >= 3 || known.url.as_deref() == url.map(url::Url::as_str)) {
            return;
        }
        let Some(print) = self.index(reading).and_then(|index| remember(index, elements)) else { return };
        let news = match known {
            None => Some(Remembered::new(print, url, reading)),
            Some(known) => known.seen_again(&print, url),
        };
        if let (Some(news), Some(healing)) = (news, &mut self.healing) {
            healing.learned.push((path.to_owned(), news));
        }
    }
}

/// What came of looking.
#[derive(Clone)]
struct Attempt<'a> {
    elements: Vec<Element<'a>>,
    confidence: f32,
    fits: bool,
    evidence: Vec<String>,
}

fn node_of<'a>(scope: &Scope<'a>) -> Option<Node<'a>> {
    match scope {
        Scope::Node(node) => Some(*node),
        Scope::Json(_) => None,
    }
}

/// Of each element the outermost around it that holds no other of them. `None` where there is none, for then they are
/// nothing that records could be told by, and for a single element.
fn around_each<'a>(elements: &[Element<'a>]) -> Option<Vec<Element<'a>>> {
    if elements.len() < 2 {
        return None;
    }
    let mut around = Vec::with_capacity(elements.len());
    for (at, element) in elements.iter().enumerate() {
        // They stand in document order, so that the neighbours are the first that an element around would hold.
        let before = at.checked_sub(1).map(|before| elements[before]);
        let others = [before, elements.get(at + 1).copied()];
        let alone = |outer: &Element<'a>| !others.iter().flatten().any(|other| outer.node().contains(other.node()));
        around.push(element.ancestors().take_while(alone).last()?);
    }
    Some(around)
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

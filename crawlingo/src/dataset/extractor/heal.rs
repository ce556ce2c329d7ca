//! The part of a run that heals: before the records are read, fields that match nowhere on the page are looked for by
//! what is remembered of them, and fields that match are remembered.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use crawlingo_schema::css::CssSelector;
use crawlingo_schema::{Cardinality, Field, HealMode, Take};

use super::Content;
use super::compile::{Compiled, Find, Nested, Plan, PlanField};
use super::convert::take_of;
use super::find::{Found, FoundContent, Scope};
use super::heal_judge::{Attempt, Judged};
use super::report::Outcome;
use super::run::Run;
use crate::dom::{Element, Node};
use crate::heal::{EACH, Evidence, HealSnapshot, PageIndex, Remembered};
use crate::value::convert;

pub(super) struct Healing<'e, 'a> {
    pub(super) snapshot: &'e HealSnapshot,
    /// One for each attribute that a field takes, and one for text.
    indexes: Vec<(Option<&'e str>, OnceCell<PageIndex<'a>>)>,
    /// By the field's report and the record's place.
    bound: HashMap<(usize, u32), Vec<Element<'a>>>,
    pub(super) learned: Vec<(String, Remembered)>,
    /// What was found in the place of what is gone, for people to look at.
    pub(super) found: Vec<crate::heal::Found>,
}

impl<'e, 'a> Healing<'e, 'a> {
    pub(super) fn new(snapshot: &'e HealSnapshot, plan: &'e Plan) -> Self {
        let mut readings: Vec<Option<&'e str>> = vec![None];
        gather_readings(plan, &mut readings);
        readings.sort_unstable();
        readings.dedup();
        let indexes = readings.into_iter().map(|reading| (reading, OnceCell::new())).collect();
        Self { snapshot, indexes, bound: HashMap::new(), learned: Vec::new(), found: Vec::new() }
    }

    /// What is remembered of a field, if it was read as it is now.
    pub(super) fn remembered(&self, path: &str, reading: Option<&str>) -> Option<&'e Remembered> {
        self.snapshot.get(path).filter(|known| known.reading.as_deref() == reading)
    }

    /// The elements that were bound to a field of the record at a place.
    pub(super) fn bound(&self, report: usize, scope: &Scope<'a>) -> Option<&[Element<'a>]> {
        let Scope::Node(node) = scope else { return None };
        self.bound.get(&(report, node.id().get())).map(Vec::as_slice)
    }
}

/// The attribute that a field takes: what its elements are compared by, in the place of their text.
pub(super) fn reading_of(planned: &PlanField) -> Option<&str> {
    match &planned.selectors.first()?.take {
        Take::Attr(name) => Some(name),
        _ => None,
    }
}

fn gather_readings<'e>(plan: &'e Plan, readings: &mut Vec<Option<&'e str>>) {
    for planned in &plan.fields {
        readings.push(reading_of(planned));
        if let Some(Nested::Plan(inner)) = &planned.nested {
            gather_readings(inner, readings);
        }
    }
}

impl<'e, 'a> Run<'e, 'a> {
    pub(super) fn index(&self, reading: Option<&str>) -> Option<&PageIndex<'a>> {
        let Content::Document(document) = self.page.content else { return None };
        let indexes = &self.healing.as_ref()?.indexes;
        let (_, index) = indexes.iter().find(|(own, _)| *own == reading)?;
        Some(index.get_or_init(|| PageIndex::reading(document, reading)))
    }

    pub(super) fn threshold(&self) -> f32 {
        self.healing.as_ref().map_or(1.0, |healing| healing.snapshot.threshold())
    }

    /// How a field heals: as it says; where the schema says nothing of healing, as the session does.
    fn mode(&self, field: &Field) -> HealMode {
        let Some(healing) = &self.healing else { return HealMode::Off };
        let can = !field.selectors.is_empty() && field.selectors.iter().all(|selector| selector.query.finds_elements());
        let mode = match field.heal {
            HealMode::Off if can && !self.extractor.heals() => healing.snapshot.auto_match(),
            said => said,
        };
        // What is not calibrated says nothing of being right.
        if mode == HealMode::Bind && !healing.snapshot.model().calibrated { HealMode::Suggest } else { mode }
    }

    /// The strongest mode of a plan's fields: what is asked of the records as a whole.
    fn mode_of(&self, plan: &Plan) -> Option<HealMode> {
        let modes = || plan.schema.fields.iter().map(|field| self.mode(field));
        match (modes().any(|mode| mode == HealMode::Bind), modes().any(|mode| mode == HealMode::Suggest)) {
            (true, _) => Some(HealMode::Bind),
            (_, true) => Some(HealMode::Suggest),
            _ => None,
        }
    }

    /// Looks for the records themselves, when `each` finds none and a field of theirs heals.
    pub(super) fn heal_each(&mut self, plan: &'e Plan, found: Vec<Scope<'a>>) -> Vec<Scope<'a>> {
        let (Some(each), Some(mode)) = (&plan.each, self.mode_of(plan)) else { return found };
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
        let root = document.root();
        let approved = self.by_approved(EACH, report, &[root], true);
        if !approved.is_empty() {
            self.learn(EACH, None, &approved);
            return approved.into_iter().map(|element| Scope::Node(element.node())).collect();
        }
        let own = self.found_again(EACH, None, &|_| true);
        let attempt = match own {
            Some(own) if own.confidence >= self.threshold() => Some(own),
            own => self.around_fields(plan).or_else(|| self.carried_over(EACH, &[root], true, &|_| true)).or(own),
        };
        let Some(attempt) = attempt else { return found };
        let judged = Judged { path: EACH, selectors: std::slice::from_ref(each), report, reading: None, mode };
        let healed = self.judge(&judged, attempt, &[root]);
        healed.into_iter().map(|element| Scope::Node(element.node())).collect()
    }

    /// The records by what they hold: a field that stood in each of them, and is surely found again as a list, lies in the
    /// records still. As sure as that field is; where two fields would have it differently, nothing is.
    fn around_fields(&self, plan: &'e Plan) -> Option<Attempt<'a>> {
        let records = self.healing.as_ref()?.snapshot.get(EACH)?.listed(self.url)?;
        let mut best: Option<Attempt<'a>> = None;
        for (field, planned) in plan.schema.fields.iter().zip(&plan.fields) {
            let (reading, selector) = (reading_of(planned), planned.selectors.first());
            let known = self.healing.as_ref()?.remembered(&planned.path, reading);
            let (Some(selector), Some(true)) = (selector, known.map(|known| known.listed(self.url) == Some(records)))
            else {
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
            let says = because(format!("holds `{}`, which is found again", planned.path));
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

    /// Remembers the fields that match, and looks for those that match in no record; then those of nested datasets.
    pub(super) fn heal_fields(&mut self, plan: &'e Plan, scopes: &[Scope<'a>]) {
        if self.healing.is_none() {
            return;
        }
        let nodes: Vec<Node<'a>> = scopes.iter().filter_map(node_of).collect();
        if nodes.is_empty() {
            return;
        }
        let mut lost: Vec<Lost<'e, 'a>> = Vec::new();
        for (field, planned) in plan.schema.fields.iter().zip(&plan.fields) {
            let mode = self.mode(field);
            if mode == HealMode::Off || planned.selectors.is_empty() || self.field_matches(field, planned, &nodes) {
                continue;
            }
            let fits = |elements: &[Element<'a>]| self.fits_records(field, planned, &nodes, elements);
            let attempt = self.found_again(&planned.path, reading_of(planned), &fits);
            lost.push(Lost { field, planned, mode, attempt });
        }
        // Fields of one element are found again together: the surest of them says where.
        let together: Vec<Option<Attempt<'a>>> = (0..lost.len()).map(|at| self.found_with(&lost, at, &nodes)).collect();
        for (lost, together) in lost.into_iter().zip(together) {
            let Lost { field, planned, mode, attempt: own } = lost;
            let attempt = match together.or(own) {
                Some(own) if own.fits && own.confidence >= self.threshold() => Some(own),
                own => {
                    let fits = |elements: &[Element<'a>]| self.fits_records(field, planned, &nodes, elements);
                    let many = field.cardinality == Cardinality::Many;
                    self.carried_over(&planned.path, &nodes, many, &fits).or(own)
                }
            };
            if let Some(attempt) = attempt {
                let (selectors, report) = (planned.selectors.as_slice(), planned.report);
                let judged = Judged { path: &planned.path, selectors, report, reading: reading_of(planned), mode };
                let elements = self.judge(&judged, attempt, &nodes);
                self.bind(report, &elements, &nodes);
            }
        }
        for planned in &plan.fields {
            let Some(Nested::Plan(inner)) = &planned.nested else { continue };
            let places: Vec<Scope<'a>> = scopes.iter().flat_map(|scope| self.nested_places(planned, scope)).collect();
            let records = places.into_iter().flat_map(|place| self.scopes(inner, place).unwrap_or_default()).collect();
            self.heal_fields(inner, &dedup(records));
        }
    }

    /// Where the records of a nested dataset stand, by its selectors or by healing.
    fn nested_places(&self, planned: &'e PlanField, scope: &Scope<'a>) -> Vec<Scope<'a>> {
        if planned.selectors.is_empty() {
            return vec![scope.clone()];
        }
        let mut found = planned.selectors.iter().filter_map(|selector| self.page.places(selector, scope).ok());
        found.find(|places| !places.is_empty()).unwrap_or_else(|| self.healed_places(planned, scope))
    }

    /// Where healing found the records of a nested dataset.
    pub(super) fn healed_places(&self, planned: &PlanField, scope: &Scope<'a>) -> Vec<Scope<'a>> {
        let bound = self.healing.as_ref().and_then(|healing| healing.bound(planned.report, scope));
        bound.unwrap_or_default().iter().map(|element| Scope::Node(element.node())).collect()
    }

    /// What a surer field of the same elements found.
    fn found_with(&self, lost: &[Lost<'e, 'a>], at: usize, scopes: &[Node<'a>]) -> Option<Attempt<'a>> {
        let Lost { field, planned, attempt: own, .. } = &lost[at];
        let healing = self.healing.as_ref()?;
        let known = healing.remembered(&planned.path, reading_of(planned))?;
        let surer = lost.iter().filter_map(|lost| {
            let other = lost.planned;
            let attempt = lost.attempt.as_ref().filter(|attempt| attempt.fits)?;
            let theirs = healing.remembered(&other.path, reading_of(other))?;
            let ahead = own.as_ref().is_none_or(|own| !own.fits || own.confidence < attempt.confidence);
            (other.path != planned.path && ahead && theirs.same_elements(known, self.url)).then_some((other, attempt))
        });
        let (other, attempt) = surer.max_by(|a, b| a.1.confidence.total_cmp(&b.1.confidence))?;
        self.fits_records(field, planned, scopes, &attempt.elements).then(|| Attempt {
            evidence: vec![because(format!("the element of `{}`, which is found again", other.path))],
            ..attempt.clone()
        })
    }

    /// Whether the selectors of a field match in any record, or one that was approved; what they match is remembered, and
    /// looked at.
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
                    alone &= self.is_whole(field, selector, *scope, &matched[before..]);
                    break;
                }
            }
        }
        if matched.is_empty() {
            matched = self.by_approved(&planned.path, planned.report, scopes, many);
            self.bind(planned.report, &matched, scopes);
        }
        // An element that holds a label too would give it back with the value.
        if !matched.is_empty() && alone {
            self.check_drift(planned, &matched);
            self.learn(&planned.path, reading_of(planned), &matched);
        }
        !matched.is_empty()
    }

    /// Whether what a selector takes is all that its elements hold. The value beside a label may be a part of one.
    fn is_whole(&self, field: &Field, selector: &'e Compiled, scope: Node<'a>, elements: &[Element<'a>]) -> bool {
        if !matches!(selector.find, Find::AfterText(_) | Find::BeforeText(_)) || selector.take != Take::Text {
            return true;
        }
        let values = self.page.values(selector, &Scope::Node(scope), &field.kind, elements.len()).unwrap_or_default();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        values.len() == elements.len()
            && values.iter().zip(elements).all(|(value, element)| match &value.content {
                FoundContent::Text { text, .. } => words(text) == words(&element.text()),
                FoundContent::Json(_) => false,
            })
    }

    /// What a selector finds that a person approved, or that was confirmed.
    fn by_approved(&mut self, path: &str, report: usize, scopes: &[Node<'a>], many: bool) -> Vec<Element<'a>> {
        let proposed = self.healing.as_ref().and_then(|healing| healing.snapshot.proposed(path));
        let in_use = proposed.filter(|proposed| proposed.state.is_in_use());
        let Some((proposed, selector)) = in_use.and_then(|own| Some((own, own.selector.as_ref()?))) else {
            return Vec::new();
        };
        let found = select_in(scopes, selector, many);
        if !found.is_empty() {
            let selector = proposed.text.clone().unwrap_or_default();
            let outcome = Outcome::Approved { selector, by: proposed.state.as_str().to_owned(), count: found.len() };
            self.report.fields[report].note(0, outcome);
        }
        found
    }

    /// What a selector finds that a heal of another page proposed: a site that was redesigned was redesigned on all its
    /// pages, and one decision holds for them all. As sure as it was there, if what it finds can be the field's.
    fn carried_over(
        &self,
        path: &str,
        scopes: &[Node<'a>],
        many: bool,
        fits: &dyn Fn(&[Element<'a>]) -> bool,
    ) -> Option<Attempt<'a>> {
        let proposed = self.healing.as_ref()?.snapshot.proposed(path)?;
        let pending = !proposed.state.is_in_use() && proposed.confidence >= self.threshold();
        let elements = select_in(scopes, proposed.selector.as_ref().filter(|_| pending)?, many);
        if elements.is_empty() || !fits(&elements) {
            return None;
        }
        let page = proposed.page.as_deref().unwrap_or("another page");
        let says = format!("the selector that was found on {page}");
        let (confidence, evidence) = (proposed.confidence, vec![because(says)]);
        Some(Attempt { elements, confidence, fits: true, evidence, rivals: Vec::new(), carried: true })
    }

    /// Whether elements can be a field's: each lies in a record, and nearly all hold what the field reads.
    fn fits_records(&self, field: &Field, planned: &PlanField, scopes: &[Node<'a>], elements: &[Element<'a>]) -> bool {
        let Some(selector) = planned.selectors.first() else { return false };
        let many = field.cardinality == Cardinality::Many;
        let held = |element: &&Element<'a>| planned.nested.is_some() || self.reads(field, selector, **element);
        let per_record = |scope: &Node<'a>| elements.iter().filter(|element| scope.contains(element.node())).count();
        let counts: Vec<usize> = scopes.iter().map(per_record).collect();
        let good = elements.iter().filter(held).count();
        counts.iter().sum::<usize>() == elements.len()
            && (many || counts.iter().all(|&count| count <= 1))
            && good * 10 >= elements.len() * 9
    }

    fn bind(&mut self, report: usize, elements: &[Element<'a>], scopes: &[Node<'a>]) {
        for scope in scopes {
            let own: Vec<Element<'a>> =
                elements.iter().copied().filter(|element| scope.contains(element.node())).collect();
            if let (false, Some(healing)) = (own.is_empty(), &mut self.healing) {
                healing.bound.insert((report, scope.id().get()), own);
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
}

/// A field that matches in no record.
struct Lost<'e, 'a> {
    field: &'e Field,
    planned: &'e PlanField,
    mode: HealMode,
    attempt: Option<Attempt<'a>>,
}

/// What a selector finds in each of some places: all, or the first.
fn select_in<'a>(scopes: &[Node<'a>], selector: &CssSelector, many: bool) -> Vec<Element<'a>> {
    let most = if many { usize::MAX } else { 1 };
    let in_scope = |scope: &Node<'a>| -> Vec<Element<'a>> {
        match scope.as_element() {
            Some(element) => element.select(selector).take(most).collect(),
            None => scope.document().select(selector).take(most).collect(),
        }
    };
    scopes.iter().flat_map(in_scope).collect()
}

fn because(says: String) -> Evidence {
    Evidence { says, weight: 0.0 }
}

/// Nested places may be found from several records.
fn dedup(scopes: Vec<Scope<'_>>) -> Vec<Scope<'_>> {
    let mut seen = HashSet::new();
    scopes.into_iter().filter(|scope| node_of(scope).is_none_or(|node| seen.insert(node.id().get()))).collect()
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

//! One run of a compiled schema over one page.

use crawlingo_schema::{Cardinality, Field, Kind, Transform};

use super::compile::{Compiled, Nested, Plan, PlanField};
use super::convert::{from_json, transform};
use super::find::{Found, FoundContent, Page, Scope};
use super::heal::Healing;
use super::report::{FieldReport, Outcome, Report};
use super::{Content, ExtractLimits, Extraction, Extractor, Source};
use crate::dataset::Record;
use crate::heal::{EACH, HealSnapshot};
use crate::value::{ConvertContext, Value, convert};
use crate::{Error, ErrorKind};

pub(super) struct Run<'e, 'a> {
    pub(super) extractor: &'e Extractor,
    pub(super) page: Page<'a>,
    pub(super) url: Option<&'a url::Url>,
    pub(super) healing: Option<Healing<'e, 'a>>,
    language: Option<&'a str>,
    now: Option<jiff::Timestamp>,
    pub(super) report: Report,
    record: usize,
    values: usize,
    bytes: usize,
}

impl<'e, 'a> Run<'e, 'a> {
    pub(super) fn new(extractor: &'e Extractor, source: &Source<'a>, snapshot: Option<&'e HealSnapshot>) -> Self {
        let field = |path: &str| FieldReport { path: path.to_owned(), ..FieldReport::default() };
        let mut fields: Vec<FieldReport> = extractor.reports.iter().map(|path| field(path)).collect();
        if snapshot.is_some() && extractor.plan.each.is_some() {
            fields.push(field(EACH));
        }
        let report = Report { found: 0, fields };
        let language = match source.content {
            Content::Document(document) => document.language(),
            Content::Json(_) => None,
        };
        Self {
            extractor,
            page: Page::new(source),
            url: source.url,
            healing: snapshot.map(|snapshot| Healing::new(snapshot, &extractor.plan)),
            language,
            now: source.now,
            report,
            record: 0,
            values: 0,
            bytes: 0,
        }
    }

    pub(super) fn page(mut self) -> Extraction {
        let extractor = self.extractor;
        let plan = &extractor.plan;
        let (mut records, mut errors) = (Vec::new(), Vec::new());
        let scopes = match self.scopes(plan, self.page.root()) {
            Ok(scopes) => scopes,
            Err(error) => {
                errors.push(error);
                Vec::new()
            }
        };
        let scopes = self.heal_each(plan, scopes);
        self.heal_fields(plan, &scopes);
        self.report.found = scopes.len();
        for (at, scope) in scopes.into_iter().enumerate() {
            self.record = at;
            match self.record(&[plan], scope) {
                Ok(record) => records.push(record),
                Err(error) => {
                    let over = self.over_limit().is_some();
                    errors.push(error);
                    if over {
                        break;
                    }
                }
            }
        }
        let (learned, found) = self.healing.map(|healing| (healing.learned, healing.found)).unwrap_or_default();
        Extraction { records, errors, report: self.report, learned, found }
    }

    /// Where the records of a plan stand: what `each` finds, or the scope itself.
    pub(super) fn scopes(&self, plan: &Plan, scope: Scope<'a>) -> Result<Vec<Scope<'a>>, Error> {
        match &plan.each {
            Some(each) => self.page.places(each, &scope),
            None => Ok(vec![scope]),
        }
    }

    /// `plans` are the plans around the record, outermost first; the last is its own.
    fn record(&mut self, plans: &[&'e Plan], scope: Scope<'a>) -> Result<Record, Error> {
        let Some(plan) = plans.last().copied() else { return Err(Error::sdk("a record needs a plan")) };
        let mut values = Vec::with_capacity(plan.fields.len());
        for (field, planned) in plan.schema.fields.iter().zip(&plan.fields) {
            let value = match &planned.nested {
                Some(nested) => self.nested(plans, field, planned, nested, &scope)?,
                None => self.field(plan, field, planned, &scope)?,
            };
            values.push(value);
            if let Some(limit) = self.over_limit() {
                return Err(self.failed(plan, planned, String::new(), limit));
            }
        }
        Ok(Record::new(std::sync::Arc::clone(&plan.schema), values).at(self.record))
    }

    fn over_limit(&self) -> Option<String> {
        let ExtractLimits { max_values, max_bytes, .. } = self.extractor.limits;
        if self.values > max_values {
            Some(format!("the page gave more than {max_values} values; narrow `each`, or raise `max_values`"))
        } else if self.bytes > max_bytes {
            Some(format!("the page gave more than {max_bytes} bytes of text; narrow `each`, or raise `max_bytes`"))
        } else {
            None
        }
    }

    fn field(&mut self, plan: &Plan, field: &Field, planned: &PlanField, scope: &Scope<'a>) -> Result<Value, Error> {
        let many = field.cardinality == Cardinality::Many;
        // A join needs all texts, and all of them are read before the first is chosen.
        let joins = field.transforms.iter().any(|step| matches!(step, Transform::Join(_)));
        let limit = match many || joins {
            true => self.extractor.limits.max_values.saturating_sub(self.values).saturating_add(1),
            false => 1,
        };
        let mut reasons = Vec::new();
        for (at, selector) in planned.selectors.iter().enumerate() {
            let found = self.page.values(selector, scope, &field.kind, limit)?;
            if found.is_empty() {
                reasons.push(self.why_nothing(selector, scope));
                continue;
            }
            let (mut values, failures) = self.convert(field, found);
            for reason in &failures {
                self.note(planned, Outcome::NotConverted { selector: at, reason: reason.clone() });
            }
            if values.is_empty() {
                match failures.is_empty() {
                    true => reasons.push(format!("{} finds nothing but white space", selector.shown)),
                    false => reasons.push(format!("{}: {}", selector.shown, failures.join("; "))),
                }
                continue;
            }
            if at > 0 {
                self.note(planned, Outcome::FellBack { selector: at });
            }
            let report = &mut self.report.fields[planned.report];
            report.matched += 1;
            if many {
                report.values += values.len();
                self.values += values.len();
                return Ok(Value::List(values));
            }
            report.values += 1;
            self.values += 1;
            return Ok(values.swap_remove(0));
        }
        let healed = self.healed_values(field, planned, scope);
        if !healed.is_empty() {
            let (mut values, failures) = self.convert(field, healed);
            for reason in failures {
                self.note(planned, Outcome::NotConverted { selector: 0, reason });
            }
            if !values.is_empty() {
                let report = &mut self.report.fields[planned.report];
                report.matched += 1;
                report.values += if many { values.len() } else { 1 };
                self.values += if many { values.len() } else { 1 };
                return Ok(if many { Value::List(values) } else { values.swap_remove(0) });
            }
        }
        if let Some(default) = &planned.default {
            self.note(planned, Outcome::Defaulted);
            return Ok(default.clone());
        }
        let reason = reasons.join("; ");
        match field.cardinality {
            Cardinality::One => {
                self.note(planned, Outcome::Empty { reason: reason.clone() });
                let shown: Vec<_> = planned.selectors.iter().map(|selector| selector.shown.as_str()).collect();
                Err(self.failed(plan, planned, shown.join(", then "), format!("no value: {reason}")))
            }
            Cardinality::Optional => {
                self.note(planned, Outcome::Empty { reason });
                Ok(Value::Null)
            }
            Cardinality::Many => {
                self.note(planned, Outcome::Empty { reason });
                Ok(Value::List(Vec::new()))
            }
        }
    }

    pub(super) fn context(&self) -> ConvertContext<'_> {
        ConvertContext { base: self.page.base.as_ref(), language: self.language, now: self.now }
    }

    /// Values, and the reasons why texts are none.
    fn convert(&mut self, field: &Field, found: Vec<Found>) -> (Vec<Value>, Vec<String>) {
        let context = ConvertContext { base: self.page.base.as_ref(), language: self.language, now: self.now };
        let many = field.cardinality == Cardinality::Many;
        let (mut values, mut failures) = (Vec::new(), Vec::new());
        let (mut texts, mut verbatim_all) = (Vec::new(), true);
        for found in found {
            match found.content {
                FoundContent::Text { text, verbatim } => {
                    self.bytes = self.bytes.saturating_add(text.len());
                    verbatim_all &= verbatim;
                    texts.push(text);
                }
                FoundContent::Json(json) => match from_json(&json, &field.kind, context) {
                    Ok(value) => values.push(value),
                    Err(error) => failures.push(error.to_string()),
                },
            }
        }
        for text in transform(texts, &field.transforms) {
            if text.trim().is_empty() && !(many && field.kind == Kind::Text) {
                continue;
            }
            if verbatim_all && field.kind == Kind::Text {
                values.push(Value::Text(text));
                continue;
            }
            match convert(&text, &field.kind, context) {
                Ok(value) => values.push(value),
                Err(error) => failures.push(error.to_string()),
            }
        }
        (values, failures)
    }

    fn nested(
        &mut self,
        plans: &[&'e Plan],
        field: &Field,
        planned: &'e PlanField,
        nested: &'e Nested,
        scope: &Scope<'a>,
    ) -> Result<Value, Error> {
        let Some(plan) = plans.last().copied() else { return Err(Error::sdk("a record needs a plan")) };
        if plans.len() > self.extractor.limits.max_depth {
            let message = format!("the page nests this dataset more than {} deep", self.extractor.limits.max_depth);
            return Err(self.failed(plan, planned, String::new(), message));
        }
        let mut inner: Vec<&'e Plan> = plans.to_vec();
        let recursive = match nested {
            Nested::Plan(plan) => {
                inner.push(plan);
                false
            }
            Nested::Outer(depth) => {
                inner.push(plans[plans.len() - 1 - depth]);
                true
            }
        };
        let same_place = planned.selectors.is_empty();
        let mut scopes = match same_place {
            true => vec![scope.clone()],
            false => Vec::new(),
        };
        let mut reasons = Vec::new();
        for (at, selector) in planned.selectors.iter().enumerate() {
            scopes = self.page.places(selector, scope)?;
            if !scopes.is_empty() {
                if at > 0 {
                    self.note(planned, Outcome::FellBack { selector: at });
                }
                break;
            }
            reasons.push(self.why_nothing(selector, scope));
        }
        if scopes.is_empty() {
            scopes = self.healed_places(planned, scope);
        }
        if recursive {
            outermost(&mut scopes);
        } else if let Some(plan) = inner.last() {
            let mut expanded = Vec::new();
            for scope in scopes {
                expanded.extend(self.scopes(plan, scope)?);
            }
            scopes = expanded;
        }
        if scopes.is_empty() {
            let reason = reasons.join("; ");
            self.note(planned, Outcome::Empty { reason: reason.clone() });
            return match field.cardinality {
                Cardinality::One => {
                    let shown: Vec<_> = planned.selectors.iter().map(|selector| selector.shown.as_str()).collect();
                    Err(self.failed(plan, planned, shown.join(", then "), format!("no element: {reason}")))
                }
                Cardinality::Optional => Ok(Value::Null),
                Cardinality::Many => Ok(Value::List(Vec::new())),
            };
        }
        if field.cardinality == Cardinality::Many {
            let mut records = Vec::with_capacity(scopes.len());
            for (at, scope) in scopes.into_iter().enumerate() {
                let record = self.record(&inner, scope).map_err(|error| error.in_item(&planned.path, at))?;
                records.push(Value::Record(Box::new(record)));
            }
            self.report.fields[planned.report].matched += 1;
            self.report.fields[planned.report].values += records.len();
            return Ok(Value::List(records));
        }
        let first = scopes.swap_remove(0);
        match self.record(&inner, first) {
            Ok(record) => {
                self.report.fields[planned.report].matched += 1;
                self.report.fields[planned.report].values += 1;
                Ok(Value::Record(Box::new(record)))
            }
            // A group of fields on the same element that may be missing is missing when it is not complete.
            Err(error) if same_place && field.cardinality == Cardinality::Optional && self.over_limit().is_none() => {
                self.note(planned, Outcome::Empty { reason: error.to_string() });
                Ok(Value::Null)
            }
            Err(error) => Err(error),
        }
    }

    fn why_nothing(&self, selector: &Compiled, scope: &Scope<'a>) -> String {
        use crawlingo_schema::Take;
        if let (Take::Attr(name), Ok(places)) = (&selector.take, self.page.places(selector, scope))
            && let Some(Scope::Node(node)) = places.first()
            && let Some(element) = node.as_element()
        {
            let has: Vec<_> = element.attrs().map(|(name, _)| name).take(8).collect();
            let has = if has.is_empty() { "no attributes".to_owned() } else { has.join(", ") };
            return format!("{} finds <{}> without `{name}` (it has {has})", selector.shown, element.tag());
        }
        format!("{} finds nothing", selector.shown)
    }

    fn note(&mut self, planned: &PlanField, outcome: Outcome) {
        self.report.fields[planned.report].note(self.record, outcome);
    }

    fn failed(&self, _plan: &Plan, planned: &PlanField, selector: String, message: String) -> Error {
        Error::new(ErrorKind::Extraction {
            url: None,
            dataset: self.extractor.plan.schema.name.clone(),
            record: self.record,
            field: planned.path.clone(),
            selector,
            message,
        })
    }
}

/// Keeps the places that lie in no other: the direct children of a recursive dataset, not theirs.
fn outermost(scopes: &mut Vec<Scope<'_>>) {
    let mut last: Option<crate::dom::Node<'_>> = None;
    let mut keep = Vec::with_capacity(scopes.len());
    for scope in scopes.iter() {
        keep.push(match scope {
            Scope::Node(node) => {
                let inside = last.is_some_and(|outer| outer.contains(*node));
                if !inside {
                    last = Some(*node);
                }
                !inside
            }
            Scope::Json(_) => true,
        });
    }
    let mut at = 0;
    scopes.retain(|_| {
        at += 1;
        keep[at - 1]
    });
}

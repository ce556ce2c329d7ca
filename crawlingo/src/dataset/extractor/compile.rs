//! A schema, compiled: selectors parsed once, defaults converted once.

use std::sync::Arc;

use crawlingo_schema::css::CssSelector;
use crawlingo_schema::path::Path;
use crawlingo_schema::xpath::XPath;
use crawlingo_schema::{
    Cardinality, Field, Kind, Query, RegexOn, Schema, SchemaError, SchemaErrorKind, Selector, Take, css, path, pattern,
    xpath,
};
use regex::Regex;
use serde_json_path::JsonPath;

use super::convert::from_json;
use crate::select::anchor::TextQuery;
use crate::value::{ConvertContext, Value};

pub(super) struct Plan {
    pub(super) schema: Arc<Schema>,
    pub(super) each: Option<Compiled>,
    pub(super) fields: Vec<PlanField>,
}

pub(super) struct PlanField {
    /// The position in the schema is that in the plan.
    pub(super) selectors: Vec<Compiled>,
    pub(super) default: Option<Value>,
    pub(super) nested: Option<Nested>,
    /// The position of the field's report.
    pub(super) report: usize,
    /// `offer.price`.
    pub(super) path: String,
}

pub(super) enum Nested {
    Plan(Plan),
    /// So many plans further out: the plan around the field is 0.
    Outer(usize),
}

pub(super) struct Compiled {
    pub(super) find: Find,
    pub(super) take: Take,
    pub(super) within: Option<CssSelector>,
    /// For errors: `css "h3 a"`.
    pub(super) shown: String,
}

pub(super) enum Find {
    Css(CssSelector),
    XPath(XPath),
    Regex(Regex, RegexOn),
    Text(TextQuery),
    AfterText(TextQuery),
    BeforeText(TextQuery),
    JsonLd(Path),
    Meta(String),
    Microdata(Path),
    Json(JsonPath),
}

impl Compiled {
    pub(super) fn new(selector: &Selector) -> Result<Self, SchemaError> {
        selector.check()?;
        let mut take = selector.take.clone();
        let anchor =
            |text: &str, exact: bool, ignore_case: bool| TextQuery::new(text).exact(exact).ignore_case(ignore_case);
        let find = match &selector.query {
            Query::Css(text) => {
                let parsed = css::parse(text)?;
                if let Some(said) = parsed.take() {
                    take = said.clone();
                }
                Find::Css(parsed)
            }
            Query::XPath(text) => Find::XPath(xpath::parse(text)?),
            Query::Regex { pattern, on } => Find::Regex(pattern::parse(pattern)?, *on),
            Query::Text { text, exact, ignore_case } => Find::Text(anchor(text, *exact, *ignore_case)),
            Query::AfterText { text, exact, ignore_case } => Find::AfterText(anchor(text, *exact, *ignore_case)),
            Query::BeforeText { text, exact, ignore_case } => Find::BeforeText(anchor(text, *exact, *ignore_case)),
            Query::JsonLd(text) => Find::JsonLd(path::parse(text)?),
            Query::Meta(name) => Find::Meta(name.clone()),
            Query::Microdata(text) => Find::Microdata(path::parse(text)?),
            Query::Json(text) => Find::Json(path::parse_json(text)?),
            other => {
                return Err(SchemaError::new(
                    SchemaErrorKind::Structure,
                    format!("selectors of the kind `{}` cannot be run", other.key()),
                ));
            }
        };
        let within = selector.within.as_deref().map(css::parse).transpose()?;
        let shown = format!("{} {:?}", selector.query.key(), selector.query.expression());
        Ok(Self { find, take, within, shown })
    }
}

/// Compiles a schema whose parts were checked. `outer` are the names of the schemas around it, outermost first.
pub(super) fn compile(
    schema: &Schema,
    prefix: &str,
    outer: &mut Vec<String>,
    reports: &mut Vec<String>,
) -> Result<Plan, SchemaError> {
    let each = schema.each.as_ref().map(Compiled::new).transpose().map_err(|error| error.at("each"))?;
    outer.push(schema.name.clone());
    let mut fields = Vec::with_capacity(schema.fields.len());
    for field in &schema.fields {
        fields.push(compile_field(field, prefix, outer, reports).map_err(|error| error.at(field.name.clone()))?);
    }
    outer.pop();
    Ok(Plan { schema: Arc::new(schema.clone()), each, fields })
}

fn compile_field(
    field: &Field,
    prefix: &str,
    outer: &mut Vec<String>,
    reports: &mut Vec<String>,
) -> Result<PlanField, SchemaError> {
    let path = format!("{prefix}{}", field.name);
    let report = reports.len();
    reports.push(path.clone());
    let selectors = field.selectors.iter().map(Compiled::new).collect::<Result<Vec<_>, _>>()?;
    let default = match &field.default {
        None => None,
        Some(json) => Some(from_json(json, &field.kind, ConvertContext::default()).map_err(|error| {
            SchemaError::new(SchemaErrorKind::Value, format!("the default does not fit: {error}"))
                .with_hint(format!("write a default that reads as a {}", field.kind.name()))
        })?),
    };
    let nested = match &field.kind {
        Kind::Dataset(inner) => Some(Nested::Plan(compile(inner, &format!("{path}."), outer, reports)?)),
        Kind::Ref(name) => {
            let depth = outer.iter().rev().position(|around| around == name).ok_or_else(|| {
                SchemaError::new(SchemaErrorKind::Structure, format!("no dataset around is called `{name}`"))
            })?;
            if field.cardinality == Cardinality::One {
                return Err(SchemaError::new(
                    SchemaErrorKind::Structure,
                    "a recursive field that must be there has no end",
                )
                .with_hint("make it optional or a list"));
            }
            Some(Nested::Outer(depth))
        }
        _ => None,
    };
    Ok(PlanField { selectors, default, nested, report, path })
}

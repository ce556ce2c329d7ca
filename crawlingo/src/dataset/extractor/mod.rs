//! The extractor: a compiled schema that runs over pages.
//!
//! For each record that `each` finds, each field goes through its chain of selectors until one gives a value; the text
//! goes through the field's transforms and its kind's parser. A required field without a value fails its record and no
//! other. What deviated from "the first selector matched" stands in the [`Report`].

mod compile;
mod convert;
mod find;
mod heal;
mod heal_judge;
#[cfg(test)]
mod heal_tests;
mod report;
mod run;

use std::any::TypeId;
use std::sync::{Arc, OnceLock};

use crawlingo_schema::{HealMode, Schema};
use dashmap::DashMap;
use url::Url;

pub use report::{FieldReport, Note, Outcome, Report};

use super::{Dataset, Record};
use crate::Error;
use crate::dom::Document;
use crate::heal::{Found, HealSnapshot, Remembered};

/// A page, as the extractor sees it.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    content: Content<'a>,
    url: Option<&'a Url>,
    now: Option<jiff::Timestamp>,
}

#[derive(Debug, Clone, Copy)]
enum Content<'a> {
    Document(&'a Document),
    Json(&'a serde_json::Value),
}

impl<'a> Source<'a> {
    /// An HTML or XML document. `url` is where it was found: relative addresses are relative to it, or to its
    /// `<base href>`.
    pub fn document(document: &'a Document, url: Option<&'a Url>) -> Self {
        Self { content: Content::Document(document), url, now: None }
    }

    /// A JSON response.
    pub fn json(json: &'a serde_json::Value, url: Option<&'a Url>) -> Self {
        Self { content: Content::Json(json), url, now: None }
    }

    /// The moment that relative dates ("3 days ago") count from, such as when the page was fetched. Without it they
    /// are refused.
    #[must_use]
    pub fn at(mut self, now: jiff::Timestamp) -> Self {
        self.now = Some(now);
        self
    }
}

/// Bounds on what one page may make an extraction do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractLimits {
    /// The most values of one page, over all records and fields.
    pub max_values: usize,
    /// The most bytes of text taken from one page; nested records can take the same text many times.
    pub max_bytes: usize,
    /// The most levels of a recursive dataset.
    pub max_depth: usize,
}

impl Default for ExtractLimits {
    fn default() -> Self {
        Self { max_values: 1_000_000, max_bytes: 256 << 20, max_depth: 64 }
    }
}

/// What came of a page.
#[derive(Debug)]
#[non_exhaustive]
pub struct Extraction {
    /// The records, in the order of the page.
    pub records: Vec<Record>,
    /// Why records are missing: one error for each record that could not be made.
    pub errors: Vec<Error>,
    /// What happened, field by field.
    pub report: Report,
    /// What is to be remembered for healing, by field: empty without a [`HealSnapshot`], and where nothing is new.
    pub learned: Vec<(String, Remembered)>,
    /// What healing found, for people to look at: empty without a [`HealSnapshot`].
    pub found: Vec<Found>,
}

impl Extraction {
    /// All records, or the first error.
    ///
    /// # Errors
    /// When any record could not be made.
    pub fn into_records(self) -> Result<Vec<Record>, Error> {
        match self.errors.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(self.records),
        }
    }
}

/// A compiled schema. Make it once and run it over many pages; it is `Send` and `Sync`.
///
/// ```
/// use crawlingo::dataset::{Extractor, Source};
/// use crawlingo::dom::Document;
/// use crawlingo::schema::{Field, Kind, Schema, Selector};
///
/// let schema = Schema::builder("Book")
///     .each(Selector::css("li"))
///     .field(Field::new("title", Kind::Text, Selector::css("b")))
///     .field(Field::new("pages", Kind::Integer, Selector::regex(r"(\d+) pages")).optional())
///     .build()?;
/// let document = Document::parse("<ul><li><b>Ulysses</b>, 730 pages<li><b>Dubliners</b></ul>");
/// let extraction = Extractor::new(&schema)?.extract(&Source::document(&document, None));
/// let json = serde_json::to_string(&extraction.records).unwrap();
/// assert_eq!(json, r#"[{"title":"Ulysses","pages":730},{"title":"Dubliners","pages":null}]"#);
/// # Ok::<(), crawlingo::Error>(())
/// ```
pub struct Extractor {
    plan: compile::Plan,
    reports: Vec<String>,
    limits: ExtractLimits,
}

impl Extractor {
    /// Compiles a schema.
    ///
    /// # Errors
    /// `ErrorKind::Selector` with the first fault and its place.
    pub fn new(schema: &Schema) -> Result<Self, Error> {
        schema.check()?;
        let mut reports = Vec::new();
        let plan = compile::compile(schema, "", &mut Vec::new(), &mut reports)
            .map_err(|error| error.at(schema.name.clone()))?;
        Ok(Self { plan, reports, limits: ExtractLimits::default() })
    }

    /// The extractor of a dataset type, compiled at its first use.
    ///
    /// # Errors
    /// As [`new`](Self::new); the derive macro checks almost all of it at compile time.
    pub fn of<T: Dataset + 'static>() -> Result<Arc<Self>, Error> {
        static COMPILED: OnceLock<DashMap<TypeId, Arc<Extractor>>> = OnceLock::new();
        let compiled = COMPILED.get_or_init(DashMap::new);
        if let Some(extractor) = compiled.get(&TypeId::of::<T>()) {
            return Ok(Arc::clone(&extractor));
        }
        let extractor = Arc::new(Self::new(&T::schema())?);
        compiled.insert(TypeId::of::<T>(), Arc::clone(&extractor));
        Ok(extractor)
    }

    /// Sets the bounds on one page.
    #[must_use]
    pub fn with_limits(mut self, limits: ExtractLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The schema.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.plan.schema
    }

    /// Extracts all records of a page. Never fails as a whole: what could not be made stands in `errors`.
    /// Nothing heals; see [`extract_with`](Self::extract_with).
    pub fn extract(&self, source: &Source<'_>) -> Extraction {
        self.run(source, None)
    }

    /// Extracts all records of a page; fields that ask for it heal by what the snapshot remembers. What was healed, and
    /// what was not bound for want of confidence, stands in the report; what is to be remembered, in `learned`.
    pub fn extract_with(&self, source: &Source<'_>, snapshot: &HealSnapshot) -> Extraction {
        self.run(source, Some(snapshot))
    }

    /// Whether a field of the schema asks for healing.
    pub fn heals(&self) -> bool {
        self.plan.schema.fields.iter().any(|field| field.heal != HealMode::Off)
    }

    fn run(&self, source: &Source<'_>, snapshot: Option<&HealSnapshot>) -> Extraction {
        let mut extraction = run::Run::new(self, source, snapshot).page();
        if let Some(url) = source.url {
            extraction.errors = extraction.errors.into_iter().map(|error| error.at_url(url.as_str())).collect();
        }
        extraction
    }

    /// Extracts all records of a page as a dataset type.
    ///
    /// # Errors
    /// When a record could not be made, or its type refuses a value.
    pub fn extract_as<T: Dataset>(&self, source: &Source<'_>) -> Result<Vec<T>, Error> {
        let at = |error: Error| match source.url {
            Some(url) => error.at_url(url.as_str()),
            None => error,
        };
        self.extract(source).into_records()?.into_iter().map(|record| T::from_record(record).map_err(at)).collect()
    }
}

impl std::fmt::Debug for Extractor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Extractor").field("schema", &self.plan.schema.name).finish_non_exhaustive()
    }
}

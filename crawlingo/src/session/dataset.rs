//! A schema put together at run time and run at once: sugar over [`Schema::builder`] and the [`Extractor`].

use crawlingo_schema::{Cardinality, DateOptions, Field, HealMode, Kind, Schema, Selector, Transform};

use super::Session;
use crate::Error;
use crate::dataset::{Extractor, Record, Report};

/// A field in the making: a selector, what is taken, and of which kind it is.
#[derive(Debug, Clone)]
#[must_use]
pub struct FieldBuilder {
    selectors: Vec<Selector>,
    kind: Kind,
    cardinality: Cardinality,
    transforms: Vec<Transform>,
    default: Option<serde_json::Value>,
    heal: HealMode,
}

macro_rules! starters {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])* pub fn $name(expression: impl Into<String>) -> FieldBuilder { FieldBuilder::new(Selector::$name(expression)) })+
    };
}

starters! {
    /// A field that a CSS selector finds.
    css,
    /// A field that an XPath expression finds.
    xpath,
    /// A field that a regular expression finds in the visible text.
    regex,
    /// The deepest element that shows a text.
    text,
    /// The value that follows a label.
    after_text,
    /// The value that precedes a label.
    before_text,
    /// A path into the page's JSON-LD.
    jsonld,
    /// A `<meta>`.
    meta,
    /// A path into the page's microdata.
    microdata,
    /// A JSONPath.
    json,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident => $kind:expr),+ $(,)?) => {
        $($(#[$doc])* pub fn $name(mut self) -> Self { self.kind = $kind; self })+
    };
}

impl FieldBuilder {
    fn new(selector: Selector) -> Self {
        Self {
            selectors: vec![selector],
            kind: Kind::Text,
            cardinality: Cardinality::One,
            transforms: Vec::new(),
            default: None,
            heal: HealMode::Off,
        }
    }

    kinds! {
        /// The value is a price.
        price => Kind::price(),
        /// The value is a whole number.
        integer => Kind::Integer,
        /// The value is a float.
        float => Kind::Float,
        /// The value is an exact decimal number.
        decimal => Kind::Decimal,
        /// The value is yes or no.
        boolean => Kind::Bool,
        /// The value is a date.
        date => Kind::Date(DateOptions::default()),
        /// The value is a date with a time.
        datetime => Kind::DateTime(DateOptions::default()),
        /// The value is an instant.
        timestamp => Kind::Timestamp(DateOptions::default()),
        /// The value is a URL.
        url => Kind::Url,
        /// The value is an e-mail address.
        email => Kind::Email,
        /// The value is a telephone number.
        phone => Kind::phone(),
        /// The value is JSON.
        any_json => Kind::Json,
    }

    /// Sets the kind of the value, for one with options.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Takes an attribute instead of the text.
    pub fn attr(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.last(|selector| selector.attr(name))
    }

    /// Takes something else than the text.
    pub fn take(self, take: crawlingo_schema::Take) -> Self {
        self.last(|selector| selector.take(take))
    }

    /// Narrows the search to what a CSS selector finds.
    pub fn within(self, css: impl Into<String>) -> Self {
        let css = css.into();
        self.last(|selector| selector.within(css))
    }

    fn last(mut self, change: impl FnOnce(Selector) -> Selector) -> Self {
        if let Some(last) = self.selectors.pop() {
            self.selectors.push(change(last));
        }
        self
    }

    /// Adds the selectors of another field, to be tried when those before find nothing.
    pub fn or(mut self, other: Self) -> Self {
        self.selectors.extend(other.selectors);
        self
    }

    /// Missing is fine.
    pub fn optional(mut self) -> Self {
        self.cardinality = Cardinality::Optional;
        self
    }

    /// Every match is a value.
    pub fn many(mut self) -> Self {
        self.cardinality = Cardinality::Many;
        self
    }

    /// Sets what stands in where nothing is found.
    pub fn default(mut self, value: impl Into<serde_json::Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// Adds a step before the conversion.
    pub fn transform(mut self, step: Transform) -> Self {
        self.transforms.push(step);
        self
    }

    /// The selector may heal.
    pub fn heal(mut self) -> Self {
        self.heal = HealMode::Bind;
        self
    }

    fn into_field(self, name: String) -> Field {
        let mut field =
            Field::with_selectors(name, self.kind, self.selectors).cardinality(self.cardinality).heal(self.heal);
        field.default = self.default;
        field.transforms = self.transforms;
        field
    }
}

/// The records of a page, and what happened.
#[derive(Debug)]
#[non_exhaustive]
pub struct Extracted {
    /// The records.
    pub records: Vec<Record>,
    /// What happened, field by field.
    pub report: Report,
}

/// Describes what is wanted of a page; made by [`Session::dataset`].
#[derive(Debug)]
#[must_use]
pub struct DatasetBuilder<'s> {
    session: &'s Session,
    url: String,
    name: String,
    each: Option<Selector>,
    fields: Vec<Field>,
}

impl<'s> DatasetBuilder<'s> {
    pub(super) fn new(session: &'s Session, url: String) -> Self {
        Self { session, url, name: "Dataset".to_owned(), each: None, fields: Vec::new() }
    }

    /// Names the dataset.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets what finds the records; without it, the page is one.
    pub fn each(mut self, selector: FieldBuilder) -> Self {
        self.each = selector.selectors.into_iter().next();
        self
    }

    /// Adds a field.
    pub fn field(mut self, name: impl Into<String>, field: FieldBuilder) -> Self {
        self.fields.push(field.into_field(name.into()));
        self
    }

    /// The schema as described so far.
    ///
    /// # Errors
    /// `ErrorKind::Selector` with the first fault and its place.
    pub fn schema(&self) -> Result<Schema, Error> {
        let mut builder = Schema::builder(self.name.as_str());
        if let Some(each) = &self.each {
            builder = builder.each(each.clone());
        }
        Ok(self.fields.iter().fold(builder, |builder, field| builder.field(field.clone())).build()?)
    }

    /// Fetches the page and extracts the records.
    ///
    /// # Errors
    /// When the description is wrong (before anything is fetched), the page cannot be fetched, or a required field of
    /// any record is missing.
    pub async fn build(self) -> Result<Extracted, Error> {
        let extractor = Extractor::new(&self.schema()?)?;
        let page = self.session.page(&self.url).await?;
        let extraction = self.session.0.pool.run(move || Ok(page.extract(&extractor))).await?;
        let report = extraction.report.clone();
        Ok(Extracted { records: extraction.into_records()?, report })
    }
}

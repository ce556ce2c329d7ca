//! One field of a dataset.

use crate::{Kind, SchemaError, SchemaErrorKind, Selector};

/// How many values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Cardinality {
    /// One; missing is an error.
    #[default]
    One,
    /// One or none.
    Optional,
    /// Any number, none included.
    Many,
}

impl Cardinality {
    /// `one`, `optional` or `many`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Optional => "optional",
            Self::Many => "many",
        }
    }
}

/// What happens when a selector no longer finds its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HealMode {
    /// Nothing: the field is missing.
    #[default]
    Off,
    /// The element is looked for and reported, not used.
    Suggest,
    /// The element is looked for and used where the confidence is high enough.
    Bind,
}

impl HealMode {
    /// `off`, `suggest` or `bind`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Suggest => "suggest",
            Self::Bind => "bind",
        }
    }

    /// The mode with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "suggest" => Some(Self::Suggest),
            "bind" => Some(Self::Bind),
            _ => None,
        }
    }
}

/// A step between the text that was found and its conversion, applied in the order written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transform {
    /// White space is taken off both ends.
    Trim,
    /// That text is taken off both ends, as often as it stands there.
    Strip(String),
    /// Every occurrence of `from` becomes `to`.
    Replace {
        /// The text to look for.
        from: String,
        /// What takes its place.
        to: String,
    },
    /// One text becomes several, at each separator; empty parts are dropped.
    Split(String),
    /// Several texts become one.
    Join(String),
    /// Lower case.
    Lower,
    /// Upper case.
    Upper,
}

/// One field: its name, where it stands, what it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name in the output.
    pub name: String,
    /// What the field means, for people.
    pub description: Option<String>,
    /// Where the value stands: a chain, tried in order. Empty only for a nested dataset on the same element.
    pub selectors: Vec<Selector>,
    /// The kind of one value.
    pub kind: Kind,
    /// How many values.
    pub cardinality: Cardinality,
    /// What stands in where nothing is found: text (which is converted like the page's), a number, a truth value, or
    /// JSON for the kind `json`.
    pub default: Option<serde_json::Value>,
    /// Steps before the conversion.
    pub transforms: Vec<Transform>,
    /// What happens when the selectors find nothing.
    pub heal: HealMode,
    /// The value is changed by code of the host language (`with = path`), so that other readers of the schema would
    /// get another value.
    pub host_transform: bool,
}

impl Field {
    /// A required field with one selector.
    pub fn new(name: impl Into<String>, kind: Kind, selector: Selector) -> Self {
        Self::with_selectors(name, kind, vec![selector])
    }

    /// A required field with a chain of selectors.
    pub fn with_selectors(name: impl Into<String>, kind: Kind, selectors: Vec<Selector>) -> Self {
        Self {
            name: name.into(),
            description: None,
            selectors,
            kind,
            cardinality: Cardinality::One,
            default: None,
            transforms: Vec::new(),
            heal: HealMode::Off,
            host_transform: false,
        }
    }

    /// Adds a selector that is tried when those before it find nothing.
    #[must_use]
    pub fn or(mut self, selector: Selector) -> Self {
        self.selectors.push(selector);
        self
    }

    /// Missing is fine.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.cardinality = Cardinality::Optional;
        self
    }

    /// Every match is a value.
    #[must_use]
    pub fn many(mut self) -> Self {
        self.cardinality = Cardinality::Many;
        self
    }

    /// Sets the cardinality.
    #[must_use]
    pub fn cardinality(mut self, cardinality: Cardinality) -> Self {
        self.cardinality = cardinality;
        self
    }

    /// Sets what stands in where nothing is found.
    #[must_use]
    pub fn default_value(mut self, value: impl Into<serde_json::Value>) -> Self {
        self.default = Some(value.into());
        self
    }

    /// Adds a step before the conversion.
    #[must_use]
    pub fn transform(mut self, transform: Transform) -> Self {
        self.transforms.push(transform);
        self
    }

    /// Sets the healing mode.
    #[must_use]
    pub fn heal(mut self, mode: HealMode) -> Self {
        self.heal = mode;
        self
    }

    /// Says what the field means.
    #[must_use]
    pub fn describe(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Marks the value as changed by the host language.
    #[must_use]
    pub fn host_transform(mut self) -> Self {
        self.host_transform = true;
        self
    }

    /// Checks the selectors and that they can give the kind.
    ///
    /// # Errors
    /// The first fault, with the field's name as its place.
    pub fn check(&self) -> Result<(), SchemaError> {
        self.check_inner().map_err(|error| error.at(self.name.clone()))
    }

    fn check_inner(&self) -> Result<(), SchemaError> {
        if self.name.is_empty() {
            return Err(SchemaError::new(SchemaErrorKind::Structure, "a field has no name"));
        }
        let nested = matches!(self.kind, Kind::Dataset(_) | Kind::Ref(_));
        if self.selectors.is_empty() && !nested {
            return Err(SchemaError::new(SchemaErrorKind::Structure, "the field has no selector")
                .with_hint("add one, such as `css = \"h1\"`"));
        }
        for selector in &self.selectors {
            selector.check()?;
            check_fit(selector, &self.kind)?;
        }
        if self.default.is_some() && (nested || self.cardinality == Cardinality::Many) {
            return Err(SchemaError::new(SchemaErrorKind::Structure, "a default makes sense for a single value only")
                .with_hint("a list is empty and a nested dataset is optional where nothing is found"));
        }
        if self.heal != HealMode::Off
            && !self.selectors.iter().any(|s| s.query.finds_elements())
            && let Some(first) = self.selectors.first()
        {
            return Err(SchemaError::new(
                SchemaErrorKind::Structure,
                format!("`heal` needs a selector that finds an element, and `{}` finds a value", first.query.key()),
            )
            .with_hint("use `css`, `xpath` or a text anchor, or leave out `heal`"));
        }
        Ok(())
    }
}

/// Whether a selector can give values of a kind at all.
///
/// # Errors
/// `SchemaErrorKind::Kind` where it cannot.
pub(crate) fn check_fit(selector: &Selector, kind: &Kind) -> Result<(), SchemaError> {
    use crate::Query;
    if matches!(kind, Kind::Dataset(_) | Kind::Ref(_)) {
        let fits = match &selector.query {
            Query::Css(text) => crate::css::parse(text).map_or(true, |css| css.take().is_none()),
            Query::XPath(_) | Query::Text { .. } | Query::AfterText { .. } | Query::BeforeText { .. } => true,
            Query::Json(_) => true,
            _ => false,
        };
        if !fits || selector.take != crate::Take::Text {
            return Err(SchemaError::new(
                SchemaErrorKind::Kind,
                format!("`{}` gives a text here, and a nested dataset needs an element", selector.query.key()),
            )
            .with_hint("select the element with `css` or `xpath`, without `attr`, `::text` or the like"));
        }
    }
    Ok(())
}

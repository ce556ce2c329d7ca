//! A selector: where on a page a value stands, and what of it is taken.

use crate::{SchemaError, SchemaErrorKind, css, path, pattern, xpath};

/// What a regular expression runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RegexOn {
    /// The visible text.
    #[default]
    Text,
    /// The HTML source of the element.
    Html,
}

/// How a place is found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Query {
    /// A CSS selector; `::text` and `::attr(name)` at its end are understood.
    Css(String),
    /// An XPath 1.0 expression.
    XPath(String),
    /// A regular expression: the first capture group, or the whole match where there is none.
    Regex {
        /// The pattern, in the syntax of the `regex` crate.
        pattern: String,
        /// What it runs over.
        on: RegexOn,
    },
    /// The deepest element whose visible text contains `text`.
    Text {
        /// The text, white space normalised.
        text: String,
        /// The whole text must be equal.
        exact: bool,
        /// Upper and lower case are the same.
        ignore_case: bool,
    },
    /// The value that follows a label.
    AfterText {
        /// The label.
        text: String,
        /// The label's element must hold nothing else.
        exact: bool,
        /// Upper and lower case are the same.
        ignore_case: bool,
    },
    /// The value that precedes a label.
    BeforeText {
        /// The label.
        text: String,
        /// The label's element must hold nothing else.
        exact: bool,
        /// Upper and lower case are the same.
        ignore_case: bool,
    },
    /// A path into the page's JSON-LD, such as `Product.offers.price`.
    JsonLd(String),
    /// A `<meta>` name or property, such as `og:title`.
    Meta(String),
    /// A path into the page's microdata.
    Microdata(String),
    /// A JSONPath (RFC 9535) over a JSON response, or over the JSON that `Selector::within` names.
    Json(String),
}

impl Query {
    /// The key under which the kind stands in files and attributes.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Css(_) => "css",
            Self::XPath(_) => "xpath",
            Self::Regex { .. } => "regex",
            Self::Text { .. } => "text",
            Self::AfterText { .. } => "after_text",
            Self::BeforeText { .. } => "before_text",
            Self::JsonLd(_) => "jsonld",
            Self::Meta(_) => "meta",
            Self::Microdata(_) => "microdata",
            Self::Json(_) => "json",
        }
    }

    /// The expression itself.
    pub fn expression(&self) -> &str {
        match self {
            Self::Css(text)
            | Self::XPath(text)
            | Self::Regex { pattern: text, .. }
            | Self::Text { text, .. }
            | Self::AfterText { text, .. }
            | Self::BeforeText { text, .. }
            | Self::JsonLd(text)
            | Self::Meta(text)
            | Self::Microdata(text)
            | Self::Json(text) => text,
        }
    }

    /// Whether the kind finds elements, of which an attribute, HTML or Markdown can be taken.
    pub fn finds_elements(&self) -> bool {
        matches!(
            self,
            Self::Css(_) | Self::XPath(_) | Self::Text { .. } | Self::AfterText { .. } | Self::BeforeText { .. }
        )
    }

    /// Whether the kind finds JSON values, of which nothing else than the value can be taken.
    pub fn finds_json(&self) -> bool {
        matches!(self, Self::JsonLd(_) | Self::Json(_) | Self::Microdata(_))
    }
}

/// What is taken of a place that was found.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Take {
    /// The visible text (for kind `url`: the `href` or `src` where the element is a link or an image).
    #[default]
    Text,
    /// The element's own text, without that of its children.
    OwnText,
    /// The HTML inside of the element.
    Html,
    /// The HTML with the element itself.
    OuterHtml,
    /// The content as Markdown.
    Markdown,
    /// An attribute.
    Attr(String),
}

/// Where a value stands, and what of it is taken.
///
/// ```
/// use crawlingo_schema::Selector;
/// let selector = Selector::css("h3 a").attr("title");
/// selector.check()?;
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Selector {
    /// How the place is found.
    pub query: Query,
    /// What is taken.
    pub take: Take,
    /// A CSS selector that narrows the search: for `regex`, the text anchors, and `json` (the script that holds the
    /// JSON).
    pub within: Option<String>,
}

impl Selector {
    /// A selector that takes the text of what `query` finds.
    pub fn new(query: Query) -> Self {
        Self { query, take: Take::Text, within: None }
    }

    /// A selector of a kind that is named, such as in a form or a file, checked.
    ///
    /// ```
    /// use crawlingo_schema::Selector;
    /// let selector = Selector::parse("after_text", "Price")?;
    /// assert_eq!(selector, Selector::after_text("Price"));
    /// let error = Selector::parse("ccs", "h1").unwrap_err();
    /// assert_eq!(error.hint(), Some("did you mean `css`?"));
    /// # Ok::<(), crawlingo_schema::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such kind, or the expression does not parse.
    pub fn parse(kind: &str, expression: &str) -> Result<Self, SchemaError> {
        let selector = match kind {
            "css" => Self::css(expression),
            "xpath" => Self::xpath(expression),
            "regex" => Self::regex(expression),
            "text" => Self::text(expression),
            "after_text" => Self::after_text(expression),
            "before_text" => Self::before_text(expression),
            "jsonld" => Self::jsonld(expression),
            "meta" => Self::meta(expression),
            "microdata" => Self::microdata(expression),
            "json" => Self::json(expression),
            other => {
                let kinds = crate::QUERY_KEYS;
                let error = SchemaError::new(
                    SchemaErrorKind::UnknownKey,
                    format!("there is no selector of the kind `{other}`"),
                );
                return Err(match crate::suggest(other, kinds.iter().copied()) {
                    Some(meant) => error.with_hint(format!("did you mean `{meant}`?")),
                    None => error.with_hint(format!("it is one of: {}", kinds.join(", "))),
                });
            }
        };
        selector.check()?;
        Ok(selector)
    }

    /// A CSS selector.
    pub fn css(selector: impl Into<String>) -> Self {
        Self::new(Query::Css(selector.into()))
    }

    /// An XPath expression.
    pub fn xpath(expression: impl Into<String>) -> Self {
        Self::new(Query::XPath(expression.into()))
    }

    /// A regular expression over the visible text.
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self::new(Query::Regex { pattern: pattern.into(), on: RegexOn::Text })
    }

    /// The deepest element that contains a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Query::Text { text: text.into(), exact: false, ignore_case: false })
    }

    /// The value after a label.
    pub fn after_text(label: impl Into<String>) -> Self {
        Self::new(Query::AfterText { text: label.into(), exact: false, ignore_case: false })
    }

    /// The value before a label.
    pub fn before_text(label: impl Into<String>) -> Self {
        Self::new(Query::BeforeText { text: label.into(), exact: false, ignore_case: false })
    }

    /// A path into JSON-LD.
    pub fn jsonld(path: impl Into<String>) -> Self {
        Self::new(Query::JsonLd(path.into()))
    }

    /// A meta name or property.
    pub fn meta(name: impl Into<String>) -> Self {
        Self::new(Query::Meta(name.into()))
    }

    /// A path into microdata.
    pub fn microdata(path: impl Into<String>) -> Self {
        Self::new(Query::Microdata(path.into()))
    }

    /// A JSONPath.
    pub fn json(path: impl Into<String>) -> Self {
        Self::new(Query::Json(path.into()))
    }

    /// Takes an attribute instead of the text.
    #[must_use]
    pub fn attr(self, name: impl Into<String>) -> Self {
        self.take(Take::Attr(name.into()))
    }

    /// Takes something else than the text.
    #[must_use]
    pub fn take(mut self, take: Take) -> Self {
        self.take = take;
        self
    }

    /// Narrows the search to what a CSS selector finds.
    #[must_use]
    pub fn within(mut self, css: impl Into<String>) -> Self {
        self.within = Some(css.into());
        self
    }

    /// Runs a regular expression over the HTML instead of the visible text; no effect on other kinds.
    #[must_use]
    pub fn on_html(mut self) -> Self {
        if let Query::Regex { on, .. } = &mut self.query {
            *on = RegexOn::Html;
        }
        self
    }

    /// Asks a text anchor for the whole text; no effect on other kinds.
    #[must_use]
    pub fn exact(mut self) -> Self {
        if let Query::Text { exact, .. } | Query::AfterText { exact, .. } | Query::BeforeText { exact, .. } =
            &mut self.query
        {
            *exact = true;
        }
        self
    }

    /// Lets a text anchor ignore upper and lower case; no effect on other kinds.
    #[must_use]
    pub fn ignore_case(mut self) -> Self {
        if let Query::Text { ignore_case, .. }
        | Query::AfterText { ignore_case, .. }
        | Query::BeforeText { ignore_case, .. } = &mut self.query
        {
            *ignore_case = true;
        }
        self
    }

    /// Parses the expression with the parser that will run, and checks that its parts fit together.
    ///
    /// # Errors
    /// The first fault, with its place in the expression.
    pub fn check(&self) -> Result<(), SchemaError> {
        match &self.query {
            Query::Css(text) => {
                let parsed = css::parse(text)?;
                if parsed.take().is_some() && self.take != Take::Text {
                    return Err(SchemaError::new(
                        SchemaErrorKind::Structure,
                        "the selector already says what to take with `::text` or `::attr()`",
                    )
                    .with_hint("keep one of the two"));
                }
            }
            Query::XPath(text) => {
                let _: xpath::XPath = xpath::parse(text)?;
            }
            Query::Regex { pattern, .. } => drop(pattern::parse(pattern)?),
            Query::Text { text, .. } | Query::AfterText { text, .. } | Query::BeforeText { text, .. } => {
                if text.trim().is_empty() {
                    return Err(SchemaError::new(SchemaErrorKind::Text, "the text to look for is empty")
                        .with_hint("write the label as it stands on the page"));
                }
            }
            Query::JsonLd(text) | Query::Microdata(text) => drop(path::parse(text)?),
            Query::Meta(text) => path::check_meta(text)?,
            Query::Json(text) => drop(path::parse_json(text)?),
        }
        if let Some(within) = &self.within {
            if matches!(self.query, Query::Css(_) | Query::XPath(_) | Query::JsonLd(_) | Query::Meta(_)) {
                return Err(SchemaError::new(
                    SchemaErrorKind::Structure,
                    format!("`within` has no meaning for `{}`", self.query.key()),
                )
                .with_hint("it narrows `regex`, `text`, `after_text`, `before_text`, `microdata` and `json`"));
            }
            css::parse(within)?;
        }
        if self.take != Take::Text && !self.query.finds_elements() {
            return Err(SchemaError::new(
                SchemaErrorKind::Structure,
                format!("`{}` finds a value, not an element, so nothing else can be taken of it", self.query.key()),
            )
            .with_hint("leave out `attr`, `own_text`, `html`, `outer_html` and `markdown` here"));
        }
        if let Take::Attr(name) = &self.take
            && (name.is_empty()
                || name.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '>' | '/' | '=')))
        {
            return Err(SchemaError::new(SchemaErrorKind::Value, format!("`{name}` is not an attribute's name"))
                .with_span(name.clone(), 0..name.len())
                .with_hint("write the name alone, such as `href`"));
        }
        Ok(())
    }
}

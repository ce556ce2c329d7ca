//! The error of a schema or of one of its expressions.

use std::fmt;
use std::ops::Range;

/// What a [`SchemaError`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// A CSS selector does not parse.
    Css,
    /// An XPath expression does not parse.
    XPath,
    /// A regular expression does not parse, or is too large.
    Regex,
    /// A path into structured data (JSON-LD, meta, microdata, JSONPath) does not parse.
    Path,
    /// A text anchor is empty.
    Text,
    /// A key that does not exist.
    UnknownKey,
    /// Keys that cannot stand together, or one that is missing.
    Structure,
    /// A value of the wrong type, or out of range.
    Value,
    /// The selector cannot give the kind of value asked for.
    Kind,
}

/// Why a schema, or an expression in it, is refused: what, where (a byte range of `source`) and how to mend it.
///
/// ```
/// use crawlingo_schema::Selector;
/// let error = Selector::css("div >> a").check().unwrap_err();
/// assert!(error.span().is_some());
/// assert!(error.to_string().contains("div >> a"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: SchemaErrorKind,
    message: String,
    source: Option<String>,
    span: Option<Range<usize>>,
    hint: Option<String>,
    place: Vec<String>,
}

impl SchemaError {
    /// A new error; add the rest with the `with_*` methods.
    pub fn new(kind: SchemaErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), source: None, span: None, hint: None, place: Vec::new() }))
    }

    /// Names the expression and the byte range in it where the fault is. The range is clamped to the expression.
    #[must_use]
    pub fn with_span(mut self, source: impl Into<String>, span: Range<usize>) -> Self {
        let source = source.into();
        let start = floor_boundary(&source, span.start);
        let end = floor_boundary(&source, span.end.max(start));
        self.0.span = Some(start..end);
        self.0.source = Some(source);
        self
    }

    /// Says how to mend it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// Adds an outer place, such as a field's name. Called from the inside out.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.0.place.insert(0, place.into());
        self
    }

    /// What the error is about.
    pub fn kind(&self) -> SchemaErrorKind {
        self.0.kind
    }

    /// The message alone, without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The expression in which the fault is.
    pub fn source_text(&self) -> Option<&str> {
        self.0.source.as_deref()
    }

    /// The byte range of the fault in [`source_text`](Self::source_text).
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }

    /// How to mend it.
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The place in the schema, outermost first: `["Book", "price"]`.
    pub fn place(&self) -> &[String] {
        &self.0.place
    }
}

fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        if !inner.place.is_empty() {
            write!(f, "{}: ", inner.place.join("."))?;
        }
        write!(f, "{}", inner.message)?;
        if let (Some(source), Some(span)) = (&inner.source, &inner.span) {
            // A multi-line expression shows the line of the fault only; a very long one, a window around it.
            let line_start = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = source[span.start..].find('\n').map_or(source.len(), |at| span.start + at);
            let from = floor_boundary(source, line_start.max(span.start.saturating_sub(60)));
            let to = floor_boundary(source, line_end.min(span.end.max(span.start) + 60));
            let before = source[from..span.start].chars().count() + if from > line_start { 1 } else { 0 };
            let width = source[span.start..span.end.clamp(span.start, to)].chars().count().max(1);
            write!(
                f,
                "\n  | {}{}{}\n  | {}{}",
                if from > line_start { "…" } else { "" },
                &source[from..to],
                if to < line_end { "…" } else { "" },
                " ".repeat(before),
                "^".repeat(width),
            )?;
        }
        if let Some(hint) = &inner.hint {
            write!(f, "\n  = help: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}

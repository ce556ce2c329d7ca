//! Paths into structured data: dotted paths for JSON-LD and microdata, names of `<meta>`, JSONPath.

use serde_json_path::JsonPath;

use crate::{SchemaError, SchemaErrorKind};

/// A dotted path such as `Product.offers.price`: steps of names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Path {
    /// The steps.
    pub steps: Vec<String>,
}

/// Parses a dotted path.
///
/// # Errors
/// What is wrong with it, and where.
pub fn parse(text: &str) -> Result<Path, SchemaError> {
    let mut steps = Vec::new();
    let mut start = 0;
    for step in text.split('.') {
        let span = start..start + step.len();
        start = span.end + 1;
        if step.trim().is_empty() {
            return Err(SchemaError::new(SchemaErrorKind::Path, "a step of the path is empty")
                .with_span(text, span.start..span.end.max(span.start + 1))
                .with_hint("write names with single dots between them, such as `Product.offers.price`"));
        }
        steps.push(step.to_owned());
    }
    Ok(Path { steps })
}

/// Checks the name of a `<meta>`.
///
/// # Errors
/// What is wrong with it.
pub fn check_meta(name: &str) -> Result<(), SchemaError> {
    if name.trim().is_empty() {
        return Err(SchemaError::new(SchemaErrorKind::Path, "the meta name is empty")
            .with_hint("write the name or property, such as `og:title`"));
    }
    Ok(())
}

/// Parses a JSONPath.
///
/// # Errors
/// What is wrong with it, and where.
pub fn parse_json(text: &str) -> Result<JsonPath, SchemaError> {
    JsonPath::parse(text).map_err(|error| {
        let at = error.position();
        SchemaError::new(SchemaErrorKind::Path, format!("the JSONPath does not parse: {}", error.message()))
            .with_span(text, at..at + 1)
            .with_hint("a JSONPath begins with `$`, such as `$.items[*].price`")
    })
}

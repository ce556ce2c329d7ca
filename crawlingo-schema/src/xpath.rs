//! XPath 1.0. (placeholder until the grammar lands)

use crate::{SchemaError, SchemaErrorKind};

/// A parsed XPath expression.
#[derive(Debug, Clone)]
pub struct XPath(());

/// Parses an XPath expression.
///
/// # Errors
/// Always, until XPath lands.
pub fn parse(text: &str) -> Result<XPath, SchemaError> {
    Err(SchemaError::new(SchemaErrorKind::XPath, "XPath selectors are not available in this version")
        .with_span(text, 0..text.len())
        .with_hint("use `css` or a text anchor"))
}

//! CSS selectors. (placeholder until the grammar lands)

use crate::{SchemaError, SchemaErrorKind, Take};

/// A parsed CSS selector.
#[derive(Debug, Clone)]
pub struct CssSelector {
    take: Option<Take>,
}

impl CssSelector {
    /// What `::text` or `::attr(name)` at the end asks for.
    pub fn take(&self) -> Option<&Take> {
        self.take.as_ref()
    }
}

/// Parses a CSS selector.
///
/// # Errors
/// What is wrong with it, and where.
pub fn parse(text: &str) -> Result<CssSelector, SchemaError> {
    if text.trim().is_empty() {
        return Err(SchemaError::new(SchemaErrorKind::Css, "the selector is empty"));
    }
    Ok(CssSelector { take: None })
}

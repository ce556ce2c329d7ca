//! From a text of the page to a value of a kind.

use std::fmt;

use crawlingo_schema::Kind;
use url::Url;

use super::Value;

/// What a conversion may need to know about the page.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConvertContext<'a> {
    /// What relative URLs are relative to.
    pub base: Option<&'a Url>,
    /// The page's language (BCP 47), a hint for dates and numbers.
    pub language: Option<&'a str>,
    /// The moment that relative dates ("3 days ago") count from; `None`: they are refused.
    pub now: Option<jiff::Timestamp>,
}

/// A text that is no value of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertError {
    /// What was asked for: `price`, `date`.
    pub kind: &'static str,
    /// What stood there, shortened.
    pub text: String,
    /// Why it does not do.
    pub message: String,
}

impl ConvertError {
    /// An error about a text.
    pub fn new(kind: &'static str, text: &str, message: impl Into<String>) -> Self {
        const SHOWN: usize = 80;
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Self { kind, text: shown, message: message.into() }
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no {}: {}", self.text, self.kind, self.message)
    }
}

impl std::error::Error for ConvertError {}

/// Makes a value of a text. Nested datasets are not texts and are refused.
///
/// # Errors
/// When the text is no value of that kind.
pub fn convert(text: &str, kind: &Kind, context: ConvertContext<'_>) -> Result<Value, ConvertError> {
    let _ = context;
    match kind {
        Kind::Text => Ok(Value::Text(text.to_owned())),
        other => Err(ConvertError::new(other.name(), text, "conversion has not landed")),
    }
}

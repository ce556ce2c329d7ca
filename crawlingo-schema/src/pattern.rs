//! Regular expressions: the `regex` crate's syntax, bounded in size.

use regex::{Regex, RegexBuilder};

use crate::{SchemaError, SchemaErrorKind};

/// The largest compiled size of a pattern, in bytes.
const SIZE_LIMIT: usize = 1 << 20;

/// Compiles a pattern.
///
/// # Errors
/// What is wrong with it, and where.
///
/// ```
/// assert!(crawlingo_schema::pattern::parse(r"(\d+) in stock").is_ok());
/// let error = crawlingo_schema::pattern::parse(r"(\d+ in stock").unwrap_err();
/// assert_eq!(error.span(), Some(0..1));
/// ```
pub fn parse(pattern: &str) -> Result<Regex, SchemaError> {
    if let Err(error) = regex_syntax::Parser::new().parse(pattern) {
        let (message, span) = match &error {
            regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span()),
            regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span()),
            other => return Err(SchemaError::new(SchemaErrorKind::Regex, other.to_string())),
        };
        let error =
            SchemaError::new(SchemaErrorKind::Regex, format!("the regular expression does not parse: {message}"))
                .with_span(pattern, span.start.offset..span.end.offset);
        return Err(if message.contains("look-around") || message.contains("backreference") {
            error.with_hint(
                "look-around and backreferences are left out so that matching is always linear; use a capture group",
            )
        } else {
            error
        });
    }
    RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build().map_err(|_| {
        SchemaError::new(SchemaErrorKind::Regex, "the regular expression becomes too large when compiled")
            .with_hint("use smaller repetition counts, such as `\\d+` for `\\d{1,5000}`")
    })
}

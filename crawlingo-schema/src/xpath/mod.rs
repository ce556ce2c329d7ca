//! XPath 1.0, the whole of it, and what scrapers expect beyond it: `re:test`, `re:match` and `re:replace`, `set:*` and
//! `str:*` of EXSLT, parsel's `has-class`, and from XPath 2 `ends-with`, `matches`, `replace`, `lower-case`,
//! `upper-case`, `string-join` and names of any namespace (`*:name`).
//!
//! This is the grammar; an expression is checked when it is parsed, with the number and the kinds of a function's
//! arguments and with regular expressions that are written out. The runtime evaluates it.

pub mod ast;
mod calls;
mod functions;
mod lexer;
mod mistakes;
mod parser;

use std::sync::Arc;

use regex::Regex;

pub use functions::Function;

use crate::{SchemaError, SchemaErrorKind, pattern};

/// The longest expression, in bytes.
const MAX_LENGTH: usize = 64 << 10;

/// A parsed XPath expression. Cheap to clone.
#[derive(Debug, Clone)]
pub struct XPath(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: String,
    expr: ast::Expr,
    name_tests: usize,
}

impl XPath {
    /// The expression as it was written.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// For the evaluator.
    #[doc(hidden)]
    pub fn expr(&self) -> &ast::Expr {
        &self.0.expr
    }

    /// How many tests of names the expression has.
    #[doc(hidden)]
    pub fn name_tests(&self) -> usize {
        self.0.name_tests
    }
}

impl PartialEq for XPath {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

impl Eq for XPath {}

/// Parses an XPath expression.
///
/// # Errors
/// What is wrong with it, and where.
///
/// ```
/// use crawlingo_schema::xpath;
/// assert!(xpath::parse("//article[h2]/a[1]/@href").is_ok());
///
/// let error = xpath::parse("//a[@href='x'").unwrap_err();
/// assert_eq!(error.message(), "`]` is missing");
/// assert_eq!(error.span(), Some(13..13));
///
/// let error = xpath::parse("//a[contians(@class, 'x')]").unwrap_err();
/// assert_eq!(error.hint(), Some("did you mean `contains(text, part)`?"));
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
pub fn parse(text: &str) -> Result<XPath, SchemaError> {
    parse_with_namespaces(text, &[])
}

/// Parses an XPath expression with prefixes and what they stand for. Others mean what the document says, and the usual
/// ones (`svg`, `math`, `xlink`, `atom`, `dc`, `media`, `re`, `set`, `str` and the like) need not be declared.
///
/// # Errors
/// What is wrong with it, and where.
///
/// ```
/// use crawlingo_schema::xpath;
/// assert!(xpath::parse_with_namespaces("//a:entry", &[("a", "http://www.w3.org/2005/Atom")]).is_ok());
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
pub fn parse_with_namespaces(text: &str, namespaces: &[(&str, &str)]) -> Result<XPath, SchemaError> {
    let error = |message: &str| SchemaError::new(SchemaErrorKind::XPath, message);
    if text.trim().is_empty() {
        return Err(error("the expression is empty").with_hint("write one, such as `//h1` or `//a/@href`"));
    }
    if text.len() > MAX_LENGTH {
        return Err(error("the expression is too long").with_hint(format!("at most {MAX_LENGTH} bytes are read")));
    }
    let (expr, name_tests) = parser::Parser::new(text, namespaces)?.parse()?;
    Ok(XPath(Arc::new(Inner { source: text.to_owned(), expr, name_tests })))
}

/// Compiles a regular expression of `matches`, `re:test` and their like. `g` (all matches) is no matter of the
/// expression and is passed over.
///
/// # Errors
/// What is wrong with it.
#[doc(hidden)]
pub fn compile_regex(pattern: &str, flags: &str) -> Result<Regex, SchemaError> {
    if let Some(flag) = flags.chars().find(|flag| !"gimsxq".contains(*flag)) {
        return Err(SchemaError::new(SchemaErrorKind::XPath, format!("`{flag}` is not a flag"))
            .with_span(flags, 0..flags.len())
            .with_hint("flags are i (any case), m (lines), s (dot takes line breaks), x (blanks ignored), g (all)"));
    }
    let pattern = if flags.contains('q') { regex::escape(pattern) } else { pattern.to_owned() };
    let flags: String = flags.chars().filter(|flag| "imsx".contains(*flag)).collect();
    // Without the flags first, so that the error's place is right.
    let plain = pattern::parse(&pattern)?;
    if flags.is_empty() { Ok(plain) } else { pattern::parse(&format!("(?{flags}){pattern}")) }
}

#[cfg(test)]
mod tests;

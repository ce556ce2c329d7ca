//! CSS selectors: level 4 as far as it has a meaning on a page that stands still, on the `selectors` crate.
//!
//! Beyond the standard there are `:contains("text")` (and `:-soup-contains`, `:-soup-contains-own`), and at the end of a
//! selector parsel's `::text` (the element's own text) and `::attr(name)`. Pseudo-classes of interaction (`:hover`,
//! `:visited`) are understood and match nothing.

mod grammar;
mod pseudo;
mod take;

use selectors::parser::{Component, ParseRelative, SelectorList};

pub use grammar::{Grammar, Ident, Text};
pub use pseudo::PseudoClass;

use crate::{SchemaError, SchemaErrorKind, Take};

/// The longest selector, in bytes.
const MAX_LENGTH: usize = 16 << 10;

/// The deepest nesting of parentheses and brackets.
const MAX_NESTING: usize = 64;

/// A parsed CSS selector: a list of complex selectors, and what `::text` or `::attr()` at its end asks for.
#[derive(Debug, Clone)]
pub struct CssSelector {
    source: String,
    list: SelectorList<Grammar>,
    take: Option<Take>,
}

impl CssSelector {
    /// What `::text` or `::attr(name)` at the end asks for.
    pub fn take(&self) -> Option<&Take> {
        self.take.as_ref()
    }

    /// The selector as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the selector is `:scope` alone: the element itself that the search begins at.
    pub fn is_scope(&self) -> bool {
        let mut parts = self.list.slice().iter();
        match (parts.next(), parts.next()) {
            (Some(only), None) => {
                let mut components = only.iter_raw_match_order();
                matches!((components.next(), components.next()), (Some(Component::Scope), None))
            }
            _ => false,
        }
    }

    /// For the engine that matches.
    #[doc(hidden)]
    pub fn list(&self) -> &SelectorList<Grammar> {
        &self.list
    }
}

impl PartialEq for CssSelector {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for CssSelector {}

/// Parses a CSS selector.
///
/// # Errors
/// What is wrong with it, and where.
///
/// ```
/// use crawlingo_schema::{Take, css};
/// let selector = css::parse("h3 > a::attr(href)")?;
/// assert_eq!(selector.take(), Some(&Take::Attr("href".into())));
///
/// let error = css::parse("li:frist-child").unwrap_err();
/// assert_eq!(error.span(), Some(3..14));
/// assert_eq!(error.hint(), Some("did you mean `:first-child`?"));
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
pub fn parse(text: &str) -> Result<CssSelector, SchemaError> {
    let error = |message: &str| SchemaError::new(SchemaErrorKind::Css, message);
    if text.trim().is_empty() {
        return Err(error("the selector is empty").with_hint("write one, such as `h1` or `.price`"));
    }
    if text.len() > MAX_LENGTH {
        return Err(error("the selector is too long").with_hint(format!("at most {MAX_LENGTH} bytes are read")));
    }
    if let Some(at) = too_deep(text) {
        return Err(error("the selector is nested too deep").with_span(text, at..at + 1));
    }
    let (plain, take) = take::split(text)?;
    let grammar = grammar::CssParser::default();
    let mut input = cssparser::Parser::new(&plain);
    match SelectorList::parse(&grammar, &mut input, ParseRelative::No) {
        Ok(list) => Ok(CssSelector { source: text.to_owned(), list, take }),
        Err(failure) => Err(grammar.error(text, input.position().byte_index(), failure.kind)),
    }
}

/// Where the nesting of brackets passes the bound. Strings count too, which does not matter for a bound this high.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Some(at);
        }
    }
    None
}

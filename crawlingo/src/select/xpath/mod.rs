//! XPath over a document.

use crawlingo_schema::xpath::XPath;

use crate::Error;
use crate::dom::{Element, Node};

/// What an expression found.
pub(crate) enum Hit<'a> {
    /// An element.
    Element(Element<'a>),
    /// A text, an attribute or another value as text, and the element that it belongs to.
    Text(String, Option<Element<'a>>),
}

// The parser refuses every expression until the evaluator is there, so that no schema gets as far as this.
fn unavailable() -> Error {
    Error::config("xpath", "XPath selectors are not available in this version; use `css` or a text anchor")
}

pub(crate) fn elements<'a>(_xpath: &XPath, _scope: Node<'a>) -> Result<Vec<Element<'a>>, Error> {
    Err(unavailable())
}

pub(crate) fn evaluate_found<'a>(_xpath: &XPath, _scope: Node<'a>) -> Result<Vec<Hit<'a>>, Error> {
    Err(unavailable())
}

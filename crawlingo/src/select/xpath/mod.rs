//! XPath over a document: the whole of XPath 1.0 and the extensions that `crawlingo_schema::xpath` names.
//!
//! On a page names are matched without case and without namespaces: `//DIV`, `//svg` and `//svg:rect` find what they
//! say. In an XML document names have case; a prefix means what the document declares it to be, one of the usual ones
//! (`atom`, `dc`, `media`, ...), or what the caller gave to `parse_with_namespaces`; a name without a prefix is in no
//! namespace, and `*:name` in any.
//!
//! A relative expression begins at the element that it is asked of. Asked of a document, it begins at the root element,
//! as in parsel and lxml.
//!
//! ```
//! use crawlingo::dom::Document;
//! let document = Document::parse("<ul><li>a<li class='x y'>b</ul>");
//! assert_eq!(document.xpath("//li[has-class('y')]")?.texts(), ["b"]);
//! assert_eq!(document.xpath("string(//li[1])")?.text(), "a");
//! assert_eq!(document.xpath("count(//li)")?.number(), 2.0);
//!
//! let error = document.xpath("//li[").unwrap_err();
//! assert!(error.to_string().contains("//li["));
//! # Ok::<(), crawlingo::Error>(())
//! ```

mod axes;
mod compare;
mod convert;
mod eval;
mod extensions;
mod functions;
mod item;
mod names;
mod path;
#[cfg(test)]
mod tests;
mod value;

use crawlingo_schema::SchemaErrorKind;
use crawlingo_schema::xpath::{self, XPath};

pub use value::{Variable, Variables, XPathNode, XPathValue};

use crate::Error;
use crate::dom::{Document, Element, Node, NodeId, NodeKind};
use eval::{Context, Evaluator, Value};
use item::{Item, ItemKind, Tree};

/// Evaluates an expression for a node.
///
/// # Errors
/// `ErrorKind::Selector` when a variable has no value, when a regular expression that is made on the way does not parse,
/// and when the evaluation takes more steps than allowed.
pub fn evaluate<'a>(
    xpath: &XPath,
    context: impl Into<XPathNode<'a>>,
    variables: &Variables,
) -> Result<XPathValue<'a>, Error> {
    let (document, item, made) = match context.into() {
        XPathNode::Node(node) => {
            let document = node.document();
            let root = (node.kind() == NodeKind::Document).then(|| document.root_element()).flatten();
            (document, Item::node(root.map_or(node.id(), Element::id).get()), None)
        }
        XPathNode::Attribute { element, index } => {
            (element.document(), Item::attribute(element.id().get(), index as u32), None)
        }
        XPathNode::Namespace { element, prefix, .. } => {
            let document = element.document();
            let place = Tree(document).namespaces(element.id().get()).iter().position(|(known, _)| *known == prefix);
            (document, Item::namespace(element.id().get(), place.unwrap_or_default() as u32), None)
        }
        // A text that stands by itself has no document around it.
        XPathNode::Made(text) => return evaluate_made(xpath, text, variables),
    };
    value_of(document, item, made, xpath, variables)
}

fn evaluate_made<'a>(xpath: &XPath, text: String, variables: &Variables) -> Result<XPathValue<'a>, Error> {
    let document = Document::parse("");
    let value = value_of(&document, Item::made(0), Some(&text), xpath, variables)?;
    Ok(match value {
        XPathValue::Nodes(nodes) => XPathValue::Nodes(
            nodes
                .into_iter()
                .filter_map(|node| match node {
                    XPathNode::Made(text) => Some(XPathNode::Made(text)),
                    _ => None,
                })
                .collect(),
        ),
        XPathValue::Number(number) => XPathValue::Number(number),
        XPathValue::Text(text) => XPathValue::Text(text),
        XPathValue::Boolean(boolean) => XPathValue::Boolean(boolean),
    })
}

fn value_of<'a>(
    document: &'a Document,
    item: Item,
    made: Option<&str>,
    xpath: &XPath,
    variables: &Variables,
) -> Result<XPathValue<'a>, Error> {
    let mut evaluator = Evaluator::new(document, xpath, variables);
    evaluator.made.extend(made.map(Into::into));
    Ok(match evaluator.eval(xpath.expr(), Context::alone(item))? {
        Value::Nodes(nodes) => {
            let made = evaluator.made;
            XPathValue::Nodes(nodes.into_iter().filter_map(|item| node_of(document, item, &made)).collect())
        }
        Value::Number(number) => XPathValue::Number(number),
        Value::Text(text) => XPathValue::Text(text.into_owned()),
        Value::Boolean(boolean) => XPathValue::Boolean(boolean),
    })
}

fn node_of<'a>(document: &'a Document, item: Item, made: &[std::sync::Arc<str>]) -> Option<XPathNode<'a>> {
    if let ItemKind::Made(place) = item.kind() {
        return made.get(place as usize).map(|text| XPathNode::Made(text.to_string()));
    }
    let node = document.node(NodeId::from_u32(item.id()))?;
    match item.kind() {
        ItemKind::Attribute(index) => {
            node.as_element().map(|element| XPathNode::Attribute { element, index: index as usize })
        }
        ItemKind::Namespace(place) => {
            let (prefix, url) = *Tree(document).namespaces(item.id()).get(place as usize)?;
            node.as_element().map(|element| XPathNode::Namespace { element, prefix, url })
        }
        _ => Some(XPathNode::Node(node)),
    }
}

impl Document {
    /// What an XPath expression finds. For an expression that is used often, parse it once and use [`evaluate`].
    ///
    /// # Errors
    /// When the expression does not parse, or takes too many steps.
    pub fn xpath(&self, expression: &str) -> Result<XPathValue<'_>, Error> {
        evaluate(&xpath::parse(expression)?, self.root(), &Variables::new())
    }
}

impl<'a> Element<'a> {
    /// What an XPath expression finds from here. `.//a` looks below this element, `//a` in the whole document.
    ///
    /// ```
    /// let document = crawlingo::dom::Document::parse("<p><a>1</a></p><p><a>2</a></p>");
    /// let second = document.css("p")?[1];
    /// assert_eq!(second.xpath(".//a")?.texts(), ["2"]);
    /// assert_eq!(second.xpath("//a")?.texts(), ["1", "2"]);
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the expression does not parse, or takes too many steps.
    pub fn xpath(self, expression: &str) -> Result<XPathValue<'a>, Error> {
        evaluate(&xpath::parse(expression)?, self, &Variables::new())
    }
}

/// What an expression found, for the extractor.
pub(crate) enum Hit<'a> {
    /// An element.
    Element(Element<'a>),
    /// A text, an attribute or another value as text.
    Text(String),
}

/// The elements that an expression finds.
pub(crate) fn elements<'a>(xpath: &XPath, scope: Node<'a>) -> Result<Vec<Element<'a>>, Error> {
    match evaluate(xpath, scope, &Variables::new())? {
        XPathValue::Nodes(nodes) => Ok(nodes
            .iter()
            .filter_map(|node| match node {
                XPathNode::Node(node) if node.kind() == NodeKind::Document => node.document().root_element(),
                node => node.as_element(),
            })
            .collect()),
        _ => Err(crawlingo_schema::SchemaError::new(
            SchemaErrorKind::XPath,
            "elements are needed here, and the expression gives a value",
        )
        .with_span(xpath.source(), 0..xpath.source().len())
        .with_hint("a path gives elements, such as `//article`")
        .into()),
    }
}

/// All that an expression finds. A text that is empty because nothing was found, such as that of `string(//h1)`, and a
/// number that is none count as nothing.
pub(crate) fn evaluate_found<'a>(xpath: &XPath, scope: Node<'a>) -> Result<Vec<Hit<'a>>, Error> {
    Ok(match evaluate(xpath, scope, &Variables::new())? {
        XPathValue::Nodes(nodes) => nodes
            .into_iter()
            .map(|node| match &node {
                XPathNode::Node(found) => match (found.as_element(), found.kind()) {
                    (Some(element), _) => Hit::Element(element),
                    (None, NodeKind::Document) => match found.document().root_element() {
                        Some(root) => Hit::Element(root),
                        None => Hit::Text(String::new()),
                    },
                    _ => Hit::Text(node.text().into_owned()),
                },
                _ => Hit::Text(node.text().into_owned()),
            })
            .collect(),
        XPathValue::Text(text) if text.is_empty() => Vec::new(),
        XPathValue::Number(number) if number.is_nan() => Vec::new(),
        value => vec![Hit::Text(value.text())],
    })
}

//! What goes into an expression and what comes out of it.

use std::borrow::Cow;
use std::collections::HashMap;

use super::convert;
use crate::dom::{Element, Node};

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum XPathValue<'a> {
    /// Nodes in document order, each once.
    Nodes(Vec<XPathNode<'a>>),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// True or false.
    Boolean(bool),
}

/// A node that an expression found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum XPathNode<'a> {
    /// A node of the tree: an element, a text, a comment, a processing instruction, the document.
    Node(Node<'a>),
    /// An attribute.
    Attribute {
        /// The element that it belongs to.
        element: Element<'a>,
        /// Its place among the element's attributes.
        index: usize,
    },
    /// A namespace in scope of an element.
    Namespace {
        /// The element.
        element: Element<'a>,
        /// The prefix, empty for the default one.
        prefix: &'a str,
        /// The URL.
        url: &'a str,
    },
    /// A text that a function made: `re:match`, `str:tokenize`, `str:split`.
    Made(String),
}

impl<'a> XPathNode<'a> {
    /// The element, if the node is one.
    pub fn as_element(&self) -> Option<Element<'a>> {
        match self {
            Self::Node(node) => node.as_element(),
            _ => None,
        }
    }

    /// The element that the node is, or that it belongs to: of a text its parent, of an attribute its owner.
    pub fn element(&self) -> Option<Element<'a>> {
        match self {
            Self::Node(node) => node.as_element().or_else(|| node.parent().and_then(Node::as_element)),
            Self::Attribute { element, .. } | Self::Namespace { element, .. } => Some(*element),
            Self::Made(_) => None,
        }
    }

    /// The name of an attribute, with its prefix, or of an element.
    pub fn name(&self) -> Cow<'a, str> {
        match self {
            Self::Node(node) => {
                node.as_element().map_or(Cow::Borrowed(""), |element| prefixed(prefix_of(element), element.tag()))
            }
            Self::Attribute { element, index } => element
                .attrs_with_prefix()
                .nth(*index)
                .map_or(Cow::Borrowed(""), |(prefix, local, _)| prefixed(prefix, local)),
            Self::Namespace { prefix, .. } => Cow::Borrowed(prefix),
            Self::Made(_) => Cow::Borrowed(""),
        }
    }

    /// The node's string-value: of an element all text in it, of an attribute its value.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Node(node) => {
                let tree = super::item::Tree(node.document());
                let id = node.id().get();
                tree.leaf_text(id).map_or_else(|| tree.inner_text(id), Cow::Borrowed)
            }
            Self::Attribute { element, index } => {
                Cow::Borrowed(element.attrs().nth(*index).map_or("", |(_, value)| value))
            }
            Self::Namespace { url, .. } => Cow::Borrowed(url),
            Self::Made(text) => Cow::Borrowed(text),
        }
    }
}

fn prefix_of(element: Element<'_>) -> Option<&str> {
    element.name().prefix.as_deref()
}

fn prefixed<'a>(prefix: Option<&str>, local: &'a str) -> Cow<'a, str> {
    match prefix {
        Some(prefix) => format!("{prefix}:{local}").into(),
        None => local.into(),
    }
}

impl<'a> From<Node<'a>> for XPathNode<'a> {
    fn from(node: Node<'a>) -> Self {
        Self::Node(node)
    }
}

impl<'a> From<Element<'a>> for XPathNode<'a> {
    fn from(element: Element<'a>) -> Self {
        Self::Node(element.node())
    }
}

impl<'a> XPathValue<'a> {
    /// The nodes; empty for the other kinds of value.
    pub fn nodes(&self) -> &[XPathNode<'a>] {
        match self {
            Self::Nodes(nodes) => nodes,
            _ => &[],
        }
    }

    /// The elements among the nodes.
    pub fn elements(&self) -> impl Iterator<Item = Element<'a>> {
        self.nodes().iter().filter_map(XPathNode::as_element)
    }

    /// Each node's text, or the one value as text.
    ///
    /// ```
    /// let document = crawlingo::dom::Document::parse("<a href=/1>one</a><a href=/2>two</a>");
    /// assert_eq!(document.xpath("//a/@href")?.texts(), ["/1", "/2"]);
    /// assert_eq!(document.xpath("count(//a)")?.texts(), ["2"]);
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::Nodes(nodes) => nodes.iter().map(|node| node.text().into_owned()).collect(),
            _ => vec![self.text()],
        }
    }

    /// The value as `string()` gives it: of nodes, that of the first.
    pub fn text(&self) -> String {
        match self {
            Self::Nodes(nodes) => nodes.first().map_or_else(String::new, |node| node.text().into_owned()),
            Self::Number(number) => convert::number_to_text(*number),
            Self::Text(text) => text.clone(),
            Self::Boolean(boolean) => boolean.to_string(),
        }
    }

    /// The value as `number()` gives it.
    pub fn number(&self) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Boolean(boolean) => f64::from(u8::from(*boolean)),
            Self::Nodes(_) | Self::Text(_) => convert::text_to_number(&self.text()),
        }
    }

    /// The value as `boolean()` gives it.
    pub fn boolean(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            Self::Boolean(boolean) => *boolean,
        }
    }
}

/// The value of a variable.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Variable {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// True or false.
    Boolean(bool),
}

impl From<f64> for Variable {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for Variable {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Variable {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Variable {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Variable {
    fn from(boolean: bool) -> Self {
        Self::Boolean(boolean)
    }
}

/// The variables of an expression, and how much work it may do.
///
/// ```
/// use crawlingo::dom::Document;
/// use crawlingo::schema::xpath;
/// use crawlingo::select::xpath::{Variables, evaluate};
///
/// let document = Document::parse("<p class=a>1</p><p class=b>2</p>");
/// let by_class = xpath::parse("//p[@class = $class]")?;
/// let found = evaluate(&by_class, document.root(), &Variables::new().with("class", "b"))?;
/// assert_eq!(found.texts(), ["2"]);
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub(super) values: HashMap<String, Variable>,
    pub(super) max_steps: Option<u64>,
}

impl Variables {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable. Its name stands without the `$`.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Variable>) -> Self {
        self.values.insert(name.into(), value.into());
        self
    }

    /// Sets how many nodes may be looked at before the evaluation is given up with an error.
    #[must_use]
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.max_steps = Some(steps);
        self
    }
}

//! References to elements.

use std::fmt;

use html5ever::{Namespace, QualName, ns};

use super::node::{AttrData, Content};
use super::{Document, DocumentKind, Node, NodeId};

/// A reference to an element of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Element<'a> {
    node: Node<'a>,
}

impl<'a> Element<'a> {
    /// `node` must be an element.
    pub(super) fn new_unchecked(node: Node<'a>) -> Self {
        Self { node }
    }

    /// The element as a node.
    pub fn node(self) -> Node<'a> {
        self.node
    }

    /// The document that the element belongs to.
    pub fn document(self) -> &'a Document {
        self.node.document()
    }

    /// The element's place in its document.
    pub fn id(self) -> NodeId {
        self.node.id()
    }

    fn parts(self) -> (u32, &'a [AttrData]) {
        match self.node.data().content {
            Content::Element { name, attrs_start, attrs_end } => {
                (name, &self.document().attrs[attrs_start as usize..attrs_end as usize])
            }
            // `new_unchecked` is only called for elements.
            _ => (0, &[]),
        }
    }

    pub(crate) fn name(self) -> &'a QualName {
        self.document().name(self.parts().0)
    }

    /// The position of the element's name among the document's names: equal for equal names.
    pub(crate) fn name_id(self) -> u32 {
        self.parts().0
    }

    /// The tag's name, in lower case for HTML elements.
    pub fn tag(self) -> &'a str {
        &self.name().local
    }

    pub(crate) fn namespace(self) -> &'a Namespace {
        &self.name().ns
    }

    /// The URL of the element's namespace.
    pub fn namespace_url(self) -> &'a str {
        self.namespace()
    }

    /// The attributes with their namespace's prefix, where they have one: `(Some("xlink"), "href", "#a")`.
    pub fn attrs_with_prefix(self) -> impl ExactSizeIterator<Item = (Option<&'a str>, &'a str, &'a str)> {
        self.qualified_attrs().map(|(name, value)| (name.prefix.as_deref(), &*name.local, value))
    }

    /// Whether the element is an HTML element in an HTML document, so that names are matched without case.
    pub fn is_html(self) -> bool {
        self.document().kind == DocumentKind::Html && *self.namespace() == ns!(html)
    }

    /// An attribute's value. Attributes of a namespace are asked for with their prefix, such as `xlink:href`.
    pub fn attr(self, name: &str) -> Option<&'a str> {
        let document = self.document();
        let found = self.parts().1.iter().find(|attr| {
            let full = document.name(attr.name);
            match &full.prefix {
                None => &*full.local == name || (self.is_html() && (*full.local).eq_ignore_ascii_case(name)),
                Some(prefix) => name
                    .strip_prefix(&**prefix)
                    .and_then(|rest| rest.strip_prefix(':'))
                    .is_some_and(|local| local == &*full.local),
            }
        })?;
        Some(document.span(found.value))
    }

    /// An attribute without a namespace, by its exact name: what `id` and `class` are asked for, often.
    pub(crate) fn plain_attr(self, name: &str) -> Option<&'a str> {
        let document = self.document();
        let found = self.parts().1.iter().find(|attr| {
            let full = document.name(attr.name);
            full.prefix.is_none() && *full.local == *name
        })?;
        Some(document.span(found.value))
    }

    /// Whether both have the same name in the same namespace.
    pub(crate) fn same_name(self, other: Self) -> bool {
        self.name_id() == other.name_id() || self.name().expanded() == other.name().expanded()
    }

    /// The attributes in the order of the source: their names, without a namespace's prefix, and values.
    pub fn attrs(self) -> impl ExactSizeIterator<Item = (&'a str, &'a str)> {
        self.qualified_attrs().map(|(name, value)| (&*name.local, value))
    }

    pub(crate) fn qualified_attrs(self) -> impl ExactSizeIterator<Item = (&'a QualName, &'a str)> {
        let document = self.document();
        self.parts().1.iter().map(move |attr| (document.name(attr.name), document.span(attr.value)))
    }

    /// The classes, in the order of the source.
    pub fn classes(self) -> impl Iterator<Item = &'a str> {
        self.attr("class").unwrap_or_default().split_ascii_whitespace()
    }

    /// The parent element.
    pub fn parent(self) -> Option<Self> {
        self.node.parent().and_then(Node::as_element)
    }

    /// The child elements, in order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Self> {
        self.node.children().filter_map(Node::as_element)
    }

    /// The next element with the same parent.
    pub fn next(self) -> Option<Self> {
        std::iter::successors(self.node.next_sibling(), |node| node.next_sibling()).find_map(Node::as_element)
    }

    /// The element before with the same parent.
    pub fn prev(self) -> Option<Self> {
        std::iter::successors(self.node.prev_sibling(), |node| node.prev_sibling()).find_map(Node::as_element)
    }

    /// The ancestors that are elements, nearest first.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        self.node.ancestors().filter_map(Node::as_element)
    }

    /// The elements of the subtree, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        self.node.descendants().filter_map(Node::as_element)
    }

    /// All text of the subtree as it stands in the source, hidden or not.
    pub fn raw_text(self) -> String {
        self.node.descendants().filter_map(Node::as_text).collect()
    }
}

impl fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}", self.tag())?;
        for (name, value) in self.attrs() {
            write!(f, " {name}={value:?}")?;
        }
        f.write_str(">")
    }
}

//! Nodes of the arena and references to them.

use std::fmt;

use super::{Document, Element};

/// The place of a node in its document. Ids are in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The document node.
    pub const DOCUMENT: Self = Self(0);

    /// The id as a number.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The id with that number; whether there is such a node, the document says.
    pub fn from_u32(id: u32) -> Self {
        Self(id)
    }
}

/// A link to another node; `NONE` where there is none.
pub(crate) const NONE: u32 = u32::MAX;

/// A part of the document's text buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct NodeData {
    pub(crate) parent: u32,
    pub(crate) first_child: u32,
    pub(crate) last_child: u32,
    pub(crate) prev: u32,
    pub(crate) next: u32,
    /// The first id after the node's subtree.
    pub(crate) end: u32,
    pub(crate) content: Content,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Document,
    /// The contents of a `<template>`: its parent is the template, but it is nobody's child.
    Fragment,
    Doctype {
        name: Span,
        public: Span,
        system: Span,
    },
    Element {
        name: u32,
        attrs_start: u32,
        attrs_end: u32,
    },
    Text(Span),
    Comment(Span),
    ProcessingInstruction {
        target: Span,
        data: Span,
    },
}

#[derive(Clone, Copy)]
pub(crate) struct AttrData {
    pub(crate) name: u32,
    pub(crate) value: Span,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// The document itself.
    Document,
    /// The contents of a `<template>`.
    Fragment,
    /// A `<!DOCTYPE>`.
    Doctype,
    /// An element.
    Element,
    /// Text.
    Text,
    /// A comment.
    Comment,
    /// A processing instruction.
    ProcessingInstruction,
}

/// A reference to a node of a document.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    document: &'a Document,
    id: NodeId,
}

impl<'a> Node<'a> {
    pub(crate) fn new(document: &'a Document, id: NodeId) -> Self {
        Self { document, id }
    }

    pub(crate) fn data(self) -> &'a NodeData {
        &self.document.nodes[self.id.0 as usize]
    }

    fn link(self, id: u32) -> Option<Self> {
        (id != NONE).then(|| Self::new(self.document, NodeId(id)))
    }

    /// The document that the node belongs to.
    pub fn document(self) -> &'a Document {
        self.document
    }

    /// The node's place in its document.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// What the node is.
    pub fn kind(self) -> NodeKind {
        match self.data().content {
            Content::Document => NodeKind::Document,
            Content::Fragment => NodeKind::Fragment,
            Content::Doctype { .. } => NodeKind::Doctype,
            Content::Element { .. } => NodeKind::Element,
            Content::Text(_) => NodeKind::Text,
            Content::Comment(_) => NodeKind::Comment,
            Content::ProcessingInstruction { .. } => NodeKind::ProcessingInstruction,
        }
    }

    /// The node as an element, if it is one.
    pub fn as_element(self) -> Option<Element<'a>> {
        matches!(self.data().content, Content::Element { .. }).then(|| Element::new_unchecked(self))
    }

    /// The text of a text node.
    pub fn as_text(self) -> Option<&'a str> {
        match self.data().content {
            Content::Text(span) => Some(self.document.span(span)),
            _ => None,
        }
    }

    /// The text of a comment.
    pub fn as_comment(self) -> Option<&'a str> {
        match self.data().content {
            Content::Comment(span) => Some(self.document.span(span)),
            _ => None,
        }
    }

    /// Target and data of a processing instruction.
    pub fn as_processing_instruction(self) -> Option<(&'a str, &'a str)> {
        match self.data().content {
            Content::ProcessingInstruction { target, data } => {
                Some((self.document.span(target), self.document.span(data)))
            }
            _ => None,
        }
    }

    /// Name, public and system identifier of a doctype.
    pub fn as_doctype(self) -> Option<(&'a str, &'a str, &'a str)> {
        match self.data().content {
            Content::Doctype { name, public, system } => {
                Some((self.document.span(name), self.document.span(public), self.document.span(system)))
            }
            _ => None,
        }
    }

    /// The parent; of a template's contents, the template.
    pub fn parent(self) -> Option<Self> {
        self.link(self.data().parent)
    }

    /// The first child.
    pub fn first_child(self) -> Option<Self> {
        self.link(self.data().first_child)
    }

    /// The last child.
    pub fn last_child(self) -> Option<Self> {
        self.link(self.data().last_child)
    }

    /// The sibling before.
    pub fn prev_sibling(self) -> Option<Self> {
        self.link(self.data().prev)
    }

    /// The sibling after.
    pub fn next_sibling(self) -> Option<Self> {
        self.link(self.data().next)
    }

    /// The children, in order.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Self> {
        Children { front: self.first_child(), back: self.last_child() }
    }

    /// The ancestors, nearest first, the document last.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// The descendants in document order, without the contents of templates.
    pub fn descendants(self) -> Descendants<'a> {
        let data = self.data();
        Descendants { document: self.document, next: self.id.0 + 1, end: data.end }
    }

    /// The contents of a `<template>`.
    pub fn template_contents(self) -> Option<Self> {
        let next = self.id.0 + 1;
        if next >= self.data().end {
            return None;
        }
        let node = Self::new(self.document, NodeId(next));
        matches!(node.data().content, Content::Fragment).then_some(node)
    }

    pub(crate) fn contains_id(self, id: NodeId) -> bool {
        id > self.id && id.0 < self.data().end
    }

    /// Whether `other` lies in the subtree below this node.
    pub fn contains(self, other: Node<'_>) -> bool {
        std::ptr::eq(self.document, other.document) && other.id.0 > self.id.0 && other.id.0 < self.data().end
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.document, other.document)
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_element() {
            Some(element) => element.fmt(f),
            None => write!(f, "{:?}({})", self.kind(), self.id.0),
        }
    }
}

struct Children<'a> {
    front: Option<Node<'a>>,
    back: Option<Node<'a>>,
}

impl<'a> Iterator for Children<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        let node = self.front?;
        if self.back == Some(node) {
            (self.front, self.back) = (None, None);
        } else {
            self.front = node.next_sibling();
        }
        Some(node)
    }
}

impl DoubleEndedIterator for Children<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let node = self.back?;
        if self.front == Some(node) {
            (self.front, self.back) = (None, None);
        } else {
            self.back = node.prev_sibling();
        }
        Some(node)
    }
}

/// Iterates over a subtree in document order; made by [`Node::descendants`].
#[derive(Clone)]
pub struct Descendants<'a> {
    document: &'a Document,
    next: u32,
    end: u32,
}

impl Descendants<'_> {
    /// Leaves out what lies below the node that was returned last.
    pub(crate) fn skip_subtree(&mut self) {
        let last = self.next - 1;
        self.next = self.document.nodes[last as usize].end;
    }
}

impl<'a> Iterator for Descendants<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        while self.next < self.end {
            let data = &self.document.nodes[self.next as usize];
            if matches!(data.content, Content::Fragment) {
                self.next = data.end;
                continue;
            }
            let node = Node::new(self.document, NodeId(self.next));
            self.next += 1;
            return Some(node);
        }
        None
    }
}

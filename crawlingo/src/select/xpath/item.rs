//! Nodes as the evaluator handles them: one number each, in document order.

use std::borrow::Cow;

use html5ever::{QualName, ns};

use crate::dom::{AttrData, Content, Document, DocumentKind, NONE, NodeData};

/// A node: of the tree, a namespace or an attribute of an element, or a text that a function made. The order of the
/// numbers is document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Item(u64);

/// Where attributes begin among what belongs to an element; namespaces stand before them.
const ATTRIBUTES: u32 = 1 << 31;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A node of the tree.
    Node,
    /// The attribute at that place of the element.
    Attribute(u32),
    /// The namespace at that place of those in scope.
    Namespace(u32),
    /// The text at that place of those that functions made.
    Made(u32),
}

impl Item {
    pub(super) const DOCUMENT: Self = Self::node(0);

    pub(super) const fn node(id: u32) -> Self {
        Self((id as u64) << 32)
    }

    const fn part(id: u32, part: u32) -> Self {
        Self(((id as u64) << 32) | part as u64)
    }

    pub(super) const fn attribute(id: u32, index: u32) -> Self {
        Self::part(id, ATTRIBUTES | index)
    }

    pub(super) const fn namespace(id: u32, index: u32) -> Self {
        Self::part(id, index + 1)
    }

    pub(super) const fn made(index: u32) -> Self {
        Self::part(NONE, index + 1)
    }

    /// The node's id; of an attribute or a namespace, that of its element.
    pub(super) const fn id(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn kind(self) -> ItemKind {
        match (self.id(), self.0 as u32) {
            (NONE, part) => ItemKind::Made(part.saturating_sub(1)),
            (_, 0) => ItemKind::Node,
            (_, part) if part & ATTRIBUTES != 0 => ItemKind::Attribute(part & !ATTRIBUTES),
            (_, part) => ItemKind::Namespace(part - 1),
        }
    }

    pub(super) fn is_node(self) -> bool {
        self.0 as u32 == 0
    }
}

/// The document, with the questions that the evaluator asks of it.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a>(pub(super) &'a Document);

impl<'a> Tree<'a> {
    pub(super) fn data(self, id: u32) -> &'a NodeData {
        &self.0.nodes[id as usize]
    }

    pub(super) fn is_html(self) -> bool {
        self.0.kind == DocumentKind::Html
    }

    /// The range of an element's attributes among all.
    pub(super) fn attr_range(self, id: u32) -> (u32, u32) {
        match self.data(id).content {
            Content::Element { attrs_start, attrs_end, .. } => (attrs_start, attrs_end),
            _ => (0, 0),
        }
    }

    pub(super) fn attrs(self, id: u32) -> &'a [AttrData] {
        let (start, end) = self.attr_range(id);
        &self.0.attrs[start as usize..end as usize]
    }

    pub(super) fn attr(self, id: u32, index: u32) -> Option<&'a AttrData> {
        self.attrs(id).get(index as usize)
    }

    /// The first attribute that a test of its name finds.
    pub(super) fn find_attr(self, id: u32, test: impl Fn(&QualName) -> bool) -> Option<&'a str> {
        let found = self.attrs(id).iter().find(|attr| test(self.0.name(attr.name)))?;
        Some(self.0.span(found.value))
    }

    /// Whether an attribute declares a namespace, which XPath does not count among the attributes. What HTML calls
    /// `xmlns` is an attribute like any other.
    pub(super) fn is_declaration(self, attr: &AttrData) -> bool {
        !self.is_html() && self.0.name(attr.name).ns == ns!(xmlns)
    }

    /// The namespaces in scope of an element: prefix, empty for the default one, and URL.
    pub(super) fn namespaces(self, id: u32) -> Vec<(&'a str, &'a str)> {
        let mut found: Vec<(&'a str, &'a str)> = vec![("xml", "http://www.w3.org/XML/1998/namespace")];
        if !matches!(self.data(id).content, Content::Element { .. }) || self.is_html() {
            return found;
        }
        let mut at = id;
        while at != NONE {
            for attr in self.attrs(at).iter().filter(|attr| self.is_declaration(attr)) {
                let name = self.0.name(attr.name);
                let prefix = if name.prefix.is_some() { &*name.local } else { "" };
                if !found.iter().any(|(known, _)| *known == prefix) {
                    found.push((prefix, self.0.span(attr.value)));
                }
            }
            at = self.data(at).parent;
        }
        found.retain(|(prefix, url)| !prefix.is_empty() || !url.is_empty());
        found
    }

    /// The name of an element or attribute.
    pub(super) fn qual_name(self, item: Item) -> Option<&'a QualName> {
        match (item.kind(), item.id()) {
            (ItemKind::Node, id) => match self.data(id).content {
                Content::Element { name, .. } => Some(self.0.name(name)),
                _ => None,
            },
            (ItemKind::Attribute(index), id) => self.attr(id, index).map(|attr| self.0.name(attr.name)),
            _ => None,
        }
    }

    pub(super) fn local_name(self, item: Item) -> &'a str {
        match item.kind() {
            ItemKind::Namespace(index) => {
                self.namespaces(item.id()).get(index as usize).map_or("", |(prefix, _)| prefix)
            }
            ItemKind::Node => match self.data(item.id()).content {
                Content::ProcessingInstruction { target, .. } => self.0.span(target),
                _ => self.qual_name(item).map_or("", |name| &name.local),
            },
            _ => self.qual_name(item).map_or("", |name| &name.local),
        }
    }

    /// The name with its prefix.
    pub(super) fn full_name(self, item: Item) -> Cow<'a, str> {
        match self.qual_name(item) {
            Some(QualName { prefix: Some(prefix), local, .. }) => format!("{prefix}:{local}").into(),
            _ => self.local_name(item).into(),
        }
    }

    /// The URL of the namespace; HTML elements have none here.
    pub(super) fn namespace_url(self, item: Item) -> &'a str {
        match self.qual_name(item) {
            Some(name) if self.is_html() && name.ns == ns!(html) => "",
            Some(name) => &name.ns,
            None => "",
        }
    }

    /// The text of a node that holds it in one piece; `None` for elements and the document.
    pub(super) fn leaf_text(self, id: u32) -> Option<&'a str> {
        match self.data(id).content {
            Content::Text(span) | Content::Comment(span) => Some(self.0.span(span)),
            Content::ProcessingInstruction { data, .. } => Some(self.0.span(data)),
            Content::Doctype { .. } => Some(""),
            Content::Document | Content::Fragment | Content::Element { .. } => None,
        }
    }

    /// All text below an element, without the contents of templates. Borrowed where it is in one piece.
    pub(super) fn inner_text(self, id: u32) -> Cow<'a, str> {
        let mut text: Cow<'a, str> = Cow::Borrowed("");
        let (mut at, end) = (id + 1, self.data(id).end);
        while at < end {
            let data = self.data(at);
            match data.content {
                Content::Fragment => {
                    at = data.end;
                    continue;
                }
                Content::Text(span) => {
                    let part = self.0.span(span);
                    if text.is_empty() {
                        text = Cow::Borrowed(part);
                    } else {
                        text.to_mut().push_str(part);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        text
    }
}

//! The document: bytes -> encoding -> html5ever's tree builder -> [`Document`], a compact arena.
//!
//! A [`Document`] is immutable, `Send` and `Sync`. Its nodes stand in document order: a [`NodeId`] that is smaller comes
//! earlier, and the subtree of a node is a range of ids. A [`Node`] is a reference into it, and an [`Element`] one that
//! is known to be an element; both are two words and `Copy`.
//!
//! ```
//! use crawlingo::dom::Document;
//! let document = Document::parse("<p>Hello <b>world</b></p>");
//! let bold = document.elements().find(|element| element.tag() == "b").unwrap();
//! assert_eq!(bold.text(), "world");
//! assert_eq!(bold.parent().unwrap().tag(), "p");
//! ```

mod build;
mod element;
mod encoding;
mod head;
mod main_content;
mod markdown;
mod node;
mod parse;
mod serialize;
mod table;
mod text;
#[cfg(feature = "scraper")]
mod to_scraper;
mod xml;
mod xml_dtd;

pub use element::Element;
pub(crate) use encoding::decode_or_utf8;
pub use head::Link;
pub use main_content::MainContent;
pub use markdown::MarkdownOptions;
pub use node::{Descendants, Node, NodeId, NodeKind};
pub use parse::ParseOptions;
pub use table::{Row, Table};

use html5ever::QualName;
use markup5ever::interface::QuirksMode;

pub(crate) use node::{AttrData, Content, NONE, NodeData};

/// Which rules a document was parsed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// HTML: names are matched without case.
    Html,
    /// XML: names are matched with case.
    Xml,
}

/// A parsed document. See the [module](self).
pub struct Document {
    pub(crate) kind: DocumentKind,
    pub(crate) quirks: QuirksMode,
    pub(crate) encoding: &'static str,
    /// In document order; the document node is the first.
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) attrs: Vec<AttrData>,
    /// Each distinct name once; elements and attributes hold positions in it.
    pub(crate) names: Vec<QualName>,
    /// Text, comments and attribute values, one after another.
    pub(crate) text: String,
}

impl Document {
    /// Which rules the document was parsed by.
    pub fn kind(&self) -> DocumentKind {
        self.kind
    }

    /// The document node, the parent of the root element.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, NodeId::DOCUMENT)
    }

    /// The root element, `<html>` in HTML.
    pub fn root_element(&self) -> Option<Element<'_>> {
        self.root().children().find_map(Node::as_element)
    }

    /// The node with that id.
    pub fn node(&self, id: NodeId) -> Option<Node<'_>> {
        ((id.0 as usize) < self.nodes.len()).then(|| Node::new(self, id))
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the document holds nothing at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// All elements in document order, without those inside of a `<template>`.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        self.root().descendants().filter_map(Node::as_element)
    }

    pub(crate) fn span(&self, span: node::Span) -> &str {
        &self.text[span.start as usize..(span.start + span.len) as usize]
    }

    pub(crate) fn name(&self, name: u32) -> &QualName {
        &self.names[name as usize]
    }
}

impl std::fmt::Debug for Document {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").field("kind", &self.kind).field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

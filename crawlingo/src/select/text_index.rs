//! The visible text of a whole document in one buffer, white space normalised, with the way back from each byte to the
//! text node it came from. Built once for a page; a search in an element is a search in a range of the buffer, for the
//! nodes stand in document order.

use std::ops::Range;

use crate::dom::{Document, Element, Node, NodeId};

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct TextIndex {
    text: String,
    /// Where each visible text node begins in `text`, with its id; both ascend.
    nodes: Vec<(u32, NodeId)>,
    /// Offsets in `text` at which a new line begins: a block's edge, a `<br>`, a table cell.
    breaks: Vec<u32>,
}

impl TextIndex {
    pub(crate) fn new(document: &Document) -> Self {
        let mut index = Self { text: String::new(), nodes: Vec::new(), breaks: Vec::new() };
        let mut blocks_open: Vec<NodeId> = Vec::new();
        let mut broken = true;
        let mut walk = document.root().descendants();
        while let Some(node) = walk.next() {
            // Leaving a block ends its line.
            while let Some(open) = blocks_open.last() {
                if document.node(*open).is_some_and(|block| block.contains(node)) {
                    break;
                }
                blocks_open.pop();
                broken = true;
            }
            if let Some(element) = node.as_element() {
                if element.is_hidden() {
                    walk.skip_subtree();
                } else if element.tag() == "br" {
                    broken = true;
                } else if element.is_block() {
                    broken = true;
                    blocks_open.push(node.id());
                }
            } else if let Some(text) = node.as_text() {
                index.push(node.id(), text, &mut broken);
            }
        }
        index
    }

    fn push(&mut self, id: NodeId, text: &str, broken: &mut bool) {
        let mut space = false;
        let mut entered = false;
        for char in text.chars() {
            if char.is_whitespace() {
                space = true;
                continue;
            }
            if !entered {
                entered = true;
                if *broken {
                    if !self.text.is_empty() && !self.text.ends_with(' ') {
                        self.text.push(' ');
                    }
                    self.breaks.push(self.text.len() as u32);
                    *broken = false;
                } else if space && !self.text.is_empty() && !self.text.ends_with(' ') {
                    self.text.push(' ');
                }
                self.nodes.push((self.text.len() as u32, id));
                space = false;
            } else if space {
                self.text.push(' ');
                space = false;
            }
            self.text.push(char);
        }
        // The space between two inline texts belongs to the first.
        if space && !self.text.is_empty() && !self.text.ends_with(' ') {
            self.text.push(' ');
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The range of a subtree's text, without white space at its ends.
    pub(crate) fn range(&self, node: Node<'_>) -> Range<usize> {
        let first = self.nodes.partition_point(|(_, id)| *id < node.id());
        let last = self.nodes.partition_point(|(_, id)| node.contains_id(*id) || *id <= node.id());
        let offset = |at: usize| self.nodes.get(at).map_or(self.text.len(), |(offset, _)| *offset as usize);
        let (start, end) = (offset(first), offset(last).max(offset(first)));
        self.trim(start..end)
    }

    /// The range of one text node, if it is visible.
    pub(crate) fn range_of_text(&self, node: Node<'_>) -> Option<Range<usize>> {
        let at = self.nodes.binary_search_by_key(&node.id(), |(_, id)| *id).ok()?;
        let end = self.nodes.get(at + 1).map_or(self.text.len(), |(offset, _)| *offset as usize);
        Some(self.trim(self.nodes[at].0 as usize..end))
    }

    /// Takes white space off both ends of a range.
    pub(crate) fn trim(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        start..(start + text.trim().len()).max(start)
    }

    /// The deepest element that holds all text of a range.
    pub(crate) fn element<'a>(&self, document: &'a Document, range: &Range<usize>) -> Option<Element<'a>> {
        let node_at = |offset: usize| {
            let at = self.nodes.partition_point(|(start, _)| *start as usize <= offset);
            at.checked_sub(1).and_then(|at| document.node(self.nodes[at].1))
        };
        let first = node_at(range.start)?;
        let last = node_at(range.end.saturating_sub(1).max(range.start))?;
        first.ancestors().find(|ancestor| ancestor.contains(last)).and_then(Node::as_element)
    }

    /// The end of the line that an offset is in.
    pub(crate) fn line_end(&self, offset: usize) -> usize {
        let at = self.breaks.partition_point(|start| *start as usize <= offset);
        self.breaks.get(at).map_or(self.text.len(), |start| *start as usize)
    }

    /// The start of the line that an offset is in.
    pub(crate) fn line_start(&self, offset: usize) -> usize {
        let at = self.breaks.partition_point(|start| *start as usize <= offset);
        at.checked_sub(1).map_or(0, |at| self.breaks[at] as usize)
    }
}

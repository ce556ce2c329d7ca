//! What a page looks like to healing: its words and its elements, hashed once, so that a thousand elements can be
//! compared with a fingerprint by looking at integers.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::dom::{Content, Document, Element, NONE, NodeId};

/// The base of the rolling hash over words: odd and large, so that every word keeps its weight.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A word of the page, as a hash of its lower-case letters.
pub(crate) type Word = u32;

/// One element, as the index holds it.
pub(super) struct Entry {
    pub(super) node: u32,
    /// The entry of the parent element; [`NONE`] for the root.
    pub(super) parent: u32,
    pub(super) words: Range<u32>,
    pub(super) classes: Range<u32>,
    pub(super) tag: u32,
    /// 0 where there is no id.
    pub(super) id: u32,
    pub(super) depth: u16,
    /// The position among the siblings of the same tag, from 0.
    pub(super) nth: u16,
}

/// The hashed form of a page. Making one is one pass over the document; it serves all fields of the page.
pub(crate) struct PageIndex<'a> {
    document: &'a Document,
    /// The attribute that is read in the place of the text, where an element has it.
    reading: Option<String>,
    words: Vec<Word>,
    /// `prefix[i]` is the rolling hash of the first `i` words.
    prefix: Vec<u64>,
    powers: Vec<u64>,
    entries: Vec<Entry>,
    classes: Vec<u32>,
    /// From node to entry.
    entry_of: Vec<u32>,
    /// The words of each heading, in the order of the page, with the node that holds them.
    headings: Vec<(u32, Range<u32>)>,
    /// The first word of each text node that holds one.
    pieces: Vec<u32>,
}

/// A hash of 32 bits for comparing.
pub(super) fn hash32(text: &str) -> u32 {
    // Cutting a good hash leaves a good hash.
    xxh3_64(text.as_bytes()) as u32
}

/// Hashes a word without regard to its case.
pub(super) fn word_hash(word: &str) -> Word {
    let bytes = word.as_bytes();
    if bytes.len() <= 32 && word.is_ascii() {
        let mut lower = [0; 32];
        let lower = &mut lower[..bytes.len()];
        lower.copy_from_slice(bytes);
        lower.make_ascii_lowercase();
        return xxh3_64(lower) as u32;
    }
    hash32(&word.to_lowercase())
}

/// The attributes that hold addresses.
pub(super) fn is_address(attr: &str) -> bool {
    matches!(attr, "href" | "src" | "srcset" | "action" | "data-href" | "data-src")
}

/// The words of a value: what white space divides; of an address its parts.
fn words_of(value: &str, address: bool) -> impl Iterator<Item = &str> {
    let divides = move |letter: char| if address { !letter.is_alphanumeric() } else { letter.is_whitespace() };
    value.split(divides).filter(|word| !word.is_empty())
}

/// Tags whose text nobody sees.
fn is_silent(tag: &str) -> bool {
    matches!(tag, "script" | "style" | "noscript" | "template" | "svg" | "iframe" | "object" | "head")
}

/// The hash of the words of one element, as [`PageIndex::hash_of`] has it, without an index of the page.
pub(super) fn words_hash(element: Element<'_>, reading: Option<&str>) -> u64 {
    let address = reading.is_some_and(is_address);
    let (mut hash, mut any) = (0u64, false);
    let mut add = |word: &str| {
        hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(word_hash(word)) | 1 << 40);
        any = true;
    };
    let value_of = |element: Element<'_>| element.plain_attr(reading?).map(str::to_owned);
    if is_silent(element.tag()) || element.ancestors().any(|around| is_silent(around.tag())) {
        return 0;
    }
    if let Some(value) = value_of(element) {
        words_of(&value, address).for_each(&mut add);
    } else {
        let mut nodes = element.node().descendants();
        while let Some(node) = nodes.next() {
            if let Some(text) = node.as_text() {
                text.split_whitespace().for_each(&mut add);
                continue;
            }
            let Some(inner) = node.as_element() else { continue };
            if is_silent(inner.tag()) {
                nodes.skip_subtree();
            } else if let Some(value) = value_of(inner) {
                words_of(&value, address).for_each(&mut add);
                nodes.skip_subtree();
            }
        }
    }
    if any { hash.max(1) } else { 0 }
}

impl<'a> PageIndex<'a> {
    pub(crate) fn new(document: &'a Document) -> Self {
        Self::reading(document, None)
    }

    /// The page as a field sees it that takes an attribute: an element that has it reads as its value, not as its text.
    /// So a title that stands in full in `title` only is compared by what the field gives.
    pub(crate) fn reading(document: &'a Document, attr: Option<&str>) -> Self {
        let nodes = document.len();
        let mut index = Self {
            document,
            reading: attr.map(str::to_owned),
            words: Vec::with_capacity(nodes),
            prefix: Vec::new(),
            powers: Vec::new(),
            entries: Vec::with_capacity(nodes / 2),
            classes: Vec::with_capacity(nodes / 2),
            entry_of: vec![NONE; nodes],
            headings: Vec::new(),
            pieces: Vec::new(),
        };
        index.read();
        index.hash();
        index
    }

    fn read(&mut self) {
        let document = self.document;
        // Names are few: their hashes are made once.
        let tags: Vec<u32> = document.names.iter().map(|name| hash32(&name.local)).collect();
        let silent: Vec<bool> = document.names.iter().map(|name| is_silent(&name.local)).collect();
        let heading: Vec<bool> =
            document.names.iter().map(|name| matches!(&*name.local, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")).collect();
        let mut silent_until = 0;
        // Elements whose subtree goes on, with its end.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for node in document.root().descendants() {
            let id = node.id().get();
            while let Some(&(entry, end)) = open.last()
                && end <= id
            {
                self.entries[entry as usize].words.end = self.words.len() as u32;
                open.pop();
            }
            match node.data().content {
                Content::Text(span) if id >= silent_until => {
                    let first = self.words.len();
                    self.words.extend(document.span(span).split_whitespace().map(word_hash));
                    if self.words.len() > first {
                        self.pieces.push(first as u32);
                    }
                }
                Content::Element { name, .. } => {
                    let Some(element) = node.as_element() else { continue };
                    let end = node.data().end;
                    if silent[name as usize] {
                        silent_until = silent_until.max(end);
                    }
                    let first_class = self.classes.len() as u32;
                    if let Some(classes) = element.plain_attr("class") {
                        self.classes.extend(classes.split_ascii_whitespace().take(32).map(hash32));
                    }
                    let entry = self.entries.len() as u32;
                    let at = self.words.len() as u32;
                    self.entries.push(Entry {
                        node: id,
                        parent: open.last().map_or(NONE, |&(entry, _)| entry),
                        words: at..at,
                        classes: first_class..self.classes.len() as u32,
                        tag: tags[name as usize],
                        id: element.plain_attr("id").map_or(0, |id| hash32(id).max(1)),
                        depth: open.len().min(usize::from(u16::MAX)) as u16,
                        nth: self.nth(element),
                    });
                    self.entry_of[id as usize] = entry;
                    if id >= silent_until
                        && let Some(value) = self.read_of(element)
                    {
                        self.words.extend(words_of(value, self.reads_addresses()).map(word_hash));
                        if self.words.len() as u32 > at {
                            self.pieces.push(at);
                        }
                        silent_until = silent_until.max(end);
                    }
                    if heading[name as usize] {
                        self.headings.push((id, at..at));
                    }
                    open.push((entry, end));
                }
                _ => {}
            }
        }
        for (entry, _) in open {
            self.entries[entry as usize].words.end = self.words.len() as u32;
        }
        let (headings, entries, entry_of) = (&mut self.headings, &self.entries, &self.entry_of);
        for (node, words) in headings {
            *words = entries[entry_of[*node as usize] as usize].words.clone();
        }
    }

    /// The position among the siblings of the same name: one more than that of the last one before, which was seen.
    fn nth(&self, element: Element<'_>) -> u16 {
        let mut before = element.prev();
        // A bound, for a page of a million siblings that alternate.
        for _ in 0..64 {
            let Some(sibling) = before else { return 0 };
            if sibling.name_id() == element.name_id() {
                let entry = self.entry_of[sibling.id().get() as usize];
                return self.entries[entry as usize].nth.saturating_add(1);
            }
            before = sibling.prev();
        }
        0
    }

    /// What an element reads as in the place of its text.
    pub(super) fn read_of(&self, element: Element<'a>) -> Option<&'a str> {
        element.plain_attr(self.reading.as_deref()?)
    }

    /// Whether what is read are addresses, which have no white space between their words.
    fn reads_addresses(&self) -> bool {
        self.reading.as_deref().is_some_and(is_address)
    }

    fn hash(&mut self) {
        self.prefix = Vec::with_capacity(self.words.len() + 1);
        self.powers = Vec::with_capacity(self.words.len() + 1);
        let (mut hash, mut power) = (0u64, 1u64);
        self.prefix.push(hash);
        self.powers.push(power);
        for &word in &self.words {
            hash = hash.wrapping_mul(BASE).wrapping_add(u64::from(word) | 1 << 40);
            power = power.wrapping_mul(BASE);
            self.prefix.push(hash);
            self.powers.push(power);
        }
    }

    pub(super) fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn entry(&self, at: u32) -> &Entry {
        &self.entries[at as usize]
    }

    /// The entry of an element of this document; elements inside of a `<template>` have none.
    pub(super) fn entry_at(&self, id: NodeId) -> Option<u32> {
        self.entry_of.get(id.get() as usize).copied().filter(|&entry| entry != NONE)
    }

    pub(super) fn element(&self, entry: &Entry) -> Option<Element<'a>> {
        self.document.node(NodeId::from_u32(entry.node))?.as_element()
    }

    pub(super) fn classes(&self, entry: &Entry) -> &[u32] {
        &self.classes[entry.classes.start as usize..entry.classes.end as usize]
    }

    pub(super) fn words(&self, range: &Range<u32>) -> &[Word] {
        &self.words[range.start as usize..range.end as usize]
    }

    pub(super) fn all_words(&self) -> &[Word] {
        &self.words
    }

    /// The hash of a run of words: equal for equal words, however tags divide them; 0 for none.
    pub(super) fn hash_of(&self, words: &Range<u32>) -> u64 {
        let (start, end) = (words.start as usize, words.end as usize);
        if start == end {
            return 0;
        }
        self.prefix[end].wrapping_sub(self.prefix[start].wrapping_mul(self.powers[end - start])).max(1)
    }

    /// The words of the text node that ends right before `at`.
    pub(super) fn piece_before(&self, at: u32) -> Range<u32> {
        let next = self.pieces.partition_point(|&first| first < at);
        match next.checked_sub(1) {
            Some(piece) => self.pieces[piece]..at,
            None => at..at,
        }
    }

    /// The words of the text node that begins at `at` or after it.
    pub(super) fn piece_after(&self, at: u32) -> Range<u32> {
        let piece = self.pieces.partition_point(|&first| first < at);
        let Some(&first) = self.pieces.get(piece) else { return at..at };
        first..self.pieces.get(piece + 1).copied().unwrap_or(self.words.len() as u32)
    }

    /// The words of the last heading that begins before the node and does not hold it.
    pub(super) fn heading_before(&self, entry: &Entry) -> Range<u32> {
        let next = self.headings.partition_point(|(node, _)| *node < entry.node);
        let holds = |(_, words): &&(u32, Range<u32>)| words.end <= entry.words.start;
        self.headings[..next].iter().rev().find(holds).map_or(0..0, |(_, words)| words.clone())
    }

    /// Whether both hold the same words and one lies in the other: to a reader, one thing.
    pub(super) fn same_thing(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let (outer, inner) = (self.entry(a.min(b)), self.entry(a.max(b)));
        let end = self.document.nodes[outer.node as usize].end;
        inner.node < end && outer.words == inner.words && outer.words.start != outer.words.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_one_element_is_that_of_the_index() {
        let document = Document::parse(
            "<main title='Main one'><p>One <b>two</b><script>three</script> Four</p><a href='/x/y-z?q=1'>five</a>\
             <noscript><p>six</noscript><i title='Seven eight'>nine<u>ten</u></i><svg><text>x</text></svg><br></main>",
        );
        for reading in [None, Some("title"), Some("href")] {
            let index = PageIndex::reading(&document, reading);
            for entry in index.entries() {
                let element = index.element(entry).expect("it is one");
                let inside = element.ancestors().any(|around| index.read_of(around).is_some());
                if !inside {
                    assert_eq!(words_hash(element, reading), index.hash_of(&entry.words), "{element:?} {reading:?}");
                }
            }
        }
    }
}

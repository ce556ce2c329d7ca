//! What is remembered of one element: enough to know it again, bounded in size, no word of the page around it.

use serde::{Deserialize, Serialize};

use super::index::{Entry, PageIndex, Word, hash32, is_address};
use crate::dom::{Element, NONE};

/// The most characters kept of a text or of an attribute's value.
const MAX_TEXT: usize = 240;
const MAX_ATTRS: usize = 20;
pub(super) const MAX_STEPS: usize = 24;
pub(super) const MAX_CLASSES: usize = 16;
/// Words kept of the text before and behind.
const NEAR_WORDS: usize = 16;
/// How many of the smallest hashes stand for a set.
const SKETCH: usize = 48;
const MAX_CHILDREN: usize = 12;
/// How many of the elements around are remembered by their words, and by how many.
const AROUND: usize = 3;
const AROUND_SKETCH: usize = 24;

/// One element on the way to the root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The tag.
    pub tag: String,
    /// The `id`.
    pub id: Option<String>,
    /// The classes, the first few.
    pub classes: Vec<String>,
    /// The position among the siblings of the same tag, from 0.
    pub nth: u16,
    /// The number of siblings of the same tag behind it.
    pub behind: u16,
}

/// What is remembered of one element. Texts that only serve to be compared are kept as hashes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElementPrint {
    /// The tag.
    pub tag: String,
    /// The attributes but `id`, `class` and `style`, the first 20, their values cut at 240 characters.
    pub attrs: Vec<(String, String)>,
    /// The `id`.
    pub id: Option<String>,
    /// The classes.
    pub classes: Vec<String>,
    /// The text, white space collapsed, cut at 240 characters.
    pub text: String,
    /// The number of words of the whole text.
    pub word_count: u32,
    /// The hash of the words of the whole text; 0 for none, or where the text is known to change.
    pub text_hash: u64,
    /// The smallest hashes of the set of words.
    pub words: Vec<Word>,
    /// The words before the element, the nearest first.
    pub before: Vec<Word>,
    /// The words behind the element, the nearest first.
    pub after: Vec<Word>,
    /// The hash of the text node before, often a label.
    pub label: u64,
    /// The hash of the text node behind.
    pub follower: u64,
    /// The hash of the heading before.
    pub heading: u64,
    /// Sketches of the words around, without those of the element: of the nearest element around that has more words, of
    /// the next that has still more, and of the next.
    pub around: Vec<Vec<Word>>,
    /// The way to the root, the parent first.
    pub path: Vec<Step>,
    /// The number of elements around it.
    pub depth: u16,
    /// The position among the siblings of the same tag, from 0.
    pub nth: u16,
    /// The number of siblings of the same tag, itself included.
    pub peers: u16,
    /// The number of siblings of the same tag behind it.
    pub behind: u16,
    /// The tags of the first children.
    pub children: Vec<String>,
    /// The number of elements inside, and a sketch of their tags, ids, classes and addresses.
    pub inner_count: u32,
    /// A sketch of what the elements inside are marked with.
    pub inner: Vec<u32>,
    /// Tag, classes and words of the element before.
    pub prev: Option<Neighbour>,
    /// Tag, classes and words of the element behind.
    pub next: Option<Neighbour>,
    /// The place in the page, from 0 to 1.
    pub place: f32,
    /// How many elements of its page have the same text and are not nested in each other, itself included.
    pub same_text: u16,
    /// How many elements of its page have the same tag and the same classes, itself included.
    pub same_look: u16,
}

/// What is remembered of a sibling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// The hash of the tag.
    pub tag: u32,
    /// The hash of the classes.
    pub look: u32,
    /// The hash of the words; 0 for none.
    pub words: u64,
}

/// Cuts a text at a number of characters and collapses its white space.
pub(super) fn cut(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most));
    let mut count = 0;
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            count += 1;
        }
        for letter in word.chars() {
            if count >= most {
                return out;
            }
            out.push(letter);
            count += 1;
        }
    }
    out
}

/// The text of an element, as far as it is kept. Reads no more of the page than it needs.
fn text_of<'a>(index: &PageIndex<'a>, element: Element<'a>) -> String {
    if let Some(value) = index.read_of(element) {
        return cut(value, MAX_TEXT);
    }
    let mut text = String::new();
    let mut nodes = element.node().descendants();
    while let Some(node) = nodes.next() {
        if let Some(value) = node.as_element().and_then(|inner| index.read_of(inner)) {
            text.push(' ');
            text.push_str(&cut(value, MAX_TEXT));
            nodes.skip_subtree();
            continue;
        }
        if let Some(part) = node.as_text() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&cut(part, MAX_TEXT));
            if text.len() >= MAX_TEXT * 4 {
                break;
            }
        } else if node.as_element().is_some_and(|inner| inner.is_hidden()) {
            nodes.skip_subtree();
        }
    }
    cut(&text, MAX_TEXT)
}

/// The smallest distinct hashes: two sketches overlap about as much as the sets do.
fn sketch(mut hashes: Vec<u32>) -> Vec<u32> {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SKETCH);
    hashes
}

fn inner_of(element: Element<'_>) -> (u32, Vec<u32>) {
    let (mut count, mut marks) = (0, Vec::new());
    for inner in element.descendants().take(400) {
        count += 1;
        marks.push(hash32(inner.tag()));
        for (name, value) in inner.attrs() {
            match name {
                "class" => marks.extend(value.split_ascii_whitespace().take(8).map(hash32)),
                "id" | "href" | "src" | "name" | "type" | "itemprop" | "alt" => marks.push(hash32(value)),
                _ => {}
            }
        }
    }
    (count, sketch(marks))
}

/// How many siblings of the same tag follow, up to a bound.
fn behind(element: Element<'_>) -> u16 {
    std::iter::successors(element.next(), |sibling| sibling.next())
        .take(256)
        .filter(|sibling| sibling.name_id() == element.name_id())
        .count() as u16
}

fn around(index: &PageIndex<'_>, entry: &Entry) -> Vec<Vec<Word>> {
    let mut sketches = Vec::new();
    let mut inner = entry.words.clone();
    let mut next = parent(entry);
    while let Some(at) = next
        && sketches.len() < AROUND
    {
        let outer = index.entry(at);
        if outer.words.len() > inner.len() {
            // The nearest words say the most, and a body has many.
            let (start, end) = (entry.words.start, entry.words.end);
            let left = start.saturating_sub(400).max(outer.words.start)..start;
            let right = end..end.saturating_add(400).min(outer.words.end);
            let mut words: Vec<_> = index.words(&left).iter().chain(index.words(&right)).copied().collect();
            words.sort_unstable();
            words.dedup();
            words.truncate(AROUND_SKETCH);
            sketches.push(words);
            inner = outer.words.clone();
        }
        next = parent(outer);
    }
    sketches
}

impl Neighbour {
    fn of(index: &PageIndex<'_>, element: Element<'_>) -> Option<Self> {
        let entry = index.entry(index.entry_at(element.id())?);
        Some(Self { tag: entry.tag, look: look(index, entry), words: index.hash_of(&entry.words) })
    }
}

/// One hash for the classes of an element, whatever their order.
pub(super) fn look(index: &PageIndex<'_>, entry: &Entry) -> u32 {
    index.classes(entry).iter().fold(0, |sum: u32, &class| sum.wrapping_add(class.wrapping_mul(0x85EB_CA6B) | 1))
}

impl ElementPrint {
    /// Remembers the element of an entry.
    pub(super) fn new(index: &PageIndex<'_>, at: u32) -> Option<Self> {
        let entry = index.entry(at);
        let element = index.element(entry)?;
        let words = index.words(&entry.words);
        let all = index.all_words();
        let (start, end) = (entry.words.start as usize, entry.words.end as usize);
        let path = element.ancestors().take(MAX_STEPS).filter_map(|around| {
            let entry = index.entry(index.entry_at(around.id())?);
            Some(Step {
                tag: around.tag().to_owned(),
                id: around.plain_attr("id").map(|id| cut(id, 80)),
                classes: around.classes().take(6).map(|class| cut(class, 80)).collect(),
                nth: entry.nth,
                behind: behind(around),
            })
        });
        let attrs = element
            .attrs()
            .filter(|(name, _)| !matches!(*name, "id" | "class" | "style"))
            .take(MAX_ATTRS)
            .map(|(name, value)| (cut(name, 80), cut(value, MAX_TEXT)));
        let same_tag = |other: &Element<'_>| other.name_id() == element.name_id();
        let peers = match element.parent() {
            Some(parent) => parent.children().take(2000).filter(same_tag).count(),
            None => 1,
        };
        let (inner_count, inner) = inner_of(element);
        let total = index.document().len().max(1);
        Some(Self {
            tag: element.tag().to_owned(),
            attrs: attrs.collect(),
            id: element.plain_attr("id").map(|id| cut(id, MAX_TEXT)),
            classes: element.classes().take(MAX_CLASSES).map(|class| cut(class, 80)).collect(),
            text: text_of(index, element),
            word_count: entry.words.len() as u32,
            text_hash: index.hash_of(&entry.words),
            words: sketch(words.iter().take(4000).copied().collect()),
            before: all[start.saturating_sub(NEAR_WORDS)..start].iter().rev().copied().collect(),
            after: all[end..(end + NEAR_WORDS).min(all.len())].to_vec(),
            label: index.hash_of(&index.piece_before(entry.words.start)),
            follower: index.hash_of(&index.piece_after(entry.words.end)),
            heading: index.hash_of(&index.heading_before(entry)),
            around: around(index, entry),
            path: path.collect(),
            depth: entry.depth,
            nth: entry.nth,
            peers: peers.clamp(1, usize::from(u16::MAX)) as u16,
            behind: behind(element),
            children: element.children().take(MAX_CHILDREN).map(|child| child.tag().to_owned()).collect(),
            inner_count,
            inner,
            prev: element.prev().and_then(|sibling| Neighbour::of(index, sibling)),
            next: element.next().and_then(|sibling| Neighbour::of(index, sibling)),
            place: entry.node as f32 / total as f32,
            same_text: 1,
            same_look: 1,
        })
    }

    /// Counts, over the page, what looks and reads the same; asked for what is stored, not for each candidate.
    pub(super) fn count_same(&mut self, index: &PageIndex<'_>, at: u32) {
        let entry = index.entry(at);
        let (look_here, hash) = (look(index, entry), index.hash_of(&entry.words));
        let (mut texts, mut looks, mut last_end) = (0u16, 0u16, 0);
        for other in index.entries() {
            if other.tag == entry.tag && look(index, other) == look_here {
                looks = looks.saturating_add(1);
            }
            // Nested elements share their words: only the outermost of each place counts.
            if hash != 0 && other.words.start >= last_end && index.hash_of(&other.words) == hash {
                texts = texts.saturating_add(1);
                last_end = other.words.end;
            }
        }
        (self.same_text, self.same_look) = (texts.max(1), looks.max(1));
    }

    /// The value of an attribute.
    pub(super) fn attr(&self, name: &str) -> Option<&str> {
        self.attrs.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Forgets the text and what repeats it, for an element whose text is known to change: a price, a date.
    #[must_use]
    pub fn without_text(mut self) -> Self {
        let text = std::mem::take(&mut self.text);
        self.attrs.retain(|(_, value)| text.is_empty() || cut(value, MAX_TEXT) != text);
        self.text_hash = 0;
        self.words.clear();
        self.same_text = 0;
        self
    }
}

impl ElementPrint {
    /// Forgets the addresses, for a page other than the one that the print was taken from.
    #[must_use]
    pub fn without_addresses(mut self) -> Self {
        self.attrs.retain(|(name, _)| !is_address(name));
        self
    }
}

impl ElementPrint {
    /// Whether both were taken of one and the same element of one page, whatever was read of it.
    pub(super) fn same_element(&self, other: &Self) -> bool {
        (&self.tag, &self.path, self.nth, self.place) == (&other.tag, &other.path, other.nth, other.place)
    }
}

/// The entry of the parent, if there is one.
pub(super) fn parent(entry: &Entry) -> Option<u32> {
    (entry.parent != NONE).then_some(entry.parent)
}

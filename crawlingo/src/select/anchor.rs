//! Text anchors: an element by the text that it shows, and the value that follows or precedes a label.

use std::ops::Range;

use memchr::memmem;

use super::text_index::TextIndex;
use crate::dom::{Document, Element, Node};

/// The most places that one label is looked at.
const MAX_MATCHES: usize = 10_000;

/// How far up from its label a value is looked for.
const MAX_CLIMB: usize = 4;

/// A text to look for. White space is normalised on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuery {
    text: String,
    exact: bool,
    ignore_case: bool,
}

impl TextQuery {
    /// Looks for a text anywhere in an element's visible text.
    pub fn new(text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { text, exact: false, ignore_case: false }
    }

    /// Whether the element must show nothing else.
    #[must_use]
    pub fn exact(mut self, exact: bool) -> Self {
        self.exact = exact;
        self
    }

    /// Whether upper and lower case are the same.
    #[must_use]
    pub fn ignore_case(mut self, ignore_case: bool) -> Self {
        self.ignore_case = ignore_case;
        self
    }
}

/// What stands after or before a label.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Beside<'a> {
    /// The text.
    pub text: String,
    /// The deepest element that holds that text. It may hold the label too.
    pub element: Element<'a>,
}

/// Finds texts in a document; holds its visible text once.
///
/// ```
/// use crawlingo::dom::Document;
/// use crawlingo::select::anchor::{TextFinder, TextQuery};
/// let document = Document::parse("<dl><dt>Weight:<dd>12 kg<dt>Height<dd>3 m</dl>");
/// let finder = TextFinder::new(&document);
/// let found = finder.after(document.root(), &TextQuery::new("weight").ignore_case(true));
/// assert_eq!(found[0].text, "12 kg");
/// assert_eq!(found[0].element.tag(), "dd");
/// ```
#[derive(Debug)]
pub struct TextFinder<'a> {
    document: &'a Document,
    index: TextIndex,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    After,
    Before,
}

impl<'a> TextFinder<'a> {
    /// Reads the document's visible text.
    pub fn new(document: &'a Document) -> Self {
        Self { document, index: TextIndex::new(document) }
    }

    /// The deepest elements in a subtree that show the text, in document order, each once.
    pub fn find(&self, scope: Node<'a>, query: &TextQuery) -> Vec<Element<'a>> {
        let mut found: Vec<Element<'a>> = Vec::new();
        for range in self.matches(scope, query) {
            let Some(element) = self.index.element(self.document, &range) else { continue };
            if query.exact && self.index.range(element.node()) != range {
                continue;
            }
            if found.last() != Some(&element) {
                found.push(element);
            }
        }
        // An element that holds another one which was found is not the deepest. In document order the one inside, if
        // there is any, follows at once.
        found.sort_by_key(|element| element.node().id());
        found.dedup();
        let next: Vec<_> = found.iter().skip(1).copied().collect();
        let mut at = 0;
        found.retain(|element| {
            at += 1;
            next.get(at - 1).is_none_or(|next| !element.node().contains(next.node()))
        });
        found
    }

    /// The values that follow a label in a subtree: the rest of the label's line, else the next line or element, the
    /// next cell of a table's row or the `<dd>` of a `<dt>`.
    pub fn after(&self, scope: Node<'a>, label: &TextQuery) -> Vec<Beside<'a>> {
        self.beside(scope, label, Side::After)
    }

    /// The values that precede a label.
    pub fn before(&self, scope: Node<'a>, label: &TextQuery) -> Vec<Beside<'a>> {
        self.beside(scope, label, Side::Before)
    }

    fn beside(&self, scope: Node<'a>, label: &TextQuery, side: Side) -> Vec<Beside<'a>> {
        let mut found: Vec<Beside<'a>> = Vec::new();
        for range in self.matches(scope, label) {
            let Some(element) = self.index.element(self.document, &range) else { continue };
            if !self.is_label(element, &range, label) {
                continue;
            }
            let value = self
                .on_line(element, &range, side)
                .or_else(|| self.next_line(element, &range, side))
                .or_else(|| self.in_table(element, side))
                .or_else(|| self.next_to(scope, element, side));
            if let Some(value) = value
                && found.last() != Some(&value)
            {
                found.push(value);
            }
        }
        found
    }

    /// A label is not a part of a longer word, and with `exact` it is all that its element shows but for a colon.
    fn is_label(&self, element: Element<'a>, range: &Range<usize>, label: &TextQuery) -> bool {
        let text = self.index.text();
        let joins = |a: Option<char>, b: Option<char>| matches!((a, b), (Some(a), Some(b)) if a.is_alphanumeric() && b.is_alphanumeric() && !is_ideographic(a));
        let found = &text[range.clone()];
        let whole_words = !joins(text[..range.start].chars().next_back(), found.chars().next())
            && !joins(found.chars().next_back(), text[range.end..].chars().next());
        if !whole_words {
            return false;
        }
        if label.exact {
            let all = self.index.range(element.node());
            let around = [&text[all.start..range.start], &text[range.end..all.end]];
            return around.iter().all(|part| part.chars().all(is_separator));
        }
        true
    }

    fn value(&self, range: Range<usize>) -> Option<Beside<'a>> {
        let range = self.strip(range);
        let element = self.index.element(self.document, &range)?;
        (!range.is_empty()).then(|| Beside { text: self.index.text()[range].to_owned(), element })
    }

    /// Takes colons, dashes and white space off both ends, but a sign in front of a number stays.
    fn strip(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.index.text()[range.clone()];
        let without = text.trim_start_matches(|c: char| is_separator(c) && !matches!(c, '-' | '−'));
        let without = match without.strip_prefix(['-', '−']) {
            Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => rest.trim_start_matches(is_separator),
            _ => without,
        };
        let start = range.end - without.len();
        start..start + without.trim_end_matches(is_separator).len()
    }

    fn on_line(&self, element: Element<'a>, range: &Range<usize>, side: Side) -> Option<Beside<'a>> {
        let all = self.index.range(element.node());
        match side {
            Side::After => self.value(range.end..all.end.min(self.index.line_end(range.start)).max(range.end)),
            Side::Before => {
                let start = all.start.max(self.index.line_start(range.start)).min(range.start);
                self.value(start..range.start)
            }
        }
    }

    fn next_line(&self, element: Element<'a>, range: &Range<usize>, side: Side) -> Option<Beside<'a>> {
        let all = self.index.range(element.node());
        match side {
            Side::After => {
                let start = self.index.line_end(range.start);
                (start < all.end).then(|| self.value(start..self.index.line_end(start).min(all.end)))?
            }
            Side::Before => {
                let end = self.index.line_start(range.start);
                (end > all.start).then(|| self.value(self.index.line_start(end - 1).max(all.start)..end))?
            }
        }
    }

    fn whole(&self, element: Element<'a>) -> Option<Beside<'a>> {
        let range = self.strip(self.index.range(element.node()));
        (!range.is_empty()).then(|| Beside { text: self.index.text()[range].to_owned(), element })
    }

    fn in_table(&self, element: Element<'a>, side: Side) -> Option<Beside<'a>> {
        let cell = std::iter::once(element)
            .chain(element.ancestors())
            .take(MAX_CLIMB)
            .find(|around| matches!(around.tag(), "td" | "th" | "dt" | "dd"))?;
        let step = |from: Element<'a>| match side {
            Side::After => from.next(),
            Side::Before => from.prev(),
        };
        if let Some(found) = std::iter::successors(step(cell), |next| step(*next)).find_map(|next| self.whole(next)) {
            return Some(found);
        }
        // The head of a column: the cell below it, of the first row that has one.
        let row = cell.parent().filter(|row| cell.tag() == "th" && row.tag() == "tr" && side == Side::After)?;
        let column = std::iter::successors(cell.prev(), |cell| cell.prev()).count();
        let rows_after = std::iter::successors(row.next(), |row| row.next());
        let next_groups = row.parent().into_iter().flat_map(|group| {
            std::iter::successors(group.next(), |group| group.next()).flat_map(|group| group.children())
        });
        rows_after
            .chain(next_groups)
            .filter(|row| row.tag() == "tr")
            .take(MAX_MATCHES)
            .find_map(|row| row.children().nth(column).and_then(|cell| self.whole(cell)))
    }

    /// The sibling that shows something, of the label or of an element around it that shows nothing else.
    fn next_to(&self, scope: Node<'a>, element: Element<'a>, side: Side) -> Option<Beside<'a>> {
        let mut node = element.node();
        for _ in 0..MAX_CLIMB {
            if node == scope {
                return None;
            }
            let step = |from: Node<'a>| match side {
                Side::After => from.next_sibling(),
                Side::Before => from.prev_sibling(),
            };
            for sibling in std::iter::successors(step(node), |node| step(*node)) {
                match sibling.as_element() {
                    Some(element) => {
                        if let Some(found) = self.whole(element) {
                            return Some(found);
                        }
                    }
                    None => {
                        let range = self.index.range_of_text(sibling);
                        if let Some(found) = range.and_then(|range| self.value(range)) {
                            return Some(found);
                        }
                    }
                }
            }
            node = node.parent()?;
        }
        None
    }

    fn matches(&self, scope: Node<'a>, query: &TextQuery) -> Vec<Range<usize>> {
        let range = self.index.range(scope);
        let text = &self.index.text()[range.clone()];
        if query.text.is_empty() {
            return Vec::new();
        }
        if !query.ignore_case {
            return memmem::find_iter(text.as_bytes(), query.text.as_bytes())
                .map(|at| range.start + at..range.start + at + query.text.len())
                .take(MAX_MATCHES)
                .collect();
        }
        // Folding can change the length of a character, so each byte of the folded text remembers its origin.
        let (mut folded, mut origin) = (String::with_capacity(text.len()), Vec::with_capacity(text.len() + 1));
        for (at, char) in text.char_indices() {
            folded.extend(char.to_lowercase());
            origin.resize(folded.len(), at);
        }
        origin.push(text.len());
        let wanted = query.text.to_lowercase();
        memmem::find_iter(folded.as_bytes(), wanted.as_bytes())
            .map(|at| {
                let last = origin[at + wanted.len() - 1];
                let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
                range.start + origin[at]..range.start + end
            })
            .take(MAX_MATCHES)
            .collect()
    }
}

fn is_separator(char: char) -> bool {
    char.is_whitespace()
        || matches!(char, ':' | '：' | '=' | '-' | '–' | '—' | '−' | '|' | '›' | '»' | '→' | '·' | '•' | ',' | ';')
}

/// Scripts that put no space between words, so that a label may touch its value.
fn is_ideographic(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{e00}'..='\u{eff}')
}

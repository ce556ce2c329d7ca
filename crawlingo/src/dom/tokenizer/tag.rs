//! Tags and their attributes.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSinkResult};
use html5ever::{Attribute, LocalName, QualName, ns};

use super::{Content, Driver, Tokenizer, char_ref};

/// What a byte is inside of a tag.
const SPACE: u8 = 1;
/// It ends a tag's name.
const TAG_NAME_END: u8 = 2;
/// It ends an attribute's name.
const ATTR_NAME_END: u8 = 4;
/// It does not stand in a name as it is: capitals and NUL.
const CHANGED: u8 = 8;
/// It ends a value without quotes, or begins a reference in it.
const VALUE_END: u8 = 16;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let spaces = [b'\t', b'\n', b'\x0c', b' '];
    let mut at = 0;
    while at < spaces.len() {
        classes[spaces[at] as usize] = SPACE | TAG_NAME_END | ATTR_NAME_END | VALUE_END;
        at += 1;
    }
    classes[b'/' as usize] = TAG_NAME_END | ATTR_NAME_END;
    classes[b'>' as usize] = TAG_NAME_END | ATTR_NAME_END | VALUE_END;
    classes[b'=' as usize] = ATTR_NAME_END;
    classes[b'&' as usize] = VALUE_END;
    classes[0] = CHANGED;
    let mut letter = b'A';
    while letter <= b'Z' {
        classes[letter as usize] = CHANGED;
        letter += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES[byte as usize]
}

/// How a tag ended.
struct Closed {
    self_closing: bool,
    had_duplicates: bool,
}

impl<D: Driver> Tokenizer<'_, D> {
    /// Where the name that begins at `start` ends, and whether it must be changed.
    fn name_end(&self, start: usize, ends: u8) -> (usize, bool) {
        let mut seen = 0;
        for (at, byte) in self.bytes[start..].iter().enumerate() {
            let class = class(*byte);
            if class & ends != 0 {
                return (start + at, seen & CHANGED != 0);
            }
            seen |= class;
        }
        (self.bytes.len(), seen & CHANGED != 0)
    }

    fn name(&mut self, start: usize, end: usize, is_changed: bool) -> LocalName {
        let name = &self.text[start..end];
        if is_changed {
            return self.names.get(&name.to_ascii_lowercase().replace('\0', "\u{fffd}"));
        }
        self.names.get(name)
    }

    fn skip_spaces(&mut self) {
        while self.byte(self.at).is_some_and(|byte| class(byte) & SPACE != 0) {
            self.at += 1;
        }
    }

    /// A start tag; `at` is at its `<`.
    pub(super) fn start_tag(&mut self) {
        let start = self.at + 1;
        let (end, is_changed) = self.name_end(start, TAG_NAME_END);
        let name = self.name(start, end, is_changed);
        self.at = end;
        let (attrs, closed) = match self.bytes.get(end) {
            // The most tags have no attributes.
            Some(b'>') => {
                self.at += 1;
                (Vec::new(), Some(Closed { self_closing: false, had_duplicates: false }))
            }
            _ => {
                let mut attrs = self.driver.spare_attrs();
                let closed = self.attrs(Some(&mut attrs));
                (attrs, closed)
            }
        };
        // A tag that never ends is none.
        let Some(Closed { self_closing, had_duplicates }) = closed else {
            self.at = self.bytes.len();
            return;
        };
        let result = self.driver.process_token(
            Token::TagToken(Tag {
                kind: TagKind::StartTag,
                name,
                self_closing,
                attrs,
                had_duplicate_attributes: had_duplicates,
            }),
            1,
        );
        if !matches!(result, TokenSinkResult::Continue) {
            self.opened.clear();
            self.opened.push_str(&self.text[start..end]);
        }
        self.follow(result);
    }

    /// An end tag; `at` is at its `<`.
    pub(super) fn end_tag(&mut self) {
        let start = self.at + 2;
        let (end, is_changed) = self.name_end(start, TAG_NAME_END);
        let name = self.name(start, end, is_changed);
        self.at = end;
        let closed = match self.bytes.get(end) {
            Some(b'>') => {
                self.at += 1;
                Some(Closed { self_closing: false, had_duplicates: false })
            }
            _ => self.attrs(None),
        };
        let Some(Closed { self_closing, .. }) = closed else {
            self.at = self.bytes.len();
            return;
        };
        self.content = Content::Data;
        let result = self.driver.process_token(
            Token::TagToken(Tag {
                kind: TagKind::EndTag,
                name,
                self_closing,
                attrs: Vec::new(),
                had_duplicate_attributes: false,
            }),
            1,
        );
        self.follow(result);
    }

    /// Whether the end tag of the present content begins at a `<`.
    pub(super) fn is_appropriate_end_tag(&self, at: usize) -> bool {
        let opened = self.opened.as_bytes();
        let (start, end) = (at + 2, at + 2 + opened.len());
        !opened.is_empty()
            && self.byte(at + 1) == Some(b'/')
            && self.bytes.get(start..end).is_some_and(|name| name.eq_ignore_ascii_case(opened))
            && self.byte(end).is_some_and(|byte| class(byte) & TAG_NAME_END != 0)
    }

    /// Reads attributes up to the tag's end; `None` if the text ends before it.
    fn attrs(&mut self, mut attrs: Option<&mut Vec<Attribute>>) -> Option<Closed> {
        let mut had_duplicates = false;
        loop {
            self.skip_spaces();
            match self.byte(self.at) {
                None => return None,
                Some(b'>') => {
                    self.at += 1;
                    return Some(Closed { self_closing: false, had_duplicates });
                }
                Some(b'/') => {
                    self.at += 1;
                    if self.byte(self.at) == Some(b'>') {
                        self.at += 1;
                        return Some(Closed { self_closing: true, had_duplicates });
                    }
                    continue;
                }
                Some(_) => {}
            }
            // A `=` in front belongs to the name.
            let start = self.at;
            let first = class(self.bytes[start]) & CHANGED != 0;
            let (end, is_changed) = self.name_end(start + 1, ATTR_NAME_END);
            self.at = end;
            self.skip_spaces();
            let is_wanted = attrs.as_ref().is_some_and(|attrs| attrs.len() < D::MAX_ATTRS);
            let value = match self.byte(self.at)? {
                b'=' => {
                    self.at += 1;
                    self.skip_spaces();
                    self.attr_value(is_wanted)?
                }
                _ => StrTendril::new(),
            };
            let Some(attrs) = attrs.as_mut().filter(|_| is_wanted) else { continue };
            let name = self.name(start, end, is_changed || first);
            if attrs.iter().any(|have| have.name.local == name) {
                had_duplicates = true;
                continue;
            }
            if attrs.capacity() == 0 {
                attrs.reserve(8);
            }
            attrs.push(Attribute { name: QualName::new(None, ns!(), name), value });
        }
    }

    /// An attribute's value; `at` is behind the `=` and the spaces after it. `None` if the text ends in it.
    fn attr_value(&mut self, is_wanted: bool) -> Option<StrTendril> {
        match self.byte(self.at)? {
            quote @ (b'"' | b'\'') => {
                let start = self.at + 1;
                let rest = self.bytes.get(start..)?;
                let found = start + memchr::memchr2(quote, b'&', rest)?;
                let end = match self.bytes[found] {
                    b'&' => start + memchr::memchr(quote, rest)?,
                    _ => found,
                };
                self.at = end + 1;
                Some(self.value(start, found, end, is_wanted))
            }
            // There is none: the tag ends.
            b'>' => Some(StrTendril::new()),
            _ => {
                let start = self.at;
                let mut reference = None;
                let end = loop {
                    let byte = self.byte(self.at)?;
                    if class(byte) & VALUE_END != 0 {
                        if byte != b'&' {
                            break self.at;
                        }
                        reference.get_or_insert(self.at);
                    }
                    self.at += 1;
                };
                Some(self.value(start, reference.unwrap_or(end), end, is_wanted))
            }
        }
    }

    /// A value with its references resolved, of which the first may be at `reference`.
    fn value(&self, start: usize, reference: usize, end: usize, is_wanted: bool) -> StrTendril {
        if !is_wanted {
            return StrTendril::new();
        }
        if reference == end {
            return self.clean_slice(start, end);
        }
        let mut value = String::with_capacity(end - start);
        let (mut from, mut next) = (start, Some(reference));
        while let Some(at) = next {
            // What follows the value matters to no reference: a quote, a space or `>` ends each of them.
            let search = match char_ref::read(&self.bytes[at..end], true) {
                Some(reference) => {
                    value.push_str(&self.text[from..at]);
                    reference.push_to(&mut value);
                    from = at + reference.len;
                    from
                }
                None => at + 1,
            };
            next = memchr::memchr(b'&', &self.bytes[search..end]).map(|found| search + found);
        }
        value.push_str(&self.text[from..end]);
        if self.has_nul && value.contains('\0') {
            value = value.replace('\0', "\u{fffd}");
        }
        if value == self.text[start..end] {
            // Nothing was a reference, as in most addresses with a query.
            return self.slice(start, end);
        }
        StrTendril::from(value)
    }
}

//! The HTML tokenizer: from text to the tokens that html5ever's tree builder takes.
//!
//! It knows the whole text, so that it need not stop in the middle of a token: each construct is read in one go, with
//! `memchr` over what has no meaning in it. Tokens are slices of one buffer. It says nothing of parse errors and gives end
//! tags no attributes, for nobody asks.
//!
//! Source: <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>

mod char_ref;
mod markup;
mod names;
mod raw;
mod tag;

use std::borrow::Cow;

use html5ever::Attribute;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};

use names::Names;

/// What takes the tokens.
pub(super) trait Driver: TokenSink {
    /// An empty list for the attributes of the next tag, used before where there is one.
    fn spare_attrs(&self) -> Vec<Attribute>;

    /// Whether to stop here; asked after each token.
    fn must_stop(&self) -> bool;

    /// The most attributes of one tag; those after them are left out.
    const MAX_ATTRS: usize;
}

/// Which text comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Data,
    Rcdata,
    Rawtext,
    Script,
    Plaintext,
}

impl From<State> for Content {
    /// The states that an element's content can begin in.
    fn from(state: State) -> Self {
        match state {
            State::RawData(kind) => kind.into(),
            State::Plaintext => Self::Plaintext,
            _ => Self::Data,
        }
    }
}

impl From<RawKind> for Content {
    fn from(kind: RawKind) -> Self {
        match kind {
            RawKind::Rcdata => Self::Rcdata,
            RawKind::Rawtext => Self::Rawtext,
            RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => Self::Script,
        }
    }
}

/// The most bytes of text in one token, so that the clock is looked at now and then. The tree joins them again.
const PIECE: usize = 64 << 10;

/// The text of a document as the tokenizer takes it: line ends are LF, and there is no byte order mark.
pub(super) fn preprocess(text: Cow<'_, str>) -> String {
    let unmarked = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let Some(first) = memchr::memchr(b'\r', unmarked.as_bytes()) else {
        return match text {
            Cow::Owned(owned) if !owned.starts_with('\u{feff}') => owned,
            _ => unmarked.to_owned(),
        };
    };
    let mut clean = String::with_capacity(unmarked.len());
    let (mut from, mut next) = (0, Some(first));
    while let Some(cr) = next {
        clean.push_str(&unmarked[from..cr]);
        from = cr + 1;
        if unmarked.as_bytes().get(from) != Some(&b'\n') {
            clean.push('\n');
        }
        next = memchr::memchr(b'\r', &unmarked.as_bytes()[from..]).map(|at| from + at);
    }
    clean.push_str(&unmarked[from..]);
    clean
}

/// Feeds the whole text to a driver, until it says stop; then the end of file. `text` and `source` are the same text,
/// [preprocessed](preprocess).
pub(super) fn run<D: Driver>(driver: &D, text: &str, source: &StrTendril, content: Content) {
    debug_assert_eq!(text, &**source);
    let mut tokenizer = Tokenizer::new(driver, text, source, content);
    tokenizer.run();
}

struct Tokenizer<'t, D> {
    driver: &'t D,
    text: &'t str,
    bytes: &'t [u8],
    source: &'t StrTendril,
    /// Where the next byte to be read is.
    at: usize,
    content: Content,
    /// The name of the start tag that the present content is of; its end tag ends the content.
    opened: String,
    /// Whether there is a NUL anywhere. If not, nobody needs to look for one.
    has_nul: bool,
    names: Names,
    stopped: bool,
}

impl<'t, D: Driver> Tokenizer<'t, D> {
    fn new(driver: &'t D, text: &'t str, source: &'t StrTendril, content: Content) -> Self {
        let bytes = text.as_bytes();
        let has_nul = memchr::memchr(0, bytes).is_some();
        let (opened, names) = (String::new(), Names::new());
        Self { driver, text, bytes, source, at: 0, content, opened, has_nul, names, stopped: false }
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() && !self.stopped {
            match self.content {
                Content::Data => self.data(),
                Content::Rcdata => self.rcdata(),
                Content::Rawtext => self.rawtext(),
                Content::Script => self.script(),
                Content::Plaintext => {
                    let (start, end) = (self.at, self.bytes.len());
                    self.at = end;
                    self.emit_text(start, end);
                }
            }
        }
        let _ = self.driver.process_token(Token::EOFToken, 1);
        self.driver.end();
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn slice(&self, start: usize, end: usize) -> StrTendril {
        self.source.subtendril(start as u32, (end - start) as u32)
    }

    /// A part of the text, without NULs.
    fn clean_slice(&self, start: usize, end: usize) -> StrTendril {
        if self.has_nul && memchr::memchr(0, &self.bytes[start..end]).is_some() {
            return StrTendril::from(self.text[start..end].replace('\0', "\u{fffd}"));
        }
        self.slice(start, end)
    }

    /// Gives the driver a token that changes nothing for the tokenizer.
    fn emit(&mut self, token: Token) {
        let _ = self.driver.process_token(token, 1);
        self.stopped |= self.driver.must_stop();
    }

    /// The data state: text up to the next tag, reference or the like, and that.
    fn data(&mut self) {
        let mut start = self.at;
        let mut from = start;
        loop {
            let Some(found) = memchr::memchr2(b'<', b'&', &self.bytes[from..]) else {
                self.at = self.bytes.len();
                self.emit_text(start, self.at);
                return;
            };
            let found = from + found;
            if self.bytes[found] == b'<' {
                if !self.is_markup(found) {
                    from = found + 1;
                    continue;
                }
                self.at = found;
                self.emit_text(start, found);
                if !self.stopped {
                    self.markup();
                }
                return;
            }
            match char_ref::read(&self.bytes[found..], false) {
                None => from = found + 1,
                Some(reference) => {
                    self.emit_text(start, found);
                    self.emit(Token::CharacterTokens(reference.text()));
                    from = found + reference.len;
                    (start, self.at) = (from, from);
                    if self.stopped {
                        return;
                    }
                }
            }
        }
    }

    /// Whether a `<` begins anything but text.
    fn is_markup(&self, at: usize) -> bool {
        match self.byte(at + 1) {
            Some(b'!' | b'?') => true,
            Some(b'/') => at + 2 < self.bytes.len(),
            next => next.is_some_and(|next| next.is_ascii_alphabetic()),
        }
    }

    /// What a `<` begins.
    fn markup(&mut self) {
        match self.bytes[self.at + 1] {
            b'!' => self.declaration(),
            b'?' => self.bogus_comment(self.at + 1),
            b'/' => match self.bytes[self.at + 2] {
                b'>' => self.at += 3,
                next if next.is_ascii_alphabetic() => self.end_tag(),
                _ => self.bogus_comment(self.at + 2),
            },
            _ => self.start_tag(),
        }
    }

    /// Text, NULs as tokens of their own in data and as U+FFFD elsewhere.
    fn emit_text(&mut self, start: usize, end: usize) {
        let replaces = self.content != Content::Data;
        if end - start <= PIECE && !self.has_nul {
            if start < end {
                self.emit(Token::CharacterTokens(self.slice(start, end)));
            }
            return;
        }
        let mut from = start;
        while from < end && !self.stopped {
            let mut to = end.min(from + PIECE);
            while !self.text.is_char_boundary(to) {
                to -= 1;
            }
            if self.has_nul
                && let Some(nul) = memchr::memchr(0, &self.bytes[from..to])
            {
                if nul == 0 {
                    self.emit(match replaces {
                        true => Token::CharacterTokens(StrTendril::from_char('\u{fffd}')),
                        false => Token::NullCharacterToken,
                    });
                    from += 1;
                    continue;
                }
                to = from + nul;
            }
            self.emit(Token::CharacterTokens(self.slice(from, to)));
            from = to;
        }
    }

    /// Does what the tree builder says after a tag.
    fn follow(&mut self, result: TokenSinkResult<D::Handle>) {
        match result {
            TokenSinkResult::RawData(kind) => self.content = kind.into(),
            TokenSinkResult::Plaintext => self.content = Content::Plaintext,
            TokenSinkResult::Continue | TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {}
        }
        self.stopped |= self.driver.must_stop();
    }
}

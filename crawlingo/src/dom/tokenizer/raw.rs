//! Text in which only one end tag means anything: `<title>`, `<style>`, `<script>` and their like.

use super::{Driver, Tokenizer, char_ref};
use html5ever::tokenizer::Token;

/// How deep in `<!--` and `<script` a script is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    Single,
    Double,
}

impl<D: Driver> Tokenizer<'_, D> {
    /// Emits the text up to `end`, and the end tag that is there.
    fn close(&mut self, start: usize, end: usize) {
        self.at = end;
        self.emit_text(start, end);
        if !self.stopped {
            self.end_tag();
        }
    }

    fn rest_is_text(&mut self, start: usize) {
        self.at = self.bytes.len();
        self.emit_text(start, self.at);
    }

    /// The RCDATA state.
    pub(super) fn rcdata(&mut self) {
        let mut start = self.at;
        let mut from = start;
        while let Some(found) = memchr::memchr2(b'<', b'&', &self.bytes[from..]) {
            let found = from + found;
            from = found + 1;
            if self.bytes[found] == b'<' {
                if self.is_appropriate_end_tag(found) {
                    return self.close(start, found);
                }
            } else if let Some(reference) = char_ref::read(&self.bytes[found..], false) {
                self.emit_text(start, found);
                self.emit(Token::CharacterTokens(reference.text()));
                from = found + reference.len;
                (start, self.at) = (from, from);
                if self.stopped {
                    return;
                }
            }
        }
        self.rest_is_text(start);
    }

    /// The RAWTEXT state.
    pub(super) fn rawtext(&mut self) {
        let start = self.at;
        for found in memchr::memchr_iter(b'<', &self.bytes[start..]) {
            if self.is_appropriate_end_tag(start + found) {
                return self.close(start, start + found);
            }
        }
        self.rest_is_text(start);
    }

    /// The script data states.
    pub(super) fn script(&mut self) {
        let start = self.at;
        let mut from = start;
        let mut escape = Escape::None;
        loop {
            let rest = &self.bytes[from..];
            let found = match escape {
                Escape::None => memchr::memchr(b'<', rest),
                Escape::Single | Escape::Double => memchr::memchr2(b'<', b'-', rest),
            };
            let Some(found) = found.map(|found| from + found) else { return self.rest_is_text(start) };
            from = found + 1;
            let rest = &self.bytes[found..];
            if rest[0] == b'-' {
                if rest.starts_with(b"-->") {
                    escape = Escape::None;
                    from = found + 3;
                }
                continue;
            }
            if escape != Escape::Double && self.is_appropriate_end_tag(found) {
                return self.close(start, found);
            }
            match escape {
                Escape::None => {
                    if rest.starts_with(b"<!--") {
                        escape = Escape::Single;
                        // The dashes may be those of `-->` too.
                        from = found + 2;
                    }
                }
                Escape::Single => {
                    if rest.get(1).is_some_and(u8::is_ascii_alphabetic) {
                        let (end, is_script) = self.word(found + 1);
                        from = end;
                        if is_script {
                            escape = Escape::Double;
                        }
                    }
                }
                Escape::Double => {
                    if rest.get(1) == Some(&b'/') {
                        let (end, is_script) = self.word(found + 2);
                        from = end;
                        if is_script {
                            escape = Escape::Single;
                        }
                    }
                }
            }
        }
    }

    /// Where the letters from `start` on end, with the byte that ends them as a tag's name; whether they are such a name,
    /// and it is `script`.
    fn word(&self, start: usize) -> (usize, bool) {
        let letters = self.bytes[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let end = start + letters;
        match self.byte(end) {
            Some(b'\t' | b'\n' | b'\x0c' | b' ' | b'/' | b'>') => {
                (end + 1, self.bytes[start..end].eq_ignore_ascii_case(b"script"))
            }
            _ => (end, false),
        }
    }
}

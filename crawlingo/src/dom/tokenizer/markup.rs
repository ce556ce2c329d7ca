//! Comments, CDATA sections and the document type.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Token};

use super::{Driver, Tokenizer};

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ')
}

impl<D: Driver> Tokenizer<'_, D> {
    /// What `<!` begins; `at` is at the `<`.
    pub(super) fn declaration(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        if rest.starts_with(b"--") {
            self.comment();
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.at += 9;
            self.doctype();
        } else if rest.starts_with(b"[CDATA[") && self.driver.adjusted_current_node_present_but_not_in_html_namespace()
        {
            self.cdata();
        } else {
            self.bogus_comment(self.at + 2);
        }
    }

    /// A comment up to the next `>`.
    pub(super) fn bogus_comment(&mut self, start: usize) {
        let found = memchr::memchr(b'>', &self.bytes[start..]).map(|found| start + found);
        let end = found.unwrap_or(self.bytes.len());
        self.at = found.map_or(end, |end| end + 1);
        self.emit(Token::CommentToken(self.clean_slice(start, end)));
    }

    fn comment(&mut self) {
        let start = self.at + 4;
        let rest = &self.bytes[start..];
        if let Some(len) = [&b">"[..], b"->"].iter().find(|end| rest.starts_with(end)).map(|end| end.len()) {
            self.at = start + len;
            return self.emit(Token::CommentToken(StrTendril::new()));
        }
        let end = memchr::memchr_iter(b'>', rest).find_map(|found| {
            let before = &rest[..found];
            let dashes = [&b"--"[..], b"--!"].into_iter().find(|dashes| before.ends_with(dashes))?;
            self.at = start + found + 1;
            Some(found - dashes.len())
        });
        let end = end.unwrap_or_else(|| {
            // The text ends first, perhaps in the middle of what would have been the comment's end.
            self.at = self.bytes.len();
            let begun = [&b"--!"[..], b"--", b"-"].into_iter().find(|dashes| rest.ends_with(dashes));
            rest.len() - begun.map_or(0, <[u8]>::len)
        });
        self.emit(Token::CommentToken(self.clean_slice(start, start + end)));
    }

    fn cdata(&mut self) {
        let start = self.at + 9;
        let found = memchr::memmem::find(&self.bytes[start..], b"]]>").map(|found| start + found);
        let end = found.unwrap_or(self.bytes.len());
        self.at = found.map_or(end, |end| end + 3);
        self.emit_text(start, end);
    }

    /// The document type; `at` is behind the word.
    fn doctype(&mut self) {
        let mut doctype = Doctype::default();
        let end = self.doctype_parts(&mut doctype);
        let rest = memchr::memchr(b'>', &self.bytes[end..]);
        self.at = rest.map_or(self.bytes.len(), |found| end + found + 1);
        self.emit(Token::DoctypeToken(doctype));
    }

    /// Reads what it says; gives back where it need not be read on, up to the `>`.
    fn doctype_parts(&self, doctype: &mut Doctype) -> usize {
        let skip = |mut at: usize| {
            while self.byte(at).is_some_and(is_space) {
                at += 1;
            }
            at
        };
        doctype.force_quirks = true;
        let mut at = skip(self.at);
        let start = at;
        while self.byte(at).is_some_and(|byte| byte != b'>' && !is_space(byte)) {
            at += 1;
        }
        if at == start {
            return at;
        }
        doctype.name = Some(match self.text[start..at].bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => StrTendril::from(self.text[start..at].to_ascii_lowercase().replace('\0', "\u{fffd}")),
            false => self.clean_slice(start, at),
        });
        at = skip(at);
        let word = self.bytes.get(at..at + 6).unwrap_or_default();
        let is_public = word.eq_ignore_ascii_case(b"public");
        if !is_public && !word.eq_ignore_ascii_case(b"system") {
            doctype.force_quirks = self.byte(at) != Some(b'>');
            return at;
        }
        at = skip(at + 6);
        if is_public {
            let Ok(end) = self.doctype_id(at, &mut doctype.public_id) else { return at };
            at = skip(end);
            if self.byte(at) == Some(b'>') {
                doctype.force_quirks = false;
                return at;
            }
        }
        let Ok(end) = self.doctype_id(at, &mut doctype.system_id) else { return at };
        // Whatever follows the identifiers is no reason for quirks, but that nothing does.
        at = skip(end);
        doctype.force_quirks = self.byte(at).is_none();
        at
    }

    /// An identifier in quotes; gives back where it ends, or an error if there is none or it has no end.
    fn doctype_id(&self, at: usize, id: &mut Option<StrTendril>) -> Result<usize, ()> {
        let quote = self.byte(at).filter(|byte| matches!(byte, b'"' | b'\'')).ok_or(())?;
        let start = at + 1;
        let end = memchr::memchr2(quote, b'>', &self.bytes[start..]).map_or(self.bytes.len(), |found| start + found);
        *id = Some(self.clean_slice(start, end));
        match self.byte(end) {
            Some(byte) if byte == quote => Ok(end + 1),
            _ => Err(()),
        }
    }
}

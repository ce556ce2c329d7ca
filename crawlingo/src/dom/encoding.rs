//! From bytes to text: byte order mark, content type, `<meta>`, and the text itself, in that order.
//!
//! Source: <https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding>

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::Error;

/// How many bytes a `<meta>` with the encoding is looked for in.
const PRESCAN: usize = 1024;

/// How many bytes the detector looks at; a page's language shows early.
const DETECT: usize = 256 << 10;

/// The text, and the name of its encoding.
pub(super) fn decode<'b>(
    bytes: &'b [u8],
    asked: Option<&str>,
    content_type: Option<&str>,
) -> Result<(Cow<'b, str>, &'static str), Error> {
    let encoding = match asked {
        Some(label) => Encoding::for_label(label.as_bytes()).ok_or_else(|| {
            Error::config(
                "encoding",
                format!("{label:?} is no encoding of the web; try utf-8, windows-1252 or shift_jis"),
            )
        })?,
        None => sniff(bytes, content_type),
    };
    let (text, encoding, _) = encoding.decode(bytes);
    Ok((text, encoding.name()))
}

/// The text of bytes of which nothing else is known.
pub(crate) fn decode_or_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match decode(bytes, None, Some("text/xml")) {
        Ok((text, _)) => text,
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

fn sniff(bytes: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    if let Some(encoding) = content_type.and_then(charset).and_then(|label| Encoding::for_label(label.as_bytes())) {
        return encoding;
    }
    if let Some(encoding) = prescan(&bytes[..bytes.len().min(PRESCAN)]) {
        return encoding;
    }
    detect(bytes)
}

/// The likeliest encoding by the text itself.
fn detect(bytes: &[u8]) -> &'static Encoding {
    if bytes.is_ascii() {
        return UTF_8;
    }
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // A page that was cut off in the middle of a character is still UTF-8.
        Err(error) => error.error_len().is_none(),
    };
    if valid {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&bytes[..bytes.len().min(DETECT)], true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The `charset` parameter of a content type.
fn charset(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The standard's prescan of a byte stream.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    // A document that says of itself in UTF-16 that it is XML.
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(encoding_rs::UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(encoding_rs::UTF_16BE);
    }
    let mut scan = Scan { bytes, at: 0 };
    while scan.at < bytes.len() {
        let rest = &bytes[scan.at..];
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment.
            let end = rest[2..].windows(3).position(|window| window == b"-->")?;
            scan.at += 2 + end + 3;
            continue;
        }
        let is_meta = rest.len() > 5
            && rest[..5].eq_ignore_ascii_case(b"<meta")
            && (rest[5].is_ascii_whitespace() || rest[5] == b'/');
        if is_meta {
            scan.at += 5;
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if rest[0] == b'<'
            && (rest.get(1).is_some_and(u8::is_ascii_alphabetic)
                || (rest.get(1) == Some(&b'/') && rest.get(2).is_some_and(u8::is_ascii_alphabetic)))
        {
            let name = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
            scan.at += name;
            while scan.attribute().is_some() {}
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            scan.at += rest.iter().position(|byte| *byte == b'>')?;
        }
        scan.at += 1;
    }
    xml_declaration(bytes)
}

/// `<?xml version="1.0" encoding="..."?>`, which browsers heed too.
fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    if !bytes.starts_with(b"<?xml") {
        return None;
    }
    let end = bytes.iter().position(|byte| *byte == b'>')?;
    let text = std::str::from_utf8(&bytes[..end]).ok()?;
    let rest = text[text.find("encoding")? + 8..].trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let label = rest[1..].split(quote).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(if is_utf16(encoding) { UTF_8 } else { encoding })
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == encoding_rs::UTF_16LE || encoding == encoding_rs::UTF_16BE
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Scan<'_> {
    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut got_pragma, mut need_pragma, mut found) = (false, None, None);
        let mut seen: Vec<String> = Vec::new();
        while let Some((name, value)) = self.attribute() {
            if seen.contains(&name) {
                continue;
            }
            match name.as_str() {
                "http-equiv" => got_pragma |= value == "content-type",
                "content" if found.is_none() => {
                    if let Some(encoding) = charset_in(&value).and_then(|label| Encoding::for_label(label.as_bytes())) {
                        found = Some(encoding);
                        need_pragma = Some(true);
                    }
                }
                "charset" => {
                    found = Encoding::for_label(value.as_bytes());
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        let needed = need_pragma?;
        if needed && !got_pragma {
            return None;
        }
        let found = found?;
        // A `<meta>` that could be read is not in UTF-16; and x-user-defined is no encoding of a page.
        if is_utf16(found) {
            Some(UTF_8)
        } else if found == encoding_rs::X_USER_DEFINED {
            Some(WINDOWS_1252)
        } else {
            Some(found)
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, test: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&test) {
            self.at += 1;
        }
    }

    /// An attribute's name and value, both in lower case.
    fn attribute(&mut self) -> Option<(String, String)> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let lower = |byte: u8| char::from(byte.to_ascii_lowercase());
        let mut name = String::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                byte if byte.is_ascii_whitespace() => {
                    self.skip(|byte| byte.is_ascii_whitespace());
                    if self.peek()? != b'=' {
                        return Some((name, String::new()));
                    }
                    break;
                }
                b'/' | b'>' => return Some((name, String::new())),
                byte => name.push(lower(byte)),
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let mut value = String::new();
        let first = self.peek()?;
        if matches!(first, b'"' | b'\'') {
            self.at += 1;
            loop {
                let byte = self.peek()?;
                self.at += 1;
                if byte == first {
                    return Some((name, value));
                }
                value.push(lower(byte));
            }
        }
        while !self.peek().is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'>') {
            value.push(lower(self.bytes[self.at]));
            self.at += 1;
        }
        self.peek()?;
        Some((name, value))
    }
}

/// The standard's "extracting a character encoding from a meta element".
fn charset_in(content: &str) -> Option<&str> {
    let mut rest = content;
    loop {
        let at = rest.find("charset")?;
        rest = rest[at + 7..].trim_start();
        let Some(value) = rest.strip_prefix('=') else { continue };
        let value = value.trim_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => {
                let inner = &value[1..];
                inner.find(quote).map(|end| &inner[..end])
            }
            _ => value.split(|c: char| c.is_ascii_whitespace() || c == ';').next(),
        };
    }
}

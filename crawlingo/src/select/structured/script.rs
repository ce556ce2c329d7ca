//! The JSON in a script: the whole of it, or what it assigns to variables and gives to functions.

use serde_json::Value;

use super::relaxed::{self, Mode, Reader};
use crate::dom::Element;

/// How often the text may be read again, all attempts together.
const WORK: usize = 8;
/// More literals than any script is meant to hold.
const MAX_LITERALS: usize = 10_000;

/// The JSON that a `<script>` holds.
///
/// That is its whole content, if it is JSON. Else it is each object or list that is assigned (`window.X = {...}`,
/// `var x = [...]`), parsed (`X = JSON.parse("...")`) or given to a function (`push([...])`, `init({...})`), in the order
/// of the script. JavaScript's own ways to write them are read too: names without quotes, single quotes, `undefined`,
/// comments, a comma at the end; a value that only running the script would give becomes null. Nothing is run.
pub fn script_state(script: Element<'_>) -> Vec<Value> {
    let text = script.raw_text();
    let trimmed = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if trimmed.is_empty() || relaxed::check_size(&text).is_err() {
        return Vec::new();
    }
    if let Ok(value) = serde_json::from_str(trimmed) {
        return vec![value];
    }
    let is_json = script.attr("type").is_some_and(|kind| kind.to_ascii_lowercase().contains("json"));
    if is_json || trimmed.starts_with(['{', '[', '<']) {
        if let Ok(values) = relaxed::read(&text) {
            return values;
        }
    }
    literals(&text)
}

/// The literals of a script that stand where a value is assigned or given.
fn literals(text: &str) -> Vec<Value> {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0, before: 0 };
    let (mut found, mut work) = (Vec::new(), text.len().saturating_mul(WORK));
    while let Some(place) = scanner.next_place() {
        let mut reader = Reader::new(text, place, Mode { js: true, ..Mode::default() });
        reader.skip_blank(false);
        let begin = reader.position();
        let value = if reader.at_container() {
            reader.value().ok()
        } else if reader.rest().starts_with("JSON.parse") {
            reader.parsed_string("JSON.parse".len())
        } else {
            continue;
        };
        work = work.saturating_sub(reader.position() - begin + 1);
        match value {
            Some(Value::Object(map)) if map.is_empty() => {}
            Some(Value::Array(items)) if items.is_empty() => {}
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                found.push(value);
                scanner.at = reader.position();
                scanner.before = b'}';
            }
            _ => {}
        }
        if work == 0 || found.len() >= MAX_LITERALS {
            tracing::warn!("a script holds too many literals: the others are left");
            break;
        }
    }
    found
}

/// Walks over a script without its strings, comments and regular expressions.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The last byte that was no blank.
    before: u8,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    /// The next place after `=` or `(`.
    fn next_place(&mut self) -> Option<usize> {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' | b'\'' | b'`' => self.skip_until(byte, byte == b'`'),
                b'/' if self.peek(0) == b'/' => {
                    self.skip_until(b'\n', false);
                    continue;
                }
                b'/' if self.peek(0) == b'*' => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                    continue;
                }
                // After an operator, a slash begins a regular expression, which may hold quotes.
                b'/' if b"(,=:[!&|?{};\0".contains(&self.before) => self.skip_until(b'/', false),
                b'=' => {
                    let compares = self.peek(0) == b'=' || self.peek(0) == b'>' || b"=!<>".contains(&self.before);
                    self.before = b'=';
                    if !compares {
                        return Some(self.at);
                    }
                }
                b'(' => {
                    self.before = b'(';
                    return Some(self.at);
                }
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.before = byte;
            }
        }
        None
    }

    /// Skips to after the end sign; a line's end ends all but templates.
    fn skip_until(&mut self, end: u8, lines: bool) {
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' if end != b'\n' => self.at += 1,
                b'\n' if !lines => return,
                byte if byte == end => return,
                _ => {}
            }
        }
    }
}

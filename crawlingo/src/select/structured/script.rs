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
    if script.attr("type").is_some_and(|kind| kind.to_ascii_lowercase().contains("json"))
        && let Ok(values) = relaxed::read(&text)
    {
        return values;
    }
    if let Some(value) = whole(&text) {
        return vec![value];
    }
    literals(&text)
}

/// The one object or list that is all of a script.
fn whole(text: &str) -> Option<Value> {
    let mut reader = Reader::new(text, 0, Mode { js: true, ..Mode::default() });
    reader.skip_blank(true);
    if !reader.at_container() {
        return None;
    }
    let value = reader.value().ok()?;
    reader.skip_between();
    reader.rest().is_empty().then_some(value)
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::dom::Document;

    fn state(script: &str) -> Vec<Value> {
        let document = Document::parse(&format!("<script>{script}</script>"));
        let script = document.elements().find(|element| element.tag() == "script").unwrap();
        script_state(script)
    }

    #[test]
    fn the_whole_content() {
        assert_eq!(state(r#" {"props": {"price": 1}} "#), [json!({"props": {"price": 1}})]);
        assert_eq!(state("{\"a\": [1,],}"), [json!({"a": [1]})]);
        assert_eq!(state("3"), [json!(3)]);
        assert_eq!(state("<!--\n{a: 1};\n-->"), [json!({"a": 1})]);
        assert!(state("").is_empty());
    }

    #[test]
    fn assignments() {
        for script in [
            "window.X = {\"a\": [1, 2]};",
            "var x={a:[1,2,]},y=2",
            "const x = {'a': [1, 2]}; if (x == {}) { y = 3 }",
            "(function(){ let q = /[\"'=]{2}/; self.X = { a: [1, /* two */ 2] } })()",
            "// don't\nwindow['X'] = {a: [1,\n2]}",
            "window.X = JSON.parse(\"{\\\"a\\\":[1,2]}\");",
            "window.X = JSON.parse('{\"a\":[1,2]}') || {}",
            "start({a: [0x1, 2]}, 'x={b:1}')",
        ] {
            assert_eq!(state(script), [json!({"a": [1, 2]})], "{script}");
        }
    }

    #[test]
    fn several_and_none() {
        assert_eq!(
            state("a = {b: 1}; c = [2]; self.__next_f.push([1, \"x:[]\"])"),
            [json!({"b": 1}), json!([2]), json!([1, "x:[]"])]
        );
        for script in [
            "var a = {};",
            "a == {b: 1}",
            "x => {b: 1}",
            "f(\"a = {b: 1}\")",
            "[1, 2].map(x)",
            "f(function() { return 1 })",
            "/* a = {b: 1} */",
        ] {
            assert!(state(script).is_empty(), "{script}: {:?}", state(script));
        }
    }

    #[test]
    fn what_only_running_would_tell_is_null() {
        assert_eq!(
            state(
                "x = {a: f(1, {b: 2}), c: !0, d: undefined, e: 1 + 2, g: function() { return [1, 2] }, h: `t`, i: new Date(5), j: 'k'}"
            ),
            [json!({"a": null, "c": true, "d": null, "e": null, "g": null, "h": "t", "i": null, "j": "k"})]
        );
    }

    #[test]
    fn hostile_scripts_end() {
        let many = 300_000;
        for part in [
            "a=[",
            "={",
            "=[a(",
            "(",
            "(  ",
            "=JSON.parse(\"",
            "/",
            "'",
            "`",
            "=[`${",
            "a=[{},",
            "x={a:b,",
            "/*",
            "=[1,2];",
        ] {
            let begin = Instant::now();
            let _ = state(&part.repeat(many));
            assert!(begin.elapsed() < Duration::from_secs(10), "{part} took {:?}", begin.elapsed());
        }
    }

    proptest! {
        #[test]
        fn any_script_is_read(script in "([\\[\\](){}:,;\"'`\\\\/*=!<>&|?+-]|\\$\\{|JSON\\.parse\\(|[a-c0-9]|é| |\n){0,60}") {
            let _ = literals(&script);
            let _ = state(&script);
        }
    }
}

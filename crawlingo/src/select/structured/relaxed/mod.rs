//! A reader for the JSON that pages really hold.
//!
//! Strict JSON is read by `serde_json`. What that refuses is read again with leniency for what sites commonly get wrong:
//! comments, `<!-- -->` and CDATA around it, tags that an editor put between the lines, trailing, doubled and missing
//! commas, raw line breaks and control characters in strings, curly quotes, quotes inside of strings, `&quot;` for
//! quotes, several values one after another, one closing bracket too few. Nothing here recurses; depth, size and the
//! number of containers are bounded.

mod scan;
mod strings;

use std::fmt;

use serde_json::Value;

use super::entities;
pub(super) use scan::{Mode, Reader};

/// Deeper JSON is refused: more than any page needs, and little enough to be dropped and compared by recursion.
pub(super) const MAX_DEPTH: usize = 128;
/// Longer texts are refused.
const MAX_BYTES: usize = 16 << 20;
/// Texts with more opening brackets are refused: an empty object of two bytes becomes hundreds in memory.
const MAX_CONTAINERS: usize = 500_000;

/// Why a text is no JSON, not even with leniency.
///
/// ```
/// use crawlingo::select::structured::jsonld;
/// let error = jsonld::parse("{\n  \"name\": Lamp }").unwrap_err();
/// assert_eq!((error.line(), error.column()), (2, 11));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    message: &'static str,
    line: usize,
    column: usize,
}

impl JsonError {
    fn new(text: &str, fault: Fault) -> Self {
        let before = text.get(..fault.at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        Self { message: fault.what, line, column: before.get(start..).unwrap_or_default().chars().count() + 1 }
    }

    /// The line of the fault in the text, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column of the fault in its line, in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the JSON does not parse: {} (line {}, column {})", self.message, self.line, self.column)
    }
}

impl std::error::Error for JsonError {}

/// What is wrong, and at which byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) what: &'static str,
}

/// Refuses what would take too much memory.
pub(super) fn check_size(text: &str) -> Result<(), Fault> {
    if text.len() > MAX_BYTES {
        return Err(Fault { at: MAX_BYTES, what: "it is longer than 16 MiB" });
    }
    match memchr::memchr2_iter(b'{', b'[', text.as_bytes()).nth(MAX_CONTAINERS) {
        Some(at) => Err(Fault { at, what: "it has more than 500,000 objects and lists" }),
        None => Ok(()),
    }
}

/// All values of a text: one, or several that stand one after another.
pub(super) fn read(text: &str) -> Result<Vec<Value>, JsonError> {
    check_size(text).map_err(|fault| JsonError::new(text, fault))?;
    let fault = match read_text(text) {
        Ok(values) => return Ok(values),
        Err(fault) => fault,
    };
    // Some template engines escape the whole of a script as if it were text.
    if ["&quot;", "&#34;", "&#034;", "&#x22;"].iter().any(|quote| text.contains(quote)) {
        let decoded = entities::decode(text);
        if let Ok(values) = read_text(&decoded) {
            return Ok(values);
        }
    }
    Err(JsonError::new(text, fault))
}

fn read_text(text: &str) -> Result<Vec<Value>, Fault> {
    if let Ok(value) = serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        return Ok(vec![value]);
    }
    let fault = match read_values(text, Mode::default()) {
        Ok(values) => return Ok(values),
        Err(fault) => fault,
    };
    // A comment mark may stand around the JSON instead of around a remark.
    if text.contains("<!--")
        && let Ok(values) = read_values(text, Mode { comment_marks: true, ..Mode::default() })
    {
        return Ok(values);
    }
    read_values(text, Mode { comment_marks: text.contains("<!--"), inner_quotes: true, ..Mode::default() })
        .map_err(|_| fault)
}

fn read_values(text: &str, mode: Mode) -> Result<Vec<Value>, Fault> {
    let mut reader = Reader::new(text, 0, mode);
    reader.skip_blank(true);
    if !reader.at_container() {
        // Something stands before it: `var x = {...}`, a second `<script>`.
        let Some(found) = memchr::memchr2(b'{', b'[', reader.rest().as_bytes()) else {
            return Err(reader.fault("there is no object or list"));
        };
        reader.advance(found);
    }
    let mut values = vec![reader.value()?];
    loop {
        reader.skip_between();
        if !reader.at_container() {
            return Ok(values);
        }
        match reader.value() {
            Ok(value) => values.push(value),
            // What came before it is whole; what is broken is left.
            Err(_) => return Ok(values),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

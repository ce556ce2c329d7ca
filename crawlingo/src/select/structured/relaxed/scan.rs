//! Values: an explicit stack of open containers over a cursor.

use serde_json::{Map, Number, Value};

use super::strings::Role;
use super::{Fault, MAX_DEPTH};

/// Which leniency applies.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Mode {
    /// The text is JavaScript: unquoted keys and `undefined` are right, an expression is skipped and becomes null, and
    /// what is broken is no literal at all.
    pub(in super::super) js: bool,
    /// `<!--` and `-->` are marks to be skipped, instead of the ends of a comment.
    pub(in super::super) comment_marks: bool,
    /// A quote ends a string only where the JSON could go on after it.
    pub(in super::super) inner_quotes: bool,
}

enum Frame {
    List(Vec<Value>),
    Object(Map<String, Value>, Option<String>),
}

/// A cursor over a text.
pub(in super::super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) mode: Mode,
    /// Closing brackets that were found missing.
    missing: usize,
    /// Where the last `-->` stands, once it was looked for.
    last_comment_end: Option<Option<usize>>,
}

impl<'a> Reader<'a> {
    pub(in super::super) fn new(text: &'a str, at: usize, mode: Mode) -> Self {
        Self { text, at, mode, missing: 0, last_comment_end: None }
    }

    pub(in super::super) fn position(&self) -> usize {
        self.at
    }

    pub(in super::super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(in super::super) fn advance(&mut self, bytes: usize) {
        self.at = (self.at + bytes).min(self.text.len());
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn fault(&self, what: &'static str) -> Fault {
        Fault { at: self.at, what }
    }

    pub(in super::super) fn at_container(&self) -> bool {
        matches!(self.peek(), Some(b'{' | b'['))
    }

    /// Whether the comment that begins here ends at all.
    fn comment_ends(&mut self) -> bool {
        let text = self.text;
        let last = *self.last_comment_end.get_or_insert_with(|| text.rfind("-->"));
        last.is_some_and(|last| last > self.at)
    }

    fn skip_after(&mut self, mark: &str, from: usize) {
        let start = (self.at + from).min(self.text.len());
        let found = self.text.get(start..).and_then(|rest| rest.find(mark));
        self.at = found.map_or(self.text.len(), |found| start + found + mark.len());
    }

    /// Skips blanks, comments and marks. Outside of a value, `]]>` is a mark too.
    pub(in super::super) fn skip_blank(&mut self, outside: bool) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let rest = trimmed;
            let bytes = rest.as_bytes();
            match bytes.first() {
                Some(b'/') if bytes.get(1) == Some(&b'/') => {
                    let comment = rest.trim_start_matches(['/', ' ', '\t']);
                    if comment.starts_with("<![CDATA[") {
                        self.at += rest.len() - comment.len();
                    } else {
                        self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                    }
                }
                Some(b'/') if bytes.get(1) == Some(&b'*') => self.skip_after("*/", 2),
                Some(b'<') if rest.starts_with("<!--") => {
                    if self.mode.comment_marks || self.mode.js || !self.comment_ends() {
                        self.at += 4;
                    } else {
                        self.skip_after("-->", 4);
                    }
                }
                Some(b'<') if rest.starts_with("<![CDATA[") => self.at += 9,
                Some(b'<') if !self.mode.js => match tag_len(bytes) {
                    Some(len) => self.at += len,
                    None => return,
                },
                Some(b'-') if rest.starts_with("-->") => self.at += 3,
                Some(b']') if outside && rest.starts_with("]]>") => self.at += 3,
                Some(b'&') if rest.starts_with("&nbsp;") => self.at += 6,
                _ => return,
            }
        }
    }

    /// Skips what may stand between two values.
    pub(in super::super) fn skip_between(&mut self) {
        loop {
            self.skip_blank(true);
            // A bracket too many closes nothing.
            match self.peek() {
                Some(b',' | b';' | b'}' | b']') => self.at += 1,
                _ => return,
            }
        }
    }

    /// Reads the value at the cursor.
    pub(in super::super) fn value(&mut self) -> Result<Value, Fault> {
        let mut stack: Vec<Frame> = Vec::new();
        self.missing = 0;
        loop {
            self.skip_blank(false);
            let next = self.peek();
            let complete = match (stack.last_mut(), next) {
                (None, None) => return Err(self.fault("a value is missing")),
                (Some(_), None) => {
                    if self.mode.js || stack.len() + self.missing > 1 {
                        return Err(self.fault("it ends before all brackets are closed"));
                    }
                    self.close(&mut stack)
                }
                (Some(Frame::Object(_, None) | Frame::List(_)), Some(b',')) => {
                    self.at += 1;
                    continue;
                }
                (Some(Frame::Object(..)), Some(b'}')) | (Some(Frame::List(_)), Some(b']')) => {
                    self.at += 1;
                    self.close(&mut stack)
                }
                (Some(_), Some(b'}' | b']')) => {
                    // The bracket of the container around it: the inner one was never closed.
                    self.missing += 1;
                    if self.mode.js || self.missing > 1 || stack.len() < 2 {
                        return Err(self.fault("a bracket closes what is not open"));
                    }
                    self.close(&mut stack)
                }
                (Some(Frame::Object(_, key @ None)), Some(_)) => {
                    *key = Some(self.key()?);
                    continue;
                }
                (Some(Frame::Object(_, Some(_))), Some(b',')) => Some(Value::Null),
                (_, Some(open @ (b'{' | b'['))) => {
                    if stack.len() >= MAX_DEPTH {
                        return Err(self.fault("it nests deeper than 128 levels"));
                    }
                    self.at += 1;
                    stack.push(if open == b'{' { Frame::Object(Map::new(), None) } else { Frame::List(Vec::new()) });
                    continue;
                }
                (frame, Some(_)) => {
                    let role = if matches!(frame, Some(Frame::Object(..))) { Role::Member } else { Role::Item };
                    Some(self.scalar(role)?)
                }
            };
            let Some(mut value) = complete else { return Err(self.fault("a value is missing")) };
            if stack.is_empty() {
                return Ok(value);
            }
            if self.mode.js {
                self.skip_blank(false);
                if !matches!(self.peek(), Some(b',' | b'}' | b']') | None) {
                    // The value is the beginning of an expression, whose result only a script engine could say.
                    self.skip_expression()?;
                    value = Value::Null;
                }
            }
            attach(&mut stack, value);
        }
    }

    /// Takes the innermost container off the stack.
    fn close(&self, stack: &mut Vec<Frame>) -> Option<Value> {
        Some(match stack.pop()? {
            Frame::List(items) => Value::Array(items),
            Frame::Object(mut map, key) => {
                if let Some(key) = key {
                    map.insert(key, Value::Null);
                }
                Value::Object(map)
            }
        })
    }

    fn key(&mut self) -> Result<String, Fault> {
        let key = match self.string(Role::Key)? {
            Some(key) => key,
            None => {
                let rest = self.rest();
                let len = rest.find(|c: char| !(c.is_alphanumeric() || "_$@-".contains(c))).unwrap_or(rest.len());
                if len == 0 {
                    return Err(self.fault("here a name should stand"));
                }
                self.at += len;
                rest.get(..len).unwrap_or_default().to_owned()
            }
        };
        self.skip_blank(false);
        if self.peek() != Some(b':') {
            return Err(self.fault("after a name a colon should stand"));
        }
        self.at += 1;
        Ok(key)
    }

    /// A string, number or word.
    fn scalar(&mut self, role: Role) -> Result<Value, Fault> {
        if let Some(string) = self.string(role)? {
            return Ok(Value::String(string));
        }
        let rest = self.rest();
        let end = rest.find(|c: char| ",:}]{[()\"'`;<&|?=*/!".contains(c) || c.is_whitespace()).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        if self.mode.js {
            if word == "JSON.parse"
                && let Some(value) = self.parsed_string(end)
            {
                return Ok(value);
            }
            if let Some(value) = [("!0", true), ("!1", false)].iter().find(|(sign, _)| rest.starts_with(sign)) {
                self.at += 2;
                return Ok(Value::Bool(value.1));
            }
        }
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" | "undefined" | "NaN" | "Infinity" | "-Infinity" => Value::Null,
            _ => match number(word) {
                Some(value) => value,
                None if self.mode.js => {
                    self.skip_expression()?;
                    return Ok(Value::Null);
                }
                None => return Err(self.fault("this is no value")),
            },
        };
        self.at += end;
        Ok(value)
    }

    /// The value of `JSON.parse("...")`, if that is what stands here.
    pub(in super::super) fn parsed_string(&mut self, name_len: usize) -> Option<Value> {
        let mut ahead = Reader::new(self.text, self.at + name_len, self.mode);
        ahead.skip_blank(false);
        (ahead.peek() == Some(b'(')).then(|| ahead.at += 1)?;
        ahead.skip_blank(false);
        let inner = ahead.string(Role::Item).ok()??;
        ahead.skip_blank(false);
        (ahead.peek() == Some(b')')).then(|| ahead.at += 1)?;
        super::check_size(&inner).ok()?;
        let value = serde_json::from_str(&inner).ok()?;
        self.at = ahead.at;
        Some(value)
    }

    /// Skips an expression of a script, to the comma or bracket that ends it.
    fn skip_expression(&mut self) -> Result<(), Fault> {
        let mut open = 0usize;
        loop {
            self.skip_blank(false);
            match self.peek() {
                None => return Err(self.fault("an expression does not end")),
                Some(b',' | b'}' | b']') if open == 0 => return Ok(()),
                Some(b')' | b';') if open == 0 => return Err(self.fault("an expression ends outside of the literal")),
                Some(b'(' | b'[' | b'{') => {
                    open += 1;
                    self.at += 1;
                }
                Some(b')' | b']' | b'}') => {
                    open -= 1;
                    self.at += 1;
                }
                Some(b'"' | b'\'' | b'`') => self.skip_string()?,
                Some(_) => self.at += self.rest().chars().next().map_or(1, char::len_utf8),
            }
        }
    }
}

fn attach(stack: &mut [Frame], value: Value) {
    match stack.last_mut() {
        Some(Frame::List(items)) => items.push(value),
        Some(Frame::Object(map, key)) => {
            if let Some(key) = key.take() {
                map.insert(key, value);
            }
        }
        None => {}
    }
}

/// The length of a tag that an editor left between the lines, such as `<br />`.
fn tag_len(bytes: &[u8]) -> Option<usize> {
    let begins = match bytes.get(1)? {
        b'/' => bytes.get(2)?,
        other => other,
    };
    if !begins.is_ascii_alphabetic() {
        return None;
    }
    memchr::memchr(b'>', bytes.get(..bytes.len().min(200))?).map(|end| end + 1)
}

/// A number; what begins like one but is none (a date, a postal code with a zero in front) is kept as text.
fn number(word: &str) -> Option<Value> {
    let digits = word.trim_start_matches(['+', '-']);
    if !digits.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Ok(number) = word.parse::<Number>() {
        return Some(Value::Number(number));
    }
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))
        && let Ok(number) = u64::from_str_radix(hex, 16)
    {
        return Some(Value::from(number));
    }
    let zero_led = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    match word.parse::<f64>().ok().and_then(Number::from_f64) {
        Some(number) if !zero_led => Some(Value::Number(number)),
        _ => Some(Value::String(word.to_owned())),
    }
}

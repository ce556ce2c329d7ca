//! EXSLT's `re:`, `set:` and `str:`, and the functions of XPath 2 that take regular expressions.
//!
//! Source: <https://exslt.github.io/>

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crawlingo_schema::xpath::ast::{Call, Expr};
use crawlingo_schema::xpath::{Function, compile_regex};
use regex::{Captures, Regex};

use super::eval::{Context, Evaluator, Value};
use super::item::Item;
use crate::Error;

/// How many regular expressions that are made on the way are kept.
const KEPT_REGEXES: usize = 16;

impl<'a> Evaluator<'a> {
    pub(super) fn call_extension(&mut self, call: &'a Call, context: Context) -> Result<Value<'a>, Error> {
        let args = call.args.as_slice();
        Ok(match (call.function, args) {
            (Function::Matches | Function::ReTest, [text, pattern, flags @ ..]) => {
                let text = self.text(text, context)?;
                let (regex, _) = self.regex(call, pattern, flags.first(), context)?;
                self.pay(text.len() / 8 + 1)?;
                Value::Boolean(regex.is_match(&text))
            }
            (Function::ReMatch, [text, pattern, flags @ ..]) => {
                let text = self.text(text, context)?;
                let (regex, all) = self.regex(call, pattern, flags.first(), context)?;
                self.pay(text.len() / 8 + 1)?;
                let mut found = Vec::new();
                if all {
                    for found_here in regex.find_iter(&text) {
                        found.push(self.make(found_here.as_str())?);
                    }
                } else if let Some(groups) = regex.captures(&text) {
                    for group in groups.iter() {
                        found.push(self.make(group.map_or("", |group| group.as_str()))?);
                    }
                }
                Value::Nodes(found)
            }
            (Function::Replace, [text, pattern, replacement, flags @ ..]) => {
                let text = self.text(text, context)?;
                let (regex, _) = self.regex(call, pattern, flags.first(), context)?;
                let replacement = self.text(replacement, context)?;
                Value::Text(self.replace(&text, &regex, &replacement, true)?.into())
            }
            (Function::ReReplace, [text, pattern, flags, replacement]) => {
                let text = self.text(text, context)?;
                let (regex, all) = self.regex(call, pattern, Some(flags), context)?;
                let replacement = self.text(replacement, context)?;
                Value::Text(self.replace(&text, &regex, &replacement, all)?.into())
            }
            (Function::SetDifference, [left, right]) => self.set(left, right, context, |_, other| !other)?,
            (Function::SetIntersection, [left, right]) => self.set(left, right, context, |_, other| other)?,
            (Function::SetHasSameNode, [left, right]) => {
                let Value::Nodes(both) = self.set(left, right, context, |_, other| other)? else {
                    return Ok(Value::Boolean(false));
                };
                Value::Boolean(!both.is_empty())
            }
            (Function::SetDistinct, [nodes]) => {
                let mut seen = HashSet::new();
                let mut kept = Vec::new();
                for item in self.nodes(nodes, context)? {
                    if seen.insert(self.string_value(item)?) {
                        kept.push(item);
                    }
                }
                Value::Nodes(kept)
            }
            (Function::SetLeading | Function::SetTrailing, [left, right]) => {
                let mut nodes = self.nodes(left, context)?;
                // Without a mark all are taken; with one that is not among them, none.
                if let Some(mark) = self.nodes(right, context)?.first() {
                    match nodes.binary_search(mark) {
                        Ok(place) if call.function == Function::SetLeading => nodes.truncate(place),
                        Ok(place) => drop(nodes.drain(..=place)),
                        Err(_) => nodes.clear(),
                    }
                }
                Value::Nodes(nodes)
            }
            (Function::StrConcat, [nodes]) => {
                let nodes = self.nodes(nodes, context)?;
                Value::Text(self.join(&nodes, "")?.into())
            }
            (Function::StrPadding, [length, text @ ..]) => {
                let length = self.number(length, context)?;
                let text = match text {
                    [text] => self.text(text, context)?,
                    _ => " ".into(),
                };
                // Not-a-number and what is below zero become zero.
                let length = super::convert::round(length) as usize;
                self.pay_text(length.saturating_mul(4))?;
                Value::Text(text.chars().cycle().take(length).collect::<String>().into())
            }
            (Function::StrAlign, [text, padding, alignment @ ..]) => {
                let (text, padding) = (self.text(text, context)?, self.text(padding, context)?);
                let alignment = match alignment {
                    [alignment] => self.text(alignment, context)?,
                    _ => "left".into(),
                };
                self.pay_text(padding.len())?;
                Value::Text(align(&text, &padding, &alignment).into())
            }
            (Function::StrReplace, [text, search, replacement]) => {
                let text = self.text(text, context)?;
                let searches = self.texts(search, context)?;
                let replacements = self.texts(replacement, context)?;
                Value::Text(self.replace_texts(&text, &searches, &replacements)?.into())
            }
            (Function::StrSplit, [text, separator @ ..]) => {
                let text = self.text(text, context)?;
                let separator = match separator {
                    [separator] => self.text(separator, context)?,
                    _ => " ".into(),
                };
                let mut parts = Vec::new();
                if separator.is_empty() {
                    for (at, c) in text.char_indices() {
                        parts.push(self.make(&text[at..at + c.len_utf8()])?);
                    }
                } else {
                    for part in text.split(&*separator).filter(|part| !part.is_empty()) {
                        parts.push(self.make(part)?);
                    }
                }
                Value::Nodes(parts)
            }
            (Function::StrTokenize, [text, separators @ ..]) => {
                let text = self.text(text, context)?;
                let separators = match separators {
                    [separators] => self.text(separators, context)?,
                    _ => "\t\r\n ".into(),
                };
                let mut parts = Vec::new();
                if separators.is_empty() {
                    for (at, c) in text.char_indices() {
                        parts.push(self.make(&text[at..at + c.len_utf8()])?);
                    }
                } else {
                    self.pay_text(text.len().saturating_mul(separators.len().min(64)) / 8)?;
                    for part in text.split(|c| separators.contains(c)).filter(|part| !part.is_empty()) {
                        parts.push(self.make(part)?);
                    }
                }
                Value::Nodes(parts)
            }
            (Function::StrEncodeUri, [text, reserved, ..]) => {
                let text = self.text(text, context)?;
                let reserved = self.boolean(reserved, context)?;
                self.pay_text(text.len() * 3)?;
                Value::Text(encode_uri(&text, reserved).into())
            }
            (Function::StrDecodeUri, [text, ..]) => {
                let text = self.text(text, context)?;
                self.pay_text(text.len())?;
                Value::Text(decode_uri(&text).into())
            }
            _ => return Err(self.error(Some(call.span.clone()), "this call cannot be evaluated").into()),
        })
    }

    /// A node that is nothing but a text.
    fn make(&mut self, text: &str) -> Result<Item, Error> {
        self.pay_text(text.len())?;
        let item = Item::made(self.made.len() as u32);
        self.made.push(text.into());
        Ok(item)
    }

    /// The texts of all nodes, or the one text.
    fn texts(&mut self, expr: &'a Expr, context: Context) -> Result<Vec<Cow<'a, str>>, Error> {
        match self.eval(expr, context)? {
            Value::Nodes(nodes) => nodes.into_iter().map(|item| self.string_value(item)).collect(),
            other => Ok(vec![self.value_text(other)?]),
        }
    }

    fn set(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        context: Context,
        keep: impl Fn(Item, bool) -> bool,
    ) -> Result<Value<'a>, Error> {
        let mut nodes = self.nodes(left, context)?;
        let others = self.nodes(right, context)?;
        nodes.retain(|item| keep(*item, others.binary_search(item).is_ok()));
        Ok(Value::Nodes(nodes))
    }

    /// The regular expression of a call, and whether all matches are asked for.
    fn regex(
        &mut self,
        call: &'a Call,
        pattern: &'a Expr,
        flags: Option<&'a Expr>,
        context: Context,
    ) -> Result<(Arc<Regex>, bool), Error> {
        let flags = match flags {
            Some(flags) => self.text(flags, context)?,
            None => "".into(),
        };
        let all = flags.contains('g');
        if let Some(regex) = &call.regex {
            return Ok((Arc::clone(regex), all));
        }
        let pattern = self.text(pattern, context)?;
        if let Some((.., regex)) = self.regexes.iter().find(|(known, by, _)| *known == *pattern && *by == *flags) {
            return Ok((Arc::clone(regex), all));
        }
        // Compiling costs about as much as looking at this many nodes.
        self.pay(20_000 + pattern.len() * 20)?;
        let regex = compile_regex(&pattern, &flags).map_err(|cause| {
            let error = self.error(Some(call.span.clone()), format!("{} (`{pattern}`)", cause.message()));
            match cause.hint() {
                Some(hint) => error.with_hint(hint),
                None => error,
            }
        })?;
        let regex = Arc::new(regex);
        if self.regexes.len() >= KEPT_REGEXES {
            self.regexes.remove(0);
        }
        self.regexes.push((pattern.into_owned(), flags.into_owned(), Arc::clone(&regex)));
        Ok((regex, all))
    }

    fn replace(&mut self, text: &str, regex: &Regex, replacement: &str, all: bool) -> Result<String, Error> {
        let parts = replacement_parts(replacement, regex.captures_len());
        let mut replaced = String::new();
        let mut done = 0;
        self.pay(text.len() / 4 + 1)?;
        for groups in regex.captures_iter(text).take(if all { usize::MAX } else { 1 }) {
            let Some(whole) = groups.get(0) else { continue };
            replaced.push_str(&text[done..whole.start()]);
            done = whole.end();
            write_parts(&parts, &groups, &mut replaced);
            self.pay(4)?;
            self.bound_text(replaced.len())?;
        }
        replaced.push_str(text.get(done..).unwrap_or_default());
        self.pay_text(replaced.len())?;
        Ok(replaced)
    }

    /// Each search text becomes its replacement, in one pass from the left; of several that fit, the longest.
    fn replace_texts(
        &mut self,
        text: &str,
        searches: &[Cow<'a, str>],
        replacements: &[Cow<'a, str>],
    ) -> Result<String, Error> {
        let mut pairs: Vec<(&str, &str)> = searches
            .iter()
            .enumerate()
            .map(|(place, search)| (&**search, replacements.get(place).map_or("", |text| &**text)))
            .filter(|(search, _)| !search.is_empty())
            .collect();
        pairs.sort_by_key(|(search, _)| std::cmp::Reverse(search.len()));
        let mut replaced = String::new();
        let mut rest = text;
        self.pay(text.len().saturating_mul(pairs.len().max(1)) / 16)?;
        while let Some(c) = rest.chars().next() {
            match pairs.iter().find(|(search, _)| rest.starts_with(search)) {
                Some((search, replacement)) => {
                    replaced.push_str(replacement);
                    rest = &rest[search.len()..];
                    self.bound_text(replaced.len())?;
                }
                None => {
                    replaced.push(c);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        self.pay_text(replaced.len())?;
        Ok(replaced)
    }
}

enum Part<'r> {
    Text(&'r str),
    Group(usize),
}

/// A replacement's references, `$1` as in EXSLT and XPath 2 or `\1` as in Python; `\$` and `\\` mean the sign itself.
fn replacement_parts(replacement: &str, groups: usize) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = replacement;
    while let Some(at) = rest.find(['$', '\\']) {
        let (before, sign) = rest.split_at(at);
        parts.push(Part::Text(before));
        let after = &sign[1..];
        let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
        // Two digits only where there is such a group.
        let group = (1..=digits).rev().find_map(|count| {
            let group: usize = after[..count].parse().ok()?;
            (group < groups || count == 1).then_some((group, count))
        });
        match (group, after.chars().next()) {
            (Some((group, count)), _) => {
                parts.push(Part::Group(group));
                rest = &after[count..];
            }
            (None, Some(escaped @ ('$' | '\\'))) if sign.starts_with('\\') => {
                parts.push(Part::Text(&after[..escaped.len_utf8()]));
                rest = &after[escaped.len_utf8()..];
            }
            _ => {
                parts.push(Part::Text(&sign[..1]));
                rest = after;
            }
        }
    }
    parts.push(Part::Text(rest));
    parts
}

fn write_parts(parts: &[Part<'_>], groups: &Captures<'_>, out: &mut String) {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Group(group) => out.push_str(groups.get(*group).map_or("", |group| group.as_str())),
        }
    }
}

/// The text over the padding, which gives the length.
fn align(text: &str, padding: &str, alignment: &str) -> String {
    let (length, width) = (text.chars().count(), padding.chars().count());
    if length >= width {
        return text.chars().take(width).collect();
    }
    let before = match alignment {
        "right" => width - length,
        "center" => (width - length) / 2,
        _ => 0,
    };
    let mut aligned: String = padding.chars().take(before).collect();
    aligned.push_str(text);
    aligned.extend(padding.chars().skip(before + length));
    aligned
}

fn encode_uri(text: &str, reserved: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric()
            || b"-_.!~*'()".contains(&byte)
            || (!reserved && b";/?:@&=+$,[]".contains(&byte));
        if plain {
            encoded.push(byte.into());
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Escapes that do not make UTF-8 give nothing, as EXSLT has it for what cannot be decoded.
fn decode_uri(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = (*byte == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escape.unwrap_or(*byte));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_default()
}

//! Character references.
//!
//! Source: <https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state>

use html5ever::tendril::StrTendril;
use markup5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The longest name that needs no semicolon.
const LONGEST_BARE: usize = 6;
/// The longest name with its semicolon.
const LONGEST: usize = 32;

/// A reference that stands for something.
pub(super) struct Reference {
    /// How many bytes it takes, with its `&`.
    pub(super) len: usize,
    first: char,
    second: Option<char>,
}

impl Reference {
    pub(super) fn push_to(&self, text: &mut String) {
        text.push(self.first);
        text.extend(self.second);
    }

    pub(super) fn text(&self) -> StrTendril {
        let mut text = StrTendril::from_char(self.first);
        if let Some(second) = self.second {
            text.push_char(second);
        }
        text
    }
}

/// The reference that `bytes` begins with; `None` if the `&` is text.
pub(super) fn read(bytes: &[u8], in_attr: bool) -> Option<Reference> {
    match bytes.get(1)? {
        b'#' => numeric(bytes),
        byte if byte.is_ascii_alphanumeric() => named(bytes, in_attr),
        _ => None,
    }
}

fn numeric(bytes: &[u8]) -> Option<Reference> {
    let (radix, start) = match bytes.get(2)? {
        b'x' | b'X' => (16, 3),
        _ => (10, 2),
    };
    let mut code: u32 = 0;
    let mut at = start;
    while let Some(digit) = bytes.get(at).and_then(|byte| char::from(*byte).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return None;
    }
    let len = at + usize::from(bytes.get(at) == Some(&b';'));
    let replaced = code.checked_sub(0x80).and_then(|at| *C1_REPLACEMENTS.get(at as usize)?);
    let first = match code {
        0 => '\u{fffd}',
        _ => replaced.or_else(|| char::from_u32(code)).unwrap_or('\u{fffd}'),
    };
    Some(Reference { len, first, second: None })
}

fn look_up(name: &[u8]) -> Option<(char, Option<char>)> {
    let first = match name {
        b"amp;" => '&',
        b"nbsp;" => '\u{a0}',
        b"lt;" => '<',
        b"gt;" => '>',
        b"quot;" => '"',
        _ => {
            // The table has the beginnings of names too, as zeros.
            let (first, second) = NAMED_ENTITIES.get(std::str::from_utf8(name).ok()?).filter(|found| found.0 != 0)?;
            let second = char::from_u32(*second).filter(|second| *second != '\0');
            return Some((char::from_u32(*first)?, second));
        }
    };
    Some((first, None))
}

fn named(bytes: &[u8], in_attr: bool) -> Option<Reference> {
    let name = bytes.get(1..)?;
    let run = name.iter().take(LONGEST).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if name.get(run) == Some(&b';')
        && let Some((first, second)) = look_up(&name[..=run])
    {
        return Some(Reference { len: run + 2, first, second });
    }
    let len = (2..=run.min(LONGEST_BARE)).rev().find(|len| look_up(&name[..*len]).is_some())?;
    if in_attr && name.get(len).is_some_and(|next| *next == b'=' || next.is_ascii_alphanumeric()) {
        return None;
    }
    let (first, second) = look_up(&name[..len])?;
    Some(Reference { len: len + 1, first, second })
}

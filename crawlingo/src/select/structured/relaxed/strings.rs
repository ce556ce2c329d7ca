//! Strings: quotes of all kinds, escapes, and quotes that nobody escaped.

use super::Fault;
use super::scan::Reader;

/// Where a string stands; it says what may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Role {
    /// A name of an object.
    Key,
    /// A value of an object.
    Member,
    /// An item of a list, or on its own.
    Item,
}

const CURLY: [char; 4] = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2033}'];

impl Reader<'_> {
    /// The string at the cursor, if one begins here.
    pub(super) fn string(&mut self, role: Role) -> Result<Option<String>, Fault> {
        let Some(quote) = self.rest().chars().next() else { return Ok(None) };
        let is_quote = matches!(quote, '"' | '\'') || (quote == '`' && self.mode.js) || CURLY.contains(&quote);
        if !is_quote || (self.mode.js && CURLY.contains(&quote)) {
            return Ok(None);
        }
        let opened = self.at;
        self.at += quote.len_utf8();
        let mut string = String::new();
        loop {
            let rest = self.rest();
            let found = match u8::try_from(quote) {
                Ok(quote) if self.mode.js => memchr::memchr3(b'\\', quote, b'\n', rest.as_bytes()),
                Ok(quote) => memchr::memchr2(b'\\', quote, rest.as_bytes()),
                Err(_) => rest.find(|c| c == '\\' || CURLY.contains(&c)),
            };
            let Some(found) = found else {
                return Err(Fault { at: opened, what: "the string that begins here does not end" });
            };
            string.push_str(rest.get(..found).unwrap_or_default());
            self.at += found;
            match self.rest().chars().next() {
                Some('\\') => self.escape(&mut string),
                Some('\n') if self.mode.js && quote != '`' => return Err(self.fault("a line ends in a string")),
                Some(end) => {
                    self.at += end.len_utf8();
                    if end == '\n' || (self.mode.inner_quotes && !self.may_end(role)) {
                        string.push(end);
                        continue;
                    }
                    if quote == '`' && string.contains("${") {
                        return Err(self.fault("a template string holds an expression"));
                    }
                    return Ok(Some(string));
                }
                None => return Err(self.fault("a string does not end")),
            }
        }
    }

    /// Skips the string at the cursor; templates with expressions too.
    pub(super) fn skip_string(&mut self) -> Result<(), Fault> {
        let quote = self.peek();
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(self.fault("a string does not end")),
                Some(b'\\') => self.at += 1,
                byte if byte == quote => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\n') if quote != Some(b'`') => return Err(self.fault("a line ends in a string")),
                Some(_) => {}
            }
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Reads an escape; one that is unknown stands for the sign after the backslash, as in JavaScript.
    fn escape(&mut self, string: &mut String) {
        self.at += 1;
        let Some(sign) = self.rest().chars().next() else { return };
        self.at += sign.len_utf8();
        match sign {
            'n' => string.push('\n'),
            't' => string.push('\t'),
            'r' => string.push('\r'),
            'b' => string.push('\u{8}'),
            'f' => string.push('\u{c}'),
            'v' if self.mode.js => string.push('\u{b}'),
            '0' if self.mode.js => string.push('\0'),
            '\n' if self.mode.js => {}
            'x' => match self.hex(2) {
                Some(code) => string.push(char::from_u32(code).unwrap_or('\u{fffd}')),
                None => string.push('x'),
            },
            'u' => self.unicode_escape(string),
            other => string.push(other),
        }
    }

    fn unicode_escape(&mut self, string: &mut String) {
        if self.peek() == Some(b'{') {
            let end = self.rest().bytes().take(8).position(|byte| byte == b'}');
            if let Some(end) = end
                && let Some(code) = self.rest().get(1..end).and_then(|hex| u32::from_str_radix(hex, 16).ok())
            {
                self.at += end + 1;
                string.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                return;
            }
        }
        let Some(first) = self.hex(4) else {
            string.push('u');
            return;
        };
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            let back = self.at;
            self.at += 2;
            match self.hex(4) {
                Some(second) if (0xdc00..0xe000).contains(&second) => {
                    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    string.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    return;
                }
                _ => self.at = back,
            }
        }
        string.push(char::from_u32(first).unwrap_or('\u{fffd}'));
    }

    /// So many hexadecimal digits.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let hex = self.rest().get(..digits)?;
        if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        u32::from_str_radix(hex, 16).ok()
    }

    /// Whether a string of that role may end here: the JSON goes on as JSON does.
    fn may_end(&self, role: Role) -> bool {
        let rest = self.rest().trim_start();
        let Some(next) = rest.chars().next() else { return true };
        match (role, next) {
            (Role::Key, next) => next == ':',
            (_, '/') => rest.starts_with("//") || rest.starts_with("/*"),
            (Role::Member, '}') | (Role::Item, ']') => true,
            (Role::Member, ',') => match rest.get(1..).unwrap_or_default().trim_start().chars().next() {
                Some('}') | None => true,
                Some('"') => is_key(rest.get(1..).unwrap_or_default().trim_start()),
                Some('\'' | '/') => true,
                Some(other) => CURLY.contains(&other),
            },
            (Role::Member, '"') => is_key(rest),
            (Role::Item, ',') => {
                let after = rest.get(1..).unwrap_or_default().trim_start().chars().next();
                after.is_none_or(|c| "\"'{[]-/".contains(c) || c.is_ascii_digit())
            }
            _ => false,
        }
    }
}

/// Whether the text begins with a quoted name and a colon.
fn is_key(text: &str) -> bool {
    let inside = text.get(1..).unwrap_or_default();
    let Some(end) = inside.bytes().take(100).position(|byte| byte == b'"') else { return false };
    inside.get(end + 1..).unwrap_or_default().trim_start().starts_with(':')
}

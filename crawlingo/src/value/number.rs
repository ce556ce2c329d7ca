//! Numbers as pages write them: digits of any script, the separators of any convention.
//!
//! The rules, where a text could be read in two ways:
//! - the last of two different separators is the decimal one (`1.234,56`, `1,234.56`);
//! - a separator that comes twice, or a space or apostrophe between digits, groups (`1.234.567`, `1'234`, `12 345`);
//! - a single `.` or `,` before exactly three digits groups in whole numbers and prices; in a float or decimal the page's
//!   language says what it is, and without one the point is decimal and the comma groups;
//! - any other single `.` or `,` is decimal.

use rust_decimal::Decimal;

/// The most digits of a number that is read; more are no number that anyone counts with.
const MAX_DIGITS: usize = 40;

/// A number in a text: where it stands, and its normal form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// `-1234.5`: ASCII digits, a point, a sign.
    pub(crate) plain: String,
}

impl Found {
    pub(crate) fn decimal(&self) -> Option<Decimal> {
        self.plain.parse().ok()
    }
}

/// What a single separator before three digits means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Triple {
    /// It groups: in whole numbers and prices.
    Groups,
    /// The point is decimal, the comma groups.
    PointDecimal,
    /// The comma is decimal, the point groups.
    CommaDecimal,
}

impl Triple {
    /// As the language writes decimals; without one, the point is decimal.
    pub(crate) fn of_language(language: Option<&str>) -> Self {
        const COMMA: &[&str] = &[
            "af", "az", "be", "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu",
            "hy", "id", "is", "it", "ka", "kk", "ky", "lt", "lv", "mk", "mn", "nb", "nl", "nn", "no", "pl", "pt", "ro",
            "ru", "sk", "sl", "sq", "sr", "sv", "tr", "uk", "uz", "vi",
        ];
        // Of these, the countries that write a point.
        const POINT: &[&str] = &[
            "de-ch", "de-li", "es-mx", "es-us", "es-pr", "es-do", "es-gt", "es-hn", "es-ni", "es-pa", "es-pe", "es-sv",
            "it-ch",
        ];
        let Some(language) = language else { return Self::PointDecimal };
        let language = language.to_ascii_lowercase().replace('_', "-");
        let primary = language.split('-').next().unwrap_or_default();
        if COMMA.contains(&primary) && !POINT.contains(&language.as_str()) {
            Self::CommaDecimal
        } else {
            Self::PointDecimal
        }
    }
}

/// The value of a decimal digit of any script.
pub(crate) fn digit(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    // Each script's digits stand in a row of ten; these are the rows' zeros.
    const ZEROS: &[u32] = &[
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
        0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0,
        0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    ];
    let code = c as u32;
    ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code)).map(|zero| code - zero)
}

/// The text with digits of all scripts as ASCII digits.
pub(crate) fn ascii_digits(text: &str) -> String {
    text.chars().map(|c| digit(c).and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)).collect()
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}' | '\u{2005}' | '\t')
}

fn is_separator(c: char) -> bool {
    is_space(c) || matches!(c, '.' | ',' | '\'' | '’' | '‘' | '´' | '`' | '·' | '_' | '٫' | '٬' | '،' | '．' | '，')
}

fn is_minus(c: char) -> bool {
    matches!(c, '-' | '−' | '–' | '﹣' | '－')
}

/// The numbers of a text, at most `limit`.
pub(crate) fn find(text: &str, triple: Triple, limit: usize) -> Vec<Found> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() && found.len() < limit {
        if digit(chars[at].1).is_none() {
            // `.50` is a number too, unless the point ends a word.
            let bare = matches!(chars[at].1, '.' | ',')
                && chars.get(at + 1).is_some_and(|(_, c)| digit(*c).is_some())
                && (at == 0 || !chars[at - 1].1.is_alphanumeric() && chars[at - 1].1 != '.');
            if !bare {
                at += 1;
                continue;
            }
        }
        let start = at;
        let mut end = at;
        // Digits, and single separators between them. A space goes on only before a group of three.
        while end < chars.len() {
            let (_, c) = chars[end];
            if digit(c).is_some() {
                end += 1;
                continue;
            }
            let next_digits = chars[end + 1..].iter().take_while(|(_, c)| digit(*c).is_some()).take(4).count();
            if !is_separator(c) || next_digits == 0 {
                break;
            }
            if is_space(c) {
                let before = chars[start..end].iter().rev().take_while(|(_, c)| digit(*c).is_some()).count();
                let grouped_so_far = chars[start..end].iter().all(|(_, c)| digit(*c).is_some() || is_space(*c));
                if next_digits != 3 || before > 3 || !grouped_so_far {
                    break;
                }
            }
            end += 1;
        }
        let sign = start
            .checked_sub(1)
            .map(|before| (before, chars[before].1))
            .filter(|(before, c)| is_minus(*c) && (*before == 0 || !chars[*before - 1].1.is_alphanumeric()));
        let offset = |at: usize| chars.get(at).map_or(text.len(), |(offset, _)| *offset);
        if let Some(plain) = normal(&chars[start..end], triple) {
            let negative = if sign.is_some() { "-" } else { "" };
            found.push(Found {
                start: offset(sign.map_or(start, |(before, _)| before)),
                end: offset(end),
                plain: format!("{negative}{plain}"),
            });
        }
        at = end.max(start + 1);
    }
    found
}

/// The normal form of digits and separators.
fn normal(chars: &[(usize, char)], triple: Triple) -> Option<String> {
    let digits = chars.iter().filter(|(_, c)| digit(*c).is_some()).count();
    if digits == 0 || digits > MAX_DIGITS {
        return None;
    }
    // The separators that are neither spaces nor of a kind that only groups, by position.
    let kind = |c: char| match c {
        ',' | '٫' | '،' | '，' => Some(','),
        '.' | '·' | '．' => Some('.'),
        _ => None,
    };
    let marks: Vec<(usize, char)> = chars.iter().enumerate().filter_map(|(at, (_, c))| Some((at, kind(*c)?))).collect();
    let decimal_at = match marks.as_slice() {
        [] => None,
        [.., (last, mark)] => {
            let same = marks.iter().filter(|(_, other)| other == mark).count();
            let others = marks.len() - same;
            let after = chars.len() - last - 1;
            let before = *last;
            let only_grouped = chars[..*last].iter().any(|(_, c)| digit(*c).is_none());
            let arabic = chars[*last].1 == '٫';
            if same > 1 {
                // `1.234.567`, or `1,234,567`: no decimals. A mixture such as `1.2.3,4,5` groups as a whole.
                None
            } else if others > 0 || arabic {
                Some(*last)
            } else if only_grouped {
                // `1 234,500` and `1'234.50`: spaces and apostrophes group, so that this one is decimal.
                Some(*last)
            } else if after == 3 && (1..=3).contains(&before) && digit(chars[0].1) != Some(0) {
                match (triple, mark) {
                    (Triple::Groups, _) => None,
                    (Triple::PointDecimal, '.') | (Triple::CommaDecimal, ',') => Some(*last),
                    _ => None,
                }
            } else {
                Some(*last)
            }
        }
    };
    let mut plain = String::with_capacity(chars.len());
    for (at, (_, c)) in chars.iter().enumerate() {
        if Some(at) == decimal_at {
            if plain.is_empty() {
                plain.push('0');
            }
            plain.push('.');
        } else if let Some(digit) = digit(*c).and_then(|digit| char::from_digit(digit, 10)) {
            plain.push(digit);
        }
    }
    Some(plain)
}

/// The one number of a text. Words and units may stand around it.
pub(crate) fn one(text: &str, triple: Triple) -> Result<Found, String> {
    let found = find(text, triple, 3);
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (None, _) => Err("there is no number in it".to_owned()),
        (Some(first), Some(second)) => Err(format!(
            "there is more than one number in it ({} and {}); narrow it with a regex such as `(\\d+) of`",
            first.plain, second.plain
        )),
        (Some(one), None) => {
            let mut after = text[one.end..].chars();
            let unit = after.next().filter(|c| matches!(c, 'k' | 'K' | 'M' | 'B'));
            match (unit, after.next()) {
                (Some(unit), next) if next.is_none_or(|c| !c.is_alphanumeric()) => {
                    Err(format!("the number is abbreviated with `{unit}`, which cannot be read exactly"))
                }
                _ => Ok(one),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, triple: Triple) -> String {
        one(text, triple).map_or_else(|error| error, |found| found.plain)
    }

    #[test]
    fn separators_of_all_conventions() {
        for (text, expected) in [
            ("1.234,56", "1234.56"),
            ("1,234.56", "1234.56"),
            ("1 234,56", "1234.56"),
            ("1\u{202f}234,56", "1234.56"),
            ("1'234.50", "1234.50"),
            ("12,34,567.8", "1234567.8"),
            ("1.234.567", "1234567"),
            ("٣٤٫٥", "34.5"),
            ("12,5", "12.5"),
            ("0.123", "0.123"),
            ("−7", "-7"),
            (".50", "0.50"),
            ("22 available", "22"),
        ] {
            assert_eq!(plain(text, Triple::Groups), expected, "{text}");
        }
        assert_eq!(plain("1.234", Triple::Groups), "1234");
        assert_eq!(plain("1.234", Triple::PointDecimal), "1.234");
        assert_eq!(plain("1.234", Triple::of_language(Some("de-AT"))), "1234");
        assert_eq!(plain("1,234", Triple::of_language(Some("de"))), "1.234");
    }

    #[test]
    fn what_is_not_one_number_is_refused() {
        assert!(plain("12 of 40", Triple::Groups).contains("12 and 40"));
        assert!(plain("1.2K", Triple::PointDecimal).contains("abbreviated"));
        assert!(plain("none", Triple::Groups).contains("no number"));
    }
}

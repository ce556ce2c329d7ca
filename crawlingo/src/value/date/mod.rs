//! Dates and times, as pages write them in many languages.
//!
//! In this order: ISO 8601 in all its forms, seconds or milliseconds since 1970 (10 or 13 digits alone), then the words
//! and numbers of the text in one language, the first that knows every word of it: the field's, the page's, English, the
//! others by name. The names are Unicode CLDR's; see `data/generate_cldr.py`.
//!
//! What is ambiguous is decided by rule, never by chance:
//! - `03/04/05` is in the order of the field's `date_order`, else of its or the page's language (CLDR's short date), else
//!   month first; an order that makes no date is given up for one that does;
//! - years of two digits are 1969 to 2068;
//! - a missing year, and dates such as "yesterday" or "3 days ago", need the moment that they count from.

mod iso;
mod lexer;
mod names;
mod relative;
mod resolve;
mod time;

use crawlingo_schema::DateOptions;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;

use super::ConvertContext;
use super::number::ascii_digits;

/// What a text says about a moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moment {
    pub(crate) date: Option<Date>,
    pub(crate) time: Option<Time>,
    /// The instant, where the text names a zone or an offset.
    pub(crate) instant: Option<Timestamp>,
}

impl Moment {
    fn new(date: Option<Date>, time: Option<Time>, offset: Option<Offset>) -> Self {
        let instant = match (date, time, offset) {
            (Some(date), Some(time), Some(offset)) => offset.to_timestamp(date.to_datetime(time)).ok(),
            _ => None,
        };
        Self { date, time, instant }
    }

    fn at(local: DateTime, instant: Option<Timestamp>) -> Self {
        Self { date: Some(local.date()), time: Some(local.time()), instant }
    }
}

/// The longest text in which a date is looked for, in bytes.
const MAX_TEXT: usize = 256;

/// Reads a moment.
pub(crate) fn parse(text: &str, options: &DateOptions, context: ConvertContext<'_>) -> Result<Moment, String> {
    if text.len() > MAX_TEXT {
        return Err("the text is too long for a date".to_owned());
    }
    let text = cleaned(text);
    if let Some(moment) = iso::parse(&text) {
        return Ok(moment);
    }
    if let Some(moment) = iso::epoch(&text) {
        return Ok(moment);
    }
    let now = context.now.map(|now| Offset::UTC.to_datetime(now));
    let language = options.language.as_deref().or(context.language);
    let first = words(&text, options, language, now);
    match (&first, text.split_once(": ")) {
        // "Added: 3 March 2020": a label that no language knows.
        (Err(_), Some((label, rest))) if label.chars().all(|c| c.is_alphabetic() || c == ' ') => {
            words(rest, options, language, now).or(first)
        }
        _ => first,
    }
}

fn words(text: &str, options: &DateOptions, language: Option<&str>, now: Option<DateTime>) -> Result<Moment, String> {
    if let Some(result) = relative::parse(text, language, now) {
        return result;
    }
    resolve::parse(text, options, language, now)
}

/// Digits of all scripts as ASCII, invisible marks gone, white space collapsed, lower case.
fn cleaned(text: &str) -> String {
    let text: String = ascii_digits(text)
        .chars()
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}'))
        .map(|c| match c {
            '₀'..='₉' => char::from_digit(c as u32 - '₀' as u32, 10).unwrap_or(c),
            '⁰' => '0',
            '¹' => '1',
            '²' => '2',
            '³' => '3',
            '⁴'..='⁹' => char::from_digit(c as u32 - '⁰' as u32, 10).unwrap_or(c),
            '：' | '∶' => ':',
            '，' | '、' | '،' => ',',
            '−' | '–' | '—' => '-',
            '’' | '‘' | 'ʼ' | '`' => '\'',
            other => other,
        })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

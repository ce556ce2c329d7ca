//! From a text of the page to a value of a kind.

use std::fmt;

use crawlingo_schema::{DateOptions, Kind};
use url::Url;

use super::number::{self, Triple};
use super::{Email, Phone, Price, Value, date};

/// What a conversion may need to know about the page.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConvertContext<'a> {
    /// What relative URLs are relative to.
    pub base: Option<&'a Url>,
    /// The page's language (BCP 47), a hint for dates and numbers.
    pub language: Option<&'a str>,
    /// The moment that relative dates ("3 days ago") count from; `None`: they are refused.
    pub now: Option<jiff::Timestamp>,
}

/// A text that is no value of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertError {
    /// What was asked for: `price`, `date`.
    pub kind: &'static str,
    /// What stood there, shortened.
    pub text: String,
    /// Why it does not do.
    pub message: String,
    /// Where in the field's value: `[2].price`. Empty for the value as a whole.
    path: String,
}

impl ConvertError {
    /// An error about a text.
    pub fn new(kind: &'static str, text: &str, message: impl Into<String>) -> Self {
        const SHOWN: usize = 80;
        let mut shown: String = text.chars().take(SHOWN).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        Self { kind, text: shown, message: message.into(), path: String::new() }
    }

    /// An error whose message says it all.
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Self { kind: "", text: String::new(), message: message.into(), path: String::new() }
    }

    /// Says in which item of a list it is.
    pub(crate) fn in_item(mut self, index: usize) -> Self {
        self.path.insert_str(0, &format!("[{index}]"));
        self
    }

    /// Says in which field of a nested record it is.
    pub(crate) fn in_field(mut self, field: &str) -> Self {
        self.path.insert_str(0, &format!(".{field}"));
        self
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{:?} is no {}: {}", self.text, self.kind, self.message)
    }
}

impl std::error::Error for ConvertError {}

/// Makes a value of a text. Nested datasets are not texts and are refused.
///
/// ```
/// use crawlingo::schema::Kind;
/// use crawlingo::value::{ConvertContext, Value, convert};
/// let value = convert("1.234 reviews", &Kind::Integer, ConvertContext::default())?;
/// assert_eq!(value, Value::Integer(1234));
/// # Ok::<(), crawlingo::value::ConvertError>(())
/// ```
///
/// # Errors
/// When the text is no value of that kind.
pub fn convert(text: &str, kind: &Kind, context: ConvertContext<'_>) -> Result<Value, ConvertError> {
    let fail = |message: String| ConvertError::new(kind.name(), text, message);
    match kind {
        Kind::Text => Ok(Value::Text(normalised(text))),
        Kind::Integer => {
            let found = number::one(text, Triple::Groups).map_err(fail)?;
            let whole = found.plain.split_once('.').map_or(Ok(found.plain.as_str()), |(whole, rest)| {
                if rest.bytes().all(|byte| byte == b'0') { Ok(whole) } else { Err(()) }
            });
            match whole.map(str::parse::<i64>) {
                Ok(Ok(number)) => Ok(Value::Integer(number)),
                Ok(Err(_)) => Err(fail("the number is out of the range of 64 bits".to_owned())),
                Err(()) => Err(fail(format!("{} is not a whole number; use a float or decimal", found.plain))),
            }
        }
        Kind::Float => match number(text, context).map_err(fail)?.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(fail("the number is out of range".to_owned())),
        },
        Kind::Decimal => match number(text, context).map_err(fail)?.parse() {
            Ok(number) => Ok(Value::Decimal(number)),
            Err(_) => Err(fail("the number has more than 28 digits".to_owned())),
        },
        Kind::Bool => truth(text).map(Value::Bool).ok_or_else(|| {
            fail(
                "it is neither yes nor no (true, false, yes, no, 1, 0, on, off, or yes and no in the page's language)"
                    .to_owned(),
            )
        }),
        Kind::Price { currency } => {
            let price = Price::read(text, None).ok_or_else(|| fail("there is no amount in it".to_owned()))?;
            Ok(Value::Price(match (&price.currency, currency) {
                (None, Some(assumed)) => Price { currency: Some(assumed.clone()), ..price },
                _ => price,
            }))
        }
        Kind::Date(options) => {
            let moment = date::parse(text, options, context).map_err(fail)?;
            moment.date.map(Value::Date).ok_or_else(|| fail("there is a time in it, but no day".to_owned()))
        }
        Kind::Time => {
            let moment = date::parse(text, &DateOptions::default(), context).map_err(fail)?;
            moment.time.map(Value::Time).ok_or_else(|| fail("there is a day in it, but no time".to_owned()))
        }
        Kind::DateTime(options) => {
            let moment = date::parse(text, options, context).map_err(fail)?;
            let date = moment.date.ok_or_else(|| fail("there is a time in it, but no day".to_owned()))?;
            Ok(Value::DateTime(date.to_datetime(moment.time.unwrap_or_default())))
        }
        Kind::Timestamp(options) => {
            let moment = date::parse(text, options, context).map_err(fail)?;
            moment.instant.map(Value::Timestamp).ok_or_else(|| {
                fail("it names no time zone, so that it is no instant; use a date or a datetime".to_owned())
            })
        }
        Kind::Url => url(text, context).map(Value::Url).map_err(fail),
        Kind::Email => Email::read(text).map(Value::Email),
        Kind::Phone { region } => Phone::read(text, region.as_deref()).map(Value::Phone),
        Kind::Json => match serde_json::from_str(text) {
            Ok(json) => Ok(Value::Json(json)),
            Err(error) => Err(fail(format!("it is not JSON: {error}"))),
        },
        other => Err(fail(format!("a text cannot become a {}", other.name()))),
    }
}

fn normalised(text: &str) -> String {
    let mut words = text.split_whitespace();
    let mut out = String::with_capacity(text.len());
    if let Some(first) = words.next() {
        out.push_str(first);
    }
    for word in words {
        out.push(' ');
        out.push_str(word);
    }
    out
}

fn number(text: &str, context: ConvertContext<'_>) -> Result<String, String> {
    // `1.5e3` is how machines write numbers.
    let trimmed = text.trim();
    if trimmed.contains(['e', 'E'])
        && !trimmed.ends_with(['e', 'E'])
        && let Ok(decimal) = rust_decimal::Decimal::from_scientific(trimmed)
    {
        return Ok(decimal.to_string());
    }
    Ok(number::one(text, Triple::of_language(context.language))?.plain)
}

fn truth(text: &str) -> Option<bool> {
    const YES: &[&str] = &[
        "true", "yes", "y", "1", "on", "ja", "oui", "sí", "si", "sì", "sim", "tak", "да", "так", "evet", "ano", "igen",
        "kyllä", "da", "ναι", "是", "はい", "예", "نعم", "✓", "✔", "✅", "☑",
    ];
    const NO: &[&str] = &[
        "false",
        "no",
        "n",
        "0",
        "off",
        "nein",
        "non",
        "não",
        "nao",
        "nie",
        "нет",
        "ні",
        "hayır",
        "ne",
        "nem",
        "ei",
        "nu",
        "nej",
        "nei",
        "nee",
        "όχι",
        "否",
        "いいえ",
        "아니요",
        "لا",
        "✗",
        "✘",
        "❌",
        "☐",
        "✕",
    ];
    let text = text.trim().to_lowercase();
    if YES.contains(&text.as_str()) {
        Some(true)
    } else if NO.contains(&text.as_str()) {
        Some(false)
    } else {
        None
    }
}

fn url(text: &str, context: ConvertContext<'_>) -> Result<Url, String> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c.is_ascii_control());
    if text.is_empty() && context.base.is_none() {
        return Err("the address is empty".to_owned());
    }
    // The standard takes any number of slashes in front of a host, which the library does not.
    let slashes = text.bytes().take_while(|byte| matches!(byte, b'/' | b'\\')).count();
    let shortened = match context.base {
        Some(base) if slashes > 2 && matches!(base.scheme(), "http" | "https" | "ftp" | "ws" | "wss") => {
            Some(format!("//{}", &text[slashes..]))
        }
        _ => None,
    };
    let text = shortened.as_deref().unwrap_or(text);
    match context.base {
        Some(base) => base.join(text).map_err(|error| format!("it is not an address: {error}")),
        None => Url::parse(text).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => {
                "the address is relative, and the page's own address is not known".to_owned()
            }
            error => format!("it is not an address: {error}"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str, language: Option<&str>) -> String {
        let now = Some(jiff::Timestamp::constant(1_772_447_400, 0)); // 2026-03-02T10:30:00Z
        let context = ConvertContext { base: None, language, now };
        convert(text, &Kind::Date(DateOptions::default()), context)
            .map_or_else(|error| error.message, |value| value.to_string())
    }

    #[test]
    fn dates_of_many_languages_and_orders() {
        for (text, language, expected) in [
            ("2026-03-31", None, "2026-03-31"),
            ("31. März 2026", None, "2026-03-31"),
            ("le 1er avril 2026", None, "2026-04-01"),
            ("2026年3月31日", None, "2026-03-31"),
            ("03/04/2026", None, "2026-03-04"),
            ("03/04/2026", Some("en-GB"), "2026-04-03"),
            ("03.04.2026", Some("de"), "2026-04-03"),
            ("31/03/2026", None, "2026-03-31"),
            ("Added: Tue, 31 Mar 2026", None, "2026-03-31"),
            ("yesterday", None, "2026-03-01"),
            ("vor 3 Tagen", Some("de"), "2026-02-27"),
            ("an hour ago", None, "2026-03-02"),
            ("il y a 2 jours", None, "2026-02-28"),
        ] {
            assert_eq!(date(text, language), expected, "{text} in {language:?}");
        }
    }

    #[test]
    fn what_is_no_date_says_why() {
        assert!(date("31 February 2026", None).contains("no such day"));
        assert!(date("March 2026", None).contains("day is missing"));
        assert!(date("soon", None).contains("no language knows"));
        let context = ConvertContext::default();
        let error = convert("3 days ago", &Kind::Date(DateOptions::default()), context).unwrap_err();
        assert!(error.message.contains("moment"), "{error}");
    }

    #[test]
    fn instants_need_a_zone() {
        let instant = |text: &str| convert(text, &Kind::Timestamp(DateOptions::default()), ConvertContext::default());
        assert_eq!(instant("Tue, 31 Mar 2026 14:30:00 +0200").unwrap().to_string(), "2026-03-31T12:30:00Z");
        assert_eq!(instant("March 31, 2026 2:30 pm EST").unwrap().to_string(), "2026-03-31T19:30:00Z");
        assert!(instant("2026-03-31 14:30").unwrap_err().message.contains("time zone"));
    }
}

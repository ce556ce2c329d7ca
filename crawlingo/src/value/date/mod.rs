//! Dates and times: ISO 8601 and RFC 2822.

use crawlingo_schema::DateOptions;
use jiff::civil::{Date, DateTime, Time};
use jiff::{Timestamp, ZonedDateTime};

use super::ConvertContext;

/// What a text says about a moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moment {
    pub(crate) date: Option<Date>,
    pub(crate) time: Option<Time>,
    /// The instant, where the text names a zone or an offset.
    pub(crate) instant: Option<Timestamp>,
}

/// The longest text in which a date is looked for, in bytes.
const MAX_TEXT: usize = 256;

/// Reads a moment.
pub(crate) fn parse(text: &str, _options: &DateOptions, _context: ConvertContext<'_>) -> Result<Moment, String> {
    let text = text.trim();
    if text.len() > MAX_TEXT {
        return Err("the text is too long for a date".to_owned());
    }
    let zoned = text
        .parse::<ZonedDateTime>()
        .or_else(|_| jiff::fmt::rfc2822::parse(text))
        .map(|zoned| (zoned.datetime(), zoned.timestamp()));
    if let Ok((local, instant)) = zoned {
        return Ok(Moment { date: Some(local.date()), time: Some(local.time()), instant: Some(instant) });
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        // The local date is the one that the text writes, not the one in UTC.
        let local = text.parse::<DateTime>().or_else(|_| local_part(text).parse::<DateTime>());
        let local = local.unwrap_or_else(|_| instant.to_zoned_datetime(jiff::tz::TimeZone::UTC).datetime());
        return Ok(Moment { date: Some(local.date()), time: Some(local.time()), instant: Some(instant) });
    }
    // A `DateTime` parses a date alone too, as midnight; which of the two it was, the length says.
    if let Ok(date) = text.parse::<Date>() {
        if text.len() <= 10 {
            return Ok(Moment { date: Some(date), time: None, instant: None });
        }
    }
    if let Ok(local) = text.parse::<DateTime>() {
        return Ok(Moment { date: Some(local.date()), time: Some(local.time()), instant: None });
    }
    if let Ok(time) = text.parse::<Time>() {
        return Ok(Moment { date: None, time: Some(time), instant: None });
    }
    Err("it does not read as a date such as 2026-03-31 or a time such as 14:30".to_owned())
}

/// The text without its zone.
fn local_part(text: &str) -> &str {
    let zone = text.get(10..).and_then(|time| time.find(['Z', 'z', '+', '-'])).map(|at| at + 10);
    zone.map_or(text, |at| text[..at].trim_end())
}

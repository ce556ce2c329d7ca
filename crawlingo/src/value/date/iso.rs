//! ISO 8601, all of it that stands for a moment: calendar, week and ordinal dates, basic and extended, times with
//! fractions and offsets.

use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};
use jiff::tz::Offset;

use super::Moment;

/// Reads a text that is wholly in ISO 8601; it is in lower case.
pub(super) fn parse(text: &str) -> Option<Moment> {
    // Positions are counted in bytes from here on.
    if !text.is_ascii() {
        return None;
    }
    let separator = text.char_indices().find(|(at, c)| (*c == 't' && *at > 3) || (*c == ' ' && *at >= 8));
    let (date_part, time_part) = match separator {
        Some((at, _)) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let date = date(date_part);
    match (date, time_part) {
        (Some(date), None) => Some(Moment::new(Some(date), None, None)),
        (Some(date), Some(time_part)) => {
            let (time, offset, next_day) = time(time_part)?;
            let date = if next_day { date.tomorrow().ok()? } else { date };
            Some(Moment::new(Some(date), Some(time), offset))
        }
        // A time alone has colons; four digits alone are a year.
        (None, None) if text.contains(':') => {
            let (time, offset, next_day) = time(text)?;
            (!next_day && offset.is_none()).then_some(Moment { date: None, time: Some(time), instant: None })
        }
        _ => None,
    }
}

fn digits(text: &str) -> Option<i32> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn date(text: &str) -> Option<Date> {
    let part = |from: usize, to: usize| text.get(from..to).and_then(digits);
    let calendar = |year: i32, month: i32, day: i32| {
        Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()
    };
    let week = |year: i32, week: i32, day: i32| {
        let weekday = Weekday::from_monday_one_offset(day.try_into().ok()?).ok()?;
        let week = ISOWeekDate::new(year.try_into().ok()?, week.try_into().ok()?, weekday).ok()?;
        Some(week.date())
    };
    let ordinal = |year: i32, day: i32| {
        let first = calendar(year, 1, 1)?;
        let days = if first.in_leap_year() { 366 } else { 365 };
        if !(1..=days).contains(&day) {
            return None;
        }
        first.checked_add(jiff::Span::new().days(day - 1)).ok()
    };
    let bytes = text.as_bytes();
    let dash = |at: usize| bytes.get(at) == Some(&b'-');
    match bytes.len() {
        10 if dash(4) && dash(7) => calendar(part(0, 4)?, part(5, 7)?, part(8, 10)?),
        10 if dash(4) && bytes[5] == b'w' && dash(8) => week(part(0, 4)?, part(6, 8)?, part(9, 10)?),
        8 if dash(4) && bytes[5] == b'w' => week(part(0, 4)?, part(6, 8)?, 1),
        8 if bytes[4] == b'w' => week(part(0, 4)?, part(5, 7)?, part(7, 8)?),
        7 if bytes[4] == b'w' => week(part(0, 4)?, part(5, 7)?, 1),
        8 if dash(4) => ordinal(part(0, 4)?, part(5, 8)?),
        8 => calendar(part(0, 4)?, part(4, 6)?, part(6, 8)?),
        7 if !dash(4) => ordinal(part(0, 4)?, part(4, 7)?),
        _ => None,
    }
}

/// A time, its offset, and whether it is midnight at the end of the day.
fn time(text: &str) -> Option<(Time, Option<Offset>, bool)> {
    let zone = text.find(['z', '+', '-']);
    let (clock, offset) = match zone {
        Some(at) => (text[..at].trim_end(), Some(offset(&text[at..])?)),
        None => (text, None),
    };
    let (clock, fraction) = match clock.find(['.', ',']) {
        Some(at) => (&clock[..at], Some(&clock[at + 1..])),
        None => (clock, None),
    };
    let parts: Vec<i32> = match (clock.contains(':'), clock.len()) {
        (true, _) => clock.split(':').map(|part| digits(part).filter(|_| part.len() == 2)).collect::<Option<_>>()?,
        (false, 2 | 4 | 6) => {
            (0..clock.len() / 2).map(|at| digits(&clock[at * 2..at * 2 + 2])).collect::<Option<_>>()?
        }
        _ => return None,
    };
    let nanos = match fraction {
        None => 0,
        Some(_) if parts.len() != 3 => return None,
        Some(fraction) => nanoseconds(fraction)?,
    };
    let [hour, minute, second] = [0, 1, 2].map(|at| parts.get(at).copied().unwrap_or(0));
    if parts.len() > 3 {
        return None;
    }
    if hour == 24 {
        return (minute == 0 && second == 0 && nanos == 0).then_some((Time::midnight(), offset, true));
    }
    let time = Time::new(hour.try_into().ok()?, minute.try_into().ok()?, second.try_into().ok()?, nanos).ok()?;
    Some((time, offset, false))
}

/// The digits of a fraction of a second as nanoseconds; those beyond the ninth are dropped.
pub(super) fn nanoseconds(fraction: &str) -> Option<i32> {
    digits(fraction.get(..fraction.len().min(9))?)?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{:0<9}", &fraction[..fraction.len().min(9)]).parse().ok()
}

/// `z`, `+02`, `+0200`, `+02:00`.
pub(super) fn offset(text: &str) -> Option<Offset> {
    if text == "z" {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) if hours.len() == 2 && minutes.len() == 2 => (digits(hours)?, digits(minutes)?),
        None if rest.len() == 4 => (digits(&rest[..2])?, digits(&rest[2..])?),
        None if rest.len() == 2 => (digits(rest)?, 0),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// Seconds or milliseconds since 1970, and the digits of a date with a time alone.
pub(super) fn epoch(text: &str) -> Option<Moment> {
    let number = |from: usize, to: usize| text.get(from..to).and_then(digits);
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let instant = match text.len() {
        10 => jiff::Timestamp::from_second(text.parse().ok()?).ok()?,
        13 => jiff::Timestamp::from_millisecond(text.parse().ok()?).ok()?,
        16 => jiff::Timestamp::from_microsecond(text.parse().ok()?).ok()?,
        12 | 14 => {
            let date = date(&text[..8])?;
            let second = if text.len() == 14 { number(12, 14)? } else { 0 };
            let time = Time::new(
                number(8, 10)?.try_into().ok()?,
                number(10, 12)?.try_into().ok()?,
                second.try_into().ok()?,
                0,
            );
            return Some(Moment::new(Some(date), Some(time.ok()?), None));
        }
        _ => return None,
    };
    let local: DateTime = Offset::UTC.to_datetime(instant);
    Some(Moment::at(local, Some(instant)))
}

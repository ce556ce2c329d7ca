//! Dates that count from now: "yesterday", "3 days ago", "vor 2 Stunden", "last month".

use jiff::Span;
use jiff::civil::DateTime;

use super::Moment;
use super::lexer::words;
use super::names::{Meaning, Unit, names};

/// The largest count; what is further off is no date that a page shows.
const MAX_COUNT: i64 = 100_000;

/// `None`: the text is no relative date. The moment that it counts from is the one that the page was fetched at.
pub(super) fn parse(text: &str, language: Option<&str>, now: Option<DateTime>) -> Option<Result<Moment, String>> {
    let words = words(text.trim_end_matches(['.', '!']));
    let (unit, count) = named(&words, language).or_else(|| counted(&words, language))?;
    let Some(now) = now else {
        return Some(Err("it counts from the moment that the page was read at, which is not known".to_owned()));
    };
    let Some(moved) = moved(now, unit, count) else {
        return Some(Err("it is too far off".to_owned()));
    };
    Some(Ok(Moment::at(moved, None)))
}

type Found = (Option<Unit>, i64);

/// "yesterday", "now", "last month".
fn named(words: &[String], language: Option<&str>) -> Option<Found> {
    let text = words.join(" ");
    names().candidates(language).find_map(|candidate| {
        candidate.names.get(&text)?.iter().find_map(|meaning| match meaning {
            Meaning::Day(days) => Some((Some(Unit::Day), i64::from(*days))),
            Meaning::Now => Some((None, 0)),
            Meaning::Units(unit, count) => Some((Some(*unit), i64::from(*count))),
            _ => None,
        })
    })
}

/// "3 days ago": one number in a pattern of the language. "a day ago" counts one.
fn counted(words: &[String], language: Option<&str>) -> Option<Found> {
    let digits = words.iter().any(|word| word.parse::<i64>().is_ok());
    let mut count = None;
    let mut pattern = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        match word.parse::<i64>() {
            Ok(number) if count.is_none() => {
                count = Some(number);
                pattern.push("{0}");
            }
            Ok(_) => return None,
            Err(_)
                if !digits
                    && count.is_none()
                    && matches!(
                        word.as_str(),
                        "a" | "an" | "one" | "un" | "une" | "una" | "ein" | "einem" | "einer" | "um" | "uma"
                    ) =>
            {
                count = Some(1);
                pattern.push("{0}");
            }
            // "about an hour ago"
            Err(_) if at == 0 && matches!(word.as_str(), "about" | "around" | "circa" | "approximately") => {}
            Err(_) => pattern.push(word),
        }
    }
    let count = count.filter(|count| *count <= MAX_COUNT)?;
    let text = pattern.join(" ");
    names().candidates(language).find_map(|candidate| {
        let (unit, direction) = candidate.patterns.get(&text)?;
        Some((Some(*unit), count * i64::from(*direction)))
    })
}

fn moved(now: DateTime, unit: Option<Unit>, count: i64) -> Option<DateTime> {
    let span = Span::new();
    let span = match unit {
        None => span,
        Some(Unit::Second) => span.try_seconds(count).ok()?,
        Some(Unit::Minute) => span.try_minutes(count).ok()?,
        Some(Unit::Hour) => span.try_hours(count).ok()?,
        Some(Unit::Day) => span.try_days(count).ok()?,
        Some(Unit::Week) => span.try_weeks(count).ok()?,
        Some(Unit::Month) => span.try_months(count).ok()?,
        Some(Unit::Year) => span.try_years(count).ok()?,
    };
    now.checked_add(span).ok()
}

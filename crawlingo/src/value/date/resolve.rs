//! From words and numbers to a date.

use crawlingo_schema::{DateOptions, DateOrder};
use jiff::civil::{Date, DateTime, Time};

use super::Moment;
use super::lexer::{Token, tokens};
use super::names::{Language, Meaning, names};
use super::time::{Clock, take};

/// Words that stand in dates and say nothing, in one language or another.
const FILLERS: &[&str] = &[
    "at",
    "day",
    "ad",
    "on",
    "the",
    "of",
    "in",
    "and",
    "o'clock",
    "st",
    "nd",
    "rd",
    "th",
    "de",
    "del",
    "la",
    "el",
    "las",
    "los",
    "en",
    "y",
    "e",
    "a",
    "à",
    "às",
    "le",
    "du",
    "den",
    "der",
    "die",
    "das",
    "dem",
    "am",
    "um",
    "uhr",
    "im",
    "vom",
    "und",
    "do",
    "da",
    "dos",
    "em",
    "il",
    "alle",
    "ore",
    "al",
    "di",
    "kl",
    "klo",
    "klockan",
    "d",
    "om",
    "op",
    "te",
    "dne",
    "v",
    "ve",
    "godz",
    "dnia",
    "r",
    "o",
    "г",
    "года",
    "год",
    "р",
    "року",
    "в",
    "у",
    "о",
    "от",
    "від",
    "ngày",
    "năm",
    "lúc",
    "ngay",
    "nam",
    "tháng",
    "年",
    "日",
    "号",
    "號",
    "년",
    "일",
    "er",
    "ème",
    "ième",
    "º",
    "ª",
    "ste",
    "de'",
    "στις",
    "του",
    "της",
    "των",
    "u",
    "og",
    "och",
    "ja",
    "i",
    "și",
    "la",
    "ora",
    "ที่",
    "เวลา",
    "น",
    "को",
    "के",
    "من",
    "في",
    "ה",
    "ב",
    "को",
    "лে",
    "m",
    "লা",
    "ই",
    "รา",
    "saat",
    "kell",
    "plkst",
    "val",
    "g",
    "god",
    "published",
    "posted",
    "updated",
    "added",
    "date",
    "veröffentlicht",
    "publié",
    "publicado",
    "publicada",
    "aggiornato",
    "pubblicato",
];

#[derive(Debug, Default)]
struct Parts {
    month: Option<i8>,
    weekday: Option<i8>,
    /// Values, how many digits, and whether an apostrophe stands in front.
    numbers: Vec<(i32, usize, bool)>,
    /// 年, 月 and 日 behind a number say which it is.
    year: Option<i32>,
    day: Option<i32>,
}

/// Reads a date in the first language that knows all its words.
pub(super) fn parse(
    text: &str,
    options: &DateOptions,
    language: Option<&str>,
    now: Option<DateTime>,
) -> Result<Moment, String> {
    let cut = tokens(text);
    if !cut.iter().any(|token| matches!(token, Token::Number(_) | Token::Word(_))) {
        return Err("there is no date in it".to_owned());
    }
    let mut problem = None;
    for candidate in names().candidates(language) {
        match in_language(&cut, candidate, options, language, now) {
            Ok(moment) => return Ok(moment),
            Err(Some(message)) => {
                // The first language that knew the words knows best what is wrong.
                problem.get_or_insert(message);
            }
            Err(None) => {}
        }
    }
    Err(problem.unwrap_or_else(|| {
        "no language knows its words as those of a date; write `language = \"..\"` or narrow the text with a regex"
            .to_owned()
    }))
}

/// `Err(None)`: a word is not of this language.
fn in_language(
    cut: &[Token],
    language: &Language,
    options: &DateOptions,
    said: Option<&str>,
    now: Option<DateTime>,
) -> Result<Moment, Option<String>> {
    let mut rest = cut.to_vec();
    let half = |word: &str| {
        let meanings = language.names.get(word)?;
        meanings.iter().find_map(|meaning| match meaning {
            Meaning::Am => Some(false),
            Meaning::Pm => Some(true),
            _ => None,
        })
    };
    let clock: Clock = take(&mut rest, half);
    if clock.wrong {
        return Err(Some("the time of day in it does not exist".to_owned()));
    }
    let parts = parts(&rest, language).ok_or(None)?;
    let order = options.order.or_else(|| said.and_then(|said| names().order(said))).or_else(|| {
        // A language that was recognised by its words says its order; numbers alone say nothing.
        let words = parts.month.is_some() || parts.weekday.is_some();
        if words { names().order(language.name) } else { None }
    });
    let date = date(&parts, order.unwrap_or(DateOrder::Mdy), now).map_err(Some)?;
    if date.is_none() && clock.time.is_none() {
        return Err(Some("there is no day in it".to_owned()));
    }
    let time: Option<Time> = clock.time;
    Ok(Moment::new(date, time, clock.offset))
}

fn parts(rest: &[Token], language: &Language) -> Option<Parts> {
    let mut parts = Parts::default();
    // Words and numbers, with whether an apostrophe stands before.
    let pieces: Vec<(&str, bool, bool)> = rest
        .iter()
        .enumerate()
        .filter_map(|(at, token)| match token {
            Token::Number(text) => Some((text.as_str(), true, at > 0 && rest[at - 1] == Token::Sign('\''))),
            Token::Word(text) => Some((text.as_str(), false, false)),
            _ => None,
        })
        .collect();
    let mut at = 0;
    while at < pieces.len() {
        // The longest name that begins here. A number alone is none.
        let found = (1..=language.longest.min(pieces.len() - at)).rev().find_map(|count| {
            if count == 1 && pieces[at].1 {
                return None;
            }
            let name = pieces[at..at + count].iter().map(|piece| piece.0).collect::<Vec<_>>().join(" ");
            Some((count, language.look_up(&name)?))
        });
        let (text, is_number, apostrophe) = pieces[at];
        // "1 月 2" would be a name in no language, but `月` behind a number says that it is a month.
        if let Some(next) = pieces.get(at + 1).filter(|next| is_number && !next.1) {
            let value = text.parse().ok()?;
            let taken = match next.0 {
                "年" | "년" => parts.year.replace(value).is_none(),
                "月" | "월" => parts.month.replace(i8::try_from(value).ok()?).is_none(),
                "日" | "号" | "號" | "일" => parts.day.replace(value).is_none(),
                _ => false,
            };
            if taken {
                at += 2;
                continue;
            }
        }
        if let Some((count, meanings)) = found {
            let month = meanings.iter().find_map(|meaning| match meaning {
                Meaning::Month(month) => Some(*month),
                _ => None,
            });
            let weekday = meanings.iter().find_map(|meaning| match meaning {
                Meaning::Weekday(day) => Some(*day),
                _ => None,
            });
            // `mar` is March and Tuesday in some languages: the day of the week comes first where both are there.
            match (month, weekday) {
                (Some(month), Some(weekday)) => {
                    let again = pieces[at + count..].iter().any(|piece| {
                        language
                            .names
                            .get(piece.0)
                            .is_some_and(|names| names.iter().any(|name| matches!(name, Meaning::Month(_))))
                    });
                    if again { parts.weekday = Some(weekday) } else { parts.month = Some(month) }
                }
                (Some(month), None) => {
                    if parts.month.replace(month).is_some() {
                        return None;
                    }
                }
                (None, Some(weekday)) => {
                    if parts.weekday.replace(weekday).is_some() {
                        return None;
                    }
                }
                (None, None) if FILLERS.contains(&text) => {}
                // A half of the day without a time, "last month": no absolute date.
                (None, None) => return None,
            }
            at += count;
            continue;
        }
        if is_number {
            parts.numbers.push((text.parse().ok()?, text.len(), apostrophe));
        } else if !FILLERS.contains(&text) {
            return None;
        }
        at += 1;
    }
    (parts.numbers.len() <= 3).then_some(parts)
}

fn full_year(value: i32, digits: usize) -> i32 {
    match digits {
        1 | 2 if value < 69 => 2000 + value,
        1 | 2 => 1900 + value,
        _ => value,
    }
}

fn is_year(number: (i32, usize, bool)) -> bool {
    number.1 == 4 || number.0 > 31 || number.2
}

fn make(year: i32, month: i32, day: i32) -> Option<Date> {
    Date::new(i16::try_from(year).ok().filter(|year| *year > 0)?, month.try_into().ok()?, day.try_into().ok()?).ok()
}

/// The date; `None` if the text has only a time.
fn date(parts: &Parts, order: DateOrder, now: Option<DateTime>) -> Result<Option<Date>, String> {
    let wrong = || "there is no such day".to_owned();
    let no_year = || "the year is missing, and the moment that it is read at is not known".to_owned();
    let this_year = || now.map(|now| i32::from(now.year())).ok_or_else(no_year);
    if parts.year.is_some() || parts.day.is_some() {
        let year = match parts.year {
            Some(year) => year,
            None => this_year()?,
        };
        let (Some(month), Some(day)) = (parts.month, parts.day) else { return Err("the day is missing".to_owned()) };
        return make(full_year(year, year.to_string().len()), month.into(), day).map(Some).ok_or_else(wrong);
    }
    if let Some(month) = parts.month {
        let month = i32::from(month);
        return match parts.numbers.as_slice() {
            [] => Err("the day is missing".to_owned()),
            [one] if is_year(*one) => Err("the day is missing".to_owned()),
            [day] => make(this_year()?, month, day.0).map(Some).ok_or_else(wrong),
            [first, second] => {
                let (day, year) = match (is_year(*first), is_year(*second)) {
                    (true, false) => (second, first),
                    (false, _) => (first, second),
                    (true, true) => return Err(wrong()),
                };
                make(full_year(year.0, year.1), month, day.0).map(Some).ok_or_else(wrong)
            }
            _ => Err("there are too many numbers in it".to_owned()),
        };
    }
    match parts.numbers.as_slice() {
        [] if parts.weekday.is_some() => Err("there is a day of the week in it, but no date".to_owned()),
        [] => Ok(None),
        [one] if one.1 == 8 => make(one.0 / 10_000, one.0 / 100 % 100, one.0 % 100).map(Some).ok_or_else(wrong),
        [one] if one.1 == 6 => {
            // YYMMDD, as machines stamp it.
            make(full_year(one.0 / 10_000, 2), one.0 / 100 % 100, one.0 % 100).map(Some).ok_or_else(wrong)
        }
        [_] => Err("one number is no date".to_owned()),
        [first, second] => {
            if is_year(*first) || is_year(*second) {
                return Err("the day is missing".to_owned());
            }
            let year = this_year()?;
            let (month, day) = if order == DateOrder::Dmy { (second.0, first.0) } else { (first.0, second.0) };
            make(year, month, day).or_else(|| make(year, day, month)).map(Some).ok_or_else(wrong)
        }
        [a, b, c] => three([*a, *b, *c], order).map(Some).ok_or_else(wrong),
        _ => Err("there are too many numbers in it".to_owned()),
    }
}

fn three([a, b, c]: [(i32, usize, bool); 3], order: DateOrder) -> Option<Date> {
    // A number that can only be a year says where it stands; then only day and month are open.
    if is_year(a) && a.1 == 4 || (is_year(a) && !is_year(c)) {
        let year = full_year(a.0, a.1);
        return make(year, b.0, c.0).or_else(|| make(year, c.0, b.0));
    }
    if is_year(c) {
        let year = full_year(c.0, c.1);
        return match order {
            DateOrder::Mdy => make(year, a.0, b.0).or_else(|| make(year, b.0, a.0)),
            _ => make(year, b.0, a.0).or_else(|| make(year, a.0, b.0)),
        };
    }
    let dmy = || make(full_year(c.0, c.1), b.0, a.0);
    let mdy = || make(full_year(c.0, c.1), a.0, b.0);
    let ymd = || make(full_year(a.0, a.1), b.0, c.0);
    match order {
        DateOrder::Dmy => dmy().or_else(mdy).or_else(ymd),
        DateOrder::Mdy => mdy().or_else(dmy).or_else(ymd),
        DateOrder::Ymd => ymd().or_else(dmy).or_else(mdy),
    }
}

//! The time of day and the zone within a cut-up text.

use jiff::civil::Time;
use jiff::tz::Offset;

use super::iso::nanoseconds;
use super::lexer::Token;

/// A time that was taken out of the tokens.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Clock {
    pub(super) time: Option<Time>,
    pub(super) offset: Option<Offset>,
    /// A time was written that is none: `25:16`.
    pub(super) wrong: bool,
}

/// Zones by the abbreviations that mail and the web use; those that mean several are read as their most common.
const ZONES: &[(&str, i32)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("ut", 0),
    ("wet", 0),
    ("est", -5 * 60),
    ("edt", -4 * 60),
    ("cst", -6 * 60),
    ("cdt", -5 * 60),
    ("mst", -7 * 60),
    ("mdt", -6 * 60),
    ("pst", -8 * 60),
    ("pdt", -7 * 60),
    ("akst", -9 * 60),
    ("akdt", -8 * 60),
    ("hst", -10 * 60),
    ("brt", -3 * 60),
    ("brst", -2 * 60),
    ("art", -3 * 60),
    ("bst", 60),
    ("cet", 60),
    ("cest", 2 * 60),
    ("met", 60),
    ("mest", 2 * 60),
    ("mez", 60),
    ("mesz", 2 * 60),
    ("west", 60),
    ("eet", 2 * 60),
    ("eest", 3 * 60),
    ("msk", 3 * 60),
    ("msd", 4 * 60),
    ("trt", 3 * 60),
    ("ist", 5 * 60 + 30),
    ("pkt", 5 * 60),
    ("ict", 7 * 60),
    ("wib", 7 * 60),
    ("hkt", 8 * 60),
    ("sgt", 8 * 60),
    ("awst", 8 * 60),
    ("jst", 9 * 60),
    ("kst", 9 * 60),
    ("acst", 9 * 60 + 30),
    ("aest", 10 * 60),
    ("aedt", 11 * 60),
    ("nzst", 12 * 60),
    ("nzdt", 13 * 60),
    ("sast", 2 * 60),
    ("cat", 2 * 60),
    ("eat", 3 * 60),
    ("wat", 60),
    ("ast", -4 * 60),
    ("nst", -3 * 60 - 30),
    ("uzt", 5 * 60),
];

fn number(token: Option<&Token>, most: usize) -> Option<i32> {
    match token {
        Some(Token::Number(text)) if text.len() <= most => text.parse().ok(),
        _ => None,
    }
}

fn sign(token: Option<&Token>, wanted: char) -> bool {
    token == Some(&Token::Sign(wanted))
}

/// Takes the time and the zone out of the tokens. `half` says of a word whether it is one for the first or the second
/// half of the day.
pub(super) fn take(tokens: &mut Vec<Token>, half: impl Fn(&str) -> Option<bool>) -> Clock {
    let mut clock = Clock::default();
    let Some((start, mut end, mut hour, minute, second, nanos)) = find(tokens, &half) else {
        // Noon and midnight are times too.
        for (at, token) in tokens.iter().enumerate() {
            let Token::Word(word) = token else { continue };
            let hour = match word.as_str() {
                "noon" | "midday" | "midi" | "mittag" | "mittags" | "mediodía" | "podne" | "полдень" => 12,
                "midnight" | "minuit" | "mitternacht" | "medianoche" | "ponoć" | "полночь" => 0,
                _ => continue,
            };
            clock.time = Some(Time::constant(hour, 0, 0, 0));
            tokens.splice(at..=at, [Token::Space]);
            break;
        }
        return clock;
    };
    // A half of the day right before or after.
    let after = skip_space(tokens, end);
    let word = |at: Option<usize>| match at.and_then(|at| tokens.get(at)) {
        Some(Token::Word(word)) => half(word),
        _ => None,
    };
    let before = start.checked_sub(1).map(|at| if tokens[at] == Token::Space { at.wrapping_sub(1) } else { at });
    let mut start = start;
    let pm = if let Some(pm) = word(Some(after)) {
        end = after + 1;
        Some(pm)
    } else if let Some(pm) = word(before) {
        start = before.unwrap_or(start);
        Some(pm)
    } else {
        None
    };
    match pm {
        Some(_) if hour > 12 && hour < 24 => {}
        Some(true) if hour < 12 => hour += 12,
        Some(false) if hour == 12 => hour = 0,
        _ => {}
    }
    let time = (|| Time::new(hour.try_into().ok()?, minute.try_into().ok()?, second.try_into().ok()?, nanos).ok())();
    clock.wrong = time.is_none();
    clock.time = time;
    let (offset, zone_end) = zone(tokens, end);
    clock.offset = offset;
    tokens.splice(start..zone_end, [Token::Space]);
    clock
}

fn skip_space(tokens: &[Token], mut at: usize) -> usize {
    while matches!(tokens.get(at), Some(Token::Space)) {
        at += 1;
    }
    at
}

type Found = (usize, usize, i32, i32, i32, i32);

/// `14:30`, `14:30:05.25`, `14h30`, `14 uhr`, `2 pm`, `14時30分`: where it stands, and its parts.
fn find(tokens: &[Token], half: &impl Fn(&str) -> Option<bool>) -> Option<Found> {
    for at in 0..tokens.len() {
        let Some(hour) = number(tokens.get(at), 2) else { continue };
        // `14:30`, with seconds and a fraction.
        if sign(tokens.get(at + 1), ':')
            && let Some(minute) = number(tokens.get(at + 2), 2)
        {
            let (mut end, mut second, mut nanos) = (at + 3, 0, 0);
            if sign(tokens.get(end), ':')
                && let Some(found) = number(tokens.get(end + 1), 2)
            {
                (second, end) = (found, end + 2);
                if (sign(tokens.get(end), '.') || sign(tokens.get(end), ','))
                    && let Some(Token::Number(fraction)) = tokens.get(end + 1)
                {
                    nanos = nanoseconds(fraction)?;
                    end += 2;
                }
            }
            return Some((at, end, hour, minute, second, nanos));
        }
        // A number with a word for hours behind it.
        let next = skip_space(tokens, at + 1);
        if let Some(Token::Word(word)) = tokens.get(next) {
            if is_hour_word(word) {
                let after = skip_space(tokens, next + 1);
                let minute = number(tokens.get(after), 2);
                let (minute, mut end) = match minute {
                    Some(minute) => (minute, after + 1),
                    None => (0, next + 1),
                };
                let unit = skip_space(tokens, end);
                if (minute > 0 || end > next + 1)
                    && let Some(Token::Word(word)) = tokens.get(unit)
                    && is_minute_word(word)
                {
                    end = unit + 1;
                }
                return Some((at, end, hour, minute, 0, 0));
            }
            // `2 pm`; two numbers before it would be a date.
            if half(word).is_some() && hour <= 12 && word.len() > 1 {
                return Some((at, next, hour, 0, 0, 0));
            }
        }
    }
    // `14.30` is a time only behind a date, or with a word that says so.
    for at in 1..tokens.len() {
        let (Some(hour), Some(minute)) = (number(tokens.get(at), 2), number(tokens.get(at + 2), 2)) else { continue };
        let two = matches!(tokens.get(at + 2), Some(Token::Number(text)) if text.len() == 2);
        let alone = tokens.get(at - 1) == Some(&Token::Space) && !sign(tokens.get(at + 3), '.');
        let numbers = tokens[..at].iter().filter(|token| matches!(token, Token::Number(_))).count();
        if sign(tokens.get(at + 1), '.') && two && alone && numbers >= 2 && hour < 24 && minute < 60 {
            return Some((at, at + 3, hour, minute, 0, 0));
        }
    }
    None
}

fn is_hour_word(word: &str) -> bool {
    matches!(
        word,
        "h" | "uhr"
            | "hrs"
            | "hs"
            | "час"
            | "часа"
            | "часов"
            | "гадзін"
            | "гадзіны"
            | "годин"
            | "时"
            | "時"
            | "点"
            | "點"
            | "시"
            | "uur"
            | "heures"
            | "giờ"
    )
}

fn is_minute_word(word: &str) -> bool {
    matches!(
        word,
        "min"
            | "m"
            | "минут"
            | "минуты"
            | "хвілін"
            | "хвілiн"
            | "хвилин"
            | "分"
            | "분"
            | "phút"
            | "minutes"
            | "mn"
    )
}

/// The zone behind a time: the offset, and where it ends.
fn zone(tokens: &[Token], from: usize) -> (Option<Offset>, usize) {
    let mut at = skip_space(tokens, from);
    let bracket = sign(tokens.get(at), '(');
    if bracket {
        at += 1;
    }
    let named = match tokens.get(at) {
        Some(Token::Word(word)) => ZONES.iter().find(|(name, _)| *name == word.as_str()),
        _ => None,
    };
    if let Some((_, minutes)) = named {
        at += 1;
        let base = Offset::from_seconds(minutes * 60).ok();
        // `GMT+3`
        if matches!(*minutes, 0)
            && let Some((offset, end)) = signed(tokens, at)
        {
            return (Some(offset), end);
        }
        if bracket && sign(tokens.get(at), ')') {
            at += 1;
        }
        return (base, at);
    }
    if let Some((offset, mut end)) = signed(tokens, at) {
        // A name behind the offset says the same again: `-0700 (PDT)`.
        let next = skip_space(tokens, end);
        let (again, again_end) =
            if next > end || sign(tokens.get(next), '(') { zone(tokens, next) } else { (None, end) };
        if again.is_some() {
            end = again_end;
        }
        return (Some(offset), end);
    }
    (None, from)
}

/// `+0200`, `+02:00`, `+3`.
fn signed(tokens: &[Token], at: usize) -> Option<(Offset, usize)> {
    let direction = match tokens.get(at)? {
        Token::Sign('+') => 1,
        Token::Sign('-') => -1,
        _ => return None,
    };
    let Some(Token::Number(digits)) = tokens.get(at + 1) else { return None };
    let (hours, minutes, end) = match digits.len() {
        4 => (digits[..2].parse::<i32>().ok()?, digits[2..].parse().ok()?, at + 2),
        1 | 2 if sign(tokens.get(at + 2), ':') => (digits.parse().ok()?, number(tokens.get(at + 3), 2)?, at + 4),
        1 | 2 => (digits.parse().ok()?, 0, at + 2),
        _ => return None,
    };
    if hours > 14 || minutes > 59 {
        return None;
    }
    Some((Offset::from_seconds(direction * (hours * 3600 + minutes * 60)).ok()?, end))
}

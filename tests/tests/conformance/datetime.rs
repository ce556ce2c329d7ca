//! Dates and times in many languages.

use crawlingo::schema::{DateOptions, DateOrder, Kind};
use crawlingo::value::{ConvertContext, Value as Converted, convert};
use jiff::Timestamp;
use jiff::civil::DateTime;
use serde_json::Value;

use crate::harness::{Outcome, run};

/// Settings of dateparser and dateutil that change what a text means, and that this crate does not have.
fn left_out(case: &Value) -> Option<&'static str> {
    let settings = &case["settings"];
    if case["formats"].as_array().is_some_and(|formats| !formats.is_empty()) {
        return Some("strptime-formats");
    }
    for (name, values) in [
        ("STRICT_DATE_ORDER", None),
        ("TO_TIMEZONE", None),
        ("TIMEZONE", None),
        ("PARSERS", None),
        ("PREFER_DAY_OF_MONTH", None),
        ("PREFER_MONTH_OF_YEAR", None),
        ("IGNORE_SURROUNDING_TEXT", None),
        ("DATE_ORDER", Some(["MYD", "DYM", "YDM"])),
    ] {
        let Some(value) = settings[name].as_str().or_else(|| settings.get(name).map(|_| "")) else { continue };
        if values.is_none_or(|values| values.contains(&value)) {
            return Some("dateparser-settings");
        }
    }
    None
}

fn check(case: &Value) -> Outcome {
    if let Some(reason) = left_out(case) {
        return Outcome::LeftOut(reason);
    }
    let base = case["relative_base"].as_str().and_then(|base| base.parse::<DateTime>().ok());
    let now: Option<Timestamp> = base.and_then(|base| jiff::tz::Offset::UTC.to_timestamp(base).ok());
    let mut options = DateOptions::default();
    options.language = case["languages"][0]
        .as_str()
        .filter(|_| case["languages"].as_array().is_some_and(|all| all.len() == 1))
        .map(str::to_owned);
    options.order =
        case["settings"]["DATE_ORDER"].as_str().and_then(|order| DateOrder::from_name(&order.to_lowercase()));
    let context = ConvertContext { now, ..ConvertContext::default() };
    let text = case["text"].as_str().unwrap_or_default();
    let local = match convert(text, &Kind::DateTime(options.clone()), context) {
        Ok(Converted::DateTime(local)) => Some(local),
        _ => None,
    };
    let Some(expected) = case["expected"].as_str() else {
        return match local {
            None => Outcome::Pass,
            Some(local) => Outcome::Fail(format!("{text:?} gives {local}, expected no date")),
        };
    };
    // Fractions beyond microseconds are not the suites' to tell.
    let short = |local: DateTime| {
        local
            .round(jiff::civil::DateTimeRound::new().smallest(jiff::Unit::Microsecond).mode(jiff::RoundMode::Trunc))
            .unwrap_or(local)
    };
    let wanted: Option<DateTime> =
        expected.get(..expected.len().min(26)).unwrap_or_default().split('+').next().and_then(|text| text.parse().ok());
    let wanted = wanted.or_else(|| expected.get(..19).and_then(|text| text.parse().ok()));
    if local.map(short) == wanted {
        return Outcome::Pass;
    }
    if let (Ok(Converted::Timestamp(instant)), Ok(wanted)) =
        (convert(text, &Kind::Timestamp(options), context), expected.parse::<Timestamp>())
        && instant == wanted
    {
        return Outcome::Pass;
    }
    Outcome::Fail(format!("{text:?} gives {local:?}, expected {expected}"))
}

#[test]
fn datetime() {
    run("datetime", check);
}

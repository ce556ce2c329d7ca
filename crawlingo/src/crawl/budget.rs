//! Budgets of pages by host and by the pattern of a path, and warnings of traps.

use std::collections::BTreeMap;

use crawlingo_schema::SpiderSpec;
use serde::{Deserialize, Serialize};
use url::Url;

/// How many hosts and patterns are counted; what comes after them has no budget.
const MAX_COUNTED: usize = 4_096;
/// From how many pages of one pattern on a warning is given.
const MANY: u64 = 10_000;
/// The same for patterns that look like a calendar.
const MANY_DAYS: u64 = 1_000;

/// What was counted so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counted {
    hosts: BTreeMap<String, u64>,
    patterns: BTreeMap<String, u64>,
    /// Where nothing but a warning hangs on it, it need not last, and is not written with each commit.
    #[serde(skip)]
    passing: BTreeMap<String, u64>,
}

impl Counted {
    /// Whether there is nothing that must last.
    pub(super) fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.patterns.is_empty()
    }

    /// Counts a page that is about to be fetched. Gives why it must not be, and a warning.
    pub(super) fn count(&mut self, url: &str, spec: &SpiderSpec) -> (Option<&'static str>, Option<String>) {
        let Ok(url) = Url::parse(url) else { return (None, None) };
        let host = url.authority().to_owned();
        let pattern = pattern(&url);
        let room =
            |counts: &BTreeMap<String, u64>, key: &String| counts.len() < MAX_COUNTED || counts.contains_key(key);
        let over = |count: u64, most: Option<u64>| most.is_some_and(|most| count >= most);
        if over(self.hosts.get(&host).copied().unwrap_or(0), spec.max_pages_per_host) {
            return (Some("host budget"), None);
        }
        if over(self.patterns.get(&pattern).copied().unwrap_or(0), spec.max_pages_per_pattern) {
            return (Some("pattern budget"), None);
        }
        if spec.max_pages_per_host.is_some() && room(&self.hosts, &host) {
            *self.hosts.entry(host).or_default() += 1;
        }
        let mut warning = None;
        let patterns = match spec.max_pages_per_pattern {
            Some(_) => &mut self.patterns,
            None => &mut self.passing,
        };
        if room(patterns, &pattern) {
            let calendar = is_calendar(&pattern);
            let count = patterns.entry(pattern.clone()).or_default();
            *count += 1;
            if *count == if calendar { MANY_DAYS } else { MANY } {
                let looks = if calendar { "; it looks like a calendar, which has no end" } else { "" };
                warning = Some(format!(
                    "{count} pages are like {pattern}{looks}; `max_pages_per_pattern` or `deny` bounds them"
                ));
            }
        }
        (None, warning)
    }
}

/// The address with its numbers taken out: `https://x.org/shop/#/#?page=#`.
fn pattern(url: &Url) -> String {
    let mut out = String::new();
    let mut digits = false;
    for letter in url[..url::Position::AfterQuery].chars() {
        match letter.is_ascii_digit() {
            true if digits => continue,
            true => out.push('#'),
            false => out.push(letter),
        }
        digits = letter.is_ascii_digit();
        if out.len() > 512 {
            break;
        }
    }
    // The port and the digits of a host are no part of the pattern.
    let rest = out.find("://").and_then(|at| out[at + 3..].find('/').map(|slash| at + 3 + slash)).unwrap_or(out.len());
    format!("{}{}", &url[..url::Position::BeforePath], &out[rest..])
}

fn is_calendar(pattern: &str) -> bool {
    let lower = pattern.to_ascii_lowercase();
    ["#/#/#", "#-#-#", "year=#", "month=#", "date=#", "calendar"].iter().any(|part| lower.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_by_what_differs_in_numbers_only() {
        let url = |text: &str| Url::parse(text).expect("it is one");
        assert_eq!(pattern(&url("http://127.0.0.1:80/a1/2026?p=12")), "http://127.0.0.1/a#/#?p=#");
        let mut spec = SpiderSpec::new("x");
        spec.max_pages_per_pattern = Some(2);
        spec.max_pages_per_host = Some(3);
        let mut counted = Counted::default();
        let mut count = |text: &str| counted.count(text, &spec).0;
        assert_eq!(
            [count("http://a/1"), count("http://a/2"), count("http://a/3")],
            [None, None, Some("pattern budget")]
        );
        assert_eq!([count("http://a/x"), count("http://a/y"), count("http://b/1")], [None, Some("host budget"), None]);
    }

    #[test]
    fn a_calendar_is_warned_of_once() {
        let (spec, mut counted) = (SpiderSpec::new("x"), Counted::default());
        let warnings: Vec<String> =
            (0..5_000).filter_map(|day| counted.count(&format!("http://a/cal/2026/{day}/1"), &spec).1).collect();
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("calendar"), "{}", warnings[0]);
        assert!(counted.is_empty(), "nothing of it is written with each commit");
    }
}

//! Regular expressions over text: the first capture group, or the whole match where there is none.

use regex::Regex;

/// The most matches that one pattern gives on one text.
pub const MAX_MATCHES: usize = 100_000;

/// All matches in order. Of a match it is the first group that took part, else the whole.
///
/// ```
/// let pattern = crawlingo::schema::pattern::parse(r"(\d+) in stock").unwrap();
/// let found: Vec<_> = crawlingo::select::regex::find_all(&pattern, "3 in stock, 12 in stock").collect();
/// assert_eq!(found, ["3", "12"]);
/// ```
pub fn find_all<'t>(pattern: &Regex, text: &'t str) -> impl Iterator<Item = &'t str> {
    pattern
        .captures_iter(text)
        .filter_map(|captures| captures.iter().skip(1).flatten().next().or_else(|| captures.get(0)))
        .map(|found| found.as_str())
        .take(MAX_MATCHES)
}

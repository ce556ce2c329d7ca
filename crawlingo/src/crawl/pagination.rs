//! Pages that are found by counting or by a cursor.

use crawlingo_schema::path::parse_json;
use crawlingo_schema::{PageRule, Paginate, pattern};
use percent_encoding::utf8_percent_encode;
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json_path::JsonPath;
use url::Url;

use super::canonical::ENCODED;
use super::frontier::{Entry, Payload};
use crate::Error;

/// The longest cursor that is taken.
const MAX_CURSOR: usize = 8_192;

/// Which page of which rule a request is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageNumber {
    rule: u32,
    number: u64,
    cursor: Option<String>,
}

/// A rule, compiled.
#[derive(Debug)]
pub(super) struct Pages {
    paginate: Paginate,
    rule: PageRule,
    pattern: Option<Regex>,
    cursor: Option<JsonPath>,
}

/// What a page came to, as far as it counts for the next one.
pub(super) struct Seen<'a> {
    pub(super) url: &'a Url,
    pub(super) records: usize,
    pub(super) json: Option<&'a serde_json::Value>,
}

impl Pages {
    pub(super) fn new(paginate: &Paginate) -> Result<Self, Error> {
        Ok(Self {
            rule: paginate.rule()?,
            pattern: paginate.pattern.as_deref().map(pattern::parse).transpose()?,
            cursor: paginate.cursor.as_deref().map(parse_json).transpose()?,
            paginate: paginate.clone(),
        })
    }

    /// The first page; that of a pattern is a page like others.
    pub(super) fn first(&self, rule: usize) -> Option<Entry> {
        self.entry(PageNumber { rule: u32::try_from(rule).ok()?, number: self.paginate.first, cursor: None })
    }

    /// Whether the response is looked into.
    pub(super) fn reads_json(&self) -> bool {
        self.cursor.is_some()
    }

    /// The page after one; `None` behind the last.
    pub(super) fn next(&self, rule: usize, of: &Entry, seen: &Seen<'_>) -> Option<Entry> {
        let rule = u32::try_from(rule).ok()?;
        if self.paginate.stop_when_empty && seen.records == 0 {
            return None;
        }
        let counted = |number: u64| {
            let next = number.checked_add(self.paginate.step)?;
            self.paginate.last.is_none_or(|last| next <= last).then_some(next)
        };
        match self.rule {
            PageRule::Pattern => {
                let found = self.pattern.as_ref()?.captures(seen.url.as_str())?.get(1)?;
                let next = counted(found.as_str().parse().ok()?)?;
                let mut address = seen.url.as_str().to_owned();
                address.replace_range(found.range(), &next.to_string());
                let url = Url::parse(&address).ok()?;
                Some(Entry { depth: of.depth, referrer: Some(of.url.clone()), ..Entry::new(url) })
            }
            PageRule::Number => {
                let page = of.page.as_ref().filter(|page| page.rule == rule)?;
                self.entry(PageNumber { rule, number: counted(page.number)?, cursor: None })
            }
            PageRule::Cursor => {
                let page = of.page.as_ref().filter(|page| page.rule == rule)?;
                let number = counted(page.number)?;
                let found = self.cursor.as_ref()?.query(seen.json?).first()?.clone();
                let cursor = match found {
                    serde_json::Value::String(text) => text,
                    serde_json::Value::Number(number) => number.to_string(),
                    _ => return None,
                };
                // A cursor that stands still would go round for ever.
                let moves = !cursor.is_empty() && cursor.len() <= MAX_CURSOR && page.cursor.as_ref() != Some(&cursor);
                moves.then(|| self.entry(PageNumber { rule, number, cursor: Some(cursor) }))?
            }
        }
    }

    fn entry(&self, page: PageNumber) -> Option<Entry> {
        let template = self.paginate.url.as_deref()?;
        let cursor = page.cursor.as_deref().unwrap_or_default();
        let encoded = utf8_percent_encode(cursor, ENCODED).to_string();
        let number = page.number.to_string();
        let url = Url::parse(&template.replace("{page}", &number).replace("{cursor}", &encoded)).ok()?;
        let headers = || self.paginate.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        let payload = match &self.paginate.body {
            Some(body) => {
                let quoted = page.cursor.as_ref().map_or_else(|| "null".to_owned(), |text| json(text));
                let body = body.replace("{page}", &number).replace("\"{cursor}\"", &quoted);
                let mut headers: Vec<(String, String)> = headers().collect();
                if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                    headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
                }
                let body = body.replace("{cursor}", cursor).into_bytes();
                Some(Payload { method: "POST".to_owned(), body, headers })
            }
            None if self.paginate.headers.is_empty() => None,
            None => Some(Payload { method: "GET".to_owned(), body: Vec::new(), headers: headers().collect() }),
        };
        Some(Entry { page: Some(page), payload, ..Entry::new(url) })
    }
}

fn json(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(pages: &Pages, of: &Entry, records: usize, json: &str) -> Option<Entry> {
        let url = Url::parse(&of.url).expect("it is one");
        let json: Option<serde_json::Value> = serde_json::from_str(json).ok();
        pages.next(0, of, &Seen { url: &url, records, json: json.as_ref() })
    }

    #[test]
    fn pages_are_counted_until_one_is_empty() {
        let mut rule = Paginate::url("http://x.org/?p={page}");
        rule.last = Some(3);
        rule.step = 2;
        let pages = Pages::new(&rule).expect("it is right");
        let first = pages.first(0).expect("there is one");
        assert_eq!(first.url, "http://x.org/?p=1");
        assert_eq!(next(&pages, &first, 0, ""), None);
        let third = next(&pages, &first, 1, "").expect("there is one");
        assert_eq!(third.url, "http://x.org/?p=3");
        assert_eq!(next(&pages, &third, 1, ""), None);
        let pages = Pages::new(&Paginate::pattern(r"/page-(\d+)/")).expect("it is right");
        let second = next(&pages, &Entry::new("http://x.org/page-9/a1"), 1, "").expect("there is one");
        assert_eq!(second.url, "http://x.org/page-10/a1");
        assert_eq!(next(&pages, &Entry::new("http://x.org/page-18446744073709551615/"), 1, ""), None);
    }

    #[test]
    fn a_cursor_goes_into_the_body_as_json() {
        let mut rule = Paginate::cursor("http://x.org/api", "$.next");
        rule.body = Some(r#"{"after": "{cursor}", "page": {page}}"#.to_owned());
        let pages = Pages::new(&rule).expect("it is right");
        let first = pages.first(0).expect("there is one");
        let body = |entry: &Entry| {
            let payload = entry.payload.as_ref().expect("it is sent");
            serde_json::from_slice::<serde_json::Value>(&payload.body).expect("it is JSON")
        };
        assert_eq!(body(&first), serde_json::json!({"after": null, "page": 1}));
        let second = next(&pages, &first, 1, r#"{"next": "a\"b"}"#).expect("there is one");
        assert_eq!(body(&second), serde_json::json!({"after": "a\"b", "page": 2}));
        for last in [r#"{"next": "a\"b"}"#, r#"{"next": null}"#, r#"{"next": ""}"#, "{}", "no JSON"] {
            assert_eq!(next(&pages, &second, 1, last), None, "{last}");
        }
    }
}

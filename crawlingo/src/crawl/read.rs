//! What is read of a page: records, links, the next page; or the pages that a sitemap names.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::canonical::{RequestKey, canonical_url, request_key};
use super::frontier::{Entry, What};
use super::hooks::Found;
use super::links::Skipped;
use super::pagination::Seen;
use super::sitemap::{Sitemap, SitemapEntry};
use super::worker::Shared;
use crate::Error;
use crate::dataset::Record;
use crate::session::Page;
use crate::sink::{Origin, Scraped};
use crate::types::Response;

/// How deep an index of sitemaps may lie in others.
const MAX_NESTED: u32 = 5;

/// What a record is known by, and what it is.
pub(super) type Known = (u128, u64);

#[derive(Default)]
pub(super) struct Read {
    /// None where nothing was fetched for it.
    pub(super) status: u16,
    pub(super) bytes: u64,
    pub(super) records: Vec<(Scraped, Option<Known>)>,
    pub(super) invalid: Vec<Error>,
    pub(super) discovered: Vec<(RequestKey, Entry)>,
    pub(super) skipped: Skipped,
    /// By dataset and field.
    pub(super) healed: BTreeMap<String, Vec<String>>,
}

/// Parses and extracts; on a thread that does so. `None` if it is a page for those who are not logged in.
pub(super) fn read(response: Response, entry: &Entry, shared: &Shared) -> Result<Option<Read>, Error> {
    let status = response.status.as_u16();
    let bytes = response.bytes().len() as u64;
    let mut read = Read { status, bytes, ..Read::default() };
    if entry.what == What::Sitemap {
        read.sitemap(&Sitemap::parse(response.bytes()), entry, shared);
        return Ok(Some(read));
    }
    let page = shared.session.adopt(Page::from_response(response)?);
    if shared.logins.asks(&page) {
        return Ok(None);
    }
    let url = page.url().to_string();
    let mut records = Vec::new();
    for item in &shared.items {
        if item.on.as_ref().is_some_and(|pattern| !pattern.is_match(&url)) {
            continue;
        }
        let extraction = page.extract(&item.extractor);
        let healed = extraction.report.fields.iter().filter(|field| field.healed > 0).map(|field| field.path.clone());
        let healed: Vec<String> = healed.collect();
        if !healed.is_empty() {
            read.healed.insert(item.extractor.schema().name.clone(), healed);
        }
        read.invalid.extend(extraction.errors);
        for record in extraction.records {
            match &shared.hooks {
                Some(hooks) if shared.typed => match hooks.typed(record) {
                    Ok(record) => records.push(record),
                    Err(error) => read.invalid.push(error.at_url(&url)),
                },
                _ => records.push(record),
            }
        }
    }
    let mut found = Found::of(entry);
    if let Some(hooks) = &shared.hooks {
        hooks.parse(&page, &mut found)?;
    }
    records.append(&mut found.records);
    read.skip("too many", found.dropped);
    let count = records.len();
    read.records(records, &page, entry, shared)?;
    if shared.meta_robots && says_nofollow(&page) {
        read.skip("nofollow of the page", 1);
        return Ok(Some(read));
    }
    let (links, skipped) = shared.links.of_page(&page, entry.depth)?;
    skipped.into_iter().for_each(|(why, count)| read.skip(why, count));
    let referrer = Some(entry.url.clone());
    for link in links {
        let key = request_key("GET", &link.url, b"");
        let (depth, priority) = (entry.depth + 1, link.priority);
        read.discovered.push((key, Entry { depth, priority, referrer: referrer.clone(), ..Entry::new(link.url) }));
    }
    for next in found.next {
        if let Some(why) = shared.links.refuses(&next.url) {
            read.skip(why, 1);
            continue;
        }
        let (depth, priority, meta, payload) = (entry.depth + 1, next.priority, next.meta, next.payload);
        let url = next.url;
        let asked = Entry { depth, priority, meta, payload, referrer: referrer.clone(), ..Entry::new(url.as_str()) };
        read.discovered.push((asked.key(&url), asked));
    }
    let json = shared.pages.iter().any(super::pagination::Pages::reads_json).then(|| page.json().ok()).flatten();
    let seen = Seen { url: page.url(), records: count, json };
    for (rule, pages) in shared.pages.iter().enumerate() {
        let Some(next) = pages.next(rule, entry, &seen) else { continue };
        match Url::parse(&next.url) {
            Ok(url) => read.discovered.push((next.key(&url), next)),
            Err(_) => read.skip("no URL", 1),
        }
    }
    Ok(Some(read))
}

impl Read {
    fn skip(&mut self, why: &'static str, count: u64) {
        if count > 0 {
            *self.skipped.entry(why).or_default() += count;
        }
    }

    fn records(&mut self, records: Vec<Record>, page: &Page, entry: &Entry, shared: &Shared) -> Result<(), Error> {
        let url = page.url().as_str();
        let origin = Arc::new(Origin::new(url, Timestamp::now(), Arc::clone(&shared.run_id), entry.depth));
        for (at, record) in records.into_iter().enumerate() {
            let mut known = None;
            if shared.incremental {
                let (key, is) = identity(&record, page.url(), at)?;
                if shared.frontier.known(key)? == Some(is) {
                    self.skip("unchanged", 1);
                    continue;
                }
                known = Some((key, is));
            }
            self.records.push((Scraped::new(record, Arc::clone(&origin)), known));
        }
        Ok(())
    }

    fn sitemap(&mut self, sitemap: &Sitemap, entry: &Entry, shared: &Shared) {
        let since = shared.sitemap_since.as_deref();
        let Ok(base) = Url::parse(&entry.url) else { return };
        for named in &sitemap.sitemaps {
            let url = base.join(&named.loc).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            match url {
                None => self.skip("no URL", 1),
                Some(_) if entry.depth >= MAX_NESTED => self.skip("depth", 1),
                Some(_) if !is_since(named, since) => self.skip("unchanged since", 1),
                Some(url) => {
                    let key = request_key("GET", &url, b"");
                    let depth = entry.depth + 1;
                    let referrer = Some(entry.url.clone());
                    self.discovered.push((key, Entry { what: What::Sitemap, depth, referrer, ..Entry::new(url) }));
                }
            }
        }
        for named in &sitemap.pages {
            let Ok(mut url) = base.join(&named.loc) else {
                self.skip("no URL", 1);
                continue;
            };
            url.set_fragment(None);
            if let Some(why) = shared.links.refuses(&url) {
                self.skip(why, 1);
            } else if !is_since(named, since) {
                self.skip("unchanged since", 1);
            } else {
                let referrer = Some(entry.url.clone());
                self.discovered.push((request_key("GET", &url, b""), Entry { referrer, ..Entry::new(url) }));
            }
        }
    }
}

/// Whether an entry was changed on a day or later, or does not say.
fn is_since(entry: &SitemapEntry, since: Option<&str>) -> bool {
    let (Some(since), Some(changed)) = (since.and_then(|day| day.get(..10)), entry.lastmod.as_deref()) else {
        return true;
    };
    let day = |text: &str| text.get(..10)?.parse::<jiff::civil::Date>().ok();
    let mail = || jiff::fmt::rfc2822::parse(changed).ok().map(|date| date.date());
    match (day(since), day(changed).or_else(mail)) {
        (Some(since), Some(changed)) => changed >= since,
        _ => true,
    }
}

/// A record's key, and a hash of what it is.
fn identity(record: &Record, url: &Url, at: usize) -> Result<Known, Error> {
    let schema = record.schema();
    let mut key = format!("{}\n", schema.name);
    match schema.key.as_slice() {
        [] => key.push_str(&format!("{}\n{at}", canonical_url(url))),
        fields => {
            for field in fields {
                key.push_str(&json(&record.get(field))?);
                key.push('\n');
            }
        }
    }
    Ok((xxh3_128(key.as_bytes()), xxh3_64(json(record)?.as_bytes())))
}

fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::sdk(error.to_string()))
}

/// Whether a page says that its links are not to be followed: by `X-Robots-Tag`, or by a `<meta>` for all robots.
fn says_nofollow(page: &Page) -> bool {
    let says = |text: &str| {
        text.split([',', ';', ' ']).any(|word| {
            let word = word.trim();
            word.eq_ignore_ascii_case("nofollow") || word.eq_ignore_ascii_case("none")
        })
    };
    let named = |element: crate::dom::Element<'_>| {
        element.tag() == "meta"
            && element.attr("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("robots"))
            && element.attr("content").is_some_and(says)
    };
    page.headers().get_all("x-robots-tag").any(says) || page.document().elements().any(named)
}

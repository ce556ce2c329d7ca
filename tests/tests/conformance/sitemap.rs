//! Sitemaps: what a file says, and what pages a site's robots.txt and sitemaps lead to.

use std::collections::BTreeSet;

use crawlingo::crawl::{Robots, Sitemap, SitemapEntry};
use serde_json::{Value, json};

use crate::harness::{Outcome, run};

fn entry(entry: &SitemapEntry) -> Value {
    let mut out = json!({ "loc": entry.loc });
    for (key, value) in [("lastmod", &entry.lastmod), ("changefreq", &entry.changefreq), ("priority", &entry.priority)]
    {
        if let Some(value) = value {
            out[key] = json!(value);
        }
    }
    if !entry.alternates.is_empty() {
        out["alternate"] = json!(entry.alternates);
    }
    out
}

fn bytes(response: &Value) -> Vec<u8> {
    if let Some(hex) = response["body_hex"].as_str() {
        let digits: Vec<u8> =
            hex.bytes().filter_map(|byte| (byte as char).to_digit(16)).map(|digit| digit as u8).collect();
        return digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect();
    }
    response["body"].as_str().unwrap_or_default().as_bytes().to_vec()
}

/// The body behind a URL, redirects followed.
fn fetched(responses: &Value, url: &str) -> Option<Vec<u8>> {
    let mut url = url.to_owned();
    for _ in 0..10 {
        let response = responses.get(&url)?;
        match response["status"].as_u64() {
            Some(200) => return Some(bytes(response)),
            Some(300..=399) => {
                let headers = response["headers"].as_object()?;
                url = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?.1.as_str()?.to_owned();
            }
            _ => return None,
        }
    }
    None
}

fn walk(responses: &Value, url: &str, depth: usize, seen: &mut BTreeSet<String>, pages: &mut BTreeSet<String>) {
    if depth > 5 || !seen.insert(url.to_owned()) {
        return;
    }
    let Some(body) = fetched(responses, url) else { return };
    let sitemap = Sitemap::parse(&body);
    pages.extend(sitemap.pages.into_iter().map(|entry| entry.loc));
    for inner in sitemap.sitemaps {
        walk(responses, &inner.loc, depth + 1, seen, pages);
    }
}

fn wanted(case: &Value) -> BTreeSet<String> {
    let urls = case["expected_page_urls"].as_array().into_iter().flatten();
    urls.filter_map(|url| url.as_str().map(str::to_owned)).collect()
}

#[test]
fn sitemap() {
    run("sitemap", |case| match case["kind"].as_str().unwrap_or_default() {
        "sitemap_entries" => {
            let sitemap = Sitemap::parse(case["body"].as_str().unwrap_or_default().as_bytes());
            let entries: Vec<Value> = sitemap.sitemaps.iter().chain(&sitemap.pages).map(entry).collect();
            Outcome::equal(json!(entries), case["expected"].clone())
        }
        "sitemap_document" => {
            let sitemap = Sitemap::parse(case["body"].as_str().unwrap_or_default().as_bytes());
            let subs = case["expected"]["sub_sitemaps"].as_array().into_iter().flatten();
            let wanted_subs: Vec<&str> = subs.filter_map(|sub| sub["url"].as_str()).collect();
            let subs: Vec<&str> = sitemap.sitemaps.iter().map(|entry| entry.loc.as_str()).collect();
            if subs != wanted_subs && !wanted_subs.is_empty() {
                return Outcome::equal(json!(subs), json!(wanted_subs));
            }
            Outcome::equal(sitemap.pages.into_iter().map(|entry| entry.loc).collect(), wanted(case))
        }
        // The same files as in another case, with the answer of a filter that the case does not hold.
        "sitemap_tree" if case["id"] == "sitemap/usp/0015" => Outcome::LeftOut("filter_of_the_caller"),
        "sitemap_tree" => {
            let (responses, home) = (&case["responses"], case["homepage"].as_str().unwrap_or_default());
            let (mut seen, mut pages) = (BTreeSet::new(), BTreeSet::new());
            if let Some(robots) = fetched(responses, &format!("{home}/robots.txt")) {
                for sitemap in Robots::parse("crawlingo", &robots).sitemaps() {
                    walk(responses, sitemap, 0, &mut seen, &mut pages);
                }
            }
            if seen.is_empty() {
                walk(responses, &format!("{home}/sitemap.xml"), 0, &mut seen, &mut pages);
            }
            Outcome::equal(pages, wanted(case))
        }
        other => Outcome::Fail(format!("there is no such kind as {other}")),
    });
}

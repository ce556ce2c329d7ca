//! The day on which real pages were published, as people read it.

use crawlingo::dom::Document;
use crawlingo::select::structured::published;
use serde_json::Value;
use url::Url;

use crate::harness::{self, Outcome};

#[test]
fn page_date() {
    harness::run("page_date", check);
}

fn check(case: &Value) -> Outcome {
    let page = case["page"].as_str().expect("a case has a page");
    let path = harness::shared().expect("the cases came from there").join("pages").join(page);
    if !path.is_file() {
        return Outcome::LeftOut("page not at hand");
    }
    let html = String::from_utf8_lossy(&std::fs::read(path).expect("the page is readable")).into_owned();
    let url = case["url"].as_str().and_then(|url| Url::parse(url).ok());
    let found = published::read(&Document::parse(&html), url.as_ref());
    Outcome::equal(found.map(|found| found.date.to_string()).as_deref(), case["expected"].as_str())
}

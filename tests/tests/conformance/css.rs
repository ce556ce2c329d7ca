//! CSS selectors: which elements of a document they find.

use crawlingo::dom::{Document, Element};
use crawlingo::schema::css;
use serde_json::Value;

use crate::harness::{Outcome, read_case_file, run};

/// The positions of elements among all of the document, as the cases count them.
fn positions(document: &Document) -> Vec<u32> {
    document.elements().map(|element| element.id().get()).collect()
}

/// `:contains(some words)` and `#1`: texts and names that the standard wants quoted or escaped.
fn is_unquoted(selector: &str) -> bool {
    let after = |mark: &str, test: fn(char) -> bool| {
        selector.match_indices(mark).any(|(at, _)| selector[at + mark.len()..].starts_with(test))
    };
    after(":contains(", |c| c.is_alphanumeric()) || after("#", |c| c.is_ascii_digit())
}

#[test]
fn css() {
    run("css", |case| {
        let html = match case["html_file"].as_str() {
            Some(file) => read_case_file(file),
            None => case["html"].as_str().unwrap_or_default().to_owned(),
        };
        let document = Document::parse(&html);
        let ids = positions(&document);
        let text = case["selector"].as_str().unwrap_or_default();
        if text.contains("::slotted") || [":before", ":after", ":first-line"].iter().any(|element| text.contains(element)) {
            return Outcome::LeftOut("pseudo-elements");
        }
        if text.contains("!=") || is_unquoted(text) {
            return Outcome::LeftOut("jsoup-and-sizzle-dialect");
        }
        let selector = match css::parse(text) {
            Ok(selector) => selector,
            Err(_) if case["expected"] == "invalid" => return Outcome::Pass,
            Err(error) => return Outcome::Fail(error.to_string()),
        };
        let at = |element: Element<'_>| ids.binary_search(&element.id().get()).ok();
        let nth = |position: u64| {
            ids.get(position as usize)
                .and_then(|id| document.node(crawlingo::dom::NodeId::from_u32(*id)))
                .and_then(crawlingo::dom::Node::as_element)
        };
        if case["kind"] == "matches" {
            let element = case["element"].as_u64().and_then(nth).expect("the case names an element");
            return Outcome::equal(Value::from(element.matches(&selector)), case["expected"].clone());
        }
        let found: Vec<usize> = match case["context"].as_u64().and_then(nth) {
            Some(context) => context.select(&selector).filter_map(at).collect(),
            None => document.select(&selector).filter_map(at).collect(),
        };
        match case["kind"].as_str() {
            Some("first") => Outcome::equal(Value::from_iter(found.first().copied()), case["expected"].clone()),
            _ => Outcome::equal(Value::from(found), case["expected"].clone()),
        }
    });
}

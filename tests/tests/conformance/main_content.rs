//! The main content of real pages, against what people, or Mozilla's Readability, took for it.

use std::collections::HashMap;

use crawlingo::dom::Document;
use serde_json::Value;
use url::Url;

use crate::harness::{self, Outcome};

/// How much of the text must be the same: the F1 score over runs of four words.
const ENOUGH: f64 = 0.85;

#[test]
fn main_content() {
    harness::run("main_content", check);
}

fn check(case: &Value) -> Outcome {
    let page = case["page"].as_str().expect("a case has a page");
    let path = harness::shared().expect("the cases came from there").join("pages").join(page);
    if !path.is_file() {
        return Outcome::LeftOut("page not at hand");
    }
    let html = String::from_utf8_lossy(&std::fs::read(path).expect("the page is readable")).into_owned();
    let base = Url::parse("http://fakehost/test/page.html").expect("an address");
    let expected = case["expected_text"].as_str().expect("a case has a text");
    let Some(content) = Document::parse(&html).main_content(Some(&base)) else {
        return Outcome::Fail("nothing was found".to_owned());
    };
    let score = f1(&content.text, expected);
    if score >= ENOUGH {
        Outcome::Pass
    } else {
        let start: String = content.text.chars().take(60).collect();
        Outcome::Fail(format!("{score:.2} ({} of {} bytes): {start:?}", content.text.len(), expected.len()))
    }
}

fn f1(got: &str, expected: &str) -> f64 {
    let (got, expected) = (runs(got), runs(expected));
    let same: usize = got.iter().map(|(run, count)| expected.get(run).map_or(0, |other| *count.min(other))).sum();
    let all: usize = got.values().sum::<usize>() + expected.values().sum::<usize>();
    2.0 * same as f64 / all.max(1) as f64
}

/// All runs of four words; of a shorter text the text itself.
fn runs(text: &str) -> HashMap<Vec<String>, usize> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let mut runs = HashMap::new();
    for run in words.windows(4.min(words.len().max(1))) {
        *runs.entry(run.to_vec()).or_default() += 1;
    }
    runs
}

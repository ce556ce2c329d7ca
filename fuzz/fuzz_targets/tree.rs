//! Our tree beside the one that html5ever makes with its own tokenizer.

#![no_main]

#[path = "../../tests/tests/tree/reference.rs"]
mod reference;

use crawlingo::dom::Document;
use libfuzzer_sys::fuzz_target;

/// Longer markup could nest deeper than a document of ours may.
const LONGEST: usize = 1500;

fuzz_target!(|html: &str| {
    if html.len() > LONGEST {
        return;
    }
    assert_eq!(reference::ours(&Document::parse(html)), reference::html5ever(html, None));
});

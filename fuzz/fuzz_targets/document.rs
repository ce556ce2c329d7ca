//! Bytes -> Document -> every kind of selector, text, HTML, Markdown, tables.

#![no_main]

use std::sync::OnceLock;

use crawlingo::Page;
use crawlingo::dataset::{Extractor, Source};
use crawlingo::dom::{Document, ParseOptions};
use crawlingo::schema::Schema;
use libfuzzer_sys::fuzz_target;

const SCHEMA: &str = r#"
name = "Fuzz"
each = "div, p, li, tr"
[fields.css]
css = "a[href] > b, :has(i), :nth-child(2n+1), :lang(en), :contains('x')"
many = true
[fields.url]
css = "a"
kind = "url"
optional = true
[fields.regex]
regex = '(\w+)\s(\d*)'
many = true
[fields.text]
text = "a"
many = true
outer_html = true
[fields.after]
after_text = "a"
ignore_case = true
many = true
[fields.before]
before_text = "a"
many = true
[fields.jsonld]
jsonld = "Product.offers.price"
kind = "json"
many = true
[fields.microdata]
microdata = "Product.name"
kind = "json"
many = true
[fields.meta]
meta = "og:title"
optional = true
[fields.json]
json = "$..a"
within = "script"
kind = "json"
many = true
[fields.markdown]
css = "i"
markdown = true
optional = true
"#;

fuzz_target!(|data: &[u8]| {
    static EXTRACTOR: OnceLock<Extractor> = OnceLock::new();
    let extractor = EXTRACTOR.get_or_init(|| Extractor::new(&Schema::from_toml(SCHEMA).unwrap()).unwrap());
    let Ok(document) = Document::parse_bytes(data, &ParseOptions::default()) else { return };
    let _ = extractor.extract(&Source::document(&document, None));
    let text = document.text();
    assert!(!text.ends_with('\n'));
    let again = Document::parse(&document.html());
    let _ = again.text();
    for element in document.elements() {
        let _ = element.table();
    }
    if let Ok(page) = Page::from_bytes(data.to_vec(), Some("text/html"), "https://example.org/") {
        let _ = (page.title(), page.links(), page.form("form").map(|form| form.request()));
    }
});

//! Encodings: the decoded text counts, not the name.

use crawlingo::dom::{Document, ParseOptions};
use encoding_rs::Encoding;

use crate::harness::{Outcome, run};

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).expect("the case holds hex")).collect()
}

fn text_in(bytes: &[u8], label: &str) -> Option<String> {
    Some(Encoding::for_label(label.as_bytes())?.decode(bytes).0.into_owned())
}

#[test]
fn encoding() {
    run("encoding", |case| {
        if case["kind"] == "label" {
            let options = ParseOptions::default().encoding(case["label"].as_str().unwrap_or_default());
            let document = Document::parse_bytes(b"<p>", &options);
            return match (document, case["expected"].as_str()) {
                (Ok(document), Some(expected)) => {
                    Outcome::equal(document.encoding().to_lowercase(), expected.to_lowercase())
                }
                (document, expected) => Outcome::equal(document.is_ok(), expected.is_some()),
            };
        }
        let bytes = bytes_of(case["bytes_hex"].as_str().unwrap_or_default());
        let expected = match case["kind"].as_str() {
            Some("detect_bytes") => &case["whatwg"],
            _ => &case["expected"],
        };
        let Some(expected) = expected.as_str().filter(|label| Encoding::for_label(label.as_bytes()).is_some()) else {
            return Outcome::LeftOut("no-whatwg-encoding");
        };
        let document = match Document::parse_bytes(&bytes, &ParseOptions::default()) {
            Ok(document) => document,
            Err(error) => return Outcome::Fail(error.to_string()),
        };
        let (got, wanted) = (text_in(&bytes, document.encoding()), text_in(&bytes, expected));
        match got == wanted {
            true => Outcome::Pass,
            false => {
                Outcome::Fail(format!("read as {}, expected {expected} ({})", document.encoding(), case["filename"]))
            }
        }
    });
}

#[test]
fn encoding_of_content_types() {
    let check = |content_type: &str, expected: &str| {
        let options = ParseOptions::default().content_type(content_type);
        let document = Document::parse_bytes(b"<meta charset=koi8-r><p>\xc1", &options).expect("it parses");
        assert_eq!(document.encoding(), expected, "{content_type}");
    };
    check("text/html; charset=windows-1251", "windows-1251");
    check("text/html; x=y; Charset=\"utf-8\"", "UTF-8");
    check("text/html; charset=nonsense", "KOI8-R");
    check("text/html", "KOI8-R");
}

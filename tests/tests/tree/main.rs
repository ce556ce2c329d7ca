//! Our tokenizer and tree beside html5ever's own: over random markup and, where they are present, over real pages.

#![allow(clippy::print_stdout)] // What is skipped is said.

mod reference;

use std::path::{Path, PathBuf};

use crawlingo::dom::Document;
use proptest::prelude::*;

/// Parts that, put together at random, reach each state of the tokenizer and most rules of the tree builder.
const PARTS: &[&str] = &[
    "<",
    ">",
    "/",
    "=",
    "\"",
    "'",
    "&",
    "!",
    "-",
    "--",
    "-->",
    "<!--",
    "--!>",
    "?",
    "]]>",
    "<![CDATA[",
    "\0",
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\x0c",
    "a",
    "X",
    "é",
    "😀",
    "amp;",
    "&amp;",
    "&amp",
    "&notit;",
    "&#x",
    "&#65;",
    "&#128;",
    "&#xD800;",
    "&#0;",
    "&lt",
    "&ngE;",
    "&gt=",
    ";",
    "#",
    "x41",
    "<p",
    "<p>",
    "</p>",
    "<div ",
    "<div>",
    "</div>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<b>",
    "</b>",
    "<i x=1>",
    "</i>",
    "<a href=/>",
    "</a>",
    "<pre>",
    "<textarea>",
    "</textarea>",
    "<title>",
    "</title>",
    "</title ",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "<script",
    "</script",
    "</script x=y>",
    "<plaintext>",
    "<svg>",
    "</svg>",
    "<math>",
    "<mi>",
    "<annotation-xml encoding=text/html>",
    "<foreignObject>",
    "<desc>",
    "<template>",
    "</template>",
    "<select>",
    "<option>",
    "<frameset>",
    "<noframes>",
    "<xmp>",
    "</xmp>",
    "<noscript>",
    "</noscript>",
    "<html a=1>",
    "<body b=2>",
    "<head>",
    "</head>",
    "</body>",
    "</html>",
    "<!doctype html>",
    "<!DOCTYPE",
    " html",
    " PUBLIC",
    "system",
    "\"-//W3C//DTD HTML 4.01//EN\"",
    " a=",
    " b='",
    " c=\"",
    " d",
    " A=1",
    "<form>",
    "<br/>",
    "</br>",
    "<li>",
    "<ul>",
    "<button>",
    "<nobr>",
    "<col>",
    "<meta charset=x>",
    "text that is longer than eight bytes",
    "<custom-element data-long-attribute='",
    "<title\0",
    "aria-labelledby=q ",
    "</",
    "<?",
    "<!",
    "\u{feff}",
];

const CONTEXTS: &[Option<&str>] = &[
    None,
    None,
    None,
    Some("div"),
    Some("tr"),
    Some("textarea"),
    Some("script"),
    Some("style"),
    Some("svg path"),
    Some("math mi"),
    Some("template"),
    Some("select"),
    Some("plaintext"),
    Some("svg foreignObject"),
];

fn ours(html: &str, context: Option<&str>) -> String {
    reference::ours(&match context {
        None => Document::parse(html),
        Some(context) => Document::parse_fragment(html, context),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn random_markup_makes_the_same_tree(
        parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..40),
        context in proptest::sample::select(CONTEXTS),
    ) {
        let html = parts.concat();
        prop_assert_eq!(ours(&html, context), reference::html5ever(&html, context));
    }
}

fn shared(part: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CRAWLINGO_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = folder.join(part);
    if !path.exists() {
        println!("{part}: skipped (set CRAWLINGO_SHARED to the folder that holds it)");
        return None;
    }
    Some(path)
}

#[test]
fn real_pages_make_the_same_tree() {
    let Some(folder) = shared("pages") else { return };
    let (mut open, mut pages) = (vec![folder], 0);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("the folder is readable").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let bytes = std::fs::read(&path).expect("the page is readable");
                let html = String::from_utf8_lossy(&bytes);
                assert!(ours(&html, None) == reference::html5ever(&html, None), "{}: another tree", path.display());
                pages += 1;
            }
        }
    }
    assert!(pages > 0, "there are no pages");
}

#[test]
fn the_cases_of_the_conformance_tests_make_the_same_tree() {
    let Some(path) = shared("cases/html_tree.open.jsonl") else { return };
    let cases = std::fs::read_to_string(path).expect("the cases are readable");
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a case is JSON");
        let (Some(html), context) = (case["html"].as_str(), case["fragment_context"].as_str()) else { continue };
        assert_eq!(ours(html, context), reference::html5ever(html, context), "{}", case["id"]);
    }
}

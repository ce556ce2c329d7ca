use std::time::{Duration, Instant};

use crate::dom::{Document, Node, ParseOptions};

fn refused(xml: &str, parts: &[&str]) {
    let error = Document::parse_xml(xml).expect_err(xml).to_string();
    for part in parts {
        assert!(error.contains(part), "{xml:.60}: {error}");
    }
}

#[test]
fn a_document_has_names_namespaces_and_texts() {
    let document = Document::parse_xml(
        "\n<?xml version='1.0'?><!DOCTYPE a [<!ENTITY who \"w&#38;x <b xmlns='u:b'>y</b>\"><!ENTITY t 'T'>]>\
         <a xmlns='u:a' xmlns:p='u:p' p:x='1\n2 &t;&lt;'>1&amp;2<![CDATA[<3>]]>&who;&nbsp;<p:B/><!--c--><?pi d?></a>\n",
    )
    .expect("well-formed");
    let root = document.root_element().expect("there is one");
    assert_eq!((root.tag(), root.namespace_url()), ("a", "u:a"));
    assert_eq!(root.attr("p:x"), Some("1 2 T<"));
    let texts: Vec<_> = root.node().children().filter_map(Node::as_text).collect();
    assert_eq!(texts, ["1&2<3>w&x ", "\u{a0}"]);
    let inner: Vec<_> = root.children().map(|child| (child.tag(), child.namespace_url())).collect();
    assert_eq!(inner, [("b", "u:b"), ("B", "u:p")]);
    assert_eq!(root.node().children().filter_map(Node::as_comment).next(), Some("c"));
    assert_eq!(root.node().children().find_map(Node::as_processing_instruction), Some(("pi", "d")));
    assert_eq!(document.root().children().find_map(Node::as_doctype), Some(("a", "", "")));
    // The arena's links and ends fit.
    assert_eq!(document.root().descendants().count(), document.len() - 1);
    assert_eq!(root.node().descendants().count(), 7);
}

#[test]
fn mistakes_are_named_with_their_place() {
    refused("", &["no element"]);
    refused("just text", &["outside of the root", "line 1"]);
    refused("<a>\n <b>\n</a>", &["line 3", "b"]);
    refused("<a>\n  <b>", &["`<b>` is not closed", "line 2, column 3"]);
    refused("<a/><b/>", &["second root", "line 1, column 5"]);
    refused("<a></a></a>", &["line 1"]);
    refused("<a x=1/>", &["line 1"]);
    refused("<a x='1' x='2'/>", &["`x` is there twice"]);
    refused("<a>&foo;</a>", &["`&foo;` is not declared", "&amp;"]);
    refused("<a>\nAT&T</a>", &["line 2"]);
    refused("<a>&#0;</a>", &["not a character"]);
    refused("<1a/>", &["not a name"]);
    refused("<!DOCTYPE a [<!ENTITY e '<b>'>]><a>\n&e;</a>", &["line 2", "does not close"]);
    refused("<!DOCTYPE a [<!ENTITY e '</a>'>]><a>&e;</a>", &["line 1"]);
}

#[test]
fn expansion_depth_and_size_are_bounded() {
    let start = Instant::now();
    let mut laughs = String::from("<!DOCTYPE a [<!ENTITY l0 'lol'>");
    for level in 1..30 {
        laughs.push_str(&format!("<!ENTITY l{level} '{}'>", format!("&l{};", level - 1).repeat(10)));
    }
    refused(&format!("{laughs}]><a>&l29;</a>"), &["entities nest deeper"]);
    refused(&format!("{laughs}]><a x='&l7;'/>"), &["expand to more than"]);
    refused(&format!("{laughs}]><a>&l7;</a>"), &["expand to more than"]);
    refused("<!DOCTYPE a [<!ENTITY e '&e;'>]><a>&e;</a>", &["entities nest deeper"]);
    refused(&"<a>".repeat(100_000), &["nest deeper than 512"]);
    let many = format!("<a {}/>", (0..5000).map(|n| format!("x{n}='' ")).collect::<String>());
    refused(&many, &["attributes"]);
    let options = ParseOptions::default().max_nodes(100);
    let wide = format!("<a>{}</a>", "<b/>".repeat(1000));
    assert!(Document::parse_xml_with(&wide, &options).is_err());
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[test]
fn bytes_are_read_in_their_encoding() {
    let latin = b"<?xml version='1.0' encoding='iso-8859-1'?><a>caf\xe9</a>";
    let document = Document::parse_xml_bytes(latin, &ParseOptions::default()).expect("well-formed");
    assert_eq!(document.root_element().expect("there is one").raw_text(), "café");
}

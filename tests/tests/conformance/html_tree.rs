//! Trees that the HTML standard's parser makes, and facts about whole pages.

use crawlingo::dom::{Document, Node, NodeKind};

use crate::harness::{Outcome, run};

/// The tree in the format of html5lib's tests.
fn dump(document: &Document, fragment: bool) -> String {
    let mut lines = Vec::new();
    let roots: Vec<Node<'_>> = match fragment {
        true => document.root_element().into_iter().flat_map(|root| root.node().children()).collect(),
        false => document.root().children().collect(),
    };
    for root in roots {
        node(root, 0, &mut lines);
    }
    lines.join("\n")
}

fn node(node: Node<'_>, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    match node.kind() {
        NodeKind::Text => lines.push(format!("| {indent}\"{}\"", node.as_text().unwrap_or_default())),
        NodeKind::Comment => lines.push(format!("| {indent}<!-- {} -->", node.as_comment().unwrap_or_default())),
        NodeKind::Doctype => {
            let (name, public, system) = node.as_doctype().unwrap_or_default();
            let ids = if public.is_empty() && system.is_empty() {
                String::new()
            } else {
                format!(" \"{public}\" \"{system}\"")
            };
            lines.push(format!("| {indent}<!DOCTYPE {name}{ids}>"));
        }
        NodeKind::ProcessingInstruction => {
            let (target, data) = node.as_processing_instruction().unwrap_or_default();
            lines.push(format!("| {indent}<?{target} {data}>"));
        }
        _ => {}
    }
    let Some(element) = node.as_element() else { return };
    let prefix = match element.namespace_url() {
        "http://www.w3.org/2000/svg" => "svg ",
        "http://www.w3.org/1998/Math/MathML" => "math ",
        _ => "",
    };
    lines.push(format!("| {indent}<{prefix}{}>", element.tag()));
    let mut attrs: Vec<String> = element
        .attrs_with_prefix()
        .map(|(prefix, name, value)| match prefix {
            Some(prefix) => format!("{prefix} {name}=\"{value}\""),
            None => format!("{name}=\"{value}\""),
        })
        .collect();
    attrs.sort();
    lines.extend(attrs.into_iter().map(|attr| format!("| {indent}  {attr}")));
    if let Some(contents) = node.template_contents() {
        lines.push(format!("| {indent}  content"));
        for child in contents.children() {
            self::node(child, depth + 2, lines);
        }
    }
    for child in node.children() {
        self::node(child, depth + 1, lines);
    }
}

#[test]
fn html_tree() {
    run("html_tree", |case| {
        if case["scripting"] == "on" {
            return Outcome::LeftOut("scripting-on");
        }
        let html = case["html"].as_str().unwrap_or_default();
        let got = match case["fragment_context"].as_str() {
            Some(context) => dump(&Document::parse_fragment(html, context), true),
            None => dump(&Document::parse(html), false),
        };
        Outcome::equal(got.trim_end(), case["expected"].as_str().unwrap_or_default().trim_end())
    });
}

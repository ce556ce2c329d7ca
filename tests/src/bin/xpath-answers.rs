//! Answers XPath questions line by line, for the differential test against lxml: a JSON object `{"xml", "expr"}` a line
//! in, the answer as JSON a line out.

use std::io::{BufRead, Write};

use crawlingo::dom::{Document, Element, NodeKind};
use crawlingo::select::xpath::{XPathNode, XPathValue};
use serde_json::{Value, json};

fn describe(document: &Document, node: &XPathNode<'_>) -> Option<Value> {
    let ord = |element: Element<'_>| document.elements().position(|other| other == element);
    Some(match node {
        XPathNode::Node(found) => match (found.as_element(), found.kind()) {
            (Some(element), _) => json!(["element", ord(element)]),
            // lxml has no object for the document.
            (_, NodeKind::Document) => return None,
            (_, NodeKind::Text) => json!(["text", node.text(), node.element().and_then(ord)]),
            (_, NodeKind::Comment) => json!(["comment", node.text()]),
            _ => json!(["pi", node.text()]),
        },
        XPathNode::Attribute { element, .. } => json!(["attribute", ord(*element), node.name(), node.text()]),
        XPathNode::Namespace { prefix, url, .. } => json!(["namespace", prefix, url]),
        other => json!(["made", other.text()]),
    })
}

fn answer(question: &Value) -> Value {
    let text = |key: &str| question[key].as_str().unwrap_or_default();
    let document = match Document::parse_xml(text("xml")) {
        Ok(document) => document,
        Err(error) => return json!({"error": error.to_string()}),
    };
    match document.xpath(text("expr")) {
        Ok(XPathValue::Nodes(nodes)) => {
            json!(nodes.iter().filter_map(|node| describe(&document, node)).collect::<Vec<_>>())
        }
        Ok(XPathValue::Number(number)) if number.is_finite() => json!(number),
        Ok(XPathValue::Boolean(boolean)) => json!(boolean),
        Ok(other) => json!(other.text()),
        Err(error) => json!({"error": error.to_string()}),
    }
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let question = serde_json::from_str(&line?).unwrap_or_default();
        writeln!(out, "{}", answer(&question))?;
        out.flush()?;
    }
    Ok(())
}

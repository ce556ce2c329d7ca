//! XPath over pages and over XML documents: single expressions, and chains of steps as parsel runs them.

use crawlingo::Error;
use crawlingo::dom::{Document, Element, Node, NodeId, NodeKind};
use crawlingo::schema::{Take, css, xpath};
use crawlingo::select::xpath::{Variable, Variables, XPathNode, XPathValue, evaluate};
use serde_json::Value;

use crate::harness::{Outcome, read_case_file, run};

fn document(case: &Value, kind: &str) -> Result<Document, Error> {
    let text = match (case[kind].as_str(), case[format!("{kind}_file")].as_str()) {
        (Some(text), _) => text.to_owned(),
        (None, Some(file)) => read_case_file(file),
        (None, None) => String::new(),
    };
    // lxml is given texts without the blanks around them.
    if kind == "xml" { Document::parse_xml(text.trim()) } else { Ok(Document::parse(&text)) }
}

fn variables(given: &Value) -> Variables {
    given.as_object().into_iter().flatten().fold(Variables::new(), |variables, (name, value)| {
        let value = match value {
            Value::Bool(boolean) => Variable::from(*boolean),
            Value::Number(number) => Variable::from(number.as_f64().unwrap_or(f64::NAN)),
            other => Variable::from(other.as_str().unwrap_or_default()),
        };
        variables.with(name.as_str(), value)
    })
}

fn parse(text: &str, namespaces: &[&Value]) -> Result<xpath::XPath, Error> {
    let namespaces: Vec<(&str, &str)> = namespaces
        .iter()
        .filter_map(|given| given.as_object())
        .flatten()
        .map(|(prefix, url)| (prefix.as_str(), url.as_str().unwrap_or_default()))
        .collect();
    Ok(xpath::parse_with_namespaces(text, &namespaces)?)
}

/// A number as JSON and Python write it: the cases have names for what is none.
fn number(number: f64) -> Value {
    match number {
        number if number.is_nan() => Value::from("NaN"),
        number if number.is_infinite() => Value::from(if number > 0.0 { "Infinity" } else { "-Infinity" }),
        number => Value::from(number),
    }
}

/// A node as the cases describe it; the document itself is left out there.
fn describe(ids: &[u32], node: &XPathNode<'_>) -> Option<Value> {
    let ord = |element: Element<'_>| ids.binary_search(&element.id().get()).ok();
    let qualified = |element: Element<'_>| match element.namespace_url() {
        "" | "http://www.w3.org/1999/xhtml" => element.tag().to_owned(),
        url => format!("{{{url}}}{}", element.tag()),
    };
    let text = node.text();
    Some(match node {
        XPathNode::Node(node) => match (node.as_element(), node.kind()) {
            (Some(element), _) => {
                serde_json::json!({"node": "element", "ord": ord(element), "name": qualified(element)})
            }
            (_, NodeKind::Document) => return None,
            (_, NodeKind::Text) => serde_json::json!({"node": "text", "value": node.as_text()}),
            (_, NodeKind::Comment) => serde_json::json!({"node": "comment", "value": node.as_comment()}),
            (_, NodeKind::ProcessingInstruction) => serde_json::json!({"node": "pi", "value": &*text}),
            (_, kind) => serde_json::json!({"node": format!("{kind:?}")}),
        },
        XPathNode::Attribute { element, .. } => serde_json::json!({
            "node": "attribute", "name": node.name(), "value": node.text(), "owner": ord(*element)
        }),
        XPathNode::Namespace { prefix, url, .. } => {
            serde_json::json!({"node": "namespace", "prefix": prefix, "value": url})
        }
        other => serde_json::json!({"node": "text", "value": other.text()}),
    })
}

fn expression(case: &Value, kind: &str) -> Result<Value, Error> {
    let document = document(case, kind)?;
    let ids: Vec<u32> = document.elements().map(|element| element.id().get()).collect();
    let xpath = parse(case["expr"].as_str().unwrap_or_default(), &[&case["namespaces"]])?;
    let context = case["context"]
        .as_u64()
        .and_then(|ord| document.node(NodeId::from_u32(*ids.get(ord as usize)?)))
        .unwrap_or(document.root());
    Ok(match evaluate(&xpath, context, &variables(&case["variables"]))? {
        XPathValue::Nodes(nodes) => {
            let nodes: Vec<_> = nodes.iter().filter_map(|node| describe(&ids, node)).collect();
            serde_json::json!({"type": "nodeset", "nodes": nodes})
        }
        XPathValue::Number(value) => serde_json::json!({"type": "number", "value": number(value)}),
        XPathValue::Text(value) => serde_json::json!({"type": "string", "value": value}),
        XPathValue::Boolean(value) => serde_json::json!({"type": "boolean", "value": value}),
        other => serde_json::json!({"type": format!("{other:?}")}),
    })
}

/// What a step of a chain gives: nodes to go on from, or a value.
enum Found<'a> {
    Node(XPathNode<'a>),
    Value(String),
}

/// parsel's `css` looks at an element itself too.
fn css_step<'a>(document: &'a Document, from: &XPathNode<'a>, selector: &str) -> Result<Vec<Found<'a>>, Error> {
    let selector = css::parse(selector)?;
    let elements: Vec<Element<'a>> = match from {
        XPathNode::Node(node) if node.kind() == NodeKind::Document => document.select(&selector).collect(),
        XPathNode::Node(node) => {
            let own = node.as_element().filter(|element| element.matches(&selector));
            own.into_iter().chain(node.as_element().into_iter().flat_map(|element| element.select(&selector))).collect()
        }
        _ => Vec::new(),
    };
    Ok(match selector.take() {
        None => elements.into_iter().map(|element| Found::Node(element.into())).collect(),
        Some(Take::Attr(name)) => elements
            .iter()
            .filter_map(|element| element.attr(name))
            .map(|value| Found::Value(value.to_owned()))
            .collect(),
        Some(_) => {
            let mut texts: Vec<Node<'a>> = elements
                .iter()
                .flat_map(|element| element.node().children().filter(|child| child.kind() == NodeKind::Text))
                .collect();
            texts.sort_by_key(|text| text.id());
            texts.into_iter().map(|text| Found::Node(text.into())).collect()
        }
    })
}

fn xpath_step<'a>(from: &XPathNode<'a>, step: &Value, case: &Value) -> Result<Vec<Found<'a>>, Error> {
    let text = step["xpath"].as_str().unwrap_or_default();
    let xpath = parse(text, &[&step["namespaces"], &case["namespaces"]])?;
    Ok(match evaluate(&xpath, from.clone(), &variables(&step["variables"]))? {
        XPathValue::Nodes(nodes) => nodes.into_iter().map(Found::Node).collect(),
        // As Python prints them.
        XPathValue::Number(number) => vec![Found::Value(format!("{number:?}"))],
        XPathValue::Boolean(boolean) => vec![Found::Value(u8::from(boolean).to_string())],
        other => vec![Found::Value(other.text())],
    })
}

fn chain(case: &Value, kind: &str) -> Result<Vec<String>, Error> {
    let document = document(case, kind)?;
    let mut found = vec![Found::Node(document.root().into())];
    for step in case["steps"].as_array().into_iter().flatten() {
        let mut next = Vec::new();
        for from in &found {
            let Found::Node(from) = from else { continue };
            next.extend(match step["css"].as_str() {
                Some(selector) => css_step(&document, from, selector)?,
                None => xpath_step(from, step, case)?,
            });
        }
        if let Some(index) = step["index"].as_u64() {
            next = next.into_iter().skip(index as usize).take(1).collect();
        }
        found = next;
    }
    Ok(found
        .into_iter()
        .map(|found| match found {
            Found::Value(value) => value,
            Found::Node(node) => match node.as_element() {
                Some(element) => element.outer_html(),
                None => node.text().into_owned(),
            },
        })
        .collect())
}

/// XML is written in many ways: both are read again and written in one.
fn canonical(values: &[String], kind: &str) -> Vec<String> {
    let again = |value: &String| match kind {
        "xml" if value.starts_with('<') => match Document::parse_xml(value) {
            Ok(document) => document.xpath("//*").map_or_else(
                |error| error.to_string(),
                |all| {
                    let describe = |element: Element<'_>| {
                        let attrs = element
                            .attrs()
                            .filter(|(name, _)| !value.contains(&format!("xmlns:{name}=")) && *name != "xmlns");
                        format!("{} {:?} {}", element.tag(), attrs.collect::<Vec<_>>(), element.raw_text())
                    };
                    all.elements().map(describe).collect::<Vec<_>>().join("\n")
                },
            ),
            Err(error) => error.to_string(),
        },
        _ => value.clone(),
    };
    values.iter().map(again).collect()
}

fn check(case: &Value, kind: &str, other: &'static str) -> Outcome {
    if case["document"] != kind {
        return Outcome::LeftOut(other);
    }
    if case["kind"] == "chain" {
        let expected: Vec<String> = serde_json::from_value(case["expected_values"].clone()).unwrap_or_default();
        return match chain(case, kind) {
            Ok(found) => Outcome::equal(canonical(&found, kind), canonical(&expected, kind)),
            Err(error) => Outcome::Fail(error.to_string()),
        };
    }
    let expected = &case["expected"];
    match expression(case, kind) {
        Ok(found) if expected["type"] == "error" => Outcome::Fail(format!("got {found}, expected an error")),
        Ok(found) => Outcome::equal(found, expected.clone()),
        Err(_) if expected["type"] == "error" => Outcome::Pass,
        Err(error) => Outcome::Fail(error.to_string()),
    }
}

#[test]
fn xpath_html() {
    run("xpath_html", |case| check(case, "html", "xml-documents"));
}

#[test]
fn xpath_xml() {
    run("xpath_xml", |case| check(case, "xml", "pages"));
}

//! JSON-LD, microdata and Open Graph. The cases' expected values were recorded from another library; its shapes are made
//! of ours here.

use crawlingo::dom::Document;
use crawlingo::schema::path;
use crawlingo::select::structured::{jsonld, microdata, opengraph};
use serde_json::{Map, Value, json};
use url::Url;

use crate::harness::{self, Outcome};

#[test]
fn structured() {
    harness::run("structured", check);
}

fn check(case: &Value) -> Outcome {
    let html = match case["html_file"].as_str() {
        Some(file) => {
            let path = harness::shared().expect("the cases came from there").join("cases").join(file);
            String::from_utf8_lossy(&std::fs::read(path).expect("the page is readable")).into_owned()
        }
        None => case["html"].as_str().expect("a case has a page").to_owned(),
    };
    let document = Document::parse(&html);
    let options = &case["options"];
    let base = case["base_url"].as_str().or(options["url"].as_str()).and_then(|url| Url::parse(url).ok());
    let expected = &case["expected"];
    match case["kind"].as_str().unwrap_or_default() {
        "jsonld" => compare(Value::Array(jsonld::blocks(&document)), expected),
        "microdata" if other_shape(options) => Outcome::LeftOut("shapes of another library"),
        "microdata" => compare(their_microdata(&document, base.as_ref(), options["strict"] == true), expected),
        "opengraph" => compare(their_opengraph(&document), expected),
        "extract_all" => extract_all(&document, base.as_ref(), options, expected),
        "jsonld_page" => jsonld_page(&document, case),
        _ => Outcome::LeftOut("rdfa and the like"),
    }
}

fn other_shape(options: &Value) -> bool {
    options["nested"] == false
        || options["uniform"] == true
        || ["add_text_content", "add_html_node", "return_html_node"].iter().any(|name| options[name] == true)
}

/// All syntaxes of a page at once: those that are ours must be right.
fn extract_all(document: &Document, base: Option<&Url>, options: &Value, expected: &Value) -> Outcome {
    if other_shape(options) {
        return Outcome::LeftOut("shapes of another library");
    }
    let mut any = false;
    for (syntax, expected) in expected.as_object().into_iter().flatten() {
        let got = match syntax.as_str() {
            "json-ld" => Value::Array(jsonld::blocks(document)),
            "microdata" => their_microdata(document, base, false),
            "opengraph" => their_opengraph(document),
            _ => continue,
        };
        any = true;
        if let outcome @ Outcome::Fail(_) = compare(got, expected) {
            return outcome;
        }
    }
    if any { Outcome::Pass } else { Outcome::LeftOut("rdfa and the like") }
}

/// A recipe's page: its JSON-LD, its Open Graph properties, and the recipe's name by a path.
fn jsonld_page(document: &Document, case: &Value) -> Outcome {
    let blocks = jsonld::blocks(document);
    let title = case["expected_recipe"]["title"].as_str().unwrap_or_default();
    let names = jsonld::query(&blocks, &path::parse("Recipe.name").expect("a path"));
    if !names.iter().any(|name| name.as_str().is_some_and(|name| letters(name) == letters(title))) {
        return Outcome::Fail(format!("Recipe.name gives {names:?}, expected {title:?}"));
    }
    if let outcome @ Outcome::Fail(_) = compare(their_opengraph(document), &case["expected_opengraph"]) {
        return outcome;
    }
    compare(Value::Array(blocks), &case["expected_jsonld"])
}

/// The letters and digits: that library tidies titles.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Items as that library writes them: unless strict, a list of one is its item.
fn their_microdata(document: &Document, base: Option<&Url>, strict: bool) -> Value {
    fn convert(value: Value, strict: bool) -> Value {
        let Value::Object(mut item) = value else { return value };
        let single = |mut values: Vec<Value>| match values.len() {
            1 if !strict => values.pop().unwrap_or_default(),
            _ => Value::Array(values),
        };
        if let Some(Value::Array(types)) = item.remove("type") {
            item.insert("type".to_owned(), single(types));
        }
        if let Some(Value::Object(properties)) = item.remove("properties") {
            let properties: Map<String, Value> = properties
                .into_iter()
                .filter_map(|(name, values)| match values {
                    Value::Array(values) => {
                        Some((name, single(values.into_iter().map(|value| convert(value, strict)).collect())))
                    }
                    _ => None,
                })
                .collect();
            item.insert("properties".to_owned(), Value::Object(properties));
        }
        Value::Object(item)
    }
    microdata::items(document.root(), base).into_iter().map(|item| convert(item, strict)).collect()
}

fn their_opengraph(document: &Document) -> Value {
    let graph = opengraph::read(document);
    if graph.properties.is_empty() {
        return json!([]);
    }
    // That library takes `a-b:` for a declaration of `b`, and so misses the properties of `a-b`.
    let short = |prefix: &str| prefix.rsplit('-').next().unwrap_or_default().to_owned();
    let is_short = |name: &str| !name.split(':').next().unwrap_or_default().contains('-');
    let namespaces: Map<String, Value> =
        graph.namespaces.into_iter().map(|(prefix, address)| (short(&prefix), json!(address))).collect();
    let properties: Vec<_> = graph.properties.into_iter().filter(|(name, _)| is_short(name)).collect();
    json!([{ "namespace": namespaces, "properties": properties }])
}

/// Equal, but for blanks at the ends and between the words of texts, and the order of names.
fn compare(got: Value, expected: &Value) -> Outcome {
    fn tidy(value: &Value) -> Value {
        match value {
            Value::String(text) => json!(text.split_whitespace().collect::<Vec<_>>().join(" ")),
            Value::Array(items) => items.iter().map(tidy).collect(),
            Value::Object(map) => Value::Object(map.iter().map(|(name, value)| (name.clone(), tidy(value))).collect()),
            Value::Number(number) => json!(number.as_f64()),
            other => other.clone(),
        }
    }
    let (tidy_got, tidy_expected) = (tidy(&got), tidy(expected));
    if tidy_got == tidy_expected {
        return Outcome::Pass;
    }
    Outcome::Fail(difference("", &tidy_got, &tidy_expected))
}

/// The first difference, by its place.
fn difference(place: &str, got: &Value, expected: &Value) -> String {
    match (got, expected) {
        (Value::Object(got), Value::Object(expected)) => {
            for (name, value) in expected {
                match got.get(name) {
                    Some(have) if have == value => {}
                    Some(have) => return difference(&format!("{place}.{name}"), have, value),
                    None => return format!("{place}.{name} is missing"),
                }
            }
            let more = got.keys().find(|name| !expected.contains_key(*name));
            format!("{place}: {more:?} is too much")
        }
        (Value::Array(got), Value::Array(expected)) if got.len() == expected.len() => {
            for (at, (have, value)) in got.iter().zip(expected).enumerate() {
                if have != value {
                    return difference(&format!("{place}[{at}]"), have, value);
                }
            }
            String::new()
        }
        _ => format!("{place}: got {got}, expected {expected}"),
    }
}

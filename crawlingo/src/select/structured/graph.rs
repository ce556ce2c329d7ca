//! A path over items: types, properties, lists, and references by `@id`.

use std::collections::HashMap;

use crawlingo_schema::path::{Path, Step};
use serde_json::{Map, Value};

use super::entities;

/// More values than any path is meant to give.
const MAX_VALUES: usize = 100_000;
/// How many JSON values all results may hold together: nested items of one type hold each other.
const MAX_COPIED: usize = 2_000_000;

/// Whether the strings may hold character references that nobody decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strings {
    /// Out of a script.
    Encoded,
    /// Out of a document.
    Plain,
}

/// The items of a page in the form of JSON-LD.
struct Graph<'a> {
    /// Items that stand in no other.
    top: Vec<&'a Value>,
    /// All objects, in the order of the page.
    all: Vec<&'a Value>,
    /// The objects that say something about an `@id`, more than its type.
    by_id: HashMap<&'a str, Vec<&'a Value>>,
}

/// The values that the path leads to.
pub(super) fn query(blocks: &[Value], path: &Path, strings: Strings) -> Vec<Value> {
    let Some((first, rest)) = path.steps.split_first() else { return Vec::new() };
    let graph = Graph::new(blocks);
    let mut values = pick(graph.first(first), first.index);
    for step in rest {
        let names = Names::new(step);
        let mut shared = HashMap::new();
        let mut next = Vec::new();
        for value in values {
            let from = next.len();
            graph.property(value, &names, &mut shared, &mut next);
            if step.index.is_some() {
                let taken = pick(next.split_off(from), step.index);
                next.extend(taken);
            }
            if next.len() >= MAX_VALUES {
                tracing::warn!(path = %path, "more than {MAX_VALUES} values: the others are left");
                next.truncate(MAX_VALUES);
                break;
            }
        }
        values = next;
    }
    graph.copy(values, path, strings)
}

/// The value at the index, or all.
fn pick(mut values: Vec<&Value>, index: Option<i32>) -> Vec<&Value> {
    let Some(index) = index else { return values };
    let at = if index < 0 { values.len().checked_sub(index.unsigned_abs() as usize) } else { Some(index as usize) };
    match at.filter(|at| *at < values.len()) {
        Some(at) => vec![values.swap_remove(at)],
        None => Vec::new(),
    }
}

impl<'a> Graph<'a> {
    fn new(blocks: &'a [Value]) -> Self {
        let mut graph = Self { top: Vec::new(), all: Vec::new(), by_id: HashMap::new() };
        let mut stack: Vec<(&'a Value, bool)> = blocks.iter().rev().map(|block| (block, true)).collect();
        while let Some((value, top)) = stack.pop() {
            match value {
                Value::Array(items) => stack.extend(items.iter().rev().map(|item| (item, top))),
                Value::Object(map) => {
                    let inner = map.iter().rev().filter(|(key, _)| *key != "@context");
                    stack.extend(inner.map(|(key, value)| (value, top && key == "@graph")));
                    graph.all.push(value);
                    let is_wrapper = map.contains_key("@graph") && says_nothing(map);
                    if top && !is_wrapper {
                        graph.top.push(value);
                    }
                    if let Some(id) = id(map)
                        && !says_nothing(map)
                    {
                        graph.by_id.entry(id).or_default().push(value);
                    }
                }
                _ => {}
            }
        }
        graph
    }

    /// What the first step names: items of that type anywhere, else a property of the items on top.
    fn first(&self, step: &Step) -> Vec<&'a Value> {
        let typed = self.of_type(&step.name, false);
        if !typed.is_empty() {
            return typed;
        }
        let names = Names::new(step);
        let (mut shared, mut found) = (HashMap::new(), Vec::new());
        for item in &self.top {
            self.property(item, &names, &mut shared, &mut found);
        }
        if found.is_empty() { self.of_type(&step.name, true) } else { found }
    }

    fn of_type(&self, name: &str, ignore_case: bool) -> Vec<&'a Value> {
        let wanted = local_type(name);
        let is_full = wanted.contains('/');
        let matches = |given: &str| {
            let given = if is_full { given } else { local_name(local_type(given)) };
            given == wanted || (ignore_case && given.eq_ignore_ascii_case(wanted))
        };
        let has_type = |map: &Map<String, Value>| match map.get("@type") {
            Some(Value::String(given)) => matches(given),
            Some(Value::Array(given)) => given.iter().filter_map(Value::as_str).any(matches),
            _ => false,
        };
        let item = |value: &&'a Value| {
            let Value::Object(map) = value else { return false };
            // A reference that repeats the type stands for an item that is found on its own.
            let elsewhere = says_nothing(map) && id(map).is_some_and(|id| self.by_id.contains_key(id));
            has_type(map) && !elsewhere
        };
        self.all.iter().copied().filter(item).take(MAX_VALUES).collect()
    }

    /// Adds the values of a property: of the object itself, else of what the page says elsewhere about its `@id`.
    fn property(
        &self,
        value: &'a Value,
        names: &Names<'_>,
        shared: &mut HashMap<&'a str, Vec<&'a Value>>,
        out: &mut Vec<&'a Value>,
    ) {
        let id = match value {
            Value::Object(map) => match names.of(map) {
                Some(found) => return flatten(found, out),
                None => id(map),
            },
            Value::String(text) => Some(text.as_str()),
            _ => None,
        };
        let Some(id) = id else { return };
        if let Some(objects) = self.by_id.get(id) {
            let found = shared.entry(id).or_insert_with(|| {
                let mut found = Vec::new();
                let known = objects.iter().filter_map(|object| object.as_object()).find_map(|map| names.of(map));
                known.into_iter().for_each(|value| flatten(value, &mut found));
                found
            });
            out.extend_from_slice(found);
        } else if value.is_string() && names.is_text_of_thing(id) {
            // A plain text stands where an item could: it is the item's name or address.
            out.push(value);
        }
    }

    /// Copies the results: bare references become what they refer to.
    fn copy(&self, values: Vec<&'a Value>, path: &Path, strings: Strings) -> Vec<Value> {
        let (mut copies, mut copied) = (Vec::with_capacity(values.len().min(1024)), 0);
        for value in values {
            let whole = match value {
                Value::Object(map) if says_nothing(map) => {
                    id(map).and_then(|id| self.by_id.get(id)).and_then(|objects| objects.first().copied())
                }
                _ => None,
            };
            let value = whole.unwrap_or(value);
            copied += super::json::size(value);
            if copied > MAX_COPIED {
                tracing::warn!(path = %path, "the results hold more than {MAX_COPIED} values: the others are left");
                break;
            }
            let mut copy = value.clone();
            if strings == Strings::Encoded {
                decode(&mut copy);
            }
            copies.push(copy);
        }
        copies
    }
}

fn id(map: &Map<String, Value>) -> Option<&str> {
    map.get("@id").and_then(Value::as_str).filter(|id| !id.is_empty())
}

/// Whether an object only refers to an item, or only wraps others.
fn says_nothing(map: &Map<String, Value>) -> bool {
    map.keys().all(|key| matches!(key.as_str(), "@id" | "@type" | "@context" | "@graph"))
}

/// Adds a value; lists, also those that JSON-LD writes as objects, by their items.
fn flatten<'a>(value: &'a Value, out: &mut Vec<&'a Value>) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Null => {}
            Value::Array(items) => stack.extend(items.iter().rev()),
            Value::Object(map) => match map.get("@value").or_else(|| map.get("@list")).or_else(|| map.get("@set")) {
                Some(inner) => stack.push(inner),
                None => out.push(value),
            },
            _ => out.push(value),
        }
    }
}

/// Decodes character references in all strings, not in names.
fn decode(value: &mut Value) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::String(text) => {
                if let std::borrow::Cow::Owned(decoded) = entities::decode(text) {
                    *text = decoded;
                }
            }
            Value::Array(items) => stack.extend(items),
            Value::Object(map) => stack.extend(map.values_mut()),
            _ => {}
        }
    }
}

const SCHEMA_PREFIXES: [&str; 5] =
    ["https://schema.org/", "http://schema.org/", "schema:", "http://www.schema.org/", "https://www.schema.org/"];

/// A type without the prefix of schema.org.
fn local_type(name: &str) -> &str {
    let name = name.trim();
    SCHEMA_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// The last part of an address or of a prefixed name.
fn local_name(name: &str) -> &str {
    let name = name.trim_end_matches(['/', '#']);
    name.rsplit(['/', '#', ':']).next().unwrap_or(name)
}

/// The ways to write a property's name.
struct Names<'s> {
    name: &'s str,
    /// With a prefix of schema.org.
    prefixed: Vec<String>,
}

impl<'s> Names<'s> {
    fn new(step: &'s Step) -> Self {
        let name = local_type(&step.name);
        let with_prefix = !name.starts_with('@') && !name.contains([':', '/']);
        let prefixed = SCHEMA_PREFIXES.iter().filter(|_| with_prefix).map(|prefix| format!("{prefix}{name}"));
        Self { name, prefixed: prefixed.collect() }
    }

    fn of<'m>(&self, map: &'m Map<String, Value>) -> Option<&'m Value> {
        map.get(self.name).or_else(|| self.prefixed.iter().find_map(|name| map.get(name)))
    }

    /// Whether a plain text can be that property of the item for which it stands.
    fn is_text_of_thing(&self, text: &str) -> bool {
        let is_address = || ["https://", "http://", "//", "/"].iter().any(|start| text.starts_with(start));
        match self.name {
            "name" => !is_address(),
            "url" | "contentUrl" => is_address(),
            _ => false,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crawlingo_schema::path;
    use serde_json::json;

    use super::*;

    fn ask(blocks: &Value, text: &str) -> Vec<Value> {
        query(blocks.as_array().unwrap(), &path::parse(text).unwrap(), Strings::Encoded)
    }

    #[test]
    fn types_in_all_spellings_and_places() {
        let page = json!([
            {"@type": "WebPage", "mainEntity": {"@type": ["Thing", "https://schema.org/Product"], "name": "a"}},
            {"@context": "https://schema.org", "@graph": [{"@type": "schema:Product", "name": "b"}]},
            [{"@type": "http://schema.org/Product", "schema:name": "c"}],
            {"@type": "Product", "https://schema.org/name": ["d", {"@value": "e"}, null, {"@list": ["f"]}]},
        ]);
        let all = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(ask(&page, "Product.name"), all);
        assert_eq!(ask(&page, "https://schema.org/Product.name"), all);
        assert_eq!(ask(&page, "product.schema:name"), all);
        assert!(ask(&page, "https://example.org/Product.name").is_empty());
        assert!(ask(&page, "Offer.name").is_empty());
    }

    #[test]
    fn the_first_step_may_be_a_property() {
        let page = json!([{"@type": "Product", "brand": {"@type": "Brand", "name": "x"}, "name": "y"}]);
        assert_eq!(ask(&page, "brand.name"), ["x"]);
        assert_eq!(ask(&page, "name"), ["y"]);
        assert_eq!(ask(&page, "Brand.name"), ["x"]);
        assert_eq!(ask(&page, "Product.@type"), ["Product"]);
    }

    #[test]
    fn positions_pick_per_item() {
        let page = json!([
            {"@type": "Product", "offers": [{"price": 1}, {"price": 2}]},
            {"@type": "Product", "offers": [{"price": 3}]},
        ]);
        assert_eq!(ask(&page, "Product.offers.price"), [1, 2, 3]);
        assert_eq!(ask(&page, "Product.offers[0].price"), [1, 3]);
        assert_eq!(ask(&page, "Product.offers[-1].price"), [2, 3]);
        assert_eq!(ask(&page, "Product.offers[1].price"), [2]);
        assert_eq!(ask(&page, "Product[1].offers.price"), [3]);
        assert!(ask(&page, "Product[2].offers.price").is_empty());
        assert!(ask(&page, "Product[-2147483648].offers").is_empty());
    }

    #[test]
    fn references_are_followed() {
        let page = json!([{"@graph": [
            {"@type": "Article", "@id": "#a", "author": {"@id": "#p"}, "publisher": "#o", "isPartOf": {"@id": "#nowhere"}},
            {"@type": "Person", "@id": "#p", "name": "Ann", "worksFor": {"@id": "#o"}, "knows": {"@id": "#p"}},
            {"@id": "#o", "@type": "Organization", "name": "Org", "founder": {"@type": "Person", "@id": "#p"}},
        ]}]);
        assert_eq!(ask(&page, "Article.author.name"), ["Ann"]);
        assert_eq!(ask(&page, "Article.publisher.name"), ["Org"]);
        assert_eq!(ask(&page, "Article.author.worksFor.founder.knows.knows.name"), ["Ann"]);
        assert_eq!(ask(&page, "Person.name"), ["Ann"], "the typed reference is no second person");
        assert_eq!(ask(&page, "Article.author")[0]["name"], "Ann");
        assert_eq!(ask(&page, "Article.isPartOf"), [json!({"@id": "#nowhere"})]);
        assert!(ask(&page, "Article.isPartOf.name").is_empty());
    }

    #[test]
    fn a_text_stands_for_its_item() {
        let page =
            json!([{"@type": "Product", "brand": "ACME", "image": ["https://x/y.jpg", {"url": "z.jpg"}], "sku": 5}]);
        assert_eq!(ask(&page, "Product.brand.name"), ["ACME"]);
        assert!(ask(&page, "Product.brand.url").is_empty());
        assert_eq!(ask(&page, "Product.image.url"), ["https://x/y.jpg", "z.jpg"]);
        assert!(ask(&page, "Product.sku.name").is_empty());
    }

    #[test]
    fn character_references_are_decoded_in_the_results() {
        let page = json!([{"@type": "Recipe", "name": "Mac &amp; Cheese", "step": {"text": "&frac12; cup"}}]);
        assert_eq!(ask(&page, "Recipe.name"), ["Mac & Cheese"]);
        assert_eq!(ask(&page, "Recipe.step"), [json!({"text": "½ cup"})]);
        let plain = query(page.as_array().unwrap(), &path::parse("Recipe.name").unwrap(), Strings::Plain);
        assert_eq!(plain, ["Mac &amp; Cheese"]);
    }

    #[test]
    fn many_references_to_many_fragments_end() {
        let mut items: Vec<Value> = (0..30_000).map(|at| json!({"@id": "#x", "n": at})).collect();
        items.extend((0..30_000).map(|_| json!({"@type": "T", "r": {"@id": "#x"}})));
        let page = Value::Array(items);
        assert!(ask(&page, "T.r.nothing").is_empty());
        assert_eq!(ask(&page, "T.r.n").len(), 30_000);
        // Each step could give a thousand times more.
        let page = json!([{"@id": "#l", "@type": "L", "r": vec![json!({"@id": "#l"}); 1000]}]);
        assert_eq!(ask(&page, "L.r.r.r.r.r.r.@id").len(), MAX_VALUES);
        assert!(ask(&page, "L.r.r.r").len() <= MAX_VALUES);
    }

    #[test]
    fn nested_items_of_one_type_are_bounded() {
        let mut item = json!({"@type": "T", "fill": vec![1; 60_000]});
        for _ in 0..100 {
            item = json!({"@type": "T", "inner": item});
        }
        let found = ask(&json!([item]), "T");
        assert!(!found.is_empty() && found.len() < 101);
    }
}

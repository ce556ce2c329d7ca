//! JSON: a JSONPath over a value, and the JSON that a script holds.
//!
//! ```
//! use crawlingo::dom::Document;
//! use crawlingo::schema::path;
//! use crawlingo::select::structured::json;
//!
//! let page = Document::parse("<script>window.STATE = {props: {price: 12.5, tags: ['new',]}};</script>");
//! let script = page.elements().find(|element| element.tag() == "script").unwrap();
//! let state = json::script_state(script);
//! assert_eq!(json::query(&state[0], &path::parse_json("$.props.price")?), [12.5]);
//! # Ok::<(), crawlingo::schema::SchemaError>(())
//! ```

use serde_json::Value;
use serde_json_path::JsonPath;

pub use super::script::script_state;

/// How many JSON values all results may hold together: `$..*` gives each object and all that it holds.
const MAX_COPIED: usize = 2_000_000;

/// How many places a path may come to before its results are known.
const MAX_PLACES: usize = 20_000_000;

/// The values that a JSONPath (RFC 9535) selects, in its order.
///
/// A path with several `..` comes to one place in as many ways as there are levels above it; on a value that is so large
/// and deep that this would take gigabytes, it selects nothing.
pub fn query(value: &Value, path: &JsonPath) -> Vec<Value> {
    let (mut found, mut copied) = (Vec::new(), 0);
    let descents = path.to_string().matches("..").count();
    if descents > 1 {
        let (size, depth) = measure(value);
        let ways = (1..descents).fold(size, |ways, _| ways.saturating_mul(depth));
        if ways > MAX_PLACES {
            tracing::warn!(%path, size, depth, "the JSONPath has too many `..` for a value of that size: nothing is selected");
            return found;
        }
    }
    for value in path.query(value).all() {
        copied += size(value);
        if copied > MAX_COPIED {
            tracing::warn!(%path, "the results hold more than {MAX_COPIED} values: the others are left");
            break;
        }
        found.push(value.clone());
    }
    found
}

/// The number of values that a value is made of.
pub(super) fn size(value: &Value) -> usize {
    measure(value).0
}

/// The number of values, and the levels of the deepest.
fn measure(value: &Value) -> (usize, usize) {
    let (mut stack, mut size, mut deepest) = (vec![(value, 1)], 0, 0);
    while let Some((value, depth)) = stack.pop() {
        size += 1;
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => stack.extend(map.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    (size, deepest)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crawlingo_schema::path;
    use serde_json::json;

    use super::*;

    fn ask(value: &Value, text: &str) -> Vec<Value> {
        query(value, &path::parse_json(text).unwrap())
    }

    #[test]
    fn paths() {
        let value = json!({"items": [{"price": 1, "tag": "a"}, {"price": 2}], "price": 3});
        assert_eq!(ask(&value, "$.items[*].price"), [1, 2]);
        assert_eq!(ask(&value, "$..price"), [3, 1, 2]);
        assert_eq!(ask(&value, "$.items[?@.tag == 'a'].price"), [1]);
        assert_eq!(ask(&value, "$..items..price"), [1, 2]);
        assert!(ask(&value, "$.nothing").is_empty());
    }

    #[test]
    fn results_are_bounded() {
        let mut value = Value::from(vec![0; 50_000]);
        for _ in 0..100 {
            value = json!({"a": value});
        }
        let copied: usize = ask(&value, "$..a").iter().map(size).sum();
        assert!(copied > 0 && copied <= MAX_COPIED);
        assert!(ask(&value, "$..a..a..*").is_empty());
    }
}

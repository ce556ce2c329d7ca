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

/// The values that a JSONPath (RFC 9535) selects, in its order.
pub fn query(value: &Value, path: &JsonPath) -> Vec<Value> {
    let (mut found, mut copied) = (Vec::new(), 0);
    for value in path.query(value).all() {
        copied += size(value);
        if copied > MAX_COPIED {
            tracing::warn!("the results of a JSONPath hold more than {MAX_COPIED} values: the others are left");
            break;
        }
        found.push(value.clone());
    }
    found
}

/// The number of values that a value is made of.
pub(super) fn size(value: &Value) -> usize {
    let (mut stack, mut size) = (vec![value], 0);
    while let Some(value) = stack.pop() {
        size += 1;
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(map) => stack.extend(map.values()),
            _ => {}
        }
    }
    size
}

//! JSON Schema (2020-12): of a schema file, and of the records that a schema yields.

use serde_json::{Map, Value, json};

use crate::{Cardinality, Field, Kind, Schema};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The JSON Schema of a schema file, for editors.
pub fn schema_json_schema() -> Value {
    let text = json!({ "type": "string" });
    let flag = json!({ "type": "boolean" });
    let mut selector = Map::new();
    for key in crate::SELECTOR_KEYS {
        let value = match *key {
            "on" => json!({ "enum": ["text", "html"] }),
            "exact" | "ignore_case" | "own_text" | "html" | "outer_html" | "markdown" => flag.clone(),
            _ => text.clone(),
        };
        selector.insert((*key).into(), value);
    }
    let mut field = selector.clone();
    for key in crate::FIELD_KEYS {
        let value = match *key {
            "selectors" => json!({ "type": "array", "items": { "$ref": "#/$defs/selector" } }),
            "kind" => json!({ "enum": Kind::NAMES }),
            "cardinality" => json!({ "enum": ["one", "optional", "many"] }),
            "default" => json!({}),
            "optional" | "many" | "trim" | "lower" | "upper" | "host_transform" => flag.clone(),
            "replace" => json!({ "type": "array", "items": text, "minItems": 2, "maxItems": 2 }),
            "transforms" => json!({ "type": "array", "items": { "type": "object", "minProperties": 1 } }),
            "heal" => json!({ "enum": [true, false, "off", "suggest", "bind"] }),
            "date_order" => json!({ "enum": ["dmy", "mdy", "ymd"] }),
            "dataset" => json!({ "$ref": "#" }),
            _ => text.clone(),
        };
        field.insert((*key).into(), value);
    }
    json!({
        "$schema": DIALECT,
        "title": "Crawlingo schema",
        "type": "object",
        "required": ["name", "fields"],
        "additionalProperties": false,
        "properties": {
            "name": text,
            "version": { "type": "integer", "minimum": 0 },
            "description": text,
            "key": { "anyOf": [text, { "type": "array", "items": text }] },
            "each": { "$ref": "#/$defs/selector" },
            "heal": { "enum": [true, false, "off", "suggest", "bind"] },
            "fields": { "type": "object", "additionalProperties": { "$ref": "#/$defs/field" }, "minProperties": 1 },
        },
        "$defs": {
            "selector": { "anyOf": [
                { "type": "string", "description": "a CSS selector" },
                { "type": "object", "additionalProperties": false, "properties": selector },
            ] },
            "field": { "anyOf": [
                { "type": "string", "description": "a CSS selector, for a text" },
                { "type": "object", "additionalProperties": false, "properties": field },
            ] },
        },
    })
}

/// The JSON Schema of the records that a schema yields.
///
/// ```
/// # use crawlingo_schema::*;
/// let schema = Schema::builder("P").field(Field::new("n", Kind::Integer, Selector::css("b")).optional()).build()?;
/// assert_eq!(record_json_schema(&schema)["properties"]["n"]["type"], serde_json::json!(["integer", "null"]));
/// # Ok::<(), SchemaError>(())
/// ```
pub fn record_json_schema(schema: &Schema) -> Value {
    let mut value = record(schema);
    if let Value::Object(map) = &mut value {
        map.insert("$schema".into(), DIALECT.into());
    }
    value
}

fn record(schema: &Schema) -> Value {
    let mut properties = Map::new();
    for field in &schema.fields {
        properties.insert(field.name.clone(), property(field));
    }
    // Every column stands in every record; a missing value is null.
    let required: Vec<&str> = schema.fields.iter().map(|field| field.name.as_str()).collect();
    let mut value = json!({
        "$anchor": schema.name,
        "title": schema.name,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let (Value::Object(map), Some(text)) = (&mut value, &schema.description) {
        map.insert("description".into(), text.clone().into());
    }
    value
}

fn property(field: &Field) -> Value {
    // A value changed by the host language can be of any type.
    let one = if field.host_transform { json!({}) } else { kind(&field.kind) };
    let mut value = match field.cardinality {
        Cardinality::Many => json!({ "type": "array", "items": one }),
        Cardinality::Optional if field.default.is_none() => match one {
            Value::Object(mut map) => match map.get("type").cloned() {
                Some(Value::String(name)) => {
                    map.insert("type".into(), json!([name, "null"]));
                    Value::Object(map)
                }
                _ if map.is_empty() => Value::Object(map),
                _ => json!({ "anyOf": [map, { "type": "null" }] }),
            },
            other => other,
        },
        _ => one,
    };
    if let (Value::Object(map), Some(text)) = (&mut value, &field.description) {
        map.insert("description".into(), text.clone().into());
    }
    value
}

fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Integer => json!({ "type": "integer" }),
        Kind::Float => json!({ "type": "number" }),
        Kind::Decimal => json!({ "type": "string", "pattern": r"^-?\d+(\.\d+)?$" }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Price { .. } => json!({
            "type": "object",
            "properties": {
                "amount": { "type": "string", "pattern": r"^-?\d+(\.\d+)?$" },
                "currency": { "type": ["string", "null"] },
            },
            "required": ["amount", "currency"],
        }),
        Kind::Date(_) => json!({ "type": "string", "format": "date" }),
        Kind::Time => json!({ "type": "string", "format": "time" }),
        Kind::DateTime(_) => json!({ "type": "string", "pattern": r"^-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d" }),
        Kind::Timestamp(_) => json!({ "type": "string", "format": "date-time" }),
        Kind::Url => json!({ "type": "string", "format": "uri" }),
        Kind::Email => json!({ "type": "string", "format": "email" }),
        Kind::Phone { .. } => json!({ "type": "string" }),
        Kind::Json => json!({}),
        Kind::Dataset(schema) => record(schema),
        Kind::Ref(name) => json!({ "$ref": format!("#{name}") }),
    }
}

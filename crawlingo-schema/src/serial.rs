//! Schemas as maps of JSON values, and by that as TOML and JSON. Written by hand, because the keys of a selector stand
//! beside those of its field, and because a misspelt key is to be answered with the right one.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Value, json};

use crate::{
    Cardinality, DateOptions, DateOrder, FIELD_KEYS, Field, HealMode, Kind, QUERY_KEYS, Query, RegexOn, SCHEMA_KEYS,
    SELECTOR_KEYS, Schema, SchemaError, SchemaErrorKind, Selector, Take, Transform, suggest,
};

type Result<T> = std::result::Result<T, SchemaError>;

/// Nested datasets deeper than this are refused rather than recursed into.
const MAX_DEPTH: usize = 32;

fn structure(message: impl Into<String>) -> SchemaError {
    SchemaError::new(SchemaErrorKind::Structure, message)
}

/// Takes keys out of a map; what is left at the end is unknown.
struct Keys {
    map: Map<String, Value>,
}

impl Keys {
    fn text(&mut self, key: &str) -> Result<Option<String>> {
        match self.map.shift_remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong_type(key, "a string", &other)),
        }
    }

    fn flag(&mut self, key: &str) -> Result<bool> {
        match self.map.shift_remove(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(other) => Err(wrong_type(key, "true or false", &other)),
        }
    }

    fn finish(self, known: &[&[&str]]) -> Result<()> {
        let Some((key, _)) = self.map.into_iter().next() else { return Ok(()) };
        let all = || known.iter().flat_map(|keys| keys.iter().copied());
        let error = SchemaError::new(SchemaErrorKind::UnknownKey, format!("unknown key `{key}`"));
        Err(match suggest(&key, all()) {
            Some(right) if right != key => error.with_hint(format!("did you mean `{right}`?")),
            _ => error.with_hint(format!("known keys: {}", all().collect::<Vec<_>>().join(", "))),
        })
    }
}

fn wrong_type(key: &str, wanted: &str, got: &Value) -> SchemaError {
    let got = match got {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    };
    SchemaError::new(SchemaErrorKind::Value, format!("`{key}` takes {wanted}, not {got}"))
}

fn one_of(key: &str, got: &str, names: &[&str]) -> SchemaError {
    let error = SchemaError::new(SchemaErrorKind::Value, format!("`{key}` cannot be `{got}`"));
    match suggest(got, names.iter().copied()) {
        Some(name) => error.with_hint(format!("did you mean `{name}`?")),
        None => error.with_hint(format!("it is one of: {}", names.join(", "))),
    }
}

/// The selector whose keys stand in the map, if there is one.
fn take_selector(keys: &mut Keys) -> Result<Option<Selector>> {
    let present: Vec<&str> = QUERY_KEYS.iter().copied().filter(|key| keys.map.contains_key(*key)).collect();
    let key = match present[..] {
        [] => return Ok(None),
        [key] => key,
        [first, second, ..] => {
            return Err(structure(format!("`{first}` and `{second}` are two selectors"))
                .with_hint("a chain of selectors is a list: selectors = [{ css = \"...\" }, { xpath = \"...\" }]"));
        }
    };
    let text = keys.text(key)?.unwrap_or_default();
    let on = match keys.text("on")?.as_deref() {
        None => None,
        Some("text") => Some(RegexOn::Text),
        Some("html") => Some(RegexOn::Html),
        Some(other) => return Err(one_of("on", other, &["text", "html"])),
    };
    if on.is_some() && key != "regex" {
        return Err(structure(format!("`on` has no meaning for `{key}`")).with_hint("it belongs to `regex`"));
    }
    let (exact, ignore_case) = (keys.flag("exact")?, keys.flag("ignore_case")?);
    if (exact || ignore_case) && !matches!(key, "text" | "after_text" | "before_text") {
        return Err(structure(format!("`exact` and `ignore_case` have no meaning for `{key}`"))
            .with_hint("in a regular expression write `(?i)`"));
    }
    let query = match key {
        "css" => Query::Css(text),
        "xpath" => Query::XPath(text),
        "regex" => Query::Regex { pattern: text, on: on.unwrap_or_default() },
        "text" => Query::Text { text, exact, ignore_case },
        "after_text" => Query::AfterText { text, exact, ignore_case },
        "before_text" => Query::BeforeText { text, exact, ignore_case },
        "jsonld" => Query::JsonLd(text),
        "meta" => Query::Meta(text),
        "microdata" => Query::Microdata(text),
        _ => Query::Json(text),
    };
    let mut takes = Vec::new();
    if let Some(name) = keys.text("attr")? {
        takes.push(Take::Attr(name));
    }
    for (key, take) in [
        ("own_text", Take::OwnText),
        ("html", Take::Html),
        ("outer_html", Take::OuterHtml),
        ("markdown", Take::Markdown),
    ] {
        if keys.flag(key)? {
            takes.push(take);
        }
    }
    if takes.len() > 1 {
        return Err(structure("only one of `attr`, `own_text`, `html`, `outer_html`, `markdown` can be taken"));
    }
    let mut selector = Selector::new(query);
    selector.take = takes.pop().unwrap_or_default();
    selector.within = keys.text("within")?;
    Ok(Some(selector))
}

pub(crate) fn selector_from_value(value: Value, place: &str) -> Result<Selector> {
    match value {
        Value::String(css) => Ok(Selector::css(css)),
        Value::Object(map) => {
            let mut keys = Keys { map };
            let selector = take_selector(&mut keys)?;
            keys.finish(&[SELECTOR_KEYS])?;
            selector.ok_or_else(|| {
                structure(format!("`{place}` has no selector"))
                    .with_hint(format!("add one of: {}", QUERY_KEYS.join(", ")))
            })
        }
        other => Err(wrong_type(place, "a CSS selector or a table", &other)),
    }
}

pub(crate) fn selector_to_map(selector: &Selector) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert(selector.query.key().into(), selector.query.expression().into());
    match &selector.query {
        Query::Regex { on: RegexOn::Html, .. } => drop(map.insert("on".into(), "html".into())),
        Query::Text { exact, ignore_case, .. }
        | Query::AfterText { exact, ignore_case, .. }
        | Query::BeforeText { exact, ignore_case, .. } => {
            for (key, set) in [("exact", exact), ("ignore_case", ignore_case)] {
                if *set {
                    map.insert(key.into(), true.into());
                }
            }
        }
        _ => {}
    }
    match &selector.take {
        Take::Text => {}
        Take::OwnText => drop(map.insert("own_text".into(), true.into())),
        Take::Html => drop(map.insert("html".into(), true.into())),
        Take::OuterHtml => drop(map.insert("outer_html".into(), true.into())),
        Take::Markdown => drop(map.insert("markdown".into(), true.into())),
        Take::Attr(name) => drop(map.insert("attr".into(), name.clone().into())),
    }
    if let Some(within) = &selector.within {
        map.insert("within".into(), within.clone().into());
    }
    map
}

fn transforms_from(keys: &mut Keys) -> Result<Vec<Transform>> {
    let mut steps = Vec::new();
    if let Some(list) = keys.map.shift_remove("transforms") {
        let Value::Array(list) = list else { return Err(wrong_type("transforms", "a list of tables", &list)) };
        for item in list {
            let Value::Object(map) = item else { return Err(wrong_type("transforms", "a list of tables", &item)) };
            let mut inner = Keys { map };
            inline_transforms(&mut inner, &mut steps)?;
            inner.finish(&[&["trim", "strip", "replace", "split", "join", "lower", "upper"]])?;
        }
    }
    inline_transforms(keys, &mut steps)?;
    Ok(steps)
}

fn inline_transforms(keys: &mut Keys, steps: &mut Vec<Transform>) -> Result<()> {
    // In the order in which they stand in the file.
    let order: Vec<String> = keys.map.keys().cloned().collect();
    for key in order {
        match key.as_str() {
            "trim" if keys.flag("trim")? => steps.push(Transform::Trim),
            "lower" if keys.flag("lower")? => steps.push(Transform::Lower),
            "upper" if keys.flag("upper")? => steps.push(Transform::Upper),
            "strip" => steps.extend(keys.text("strip")?.map(Transform::Strip)),
            "split" => steps.extend(keys.text("split")?.map(Transform::Split)),
            "join" => steps.extend(keys.text("join")?.map(Transform::Join)),
            "replace" => match keys.map.shift_remove("replace") {
                Some(Value::Array(pair)) => match &pair[..] {
                    [Value::String(from), Value::String(to)] if !from.is_empty() => {
                        steps.push(Transform::Replace { from: from.clone(), to: to.clone() });
                    }
                    _ => {
                        return Err(SchemaError::new(
                            SchemaErrorKind::Value,
                            "`replace` takes two strings, the first not empty: [\"from\", \"to\"]",
                        ));
                    }
                },
                Some(other) => return Err(wrong_type("replace", "two strings: [\"from\", \"to\"]", &other)),
                None => {}
            },
            _ => {}
        }
    }
    Ok(())
}

fn heal_from(value: Option<Value>) -> Result<Option<HealMode>> {
    match value {
        None => Ok(None),
        Some(Value::Bool(true)) => Ok(Some(HealMode::Bind)),
        Some(Value::Bool(false)) => Ok(Some(HealMode::Off)),
        Some(Value::String(name)) => match HealMode::from_name(&name) {
            Some(mode) => Ok(Some(mode)),
            None => Err(one_of("heal", &name, &["off", "suggest", "bind"])),
        },
        Some(other) => Err(wrong_type("heal", "true, false, \"off\", \"suggest\" or \"bind\"", &other)),
    }
}

fn kind_from(keys: &mut Keys, depth: usize) -> Result<Kind> {
    let name = keys.text("kind")?;
    let dataset = keys.map.shift_remove("dataset");
    let reference = keys.text("ref")?;
    let options = DateOptions {
        order: match keys.text("date_order")? {
            None => None,
            Some(text) => {
                Some(DateOrder::from_name(&text).ok_or_else(|| one_of("date_order", &text, &["dmy", "mdy", "ymd"]))?)
            }
        },
        language: keys.text("language")?,
    };
    let currency = keys.text("currency")?;
    let region = keys.text("region")?;
    let name = match (&name, &dataset, &reference) {
        (Some(name), _, _) => name.as_str(),
        (None, Some(_), _) => "dataset",
        (None, None, Some(_)) => "ref",
        (None, None, None) => "text",
    };
    let misplaced = [
        ("date_order", options.order.is_some(), matches!(name, "date" | "datetime" | "timestamp")),
        ("language", options.language.is_some(), matches!(name, "date" | "datetime" | "timestamp")),
        ("currency", currency.is_some(), name == "price"),
        ("region", region.is_some(), name == "phone"),
        ("dataset", dataset.is_some(), name == "dataset"),
        ("ref", reference.is_some(), name == "ref"),
    ];
    if let Some((key, ..)) = misplaced.iter().find(|(_, given, fits)| *given && !fits) {
        return Err(structure(format!("`{key}` has no meaning for the kind `{name}`")));
    }
    Ok(match name {
        "text" => Kind::Text,
        "integer" => Kind::Integer,
        "float" => Kind::Float,
        "decimal" => Kind::Decimal,
        "bool" => Kind::Bool,
        "price" => Kind::Price { currency },
        "date" => Kind::Date(options),
        "time" => Kind::Time,
        "datetime" => Kind::DateTime(options),
        "timestamp" => Kind::Timestamp(options),
        "url" => Kind::Url,
        "email" => Kind::Email,
        "phone" => Kind::Phone { region },
        "json" => Kind::Json,
        "ref" => Kind::Ref(reference.ok_or_else(|| structure("`kind = \"ref\"` needs `ref = \"Name\"`"))?),
        "dataset" => match dataset {
            Some(Value::Object(map)) => Kind::Dataset(Box::new(schema_from_map(map, depth + 1)?)),
            Some(other) => return Err(wrong_type("dataset", "a table", &other)),
            None => return Err(structure("`kind = \"dataset\"` needs a table `dataset`")),
        },
        other => return Err(one_of("kind", other, Kind::NAMES)),
    })
}

fn field_from_map(name: &str, map: Map<String, Value>, depth: usize) -> Result<(Field, bool)> {
    let mut keys = Keys { map };
    let transforms = transforms_from(&mut keys)?;
    let mut selectors: Vec<Selector> = take_selector(&mut keys)?.into_iter().collect();
    match keys.map.shift_remove("selectors") {
        None => {}
        Some(Value::Array(list)) => {
            for item in list {
                selectors.push(selector_from_value(item, "selectors")?);
            }
        }
        Some(other) => return Err(wrong_type("selectors", "a list", &other)),
    }
    let kind = kind_from(&mut keys, depth)?;
    let mut field = Field::with_selectors(name, kind, selectors);
    field.transforms = transforms;
    field.description = keys.text("description")?;
    field.default = keys.map.shift_remove("default");
    field.host_transform = keys.flag("host_transform")?;
    let cardinality = keys.text("cardinality")?;
    let (optional, many) = (keys.flag("optional")?, keys.flag("many")?);
    field.cardinality = match (cardinality.as_deref(), optional, many) {
        (None, false, false) => Cardinality::One,
        (None, true, false) | (Some("optional"), _, false) => Cardinality::Optional,
        (None, false, true) | (Some("many"), false, _) => Cardinality::Many,
        (Some("one"), false, false) => Cardinality::One,
        (Some(other), false, false) => return Err(one_of("cardinality", other, &["one", "optional", "many"])),
        _ => return Err(structure("`cardinality`, `optional` and `many` contradict each other")),
    };
    let heal = heal_from(keys.map.shift_remove("heal"))?;
    field.heal = heal.unwrap_or_default();
    keys.finish(&[SELECTOR_KEYS, FIELD_KEYS])?;
    Ok((field, heal.is_some()))
}

fn schema_from_map(map: Map<String, Value>, depth: usize) -> Result<Schema> {
    if depth > MAX_DEPTH {
        return Err(structure(format!("datasets are nested more than {MAX_DEPTH} deep"))
            .with_hint("a recursive structure is written with `ref`"));
    }
    let mut keys = Keys { map };
    let name = keys.text("name")?.ok_or_else(|| structure("the schema has no `name`"))?;
    schema_body(&name, keys, depth).map_err(|error| error.at(name))
}

fn schema_body(name: &str, mut keys: Keys, depth: usize) -> Result<Schema> {
    let mut schema = Schema {
        name: name.to_owned(),
        version: 1,
        description: keys.text("description")?,
        key: Vec::new(),
        each: None,
        fields: Vec::new(),
    };
    match keys.map.shift_remove("version") {
        None => {}
        Some(value) => {
            schema.version = value
                .as_u64()
                .and_then(|version| u32::try_from(version).ok())
                .ok_or_else(|| wrong_type("version", "a small whole number", &value))?;
        }
    }
    match keys.map.shift_remove("key") {
        None => {}
        Some(Value::String(field)) => schema.key.push(field),
        Some(Value::Array(list)) => {
            for item in list {
                let Value::String(field) = item else { return Err(wrong_type("key", "names of fields", &item)) };
                schema.key.push(field);
            }
        }
        Some(other) => return Err(wrong_type("key", "a field's name or a list of them", &other)),
    }
    if let Some(value) = keys.map.shift_remove("each") {
        schema.each = Some(selector_from_value(value, "each").map_err(|error| error.at("each"))?);
    }
    let heal = heal_from(keys.map.shift_remove("heal"))?;
    match keys.map.shift_remove("fields") {
        None => {}
        Some(Value::Object(fields)) => {
            for (name, value) in fields {
                let (mut field, said) = match value {
                    Value::String(css) => (Field::new(&name, Kind::Text, Selector::css(css)), false),
                    Value::Object(map) => field_from_map(&name, map, depth).map_err(|error| error.at(name))?,
                    other => return Err(wrong_type(&name, "a CSS selector or a table", &other)),
                };
                if let (Some(mode), false) = (heal, said)
                    && field.selectors.iter().any(|selector| selector.query.finds_elements())
                {
                    field.heal = mode;
                }
                schema.fields.push(field);
            }
        }
        Some(other) => return Err(wrong_type("fields", "a table", &other)),
    }
    keys.finish(&[SCHEMA_KEYS])?;
    Ok(schema)
}

fn field_to_map(field: &Field) -> Map<String, Value> {
    let mut map = Map::new();
    if let Some(text) = &field.description {
        map.insert("description".into(), text.clone().into());
    }
    match &field.selectors[..] {
        [] => {}
        [one] => map = map.into_iter().chain(selector_to_map(one)).collect(),
        many => {
            map.insert("selectors".into(), many.iter().map(|s| Value::Object(selector_to_map(s))).collect());
        }
    }
    if field.kind != Kind::Text {
        map.insert("kind".into(), field.kind.name().into());
    }
    match &field.kind {
        Kind::Date(options) | Kind::DateTime(options) | Kind::Timestamp(options) => {
            if let Some(order) = options.order {
                map.insert("date_order".into(), order.as_str().into());
            }
            if let Some(language) = &options.language {
                map.insert("language".into(), language.clone().into());
            }
        }
        Kind::Price { currency: Some(currency) } => drop(map.insert("currency".into(), currency.clone().into())),
        Kind::Phone { region: Some(region) } => drop(map.insert("region".into(), region.clone().into())),
        Kind::Ref(name) => drop(map.insert("ref".into(), name.clone().into())),
        _ => {}
    }
    if field.cardinality != Cardinality::One {
        map.insert("cardinality".into(), field.cardinality.as_str().into());
    }
    if let Some(value) = &field.default {
        map.insert("default".into(), value.clone());
    }
    if !field.transforms.is_empty() {
        let steps = field.transforms.iter().map(|step| match step {
            Transform::Trim => json!({ "trim": true }),
            Transform::Strip(text) => json!({ "strip": text }),
            Transform::Replace { from, to } => json!({ "replace": [from, to] }),
            Transform::Split(text) => json!({ "split": text }),
            Transform::Join(text) => json!({ "join": text }),
            Transform::Lower => json!({ "lower": true }),
            Transform::Upper => json!({ "upper": true }),
        });
        map.insert("transforms".into(), steps.collect());
    }
    if field.heal != HealMode::Off {
        map.insert("heal".into(), field.heal.as_str().into());
    }
    if field.host_transform {
        map.insert("host_transform".into(), true.into());
    }
    if let Kind::Dataset(schema) = &field.kind {
        map.insert("dataset".into(), Value::Object(schema.to_map()));
    }
    map
}

impl Schema {
    /// Reads a schema from a map, without checking its selectors (see [`Schema::check`]).
    ///
    /// # Errors
    /// Unknown keys with a suggestion, missing ones, values of the wrong type; with the place in the schema.
    pub fn from_map(map: Map<String, Value>) -> std::result::Result<Self, SchemaError> {
        schema_from_map(map, 0)
    }

    /// The schema as a map, with the keys of the files.
    pub fn to_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("name".into(), self.name.clone().into());
        if self.version != 1 {
            map.insert("version".into(), self.version.into());
        }
        if let Some(text) = &self.description {
            map.insert("description".into(), text.clone().into());
        }
        if !self.key.is_empty() {
            map.insert("key".into(), self.key.clone().into());
        }
        if let Some(each) = &self.each {
            let value = match each {
                Selector { query: Query::Css(text), take: Take::Text, within: None } => text.clone().into(),
                other => Value::Object(selector_to_map(other)),
            };
            map.insert("each".into(), value);
        }
        let fields: Map<String, Value> =
            self.fields.iter().map(|field| (field.name.clone(), Value::Object(field_to_map(field)))).collect();
        map.insert("fields".into(), Value::Object(fields));
        map
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.to_map().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let map = Map::deserialize(deserializer)?;
        let schema = Self::from_map(map).map_err(D::Error::custom)?;
        schema.check().map_err(D::Error::custom)?;
        Ok(schema)
    }
}

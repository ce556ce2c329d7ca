//! The schema of a dataset.

use crate::{Field, Kind, Query, SchemaBuilder, SchemaError, SchemaErrorKind, Selector, Take};

/// What to extract from a page: a name, the selector of the records, and their fields.
///
/// Serde reads and writes it; the keys are those of the derive macro's attributes:
///
/// ```
/// # use crawlingo_schema::Schema;
/// let schema = Schema::from_toml(r#"
///     name = "Book"
///     each = "article.product"
///     [fields.title]
///     css = "h3 a"
///     attr = "title"
///     [fields.price]
///     css = ".price"
///     kind = "price"
/// "#)?;
/// assert_eq!(schema.fields.len(), 2);
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// The dataset's name.
    pub name: String,
    /// Counts the meanings of the schema: a change that makes stored fingerprints worthless raises it.
    pub version: u32,
    /// What the dataset means, for people.
    pub description: Option<String>,
    /// The fields that identify a record; empty: its URL and its place on the page.
    pub key: Vec<String>,
    /// What finds the records; `None`: the page is one record.
    pub each: Option<Selector>,
    /// The fields, in the order of the columns.
    pub fields: Vec<Field>,
}

impl Schema {
    /// Starts a schema.
    pub fn builder(name: impl Into<String>) -> SchemaBuilder {
        SchemaBuilder::new(name)
    }

    /// The position of a field.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Checks every selector, and that the parts fit together.
    ///
    /// # Errors
    /// The first fault, with the names of schema and field as its place.
    pub fn check(&self) -> Result<(), SchemaError> {
        self.check_inner(&mut Vec::new()).map_err(|error| error.at(self.name.clone()))
    }

    fn check_inner<'a>(&'a self, outer: &mut Vec<&'a str>) -> Result<(), SchemaError> {
        if self.name.is_empty() {
            return Err(SchemaError::new(SchemaErrorKind::Structure, "the schema has no name")
                .with_hint("add `name = \"...\"`"));
        }
        if self.fields.is_empty() {
            return Err(SchemaError::new(SchemaErrorKind::Structure, "the schema has no fields"));
        }
        if let Some(each) = &self.each {
            each.check().map_err(|error| error.at("each"))?;
            let element = match &each.query {
                Query::Css(text) => crate::css::parse(text)?.take().is_none(),
                Query::Json(_) => true,
                query => query.finds_elements(),
            };
            if !element || each.take != Take::Text {
                return Err(SchemaError::new(SchemaErrorKind::Kind, "`each` must find elements, not texts")
                    .with_hint("select the element of one record with `css` or `xpath`")
                    .at("each"));
            }
        }
        outer.push(&self.name);
        for (at, field) in self.fields.iter().enumerate() {
            if self.fields[..at].iter().any(|other| other.name == field.name) {
                return Err(SchemaError::new(
                    SchemaErrorKind::Structure,
                    format!("two fields are called `{}`", field.name),
                ));
            }
            match &field.kind {
                Kind::Ref(name) if !outer.contains(&name.as_str()) => {
                    return Err(SchemaError::new(
                        SchemaErrorKind::Structure,
                        format!("no dataset around this field is called `{name}`"),
                    )
                    .with_hint(format!("a `ref` names one of: {}", outer.join(", ")))
                    .at(field.name.clone()));
                }
                // A recursive dataset needs a step down, or it would meet itself on the same element for ever.
                Kind::Ref(_) if field.selectors.is_empty() => {
                    return Err(SchemaError::new(
                        SchemaErrorKind::Structure,
                        "a recursive field needs a selector that leads further down",
                    )
                    .at(field.name.clone()));
                }
                Kind::Dataset(inner) => {
                    field.check()?;
                    inner.check_inner(outer).map_err(|error| error.at(field.name.clone()))?;
                }
                _ => field.check()?,
            }
        }
        outer.pop();
        for key in &self.key {
            if self.position(key).is_none() {
                let names = self.fields.iter().map(|field| field.name.as_str());
                let error =
                    SchemaError::new(SchemaErrorKind::Structure, format!("the key names no field: `{key}`")).at("key");
                return Err(match crate::suggest(key, names) {
                    Some(name) => error.with_hint(format!("did you mean `{name}`?")),
                    None => error,
                });
            }
        }
        Ok(())
    }

    /// Reads a schema from TOML and checks it.
    ///
    /// # Errors
    /// What is wrong, with the place in the schema and, for faults of the TOML itself, the line.
    pub fn from_toml(text: &str) -> Result<Self, SchemaError> {
        let map: serde_json::Map<String, serde_json::Value> = toml::from_str(text).map_err(|error| {
            let message = format!("the TOML does not parse: {}", error.message());
            match error.span() {
                Some(span) => SchemaError::new(SchemaErrorKind::Structure, message).with_span(text, span),
                None => SchemaError::new(SchemaErrorKind::Structure, message),
            }
        })?;
        let schema = Self::from_map(map)?;
        schema.check()?;
        Ok(schema)
    }

    /// Reads a schema from JSON and checks it.
    ///
    /// # Errors
    /// What is wrong, with the place in the schema or the line of the JSON.
    pub fn from_json(text: &str) -> Result<Self, SchemaError> {
        let map: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).map_err(|error| {
            SchemaError::new(SchemaErrorKind::Structure, format!("the JSON does not parse: {error}"))
        })?;
        let schema = Self::from_map(map)?;
        schema.check()?;
        Ok(schema)
    }

    /// The schema as TOML.
    pub fn to_toml(&self) -> String {
        // The map holds nothing that TOML cannot: no nulls, string keys only.
        toml::to_string_pretty(&self.to_map()).unwrap_or_default()
    }

    /// The schema as JSON, indented.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.to_map()).unwrap_or_default()
    }
}

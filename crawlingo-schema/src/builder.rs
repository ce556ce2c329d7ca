//! Building a schema by hand.

use crate::{Field, HealMode, Schema, SchemaError, Selector};

/// Builds a [`Schema`]; made by [`Schema::builder`].
#[derive(Debug, Clone)]
#[must_use]
pub struct SchemaBuilder {
    schema: Schema,
}

impl SchemaBuilder {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            schema: Schema {
                name: name.into(),
                version: 1,
                description: None,
                key: Vec::new(),
                each: None,
                fields: Vec::new(),
            },
        }
    }

    /// Sets what finds the records.
    pub fn each(mut self, selector: Selector) -> Self {
        self.schema.each = Some(selector);
        self
    }

    /// Adds a field.
    pub fn field(mut self, field: Field) -> Self {
        self.schema.fields.push(field);
        self
    }

    /// Adds a field to those that identify a record.
    pub fn key(mut self, name: impl Into<String>) -> Self {
        self.schema.key.push(name.into());
        self
    }

    /// Sets the version.
    pub fn version(mut self, version: u32) -> Self {
        self.schema.version = version;
        self
    }

    /// Says what the dataset means.
    pub fn describe(mut self, text: impl Into<String>) -> Self {
        self.schema.description = Some(text.into());
        self
    }

    /// Turns healing on for every field so far that can heal and does not say otherwise.
    pub fn heal(mut self, mode: HealMode) -> Self {
        for field in &mut self.schema.fields {
            if field.heal == HealMode::Off && field.selectors.iter().any(|s| s.query.finds_elements()) {
                field.heal = mode;
            }
        }
        self
    }

    /// Gives the schema unchecked, for code whose parts were checked when it was compiled.
    #[doc(hidden)]
    pub fn build_unchecked(self) -> Schema {
        self.schema
    }

    /// Checks the schema and gives it.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn build(self) -> Result<Schema, SchemaError> {
        self.schema.check()?;
        Ok(self.schema)
    }
}

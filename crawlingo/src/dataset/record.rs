//! A record: the values of one schema's fields, by position.

use std::sync::Arc;

use crawlingo_schema::Schema;
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::value::Value;

/// The values of one record, in the order of its schema's fields.
#[derive(Debug, Clone)]
pub struct Record {
    schema: Arc<Schema>,
    values: Vec<Value>,
    /// The position on its page.
    ordinal: usize,
}

impl Record {
    /// A record of that schema; values that are missing at the end are null, those too many are dropped.
    pub fn new(schema: Arc<Schema>, mut values: Vec<Value>) -> Self {
        values.resize(schema.fields.len(), Value::Null);
        Self { schema, values, ordinal: 0 }
    }

    pub(crate) fn at(mut self, ordinal: usize) -> Self {
        self.ordinal = ordinal;
        self
    }

    /// The record's position on its page, from 0; of a nested record, that of the one around it.
    pub fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The schema.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.schema.position(name).map(|at| &self.values[at])
    }

    /// The values, in the order of the schema's fields.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Takes the value at a position out, leaving null.
    pub fn take(&mut self, position: usize) -> Value {
        self.values.get_mut(position).map_or(Value::Null, |value| std::mem::replace(value, Value::Null))
    }

    /// Names and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.schema.fields.iter().map(|field| field.name.as_str()).zip(&self.values)
    }
}

impl PartialEq for Record {
    /// Equal schemas and values; where on a page it stood does not count.
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values && (Arc::ptr_eq(&self.schema, &other.schema) || self.schema == other.schema)
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len()))?;
        for (name, value) in self.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

//! The typed edge: from values to Rust types.

use std::sync::Arc;

use crawlingo_schema::{Kind, Schema, Shape};

use super::Record;
use crate::Error;
use crate::value::{ConvertError, Value};

/// A type that a field can have: it says what kind of value it wants and takes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a dataset's field",
    label = "no value of a page becomes a `{Self}`",
    note = "use `String`, a number, `bool`, `Decimal`, `Price`, `Url`, `Email`, `Phone`, a `jiff` date or time, `serde_json::Value`, a struct that derives `Dataset`, or `Option` and `Vec` of these",
    note = "for a type that implements `FromStr`, write `#[selector(..., parse)]`; for your own conversion, implement `FieldType`"
)]
pub trait FieldType: Sized {
    /// The kind and the cardinality of the field.
    fn shape() -> Shape;

    /// Takes the value that the engine gave for [`shape`](Self::shape).
    ///
    /// # Errors
    /// When the value is out of the type's range.
    fn from_value(value: Value) -> Result<Self, ConvertError>;

    /// The value again, for sinks.
    fn into_value(self) -> Value;
}

/// A struct that derives `Dataset`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a dataset", note = "add `#[derive(Dataset)]` to the struct")]
pub trait Dataset: Sized {
    /// The schema, made once.
    fn schema() -> Arc<Schema>;

    /// Takes a record of that schema.
    ///
    /// # Errors
    /// When a value is out of the range of its field's type, or a `with` function refuses it.
    fn from_record(record: Record) -> Result<Self, Error>;

    /// The record again, for sinks.
    fn into_record(self) -> Record;
}

impl FieldType for String {
    fn shape() -> Shape {
        Shape::one(Kind::Text)
    }

    fn from_value(value: Value) -> Result<Self, ConvertError> {
        match value {
            Value::Text(text) => Ok(text),
            other => {
                Err(ConvertError::new("text", &other.to_string(), format!("the value is a {}", other.kind_name())))
            }
        }
    }

    fn into_value(self) -> Value {
        Value::Text(self)
    }
}

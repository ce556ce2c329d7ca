//! The typed edge: from values to Rust types and back.

use std::sync::Arc;

use crawlingo_schema::{DateOptions, Kind, Schema, Shape};
use jiff::{Timestamp, civil};
use rust_decimal::Decimal;
use url::Url;

use super::Record;
use crate::Error;
use crate::value::{ConvertError, Email, Phone, Price, Value};

/// A type that a field can have: it says what kind of value it wants and takes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a dataset's field",
    label = "no value of a page becomes a `{Self}`",
    note = "use `String`, a number, `bool`, `Decimal`, `Price`, `Url`, `Email`, `Phone`, a `jiff` date or time, `serde_json::Value`, a struct that derives `Dataset`, or `Option` and `Vec` of these",
    note = "for a type that implements `FromStr`, write `#[selector(.., parse)]`; for your own conversion, write `#[selector(.., with = function)]` or implement `FieldType`"
)]
pub trait FieldType: Sized {
    /// Whether it is a dataset, or `Option`, `Vec` or `Box` of one, so that it needs an element.
    const NESTED: bool = false;

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
///
/// ```
/// use crawlingo::{Dataset, Page};
///
/// #[derive(Dataset)]
/// #[dataset(each = "li")]
/// struct Tea {
///     #[selector(css = "b")]
///     name: String,
///     #[selector(regex = r"(\d+) min")]
///     minutes: Option<u8>,
/// }
///
/// let page = Page::from_html("<ul><li><b>Assam</b> 4 min<li><b>Mint</b></ul>", "https://example.org/")?;
/// let teas: Vec<Tea> = page.datasets()?;
/// assert_eq!((teas[0].name.as_str(), teas[0].minutes, teas[1].minutes), ("Assam", Some(4), None));
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is not a dataset", note = "add `#[derive(Dataset)]` to the struct")]
pub trait Dataset: Sized + 'static {
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

fn misfit(wanted: &'static str, value: &Value) -> ConvertError {
    ConvertError::new(wanted, &value.to_string(), format!("the value is a {}", value.kind_name()))
}

macro_rules! plain {
    ($($type:ty, $variant:ident, $kind:expr);+ $(;)?) => {
        $(impl FieldType for $type {
            fn shape() -> Shape {
                Shape::one($kind)
            }

            fn from_value(value: Value) -> Result<Self, ConvertError> {
                match value {
                    Value::$variant(inner) => Ok(inner),
                    other => Err(misfit($kind.name(), &other)),
                }
            }

            fn into_value(self) -> Value {
                Value::$variant(self)
            }
        })+
    };
}

plain! {
    String, Text, Kind::Text;
    i64, Integer, Kind::Integer;
    f64, Float, Kind::Float;
    bool, Bool, Kind::Bool;
    Decimal, Decimal, Kind::Decimal;
    Price, Price, Kind::price();
    civil::Date, Date, Kind::Date(DateOptions::default());
    civil::Time, Time, Kind::Time;
    civil::DateTime, DateTime, Kind::DateTime(DateOptions::default());
    Timestamp, Timestamp, Kind::Timestamp(DateOptions::default());
    Url, Url, Kind::Url;
    Email, Email, Kind::Email;
    Phone, Phone, Kind::phone();
    serde_json::Value, Json, Kind::Json;
}

macro_rules! integers {
    ($($type:ty),+) => {
        $(impl FieldType for $type {
            fn shape() -> Shape {
                Shape::one(Kind::Integer)
            }

            fn from_value(value: Value) -> Result<Self, ConvertError> {
                match value {
                    Value::Integer(number) => Self::try_from(number).map_err(|_| {
                        let message = format!("{number} is out of the range of `{}`", stringify!($type));
                        ConvertError::new("integer", &number.to_string(), message)
                    }),
                    other => Err(misfit("integer", &other)),
                }
            }

            fn into_value(self) -> Value {
                match i64::try_from(self) {
                    Ok(number) => Value::Integer(number),
                    // Beyond 64 bits with a sign: exact still, as a decimal.
                    Err(_) => Value::Decimal(Decimal::from(self)),
                }
            }
        })+
    };
}

integers!(i8, i16, i32, u8, u16, u32, u64, isize, usize);

impl FieldType for f32 {
    fn shape() -> Shape {
        Shape::one(Kind::Float)
    }

    fn from_value(value: Value) -> Result<Self, ConvertError> {
        let number = f64::from_value(value)?;
        let narrow = number as f32;
        if narrow.is_finite() {
            return Ok(narrow);
        }
        Err(ConvertError::new("float", &number.to_string(), "it is out of the range of `f32`"))
    }

    fn into_value(self) -> Value {
        Value::Float(f64::from(self))
    }
}

impl<T: FieldType> FieldType for Option<T> {
    const NESTED: bool = T::NESTED;

    fn shape() -> Shape {
        T::shape().optional()
    }

    fn from_value(value: Value) -> Result<Self, ConvertError> {
        match value {
            Value::Null => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }

    fn into_value(self) -> Value {
        self.map_or(Value::Null, T::into_value)
    }
}

impl<T: FieldType> FieldType for Vec<T> {
    const NESTED: bool = T::NESTED;

    fn shape() -> Shape {
        T::shape().many()
    }

    fn from_value(value: Value) -> Result<Self, ConvertError> {
        match value {
            Value::List(values) => values
                .into_iter()
                .enumerate()
                .map(|(at, value)| T::from_value(value).map_err(|error| error.in_item(at)))
                .collect(),
            Value::Null => Ok(Self::new()),
            other => Err(misfit("list", &other)),
        }
    }

    fn into_value(self) -> Value {
        Value::List(self.into_iter().map(T::into_value).collect())
    }
}

impl<T: FieldType> FieldType for Box<T> {
    const NESTED: bool = T::NESTED;

    fn shape() -> Shape {
        T::shape()
    }

    fn from_value(value: Value) -> Result<Self, ConvertError> {
        T::from_value(value).map(Self::new)
    }

    fn into_value(self) -> Value {
        T::into_value(*self)
    }
}

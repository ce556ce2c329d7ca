//! What the derive macro's code calls. No part of the public interface.

use std::any::TypeId;
use std::cell::RefCell;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use crawlingo_schema::{DateOrder, Field, Kind, Schema, Selector, Shape};
use dashmap::DashMap;

use crate::dataset::{Dataset, FieldType, Record};
use crate::value::{ConvertError, Value};
use crate::{Error, ErrorKind};

thread_local! {
    /// The datasets whose schemas are being made, outermost first: one that meets itself refers to itself by name.
    static OPEN: RefCell<Vec<(TypeId, &'static str)>> = const { RefCell::new(Vec::new()) };
}

struct Opened;

impl Drop for Opened {
    fn drop(&mut self) {
        OPEN.with_borrow_mut(|open| open.pop());
    }
}

/// The schema of a dataset, made once for each type.
pub fn schema_of<T: 'static>(name: &'static str, make: impl FnOnce() -> Schema) -> Arc<Schema> {
    static SCHEMAS: OnceLock<DashMap<TypeId, Arc<Schema>>> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(DashMap::new);
    // Inside of another schema it may refer to that one by name, and is not the same as on its own.
    let outermost = OPEN.with_borrow(Vec::is_empty);
    if outermost && let Some(schema) = schemas.get(&TypeId::of::<T>()) {
        return Arc::clone(&schema);
    }
    OPEN.with_borrow_mut(|open| open.push((TypeId::of::<T>(), name)));
    let opened = Opened;
    let schema = Arc::new(make());
    drop(opened);
    if outermost {
        schemas.insert(TypeId::of::<T>(), Arc::clone(&schema));
    }
    schema
}

/// The shape of a nested dataset: its schema, or its name where it is already open.
pub fn nested_shape<T: Dataset>() -> Shape {
    let open = OPEN.with_borrow(|open| open.iter().find(|(id, _)| *id == TypeId::of::<T>()).map(|(_, name)| *name));
    match open {
        Some(name) => Shape::one(Kind::Ref(name.to_owned())),
        None => Shape::one(Kind::Dataset(Box::new((*T::schema()).clone()))),
    }
}

/// A nested record as its type.
pub fn nested_from_value<T: Dataset>(value: Value) -> Result<T, ConvertError> {
    match value {
        Value::Record(record) => {
            T::from_record(*record).map_err(|error| ConvertError::new("dataset", "record", error.to_string()))
        }
        other => Err(ConvertError::new("dataset", &other.to_string(), format!("the value is a {}", other.kind_name()))),
    }
}

/// A nested record again.
pub fn nested_into_value<T: Dataset>(value: T) -> Value {
    Value::Record(Box::new(value.into_record()))
}

/// The parameters of a kind.
#[derive(Debug)]
pub struct KindOptions {
    /// Of a price.
    pub currency: Option<&'static str>,
    /// Of a telephone number.
    pub region: Option<&'static str>,
    /// Of a date.
    pub language: Option<&'static str>,
    /// Of a date.
    pub date_order: Option<DateOrder>,
}

/// A field of a shape.
pub fn field(name: &'static str, shape: Shape, selectors: Vec<Selector>, options: KindOptions) -> Field {
    let mut kind = shape.kind;
    match &mut kind {
        Kind::Price { currency } => *currency = options.currency.map(str::to_owned),
        Kind::Phone { region } => *region = options.region.map(str::to_owned),
        Kind::Date(date) | Kind::DateTime(date) | Kind::Timestamp(date) => {
            date.language = options.language.map(str::to_owned);
            date.order = options.date_order;
        }
        _ => {}
    }
    Field::with_selectors(name, kind, selectors).cardinality(shape.cardinality)
}

fn failed(record: &Record, at: usize, message: String) -> Error {
    let field = record.schema().fields.get(at).map(|field| field.name.clone()).unwrap_or_default();
    Error::new(ErrorKind::Extraction {
        url: None,
        dataset: record.schema().name.clone(),
        record: record.ordinal(),
        field,
        selector: String::new(),
        message,
    })
}

/// The value of a field.
pub fn take<T: FieldType>(record: &mut Record, at: usize) -> Result<T, Error> {
    let value = record.take(at);
    T::from_value(value).map_err(|error| failed(record, at, error.to_string()))
}

/// What a function given by `with` returns: the value, or a result of it.
#[diagnostic::on_unimplemented(
    message = "the function given by `with` returns `{Self}`, and the field is a `{T}`",
    label = "returns `{Self}`",
    note = "let it return `{T}`, or a `Result` of that"
)]
pub trait WithOutput<T> {
    /// As a result.
    fn into_result(self) -> Result<T, String>;
}

impl<T> WithOutput<T> for T {
    fn into_result(self) -> Result<T, String> {
        Ok(self)
    }
}

impl<T, E: Display> WithOutput<T> for Result<T, E> {
    fn into_result(self) -> Result<T, String> {
        self.map_err(|error| error.to_string())
    }
}

/// The shape that a function's argument asks for.
pub fn shape_of_argument<I: FieldType, O>(_function: fn(I) -> O) -> Shape {
    I::shape()
}

/// The value of a field that a function makes.
pub fn take_with<I: FieldType, O: WithOutput<T>, T>(
    record: &mut Record,
    at: usize,
    function: fn(I) -> O,
) -> Result<T, Error> {
    let input = take::<I>(record, at)?;
    function(input).into_result().map_err(|message| failed(record, at, message))
}

fn parse<T: FromStr<Err: Display>>(record: &Record, at: usize, value: &Value) -> Result<T, Error> {
    let text = value.to_string();
    text.parse().map_err(|error: T::Err| failed(record, at, format!("{text:?} does not parse: {error}")))
}

/// The value of a required field that the type's `FromStr` makes.
pub fn parse_one<T: FromStr<Err: Display>>(record: &mut Record, at: usize) -> Result<T, Error> {
    let value = record.take(at);
    parse(record, at, &value)
}

/// The value of an optional field that the type's `FromStr` makes.
pub fn parse_optional<T: FromStr<Err: Display>>(record: &mut Record, at: usize) -> Result<Option<T>, Error> {
    match record.take(at) {
        Value::Null => Ok(None),
        value => parse(record, at, &value).map(Some),
    }
}

/// The values of a list that the type's `FromStr` makes.
pub fn parse_many<T: FromStr<Err: Display>>(record: &mut Record, at: usize) -> Result<Vec<T>, Error> {
    match record.take(at) {
        Value::List(values) => values.iter().map(|value| parse(record, at, value)).collect(),
        Value::Null => Ok(Vec::new()),
        value => parse(record, at, &value).map(|one| vec![one]),
    }
}

/// The text of such a value again.
pub fn shown_one<T: Display>(value: T) -> Value {
    Value::Text(value.to_string())
}

/// The text of such a value again.
pub fn shown_optional<T: Display>(value: Option<T>) -> Value {
    value.map_or(Value::Null, shown_one)
}

/// The texts of such values again.
pub fn shown_many<T: Display>(values: Vec<T>) -> Value {
    Value::List(values.into_iter().map(shown_one).collect())
}

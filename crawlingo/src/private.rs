//! What the derive macro's code calls. No part of the public interface.

#[path = "private/with.rs"]
mod with;

use std::any::{TypeId, type_name};
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use crawlingo_schema::{DateOrder, Field, Kind, Schema, Selector, Shape};
use dashmap::DashMap;

pub use self::with::*;
use crate::dataset::{Dataset, Record};
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

/// A record as its type's own functions make it, where it has any.
///
/// # Errors
/// When they refuse it.
pub fn typed<T: Dataset>(record: Record) -> Result<Record, Error> {
    match T::schema().fields.iter().any(|field| field.host_transform) {
        true => T::from_record(record).map(T::into_record),
        false => Ok(record),
    }
}

/// Puts an argument into an address, percent-encoded so that it is one part of it.
pub fn push_encoded(text: &mut String, argument: &impl std::fmt::Display) {
    /// What needs no encoding anywhere in a URL (RFC 3986, 2.3).
    const ENCODED: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    text.extend(percent_encoding::utf8_percent_encode(&argument.to_string(), ENCODED));
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
    let open = OPEN.with_borrow(|open| {
        let at = open.iter().position(|(id, _)| *id == TypeId::of::<T>())?;
        let name = open[at].1;
        // A name means the nearest dataset of that name. Where another one stands in between, the path of the type is
        // given: no dataset is called so, and the check of the schema says it instead of reading the wrong one.
        let hidden = open[at + 1..].iter().any(|(_, other)| *other == name);
        Some(if hidden { type_name::<T>() } else { name })
    });
    match open {
        Some(name) => Shape::one(Kind::Ref(name.to_owned())),
        None => Shape::one(Kind::Dataset(Box::new((*T::schema()).clone()))),
    }
}

/// A nested record as its type.
pub fn nested_from_value<T: Dataset>(value: Value) -> Result<T, ConvertError> {
    match value {
        Value::Record(record) => T::from_record(*record).map_err(|error| match error.kind() {
            ErrorKind::Extraction { field, message, .. } => ConvertError::plain(message.clone()).in_field(field),
            _ => ConvertError::plain(error.to_string()),
        }),
        other => Err(ConvertError::new("dataset", &other.to_string(), format!("the value is a {}", other.kind_name()))),
    }
}

/// A nested record again.
pub fn nested_into_value<T: Dataset>(value: T) -> Value {
    Value::Record(Box::new(value.into_record()))
}

/// Refuses a record of another schema, whose values would land in the wrong fields.
pub fn check_record(record: &Record, dataset: &str, names: &[&str]) -> Result<(), Error> {
    let fields = &record.schema().fields;
    if fields.len() == names.len() && fields.iter().zip(names).all(|(field, name)| field.name == *name) {
        return Ok(());
    }
    let has: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    Err(Error::sdk(format!(
        "a record of the dataset `{}` with the fields {} cannot become a `{dataset}`, which has the fields {}",
        record.schema().name,
        has.join(", "),
        names.join(", "),
    )))
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

fn failed(record: &Record, at: usize, error: &ConvertError) -> Error {
    let name = record.schema().fields.get(at).map(|field| field.name.as_str()).unwrap_or_default();
    Error::new(ErrorKind::Extraction {
        url: None,
        dataset: record.schema().name.clone(),
        record: record.ordinal(),
        field: format!("{name}{}", error.path()),
        selector: String::new(),
        message: error.to_string(),
    })
}

/// The value of a field, or the error with its place.
pub fn value<T>(value: Result<T, ConvertError>, record: &Record, at: usize) -> Result<T, Error> {
    value.map_err(|error| failed(record, at, &error))
}

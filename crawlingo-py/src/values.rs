//! Values of the core as Python's objects, and back.

use std::str::FromStr;

use crawlingo::schema::{Field, Kind};
use crawlingo::value::{Email, Phone, Price, Value};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDate, PyDateTime, PyDict, PyFloat, PyInt, PyList, PyString, PyTime, PyTzInfo};
use rust_decimal::Decimal;
use url::Url;

use crate::dataset;
use crate::errors::Result;

/// Something of a Python module, looked up once.
macro_rules! imported {
    ($py:expr, $module:literal, $name:literal) => {{
        static FOUND: pyo3::sync::PyOnceLock<Py<PyAny>> = pyo3::sync::PyOnceLock::new();
        FOUND
            .get_or_try_init($py, || $py.import($module)?.getattr($name).map(Bound::unbind))
            .map(|found| found.bind($py))
    }};
}
pub(crate) use imported;

/// A text as a class that is one, such as `Url`.
fn text_of<'py>(class: &Bound<'py, PyAny>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    class.call1((text,))
}

fn decimal<'py>(py: Python<'py>, number: &Decimal) -> PyResult<Bound<'py, PyAny>> {
    imported!(py, "decimal", "Decimal")?.call1((number.to_string(),))
}

/// An instance of a class, without its `__init__`.
pub(crate) fn bare<'py>(class: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let new =
        NEW.get_or_try_init(py, || py.import("builtins")?.getattr("object")?.getattr("__new__").map(Bound::unbind))?;
    new.bind(py).call1((class,))
}

fn price<'py>(py: Python<'py>, price: &Price) -> PyResult<Bound<'py, PyAny>> {
    let made = bare(imported!(py, "crawlingo.types", "Price")?)?;
    // A frozen class refuses `setattr`, but its dictionary is its own.
    let attributes = made.getattr(pyo3::intern!(py, "__dict__"))?.cast_into::<PyDict>()?;
    attributes.set_item(pyo3::intern!(py, "amount"), decimal(py, &price.amount)?)?;
    attributes.set_item(pyo3::intern!(py, "currency"), price.currency.as_deref())?;
    attributes.set_item(pyo3::intern!(py, "symbol"), price.symbol.as_deref())?;
    Ok(made)
}

/// The fields of a moment.
fn time_parts(time: jiff::civil::Time) -> (u8, u8, u8, u32) {
    let micros = u32::try_from(time.subsec_nanosecond() / 1_000).unwrap_or_default();
    (time.hour().unsigned_abs(), time.minute().unsigned_abs(), time.second().unsigned_abs(), micros)
}

fn datetime<'py>(
    py: Python<'py>,
    at: jiff::civil::DateTime,
    zone: Option<&Bound<'py, PyTzInfo>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (hour, minute, second, micros) = time_parts(at.time());
    let (year, month, day) = (i32::from(at.year()), at.month().unsigned_abs(), at.day().unsigned_abs());
    Ok(PyDateTime::new(py, year, month, day, hour, minute, second, micros, zone)?.into_any())
}

/// A value as Python has it. Nested records become dictionaries; those of classes are made by [`dataset`].
pub(crate) fn to_py<'py>(py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Text(text) => PyString::new(py, text).into_any(),
        Value::Integer(number) => number.into_pyobject(py).map_err(PyErr::from)?.into_any(),
        Value::Float(number) => PyFloat::new(py, *number).into_any(),
        Value::Decimal(number) => decimal(py, number)?,
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Price(own) => price(py, own)?,
        Value::Date(date) => {
            PyDate::new(py, i32::from(date.year()), date.month().unsigned_abs(), date.day().unsigned_abs())?.into_any()
        }
        Value::Time(time) => {
            let (hour, minute, second, micros) = time_parts(*time);
            PyTime::new(py, hour, minute, second, micros, None)?.into_any()
        }
        Value::DateTime(at) => datetime(py, *at, None)?,
        Value::Timestamp(at) => {
            let zone = PyTzInfo::utc(py)?.to_owned();
            datetime(py, jiff::tz::Offset::UTC.to_datetime(*at), Some(&zone))?
        }
        Value::Url(url) => text_of(imported!(py, "crawlingo.types", "Url")?, url.as_str())?,
        Value::Email(email) => text_of(imported!(py, "crawlingo.types", "Email")?, email.as_str())?,
        Value::Phone(phone) => text_of(imported!(py, "crawlingo.types", "Phone")?, phone.as_str())?,
        Value::Json(json) => pythonize::pythonize(py, json)?,
        Value::List(values) => {
            let items = values.iter().map(|value| to_py(py, value)).collect::<Result<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Record(record) => {
            let dict = PyDict::new(py);
            for (name, value) in record.iter() {
                dict.set_item(name, to_py(py, value)?)?;
            }
            dict.into_any()
        }
        other => PyString::new(py, &other.to_string()).into_any(),
    })
}

/// An object of Python as the value of a field. What is no value of the field's kind, because the caller's code made it
/// something else, is taken for what it is.
pub(crate) fn from_py(object: &Bound<'_, PyAny>, field: &Field) -> Result<Value> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    if field.cardinality == crawlingo::schema::Cardinality::Many && !object.is_instance_of::<PyString>() {
        let items = object.try_iter()?.map(|item| one(&item?, &field.kind)).collect::<Result<Vec<_>>>()?;
        return Ok(Value::List(items));
    }
    one(object, &field.kind)
}

fn parsed<T: FromStr>(object: &Bound<'_, PyAny>) -> Option<T> {
    object.str().ok()?.to_string().parse().ok()
}

fn iso<T: FromStr>(object: &Bound<'_, PyAny>) -> Option<T> {
    object.call_method0("isoformat").ok()?.extract::<String>().ok()?.parse().ok()
}

fn one(object: &Bound<'_, PyAny>, kind: &Kind) -> Result<Value> {
    if object.is_none() {
        return Ok(Value::Null);
    }
    let fits = match kind {
        Kind::Integer if !object.is_instance_of::<PyBool>() => object.extract().ok().map(Value::Integer),
        Kind::Float => object.extract().ok().map(Value::Float),
        Kind::Bool => object.extract().ok().map(Value::Bool),
        Kind::Decimal => parsed(object).map(Value::Decimal),
        Kind::Price { .. } => read_price(object).map(Value::Price),
        Kind::Date(_) => iso(object).map(Value::Date),
        Kind::Time => iso(object).map(Value::Time),
        Kind::DateTime(_) => iso(object).map(Value::DateTime),
        Kind::Timestamp(_) => iso(object).map(Value::Timestamp),
        Kind::Url => object.str().ok().and_then(|text| Url::parse(&text.to_string()).ok()).map(Value::Url),
        Kind::Email => object.extract::<String>().ok().and_then(|text| Email::read(&text).ok()).map(Value::Email),
        Kind::Phone { region } => object
            .extract::<String>()
            .ok()
            .and_then(|text| Phone::read(&text, region.as_deref()).ok())
            .map(Value::Phone),
        Kind::Json => pythonize::depythonize(object).ok().map(Value::Json),
        Kind::Dataset(_) | Kind::Ref(_) => match dataset::of_instance(object)? {
            Some(own) => Some(Value::Record(Box::new(own.get().record_of(object)?))),
            None => None,
        },
        _ => None,
    };
    match fits {
        Some(value) => Ok(value),
        None => plain(object),
    }
}

fn read_price(object: &Bound<'_, PyAny>) -> Option<Price> {
    let text = |name: &str| object.getattr(name).ok()?.extract::<Option<String>>().ok();
    let mut price = Price::new(parsed(&object.getattr("amount").ok()?)?, "");
    price.currency = text("currency")?;
    price.symbol = text("symbol")?;
    Some(price)
}

/// What an object is by itself.
fn plain(object: &Bound<'_, PyAny>) -> Result<Value> {
    let py = object.py();
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_string()));
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(object.extract()?));
    }
    if object.is_instance_of::<PyInt>() {
        if let Ok(number) = object.extract() {
            return Ok(Value::Integer(number));
        }
        return Ok(parsed(object).map_or_else(|| Value::Text(object.to_string()), Value::Decimal));
    }
    if object.is_instance_of::<PyFloat>() {
        let number: f64 = object.extract()?;
        // JSON and the sinks know no infinity.
        return Ok(if number.is_finite() { Value::Float(number) } else { Value::Null });
    }
    if object.is_instance(imported!(py, "decimal", "Decimal")?)? {
        return Ok(parsed(object).map_or_else(|| Value::Text(object.to_string()), Value::Decimal));
    }
    if object.is_instance(imported!(py, "enum", "Enum")?)? {
        return plain(&object.getattr("value")?);
    }
    if let Some(price) = read_price(object) {
        return Ok(Value::Price(price));
    }
    if let Some(own) = dataset::of_instance(object)? {
        return Ok(Value::Record(Box::new(own.get().record_of(object)?)));
    }
    if object.hasattr("isoformat")? {
        return Ok(Value::Text(object.call_method0("isoformat")?.extract()?));
    }
    if let Ok(json) = pythonize::depythonize(object) {
        return Ok(Value::Json(json));
    }
    Ok(Value::Text(object.str()?.to_string()))
}

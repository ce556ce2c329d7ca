//! Functions given by `with`, types given by `parse`: the way in and the way out again.

use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use crawlingo_schema::{Cardinality, Shape};
use serde::Serialize;

use super::failed;
use crate::Error;
use crate::dataset::{FieldType, Record};
use crate::value::{ConvertError, Value};

/// A function that `with` can name. `M` is only there to tell apart how it takes its argument.
#[diagnostic::on_unimplemented(
    message = "`with` cannot call this: {Self}",
    label = "no function of one value",
    note = "write a `fn(&str) -> T`, or let it take any type that a field can have, such as `fn(Price) -> T`; it may return a `Result` as well"
)]
pub trait WithFn<M> {
    /// What the engine is asked for.
    type Input: FieldType;
    /// What the function returns.
    type Output;
    /// Calls it.
    fn call(&self, input: Self::Input) -> Self::Output;
}

/// The argument is a `&str`.
#[derive(Debug)]
pub struct ByText<O>(PhantomData<O>);

/// The argument is a value.
#[derive(Debug)]
pub struct ByValue<I, O>(PhantomData<(I, O)>);

#[diagnostic::do_not_recommend]
impl<F: Fn(&str) -> O, O> WithFn<ByText<O>> for F {
    type Input = String;
    type Output = O;

    fn call(&self, input: String) -> O {
        self(&input)
    }
}

#[diagnostic::do_not_recommend]
impl<F: Fn(I) -> O, I: FieldType, O> WithFn<ByValue<I, O>> for F {
    type Input = I;
    type Output = O;

    fn call(&self, input: I) -> O {
        self(input)
    }
}

/// What a function given by `with` returns for a field of type `T`: that, or one item of it, or a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "the function given by `with` returns `{Self}`, and the field is a `{T}`",
    label = "returns `{Self}`",
    note = "let it return `{T}` or a `Result` of that; for an `Option` or a `Vec`, what is inside of it will do"
)]
pub trait WithOutput<T>: Sized {
    /// Whether it is one item of the list that the field is.
    const EACH: bool = false;

    /// Calls the function for the value, or for each of the values.
    ///
    /// # Errors
    /// When the function refuses a value, or its argument's type does.
    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> Self) -> Result<T, ConvertError>;
}

fn told<T, E: Display>(result: Result<T, E>) -> Result<T, ConvertError> {
    result.map_err(|error| ConvertError::plain(error.to_string()))
}

/// Each value of a list.
fn each<I: FieldType, T>(value: Value, call: impl Fn(I) -> Result<T, ConvertError>) -> Result<Vec<T>, ConvertError> {
    let values = match value {
        Value::Null => Vec::new(),
        Value::List(values) => values,
        one => vec![one],
    };
    let made = values
        .into_iter()
        .enumerate()
        .map(|(at, value)| I::from_value(value).and_then(&call).map_err(|error| error.in_item(at)));
    made.collect()
}

impl<T> WithOutput<T> for T {
    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> T) -> Result<T, ConvertError> {
        I::from_value(value).map(call)
    }
}

impl<T, E: Display> WithOutput<T> for Result<T, E> {
    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> Self) -> Result<T, ConvertError> {
        told(call(I::from_value(value)?))
    }
}

impl<T> WithOutput<Option<T>> for T {
    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> T) -> Result<Option<T>, ConvertError> {
        I::from_value(value).map(call).map(Some)
    }
}

impl<T, E: Display> WithOutput<Option<T>> for Result<T, E> {
    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> Self) -> Result<Option<T>, ConvertError> {
        told(call(I::from_value(value)?)).map(Some)
    }
}

impl<T> WithOutput<Vec<T>> for T {
    const EACH: bool = true;

    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> T) -> Result<Vec<T>, ConvertError> {
        each(value, |input| Ok(call(input)))
    }
}

impl<T, E: Display> WithOutput<Vec<T>> for Result<T, E> {
    const EACH: bool = true;

    fn make<I: FieldType>(value: Value, call: impl Fn(I) -> Self) -> Result<Vec<T>, ConvertError> {
        each(value, |input| told(call(input)))
    }
}

/// The shape that a function's argument asks for. `missing` says that the field's type may be without a value.
pub fn shape_with<M, F: WithFn<M>, T>(_function: &F, missing: bool) -> Shape
where
    F::Output: WithOutput<T>,
{
    let shape = F::Input::shape();
    match (<F::Output as WithOutput<T>>::EACH, missing) {
        (true, _) => shape.many(),
        (false, true) => shape.optional(),
        (false, false) => shape,
    }
}

/// The value of a field that a function makes.
pub fn take_with<M, F: WithFn<M>, T>(record: &mut Record, at: usize, function: &F) -> Result<T, Error>
where
    F::Output: WithOutput<T>,
{
    let value = record.take(at);
    F::Output::make(value, |input| function.call(input)).map_err(|error| failed(record, at, &error))
}

/// The same for an `Option` or a `Vec`: nothing is made of nothing, unless the function takes an `Option` itself.
pub fn take_with_or_none<M, F: WithFn<M>, T: Default>(record: &mut Record, at: usize, function: &F) -> Result<T, Error>
where
    F::Output: WithOutput<T>,
{
    let missing = record.values().get(at).is_none_or(Value::is_null);
    if missing && F::Input::shape().cardinality == Cardinality::One {
        return Ok(T::default());
    }
    take_with(record, at, function)
}

/// A value on its way out. The macro's code calls `__crawlingo_out` on it, and method resolution takes the first of
/// the traits below that fits: by value, by reference, by mutable reference.
#[derive(Debug)]
pub struct Out<T>(pub T);

/// Types of fields know best.
pub trait ByFieldType {
    /// The value.
    fn __crawlingo_out(self) -> Value;
}

impl<T: FieldType> ByFieldType for Out<T> {
    fn __crawlingo_out(self) -> Value {
        self.0.into_value()
    }
}

/// Others may be known to serde.
pub trait BySerialize {
    /// The value.
    fn __crawlingo_out(self) -> Value;
}

impl<T: Serialize> BySerialize for &Out<T> {
    fn __crawlingo_out(self) -> Value {
        match serde_json::to_value(&self.0) {
            // What JSON cannot hold, such as a map with keys that are no texts, has no value in a record.
            Ok(serde_json::Value::Null) | Err(_) => Value::Null,
            Ok(serde_json::Value::String(text)) => Value::Text(text),
            Ok(json) => Value::Json(json),
        }
    }
}

/// The rest has a text, or is told how to get one.
pub trait ByDisplay<T> {
    /// The value.
    fn __crawlingo_out(self) -> Value
    where
        T: Written;
}

impl<T> ByDisplay<T> for &mut Out<T> {
    fn __crawlingo_out(self) -> Value
    where
        T: Written,
    {
        self.0.written()
    }
}

/// A type that `with` makes and that can be written into a record.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` that `with` makes cannot be written into a record again",
    label = "neither a field's type, nor `Serialize`, nor `Display`",
    note = "derive `serde::Serialize` for it, or implement `Display`"
)]
pub trait Written {
    /// The value.
    fn written(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Display> Written for T {
    fn written(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// A type that `parse` makes of a text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not parse from a text",
    label = "`parse` needs `FromStr`",
    note = "implement `std::str::FromStr` for it, with an error that implements `Display`, or write `with = function`"
)]
pub trait Parsed: Sized {
    /// Parses it.
    ///
    /// # Errors
    /// What the type says.
    fn parsed(text: &str) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> Parsed for T {
    fn parsed(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: T::Err| error.to_string())
    }
}

/// A type that `parse` makes, as a text again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as a text again",
    label = "`parse` needs `Display` besides `FromStr`",
    note = "implement `std::fmt::Display` for it, so that a record can hold it, or write `with = function`"
)]
pub trait Shown {
    /// The text.
    fn shown(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Display> Shown for T {
    fn shown(&self) -> Value {
        Value::Text(self.to_string())
    }
}

fn parse<T: Parsed>(value: &Value) -> Result<T, ConvertError> {
    let text = value.to_string();
    T::parsed(&text).map_err(|error| ConvertError::plain(format!("{text:?} does not parse: {error}")))
}

/// The value of a required field that the type's `FromStr` makes.
pub fn parse_one<T: Parsed>(record: &mut Record, at: usize) -> Result<T, Error> {
    let value = record.take(at);
    parse(&value).map_err(|error| failed(record, at, &error))
}

/// The value of an optional field that the type's `FromStr` makes.
pub fn parse_optional<T: Parsed>(record: &mut Record, at: usize) -> Result<Option<T>, Error> {
    match record.take(at) {
        Value::Null => Ok(None),
        value => parse(&value).map(Some).map_err(|error| failed(record, at, &error)),
    }
}

/// The values of a list that the type's `FromStr` makes.
pub fn parse_many<T: Parsed>(record: &mut Record, at: usize) -> Result<Vec<T>, Error> {
    let values = match record.take(at) {
        Value::Null => Vec::new(),
        Value::List(values) => values,
        one => vec![one],
    };
    let parsed = values
        .iter()
        .enumerate()
        .map(|(item, value)| parse(value).map_err(|error: ConvertError| failed(record, at, &error.in_item(item))));
    parsed.collect()
}

/// The text of such a value again.
pub fn shown_one<T: Shown>(value: T) -> Value {
    value.shown()
}

/// The text of such a value again.
pub fn shown_optional<T: Shown>(value: Option<T>) -> Value {
    value.map_or(Value::Null, shown_one)
}

/// The texts of such values again.
pub fn shown_many<T: Shown>(values: Vec<T>) -> Value {
    Value::List(values.into_iter().map(shown_one).collect())
}

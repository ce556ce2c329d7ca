//! The values a field can hold.

use std::fmt;

use jiff::{Timestamp, civil};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize, Serializer};
use url::Url;

use crate::dataset::Record;

/// An amount of money.
///
/// ```
/// use crawlingo::value::Price;
/// let price: Price = "£51.77".parse().unwrap();
/// assert_eq!((price.amount.to_string().as_str(), price.currency.as_deref()), ("51.77", Some("GBP")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Price {
    /// The exact amount.
    pub amount: Decimal,
    /// The ISO 4217 code, where the sign or the field names exactly one currency. A bare `$` does not.
    pub currency: Option<String>,
    /// The sign or code as the page has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

impl Price {
    /// An amount in a currency.
    pub fn new(amount: Decimal, currency: impl Into<String>) -> Self {
        Self { amount, currency: Some(currency.into()), symbol: None }
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.currency.as_deref().or(self.symbol.as_deref()) {
            Some(currency) => write!(f, "{} {currency}", self.amount),
            None => self.amount.fmt(f),
        }
    }
}

/// An e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(pub(crate) String);

impl Email {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A telephone number: E.164 (`+493012345`) where the country is known, else the digits as written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Phone(pub(crate) String);

impl Phone {
    /// The number.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the number is in E.164 form.
    pub fn is_e164(&self) -> bool {
        self.0.starts_with('+')
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A value of a record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing.
    Null,
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A float; always finite.
    Float(f64),
    /// An exact decimal.
    Decimal(Decimal),
    /// Yes or no.
    Bool(bool),
    /// Money.
    Price(Price),
    /// A calendar date.
    Date(civil::Date),
    /// A time of day.
    Time(civil::Time),
    /// A date and time without a zone.
    DateTime(civil::DateTime),
    /// An instant.
    Timestamp(Timestamp),
    /// An absolute URL.
    Url(Url),
    /// An e-mail address.
    Email(Email),
    /// A telephone number.
    Phone(Phone),
    /// Any JSON.
    Json(serde_json::Value),
    /// Several values.
    List(Vec<Value>),
    /// A nested record.
    Record(Box<Record>),
}

impl Value {
    /// Whether there is no value.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The name of the value's kind.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "text",
            Self::Integer(_) => "integer",
            Self::Float(_) => "float",
            Self::Decimal(_) => "decimal",
            Self::Bool(_) => "bool",
            Self::Price(_) => "price",
            Self::Date(_) => "date",
            Self::Time(_) => "time",
            Self::DateTime(_) => "datetime",
            Self::Timestamp(_) => "timestamp",
            Self::Url(_) => "url",
            Self::Email(_) => "email",
            Self::Phone(_) => "phone",
            Self::Json(_) => "json",
            Self::List(_) => "list",
            Self::Record(_) => "record",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::Bool(flag) => flag.fmt(f),
            Self::Price(price) => price.fmt(f),
            Self::Date(date) => date.fmt(f),
            Self::Time(time) => time.fmt(f),
            Self::DateTime(at) => at.fmt(f),
            Self::Timestamp(at) => at.fmt(f),
            Self::Url(url) => url.fmt(f),
            Self::Email(email) => email.fmt(f),
            Self::Phone(phone) => phone.fmt(f),
            Self::Json(json) => json.fmt(f),
            Self::List(values) => {
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    value.fmt(f)?;
                }
                Ok(())
            }
            Self::Record(record) => match serde_json::to_string(record) {
                Ok(json) => f.write_str(&json),
                Err(_) => Err(fmt::Error),
            },
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Text(text) => text.serialize(serializer),
            Self::Integer(number) => number.serialize(serializer),
            Self::Float(number) => number.serialize(serializer),
            Self::Decimal(number) => Serialize::serialize(number, serializer),
            Self::Bool(flag) => flag.serialize(serializer),
            Self::Price(price) => price.serialize(serializer),
            Self::Date(date) => date.serialize(serializer),
            Self::Time(time) => time.serialize(serializer),
            Self::DateTime(at) => at.serialize(serializer),
            Self::Timestamp(at) => at.serialize(serializer),
            Self::Url(url) => url.serialize(serializer),
            Self::Email(email) => email.serialize(serializer),
            Self::Phone(phone) => phone.serialize(serializer),
            Self::Json(json) => json.serialize(serializer),
            Self::List(values) => values.serialize(serializer),
            Self::Record(record) => record.serialize(serializer),
        }
    }
}

//! What kind of value a field holds.

use crate::{Cardinality, Schema};

/// The order of day, month and year in a numeric date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DateOrder {
    /// Day, month, year: most of the world.
    Dmy,
    /// Month, day, year: the United States.
    Mdy,
    /// Year, month, day: East Asia, ISO 8601.
    Ymd,
}

impl DateOrder {
    /// `dmy`, `mdy` or `ymd`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dmy => "dmy",
            Self::Mdy => "mdy",
            Self::Ymd => "ymd",
        }
    }

    /// The order with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "dmy" => Some(Self::Dmy),
            "mdy" => Some(Self::Mdy),
            "ymd" => Some(Self::Ymd),
            _ => None,
        }
    }
}

/// How a date is written on the page, where that is known. Both are hints for what is ambiguous.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct DateOptions {
    /// The order of the numbers in `03/04/05`.
    pub order: Option<DateOrder>,
    /// A BCP 47 language such as `de`, for the names of months and days.
    pub language: Option<String>,
}

/// The kind of a field's value, with its parameters.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Text, white space normalised.
    Text,
    /// A whole number, 64 bits, signed.
    Integer,
    /// A 64-bit float.
    Float,
    /// An exact decimal number.
    Decimal,
    /// Yes or no.
    Bool,
    /// An amount with its currency. `currency` is the ISO 4217 code to assume where the page names none.
    Price {
        /// The currency to assume where the page's sign is missing or ambiguous (`$`).
        currency: Option<String>,
    },
    /// A calendar date.
    Date(DateOptions),
    /// A time of day.
    Time,
    /// A date and a time of day, without a zone.
    DateTime(DateOptions),
    /// An instant.
    Timestamp(DateOptions),
    /// An absolute URL.
    Url,
    /// An e-mail address.
    Email,
    /// A telephone number. `region` is the ISO 3166 country to assume for national numbers.
    Phone {
        /// The country to assume, such as `DE`.
        region: Option<String>,
    },
    /// Any JSON value.
    Json,
    /// A nested dataset.
    Dataset(Box<Schema>),
    /// A dataset that stands further out under that name: for recursive structures.
    Ref(String),
}

impl Kind {
    /// A price with no assumed currency.
    pub fn price() -> Self {
        Self::Price { currency: None }
    }

    /// A phone number with no assumed country.
    pub fn phone() -> Self {
        Self::Phone { region: None }
    }

    /// The name that stands in files: `text`, `price`, `datetime` and so on.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Decimal => "decimal",
            Self::Bool => "bool",
            Self::Price { .. } => "price",
            Self::Date(_) => "date",
            Self::Time => "time",
            Self::DateTime(_) => "datetime",
            Self::Timestamp(_) => "timestamp",
            Self::Url => "url",
            Self::Email => "email",
            Self::Phone { .. } => "phone",
            Self::Json => "json",
            Self::Dataset(_) => "dataset",
            Self::Ref(_) => "ref",
        }
    }

    /// Every name that [`Kind::name`] gives.
    pub const NAMES: &'static [&'static str] = &[
        "text",
        "integer",
        "float",
        "decimal",
        "bool",
        "price",
        "date",
        "time",
        "datetime",
        "timestamp",
        "url",
        "email",
        "phone",
        "json",
        "dataset",
        "ref",
    ];
}

/// The kind and the cardinality that a type asks for: what `FieldType::shape` gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The kind of one value.
    pub kind: Kind,
    /// How many.
    pub cardinality: Cardinality,
}

impl Shape {
    /// Exactly one value of that kind.
    pub fn one(kind: Kind) -> Self {
        Self { kind, cardinality: Cardinality::One }
    }

    /// The same kind, where missing is fine.
    #[must_use]
    pub fn optional(mut self) -> Self {
        if self.cardinality == Cardinality::One {
            self.cardinality = Cardinality::Optional;
        }
        self
    }

    /// The same kind, any number of times.
    #[must_use]
    pub fn many(mut self) -> Self {
        self.cardinality = Cardinality::Many;
        self
    }
}

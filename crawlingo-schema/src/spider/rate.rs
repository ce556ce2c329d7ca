//! How often a host may be asked.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{SchemaError, SchemaErrorKind};

/// How often something is done: a number and a unit, such as `8/s`, `30/m` or `500/h`.
///
/// ```
/// use std::time::Duration;
/// use crawlingo_schema::Rate;
/// let rate: Rate = "30/m".parse()?;
/// assert_eq!(rate.interval(), Duration::from_secs(2));
/// assert!("8 per second".parse::<Rate>().is_err());
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    count: f64,
    unit: char,
}

impl Rate {
    /// The time between two.
    pub fn interval(&self) -> Duration {
        let seconds = match self.unit {
            'm' => 60.0,
            'h' => 3600.0,
            _ => 1.0,
        };
        Duration::from_secs_f64(seconds / self.count)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.count, self.unit)
    }
}

impl FromStr for Rate {
    type Err = SchemaError;

    fn from_str(text: &str) -> Result<Self, SchemaError> {
        let bad = || {
            SchemaError::new(SchemaErrorKind::Value, format!("{text:?} is no rate"))
                .with_hint("write a number and a unit: `8/s`, `30/m` or `500/h`")
        };
        let (count, unit) = text.trim().split_once('/').ok_or_else(bad)?;
        let count: f64 = count.trim().parse().map_err(|_| bad())?;
        let unit = match unit.trim() {
            "s" | "sec" | "second" => 's',
            "m" | "min" | "minute" => 'm',
            "h" | "hour" => 'h',
            _ => return Err(bad()),
        };
        // Once in a day is the slowest that makes sense, a million a second the fastest.
        if !(1e-5..=1e6).contains(&count) {
            return Err(bad());
        }
        Ok(Self { count, unit })
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

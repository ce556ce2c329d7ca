//! Typed values and the parsers that make them of a page's text.

mod contact;
mod convert;
mod currency;
mod date;
mod number;
mod price;
mod types;

pub use convert::{ConvertContext, ConvertError, convert};
pub use types::{Email, Phone, Price, Value};

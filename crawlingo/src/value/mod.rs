//! Typed values and the parsers that make them of a page's text.

mod convert;
mod types;

pub use convert::{ConvertContext, ConvertError, convert};
pub use types::{Email, Phone, Price, Value};

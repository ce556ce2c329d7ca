//! What to extract, as plain data.
//!
//! A [`Schema`] names a dataset and its [`Field`]s; each field has one or more [`Selector`]s, a [`Kind`] of value and a
//! [`Cardinality`]. The derive macro emits a schema, the bindings build one, TOML and JSON files hold one, and one
//! engine (`crawlingo::dataset::Extractor`) reads it. Nothing in here does I/O or knows a document.
//!
//! The grammars of the selectors live here too ([`css`], [`xpath`], [`pattern`], [`path`]), so that the very parser that
//! runs over a page is the one that checks an expression at compile time.
//!
//! ```
//! use crawlingo_schema::{Field, Kind, Schema, Selector};
//!
//! let schema = Schema::builder("Book")
//!     .each(Selector::css("article.product"))
//!     .field(Field::new("title", Kind::Text, Selector::css("h3 a").attr("title")))
//!     .field(Field::new("price", Kind::price(), Selector::css(".price")))
//!     .build()?;
//! assert_eq!(schema.fields[1].name, "price");
//! # Ok::<(), crawlingo_schema::SchemaError>(())
//! ```

mod builder;
pub mod css;
mod error;
mod field;
mod json_schema;
mod keys;
mod kind;
pub mod path;
pub mod pattern;
mod schema;
mod selector;
mod serial;
mod spider;
pub mod xpath;

pub use builder::SchemaBuilder;
pub use error::{SchemaError, SchemaErrorKind};
pub use field::{Cardinality, Field, HealMode, Transform};
pub use json_schema::{record_json_schema, schema_json_schema};
pub use keys::{FIELD_KEYS, QUERY_KEYS, SCHEMA_KEYS, SELECTOR_KEYS, suggest};
pub use kind::{DateOptions, DateOrder, Kind, Shape};
pub use schema::Schema;
pub use selector::{Query, RegexOn, Selector, Take};
pub use spider::{FollowRule, ItemRule, Login, OnInvalid, Order, PageRule, Paginate, Rate, SpiderSpec};

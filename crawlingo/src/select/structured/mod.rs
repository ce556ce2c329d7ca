//! Structured data that pages carry beside what they show: JSON-LD, microdata, `<meta>`, Open Graph, and JSON in scripts.
//!
//! Each module reads a [`Document`](crate::dom::Document) and gives JSON values. JSON-LD and microdata are asked by the
//! same [`Path`](crate::schema::path::Path), such as `Product.offers.price`; JSON by a JSONPath; metas by their name.
//! [`published`] puts together what they say about one thing that is often wanted: the day of publication.
//! What a page sends is hostile: no reader recurses over it, and depth, size and the amount of results are bounded.

mod entities;
mod graph;
pub mod json;
pub mod jsonld;
pub mod meta;
pub mod microdata;
pub mod opengraph;
pub mod published;
mod relaxed;
mod script;

pub use relaxed::JsonError;

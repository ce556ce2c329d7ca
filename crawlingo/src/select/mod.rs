//! Selectors over a document: where values stand.

pub mod anchor;
pub mod css;
pub mod regex;
pub mod structured;
pub(crate) mod text_index;
pub mod xpath;

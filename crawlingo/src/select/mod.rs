//! Selectors over a document.

pub mod structured;

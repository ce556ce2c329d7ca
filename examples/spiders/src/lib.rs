//! Spiders that a user would start from; each is run by a test.

#![allow(clippy::print_stdout)] // What the examples print is what they are for.

pub mod books;
pub mod listing;
pub mod product;

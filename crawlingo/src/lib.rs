//! Declarative scraping: describe the data as a typed struct, and one runtime fetches, parses, extracts and streams it.

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod config;
pub mod crawl;
pub mod dataset;
pub mod dom;
mod error;
pub mod fetch;
pub mod heal;
pub mod select;
pub mod session;
pub mod sink;
pub mod types;
pub mod value;

pub use config::Config;
pub use crawl::Spider;
pub use crawlingo_derive::{Dataset, Spider};
pub use crawlingo_schema as schema;
pub use dataset::Dataset;
pub use error::{BoxError, Error, ErrorKind, FetchFailure};
pub use session::{Page, Session};
pub use types::{Headers, HttpVersion, Profile, Request, Response, Tier};

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

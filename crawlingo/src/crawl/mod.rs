//! Crawling: a spider walks a site, and its records are neither lost nor doubled.

mod canonical;
pub mod frontier;
mod robots;
mod robots_rules;

pub use canonical::{RequestKey, canonical_url, request_key};
pub use robots::Robots;

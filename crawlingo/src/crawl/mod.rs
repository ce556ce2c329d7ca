//! Crawling: a spider walks a site, and its records are neither lost nor doubled.

mod canonical;
mod engine;
pub mod frontier;
mod links;
mod quarantine;
mod report;
mod robots;
mod robots_rules;
mod spider;
mod stream;
mod worker;

pub use canonical::{RequestKey, canonical_url, request_key};
pub use engine::{Crawl, Stop};
pub use report::{CrawlReport, Ended, FailedPage};
pub use robots::Robots;
pub use spider::{FromScraped, Spider, SpiderCrawl};
pub use stream::RecordStream;

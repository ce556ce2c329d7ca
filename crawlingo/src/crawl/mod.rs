//! Crawling: a spider walks a site, and its records are neither lost nor doubled.

mod budget;
mod canonical;
mod engine;
pub mod frontier;
mod hooks;
mod links;
mod login;
mod pagination;
mod quarantine;
mod read;
mod report;
mod robots;
mod robots_rules;
mod sitemap;
mod spider;
mod stream;
mod throttle;
mod worker;

pub use canonical::{RequestKey, canonical_url, request_key};
pub use engine::{Crawl, Stop};
pub use hooks::{Found, Next};
pub use pagination::PageNumber;
pub use report::{CrawlReport, Ended, FailedPage};
pub use robots::Robots;
pub use sitemap::{Sitemap, SitemapEntry};
pub use spider::{FromScraped, Spider, SpiderCrawl};
pub use stream::RecordStream;

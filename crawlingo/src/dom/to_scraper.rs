//! A way out for code that is written on scraper.

use super::Document;

impl Document {
    /// The document as scraper has it: written as HTML and parsed again by scraper, with its rules. Only with the feature
    /// `scraper`.
    pub fn to_scraper(&self) -> scraper::Html {
        scraper::Html::parse_document(&self.html())
    }
}

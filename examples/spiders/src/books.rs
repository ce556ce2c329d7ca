//! A listing of many pages: each product once, as a typed record, following the link to the next page.

use crawlingo::value::Price;
use crawlingo::{Dataset, Spider};
use serde::Serialize;
use url::Url;

/// A product of the listing.
#[derive(Debug, Clone, PartialEq, Dataset, Serialize)]
#[dataset(each = "article.product", key = "url")]
pub struct Book {
    /// The whole title; the link's text is cut short.
    #[selector(css = "h3 a", attr = "title", heal)]
    pub title: String,
    /// The price, whatever way it is written in.
    #[selector(css = ".price", heal)]
    pub price: Price,
    /// The product's page.
    #[selector(css = "h3 a", attr = "href")]
    pub url: Url,
    /// From 1 to 5 stars.
    #[selector(css = ".star-rating", attr = "class", replace = ["star-rating", ""], trim, with = stars)]
    pub rating: u8,
    /// How many are left; none if it says nothing of it.
    #[selector(regex = r"\((\d+) available\)")]
    pub stock: Option<u32>,
}

/// The listing from `start` on, page by page.
#[derive(Debug, Clone, Spider)]
#[spider(start = "{start}", item = Book, follow(css = "a[rel=next]"), order = "depth")]
pub struct Books {
    /// Its first page.
    pub start: String,
}

/// A rating written as a word.
fn stars(word: String) -> Result<u8, String> {
    match word.as_str() {
        "One" => Ok(1),
        "Two" => Ok(2),
        "Three" => Ok(3),
        "Four" => Ok(4),
        "Five" => Ok(5),
        other => Err(format!("{other:?} is no number of stars")),
    }
}

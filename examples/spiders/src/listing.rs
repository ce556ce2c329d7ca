//! A listing whose every selector heals: read once, it is read again after a redesign.

use crawlingo::Dataset;
use crawlingo::value::Price;
use serde::Serialize;
use url::Url;

/// A row of the listing.
#[derive(Debug, Clone, PartialEq, Dataset, Serialize)]
#[dataset(each = "article.product", key = "url", heal)]
pub struct Row {
    /// The whole title.
    #[selector(css = "h3 a", attr = "title")]
    pub title: String,
    /// The price.
    #[selector(css = "b.price")]
    pub price: Price,
    /// The product's page.
    #[selector(css = "h3 a", attr = "href")]
    pub url: Url,
    /// What is said of the stock, if anything is.
    #[selector(css = "p.stock")]
    pub stock: Option<String>,
}

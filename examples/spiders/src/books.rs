//! A listing of many pages: each product once, as a typed record, following the link to the next page.

use crawlingo::value::Price;
use crawlingo::{Dataset, Error, Session};
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

/// The link to the next page.
#[derive(Debug, Dataset)]
struct Pager {
    #[selector(css = "a[rel=next]")]
    next: Option<Url>,
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

/// Reads the listing from `start` on, at most `max_pages` pages, and hands over the books of each page as it comes.
///
/// # Errors
/// When a page cannot be fetched, or a book on it lacks what it must have.
pub async fn crawl(
    session: &Session,
    start: &str,
    max_pages: usize,
    mut found: impl FnMut(Vec<Book>) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut next = Some(start.to_owned());
    let mut pages = 0;
    while let Some(url) = next.take().filter(|_| pages < max_pages) {
        let page = session.page(&url).await?;
        pages += 1;
        found(page.datasets()?)?;
        next = page.dataset::<Pager>()?.next.map(String::from);
    }
    Ok(pages)
}

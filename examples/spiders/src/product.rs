//! One page read in many ways: CSS, labels, tables, JSON-LD, microdata, metas.

use crawlingo::Dataset;
use crawlingo::value::Price;
use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::Serialize;

/// A product's page.
#[derive(Debug, Clone, PartialEq, Dataset, Serialize)]
pub struct Product {
    /// By CSS.
    #[selector(css = "h1[itemprop=name]")]
    pub title: String,
    /// By a chain: the visible price, else what the page tells search engines.
    #[selector(css = "main .price [itemprop=price]")]
    #[selector(jsonld = "Product.offers.price")]
    pub price: Price,
    /// By JSON-LD.
    #[selector(jsonld = "Product.offers.price")]
    pub amount: Decimal,
    /// By microdata.
    #[selector(microdata = "Product.offers.priceCurrency")]
    pub currency: String,
    /// By the label before it.
    #[selector(after_text = "Made in")]
    pub origin: String,
    /// By the label before it, in a definition list.
    #[selector(after_text = "Number", within = "dl")]
    pub number: String,
    /// By the machine-readable form of a `<time>`.
    #[selector(css = ".added time")]
    pub added: Date,
    /// By a regular expression over the visible text.
    #[selector(regex = r"In stock \((\d+)")]
    pub stock: Option<u32>,
    /// By a meta.
    #[selector(meta = "description")]
    pub description: String,
    /// The way to the product, each step of it.
    #[selector(css = ".breadcrumb li")]
    pub path: Vec<String>,
    /// The details, a record for each row.
    #[selector(css = ".specs tr")]
    pub specs: Vec<Spec>,
}

/// A row of the table of details.
#[derive(Debug, Clone, PartialEq, Dataset, Serialize)]
pub struct Spec {
    /// What it is.
    #[selector(css = "th")]
    pub name: String,
    /// How much of it.
    #[selector(css = "td")]
    pub value: String,
}

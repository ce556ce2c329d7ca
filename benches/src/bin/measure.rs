//! `measure FOLDER`: parse (MB/s) over a folder's pages and extract (records/s) over a listing, one `name value` a line, for
//! `scripts/bench` to put beside the peers. The best of several rounds counts, as for the peers.

#![allow(clippy::print_stdout)] // The figures are the output.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use crawlingo::dataset::{Extractor, Source};
use crawlingo::dom::{Document, ParseOptions};
use crawlingo::schema::{Field, Kind, Schema, Selector};
use crawlingo_benches::{listing, pages};

const ROUNDS: usize = 5;

fn best(mut round: impl FnMut()) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: measure FOLDER")?;
    let pages = pages(Path::new(&folder))?;
    let bytes: usize = pages.iter().map(|(_, bytes)| bytes.len()).sum();
    let megabytes = bytes as f64 / 1e6;
    let options = ParseOptions::default();
    let parse = best(|| {
        for (_, bytes) in &pages {
            black_box(Document::parse_bytes(bytes, &options).ok());
        }
    });
    println!("parse crawlingo {:.1}", megabytes / parse);
    let scraper = best(|| {
        for (_, bytes) in &pages {
            black_box(scraper::Html::parse_document(&String::from_utf8_lossy(bytes)));
        }
    });
    println!("parse scraper {:.1}", megabytes / scraper);

    let page = listing(1000);
    let schema = Schema::builder("Book")
        .each(Selector::css("article.product"))
        .field(Field::new("title", Kind::Text, Selector::css("h3 a").attr("title")))
        .field(Field::new("price", Kind::Text, Selector::css(".price")))
        .field(Field::new("url", Kind::Text, Selector::css("h3 a").attr("href")))
        .field(Field::new("stock", Kind::Text, Selector::css(".stock")))
        .build()?;
    let typed = Schema::builder("Book")
        .each(Selector::css("article.product"))
        .field(Field::new("title", Kind::Text, Selector::css("h3 a").attr("title")))
        .field(Field::new("price", Kind::price(), Selector::css(".price")))
        .field(Field::new("url", Kind::Text, Selector::css("h3 a").attr("href")))
        .field(Field::new("stock", Kind::Integer, Selector::regex(r"\((\d+) available")))
        .build()?;
    for (name, schema) in [("crawlingo", schema), ("crawlingo-typed", typed)] {
        let extractor = Extractor::new(&schema)?;
        let mut records = 0;
        let extract = best(|| {
            let document = Document::parse(&page);
            records = extractor.extract(&Source::document(&document, None)).records.len();
        });
        println!("extract {name} {:.0}", records as f64 / extract);
    }
    if let Some(path) = std::env::args().nth(2) {
        std::fs::write(path, page)?;
    }
    Ok(())
}

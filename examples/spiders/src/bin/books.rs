//! `books START [OUTPUT.jsonl]`: crawls a shop's listing, writes JSON lines, prints a table.

#![allow(clippy::print_stdout)] // The table is the point.

use std::io::Write;
use std::process::ExitCode;

use comfy_table::{CellAlignment, Table, presets};
use crawlingo::{Error, Spider};
use crawlingo_spiders::books::{Book, Books};
use futures_util::StreamExt as _;

/// How many rows the table shows; the file holds all.
const SHOWN: usize = 12;

async fn run(start: &str, output: &str) -> Result<(), Error> {
    let io = |error: std::io::Error| Error::io(output, error);
    let mut file = std::io::BufWriter::new(std::fs::File::create(output).map_err(io)?);
    let mut books: Vec<Book> = Vec::new();
    let mut stream = Books { start: start.to_owned() }.crawl().stream();
    while let Some(scraped) = stream.next().await {
        let book = scraped?.record;
        serde_json::to_writer(&mut file, &book).map_err(|error| io(error.into()))?;
        file.write_all(b"\n").map_err(io)?;
        books.push(book);
    }
    file.flush().map_err(io)?;
    let pages = stream.report().map_or(0, |report| report.fetched());

    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header(["title", "amount", "currency", "rating", "stock"]);
    for book in books.iter().take(SHOWN) {
        table.add_row([
            book.title.clone(),
            book.price.amount.to_string(),
            book.price.currency.clone().unwrap_or_default(),
            "★".repeat(book.rating.into()),
            book.stock.map_or_else(|| "sold out".to_owned(), |count| count.to_string()),
        ]);
    }
    for column in [1, 4] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    println!("{table}");
    println!("{} records of {pages} pages, the first {} above, all in {output}", books.len(), books.len().min(SHOWN));
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(start) = args.next() else {
        eprintln!("usage: books START [OUTPUT.jsonl]");
        return ExitCode::from(2);
    };
    let output = args.next().unwrap_or_else(|| "books.jsonl".to_owned());
    match run(&start, &output).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("books: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

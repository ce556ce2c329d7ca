//! `healing URL STORE`: reads a listing, remembers where its values stood, and says what had to be found again.

#![allow(clippy::print_stdout)] // The report is the point.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use comfy_table::{Table, presets};
use crawlingo::heal::{HealRow, SledHealStore};
use crawlingo::{Error, Session};
use crawlingo_spiders::listing::Row;

async fn run(url: &str, store: &str) -> Result<(), Error> {
    let heals: Arc<Mutex<Vec<HealRow>>> = Arc::default();
    let told = Arc::clone(&heals);
    let session = Session::builder()
        .heal_store(Arc::new(SledHealStore::open(store)?))
        .on_heal(move |heal| told.lock().unwrap_or_else(PoisonError::into_inner).push(heal.clone()))
        .build()?;
    let rows: Vec<Row> = session.page(url).await?.datasets()?;
    println!(
        "{} records, the first: {}",
        rows.len(),
        rows.first().map(|row| format!("{}, {}", row.title, row.price)).unwrap_or_default()
    );

    let heals = heals.lock().unwrap_or_else(PoisonError::into_inner);
    if heals.is_empty() {
        println!("every selector matched; what it matched is remembered");
        return Ok(());
    }
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_header([
        "field",
        "outcome",
        "confidence",
        "proposed selector",
        "element",
    ]);
    for heal in heals.iter() {
        let shown: String = heal.element.chars().take(60).collect();
        table.add_row([
            heal.field.clone(),
            heal.outcome.clone(),
            format!("{:.2}", heal.confidence),
            heal.selector.clone().unwrap_or_default(),
            shown,
        ]);
    }
    println!("{table}");
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, store] = arguments.as_slice() else {
        eprintln!("usage: healing URL STORE");
        return ExitCode::from(2);
    };
    match run(url, store).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("healing: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

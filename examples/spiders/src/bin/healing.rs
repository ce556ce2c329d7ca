//! `healing URL STORE [OUT.jsonl]`: reads a listing, remembers where its values stood, and says what had to be found again.
//! `healing --compare BEFORE.jsonl AFTER.jsonl`: says how the records of two runs differ.

#![allow(clippy::print_stdout)] // The report is the point.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use comfy_table::{Table, presets};
use crawlingo::heal::{HealRow, SledHealStore};
use crawlingo::{Error, Session};
use crawlingo_spiders::listing::Row;
use serde_json::Value;

async fn run(url: &str, store: &str, out: Option<&str>) -> Result<(), Error> {
    let heals: Arc<Mutex<Vec<HealRow>>> = Arc::default();
    let told = Arc::clone(&heals);
    let session = Session::builder()
        .heal_store(Arc::new(SledHealStore::open(store)?))
        .on_heal(move |heal| told.lock().unwrap_or_else(PoisonError::into_inner).push(heal.clone()))
        .build()?;
    let rows: Vec<Row> = session.page(url).await?.datasets()?;
    let first = rows.first().map(|row| format!(", the first: {}, {}", row.title, row.price)).unwrap_or_default();
    println!("{} records{first}", rows.len());
    if let Some(out) = out {
        let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
        let text = lines.map_err(|error| Error::io(out, std::io::Error::other(error)))?.join("\n");
        std::fs::write(out, text).map_err(|error| Error::io(out, error))?;
    }

    let heals = heals.lock().unwrap_or_else(PoisonError::into_inner);
    if heals.is_empty() {
        println!("every selector matched; what it matched is remembered");
        return Ok(());
    }
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED);
    table.set_header(["field", "outcome", "confidence", "proposed selector", "element"]);
    for heal in heals.iter() {
        let shown: String = heal.element.chars().take(60).collect();
        let selector = heal.selector.clone().unwrap_or_default();
        table.add_row([heal.field.clone(), heal.outcome.clone(), format!("{:.2}", heal.confidence), selector, shown]);
    }
    println!("{table}");
    Ok(())
}

/// Says for each field in how many records it is the same, another or gone.
fn compare(before: &str, after: &str) -> Result<(), Error> {
    let read = |path: &str| -> Result<Vec<Value>, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
        let records: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        records.map_err(|error| Error::io(path, std::io::Error::other(error)))
    };
    let (before, after) = (read(before)?, read(after)?);
    println!("{} records before, {} after", before.len(), after.len());
    let Some(first) = before.first().and_then(Value::as_object) else { return Ok(()) };
    for field in first.keys() {
        let pairs = || before.iter().zip(&after).map(|(before, after)| (&before[field], &after[field]));
        let same = pairs().filter(|(before, after)| before == after).count();
        let gone = pairs().filter(|(before, after)| !before.is_null() && after.is_null()).count();
        println!("  {field}: the same in {same}, gone in {gone}, another in {}", before.len() - same - gone);
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["--compare", before, after] => compare(before, after),
        [url, store] => run(url, store, None).await,
        [url, store, out] => run(url, store, Some(out)).await,
        _ => {
            eprintln!("usage: healing URL STORE [OUT.jsonl] | healing --compare BEFORE.jsonl AFTER.jsonl");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("healing: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

//! Records as JSON, JSON lines, CSV or a table.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table, presets};
use crawlingo::dataset::Record;
use crawlingo::value::Value;

use crate::args::Format;

/// The most characters of a table's cell.
const CELL: usize = 60;

/// The values of the only field, a line each. A value that is a list or a record is JSON.
pub(crate) fn lines(records: &[Record], out: &mut dyn Write) -> io::Result<()> {
    for value in records.iter().flat_map(|record| record.values()) {
        match value {
            Value::List(values) => {
                for value in values {
                    line(value, out)?;
                }
            }
            Value::Null => {}
            other => line(other, out)?,
        }
    }
    out.flush()
}

fn line(value: &Value, out: &mut dyn Write) -> io::Result<()> {
    match value {
        // A text with line breaks would look like several values.
        Value::Text(text) if !text.contains('\n') => writeln!(out, "{text}"),
        Value::Json(serde_json::Value::String(text)) if !text.contains('\n') => writeln!(out, "{text}"),
        Value::Text(text) => writeln!(out, "{text}\n"),
        Value::Json(json) => writeln!(out, "{json}"),
        other => writeln!(out, "{other}"),
    }
}

pub(crate) fn records(records: &[Record], format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, records)?;
            writeln!(out)?;
        }
        Format::Jsonl => {
            for record in records {
                serde_json::to_writer(&mut *out, record)?;
                writeln!(out)?;
            }
        }
        Format::Csv => csv(records, out)?,
        Format::Table => table(records, out)?,
    }
    out.flush()
}

/// What a cell of a flat format holds: lists and records as JSON.
fn cell(value: &Value) -> io::Result<String> {
    Ok(match value {
        Value::List(_) | Value::Record(_) => serde_json::to_string(value)?,
        other => other.to_string(),
    })
}

fn columns(records: &[Record]) -> Vec<String> {
    let first = records.first().map(|record| record.schema());
    first.map_or_else(Vec::new, |schema| schema.fields.iter().map(|field| field.name.clone()).collect())
}

fn csv(records: &[Record], out: &mut dyn Write) -> io::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(columns(records))?;
    for record in records {
        let cells = record.values().iter().map(cell).collect::<io::Result<Vec<_>>>()?;
        writer.write_record(cells)?;
    }
    writer.flush()
}

fn table(records: &[Record], out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(columns(records));
    for record in records {
        let cells = record.values().iter().map(cell).collect::<io::Result<Vec<_>>>()?;
        table.add_row(cells.into_iter().map(|text| shorten(&text)));
    }
    writeln!(out, "{table}")
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= CELL {
        return text.to_owned();
    }
    text.chars().take(CELL - 1).chain(['…']).collect()
}

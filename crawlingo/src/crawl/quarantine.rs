//! What is no record, and why, as a record of its own.

use std::sync::{Arc, LazyLock};

use crawlingo_schema::{Field, Kind, Schema, Selector};
use jiff::Timestamp;

use crate::dataset::Record;
use crate::sink::{Origin, Scraped};
use crate::value::Value;
use crate::{Error, ErrorKind};

/// Where it comes from is known; the selectors stand for nothing.
static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let names = ["url", "dataset", "record", "field", "reason"];
    let mut builder = Schema::builder("Invalid");
    for name in names {
        builder = builder.field(Field::new(name, Kind::Text, Selector::css("*")));
    }
    match builder.build() {
        Ok(schema) => Arc::new(schema),
        // It is made of constants, and made by a test.
        Err(error) => unreachable!("the schema of invalid records: {error}"),
    }
});

/// The record of an error.
pub(super) fn record(error: &Error, run_id: &Arc<str>) -> Scraped {
    let text = |text: &str| Value::Text(text.to_owned());
    let (url, values) = match error.kind() {
        ErrorKind::Extraction { url, dataset, record, field, .. } => {
            let url = url.clone().unwrap_or_default();
            let reason = text(&error.to_string());
            let values = vec![text(&url), text(dataset), text(&record.to_string()), text(field), reason];
            (url, values)
        }
        _ => (String::new(), vec![Value::Null, Value::Null, Value::Null, Value::Null, text(&error.to_string())]),
    };
    let origin = Arc::new(Origin::new(url, Timestamp::now(), Arc::clone(run_id), 0));
    Scraped::new(Record::new(Arc::clone(&SCHEMA), values), origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_a_record() {
        let made = record(&Error::parse("odd"), &"run".into());
        assert_eq!(
            made.record.get("reason").map(|reason| reason.to_string()).as_deref(),
            Some("cannot parse the document: odd")
        );
    }
}

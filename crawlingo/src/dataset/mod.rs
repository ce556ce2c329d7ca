//! Datasets: the [`Extractor`] that runs a schema over a page, the [`Record`]s it gives, and the typed edge
//! ([`Dataset`], [`FieldType`]).

mod extractor;
mod field_type;
mod record;

pub use extractor::{ExtractLimits, Extraction, Extractor, FieldReport, Note, Outcome, Report, Source};
pub use field_type::{Dataset, FieldType};
pub use record::Record;

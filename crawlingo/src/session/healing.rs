//! Healing, as a session does it: the store is asked before an extraction and told after it, and what happened is told.

use std::sync::Arc;

use super::Page;
use crate::Error;
use crate::dataset::{Extraction, Extractor, Outcome};
use crate::heal::{HealKey, HealRow, HealStore};

/// Called with each heal, suggestion, refusal and drift.
pub(super) type OnHeal = Arc<dyn Fn(&HealRow) + Send + Sync>;

#[derive(Clone)]
pub(super) struct Healer {
    pub(super) store: Arc<dyn HealStore>,
    pub(super) threshold: f32,
    pub(super) on_heal: Option<OnHeal>,
}

impl std::fmt::Debug for Healer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Healer").field("store", &self.store).field("threshold", &self.threshold).finish_non_exhaustive()
    }
}

impl Healer {
    /// Extracts, heals and remembers. A store that fails is an error of the extraction, never a silence.
    pub(super) fn extract(&self, page: &Page, extractor: &Extractor) -> Extraction {
        let schema = extractor.schema();
        let key = HealKey {
            site: page.url().origin().ascii_serialization(),
            schema: schema.name.clone(),
            version: schema.version,
        };
        let snapshot = match self.store.snapshot(&key) {
            Ok(snapshot) => snapshot.with_threshold(self.threshold),
            Err(error) => return failed(extractor.extract(&page.source()), error),
        };
        let mut extraction = extractor.extract_with(&page.source(), &snapshot);
        let rows = rows(&key, page, &extraction);
        for row in &rows {
            tell(row);
            if let Some(on_heal) = &self.on_heal {
                on_heal(row);
            }
        }
        let learned = std::mem::take(&mut extraction.learned);
        match self.store.commit(&key, &learned, &rows) {
            Ok(()) => extraction,
            Err(error) => failed(extraction, error),
        }
    }
}

fn failed(mut extraction: Extraction, error: Error) -> Extraction {
    extraction.errors.insert(0, error);
    extraction
}

fn tell(row: &HealRow) {
    let HealRow { field, outcome, confidence, element, .. } = row;
    let selector = row.selector.as_deref().unwrap_or("none found");
    tracing::warn!(target: "crawlingo::heal", %field, %outcome, %confidence, %selector, %element, "a selector did not match as before");
}

fn rows(key: &HealKey, page: &Page, extraction: &Extraction) -> Vec<HealRow> {
    let mut rows = Vec::new();
    for field in &extraction.report.fields {
        for note in &field.notes {
            let (outcome, confidence, selector, element) = match &note.outcome {
                Outcome::Healed { confidence, selector, element, .. } => {
                    ("healed", confidence, selector.clone(), element)
                }
                Outcome::Suggested { confidence, selector, element, .. } => {
                    ("suggested", confidence, selector.clone(), element)
                }
                Outcome::Abstained { confidence, element, .. } => ("abstained", confidence, None, element),
                Outcome::Drifted { confidence, element, .. } => ("drifted", confidence, None, element),
                _ => continue,
            };
            rows.push(HealRow {
                key: key.clone(),
                field: field.path.clone(),
                url: Some(page.url().to_string()),
                at: jiff::Timestamp::now().as_millisecond(),
                outcome: outcome.to_owned(),
                confidence: *confidence,
                selector,
                element: element.clone(),
            });
        }
    }
    rows
}

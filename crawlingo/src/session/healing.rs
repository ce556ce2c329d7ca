//! Healing, as a session does it: the store is asked before an extraction and told after it, and what happened is told.

use std::sync::Arc;

use crawlingo_schema::HealMode;
use url::Url;

use super::Page;
use crate::Error;
use crate::ErrorKind;
use crate::dataset::{Extraction, Extractor, Outcome};
use crate::heal::{HealCommit, HealKey, HealRow, HealStore, Model};

/// Called with each heal, suggestion, refusal and drift.
pub(super) type OnHeal = Arc<dyn Fn(&HealRow) + Send + Sync>;

#[derive(Clone)]
pub(super) struct Healer {
    pub(super) store: Arc<dyn HealStore>,
    pub(super) threshold: f32,
    pub(super) on_heal: Option<OnHeal>,
    /// What fields do of schemas that say nothing of healing.
    pub(super) auto_match: HealMode,
    pub(super) model: Option<Arc<Model>>,
    /// Whether a selector that seems to match something else is an error.
    pub(super) strict: bool,
}

impl std::fmt::Debug for Healer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Healer").field("store", &self.store).field("threshold", &self.threshold).finish_non_exhaustive()
    }
}

impl Healer {
    /// Whether the fields of an extractor heal here.
    pub(super) fn heals(&self, extractor: &Extractor) -> bool {
        extractor.heals() || self.auto_match != HealMode::Off
    }

    fn key(&self, url: &Url, extractor: &Extractor) -> HealKey {
        let schema = extractor.schema();
        HealKey { site: url.origin().ascii_serialization(), schema: schema.name.clone(), version: schema.version }
    }

    /// The pages that what is remembered of a dataset on the site of a URL was taken from.
    pub(super) fn pages(&self, url: &Url, extractor: &Extractor) -> Result<Vec<String>, Error> {
        let snapshot = self.store.snapshot(&self.key(url, extractor))?;
        Ok(snapshot.pages().into_iter().map(str::to_owned).collect())
    }

    /// Extracts, heals and remembers. A store that fails is an error of the extraction, never a silence.
    pub(super) fn extract(&self, page: &Page, extractor: &Extractor) -> Extraction {
        let key = self.key(page.url(), extractor);
        let snapshot = match self.store.snapshot(&key) {
            Ok(snapshot) => snapshot.with_threshold(self.threshold).with_auto_match(self.auto_match),
            Err(error) => return failed(extractor.extract(&page.source()), error),
        };
        let snapshot = match &self.model {
            Some(model) => snapshot.with_model(Arc::clone(model)),
            None => snapshot,
        };
        let mut extraction = extractor.extract_with(&page.source(), &snapshot);
        if self.strict {
            refuse_drifted(page, extractor, &mut extraction);
        }
        let rows = rows(&key, page, &extraction);
        for row in &rows {
            tell(row);
            if let Some(on_heal) = &self.on_heal {
                on_heal(row);
            }
        }
        let mut commit = HealCommit::new(&snapshot);
        commit.learned = std::mem::take(&mut extraction.learned);
        commit.found = extraction.found.clone();
        commit.rows = rows;
        match self.store.commit(&key, &commit) {
            Ok(()) => extraction,
            Err(error) => failed(extraction, error),
        }
    }
}

/// A value of an element that is likely the wrong one is worse than none: the records of the page are not given.
fn refuse_drifted(page: &Page, extractor: &Extractor, extraction: &mut Extraction) {
    let schema = extractor.schema();
    let mut errors = Vec::new();
    for field in &extraction.report.fields {
        for note in &field.notes {
            let Outcome::Drifted { confidence, element, matched } = &note.outcome else { continue };
            let message = format!(
                "the selector finds {matched}, but what it found before is, with a probability of {confidence:.2}, {element}; \
                 correct the selector, or forget what is remembered"
            );
            let selectors = schema.fields.iter().find(|own| own.name == field.path).map(|own| &own.selectors);
            let selector = selectors.and_then(|all| all.first()).map(|first| first.query.expression().to_owned());
            errors.push(Error::new(ErrorKind::Extraction {
                url: Some(page.url().to_string()),
                dataset: schema.name.clone(),
                record: note.record,
                field: field.path.clone(),
                selector: selector.unwrap_or_default(),
                message,
            }));
        }
    }
    if !errors.is_empty() {
        extraction.records.clear();
        extraction.errors.splice(0..0, errors);
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

//! What a crawl did, for people and for monitoring.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Counted;

/// How many failed pages are kept with their reasons; the counts go on.
const MAX_FAILED: usize = 1_000;

/// What a crawl did, over all its runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CrawlReport {
    /// The crawl's name for itself, which its first run made.
    pub run_id: String,
    /// Pages that were fetched, by status.
    pub pages: BTreeMap<u16, u64>,
    /// The bytes of their bodies.
    pub bytes: u64,
    /// Records that were written.
    pub records: u64,
    /// Records that missed a required field.
    pub invalid: u64,
    /// For each dataset and field, how many records have a value.
    pub coverage: BTreeMap<String, BTreeMap<String, u64>>,
    /// The records of each dataset.
    pub datasets: BTreeMap<String, u64>,
    /// For each dataset and field, on how many pages it healed.
    pub healed: BTreeMap<String, BTreeMap<String, u64>>,
    /// Links and pages that were left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// How often a page was tried again.
    pub retries: u64,
    /// How many pages failed for good.
    pub failures: u64,
    /// They, and why; the first thousand.
    pub failed: Vec<FailedPage>,
    /// How many seconds it took.
    pub seconds: f64,
    /// Why it ended.
    pub ended: Ended,
    /// Pages that are still to be fetched.
    pub pending: u64,
    /// What looks like a trap, such as a calendar without end.
    #[serde(default)]
    pub warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "Counted::is_empty")]
    pub(super) counted: Counted,
    /// Hosts that the starts led to.
    #[serde(default)]
    pub(super) hosts: Vec<String>,
}

/// A page that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedPage {
    /// Its URL.
    pub url: String,
    /// Why.
    pub reason: String,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// It did not yet.
    #[default]
    Running,
    /// Nothing was left to be fetched.
    Done,
    /// A bound of the spider was reached.
    Bound,
    /// It was asked to stop.
    Stopped,
}

impl CrawlReport {
    /// How many pages were fetched.
    pub fn fetched(&self) -> u64 {
        self.pages.values().sum()
    }

    /// The share of a dataset's records that have a value for a field, from 0 to 1; `None` where there are no records.
    pub fn coverage(&self, dataset: &str, field: &str) -> Option<f64> {
        let records = *self.datasets.get(dataset).filter(|count| **count > 0)?;
        let filled = self.coverage.get(dataset)?.get(field).copied().unwrap_or(0);
        Some(filled as f64 / records as f64)
    }

    pub(super) fn skip(&mut self, reason: &str, count: u64) {
        *self.skipped.entry(reason.to_owned()).or_default() += count;
    }

    pub(super) fn fail(&mut self, url: String, reason: String) {
        self.failures += 1;
        if self.failed.len() < MAX_FAILED {
            self.failed.push(FailedPage { url, reason });
        }
    }
}

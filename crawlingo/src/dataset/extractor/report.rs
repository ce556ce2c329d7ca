//! What happened on a page, field by field.

use std::collections::BTreeMap;

use serde::Serialize;

/// How many [`Note`]s a field keeps; the counts go on.
const MAX_NOTES: usize = 100;

/// What an extraction did, for people and for monitoring: nothing that deviates from "the first selector matched" goes
/// untold.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// How many records the schema's `each` found (1 where there is none).
    pub found: usize,
    /// One for each field, in the order of the schema; the fields of nested datasets follow theirs (`offer.price`).
    pub fields: Vec<FieldReport>,
}

impl Report {
    /// The report of one field, by its path.
    pub fn field(&self, path: &str) -> Option<&FieldReport> {
        self.fields.iter().find(|field| field.path == path)
    }

    /// Whether every field of every record came from its first selector.
    pub fn is_clean(&self) -> bool {
        self.fields.iter().all(|field| field.notes.is_empty())
    }
}

/// What happened to one field over all records of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FieldReport {
    /// The field's name, behind those of the fields around it: `offer.price`.
    pub path: String,
    /// In how many records a value was found by a selector.
    pub matched: usize,
    /// How many values were found in all.
    pub values: usize,
    /// How often a selector other than the first gave the value, by its position.
    pub fallbacks: BTreeMap<usize, usize>,
    /// How often the default stood in.
    pub defaulted: usize,
    /// In how many records nothing was found.
    pub empty: usize,
    /// How many texts could not be converted.
    pub failed: usize,
    /// How often the field was bound by healing, or by a selector that healing proposed.
    pub healed: usize,
    /// What was out of the ordinary, the first hundred.
    pub notes: Vec<Note>,
}

impl FieldReport {
    pub(super) fn note(&mut self, record: usize, outcome: Outcome) {
        match &outcome {
            Outcome::FellBack { selector } => *self.fallbacks.entry(*selector).or_default() += 1,
            Outcome::Defaulted => self.defaulted += 1,
            Outcome::Empty { .. } => self.empty += 1,
            Outcome::NotConverted { .. } => self.failed += 1,
            Outcome::Healed { .. } | Outcome::Approved { .. } => self.healed += 1,
            Outcome::Suggested { .. } | Outcome::Abstained { .. } | Outcome::Drifted { .. } => {}
        }
        if self.notes.len() < MAX_NOTES {
            self.notes.push(Note { record, outcome });
        }
    }
}

/// One thing that is worth knowing about a field of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Note {
    /// The position of the record on the page, from 0.
    pub record: usize,
    /// What happened.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What happened to a field of a record, other than that its first selector gave the value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// A later selector of the chain gave the value.
    FellBack {
        /// Its position in the chain, from 0.
        selector: usize,
    },
    /// Nothing was found, and the default stands in.
    Defaulted,
    /// Nothing was found.
    Empty {
        /// Why: what was looked for and what was there instead.
        reason: String,
    },
    /// A text was found that is no value of the field's kind.
    NotConverted {
        /// The selector that found it.
        selector: usize,
        /// The text and the reason.
        reason: String,
    },
    /// The selector finds nothing; the element was found by what is remembered of it, and is bound.
    Healed {
        /// The probability that it is right.
        confidence: f32,
        /// A selector that finds it, where one was found.
        selector: Option<String>,
        /// The element, the first of them.
        element: String,
        /// How many elements, over all records.
        count: usize,
        /// What spoke for it most.
        evidence: Vec<String>,
    },
    /// As `Healed`, but `heal = "suggest"` binds nothing.
    Suggested {
        /// The probability that it is right.
        confidence: f32,
        /// A selector that finds it, where one was found.
        selector: Option<String>,
        /// The element, the first of them.
        element: String,
        /// How many elements, over all records.
        count: usize,
        /// What spoke for it most.
        evidence: Vec<String>,
    },
    /// The selector finds nothing, and the most likely element is not likely enough to be bound.
    Abstained {
        /// The probability that it is right.
        confidence: f32,
        /// Why it is not bound.
        reason: String,
        /// The element, the first of them.
        element: String,
    },
    /// The selector finds nothing, and one that was proposed before and taken for good does.
    Approved {
        /// It.
        selector: String,
        /// By whom it was taken for good: `approved` by a person, or `confirmed` on three other pages.
        by: String,
        /// How many elements it finds, over all records.
        count: usize,
    },
    /// The selector still finds an element, but the remembered one seems to be another.
    Drifted {
        /// The probability that the other one is right.
        confidence: f32,
        /// The element that is like what is remembered.
        element: String,
        /// The element that the selector finds.
        matched: String,
    },
}

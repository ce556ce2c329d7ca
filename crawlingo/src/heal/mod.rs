//! Selectors that heal, and know when they must not.
//!
//! When a selector matches, a [`Fingerprint`] of its element is kept, with the elements that could be taken for it; of
//! several elements a [`ListPrint`]. When, after a redesign, the selector matches nothing, the elements of the page are
//! compared with the print. A weight for each feature ranks them, and a small model over the best one's features, its lead
//! and its rivals says with what probability it is right: the *confidence*. At 0.94 and above the element is bound, below
//! it is not; either stands in the report. The probabilities were calibrated on sites that the model was not trained on
//! (`benches/heal`); they are no similarities.
//!
//! An extraction is pure: it reads a [`HealSnapshot`] and gives back what it learned; a [`HealStore`] keeps it.

mod candidates;
mod decide;
mod features;
mod fingerprint;
mod index;
mod lists;
mod memory;
mod model;
mod print;
mod proposal;
mod propose;
mod relocate;
mod similarity;
mod sled_store;
mod snapshot;
mod store;
#[doc(hidden)]
pub mod training;

pub use fingerprint::Fingerprint;
pub use lists::ListPrint;
pub use memory::{DEFAULT_THRESHOLD, EACH, Elsewhere, Print, Remembered};
pub use model::Model;
pub use print::{ElementPrint, Neighbour, Step};
pub use proposal::{Evidence, Found, Proposal, ProposalState, Rival, View};
pub use sled_store::SledHealStore;
pub use snapshot::HealSnapshot;
pub use store::{HealCommit, HealKey, HealRow, HealStore, MemoryHealStore};

pub(crate) use index::PageIndex;
pub(crate) use propose::propose;
pub(crate) use relocate::{evidence, looks_the_same, relocate, remember, same_thing};

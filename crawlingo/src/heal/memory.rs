//! What is remembered of a field, and the immutable view of it that an extraction works with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{ElementPrint, Fingerprint, ListPrint};

/// The name under which the place of the records themselves, a schema's `each`, is remembered.
pub const EACH: &str = "each";

/// The probability of being right from which on a heal is bound.
pub const DEFAULT_THRESHOLD: f32 = 0.94;

/// On how many pages a text must have stayed the same before it counts on another page.
const STABLE_AFTER: u16 = 3;

/// The elements of a field, as they were when its selector last matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Print {
    /// One element.
    One(Box<Fingerprint>),
    /// Several: of a list, or of one field over the records of a page.
    List(ListPrint),
}

/// A print and what is known of its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// The elements.
    pub print: Print,
    /// The page that it was taken from.
    pub url: Option<String>,
    /// On how many pages the selector was seen to match, up to three.
    pub pages: u16,
    /// Whether the text was seen to differ between pages: then it says nothing.
    pub text_changed: bool,
    /// The attribute that was read in the place of the text.
    pub reading: Option<String>,
}

impl Print {
    /// The elements that are remembered: the one, or the exemplars of the list.
    fn elements(&self) -> &[ElementPrint] {
        match self {
            Self::One(print) => std::slice::from_ref(&print.target),
            Self::List(list) => &list.exemplars,
        }
    }
}

impl Remembered {
    pub(crate) fn new(print: Print, url: Option<&Url>, reading: Option<&str>) -> Self {
        let reading = reading.map(str::to_owned);
        Self { print, url: url.map(Url::to_string), pages: 1, text_changed: false, reading }
    }

    /// Whether both remember the same elements of the same page: then they are found again together.
    pub(crate) fn same_elements(&self, other: &Self) -> bool {
        let (own, others) = (self.print.elements(), other.print.elements());
        let count = |print: &Print| match print {
            Print::One(_) => 1,
            Print::List(list) => list.count,
        };
        self.url == other.url
            && count(&self.print) == count(&other.print)
            && own.len() == others.len()
            && own.iter().zip(others).all(|(own, other)| own.same_element(other))
    }

    /// How many elements a list had; `None` where there was one.
    pub(crate) fn listed(&self) -> Option<u32> {
        match &self.print {
            Print::One(_) => None,
            Print::List(list) => Some(list.count),
        }
    }

    /// The print as far as it holds for a page: on another page than its own, addresses do not count, and a text only if
    /// it stayed the same over three pages.
    pub(crate) fn for_page(&self, url: Option<&Url>) -> Print {
        let same_page = self.url.as_deref() == url.map(Url::as_str);
        let text = !self.text_changed && (same_page || self.pages >= STABLE_AFTER);
        match &self.print {
            Print::One(print) => {
                let print = Fingerprint::clone(print);
                let print = if text { print } else { print.without_text() };
                Print::One(Box::new(if same_page { print } else { print.without_addresses() }))
            }
            Print::List(list) => {
                let list = if same_page { list.clone() } else { list.clone().without_text().without_addresses() };
                Print::List(list)
            }
        }
    }

    /// What one more page tells; `None` if it tells nothing new.
    pub(crate) fn seen_again(&self, now: &Print, url: Option<&Url>) -> Option<Self> {
        let (Print::One(before), Print::One(now)) = (&self.print, now) else { return None };
        let changed = before.target.text_hash != now.target.text_hash;
        let other_page = self.url.as_deref() != url.map(Url::as_str);
        let pages = if other_page { (self.pages + 1).min(STABLE_AFTER) } else { self.pages };
        let text_changed = self.text_changed || changed;
        (pages != self.pages || text_changed != self.text_changed).then(|| Self { pages, text_changed, ..self.clone() })
    }
}

/// What is remembered of the fields of one schema on one site. An extraction reads it and never writes: what it learned
/// it gives back.
///
/// ```
/// use crawlingo::dataset::{Extractor, Source};
/// use crawlingo::dom::Document;
/// use crawlingo::heal::HealSnapshot;
/// use crawlingo::schema::{Field, HealMode, Kind, Schema, Selector};
///
/// let price = Field::new("price", Kind::price(), Selector::css("span.price")).heal(HealMode::Bind);
/// let extractor = Extractor::new(&Schema::builder("Book").field(price).build()?)?;
///
/// let before = Document::parse("<h1>Ulysses</h1><p>Price: <span class=price id=amount>12.50 €</span> incl. VAT");
/// let seen = extractor.extract_with(&Source::document(&before, None), &HealSnapshot::default());
/// let mut snapshot = HealSnapshot::default();
/// for (field, remembered) in seen.learned {
///     snapshot.insert(field, remembered);
/// }
/// // The class is gone, and another element has come in between.
/// let after = Document::parse("<h1>Ulysses</h1><div>Price: <b><span id=amount>12.50 €</span></b> incl. VAT</div>");
/// let healed = extractor.extract_with(&Source::document(&after, None), &snapshot);
/// println!("{:?}", healed.report.field("price"));
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HealSnapshot {
    fields: BTreeMap<String, Remembered>,
    threshold: f32,
}

impl Default for HealSnapshot {
    fn default() -> Self {
        Self { fields: BTreeMap::new(), threshold: DEFAULT_THRESHOLD }
    }
}

impl HealSnapshot {
    /// Sets the probability of being right from which on a heal is bound, from 0.5 to 1. It is no similarity: 0.94 says
    /// that 94 of 100 such binds are right on sites that the model has never seen.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f32) -> Self {
        self.threshold = threshold.clamp(0.5, 1.0);
        self
    }

    /// The threshold.
    pub fn threshold(&self) -> f32 {
        self.threshold
    }

    /// Puts in what is remembered of a field, by its path.
    pub fn insert(&mut self, field: impl Into<String>, remembered: Remembered) {
        self.fields.insert(field.into(), remembered);
    }

    /// What is remembered of a field.
    pub fn get(&self, field: &str) -> Option<&Remembered> {
        self.fields.get(field)
    }

    /// The number of fields that something is remembered of.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
}

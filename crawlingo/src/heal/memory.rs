//! What is remembered of a field.

use serde::{Deserialize, Serialize};
use url::Url;

use super::proposal::View;
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
    /// The first of the elements in its surroundings, for people to look at.
    pub view: Option<View>,
}

impl Print {
    /// The elements that are remembered: the one, or the exemplars of the list.
    pub(super) fn elements(&self) -> &[ElementPrint] {
        match self {
            Self::One(print) => std::slice::from_ref(&print.target),
            Self::List(list) => &list.exemplars,
        }
    }
}

impl Remembered {
    pub(crate) fn new(print: Print, url: Option<&Url>, reading: Option<&str>) -> Self {
        let reading = reading.map(str::to_owned);
        Self { print, url: url.map(Url::to_string), pages: 1, text_changed: false, reading, view: None }
    }

    #[must_use]
    pub(crate) fn with_view(self, view: View) -> Self {
        Self { view: Some(view), ..self }
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

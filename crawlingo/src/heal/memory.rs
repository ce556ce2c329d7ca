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
    /// Whether the text was seen to differ between pages: then it says nothing of other pages.
    pub text_changed: bool,
    /// The attribute that was read in the place of the text.
    pub reading: Option<String>,
    /// The first of the elements in its surroundings, for people to look at.
    pub view: Option<View>,
    /// The elements as they were on other pages, at most two.
    pub others: Vec<Elsewhere>,
}

/// The elements of a field on another page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The page.
    pub url: String,
    /// The elements.
    pub print: Print,
}

impl Print {
    /// The elements that are remembered: the one, or the exemplars of the list.
    pub(super) fn elements(&self) -> &[ElementPrint] {
        match self {
            Self::One(print) => std::slice::from_ref(&print.target),
            Self::List(list) => &list.exemplars,
        }
    }

    fn count(&self) -> u32 {
        match self {
            Self::One(_) => 1,
            Self::List(list) => list.count,
        }
    }
}

impl Remembered {
    pub(crate) fn new(print: Print, url: Option<&Url>, reading: Option<&str>) -> Self {
        let reading = reading.map(str::to_owned);
        Self {
            print,
            url: url.map(Url::to_string),
            pages: 1,
            text_changed: false,
            reading,
            view: None,
            others: Vec::new(),
        }
    }

    #[must_use]
    pub(crate) fn with_view(self, view: View) -> Self {
        Self { view: Some(view), ..self }
    }

    /// The print that says most of a page: its own, where there is one. And whether it is its own.
    fn on(&self, url: Option<&Url>) -> (&Print, bool) {
        let url = url.map(Url::as_str);
        if self.url.as_deref() == url {
            return (&self.print, true);
        }
        let own = self.others.iter().find(|other| Some(other.url.as_str()) == url);
        own.map_or((&self.print, false), |other| (&other.print, true))
    }

    /// The pages that it was taken from.
    pub(crate) fn urls(&self) -> impl Iterator<Item = &str> {
        self.url.as_deref().into_iter().chain(self.others.iter().map(|other| other.url.as_str()))
    }

    /// Whether both remember the same elements of the same page: then they are found again together.
    pub(crate) fn same_elements(&self, other: &Self, url: Option<&Url>) -> bool {
        let ((own_print, own_page), (other_print, other_page)) = (self.on(url), other.on(url));
        let (own, others) = (own_print.elements(), other_print.elements());
        own_page == other_page
            && (own_page || self.url == other.url)
            && own_print.count() == other_print.count()
            && own.len() == others.len()
            && own.iter().zip(others).all(|(own, other)| own.same_element(other))
    }

    /// How many elements a list had; `None` where there was one.
    pub(crate) fn listed(&self, url: Option<&Url>) -> Option<u32> {
        match self.on(url).0 {
            Print::One(_) => None,
            Print::List(list) => Some(list.count),
        }
    }

    /// The print as far as it holds for a page: on another page than its own, addresses do not count, and a text only if
    /// it stayed the same over three pages.
    pub(crate) fn for_page(&self, url: Option<&Url>) -> Print {
        let (print, same_page) = self.on(url);
        let text = same_page || (!self.text_changed && self.pages >= STABLE_AFTER);
        match print {
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

    /// Whether a page can tell something new: three of them say what is stable.
    pub(crate) fn can_learn_from(&self, url: Option<&Url>) -> bool {
        self.pages < STABLE_AFTER && !self.on(url).1
    }

    /// What one more page tells.
    pub(crate) fn seen_again(&self, now: Print, url: Option<&Url>) -> Self {
        let changed = match (&self.print, &now) {
            (Print::One(before), Print::One(now)) => before.target.text_hash != now.target.text_hash,
            _ => true,
        };
        let mut again = Self { pages: self.pages + 1, text_changed: self.text_changed || changed, ..self.clone() };
        again.others.extend(url.map(|url| Elsewhere { url: url.to_string(), print: now }));
        again
    }
}

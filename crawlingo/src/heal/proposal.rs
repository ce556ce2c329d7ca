//! What a heal puts before a person: the element as it was and as it is, how sure that is, and the new selector; and what
//! became of it.

use serde::{Deserialize, Serialize};
use url::Url;

use super::memory::{DEFAULT_THRESHOLD, Remembered};
use super::store::HealKey;
use crate::dom::Element;

/// On how many other pages the same must be found before a heal is taken for good without a person.
const OTHER_PAGES: usize = 3;
/// The most bytes of HTML that are kept of an element and its surroundings.
const MAX_VIEW: usize = 4_000;
/// The most elements in it.
const MAX_VIEW_ELEMENTS: usize = 60;

/// An element in its surroundings, as HTML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct View {
    /// The page.
    pub url: Option<String>,
    /// The HTML of an element around, cut at 4,000 bytes.
    pub html: String,
    /// Where in it the element begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl View {
    /// Looks at an element: the more of what is around, the smaller that is.
    pub(crate) fn of(element: Element<'_>, url: Option<&Url>) -> Self {
        let small = |around: &Element<'_>| {
            !matches!(around.tag(), "html" | "body")
                && around.node().descendants().take(MAX_VIEW_ELEMENTS + 1).count() <= MAX_VIEW_ELEMENTS
                && around.text().len() <= MAX_VIEW
        };
        let outer = element.ancestors().take(3).take_while(small).last().unwrap_or(element);
        let (mut html, mut place) = outer.outer_html_marking(element);
        if html.len() > MAX_VIEW {
            (html, place) = element.outer_html_marking(element);
        }
        if html.len() > MAX_VIEW {
            let mut end = MAX_VIEW;
            while !html.is_char_boundary(end) {
                end -= 1;
            }
            html.truncate(end);
            html.push('…');
            place.end = html.len();
        }
        Self { url: url.map(Url::to_string), html, start: place.start, end: place.end }
    }

    /// The HTML before the element, the element, and the HTML behind it.
    pub fn parts(&self) -> (&str, &str, &str) {
        // Stored bytes may be of anybody's making.
        let cut = |from: usize, to: usize| self.html.get(from..to).unwrap_or_default();
        (cut(0, self.start), cut(self.start, self.end), cut(self.end, self.html.len()))
    }
}

/// Another element that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rival {
    /// Its start tag and text.
    pub element: String,
    /// How far it lies behind the best, in logits of the ranker: 0 is as good.
    pub behind: f32,
}

/// What spoke for an element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// What it is that is alike.
    pub says: String,
    /// How much it adds to the element's score.
    pub weight: f32,
}

/// What an extraction found in the place of what a selector no longer finds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Found {
    /// The field's path; `each` for the records themselves.
    pub field: String,
    /// The selectors of the schema, such as `css "h3 a"`.
    pub selectors: Vec<String>,
    /// A CSS selector that finds just what was found, where there is one.
    pub selector: Option<String>,
    /// Whether the extraction used it.
    pub bound: bool,
    /// Why not.
    pub reason: Option<String>,
    /// The probability that it is right.
    pub confidence: f32,
    /// How many elements.
    pub count: usize,
    /// What spoke for it most.
    pub evidence: Vec<Evidence>,
    /// What else was looked at, the nearest first.
    pub rivals: Vec<Rival>,
    /// The first of the elements.
    pub after: View,
    /// What is to be remembered if it is approved.
    pub(crate) print: Remembered,
}

impl Found {
    /// What a rejection is known by: the selector; where there is none, all that has none.
    pub(crate) fn rejectable(&self) -> String {
        self.selector.clone().unwrap_or_default()
    }
}

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProposalState {
    /// Nobody has decided.
    Pending,
    /// A person said that it is right: its selector is used from then on.
    Approved,
    /// A person said that it is wrong: it is not bound again.
    Rejected,
    /// The same was found, as surely, on three other pages: its selector is used from then on.
    Confirmed,
}

impl ProposalState {
    /// Whether the proposed selector is in use.
    pub fn is_in_use(self) -> bool {
        matches!(self, Self::Approved | Self::Confirmed)
    }

    /// The name: `pending`, `approved`, `rejected` or `confirmed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Confirmed => "confirmed",
        }
    }
}

/// A heal that a person can look at, approve or reject. There is at most one for each field of a schema on a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Proposal {
    /// The site and the schema.
    pub key: HealKey,
    /// What was found, as it was seen last.
    pub found: Found,
    /// What became of it.
    pub state: ProposalState,
    /// The element as it was when the selector last matched.
    pub before: Option<View>,
    /// The pages on which it was found with a confidence of 0.94 or more, up to four.
    pub pages: Vec<String>,
    /// Selectors that a person has rejected for this field.
    pub rejected: Vec<String>,
    /// When it was first seen, in milliseconds since 1970.
    pub first_at: i64,
    /// When it was last seen.
    pub last_at: i64,
}

impl Proposal {
    /// A short name for the command line: eight hexadecimal digits of the site, the schema and the field.
    pub fn id(&self) -> String {
        let HealKey { site, schema, version } = &self.key;
        let whole = format!("{site}\u{1}{schema}\u{1}{version}\u{1}{}", self.found.field);
        format!("{:08x}", xxhash_rust::xxh3::xxh3_64(whole.as_bytes()) as u32)
    }

    /// What is known of a field after one more page. `None` where that is nothing new.
    pub(super) fn next(
        old: Option<&Self>,
        key: &HealKey,
        found: &Found,
        before: Option<&View>,
        at: i64,
    ) -> Option<Self> {
        let page = found.after.url.clone().filter(|_| found.confidence >= DEFAULT_THRESHOLD && found.bound);
        let fresh = |rejected: Vec<String>| Self {
            key: key.clone(),
            found: found.clone(),
            state: ProposalState::Pending,
            before: before.cloned(),
            pages: page.clone().into_iter().collect(),
            rejected,
            first_at: at,
            last_at: at,
        };
        let Some(old) = old else { return Some(fresh(Vec::new())) };
        if old.rejected.contains(&found.rejectable()) {
            return None;
        }
        if old.state != ProposalState::Pending || old.found.selector != found.selector {
            return Some(fresh(old.rejected.clone()));
        }
        let mut pages = old.pages.clone();
        pages.extend(page.filter(|page| !old.pages.contains(page)));
        // The same page once more says nothing; only a surer look at it is kept.
        if pages.len() == old.pages.len() && found.confidence <= old.found.confidence {
            return None;
        }
        let confirmed = pages.len() > OTHER_PAGES && found.selector.is_some();
        let state = if confirmed { ProposalState::Confirmed } else { ProposalState::Pending };
        Some(Self { found: found.clone(), state, pages, last_at: at, ..old.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Document;

    #[test]
    fn a_view_is_bounded_and_marks_the_element() {
        let document = Document::parse("<main><p>one<br><b>two</b><img alt=x></p></main>");
        for (css, is) in [("b", "<b>two</b>"), ("br", "<br>"), ("p", "<p>one<br><b>two</b><img alt=\"x\"></p>")] {
            let element = document.css(css).expect("it parses")[0];
            let view = View::of(element, None);
            assert_eq!(view.parts().1, is);
            assert!(view.html.starts_with("<main>"), "{view:?}");
        }
        let long = format!("<p>{}</p><i>x</i>", "ä".repeat(10_000));
        let document = Document::parse(&long);
        let view = View::of(document.css("p").expect("it parses")[0], None);
        assert!(view.html.len() <= MAX_VIEW + 4 && view.parts().1.ends_with('…'));
        let bad = View { url: None, html: "ä".to_owned(), start: 1, end: 900 };
        assert_eq!(bad.parts(), ("", "", ""));
    }
}

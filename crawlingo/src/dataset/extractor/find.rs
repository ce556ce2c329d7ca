//! Runs one compiled selector in one scope.

use std::borrow::Cow;
use std::cell::OnceCell;

use crawlingo_schema::css::CssSelector;
use crawlingo_schema::{Kind, RegexOn, Take};
use serde_json::Value as Json;
use url::Url;

use super::compile::{Compiled, Find};
use super::convert::take_of;
use super::{Content, Source};
use crate::Error;
use crate::dom::{Document, Element, Node};
use crate::select::anchor::{Beside, TextFinder};
use crate::select::{regex, structured};

/// Where a record or a field is looked for.
#[derive(Clone)]
pub(super) enum Scope<'a> {
    Node(Node<'a>),
    Json(Cow<'a, Json>),
}

/// What a selector found.
pub(super) struct Found {
    pub(super) content: FoundContent,
}

pub(super) enum FoundContent {
    /// A text; `verbatim` if its white space has a meaning.
    Text {
        text: String,
        verbatim: bool,
    },
    Json(Json),
}

/// What is read of a page once, when a selector first asks for it.
pub(super) struct Page<'a> {
    pub(super) content: Content<'a>,
    pub(super) base: Option<Url>,
    finder: OnceCell<TextFinder<'a>>,
    jsonld: OnceCell<Vec<Json>>,
}

impl<'a> Page<'a> {
    pub(super) fn new(source: &Source<'a>) -> Self {
        let base = match source.content {
            Content::Document(document) => source.url.map(|url| document.base_url(url)),
            Content::Json(_) => source.url.cloned(),
        };
        Self { content: source.content, base, finder: OnceCell::new(), jsonld: OnceCell::new() }
    }

    pub(super) fn root(&self) -> Scope<'a> {
        match self.content {
            Content::Document(document) => Scope::Node(document.root()),
            Content::Json(json) => Scope::Json(Cow::Borrowed(json)),
        }
    }

    fn finder(&self, document: &'a Document) -> &TextFinder<'a> {
        self.finder.get_or_init(|| TextFinder::new(document))
    }

    /// The places that a selector finds, as scopes of records.
    pub(super) fn places(&self, selector: &Compiled, scope: &Scope<'a>) -> Result<Vec<Scope<'a>>, Error> {
        let node = match (&selector.find, scope) {
            (Find::Json(path), Scope::Json(json)) => {
                let found = structured::json::query(json, path);
                return Ok(found.into_iter().map(|json| Scope::Json(Cow::Owned(json))).collect());
            }
            (_, Scope::Json(_)) => return Ok(Vec::new()),
            (_, Scope::Node(node)) => *node,
        };
        let nodes = match &selector.find {
            Find::Json(_) => {
                let found = self.json_of_page(selector, node)?;
                return Ok(found.into_iter().map(|json| Scope::Json(Cow::Owned(json))).collect());
            }
            Find::XPath(xpath) => crate::select::xpath::elements(xpath, node)?,
            _ => self.elements(selector, node),
        };
        Ok(nodes.into_iter().map(|element| Scope::Node(element.node())).collect())
    }

    /// The elements that a selector of a kind that finds elements finds.
    fn elements(&self, selector: &Compiled, node: Node<'a>) -> Vec<Element<'a>> {
        let finder = || self.finder(node.document());
        let around = self.narrowed(selector.within.as_ref(), node);
        match &selector.find {
            Find::Css(css) => select(node, css).collect(),
            Find::Text(query) => around.flat_map(|node| finder().find(node, query)).collect(),
            Find::AfterText(label) => {
                around.flat_map(|node| finder().after(node, label)).map(|beside| beside.element).collect()
            }
            Find::BeforeText(label) => {
                around.flat_map(|node| finder().before(node, label)).map(|beside| beside.element).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What `within` leaves of a scope.
    fn narrowed<'s>(&self, within: Option<&'s CssSelector>, node: Node<'a>) -> Box<dyn Iterator<Item = Node<'a>> + 's>
    where
        'a: 's,
    {
        match within {
            Some(css) => Box::new(select(node, css).map(Element::node)),
            None => Box::new(std::iter::once(node)),
        }
    }

    /// The texts and JSON values that a selector finds, at most `limit`.
    pub(super) fn values(
        &self,
        selector: &Compiled,
        scope: &Scope<'a>,
        kind: &Kind,
        limit: usize,
    ) -> Result<Vec<Found>, Error> {
        let node = match scope {
            Scope::Node(node) => *node,
            Scope::Json(json) => {
                return Ok(match &selector.find {
                    Find::Json(path) => found_json(structured::json::query(json, path), kind, limit),
                    // The other kinds read documents; a JSON response is none.
                    _ => Vec::new(),
                });
            }
        };
        let document = node.document();
        let verbatim = matches!(selector.take, Take::Html | Take::OuterHtml | Take::Markdown | Take::Attr(_));
        let taken = |element: Element<'a>| {
            let text = take_of(element, &selector.take, kind)?;
            Some(Found { content: FoundContent::Text { text, verbatim } })
        };
        Ok(match &selector.find {
            Find::Css(css) => select(node, css).filter_map(taken).take(limit).collect(),
            Find::Text(_) => self.elements(selector, node).into_iter().filter_map(taken).take(limit).collect(),
            Find::AfterText(label) | Find::BeforeText(label) => {
                let finder = self.finder(document);
                let after = matches!(selector.find, Find::AfterText(_));
                self.narrowed(selector.within.as_ref(), node)
                    .flat_map(|node| if after { finder.after(node, label) } else { finder.before(node, label) })
                    .filter_map(|beside| take_beside(beside, &selector.take, kind, verbatim))
                    .take(limit)
                    .collect()
            }
            Find::XPath(xpath) => crate::select::xpath::evaluate_found(xpath, node)?
                .into_iter()
                .filter_map(|found| match found {
                    crate::select::xpath::Hit::Element(element) => taken(element),
                    crate::select::xpath::Hit::Text(text) => {
                        Some(Found { content: FoundContent::Text { text, verbatim: false } })
                    }
                })
                .take(limit)
                .collect(),
            Find::Regex(pattern, on) => self
                .narrowed(selector.within.as_ref(), node)
                .flat_map(|node| {
                    let text = match (node.as_element(), on) {
                        (Some(element), RegexOn::Text) => element.text(),
                        (Some(element), RegexOn::Html) => element.outer_html(),
                        (None, RegexOn::Text) => document.text(),
                        (None, RegexOn::Html) => document.html(),
                    };
                    regex::find_all(pattern, &text).map(str::to_owned).collect::<Vec<_>>()
                })
                .map(|text| Found { content: FoundContent::Text { text, verbatim: *on == RegexOn::Html } })
                .take(limit)
                .collect(),
            Find::Meta(name) => structured::meta::query(document, name)
                .into_iter()
                .map(|text| Found { content: FoundContent::Text { text, verbatim: false } })
                .take(limit)
                .collect(),
            Find::JsonLd(path) => {
                let blocks = self.jsonld.get_or_init(|| structured::jsonld::blocks(document));
                found_json(structured::jsonld::query(blocks, path), kind, limit)
            }
            Find::Microdata(path) => {
                let mut found = Vec::new();
                for node in self.narrowed(selector.within.as_ref(), node) {
                    found.extend(structured::microdata::query(node, self.base.as_ref(), path));
                }
                found_json(found, kind, limit)
            }
            Find::Json(_) => found_json(self.json_of_page(selector, node)?, kind, limit),
        })
    }

    /// What a JSONPath finds in the scripts that `within` names, or in all scripts of a JSON type.
    fn json_of_page(&self, selector: &Compiled, node: Node<'a>) -> Result<Vec<Json>, Error> {
        let Find::Json(path) = &selector.find else { return Ok(Vec::new()) };
        let scripts: Vec<Element<'a>> = match &selector.within {
            Some(css) => select(node.document().root(), css).collect(),
            None => node
                .document()
                .elements()
                .filter(|element| {
                    let media_type = element.attr("type").unwrap_or_default().trim();
                    element.tag() == "script"
                        && (media_type.eq_ignore_ascii_case("application/json")
                            || element.attr("id") == Some("__NEXT_DATA__"))
                })
                .collect(),
        };
        let mut found = Vec::new();
        for script in scripts {
            for state in structured::json::script_state(script) {
                found.extend(structured::json::query(&state, path));
            }
        }
        Ok(found)
    }
}

/// What is taken of a value beside a label: its own text, or of its element, or of the first element inside of it that
/// has what is asked for.
fn take_beside<'a>(beside: Beside<'a>, take: &Take, kind: &Kind, verbatim: bool) -> Option<Found> {
    let element = beside.element;
    let text = match take {
        Take::Attr(name) => {
            let with =
                std::iter::once(element).chain(element.descendants()).find(|element| element.attr(name).is_some())?;
            with.attr(name)?.to_owned()
        }
        Take::Text => {
            let natural = take_of(element, take, kind)?;
            // A link beside the label gives its address to a URL or an e-mail address, a `<time>` its machine-readable form
            // to a date; otherwise it is the text beside the label that counts.
            if natural == element.text() { beside.text } else { natural }
        }
        _ => take_of(element, take, kind)?,
    };
    Some(Found { content: FoundContent::Text { text, verbatim } })
}

/// Lists give their items, and texts go the way of texts; but where JSON is asked for, it stays as it is.
fn found_json(values: Vec<Json>, kind: &Kind, limit: usize) -> Vec<Found> {
    let as_it_is = *kind == Kind::Json;
    let flat = values.into_iter().flat_map(|value| match value {
        Json::Array(items) if !as_it_is => items,
        Json::Null => Vec::new(),
        other => vec![other],
    });
    flat.map(|json| Found {
        content: match json {
            Json::String(text) if !as_it_is => FoundContent::Text { text, verbatim: true },
            other => FoundContent::Json(other),
        },
    })
    .take(limit)
    .collect()
}

/// A selector in an element or in the whole document. `:scope` alone is the element itself.
fn select<'a: 's, 's>(node: Node<'a>, css: &'s CssSelector) -> Box<dyn Iterator<Item = Element<'a>> + 's> {
    match node.as_element() {
        Some(element) if css.is_scope() => Box::new(std::iter::once(element)),
        Some(element) => Box::new(element.select(css)),
        None => Box::new(node.document().select(css)),
    }
}

//! What a document says about itself: title, language, base, canonical address, links.

use url::Url;

use super::{Document, Element};

/// The most links that [`Document::links`] gives.
const MAX_LINKS: usize = 100_000;

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Link {
    /// Where it leads, absolute.
    pub url: Url,
    /// The link's visible text, white space collapsed.
    pub text: String,
    /// The link's `rel`, in lower case.
    pub rel: Vec<String>,
}

impl Document {
    fn head_element(&self, tag: &str) -> impl Iterator<Item = Element<'_>> {
        self.elements().filter(move |element| element.is_html() && element.tag() == tag)
    }

    /// The text of the first `<title>`, white space collapsed.
    pub fn title(&self) -> Option<String> {
        let title = self.head_element("title").next()?.raw_text();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        (!title.is_empty()).then_some(title)
    }

    /// The page's language (BCP 47) as the root element says it, or a `<meta>`.
    pub fn language(&self) -> Option<&str> {
        let root = self.root_element()?;
        let said = root.attr("lang").or_else(|| root.attr("xml:lang")).or_else(|| {
            self.head_element("meta")
                .find(|meta| {
                    let name = meta.attr("http-equiv").or_else(|| meta.attr("name")).unwrap_or_default();
                    name.eq_ignore_ascii_case("content-language") || name.eq_ignore_ascii_case("language")
                })
                .and_then(|meta| meta.attr("content"))
        })?;
        let said = said.trim();
        (!said.is_empty() && said.len() <= 35).then_some(said)
    }

    /// The `href` of the first `<base>` that has one; those inside of `<noscript>` count in no browser that runs scripts.
    pub fn base_href(&self) -> Option<&str> {
        let scripted = |base: &Element<'_>| base.ancestors().all(|around| around.tag() != "noscript");
        self.head_element("base").filter(scripted).find_map(|base| base.attr("href"))
    }

    /// What the page's relative addresses are relative to: its `<base href>`, if there is a usable one, else the
    /// document's address.
    ///
    /// Source: <https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-urls>
    pub fn base_url(&self, url: &Url) -> Url {
        self.base_href()
            .and_then(|href| url.join(href.trim_matches(|c: char| c.is_ascii_whitespace())).ok())
            .filter(|base| !matches!(base.scheme(), "data" | "javascript"))
            .unwrap_or_else(|| url.clone())
    }

    /// The canonical address that a `<link rel="canonical">` names, absolute.
    pub fn canonical(&self, url: &Url) -> Option<Url> {
        let base = self.base_url(url);
        self.head_element("link").filter(|link| has_token(*link, "rel", "canonical")).find_map(|link| {
            let url = base.join(link.attr("href")?.trim()).ok()?;
            matches!(url.scheme(), "http" | "https").then_some(url)
        })
    }

    /// The links (`<a href>`, `<area href>`) that lead to http and https addresses, absolute, in document order.
    pub fn links(&self, url: &Url) -> Vec<Link> {
        let base = self.base_url(url);
        self.elements()
            .filter(|element| element.is_html() && matches!(element.tag(), "a" | "area"))
            .filter_map(|element| {
                let url = base.join(element.attr("href")?.trim()).ok()?;
                matches!(url.scheme(), "http" | "https").then(|| Link {
                    url,
                    text: element.text().split_whitespace().collect::<Vec<_>>().join(" "),
                    rel: element
                        .attr("rel")
                        .unwrap_or_default()
                        .split_ascii_whitespace()
                        .map(str::to_ascii_lowercase)
                        .collect(),
                })
            })
            .take(MAX_LINKS)
            .collect()
    }
}

fn has_token(element: Element<'_>, attr: &str, token: &str) -> bool {
    element.attr(attr).unwrap_or_default().split_ascii_whitespace().any(|part| part.eq_ignore_ascii_case(token))
}

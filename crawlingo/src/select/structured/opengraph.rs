//! Open Graph: the `<meta property>` of a page whose prefix is known.

use crate::dom::{Document, Element};

/// The prefixes that the Open Graph protocol defines.
const KNOWN: [(&str, &str); 6] = [
    ("og", "http://ogp.me/ns#"),
    ("music", "http://ogp.me/ns/music#"),
    ("video", "http://ogp.me/ns/video#"),
    ("article", "http://ogp.me/ns/article#"),
    ("book", "http://ogp.me/ns/book#"),
    ("profile", "http://ogp.me/ns/profile#"),
];

/// The Open Graph properties of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenGraph {
    /// Prefixes and their addresses: those that the page declares by a `prefix` attribute, and those of the protocol that
    /// it uses.
    pub namespaces: Vec<(String, String)>,
    /// Names with their prefix, such as `og:title`, and values, in the order of the page.
    pub properties: Vec<(String, String)>,
}

impl OpenGraph {
    /// The first value of a property, such as `og:title`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    fn declare(&mut self, prefix: &str, address: &str) {
        match self.namespaces.iter_mut().find(|(have, _)| have == prefix) {
            Some((_, have)) => address.clone_into(have),
            None => self.namespaces.push((prefix.to_owned(), address.to_owned())),
        }
    }

    fn declares(&self, prefix: &str) -> bool {
        self.namespaces.iter().any(|(have, _)| have == prefix)
    }
}

/// A page declares a handful; each is compared with each.
const MAX_NAMESPACES: usize = 100;

/// Reads the Open Graph properties of a page.
///
/// ```
/// use crawlingo::dom::Document;
/// use crawlingo::select::structured::opengraph;
/// let page = Document::parse(r#"<meta property="og:title" content="Lamp"><meta property="x:y" content="?">"#);
/// let graph = opengraph::read(&page);
/// assert_eq!(graph.get("og:title"), Some("Lamp"));
/// assert_eq!(graph.properties.len(), 1);
/// ```
pub fn read(document: &Document) -> OpenGraph {
    let mut graph = OpenGraph::default();
    for element in document.elements().filter(|element| matches!(element.tag(), "html" | "head")) {
        for (prefix, address) in declarations(element).take(MAX_NAMESPACES) {
            graph.declare(prefix, address);
        }
    }
    for meta in document.elements().filter(|element| element.tag() == "meta") {
        let (Some(property), Some(content)) = (meta.attr("property"), meta.attr("content")) else { continue };
        let property = property.trim();
        let prefix = property.split(':').next().unwrap_or_default();
        // However the page spells the address of a known prefix, it means the same.
        if let Some((_, address)) = KNOWN.iter().find(|(known, _)| *known == prefix) {
            graph.declare(prefix, address);
        }
        if graph.declares(prefix) {
            graph.properties.push((property.to_owned(), content.to_owned()));
        }
    }
    graph
}

/// The prefixes that an element declares by `prefix="og: http://..."`.
fn declarations<'a>(element: Element<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    let mut words = element.attr("prefix").unwrap_or_default().split_ascii_whitespace();
    std::iter::from_fn(move || {
        loop {
            if let Some(prefix) = words.next()?.strip_suffix(':') {
                return Some((prefix, words.next()?));
            }
        }
    })
}

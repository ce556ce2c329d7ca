//! Tests of names, each decided once per name of the document.

use crawlingo_schema::xpath::ast::{NameTest, Prefix};
use html5ever::{QualName, ns};

use super::item::Tree;

/// Prefixes that need not be declared.
const USUAL: &[(&str, &str)] = &[
    ("svg", "http://www.w3.org/2000/svg"),
    ("math", "http://www.w3.org/1998/Math/MathML"),
    ("mathml", "http://www.w3.org/1998/Math/MathML"),
    ("xlink", "http://www.w3.org/1999/xlink"),
    ("xml", "http://www.w3.org/XML/1998/namespace"),
    ("html", "http://www.w3.org/1999/xhtml"),
    ("xhtml", "http://www.w3.org/1999/xhtml"),
    ("atom", "http://www.w3.org/2005/Atom"),
    ("content", "http://purl.org/rss/1.0/modules/content/"),
    ("dc", "http://purl.org/dc/elements/1.1/"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("media", "http://search.yahoo.com/mrss/"),
    ("itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd"),
    ("georss", "http://www.georss.org/georss"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rss", "http://purl.org/rss/1.0/"),
    ("sitemap", "http://www.sitemaps.org/schemas/sitemap/0.9"),
    ("image", "http://www.google.com/schemas/sitemap-image/1.1"),
    ("news", "http://www.google.com/schemas/sitemap-news/0.9"),
    ("video", "http://www.google.com/schemas/sitemap-video/1.1"),
];

/// Past this many pairs of a test and a name, answers are no longer kept.
const MAX_MEMO: usize = 1 << 20;

/// What was decided so far, a byte for each pair of a test and a name of the document.
pub(super) struct NameMemo {
    names: usize,
    answers: Vec<u8>,
}

impl NameMemo {
    pub(super) fn new(tree: Tree<'_>, tests: usize) -> Self {
        let names = tree.0.names.len();
        let pairs = names.saturating_mul(tests);
        Self { names, answers: if pairs <= MAX_MEMO { vec![0; pairs] } else { Vec::new() } }
    }

    pub(super) fn matches(&mut self, tree: Tree<'_>, test: &NameTest, name: u32, attribute: bool) -> bool {
        let decide = || u8::from(matches(tree, test, tree.0.name(name), attribute)) + 1;
        match self.answers.get_mut(test.index * self.names + name as usize) {
            Some(answer) => {
                if *answer == 0 {
                    *answer = decide();
                }
                *answer == 2
            }
            None => decide() == 2,
        }
    }
}

fn matches(tree: Tree<'_>, test: &NameTest, name: &QualName, attribute: bool) -> bool {
    let html = tree.is_html();
    let same = |a: &str, b: &str| if html { a.eq_ignore_ascii_case(b) } else { a == b };
    let local = test.local.as_deref().is_none_or(|local| same(&name.local, local));
    match &test.prefix {
        Prefix::Any => local,
        // On a page, SVG and MathML are elements like others; their attributes with a prefix are not meant.
        Prefix::None if html && !attribute => local,
        Prefix::None => local && name.ns == ns!(),
        Prefix::Named { prefix, namespace } => {
            if let Some(url) = namespace {
                // HTML elements stand in no namespace by one reading and in XHTML's by another.
                return local && *name.ns == **url;
            }
            if local && name.prefix.as_deref().is_some_and(|own| own == prefix) {
                return true;
            }
            if local && USUAL.iter().any(|(known, url)| known == prefix && *name.ns == **url) {
                return true;
            }
            // HTML has no namespaces of its own: `<og:title>` is an element with a colon in its name.
            html && name.local.split_once(':').is_some_and(|(before, after)| {
                before.eq_ignore_ascii_case(prefix)
                    && test.local.as_deref().is_none_or(|local| after.eq_ignore_ascii_case(local))
            })
        }
    }
}

//! The main content of a page: the article without navigation, advertising and footers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dom_smoothie::{Config, Readability};
use url::Url;

use super::{Document, Element, Node};

/// The main content of a page, as [`Document::main_content`] finds it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MainContent {
    /// The title of the article.
    pub title: String,
    /// The cleaned HTML of the article; addresses are absolute if a base was given.
    pub html: String,
    /// Its visible text.
    pub text: String,
    /// Who wrote it.
    pub byline: Option<String>,
    /// A summary: what the page says about itself, else the first paragraph.
    pub excerpt: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// The language, as the page declares it.
    pub language: Option<String>,
    /// When it was published, as the page writes it.
    pub published: Option<String>,
    /// When it was changed, as the page writes it.
    pub modified: Option<String>,
    /// The address of its picture, as the page writes it.
    pub image: Option<String>,
}

/// Larger pages are not searched: the search scores elements again and again.
const MAX_ELEMENTS: usize = 50_000;
/// Nor are those with more text and markup.
const MAX_BYTES: usize = 8 << 20;
/// Deeper elements are unwrapped: they are what a hostile page has, and what costs the search the most.
const MAX_DEPTH: usize = 200;

impl Document {
    /// Finds the main content of a page, by the rules of Mozilla's Readability.
    ///
    /// `base` is the page's address; with it, links and pictures in the content become absolute. `None` if the page has
    /// nothing to read, or more than 50,000 elements. On a page that is no article, a list of links or a form, it is a
    /// guess.
    ///
    /// ```
    /// use crawlingo::dom::Document;
    /// let paragraph = "<p>".to_owned() + &"Words, and a few more of them. ".repeat(30) + "</p>";
    /// let page = format!("<title>On words</title><nav><a href=/>Home</a></nav><article>{}</article>", paragraph.repeat(3));
    /// let content = Document::parse(&page).main_content(None).unwrap();
    /// assert_eq!(content.title, "On words");
    /// assert!(content.text.starts_with("Words, and") && !content.text.contains("Home"));
    /// ```
    pub fn main_content(&self, base: Option<&Url>) -> Option<MainContent> {
        let html = to_html(self)?;
        // The search is another library's, over what a stranger wrote: a panic in it is a page without main content.
        let found = catch_unwind(AssertUnwindSafe(|| search(html, base)));
        found.unwrap_or_else(|_| {
            tracing::warn!("the search for the main content panicked");
            None
        })
    }
}

fn search(html: String, base: Option<&Url>) -> Option<MainContent> {
    let config = Config { max_elements_to_parse: MAX_ELEMENTS, ..Config::default() };
    let mut readability = Readability::new(html, base.map(Url::as_str), Some(config)).ok()?;
    let article = readability.parse().ok()?;
    let html = article.content.to_string();
    let text = Document::parse(&html).root_element().map(|root| root.text().trim().to_owned()).unwrap_or_default();
    if text.is_empty() {
        return None;
    }
    Some(MainContent {
        title: article.title,
        html,
        text,
        byline: article.byline,
        excerpt: article.excerpt,
        site_name: article.site_name,
        language: article.lang,
        published: article.published_time,
        modified: article.modified_time,
        image: article.image,
    })
}

/// The document as HTML for the search: without what it would throw away first, and no deeper than it can bear.
fn to_html(document: &Document) -> Option<String> {
    if document.elements().take(MAX_ELEMENTS + 1).count() > MAX_ELEMENTS {
        return None;
    }
    let mut html = String::from("<!DOCTYPE html>");
    // Open elements, innermost last; `None` for one that was unwrapped.
    let mut open: Vec<Option<Element<'_>>> = Vec::new();
    let mut next = document.root().first_child();
    while let Some(node) = next {
        if html.len() > MAX_BYTES {
            return None;
        }
        if let Some(text) = node.as_text() {
            match node.parent().and_then(Node::as_element).filter(|parent| is_raw(*parent)) {
                None => push_escaped(&mut html, text, false),
                // Without its element, raw text would become markup.
                Some(_) if open.last().is_some_and(Option::is_none) => {}
                Some(_) => html.push_str(text),
            }
        }
        if let Some(element) = node.as_element().filter(|element| !is_left_out(*element)) {
            let written = open.len() < MAX_DEPTH;
            if written {
                push_tag(&mut html, element);
            }
            if let Some(child) = node.first_child() {
                open.push(written.then_some(element));
                next = Some(child);
                continue;
            }
            if written && !is_void(element) {
                push_end(&mut html, element);
            }
        }
        let mut node = node;
        next = loop {
            if let Some(sibling) = node.next_sibling() {
                break Some(sibling);
            }
            match (node.parent(), open.pop()) {
                (Some(parent), Some(element)) => {
                    if let Some(element) = element {
                        push_end(&mut html, element);
                    }
                    node = parent;
                }
                _ => break None,
            }
        };
    }
    Some(html)
}

fn is_left_out(element: Element<'_>) -> bool {
    match element.tag() {
        "style" | "template" => true,
        // What the page says about its article in JSON-LD is read.
        "script" => !element.attr("type").is_some_and(|kind| kind.contains("ld+json")),
        _ => false,
    }
}

fn is_void(element: Element<'_>) -> bool {
    matches!(
        element.tag(),
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

fn push_tag(html: &mut String, element: Element<'_>) {
    html.push('<');
    html.push_str(element.tag());
    for (name, value) in element.attrs() {
        html.push(' ');
        html.push_str(name);
        html.push_str("=\"");
        push_escaped(html, value, true);
        html.push('"');
    }
    html.push('>');
    if matches!(element.tag(), "pre" | "textarea" | "listing") {
        // The parser drops the first line break in these.
        html.push('\n');
    }
}

fn push_end(html: &mut String, element: Element<'_>) {
    html.push_str("</");
    html.push_str(element.tag());
    html.push('>');
}

/// Whether the element's text is no markup, whatever stands in it.
fn is_raw(element: Element<'_>) -> bool {
    matches!(element.tag(), "script" | "style" | "xmp" | "iframe" | "noembed" | "noframes" | "plaintext")
}

fn push_escaped(html: &mut String, text: &str, is_attr: bool) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"']) {
        let (before, from) = rest.split_at(at);
        html.push_str(before);
        html.push_str(match from.as_bytes().first() {
            Some(b'&') => "&amp;",
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            _ if is_attr => "&quot;",
            _ => "\"",
        });
        rest = from.get(1..).unwrap_or_default();
    }
    html.push_str(rest);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn article(inside: &str) -> String {
        let paragraph = format!("<p>{}</p>", "Words, and a few more of them. ".repeat(20));
        format!("<body><nav><a href=/x>Home</a></nav><article>{0}{inside}{0}</article>", paragraph.repeat(2))
    }

    #[test]
    fn addresses_become_absolute_and_markup_stays() {
        let base = Url::parse("https://example.com/a/b").unwrap();
        let page = article("<p>See <a href='c?d&amp;e'>5 &lt; 6 &amp; so on</a>, and more of it.</p><pre>\n\n x</pre>");
        let content = Document::parse(&page).main_content(Some(&base)).unwrap();
        assert!(content.html.contains("https://example.com/a/c?d&amp;e"), "{}", content.html);
        assert!(content.text.contains("5 < 6 & so on"), "{}", content.text);
        assert!(!content.text.contains("Home"));
    }

    #[test]
    fn what_a_page_says_about_itself_is_read() {
        let head = r#"<html lang=fr><head><title>T</title><meta property="og:site_name" content="S"><meta name=author content="A B">
            <script>var x = "</div>";</script><script type="application/ld+json">{"@context": "https://schema.org",
            "@type": "Article", "headline": "The headline of it", "datePublished": "2024-01-02"}</script></head>"#;
        let content = Document::parse(&format!("{head}{}", article(""))).main_content(None).unwrap();
        assert_eq!(content.title, "The headline of it");
        assert_eq!(content.site_name.as_deref(), Some("S"));
        assert_eq!(content.published.as_deref(), Some("2024-01-02"));
        assert_eq!(content.language.as_deref(), Some("fr"));
    }

    #[test]
    fn pages_without_content_have_none() {
        for page in ["", "<p>", "<template><p>x</template>", "<img src=x>"] {
            assert_eq!(Document::parse(page).main_content(None), None, "{page}");
        }
    }

    #[test]
    fn hostile_pages_end() {
        let words = "Words, and a few more of them. ".repeat(5);
        let deep = |tag: &str| format!("{}{words}{}", format!("<{tag}>").repeat(400), format!("</{tag}>").repeat(400));
        let pages = [
            deep("div").repeat(10),
            deep("section").repeat(10),
            format!("<p>{words}</p>").repeat(10_000),
            format!("<table><tr><td>{words}").repeat(500),
            "<br>".repeat(30_000),
            "<img src=x><noscript><img src=y></noscript>".repeat(5_000),
            format!("<script type=application/ld+json>{}</script>{words}", "[".repeat(100_000)),
            format!("<script type=application/ld+json>{}</script>{words}", "{\"a\":".repeat(100_000)),
            "<p>x".repeat(MAX_ELEMENTS + 1),
        ];
        for page in &pages {
            let document = Document::parse(page);
            let begin = Instant::now();
            let found = document.main_content(None);
            assert!(begin.elapsed() < Duration::from_secs(10), "{:?} for {}", begin.elapsed(), &page[..40]);
            assert!(found.is_none_or(|content| content.text.len() <= page.len()));
        }
        assert!(Document::parse(&pages[8]).main_content(None).is_none());
    }

    #[test]
    fn the_markup_for_the_search_is_the_document() {
        let page = "<title>a &amp; b</title><p class='x \"y\"'>1 &lt; 2<br>3<iframe>&amp; <b></iframe><style>z</style>";
        let html = to_html(&Document::parse(page)).unwrap();
        assert_eq!(
            html,
            "<!DOCTYPE html><html><head><title>a &amp; b</title></head><body><p class=\"x &quot;y&quot;\">1 &lt; 2<br>3\
             <iframe>&amp; <b></iframe></p></body></html>"
        );
        let deep = to_html(&Document::parse(&("<i>".repeat(300) + "<iframe><b></iframe>x"))).unwrap();
        assert!(deep.contains("<i>x</i>") && !deep.contains("<b>") && deep.matches("<i>").count() < 200);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn any_markup_is_searched(
            inside in "(</?(div|p|a|table|tr|td|ul|li|br|h1|span|svg|math|select|form|noscript|font|pre|iframe|header)( (class|id|rel|style|itemprop)=(byline|\"display:none\"|comment|article|hidden))*>|word, |&amp;|<!--|-->|é){0,60}"
        ) {
            let _ = Document::parse(&inside).main_content(None);
            let _ = Document::parse(&article(&inside)).main_content(None);
        }
    }
}

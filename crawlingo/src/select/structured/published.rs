//! The day on which a page was published, from what the page says to machines.

use jiff::civil::Date;
use serde_json::Value;
use url::Url;

use super::{jsonld, meta};
use crate::dom::{Document, Element};

/// Where a date was found; the first that says something is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DateSource {
    /// `datePublished` of an article in JSON-LD.
    JsonLd,
    /// A `<meta>`, such as `article:published_time`.
    Meta,
    /// An element with `itemprop="datePublished"`, or marked as the date of an `hentry`.
    Markup,
    /// The first `<time datetime>` that is no part of a comment or of a list of other pages.
    Time,
    /// The address of the page, `/2024/05/06/`.
    Address,
    /// A date of the last change; no other was found.
    Modified,
}

/// When a page was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Published {
    /// The day, as the page writes it: in the zone of the page.
    pub date: Date,
    /// Where it says so.
    pub source: DateSource,
}

const META: [&str; 22] = [
    "article:published_time",
    "og:article:published_time",
    "og:published_time",
    "datePublished",
    "publication_date",
    "publish_date",
    "publish-date",
    "published_time",
    "pubdate",
    "pub_date",
    "date.created",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dc.date",
    "dcterms.date",
    "sailthru.date",
    "parsely-pub-date",
    "cXenseParse:recs:publishtime",
    "citation_publication_date",
    "date",
];

const META_MODIFIED: [&str; 5] =
    ["article:modified_time", "og:updated_time", "dateModified", "dcterms.modified", "last-modified"];

/// Finds the day on which a page was published, by the sources in the order of [`DateSource`]. Only dates that are
/// written for machines count, such as `2024-05-06T10:00:00Z`, `20240506` and `2024/05/06`.
///
/// ```
/// use crawlingo::dom::Document;
/// use crawlingo::select::structured::published;
/// let page = Document::parse(r#"<meta property="article:published_time" content="2024-05-06T23:30:00+02:00">"#);
/// assert_eq!(published::read(&page, None).unwrap().date.to_string(), "2024-05-06");
/// ```
pub fn read(document: &Document, url: Option<&Url>) -> Option<Published> {
    let blocks = jsonld::blocks(document);
    let metas = meta::all(document);
    let from_meta = |names: &[&str]| names.iter().find_map(|name| meta::named(&metas, name).find_map(day));
    let found = |source, date: Option<Date>| date.map(|date| Published { date, source });
    found(DateSource::JsonLd, in_blocks(&blocks, "datePublished").or_else(|| in_blocks(&blocks, "dateCreated")))
        .or_else(|| found(DateSource::Meta, from_meta(&META)))
        .or_else(|| found(DateSource::Markup, in_markup(document)))
        .or_else(|| found(DateSource::Time, in_time(document)))
        .or_else(|| found(DateSource::Address, url.and_then(in_address)))
        .or_else(|| {
            found(DateSource::Modified, in_blocks(&blocks, "dateModified").or_else(|| from_meta(&META_MODIFIED)))
        })
}

/// Of the objects that have the property, an article's, else that of any that is a page or work of its own.
fn in_blocks(blocks: &[Value], property: &str) -> Option<Date> {
    let mut other = None;
    let mut stack: Vec<&Value> = blocks.iter().rev().collect();
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.iter().rev()),
            Value::Object(map) => {
                let is = |ends: &[&str]| match map.get("@type") {
                    Some(Value::String(name)) => ends.iter().any(|end| name.ends_with(end)),
                    Some(Value::Array(names)) => {
                        names.iter().filter_map(Value::as_str).any(|name| ends.iter().any(|end| name.ends_with(end)))
                    }
                    _ => false,
                };
                // Comments, reviews and pictures have days of their own.
                if is(&["Comment", "Review", "ImageObject", "VideoObject", "AudioObject", "Person", "Organization"]) {
                    continue;
                }
                if let Some(date) = map.get(property).and_then(Value::as_str).and_then(day) {
                    if is(&["Article", "BlogPosting", "Report", "Recipe"]) {
                        return Some(date);
                    }
                    other = other.or(Some(date));
                }
                stack.extend(map.values().rev().filter(|value| value.is_object() || value.is_array()));
            }
            _ => {}
        }
    }
    other
}

fn in_markup(document: &Document) -> Option<Date> {
    document.elements().find_map(|element| {
        let is_property = element.attr("itemprop").is_some_and(|names| {
            names.split_ascii_whitespace().any(|name| matches!(name, "datePublished" | "dateCreated"))
        });
        let is_hentry = element
            .classes()
            .any(|class| matches!(class, "published" | "entry-date" | "dt-published" | "post-date" | "pubdate"));
        let is_pubdate = element.tag() == "time" && element.attr("pubdate").is_some();
        if !(is_property || is_hentry || is_pubdate) || is_aside(element) {
            return None;
        }
        let given = ["datetime", "content", "title"].iter().find_map(|name| element.attr(name).and_then(day));
        given.or_else(|| element.children().find_map(|child| child.attr("datetime").and_then(day)))
    })
}

fn in_time(document: &Document) -> Option<Date> {
    let mut times = document.elements().filter(|element| element.tag() == "time");
    times.find_map(|time| time.attr("datetime").and_then(day).filter(|_| !is_aside(time)))
}

/// Whether an element is a part of something beside the page's own content.
fn is_aside(element: Element<'_>) -> bool {
    element.ancestors().any(|outer| {
        matches!(outer.tag(), "aside" | "footer" | "nav")
            || [outer.attr("class"), outer.attr("id")].into_iter().flatten().any(|names| {
                ["comment", "related", "sidebar", "widget"].iter().any(|word| names.to_ascii_lowercase().contains(word))
            })
    })
}

fn in_address(url: &Url) -> Option<Date> {
    let path = url.path();
    path.match_indices(|c: char| c.is_ascii_digit()).find_map(|(at, _)| {
        let begins = path.get(..at).is_none_or(|before| !before.ends_with(|c: char| c.is_ascii_alphanumeric()));
        begins.then(|| path.get(at..).and_then(day)).flatten()
    })
}

/// The day that a text begins with: `2024-05-06`, `2024/5/6`, `20240506`.
fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (year, month, rest) = match digits(text) {
        8 | 14 => (text.get(..4)?, text.get(4..6)?, text.get(6..)?.get(..2)?),
        4 => {
            let separator = text.get(4..5).filter(|separator| matches!(*separator, "-" | "/" | "."))?;
            let rest = text.get(5..)?;
            let month = rest.get(..digits(rest))?;
            let rest = rest.get(month.len()..)?.strip_prefix(separator)?;
            (text.get(..4)?, month, rest.get(..digits(rest))?)
        }
        _ => return None,
    };
    if month.len() > 2 || rest.len() > 2 {
        return None;
    }
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, rest.parse().ok()?).ok()?;
    // Before the web there were no pages; zeros and defaults of databases are no days.
    (1990..=2100).contains(&date.year()).then_some(date)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(html: &str) -> Option<(String, DateSource)> {
        let url = Url::parse("https://example.com/a-2020/2019/3/4/x").unwrap();
        read(&Document::parse(html), Some(&url)).map(|found| (found.date.to_string(), found.source))
    }

    #[test]
    fn sources_in_their_order() {
        let parts = [
            (DateSource::Modified, r#"<meta name="Last-Modified" content="2024-01-01">"#),
            (DateSource::Address, ""),
            (
                DateSource::Time,
                r#"<div class="Comments"><time datetime="2024-01-03"></div><time datetime="2024-01-02">"#,
            ),
            (DateSource::Markup, r#"<i itemprop="x datePublished"><time datetime="2024-01-02T00:00">May</time></i>"#),
            (DateSource::Meta, r#"<meta property="article:published_time" content="20240102">"#),
            (
                DateSource::JsonLd,
                r#"<script type="application/ld+json">[{"@type": "WebPage", "datePublished": "2024-01-01"},
                {"@type": "Comment", "datePublished": "2024-01-05"}, {"@type": "NewsArticle", "datePublished": "2024-1-2"}]</script>"#,
            ),
        ];
        let mut page = String::new();
        for (source, part) in parts {
            page.push_str(part);
            let day =
                if matches!(source, DateSource::Address | DateSource::Modified) { "2019-03-04" } else { "2024-01-02" };
            let source = if source == DateSource::Modified { DateSource::Address } else { source };
            assert_eq!(of(&page), Some((day.to_owned(), source)), "{page}");
        }
        let modified = Document::parse(r#"<meta name="Last-Modified" content="2024-01-01">"#);
        assert_eq!(read(&modified, None).unwrap().source, DateSource::Modified);
        assert_eq!(read(&Document::parse("<p>2024-01-01"), None), None);
    }

    #[test]
    fn days() {
        for text in
            ["2024-05-06", " 2024-05-06T10:00:00Z", "2024/5/6 10:00", "2024.05.06", "20240506", "20240506101112"]
        {
            assert_eq!(day(text).unwrap().to_string(), "2024-05-06", "{text}");
        }
        for text in [
            "",
            "2024",
            "2024-05",
            "2024-13-01",
            "2024-05/06",
            "0001-01-01",
            "1970-01-01",
            "202405061",
            "2024-05-0666",
            "é",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_day_or_none(text in "[0-9é/. T:-]{0,12}") {
            let _ = day(&text);
            let url = Url::parse("https://e.org/").unwrap().join(&format!("/{text}"));
            let _ = url.ok().and_then(|url| in_address(&url));
        }
    }
}

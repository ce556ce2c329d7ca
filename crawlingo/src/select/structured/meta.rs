//! `<meta>` by name.

use crate::dom::{Document, Element};

/// The contents of the metas of that name, in order. The name is that of `name`, `property`, `http-equiv` or
/// `itemprop`, in any case; metas without content are left.
///
/// ```
/// use crawlingo::dom::Document;
/// use crawlingo::select::structured::meta;
/// let page = Document::parse(r#"<meta property="og:image" content="a.jpg"><meta property="og:image" content="b.jpg">"#);
/// assert_eq!(meta::query(&page, "OG:Image"), ["a.jpg", "b.jpg"]);
/// ```
pub fn query(document: &Document, name: &str) -> Vec<String> {
    let metas = all(document);
    named(&metas, name).map(str::to_owned).collect()
}

/// The metas of a page.
pub(super) fn all(document: &Document) -> Vec<Element<'_>> {
    document.elements().filter(|element| element.tag() == "meta").collect()
}

/// The contents of those with that name.
pub(super) fn named<'a: 's, 's>(metas: &'s [Element<'a>], name: &'s str) -> impl Iterator<Item = &'a str> + 's {
    let name = name.trim();
    let is_named = move |attr: &str, given: &str| match attr {
        "name" | "http-equiv" => given.trim().eq_ignore_ascii_case(name),
        // These two may hold several names.
        "property" | "itemprop" => given.split_ascii_whitespace().any(|given| given.eq_ignore_ascii_case(name)),
        _ => false,
    };
    metas
        .iter()
        .filter(move |meta| meta.attrs().any(|(attr, given)| is_named(attr, given)))
        .filter_map(|meta| meta.attr("content"))
        .map(str::trim)
        .filter(|content| !content.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_kinds() {
        let page = Document::parse(
            r#"<meta name=" Content Language" content=" de "><meta http-equiv=refresh content="5; url=x">
            <meta property="og:title twitter:title" content="T"><meta itemprop="name a" content="N"><meta name=empty content=" ">
            <meta name=none><div><meta name=AUTHOR content="A"></div><meta name=author content="B">
            <template><meta name=author content="C"></template><p name=author content="D"></p>"#,
        );
        let ask = |name| query(&page, name);
        assert_eq!(ask("content language"), ["de"]);
        assert_eq!(ask("Refresh"), ["5; url=x"]);
        assert_eq!(ask("twitter:title"), ["T"]);
        assert_eq!(ask("a"), ["N"]);
        assert_eq!(ask("author"), ["A", "B"]);
        assert!(["empty", "none", "", "og"].into_iter().all(|name| ask(name).is_empty()));
    }
}

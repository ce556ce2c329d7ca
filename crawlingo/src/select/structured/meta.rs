//! `<meta>` by name.

use crate::dom::Document;

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
    let name = name.trim();
    let is_named = |attr: &str, given: &str| match attr {
        "name" | "http-equiv" => given.trim().eq_ignore_ascii_case(name),
        // These two may hold several names.
        "property" | "itemprop" => given.split_ascii_whitespace().any(|given| given.eq_ignore_ascii_case(name)),
        _ => false,
    };
    document
        .elements()
        .filter(|element| element.tag() == "meta")
        .filter(|meta| meta.attrs().any(|(attr, given)| is_named(attr, given)))
        .filter_map(|meta| meta.attr("content"))
        .map(str::trim)
        .filter(|content| !content.is_empty())
        .map(str::to_owned)
        .collect()
}

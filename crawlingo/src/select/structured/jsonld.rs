//! JSON-LD: the `<script type="application/ld+json">` of a page.
//!
//! ```
//! use crawlingo::dom::Document;
//! use crawlingo::schema::path;
//! use crawlingo::select::structured::jsonld;
//!
//! let page = Document::parse(r##"<script type="application/ld+json">
//!   {"@graph": [{"@type": "Product", "name": "Lamp", "offers": [{"@id": "#o"}], /* a comma too many: */ },
//!               {"@id": "#o", "@type": "Offer", "price": "12.50"}]}
//! </script>"##);
//! assert_eq!(jsonld::query(&jsonld::blocks(&page), &path::parse("Product.offers.price")?), ["12.50"]);
//! # Ok::<(), crawlingo::schema::SchemaError>(())
//! ```

use crawlingo_schema::path::Path;
use serde_json::Value;

use super::graph::{self, Strings};
use super::relaxed::{self, JsonError};
use crate::dom::{Document, Element, NodeId};

/// What the scripts of a page hold.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct JsonLd {
    /// The objects, in the order of the page; a script that holds a list gives each of its items.
    pub blocks: Vec<Value>,
    /// The scripts that are no JSON, not even with leniency.
    pub broken: Vec<(NodeId, JsonError)>,
}

/// Reads the JSON-LD of a page, and says which scripts are broken.
pub fn read(document: &Document) -> JsonLd {
    let mut found = JsonLd::default();
    for script in document.elements().filter(is_jsonld) {
        let text = script.raw_text();
        if text.trim().is_empty() {
            continue;
        }
        match parse(&text) {
            Ok(values) => found.blocks.extend(values),
            Err(error) => {
                tracing::debug!(%error, script = script.id().get(), "a JSON-LD script is broken");
                found.broken.push((script.id(), error));
            }
        }
    }
    found
}

/// The objects of a page's JSON-LD, in the order of the page. Scripts that cannot be read are left; [`read`] names them.
pub fn blocks(document: &Document) -> Vec<Value> {
    read(document).blocks
}

/// Reads the text of one script, with leniency for what sites commonly get wrong. A list gives its items; what is
/// neither object nor list gives nothing.
///
/// # Errors
/// Where it stops being JSON.
pub fn parse(text: &str) -> Result<Vec<Value>, JsonError> {
    let mut objects = Vec::new();
    for value in relaxed::read(text)? {
        let mut stack = vec![value];
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(items) => stack.extend(items.into_iter().rev()),
                Value::Object(_) => objects.push(value),
                _ => {}
            }
        }
    }
    Ok(objects)
}

/// The values that a path such as `Product.offers.price` leads to.
///
/// The first step is a type: items of it are found wherever they stand, in `@graph` and inside of other items, with or
/// without the prefix of schema.org, also among several types. If no item has that type, it is a property of the items
/// on top. The other steps are properties. Lists are followed by their items, and references to an `@id` of the page by
/// what the page says about it. Where a page gives a plain text instead of an item (`"brand": "ACME"`), the steps `name`
/// and `url` take it. Character references such as `&amp;`, which a script does not decode, are decoded.
///
/// `blocks` are what [`blocks`] gave, so that several paths need only one reading.
pub fn query(blocks: &[Value], path: &Path) -> Vec<Value> {
    graph::query(blocks, path, Strings::Encoded)
}

fn is_jsonld(element: &Element<'_>) -> bool {
    if element.tag() != "script" {
        return false;
    }
    let kind = element.attr("type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/ld+json")
}

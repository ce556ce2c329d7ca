//! Microdata: `itemscope`, `itemprop` and their kin.
//!
//! ```
//! use crawlingo::dom::Document;
//! use crawlingo::schema::path;
//! use crawlingo::select::structured::microdata;
//!
//! let page = Document::parse(r#"<div itemscope itemtype="https://schema.org/Product">
//!   <span itemprop="name">Lamp</span>
//!   <div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="12.50"></div>
//! </div>"#);
//! assert_eq!(microdata::query(page.root(), None, &path::parse("Product.offers.price")?), ["12.50"]);
//! # Ok::<(), crawlingo::schema::SchemaError>(())
//! ```

use std::collections::{HashMap, HashSet};

use crawlingo_schema::path::Path;
use serde_json::{Map, Value, json};
use url::Url;

use super::graph::{self, Strings};
use crate::dom::{Document, Element, Node, NodeId};

/// Items inside of items, further than any page goes.
const MAX_DEPTH: usize = 48;

/// The items on top below a node, in the order of the page, as the standard writes them in JSON: `{"type": [...], "id":
/// "...", "properties": {name: [values]}}`, where a value is a text or an item. Below an element (and with it), an item
/// is on top too if the item that it belongs to lies outside.
///
/// Addresses are made absolute against `base`, the page's [base address](Document::base_url); without it they stay as
/// they are. Beyond the standard, and as schema.org's examples have it, a `content` attribute counts on every element,
/// and an `<input>` whose property ends in `-input` describes what is to be put in. Texts are visible texts, with blanks
/// collapsed. An item that would hold itself is left out there.
pub fn items(node: Node<'_>, base: Option<&Url>) -> Vec<Value> {
    let mut reader = Reader::new(node.document(), base);
    let mut items = Vec::new();
    // The end of the item that was met last: what is in there and has a name belongs to it.
    let mut inside = None;
    for element in node.as_element().into_iter().chain(node.descendants().filter_map(Node::as_element)) {
        if element.attr("itemscope").is_none() {
            continue;
        }
        let is_outermost = inside.is_none_or(|outer: Element<'_>| !outer.node().contains(element.node()));
        if is_outermost {
            inside = Some(element);
        }
        let is_on_top = match element.attr("itemprop") {
            None => true,
            Some(_) => is_outermost && node.as_element().is_some(),
        };
        if is_on_top && let Some(item) = reader.item(element, &mut Vec::new()) {
            items.push(item);
        }
    }
    items
}

/// The values that a path such as `Product.offers.price` leads to, below a node; it means what it means for
/// [JSON-LD](super::jsonld::query).
pub fn query(node: Node<'_>, base: Option<&Url>, path: &Path) -> Vec<Value> {
    query_items(&items(node, base), path)
}

/// The same over what [`items`] gave, so that several paths need only one reading.
pub fn query_items(items: &[Value], path: &Path) -> Vec<Value> {
    let items: Vec<Value> = items.iter().map(|item| as_jsonld(item, 0)).collect();
    graph::query(&items, path, Strings::Plain)
}

/// An item in the form of JSON-LD.
fn as_jsonld(value: &Value, depth: usize) -> Value {
    let Some(properties) = value.get("properties").and_then(Value::as_object) else { return value.clone() };
    let mut map = Map::new();
    if let Some(types) = value.get("type") {
        map.insert("@type".to_owned(), types.clone());
    }
    if let Some(id) = value.get("id") {
        map.insert("@id".to_owned(), id.clone());
    }
    for (name, values) in properties {
        let values = values.as_array().into_iter().flatten();
        let values = values.filter(|_| depth < MAX_DEPTH).map(|value| as_jsonld(value, depth + 1)).collect();
        map.insert(name.clone(), values);
    }
    Value::Object(map)
}

struct Reader<'a> {
    document: &'a Document,
    base: Option<Url>,
    /// Elements by their `id`, once a reference was met.
    ids: Option<HashMap<&'a str, Element<'a>>>,
    /// How many elements may still be visited: with `itemref`, one part of a page may belong to many items.
    work: usize,
}

impl<'a> Reader<'a> {
    fn new(document: &'a Document, base: Option<&Url>) -> Self {
        Self {
            document,
            base: base.cloned(),
            ids: None,
            work: document.len().saturating_mul(16).saturating_add(10_000),
        }
    }

    /// Reads an item; `outer` are the items around it.
    fn item(&mut self, item: Element<'a>, outer: &mut Vec<NodeId>) -> Option<Value> {
        if outer.len() >= MAX_DEPTH || outer.contains(&item.id()) {
            return None;
        }
        let mut map = Map::new();
        let types: Vec<_> = item.attr("itemtype").unwrap_or_default().split_ascii_whitespace().collect();
        if !types.is_empty() {
            map.insert("type".to_owned(), json!(types));
        }
        if let Some(id) = item.attr("itemid") {
            map.insert("id".to_owned(), json!(self.address(id)));
        }
        outer.push(item.id());
        let mut properties: Map<String, Value> = Map::new();
        for element in self.properties(item) {
            let names = element.attr("itemprop").unwrap_or_default();
            let value = if element.attr("itemscope").is_some() {
                self.item(element, outer)
            } else {
                Some(self.value(element, names))
            };
            let Some(value) = value else { continue };
            let mut seen = HashSet::new();
            for name in names.split_ascii_whitespace().filter(|name| seen.insert(*name)) {
                match properties.get_mut(name) {
                    Some(Value::Array(values)) => values.push(value.clone()),
                    _ => drop(properties.insert(name.to_owned(), Value::Array(vec![value.clone()]))),
                }
            }
        }
        outer.pop();
        map.insert("properties".to_owned(), Value::Object(properties));
        Some(Value::Object(map))
    }

    /// The elements that give an item's properties, in the order of the page.
    fn properties(&mut self, item: Element<'a>) -> Vec<Element<'a>> {
        let mut found = Vec::new();
        let references = item.attr("itemref").unwrap_or_default();
        if references.trim().is_empty() {
            self.collect(item, &mut found, None);
            return found;
        }
        let mut seen = HashSet::from([item.id()]);
        self.collect(item, &mut found, Some(&mut seen));
        for reference in references.split_ascii_whitespace() {
            let Some(root) = self.by_id(reference) else { continue };
            if self.work == 0 {
                break;
            }
            self.work -= 1;
            if !seen.insert(root.id()) {
                continue;
            }
            if root.attr("itemprop").is_some() {
                found.push(root);
            }
            if root.attr("itemscope").is_none() {
                self.collect(root, &mut found, Some(&mut seen));
            }
        }
        found.sort_by_key(|element| element.id());
        found
    }

    /// Collects properties below an element, without those that belong to an item in there.
    fn collect(&mut self, root: Element<'a>, found: &mut Vec<Element<'a>>, mut seen: Option<&mut HashSet<NodeId>>) {
        let mut descendants = root.node().descendants();
        while let Some(node) = descendants.next() {
            let Some(element) = node.as_element() else { continue };
            if self.work == 0 {
                tracing::warn!("the page's microdata refers to itself too often: the rest is left");
                return;
            }
            self.work -= 1;
            let is_new = seen.as_mut().is_none_or(|seen| seen.insert(element.id()));
            if is_new && element.attr("itemprop").is_some() {
                found.push(element);
            }
            if !is_new || element.attr("itemscope").is_some() {
                descendants.skip_subtree();
            }
        }
    }

    fn by_id(&mut self, id: &str) -> Option<Element<'a>> {
        let document = self.document;
        let ids = self.ids.get_or_insert_with(|| {
            let mut ids = HashMap::new();
            for element in document.elements() {
                if let Some(id) = element.attr("id") {
                    ids.entry(id).or_insert(element);
                }
            }
            ids
        });
        ids.get(id).copied()
    }

    /// The value of a property that is no item.
    fn value(&self, element: Element<'_>, names: &str) -> Value {
        let content = element.attr("content");
        let address = |name| element.attr(name).map(|value| self.address(value));
        let special = match element.tag() {
            "meta" => Some(content.unwrap_or_default().to_owned()),
            "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => address("src"),
            "a" | "area" | "link" => address("href"),
            "object" => address("data"),
            "data" | "meter" => element.attr("value").map(str::to_owned),
            "time" => element.attr("datetime").map(str::to_owned),
            "input" if names.split_ascii_whitespace().any(|name| name.ends_with("-input")) => {
                return input(element);
            }
            _ => None,
        };
        match special.or_else(|| content.map(str::to_owned)) {
            Some(value) => Value::String(value),
            None => Value::String(text(element)),
        }
    }

    fn address(&self, value: &str) -> String {
        let value = value.trim();
        let joined = self.base.as_ref().and_then(|base| base.join(value).ok());
        joined.map_or_else(|| value.to_owned(), String::from)
    }
}

/// What an `<input>` asks for, as a schema.org `PropertyValueSpecification` names it.
fn input(element: Element<'_>) -> Value {
    const NAMES: [(&str, &str, bool); 11] = [
        ("required", "valueRequired", true),
        ("name", "valueName", false),
        ("readonly", "readonlyValue", true),
        ("multiple", "multipleValues", true),
        ("minlength", "valueMinLength", false),
        ("maxlength", "valueMaxLength", false),
        ("pattern", "valuePattern", false),
        ("min", "minValue", false),
        ("max", "maxValue", false),
        ("step", "stepValue", false),
        ("value", "defaultValue", false),
    ];
    let given = NAMES.iter().filter_map(|(attr, name, is_flag)| {
        let value = element.attr(attr)?;
        Some(((*name).to_owned(), if *is_flag { Value::Bool(true) } else { json!(value) }))
    });
    Value::Object(given.collect())
}

/// The visible text: blanks collapsed within its lines, lines trimmed, empty ones left.
fn text(element: Element<'_>) -> String {
    let mut text = String::new();
    for line in element.text().lines() {
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_some() && !text.is_empty() {
            text.push('\n');
        }
        let begin = text.len();
        for word in words {
            if text.len() > begin {
                text.push(' ');
            }
            text.push_str(word);
        }
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::{Duration, Instant};

    use crawlingo_schema::path;
    use proptest::prelude::*;

    use super::*;

    fn read(html: &str) -> Value {
        let base = Url::parse("https://example.com/dir/page").unwrap();
        Value::Array(items(Document::parse(html).root(), Some(&base)))
    }

    #[test]
    fn values_by_element() {
        let page = r##"<div itemscope itemid="#me"><meta itemprop=a content="1"><a itemprop=b href=" x.html ">-</a>
            <img itemprop=c src="/i.png"><data itemprop=d value="5">five</data><time itemprop=e datetime="2024-01-01">x</time>
            <time itemprop=f>May</time><span itemprop="g h g" content="8">-</span><b itemprop=i>
              two   words </b><object itemprop=j data="o"></object><img itemprop=k></div>"##;
        assert_eq!(
            read(page),
            json!([{"id": "https://example.com/dir/page#me", "properties": {
                "a": ["1"], "b": ["https://example.com/dir/x.html"], "c": ["https://example.com/i.png"], "d": ["5"],
                "e": ["2024-01-01"], "f": ["May"], "g": ["8"], "h": ["8"], "i": ["two words"],
                "j": ["https://example.com/dir/o"], "k": [""]}}])
        );
        let without = Document::parse("<p itemscope><a itemprop=u href=' x'></a></p>");
        assert_eq!(items(without.root(), None)[0]["properties"]["u"], json!(["x"]));
    }

    #[test]
    fn below_an_element() {
        let page = Document::parse(
            "<main itemscope><div itemprop=a itemscope><b itemprop=b>1</b></div>
             <p><i itemprop=c itemscope><b itemprop=d>2</b><u itemprop=e itemscope></u></i></p></main>",
        );
        let of = |tag: &str| items(page.elements().find(|element| element.tag() == tag).unwrap().node(), None);
        assert_eq!(of("div"), [json!({"properties": {"b": ["1"]}})]);
        assert_eq!(of("p"), [json!({"properties": {"d": ["2"], "e": [{"properties": {}}]}})]);
        assert_eq!(of("main").len(), 1);
        assert!(of("u").len() == 1 && of("b").is_empty());
    }

    #[test]
    fn items_hold_items_and_refer_to_others() {
        let page = r#"<div itemscope itemtype="A B" itemref="x y nowhere"><p itemprop=n itemscope><i itemprop=m>1</i></p></div>
            <p id=x itemprop=o>2</p><div id=y><b itemprop=q>3</b></div>"#;
        assert_eq!(
            read(page),
            json!([{"type": ["A", "B"], "properties": {"n": [{"properties": {"m": ["1"]}}], "o": ["2"], "q": ["3"]}}])
        );
    }

    #[test]
    fn circles_are_left_out() {
        let page = r#"<div itemscope itemref="a"></div><p id=a itemprop=p itemscope itemref="b"></p>
            <p id=b itemprop=q itemscope itemref="a b"><i itemprop=z>1</i></p>"#;
        assert_eq!(read(page), json!([{"properties": {"p": [{"properties": {"q": [{"properties": {"z": ["1"]}}]}}]}}]));
    }

    #[test]
    fn paths() {
        let page = Document::parse(
            r#"<div itemscope itemtype="http://schema.org/Product"><i itemprop=name>A &amp;amp; B</i>
            <p itemprop=offers itemscope itemtype="http://schema.org/Offer"><i itemprop=price>1</i></p>
            <p itemprop=offers itemscope itemtype="http://schema.org/Offer"><i itemprop=price>2</i></p></div>"#,
        );
        let ask = |text: &str| query(page.root(), None, &path::parse(text).unwrap());
        assert_eq!(ask("Product.offers.price"), ["1", "2"]);
        assert_eq!(ask("Offer[1].price"), ["2"]);
        assert_eq!(ask("offers[0].price"), ["1"]);
        assert_eq!(ask("Product.name"), ["A &amp; B"], "the parser has decoded it once");
    }

    #[test]
    fn references_cannot_multiply() {
        let mut page = String::new();
        for at in 0..60 {
            let next = at + 1;
            let item = format!("<p itemprop=p itemscope itemref=x{next}></p>");
            page.push_str(&format!("<div id=x{at}>{item}{item}</div>"));
        }
        page.push_str("<div itemscope itemref=x0></div>");
        let many =
            "<div itemscope itemref=big></div>".repeat(5_000) + "<div id=big>" + &"<b itemprop=p>1</b>".repeat(5_000);
        for page in [page, many] {
            let begin = Instant::now();
            let _ = read(&page);
            assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
        }
    }

    proptest! {
        #[test]
        fn any_markup_is_read(page in "(<(div|p|a|meta|img|time|input|template|table|td)( (itemscope|itemprop=[ab]|itemref=\"[ab] [ab]\"|id=[ab]|itemtype=[AB]|href=x|content=y))*>|</(div|p|a)>|x){0,40}") {
            let document = Document::parse(&page);
            let found = items(document.root(), None);
            let _ = query_items(&found, &path::parse("A.a.b").unwrap());
        }
    }
}

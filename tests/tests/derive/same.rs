//! One schema, whichever way it is written: derive, builder, TOML, JSON.

use crawlingo::dataset::Extractor;
use crawlingo::schema::{Field, HealMode, Kind, Schema, Selector, Transform, record_json_schema};
use crawlingo::value::Price;
use crawlingo::{Dataset, Page};
use url::Url;

#[derive(Dataset)]
#[dataset(each = "article")]
struct Book {
    /// As printed.
    #[selector(css = "h3 a", attr = "title", heal)]
    #[selector(after_text = "Title", ignore_case)]
    #[allow(dead_code)]
    title: String,
    #[selector(css = ".price", currency = "USD", strip = "*")]
    #[allow(dead_code)]
    price: Price,
    #[selector(css = "h3 a")]
    #[allow(dead_code)]
    url: Option<Url>,
    #[selector(regex = r"(\d+) in stock", default = 0)]
    #[allow(dead_code)]
    stock: u32,
    #[selector(css = "li::text")]
    #[allow(dead_code)]
    tags: Vec<String>,
}

const TOML: &str = r#"
name = "Book"
each = "article"
[fields.title]
description = "As printed."
selectors = [{ css = "h3 a", attr = "title" }, { after_text = "Title", ignore_case = true }]
heal = "bind"
[fields.price]
css = ".price"
kind = "price"
currency = "USD"
strip = "*"
[fields.url]
css = "h3 a"
kind = "url"
optional = true
[fields.stock]
regex = '(\d+) in stock'
kind = "integer"
default = 0
[fields.tags]
css = "li::text"
many = true
"#;

fn built() -> Schema {
    Schema::builder("Book")
        .each(Selector::css("article"))
        .field(
            Field::new("title", Kind::Text, Selector::css("h3 a").attr("title"))
                .or(Selector::after_text("Title").ignore_case())
                .heal(HealMode::Bind)
                .describe("As printed."),
        )
        .field(
            Field::new("price", Kind::Price { currency: Some("USD".into()) }, Selector::css(".price"))
                .transform(Transform::Strip("*".into())),
        )
        .field(Field::new("url", Kind::Url, Selector::css("h3 a")).optional())
        .field(Field::new("stock", Kind::Integer, Selector::regex(r"(\d+) in stock")).default_value(0))
        .field(Field::new("tags", Kind::Text, Selector::css("li::text")).many())
        .build()
        .expect("it is right")
}

#[test]
fn derive_builder_toml_and_json_give_the_same_schema_and_the_same_records() {
    let built = built();
    assert_eq!(*Book::schema(), built);
    assert_eq!(Schema::from_toml(TOML).expect("it is right"), built);
    assert_eq!(Schema::from_json(&built.to_json()).expect("it is right"), built);
    assert_eq!(Schema::from_toml(&built.to_toml()).expect("it is right"), built);

    let html = "<article><h3><a href=/a title=One>x</a></h3><p class=price>*$5*</p>3 in stock<ul><li>p<li>q</ul></article>\
                <article><dl><dt>title:<dd>Two</dl><p class=price>£7</p></article>";
    let page = Page::from_html(html, "https://example.org/").expect("it parses");
    let records = |schema: &Schema| {
        let extraction = page.extract(&Extractor::new(schema).expect("it compiles"));
        serde_json::to_string(&extraction.into_records().expect("all are there")).expect("it serialises")
    };
    let expected = records(&built);
    assert_eq!(records(&Book::schema()), expected);
    assert_eq!(records(&Schema::from_toml(TOML).expect("it is right")), expected);
    assert_eq!(
        expected,
        r#"[{"title":"One","price":{"amount":"5","currency":"USD","symbol":"$"},"url":"https://example.org/a","stock":3,"tags":["p","q"]},"#.to_owned()
            + r#"{"title":"Two","price":{"amount":"7","currency":"GBP","symbol":"£"},"url":null,"stock":0,"tags":[]}]"#
    );
}

#[test]
fn the_records_have_a_json_schema() {
    let schema = record_json_schema(&Book::schema());
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["properties"]["title"]["description"], "As printed.");
    assert!(schema["properties"]["stock"]["type"] == "integer", "{schema}");
}

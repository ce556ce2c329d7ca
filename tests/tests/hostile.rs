//! What a page can do to a parser: it never panics, never hangs, and stays within its bounds.

use crawlingo::Page;
use crawlingo::dataset::{Extractor, Source};
use crawlingo::dom::{Document, ParseOptions};
use crawlingo::schema::{DateOptions, Field, Kind, Schema, Selector, css, path, pattern};
use crawlingo::value::{ConvertContext, convert};
use proptest::prelude::*;

fn is_shared<T: Send + Sync>() {}

#[test]
fn documents_and_pages_can_be_shared_between_threads() {
    is_shared::<Document>();
    is_shared::<Page>();
    is_shared::<Extractor>();
    is_shared::<crawlingo::Session>();
}

/// The deepest nesting of elements.
fn depth(document: &Document) -> usize {
    document.elements().map(|element| element.ancestors().count() + 1).max().unwrap_or(0)
}

fn everything(document: &Document) {
    let schema = Schema::builder("Any")
        .each(Selector::css("div, b, td, a"))
        .field(Field::new("css", Kind::Text, Selector::css(":has(> i) ~ *, :nth-child(2n), a::attr(href)")).many())
        .field(Field::new("regex", Kind::Text, Selector::regex(r"(\w+)")).many())
        .field(Field::new("text", Kind::Text, Selector::text("x")).many())
        .field(Field::new("after", Kind::Text, Selector::after_text("x")).many())
        .field(Field::new("json", Kind::Json, Selector::json("$..a").within("script")).many())
        .field(Field::new("item", Kind::Json, Selector::microdata("Product.name")).many())
        .build();
    // `::attr()` on one part of a list only is refused, which the test of the grammar covers.
    let schema = schema.or_else(|_| {
        Schema::builder("Any")
            .each(Selector::css("div, b, td, a"))
            .field(Field::new("css", Kind::Text, Selector::css(":has(> i) ~ *, :nth-child(2n)")).many())
            .field(Field::new("regex", Kind::Text, Selector::regex(r"(\w+)")).many())
            .field(Field::new("after", Kind::Text, Selector::after_text("x")).many())
            .build()
    });
    let extractor = Extractor::new(&schema.expect("it is right")).expect("it compiles");
    extractor.extract(&Source::document(document, None));
    document.markdown();
}

#[test]
fn nesting_stops_at_512_and_the_text_stays() {
    for tag in [
        "div",
        "b",
        "a",
        "span",
        "ul><li",
        "table><tr><td",
        "svg><g",
        "template",
        "font",
        "nobr",
        "button",
        "select",
        "p",
    ] {
        let count = 200_000 / (tag.len() + 2);
        let html = format!("<{tag}>").repeat(count) + "the end";
        let document = Document::parse(&html);
        assert!(depth(&document) <= 530, "{tag}: {} deep", depth(&document));
        assert!(tag == "template" || tag == "select" || document.html().contains("the end"), "{tag}");
        document.text();
    }
    // Dropped tags take their end tags with them, so that what follows stands where it belongs.
    let html = format!("<main>{}{}</main><p id=after>x", "<div>".repeat(2000), "</div>".repeat(2000));
    let document = Document::parse(&html);
    assert_eq!(document.css("body > #after").expect("it parses").len(), 1);
}

#[test]
fn what_multiplies_is_bounded() {
    // Each paragraph opens all the formatting elements again.
    let html = (0..400).map(|at| format!("<font size={at}>")).collect::<String>() + &"<p>x".repeat(100_000);
    let options = ParseOptions::default().max_nodes(200_000);
    let error = Document::parse_with(&html, &options).expect_err("it makes too many nodes").to_string();
    assert!(error.contains("max_nodes"), "{error}");
    let error = Document::parse_with("<p>x", &ParseOptions::default().max_bytes(3)).expect_err("too long").to_string();
    assert!(error.contains("max_bytes"), "{error}");
    // A tag of many attributes keeps some of them.
    let html = format!("<p {}>x", (0..20_000).map(|at| format!("a{at}=1 ")).collect::<String>());
    let document = Document::parse(&html);
    let attrs = document.css("p").expect("it parses")[0].attrs().len();
    assert!(attrs <= 4096, "{attrs}");
}

#[test]
fn an_extraction_is_bounded() {
    let document = Document::parse(&("<div>".repeat(400) + &"word ".repeat(40_000)));
    let schema = Schema::builder("Text")
        .each(Selector::css("div"))
        .field(Field::new("text", Kind::Text, Selector::css(":scope")))
        .build();
    let mut limits = crawlingo::dataset::ExtractLimits::default();
    limits.max_bytes = 10 << 20;
    let extractor = Extractor::new(&schema.expect("it is right")).expect("it compiles").with_limits(limits);
    let extraction = extractor.extract(&Source::document(&document, None));
    assert!(
        extraction.records.len() < 400 && extraction.errors[0].to_string().contains("max_bytes"),
        "{:?}",
        extraction.errors
    );
}

#[test]
fn grammars_refuse_what_is_too_deep_or_too_long() {
    let deep = format!("{}a{}", ":not(".repeat(100_000), ")".repeat(100_000));
    assert!(css::parse(&deep).is_err());
    assert!(css::parse(&"a,".repeat(100_000)).is_err());
    assert!(pattern::parse(&"(".repeat(100_000)).is_err());
    assert!(pattern::parse("(a{1000}){1000}").is_err());
    assert!(path::parse(&".".repeat(100_000)).is_err());
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(Schema::from_json(&nested).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_a_document(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let document = Document::parse_bytes(&bytes, &ParseOptions::default()).expect("every text is one");
        everything(&document);
    }

    #[test]
    fn any_markup_is_a_document(html in "(<(/)?(div|p|b|i|a|table|tr|td|select|option|svg|math|template|script|style|title|pre|br|ul|li|form)( (class|href|itemprop|itemscope|itemtype)(=[a-z\"' ]{0,5})?)?>|[a-z &;{}\\[\\]\":,]{0,9}){0,60}") {
        let document = Document::parse(&html);
        everything(&document);
        everything(&Document::parse(&document.html()));
    }

    #[test]
    fn any_text_is_a_value_or_an_error(text in "\\PC{0,80}|[0-9.,:/ tT+-]{0,30}|([0-9]{1,4}|[a-z]{1,9}|[.,/: -]){0,12}") {
        let context = ConvertContext { base: None, language: Some("de"), now: Some(jiff::Timestamp::UNIX_EPOCH) };
        for kind in [
            Kind::Text, Kind::Integer, Kind::Float, Kind::Decimal, Kind::Bool, Kind::price(), Kind::Date(DateOptions::default()),
            Kind::Time, Kind::DateTime(DateOptions::default()), Kind::Timestamp(DateOptions::default()), Kind::Url, Kind::Email,
            Kind::phone(), Kind::Phone { region: Some("FR".into()) }, Kind::Json,
        ] {
            if let Err(error) = convert(&text, &kind, context) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn any_selector_parses_or_says_where(text in "[a-z#.:>+~*\\[\\]=\"'()|, 0-9-]{0,40}") {
        if let Err(error) = css::parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn scraper_reads_what_we_write() {
    let document = Document::parse("<ul><li class=a>x<li>y &amp; z</ul>");
    let html = document.to_scraper();
    let items = scraper::Selector::parse("li").expect("it is right");
    let texts: Vec<String> = html.select(&items).map(|item| item.text().collect()).collect();
    assert_eq!(texts, ["x", "y & z"]);
}

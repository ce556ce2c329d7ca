//! Every type that a field can have.

use std::net::IpAddr;

use crawlingo::value::{Email, Phone, Price};
use crawlingo::{Dataset, Page};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use rust_decimal::Decimal;
use url::Url;

const PAGE: &str = r#"<!DOCTYPE html><html lang=en><base href="/shop/"><body>
  <h1> A   lamp </h1><p id=count>1,204 sold</p><p id=ratio>4.5</p><p id=exact>0.10</p><p id=yes>Yes</p>
  <p id=price>1.299,00 €</p><time id=day datetime=2026-03-31>31 March</time><p id=clock>14:30</p>
  <p id=local>2026-03-31T14:30:00</p><p id=instant>2026-03-31T14:30:00Z</p><a id=link href="lamp?x=1">more</a>
  <a id=mail href="mailto:hello@example.org?subject=x">write</a><p id=phone>+49 30 123456</p>
  <p id=json>{"a": [1, 2]}</p><p id=ip>10.0.0.7</p><ul><li>a<li>b<li></ul><p id=big>300</p><p id=dollar>$5</p>
  <p id=stars>four</p></body></html>"#;

fn page() -> Page {
    Page::from_html(PAGE, "https://example.org/x/y").expect("it parses")
}

#[derive(Dataset, Debug, PartialEq)]
struct All {
    #[selector(css = "h1")]
    text: String,
    #[selector(css = "#count")]
    count: u32,
    #[selector(css = "#count")]
    small: i16,
    #[selector(css = "#ratio")]
    ratio: f64,
    #[selector(css = "#ratio")]
    narrow: f32,
    #[selector(css = "#exact")]
    exact: Decimal,
    #[selector(css = "#yes")]
    yes: bool,
    #[selector(css = "#price")]
    price: Price,
    #[selector(css = "#day")]
    day: Date,
    #[selector(css = "#clock")]
    clock: Time,
    #[selector(css = "#local")]
    local: DateTime,
    #[selector(css = "#instant")]
    instant: Timestamp,
    #[selector(css = "#link")]
    link: Url,
    #[selector(css = "#mail")]
    mail: Email,
    #[selector(css = "#phone")]
    phone: Phone,
    #[selector(css = "#json")]
    json: serde_json::Value,
    #[selector(css = "#ip", parse)]
    ip: IpAddr,
    #[selector(css = "li")]
    list: Vec<String>,
    #[selector(css = "#none")]
    none: Option<Box<Price>>,
    #[selector(css = "#none", parse)]
    no_ip: Option<IpAddr>,
}

#[test]
fn every_type_gets_its_value() {
    let all: All = page().dataset().expect("all are there");
    assert_eq!(all.text, "A lamp");
    assert_eq!((all.count, all.small), (1204, 1204));
    assert_eq!((all.ratio, all.narrow, all.yes), (4.5, 4.5, true));
    assert_eq!(all.exact.to_string(), "0.10");
    assert_eq!((all.price.amount.to_string().as_str(), all.price.currency.as_deref()), ("1299.00", Some("EUR")));
    assert_eq!((all.day.to_string().as_str(), all.clock.to_string().as_str()), ("2026-03-31", "14:30:00"));
    assert_eq!(all.local.to_string(), "2026-03-31T14:30:00");
    assert_eq!(all.instant.to_string(), "2026-03-31T14:30:00Z");
    assert_eq!(all.link.as_str(), "https://example.org/shop/lamp?x=1");
    assert_eq!((all.mail.as_str(), all.phone.as_str()), ("hello@example.org", "+4930123456"));
    assert_eq!(all.json, serde_json::json!({"a": [1, 2]}));
    assert_eq!(all.ip.to_string(), "10.0.0.7");
    assert_eq!(all.list, ["a", "b", ""]);
    assert_eq!((all.none, all.no_ip), (None, None));
}

#[test]
fn a_record_comes_back_out_of_its_type() {
    let page = page();
    let extractor = crawlingo::dataset::Extractor::of::<All>().expect("it compiles");
    let record = page.extract(&extractor).into_records().expect("it is there").remove(0);
    let back = All::from_record(record.clone()).expect("it fits").into_record();
    assert_eq!(back, record);
}

#[derive(Dataset, Debug)]
struct Narrow {
    #[selector(css = "#big")]
    #[allow(dead_code)]
    number: u8,
}

#[derive(Dataset, Debug)]
struct Missing {
    #[selector(css = "#link", attr = "title")]
    #[allow(dead_code)]
    title: String,
}

#[test]
fn errors_name_page_record_field_selector_and_what_was_there() {
    let error = page().dataset::<Narrow>().expect_err("300 is too big").to_string();
    for part in ["Narrow.number", "300", "u8", "https://example.org/x/y", "record 0"] {
        assert!(error.contains(part), "{part:?} is missing in {error:?}");
    }
    let error = page().dataset::<Missing>().expect_err("there is no title").to_string();
    for part in ["Missing.title", "#link", "<a>", "`title`", "it has id, href", "https://example.org/x/y"] {
        assert!(error.contains(part), "{part:?} is missing in {error:?}");
    }
}

fn stars(word: String) -> Result<u8, String> {
    ["zero", "one", "two", "three", "four", "five"]
        .iter()
        .position(|known| *known == word)
        .map(|at| at as u8)
        .ok_or_else(|| format!("{word:?} is no number of stars"))
}

fn doubled(count: i64) -> i64 {
    count * 2
}

#[derive(Dataset)]
struct Changed {
    #[selector(css = "#stars", with = stars)]
    stars: u8,
    #[selector(css = "#count", with = doubled)]
    twice: i64,
    #[selector(css = "#dollar", currency = "USD")]
    dollars: Price,
    #[selector(css = "#none", default = 7)]
    seven: u8,
    #[selector(css = "#none", default = "n/a")]
    absent: String,
    #[selector(css = "#none", default = -1)]
    negative: i32,
    #[selector(css = "h1", lower, replace = ["lamp", "light"])]
    steps: String,
    #[selector(css = "li", join = "+")]
    joined: String,
    #[selector(css = "#clock", split = ":")]
    split: Vec<u8>,
    #[selector(css = ".gone")]
    #[selector(after_text = "lamp")]
    #[selector(css = "#ratio")]
    chain: String,
}

#[test]
fn functions_defaults_transforms_and_chains() {
    let changed: Changed = page().dataset().expect("all are there");
    assert_eq!((changed.stars, changed.twice), (4, 2408));
    assert_eq!(changed.dollars.currency.as_deref(), Some("USD"));
    assert_eq!((changed.seven, changed.absent.as_str(), changed.negative), (7, "n/a", -1));
    assert_eq!((changed.steps.as_str(), changed.joined.as_str()), ("a light", "a+b+"));
    assert_eq!(changed.split, [14, 30]);
    assert_eq!(changed.chain, "1,204 sold");
    let schema = Changed::schema();
    assert!(schema.fields[0].host_transform && !schema.fields[2].host_transform);
}

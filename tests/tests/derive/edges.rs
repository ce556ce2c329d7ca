//! What is easily got wrong: types that hold themselves, names that are not unique, functions of every form, places of
//! errors.

use std::fmt;
use std::str::FromStr;

use crawlingo::dataset::{Extractor, FieldType, Record};
use crawlingo::schema::{Cardinality, Kind};
use crawlingo::value::{Price, Value};
use crawlingo::{Dataset, Page};
use serde::Serialize;

const PAGE: &str = r#"<ul class=tree><li><b>1</b><ul><li><b>2</b><ul><li><b>3</b></ul><li><b>4</b></ul></ul>
  <p class=stars>four</p><p class=stars>two</p><p class=price>£5</p><p class=tags>a, b</p><p class=state>USED</p>
  <div class=offer><i>9</i></div><div class=offer><i>300</i></div>"#;

fn page() -> Page {
    Page::from_html(PAGE, "https://example.org/").expect("it parses")
}

#[derive(Dataset, Debug, PartialEq)]
#[dataset(each = ".tree > li")]
struct Tree<T> {
    #[selector(css = ":scope > b")]
    value: T,
    #[selector(css = ":scope > ul > li")]
    children: Vec<Tree<T>>,
    #[selector(css = ".none")]
    other: Option<Box<Tree<T>>>,
}

#[test]
fn a_generic_dataset_can_hold_itself() {
    fn shown<T: fmt::Display>(tree: &Tree<T>) -> String {
        assert!(tree.other.is_none());
        format!("{}({})", tree.value, tree.children.iter().map(shown).collect::<Vec<_>>().join(" "))
    }
    let numbers: Vec<Tree<u8>> = page().datasets().expect("they are there");
    let texts: Vec<Tree<String>> = page().datasets().expect("they are there");
    assert_eq!(numbers.iter().map(shown).collect::<Vec<_>>(), ["1(2(3()) 4())"]);
    assert_eq!(texts.iter().map(shown).collect::<Vec<_>>(), ["1(2(3()) 4())"]);
    assert_eq!(Tree::<u8>::schema().fields[1].kind, Kind::Ref("Tree".into()));
}

trait Shop {
    type Money: FieldType;
}

struct Pounds;

impl Shop for Pounds {
    type Money = Price;
}

#[derive(Dataset)]
struct Sold<S: Shop> {
    #[selector(css = ".price")]
    by_path: S::Money,
    #[selector(css = ".price")]
    by_trait: Option<<S as Shop>::Money>,
}

#[test]
fn associated_types_are_types_of_fields() {
    let sold: Sold<Pounds> = page().dataset().expect("it is there");
    assert_eq!(sold.by_path.currency.as_deref(), Some("GBP"));
    assert_eq!(sold.by_trait, Some(sold.by_path));
}

mod inner {
    use crawlingo::Dataset;

    #[derive(Dataset)]
    pub(super) struct Item {
        #[selector(css = "li")]
        #[allow(dead_code)]
        pub(super) back: Vec<super::Item>,
    }
}

#[derive(Dataset)]
struct Item {
    #[selector(css = "ul")]
    #[allow(dead_code)]
    items: Vec<inner::Item>,
}

#[test]
fn two_datasets_of_one_name_that_hold_each_other_are_refused_rather_than_mixed_up() {
    let error = page().dataset::<Item>().err().expect("`Item` would be the wrong one").to_string();
    for part in ["Item.items.back", "no dataset around this field is called", "edges::Item"] {
        assert!(error.contains(part), "{part:?} is missing in {error:?}");
    }
}

/// Called like a type of the crate, and without a selector all the same.
mod own {
    use crawlingo::Dataset;

    #[derive(Dataset)]
    pub(super) struct Price {
        #[selector(css = ".price")]
        pub(super) shown: String,
    }
}

#[derive(Dataset)]
struct WithOwn {
    price: own::Price,
}

#[test]
fn a_dataset_may_be_called_like_a_value() {
    assert_eq!(page().dataset::<WithOwn>().expect("it is there").price.shown, "£5");
}

fn stars(word: &str) -> Result<u8, String> {
    ["zero", "one", "two", "three", "four", "five"]
        .iter()
        .position(|known| *known == word)
        .map(|at| at as u8)
        .ok_or_else(|| format!("{word:?} is no number of stars"))
}

fn length(text: &str) -> usize {
    text.len()
}

fn tags(text: String) -> Vec<String> {
    text.split(',').map(|tag| tag.trim().to_owned()).collect()
}

fn count(texts: Vec<String>) -> usize {
    texts.len()
}

fn is_dear(price: Price) -> bool {
    price.amount > 100.into()
}

fn or_zero(number: Option<u8>) -> u8 {
    number.unwrap_or(0)
}

fn even(number: u8) -> Option<u8> {
    number.is_multiple_of(2).then_some(number)
}

/// No type of a field, but known to serde.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Condition {
    New,
    Used,
}

fn condition(text: &str) -> Result<Condition, String> {
    match text.to_lowercase().as_str() {
        "new" => Ok(Condition::New),
        "used" => Ok(Condition::Used),
        other => Err(format!("{other:?} is no condition")),
    }
}

/// Neither a type of a field nor known to serde.
#[derive(Debug, PartialEq)]
struct Points(u32);

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points", self.0)
    }
}

fn points(word: &str) -> Points {
    Points(word.len() as u32)
}

#[derive(Dataset, Debug)]
struct Made {
    #[selector(css = ".stars", with = stars)]
    one: u8,
    #[selector(css = ".stars", with = stars)]
    some: Option<u8>,
    #[selector(css = ".none", with = stars)]
    none: Option<u8>,
    #[selector(css = ".stars", with = stars)]
    each: Vec<u8>,
    #[selector(css = ".none", with = stars)]
    empty: Vec<u8>,
    #[selector(css = ".stars", with = length)]
    lengths: Vec<usize>,
    #[selector(css = ".tags", with = tags)]
    tags: Vec<String>,
    #[selector(css = ".none", with = tags)]
    no_tags: Vec<String>,
    #[selector(css = ".stars", with = count)]
    count: usize,
    #[selector(css = ".price", with = is_dear)]
    dear: bool,
    #[selector(css = ".none", with = or_zero)]
    zero: u8,
    #[selector(css = ".offer i", with = even)]
    even: Option<u8>,
    #[selector(css = ".state", with = condition)]
    condition: Condition,
    #[selector(css = ".stars", with = points)]
    points: Points,
}

#[test]
fn functions_take_and_give_what_reads_well() {
    let extractor = Extractor::of::<Made>().expect("it compiles");
    let made = Made::from_record(page().extract(&extractor).into_records().expect("it is there").remove(0));
    let made = made.expect("they take it");
    assert_eq!((made.one, made.some, made.none), (4, Some(4), None));
    assert_eq!((made.each.as_slice(), made.empty.as_slice()), ([4, 2].as_slice(), [].as_slice()));
    assert_eq!(made.lengths, [4, 3]);
    assert_eq!((made.tags.join("+"), made.no_tags.len()), ("a+b".to_owned(), 0));
    assert_eq!((made.count, made.dear, made.zero, made.even), (2, false, 0, None));
    assert_eq!((&made.condition, &made.points), (&Condition::Used, &Points(4)));

    let schema = Made::schema();
    let of = |name: &str| {
        let field = &schema.fields[schema.position(name).expect("it is a field")];
        assert!(field.host_transform, "{name}");
        (field.kind.name(), field.cardinality)
    };
    assert_eq!(of("one"), ("text", Cardinality::One));
    assert_eq!(of("some"), ("text", Cardinality::Optional));
    assert_eq!(of("each"), ("text", Cardinality::Many));
    assert_eq!(of("tags"), ("text", Cardinality::Optional));
    assert_eq!(of("count"), ("text", Cardinality::Many));
    assert_eq!(of("dear"), ("price", Cardinality::One));
    assert_eq!(of("zero"), ("integer", Cardinality::Optional));

    let record = made.into_record();
    assert_eq!(record.get("condition"), Some(&Value::Text("used".into())));
    assert_eq!(record.get("points"), Some(&Value::Text("4 points".into())));
    assert_eq!(record.get("each"), Some(&Value::List(vec![Value::Integer(4), Value::Integer(2)])));
}

#[test]
fn a_function_that_refuses_a_value_is_named_with_field_and_item() {
    #[derive(Dataset, Debug)]
    struct Refused {
        #[selector(css = "p", with = stars)]
        #[allow(dead_code)]
        words: Vec<u8>,
    }
    let error = page().dataset::<Refused>().expect_err("£5 is no number of stars").to_string();
    for part in ["Refused.words[2]", "\"£5\" is no number of stars", "https://example.org/"] {
        assert!(error.contains(part), "{part:?} is missing in {error:?}");
    }
}

/// An own type by `FromStr`.
#[derive(Debug, PartialEq)]
struct Even(u32);

impl FromStr for Even {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(number) if number % 2 == 0 => Ok(Self(number)),
            _ => Err("it is not even".to_owned()),
        }
    }
}

impl fmt::Display for Even {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[test]
fn own_types_parse_and_come_back() {
    #[derive(Dataset, Debug)]
    struct Parsed {
        #[selector(css = ".offer:last-of-type i", parse)]
        even: Even,
        #[selector(css = ".none", parse)]
        none: Option<Even>,
    }
    let parsed: Parsed = page().dataset().expect("300 is even");
    assert_eq!((&parsed.even, &parsed.none), (&Even(300), &None));
    assert_eq!(parsed.into_record().get("even"), Some(&Value::Text("300".into())));

    #[derive(Dataset, Debug)]
    struct Odd {
        #[selector(css = "i", parse)]
        #[allow(dead_code)]
        numbers: Vec<Even>,
    }
    let error = page().dataset::<Odd>().expect_err("9 is not even").to_string();
    for part in ["Odd.numbers[0]", "\"9\" does not parse: it is not even"] {
        assert!(error.contains(part), "{part:?} is missing in {error:?}");
    }
}

#[derive(Dataset, Debug)]
struct Offer {
    #[selector(css = "i")]
    #[allow(dead_code)]
    number: u8,
}

#[derive(Dataset, Debug)]
struct Offers {
    #[selector(css = ".offer")]
    #[allow(dead_code)]
    offers: Vec<Offer>,
}

#[test]
fn errors_of_nested_datasets_say_which_item() {
    let error = page().dataset::<Offers>().expect_err("300 is too big").to_string();
    assert!(error.starts_with("Offers.offers[1].number: \"300\" is no integer: "), "{error}");
}

#[test]
fn a_record_of_another_dataset_is_refused() {
    let record = Record::new(Offer::schema(), vec![Value::Integer(1)]);
    let error = Offers::from_record(record).expect_err("it is an offer").to_string();
    assert!(error.contains("`Offer` with the fields number") && error.contains("`Offers`"), "{error}");
}

#[test]
fn defaults_are_values_of_the_type() {
    #[derive(Dataset, Debug, PartialEq)]
    struct Defaults {
        #[selector(css = ".none", default = 255)]
        most: u8,
        #[selector(css = ".none", default = -128)]
        least: i8,
        #[selector(css = ".none", default = -0.5)]
        float: f64,
        #[selector(css = ".none", default = true)]
        yes: bool,
        #[selector(css = ".none", default = "£1.50")]
        price: Price,
        #[selector(css = ".none", default = "1,000")]
        thousand: Option<u32>,
    }
    let defaults: Defaults = page().dataset().expect("all have defaults");
    assert_eq!((defaults.most, defaults.least, defaults.float, defaults.yes), (255, -128, -0.5, true));
    assert_eq!((defaults.price.to_string().as_str(), defaults.thousand), ("1.50 GBP", Some(1000)));
}

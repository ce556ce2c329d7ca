//! Nesting, recursion, generics, names.

use crawlingo::dataset::{Extractor, FieldType};
use crawlingo::schema::{HealMode, Kind};
use crawlingo::{Dataset, Page};
use serde::Serialize;

const PAGE: &str = r#"<h1 class=name>Shop</h1><div class=owner><b>Ann</b></div>
  <ul class=books><li><i>One</i><span class=p>5</span><li><i>Two</i></ul>
  <div class=thread><div class=comment><p>a</p><div class=comment><p>b</p><div class=comment><p>c</p></div></div>
  <div class=comment><p>d</p></div></div></div>"#;

fn page() -> Page {
    Page::from_html(PAGE, "https://example.org/").expect("it parses")
}

/// A person.
#[derive(Dataset, Debug, PartialEq)]
struct Person {
    #[selector(css = "b")]
    name: String,
}

#[derive(Dataset, Debug, PartialEq)]
struct Book {
    #[selector(css = "i")]
    title: String,
    #[selector(css = ".p")]
    price: Option<u8>,
}

#[derive(Dataset, Debug, PartialEq)]
struct Head {
    #[selector(css = "h1")]
    name: String,
}

#[derive(Dataset, Debug, PartialEq)]
struct Shop {
    head: Head,
    #[selector(css = ".owner")]
    owner: Person,
    #[selector(css = ".manager")]
    manager: Option<Person>,
    #[selector(css = ".books li")]
    books: Vec<Book>,
}

#[test]
fn datasets_nest_one_optional_and_many() {
    let shop: Shop = page().dataset().expect("it is there");
    assert_eq!(shop.head.name, "Shop");
    assert_eq!(shop.owner.name, "Ann");
    assert_eq!(shop.manager, None);
    let books: Vec<_> = shop.books.iter().map(|book| (book.title.as_str(), book.price)).collect();
    assert_eq!(books, [("One", Some(5)), ("Two", None)]);
}

#[derive(Dataset, Debug)]
#[dataset(each = ".thread > .comment")]
struct Comment {
    #[selector(css = "p")]
    text: String,
    #[selector(css = ".comment")]
    replies: Vec<Comment>,
}

#[test]
fn a_dataset_can_hold_itself() {
    let comments: Vec<Comment> = page().datasets().expect("it is there");
    fn shown(comment: &Comment) -> String {
        let replies: Vec<_> = comment.replies.iter().map(shown).collect();
        format!("{}({})", comment.text, replies.join(""))
    }
    assert_eq!(comments.iter().map(shown).collect::<Vec<_>>(), ["a(b(c())d())"]);
    assert_eq!(Comment::schema().fields[1].kind, Kind::Ref("Comment".into()));
}

#[derive(Dataset, Debug)]
struct Labelled<T> {
    #[selector(css = ".p")]
    value: T,
}

#[derive(Dataset)]
struct Both {
    number: Labelled<u8>,
    text: Labelled<Option<String>>,
}

#[test]
fn datasets_can_be_generic() {
    let number: Labelled<u8> = page().dataset().expect("it is there");
    let text: Labelled<String> = page().dataset().expect("it is there");
    assert_eq!((number.value, text.value.as_str()), (5, "5"));
    let both: Both = page().dataset().expect("it is there");
    assert_eq!((both.number.value, both.text.value.as_deref()), (5, Some("5")));
    assert_eq!(Labelled::<u8>::schema().fields[0].kind, Kind::Integer);
}

#[derive(Dataset, Serialize)]
#[dataset(name = "book", key = ["bookTitle"], version = 3, each = "li", heal)]
#[serde(rename_all = "camelCase")]
struct Named {
    /// The title,
    /// as printed.
    #[selector(css = "i")]
    book_title: String,
    #[selector(css = ".p", heal = "off")]
    #[serde(rename = "cost", skip_serializing_if = "Option::is_none")]
    price: Option<u8>,
    #[selector(meta = "og:title")]
    og_title: Option<String>,
    #[selector(css = ".x", heal = "suggest")]
    r#type: Option<String>,
}

#[test]
fn names_descriptions_keys_and_healing_reach_the_schema() {
    let schema = Named::schema();
    assert_eq!(
        (schema.name.as_str(), schema.version, schema.key.as_slice()),
        ("book", 3, ["bookTitle".to_owned()].as_slice())
    );
    let names: Vec<_> = schema.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["bookTitle", "cost", "ogTitle", "type"]);
    assert_eq!(schema.fields[0].description.as_deref(), Some("The title, as printed."));
    let heal: Vec<_> = schema.fields.iter().map(|field| field.heal).collect();
    assert_eq!(heal, [HealMode::Bind, HealMode::Off, HealMode::Off, HealMode::Suggest]);
    // serde and the schema agree on the names.
    let named: Vec<Named> = page().datasets().expect("it is there");
    let by_serde = serde_json::to_value(&named[0]).expect("it serialises");
    assert_eq!(by_serde["bookTitle"], "One");
    assert_eq!(by_serde["cost"], 5);
}

mod re_exported {
    pub(super) use crawlingo as scraping;
}

#[derive(Dataset)]
#[dataset(crate = "crate::shapes::re_exported::scraping")]
struct Elsewhere {
    #[selector(css = "h1")]
    name: String,
}

#[test]
fn the_crate_can_be_re_exported() {
    assert_eq!(page().dataset::<Elsewhere>().expect("it is there").name, "Shop");
}

#[test]
fn one_bad_record_leaves_the_others() {
    #[derive(Dataset, Debug)]
    #[dataset(each = "li")]
    struct Strict {
        #[selector(css = ".p")]
        #[allow(dead_code)]
        price: u8,
    }
    let extraction = page().extract(&Extractor::of::<Strict>().expect("it compiles"));
    assert_eq!((extraction.records.len(), extraction.errors.len(), extraction.report.found), (1, 1, 2));
    assert!(extraction.errors[0].to_string().contains("record 1"), "{}", extraction.errors[0]);
    assert_eq!(extraction.report.field("price").map(|field| (field.matched, field.empty)), Some((1, 1)));
    const { assert!(!<u8 as FieldType>::NESTED && <Option<Vec<Book>> as FieldType>::NESTED) };
}

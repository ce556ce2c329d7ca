//! Every key of the attributes, once.

use crawlingo::Dataset;
use crawlingo::dataset::Extractor;

fn trimmed(text: String) -> Result<String, std::num::ParseIntError> {
    Ok(text.trim().to_owned())
}

#[derive(Dataset)]
#[allow(dead_code)]
struct Inner {
    #[selector(css = ":scope", own_text)]
    text: String,
}

#[derive(Dataset)]
#[dataset(each = "article", name = "book", key = ["title"], version = 2, heal = "suggest")]
#[allow(dead_code)]
struct Book {
    #[selector(css = "h3 a", attr = "title", heal = "off", trim, strip = "x", replace = ["a", "b"], lower, upper)]
    #[selector(text = "Title", exact, ignore_case)]
    title: String,
    #[selector(regex = r"\d+", on = "html", within = "main")]
    number: Option<i64>,
    #[selector(css = "p", html)]
    html: String,
    #[selector(css = "p", outer_html)]
    outer: String,
    #[selector(css = "p", markdown, heal)]
    markdown: String,
    #[selector(css = "p", with = trimmed)]
    with: String,
    #[selector(json = "$.a[*]", within = "script#state")]
    state: Vec<serde_json::Value>,
    #[selector(jsonld = "Product.offers.price")]
    #[selector(microdata = "Product.offers.price")]
    #[selector(meta = "product:price")]
    price: Option<crawlingo::value::Price>,
    #[selector(before_text = "reviews")]
    reviews: Option<u32>,
    #[selector(css = "li", parse)]
    addresses: Vec<std::net::IpAddr>,
    inner: Option<Inner>,
    #[selector(css = "time", date_order = "dmy", language = "de")]
    date: Option<jiff::civil::Date>,
    #[selector(css = ".tel", region = "DE")]
    phone: Option<crawlingo::value::Phone>,
}

#[test]
fn every_key_is_understood() {
    let schema = Book::schema();
    assert_eq!(schema.fields.len(), 13);
    schema.check().expect("it is right");
    Extractor::of::<Book>().expect("it compiles");
}

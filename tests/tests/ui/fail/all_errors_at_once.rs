use crawlingo::{Dataset, Page};

#[derive(Dataset)]
#[dataset(each = "li >", kye = "title")]
struct Book {
    #[selector(css = "h1", atr = "title", regex = "(")]
    title: String,
    #[selector(regex = "(")]
    number: u32,
    price: crawlingo::value::Price,
    #[selector(css = "a::attr(href)")]
    author: Author,
    #[selector(xpath = "")]
    last: String,
}

#[derive(Dataset)]
struct Author {
    #[selector(css = "b")]
    name: String,
}

fn main() {
    // What uses the dataset has no errors of its own.
    let page = Page::from_html("", "https://example.org/").unwrap();
    let books: Vec<Book> = page.datasets().unwrap();
    println!("{} {}", books[0].title, books[0].number);
}

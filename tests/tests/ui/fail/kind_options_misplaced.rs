use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", currency = "EUR")]
    title: String,
    #[selector(css = "h2", date_order = "dmy")]
    price: crawlingo::value::Price,
    #[selector(css = "h2", date_order = "ydm")]
    date: String,
    #[selector(css = "h2", kind = "price")]
    kind: String,
}

fn main() {}

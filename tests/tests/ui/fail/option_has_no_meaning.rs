use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", exact)]
    title: String,
    #[selector(css = "h2", on = "html")]
    body: String,
    #[selector(regex = "x", attr = "href")]
    link: String,
    #[selector(css = "h2", within = "p")]
    narrowed: String,
}

fn main() {}

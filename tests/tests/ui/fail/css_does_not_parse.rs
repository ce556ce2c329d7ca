use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "div >> a")]
    title: String,
    #[selector(css = "h1[title=")]
    subtitle: String,
    #[selector(css = "")]
    empty: String,
}

fn main() {}

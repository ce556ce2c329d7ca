use crawlingo::Dataset;

struct Odd;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1")]
    title: Odd,
    #[selector(css = "h2")]
    map: std::collections::HashMap<String, String>,
}

fn main() {}

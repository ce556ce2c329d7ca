use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", default = "x")]
    titles: Vec<String>,
}

fn main() {}

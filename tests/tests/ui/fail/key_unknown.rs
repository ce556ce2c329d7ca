use crawlingo::Dataset;

#[derive(Dataset)]
#[dataset(eahc = "article")]
struct Book {
    #[selector(css = "h1", atr = "title")]
    title: String,
    #[selector(css = "h2", banana)]
    other: String,
}

fn main() {}

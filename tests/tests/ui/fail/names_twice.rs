use crawlingo::Dataset;

#[derive(Dataset)]
#[dataset(key = "titel")]
struct Book {
    #[selector(css = "h1")]
    title: String,
    #[selector(css = "h2")]
    #[serde(rename = "title")]
    subtitle: String,
}

fn main() {}

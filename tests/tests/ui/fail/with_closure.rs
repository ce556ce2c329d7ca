use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", with = |text| text)]
    title: String,
    #[selector(css = "h1", with = "upper")]
    named: String,
}

fn main() {}

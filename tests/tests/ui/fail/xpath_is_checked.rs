use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(xpath = "//a[@href='x'")]
    link: String,
}

fn main() {}

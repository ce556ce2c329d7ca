use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "li:frist-child")]
    title: String,
    #[selector(css = "p::before")]
    before: String,
}

fn main() {}

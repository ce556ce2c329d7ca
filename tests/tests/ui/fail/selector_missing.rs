use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    title: String,
    #[selector(default = 1)]
    count: Option<u32>,
    #[selector(attr = "href")]
    link: String,
    #[selector("h1")]
    bare: String,
}

fn main() {}

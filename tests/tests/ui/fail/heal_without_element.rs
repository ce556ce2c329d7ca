use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(meta = "og:title", heal)]
    title: String,
}

fn main() {}

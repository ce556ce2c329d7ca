use crawlingo::Dataset;

#[derive(Dataset)]
#[selector(css = "article")]
struct Book {
    #[dataset(each = "h1")]
    title: String,
}

fn main() {}

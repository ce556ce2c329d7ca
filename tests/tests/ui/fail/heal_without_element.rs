use crawlingo::Dataset;

#[derive(Dataset)]
struct Inner {
    #[selector(css = "h1")]
    title: String,
}

#[derive(Dataset)]
struct Book {
    #[selector(heal)]
    inner: Inner,
    #[selector(meta = "og:title", heal)]
    title: String,
}

fn main() {}

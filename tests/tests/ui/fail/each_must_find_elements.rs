use crawlingo::Dataset;

#[derive(Dataset)]
#[dataset(each = "a::attr(href)")]
struct Book {
    #[selector(css = "h1")]
    title: String,
}

#[derive(Dataset)]
#[dataset(each(regex = "x"))]
struct Other {
    #[selector(css = "h1")]
    title: String,
}

fn main() {}

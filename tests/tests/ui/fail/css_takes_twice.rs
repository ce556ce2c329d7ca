use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "a::attr(href)", attr = "title")]
    link: String,
    #[selector(css = "a::text, b::attr(x)")]
    both: String,
    #[selector(css = "a::text > b")]
    middle: String,
}

fn main() {}

use crawlingo::Dataset;

#[derive(Dataset)]
struct Book<'a> {
    #[selector(css = "h1")]
    title: &'a str,
}

fn main() {}

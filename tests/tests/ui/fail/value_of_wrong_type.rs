use crawlingo::Dataset;

#[derive(Dataset)]
#[dataset(version = "two")]
struct Book {
    #[selector(css = 7)]
    title: String,
    #[selector(css = "h1", attr)]
    attr: String,
    #[selector(css = "h1", trim = "x")]
    trim: String,
    #[selector(css = "h1", replace = "x")]
    replace: String,
    #[selector(css = "h1", heal = "perhaps")]
    heal: String,
}

fn main() {}

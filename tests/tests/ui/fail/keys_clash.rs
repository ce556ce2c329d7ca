use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", regex = "x")]
    title: String,
    #[selector(css = "h2", html, markdown)]
    body: String,
    #[selector(css = "h3", css = "h4")]
    twice: String,
}

fn main() {}

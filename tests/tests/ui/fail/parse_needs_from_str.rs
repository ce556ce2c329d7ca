use crawlingo::Dataset;

#[derive(Debug)]
struct Odd;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", parse)]
    title: Odd,
}

fn main() {}

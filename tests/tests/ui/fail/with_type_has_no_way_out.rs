use crawlingo::Dataset;

struct Odd;

fn odd(_: &str) -> Odd {
    Odd
}

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", with = odd)]
    odd: Odd,
}

fn main() {}

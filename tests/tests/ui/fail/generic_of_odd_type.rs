use crawlingo::Dataset;

struct Odd;

#[derive(Dataset)]
struct Labelled<T> {
    #[selector(css = "b")]
    value: T,
    #[selector(css = "h1", css = "h2")]
    twice: String,
}

#[derive(Dataset)]
struct Right<T> {
    #[selector(css = "b")]
    value: T,
}

fn main() {
    Right::<u8>::schema();
    Right::<Odd>::schema();
}

use crawlingo::Dataset;

const STARS: u8 = 5;

fn both(text: &str, stars: u8) -> String {
    format!("{text}{stars}")
}

fn bytes(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", with = STARS)]
    constant: u8,
    #[selector(css = "h1", with = both)]
    two: String,
    #[selector(css = "h1", with = bytes)]
    bytes: String,
    #[selector(css = "h1", with = absent)]
    absent: String,
}

fn main() {}

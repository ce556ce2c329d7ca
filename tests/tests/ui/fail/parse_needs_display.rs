use crawlingo::Dataset;

enum Condition {
    New,
}

impl std::str::FromStr for Condition {
    type Err = String;

    fn from_str(_: &str) -> Result<Self, String> {
        Ok(Self::New)
    }
}

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", parse)]
    condition: Option<Condition>,
}

fn main() {}

use crawlingo::Dataset;

fn upper(text: String) -> String {
    text.to_uppercase()
}

fn wrong(text: String) -> u8 {
    text.len() as u8
}

#[derive(Dataset)]
struct Both {
    #[selector(css = "h1", with = upper, parse)]
    title: String,
}

#[derive(Dataset)]
struct Wrong {
    #[selector(css = "h1", with = wrong)]
    title: String,
}

fn main() {}

use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(after_text = " ")]
    price: String,
}

fn main() {}

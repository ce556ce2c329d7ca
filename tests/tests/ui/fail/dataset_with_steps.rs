use crawlingo::Dataset;

#[derive(Dataset)]
struct Offer {
    #[selector(css = "b")]
    price: String,
}

#[derive(Dataset)]
struct Book {
    #[selector(css = ".offer", default = "none")]
    offer: Offer,
    #[selector(css = ".offer", trim)]
    trimmed: Option<Offer>,
}

fn main() {}

use crawlingo::Dataset;

#[derive(Dataset)]
struct Offer {
    #[selector(css = "b")]
    price: String,
}

#[derive(Dataset)]
struct Book {
    #[selector(css = "a", attr = "href")]
    offer: Offer,
    #[selector(regex = "x")]
    offers: Vec<Offer>,
}

fn main() {}

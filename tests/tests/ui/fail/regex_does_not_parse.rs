use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(regex = r"(\d+ in stock")]
    stock: u32,
    #[selector(regex = r"(?=x)")]
    ahead: String,
}

fn main() {}

use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(jsonld = "Product..price")]
    price: String,
    #[selector(json = "props.price")]
    state: String,
    #[selector(meta = " ")]
    meta: String,
}

fn main() {}

use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    map: Option<serde_json::Value>,
}

fn main() {}

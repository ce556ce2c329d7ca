use crawlingo::Dataset;

#[derive(Dataset)]
struct Table {
    #[selector(css = "td")]
    cells: Vec<Vec<String>>,
}

fn main() {}

use crawlingo::Dataset;

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1", default = 300)]
    narrow: u8,
    #[selector(css = "h1", default = -1)]
    unsigned: Option<u32>,
    #[selector(css = "h1", default = 1.5)]
    whole: i64,
    #[selector(css = "h1", default = "none")]
    number: f64,
    #[selector(css = "h1", default = 1)]
    flag: bool,
    #[selector(css = "h1", default = ["a"])]
    list: String,
}

fn main() {}

use crawlingo::{Dataset, Spider};

#[derive(Dataset)]
struct Book {
    #[selector(css = "h1")]
    title: String,
}

#[derive(Spider)]
#[spider(start = "https://x.example/{categry}/", item = Book, follow(css = "a >"), max_page = 3)]
struct Books {
    category: String,
}

#[derive(Spider)]
#[spider(item(Book, on = "("), follow(jsonld = "a"), rate_per_host = "often", order = "random", concurrency = 0)]
struct Nowhere;

#[derive(Spider)]
#[spider(start = "x.example", item = Book, item(Book, on = "b"), paginate(url = "https://x.example/"), max_pages = 0)]
struct Unclear;

#[derive(Spider)]
#[spider(start = "https://x.example/", item = String)]
struct NoDataset;

#[derive(Spider)]
#[spider(start = "https://x.example/", parse = Self::nothing)]
struct NoFunction;

#[derive(Spider)]
enum NoStruct {
    One,
}

fn main() {}

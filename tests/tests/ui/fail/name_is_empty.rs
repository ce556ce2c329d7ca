use crawlingo::Dataset;

#[derive(Dataset)]
#[dataset(name = "")]
#[serde(rename_all = "kebab_case")]
struct Book {
    #[selector(css = "h1")]
    #[serde(rename = "")]
    title: String,
    #[selector(css = "h2")]
    sub_title: String,
}

fn main() {}

struct Plain;

fn main() {
    let page = crawlingo::Page::from_html("", "https://example.org/").unwrap();
    let _: Vec<Plain> = page.datasets().unwrap();
}

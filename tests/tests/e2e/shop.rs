//! The demo shop through the real transport: typed records against the shop's own truth.

use crawlingo::session::{after_text, css};
use crawlingo::sink::to;
use crawlingo::{Request, Session, Spider};
use crawlingo_spiders::books::{Book, Books};
use crawlingo_spiders::product::Product;
use crawlingo_tests::shop::{Shop, catalog};
use futures_util::StreamExt as _;

async fn shop() -> (Shop, Session) {
    (Shop::start(0).await.expect("a free port"), Session::new().expect("a session"))
}

#[tokio::test]
async fn the_listing_gives_every_product_once_with_its_values() {
    let shop = Shop::start(0).await.expect("a free port");
    let spider = Books { start: shop.at("/catalogue/1") };
    let mut stream = spider.clone().crawl().stream();
    let mut books: Vec<Book> = Vec::new();
    while let Some(scraped) = stream.next().await {
        books.push(scraped.expect("it is a book").record);
    }
    let pages = stream.report().map_or(0, |report| report.fetched()) as usize;
    let truth = catalog::products();
    assert_eq!((pages, books.len()), (truth.len() / catalog::PER_PAGE, truth.len()));
    // A file gets what the type's own functions make, the stars as a number.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("books.jsonl");
    let report = spider.crawl().run(to(&file).expect("it is one")).await.expect("it runs");
    assert_eq!(report.records as usize, truth.len());
    let text = std::fs::read_to_string(&file).expect("it was written");
    for (line, product) in text.lines().zip(truth) {
        let line: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
        assert_eq!(
            (line["rating"].as_u64(), line["title"].as_str()),
            (Some(product.rating.into()), Some(product.title.as_str()))
        );
    }
    for (book, product) in books.iter().zip(truth) {
        assert_eq!(book.title, product.title);
        assert_eq!(book.price.amount, product.amount, "{}", product.price_text);
        assert_eq!(book.price.currency.as_deref(), Some(product.currency), "{}", product.price_text);
        assert_eq!(book.rating, product.rating);
        assert_eq!(book.stock.unwrap_or(0), product.stock);
        assert_eq!(book.url.as_str(), shop.at(&product.path()));
    }
}

#[tokio::test]
async fn a_product_page_gives_the_same_in_every_way() {
    let (shop, session) = shop().await;
    for product in catalog::products().iter().step_by(37) {
        let page = session.page(&shop.at(&product.path())).await.expect("it is there");
        let found: Product = page.dataset().expect("it is complete");
        assert_eq!((found.title.as_str(), found.amount), (product.title.as_str(), product.amount));
        assert_eq!((found.price.amount, found.currency.as_str()), (product.amount, product.currency));
        assert_eq!(found.added, product.added);
        assert_eq!(found.stock.unwrap_or(0), product.stock);
        assert_eq!(found.number, format!("LL-{:04}", product.id));
        assert_eq!(found.description, product.description);
        assert_eq!(found.origin, product.specs[3].1);
        let specs: Vec<_> = found.specs.iter().map(|spec| (spec.name.as_str(), spec.value.clone())).collect();
        assert_eq!(specs, product.specs);
        assert_eq!(found.path, ["Home", product.category, product.title.as_str()]);
        let table = page.table("table.specs").expect("there is one");
        assert_eq!(table.len(), product.specs.len());
    }
}

#[tokio::test]
async fn a_schema_at_run_time_gives_the_records_too() {
    let (shop, session) = shop().await;
    let extracted = session
        .dataset(shop.at("/v2/catalogue/3"))
        .each(css("li[data-sku]"))
        .field("title", css("h2 a"))
        .field("price", css("[data-test=amount]").price())
        .field("url", css("h2 a").attr("href").url())
        .build()
        .await
        .expect("it goes through");
    let truth = &catalog::products()[40..60];
    assert_eq!(extracted.records.len(), truth.len());
    for (record, product) in extracted.records.iter().zip(truth) {
        let json = serde_json::to_value(record).expect("it serialises");
        assert_eq!(json["title"], product.title);
        assert_eq!(json["price"]["amount"], product.amount.to_string());
        // Relative to the page's `<base href>`.
        assert_eq!(json["url"], shop.at(&format!("/v2/p/{}", product.slug())));
    }
    assert!(extracted.report.is_clean(), "{:?}", extracted.report);
    // A description that is wrong fails before anything is fetched.
    let error =
        session.dataset("http://127.0.0.1:1/").field("x", css("a >> b")).build().await.expect_err("it is wrong");
    assert_eq!(error.exit_code(), 2, "{error}");
    let one = session.dataset(shop.at(&catalog::products()[0].path())).field("number", after_text("Number"));
    assert_eq!(one.build().await.expect("it goes through").records.len(), 1);
}

#[tokio::test]
async fn a_form_is_filled_in_and_sent_with_its_hidden_field_and_cookies() {
    let (shop, session) = shop().await;
    let page = session.page(&shop.at("/login")).await.expect("it is there");
    let form = page.form("#login").expect("there is one");
    assert_eq!(form.names(), ["csrf", "user", "password", "remember", "do"]);
    let error = form.clone().set("usr", "ann").expect_err("no such field").to_string();
    assert!(error.contains("did you mean `user`?"), "{error}");
    let filled =
        form.set("user", "ann").and_then(|form| form.set("password", "lantern")).expect("the fields are there");
    let inside = filled.submit(&session).await.expect("it goes through");
    assert_eq!((inside.status(), inside.url().path()), (200, "/account"));
    assert_eq!(inside.css("h1").expect("it parses").get().as_deref(), Some("Hello, ann"));

    let wrong = filled.set("password", "x").expect("it is there").submit(&session).await.expect("it goes through");
    assert_eq!(wrong.status(), 403);
    let found = page_of_search(&session, &shop).await;
    assert!(found.title().is_some_and(|title| title.contains("results for kettle")), "{:?}", found.title());
}

async fn page_of_search(session: &Session, shop: &Shop) -> crawlingo::Page {
    let home = session.page(&shop.at("/")).await.expect("it is there");
    let form = home.form("#search").expect("there is one").set("q", "kettle").expect("the field is there");
    assert_eq!(form.request().expect("it is http").url.query(), Some("q=kettle&lang=en"));
    form.submit(session).await.expect("it goes through")
}

#[tokio::test]
async fn old_encodings_json_and_failures() {
    let (shop, session) = shop().await;
    let russian = session.page(&shop.at("/encoded/windows-1251")).await.expect("it is there");
    assert_eq!((russian.title().as_deref(), russian.document().encoding()), (Some("Лампа"), "windows-1251"));
    let japanese = session.page(&shop.at("/encoded/shift_jis")).await.expect("it is there");
    assert_eq!(japanese.css(".price").expect("it parses").get().as_deref(), Some("12,800円"));

    let api = session.page(&shop.at("/api/products?page=2")).await.expect("it is there");
    assert_eq!(api.json().expect("it is JSON")["items"][0]["id"], 21);

    // A feed is XML by its content type: names with their case, `<link>` with its text.
    let feed = session.page(&shop.at("/feed.xml")).await.expect("it is there");
    let links = feed.css("item > link").expect("it parses").get_all();
    assert_eq!((links.len(), links[0].as_str()), (15, shop.at(&catalog::products()[299].path()).as_str()));
    assert_eq!(feed.xpath("count(//pubDate)").expect("it parses").number(), 15.0);

    let error = session.page(&shop.at("/status/404")).await.expect_err("404").to_string();
    assert!(error.contains("404"), "{error}");
    let page = session.open(Request::get(&shop.at("/status/404")).expect("a URL")).await.expect("a page all the same");
    assert_eq!(page.status(), 404);
    let archive = session.page(&shop.at("/sitemap-products.xml.gz")).await.expect_err("no document").to_string();
    assert!(archive.contains("application/gzip"), "{archive}");
}

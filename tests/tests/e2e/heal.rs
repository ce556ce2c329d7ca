//! Healing over the real transport: the shop is read in its first design, then in its new one at the same addresses.

use std::sync::{Arc, Mutex};

use crawlingo::heal::{HealRow, HealStore, MemoryHealStore, SledHealStore};
use crawlingo::value::Price;
use crawlingo::{Dataset, Page, Session};
use crawlingo_spiders::listing::Row;
use crawlingo_tests::shop::{Shop, catalog};

/// A product's own page: one element for each field.
#[derive(Debug, Clone, PartialEq, Dataset)]
#[dataset(heal)]
struct Sheet {
    #[selector(css = "h1[itemprop=name]")]
    title: Option<String>,
    #[selector(css = ".price span[itemprop=price]")]
    price: Option<Price>,
}

fn session(store: Arc<dyn HealStore>) -> (Session, Arc<Mutex<Vec<HealRow>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let session = Session::builder()
        .heal_store(store)
        .on_heal(move |row| tell.lock().expect("nobody panics").push(row.clone()))
        .build()
        .expect("a session");
    (session, told)
}

#[tokio::test]
async fn a_listing_heals_as_a_whole_and_what_is_gone_stays_gone() {
    let store: Arc<dyn HealStore> = Arc::new(MemoryHealStore::new());
    let shop = Shop::start(0).await.expect("a free port");
    let address = shop.at("/catalogue/1");
    let (first, told) = session(Arc::clone(&store));
    let before: Vec<Row> = first.page(&address).await.expect("it is there").datasets().expect("it is complete");
    assert_eq!(before.len(), catalog::PER_PAGE);
    assert!(told.lock().expect("nobody panics").is_empty(), "what matches is no news");
    drop(first);

    shop.redesign();
    let (second, told) = session(store);
    let after: Vec<Row> = second.page(&address).await.expect("it is there").datasets().expect("it heals");
    let told = told.lock().expect("nobody panics");
    assert_eq!(after.len(), before.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((&after.title, &after.price), (&before.title, &before.price));
        assert_eq!(after.stock, None, "the new design does not tell it, and no neighbour may stand in");
    }
    let of = |field: &str| told.iter().find(|row| row.field == field).map(|row| row.outcome.as_str());
    assert_eq!(of("each"), Some("healed"));
    assert_eq!((of("title"), of("price")), (Some("healed"), Some("healed")));
    assert_ne!(of("stock"), Some("healed"));
    assert!(told.iter().all(|row| row.outcome != "healed" || row.confidence >= 0.94));
}

#[tokio::test]
async fn a_store_on_disk_outlives_the_process_that_wrote_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let shop = Shop::start(0).await.expect("a free port");
    let path = catalog::products()[4].path();
    let address = shop.at(&path);
    let before: Sheet = {
        let (session, _) = session(Arc::new(SledHealStore::open(folder.path()).expect("it opens")));
        session.page(&address).await.expect("it is there").dataset().expect("it is complete")
    };
    assert!(before.title.is_some() && before.price.is_some(), "{before:?}");
    shop.redesign();
    let store = SledHealStore::open(folder.path()).expect("it opens again");
    let (session, told) = session(Arc::new(store.clone()));
    let after: Sheet = session.page(&address).await.expect("it is there").dataset().expect("all is optional");
    let told = told.lock().expect("nobody panics");
    assert_eq!(after, before);
    assert_eq!(store.history().expect("it reads").len(), told.len());
}

#[tokio::test]
async fn what_healed_on_one_page_is_looked_up_on_the_others() {
    let store: Arc<dyn HealStore> = Arc::new(MemoryHealStore::new());
    let shop = Shop::start(0).await.expect("a free port");
    let (first, _) = session(Arc::clone(&store));
    let expected: Vec<Row> = first.page(&shop.at("/catalogue/2")).await.expect("it is there").datasets().expect("rows");
    // Only page 1 is remembered as a whole.
    let store: Arc<dyn HealStore> = Arc::new(MemoryHealStore::new());
    let (first, _) = session(Arc::clone(&store));
    let _: Vec<Row> = first.page(&shop.at("/catalogue/1")).await.expect("it is there").datasets().expect("rows");
    shop.redesign();
    let (second, told) = session(Arc::clone(&store));
    let alone: Vec<Row> =
        second.page(&shop.at("/catalogue/2")).await.expect("it is there").datasets().expect("no error");
    assert!(alone.is_empty(), "a page that was never seen says too little by itself");
    let _: Vec<Row> = second.page(&shop.at("/catalogue/1")).await.expect("it is there").datasets().expect("it heals");
    let after: Vec<Row> =
        second.page(&shop.at("/catalogue/2")).await.expect("it is there").datasets().expect("it heals");
    let values = |rows: &[Row]| rows.iter().map(|row| (row.title.clone(), row.price.clone())).collect::<Vec<_>>();
    assert_eq!(values(&after), values(&expected));
    assert!(after.iter().all(|row| row.stock.is_none()));
    assert!(
        store.list().expect("it reads").iter().all(|proposal| proposal.pages.len() <= 1),
        "looking up confirms nothing"
    );
    assert!(told.lock().expect("nobody panics").iter().all(|row| row.field != "stock" || row.outcome != "healed"));
}

/// The second of some spans, whatever it is.
#[derive(Debug, Dataset)]
#[dataset(heal)]
struct Author {
    #[selector(css = "p.meta > span:nth-of-type(2)")]
    name: String,
}

#[test]
fn strict_refuses_a_selector_that_moved_to_another_element() {
    let page = |first: &str| {
        let filler: String =
            (0..9).map(|at| format!("<li><a href=/{at}>Essay {at}</a> <i>note {at}</i></li>")).collect();
        format!(
            "<main><h1>On Lanterns</h1><p class=meta>{first}<span class=by id=author>Ada Lovelace</span> <b>3 May</b></p><ul>{filler}</ul></main>"
        )
    };
    let read = |strict: bool| {
        let store = Arc::new(MemoryHealStore::new());
        let session = Session::builder().heal_store(store).heal_strict(strict).build().expect("a session");
        let open = |html: String| session.adopt(Page::from_html(&html, "https://example.org/1").expect("a page"));
        let before: Author = open(page("<span class=kind>Essay</span> ")).dataset().expect("it is there");
        assert_eq!(before.name, "Ada Lovelace");
        open(page("<span class=kind>Essay</span> <span class=read>5 min</span> ")).dataset::<Author>()
    };
    assert_eq!(read(false).expect("a warning takes nothing away").name, "5 min");
    let error = read(true).expect_err("it is another element").to_string();
    assert!(
        error.contains("5 min") && error.contains("Ada Lovelace") && error.contains("https://example.org/1"),
        "{error}"
    );
}

/// What is remembered of some pages of a template heals others that were never seen; each value that is bound is right.
#[tokio::test]
async fn pages_of_a_template_heal_that_were_never_seen() {
    let store: Arc<dyn HealStore> = Arc::new(MemoryHealStore::new());
    let shop = Shop::start(0).await.expect("a free port");
    let (first, _) = session(Arc::clone(&store));
    for product in &catalog::products()[..50] {
        let page = first.page(&shop.at(&product.path())).await.expect("it is there");
        page.dataset::<Sheet>().expect("it is complete");
    }
    shop.redesign();
    let (second, _) = session(store);
    let alone = read_unseen(&second, &shop).await;
    let reports = second.revisit::<Sheet>(&shop.url()).await.expect("they are there");
    for field in ["title", "price"] {
        let healed = reports.iter().filter(|report| report.field(field).is_some_and(|field| field.healed > 0)).count();
        assert!(healed > 0, "{field}: {reports:?}");
    }
    let after = read_unseen(&second, &shop).await;
    println!("right, wrong, not bound: {alone:?} by themselves, {after:?} after a remembered page was revisited");
    assert_eq!((alone.1, after), (0, (100, 0, 0)));
}

/// How many values of products 51 to 100 are right, wrong and not bound.
async fn read_unseen(session: &Session, shop: &Shop) -> (usize, usize, usize) {
    let mut counts = (0, 0, 0);
    for product in &catalog::products()[50..100] {
        let page = session.page(&shop.at(&product.path())).await.expect("it is there");
        let sheet: Sheet = page.dataset().expect("all is optional");
        let title = sheet.title.map(|title| title == product.title);
        let price = sheet.price.map(|price| price.amount == product.amount);
        for value in [title, price] {
            match value {
                Some(true) => counts.0 += 1,
                Some(false) => counts.1 += 1,
                None => counts.2 += 1,
            }
        }
    }
    counts
}

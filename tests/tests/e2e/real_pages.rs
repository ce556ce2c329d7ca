//! `crawlingo extract` with a schema file over real pages, whose records were read and found right.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

#[allow(clippy::print_stdout)] // A test that is skipped says so.
fn pages() -> Option<PathBuf> {
    let shared = std::env::var_os("CRAWLINGO_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let pages = shared.join("pages");
    if !pages.is_dir() {
        println!("real_pages: skipped (set CRAWLINGO_SHARED to the folder that holds pages/)");
        return None;
    }
    Some(pages)
}

fn extract(pages: &Path, page: &str, schema: &str) -> Vec<Value> {
    let page = pages.join(page).display().to_string();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(schema).display().to_string();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = crawlingo_cli::run(["crawlingo", "extract", &page, "--schema", &schema], &mut out, &mut err);
    assert_eq!((code, String::from_utf8_lossy(&err).as_ref()), (0, ""), "{page}");
    serde_json::from_slice(&out).expect("it is JSON")
}

#[test]
fn five_pages_give_the_records_that_stand_on_them() {
    let Some(pages) = pages() else { return };
    let concert = extract(
        &pages,
        "extruct/Elysian Fields Brooklyn Tickets, The Owl Music Parlor, 31 Oct 2015.html",
        "concert.toml",
    );
    assert_eq!(
        concert,
        [
            json!({"artist": "Elysian Fields", "venue": "The Owl Music Parlor", "city": "Brooklyn", "starts": "2015-10-31T23:30:00Z",
            "latitude": 40.660109})
        ]
    );
    let film = extract(&pages, "extruct/opengraph_ns_product_test.html", "film.toml");
    assert_eq!(film[0]["title"], "Better Off Dead [Exclusive Blu-ray Steelbook]");
    assert_eq!(
        (&film[0]["amount"], &film[0]["currency"], &film[0]["available"]),
        (&json!("17.99"), &json!("USD"), &json!("in stock"))
    );

    let recipe = extract(&pages, "recipe-scrapers/eatingwell.html", "recipe.toml");
    assert_eq!(
        (&recipe[0]["name"], &recipe[0]["rating"]),
        (&json!("Cheesy Ground Beef & Cauliflower Casserole"), &json!(4.5))
    );
    let ingredients = recipe[0]["ingredients"].as_array().expect("a list");
    assert_eq!((ingredients.len(), &ingredients[13]), (14, &json!("0.333 cup sliced pickled jalapeños")));

    let article = extract(&pages, "article-extraction-benchmark/5fa3154ec031ab35.html", "article.toml");
    assert_eq!(article[0]["headline"], "The Guardian view on Hong Kong: a city on the brink");
    assert_eq!((&article[0]["published"], &article[0]["section"]), (&json!("2019-11-18T18:54:53Z"), &json!("Opinion")));
    assert!(article[0]["first"].as_str().is_some_and(|text| text.starts_with("Hong Kong is burning.")));

    let costumes = extract(&pages, "autopager/134.html", "costumes.toml");
    assert_eq!(costumes.len(), 30);
    assert_eq!(
        costumes[1],
        json!({"title": "Pareja Bomberos", "price": {"amount": "43.50", "currency": "EUR", "symbol": "€"},
            "url": "https://www.disfracesjarana.com/disfraces-adultos/disfraces-para-los-dos/pareja-de-disfraces-de-bomberos.html"})
    );
}

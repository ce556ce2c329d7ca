//! The command: output, messages, exit codes.

use std::path::{Path, PathBuf};

use crawlingo_tests::shop::{Shop, catalog};

struct Ran {
    code: u8,
    out: String,
    err: String,
}

/// Runs the command in a thread of its own, for it brings its own runtime.
async fn run(args: &[&str]) -> Ran {
    let args: Vec<String> = std::iter::once("crawlingo").chain(args.iter().copied()).map(str::to_owned).collect();
    let ran = tokio::task::spawn_blocking(move || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = crawlingo_cli::run(args, &mut out, &mut err);
        (code, out, err)
    });
    let (code, out, err) = ran.await.expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
    Ran { code, out: text(out), err: text(err) }
}

fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/schemas")
}

#[tokio::test]
async fn a_selector_gives_a_line_for_each_value() {
    let shop = Shop::start(0).await.expect("a free port");
    let ran = run(&["extract", &shop.at("/catalogue/2"), "--css", "h3 a", "--attr", "title"]).await;
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let titles: Vec<_> = catalog::products()[20..40].iter().map(|product| product.title.as_str()).collect();
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), titles);
    let ran = run(&["extract", &shop.at("/catalogue/2"), "--css", ".price", "--kind", "price", "-f", "jsonl"]).await;
    assert!(ran.out.starts_with("{\"value\":[{\"amount\":"), "{}", ran.out);
}

#[tokio::test]
async fn a_schema_gives_records_in_every_format() {
    let shop = Shop::start(0).await.expect("a free port");
    let (url, schema) = (shop.at("/catalogue/1"), schemas().join("listing.toml").display().to_string());
    let json = run(&["extract", &url, "--schema", &schema]).await;
    assert_eq!(json.code, 0, "{}", json.err);
    let records: Vec<serde_json::Value> = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!((records.len(), records[0]["title"].as_str()), (20, Some(catalog::products()[0].title.as_str())));
    let lines = run(&["extract", &url, "--schema", &schema, "--format", "jsonl"]).await;
    let parsed: Vec<serde_json::Value> =
        lines.out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    assert_eq!(parsed, records);
    let csv = run(&["extract", &url, "--schema", &schema, "--format", "csv"]).await;
    assert_eq!((csv.out.lines().next(), csv.out.lines().count()), (Some("title,price,url,stock"), 21));
    let table = run(&["extract", &url, "--schema", &schema, "--format", "table"]).await;
    assert!(table.out.contains("│ title") && table.out.contains(&catalog::products()[3].title), "{}", table.out);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.json").display().to_string();
    let written = run(&["extract", &url, "--schema", &schema, "-o", &file, "--report"]).await;
    assert_eq!((written.code, written.out.as_str()), (0, ""));
    assert!(written.err.contains("20 found, 20 extracted, 0 failed"), "{}", written.err);
    assert_eq!(std::fs::read_to_string(file).expect("it was written"), json.out);
}

#[tokio::test]
async fn files_and_exit_codes() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("page.html").display().to_string();
    std::fs::write(&page, "<base href='https://example.org/a/'><h1>Hi</h1><a href=b>x</a>").expect("it is written");
    let ran = run(&["extract", &page, "--css", "a::attr(href)", "--kind", "url"]).await;
    assert_eq!((ran.code, ran.out.as_str()), (0, "https://example.org/a/b\n"));

    for (args, code, part) in [
        (vec!["extract", page.as_str(), "--css", "h2"], 3, "nothing was found: css \"h2\" finds nothing"),
        (vec!["extract", page.as_str(), "--css", "h2 >"], 2, "help:"),
        (vec!["extract", page.as_str(), "--css", "h1:frist-child"], 2, "did you mean `:first-child`?"),
        (vec!["extract", page.as_str(), "--css", "h1", "--kind", "prise"], 2, "did you mean `price`?"),
        (vec!["extract", page.as_str(), "--css", "h1", "--regex", "x"], 2, "cannot be used with"),
        (vec!["extract", page.as_str()], 2, "--css <SELECTOR>"),
        (vec!["extract", "example.org", "--css", "h1"], 1, "https://example.org"),
        (vec!["extract", "http://127.0.0.1:1/", "--css", "h1"], 1, "no connection could be made"),
        (vec!["extract", page.as_str(), "--schema", "absent.toml"], 1, "absent.toml"),
        (vec!["extrct"], 2, "extract"),
    ] {
        let ran = run(&args).await;
        assert_eq!((ran.code, ran.err.contains(part)), (code, true), "{args:?}: {} {}", ran.code, ran.err);
    }

    let schema = folder.path().join("bad.toml").display().to_string();
    std::fs::write(&schema, "name = \"X\"\n[fields.a]\ncss = \"h1\"\nkimd = \"price\"\n").expect("it is written");
    let ran = run(&["extract", &page, "--schema", &schema]).await;
    assert!(ran.code == 2 && ran.err.contains("did you mean `kind`?") && ran.err.contains("bad.toml"), "{}", ran.err);
    let strict = folder.path().join("strict.toml").display().to_string();
    std::fs::write(&strict, "name = \"X\"\n[fields.a]\ncss = \"h1\"\nkind = \"price\"\n").expect("it is written");
    let ran = run(&["extract", &page, "--schema", &strict]).await;
    assert!(ran.code == 1 && ran.err.contains("X.a") && ran.err.contains("\"Hi\" is no price"), "{}", ran.err);
}

#[tokio::test]
async fn heals_are_looked_at_decided_on_and_written_back() {
    let shop = Shop::start(0).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (url, schema, store) = (shop.at("/catalogue/1"), at("listing.toml"), at("store"));
    let text = std::fs::read_to_string(schemas().join("listing.toml")).expect("it is there");
    std::fs::write(&schema, &text).expect("it is written");
    let args = ["extract", &url, "--schema", &schema, "--heal-store", &store, "--auto-match", "bind", "-f", "jsonl"];
    let before = run(&args).await;
    assert_eq!((before.code, before.err.as_str(), before.out.lines().count()), (0, "", 20));

    let none = run(&["heal", "--store", &store, "list"]).await;
    assert_eq!((none.code, none.out.as_str()), (3, ""));
    shop.redesign();
    let healed = run(&args).await;
    assert_eq!((healed.code, healed.out.lines().count()), (0, 20), "{}", healed.err);
    assert!(healed.err.contains("heal: price: healed with a confidence of 0.9"), "{}", healed.err);
    assert!(healed.err.contains("heal: each: healed"), "{}", healed.err);

    let listed = run(&["heal", "--store", &store, "list"]).await;
    let row =
        |field: &str| listed.out.lines().find(|line| line.contains(&format!("┆ {field} "))).expect("it is listed");
    let id = |field: &str| row(field).trim_start_matches(['│', ' ']).split(' ').next().expect("an id").to_owned();
    let report = at("report.html");
    let shown = run(&["heal", "--store", &store, "show", "-o", &report]).await;
    assert_eq!(shown.code, 0, "{}", shown.err);
    let html = std::fs::read_to_string(&report).expect("it was written");
    assert!(html.contains("<mark>") && html.contains(&id("price")) && html.contains("default-src 'none'"));
    assert!(!html.contains("<script") && !html.contains("http-equiv=refresh"));

    let undecided = run(&["heal", "--store", &store, "apply", &schema]).await;
    assert_eq!((undecided.code, undecided.out.as_str()), (3, ""));
    let wrong = run(&["heal", "--store", &store, "approve", &id("price"), "ffffffff"]).await;
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    assert!(run(&["heal", "--store", &store, "list"]).await.out.matches("approved").count() == 0, "all or none");
    for field in ["each", "price", "title"] {
        let approved = run(&["heal", "--store", &store, "approve", &id(field)]).await;
        assert!(approved.code == 0 && approved.out.starts_with("approved Book."), "{}{}", approved.out, approved.err);
    }
    let rejected = run(&["heal", "--store", &store, "reject", &id("url")]).await;
    assert!(rejected.out.starts_with("rejected Book.url"), "{}", rejected.out);

    let diff = run(&["heal", "--store", &store, "apply", &schema]).await;
    assert!(
        diff.out.contains("-css = \".price\"") && diff.out.contains("+css = \"span[data-test=amount]\""),
        "{}",
        diff.out
    );
    assert_eq!(std::fs::read_to_string(&schema).expect("it is there"), text, "a difference changes nothing");
    let written = run(&["heal", "--store", &store, "apply", &schema, "--write"]).await;
    assert_eq!(written.code, 0, "{}", written.err);
    let changed = std::fs::read_to_string(&schema).expect("it is there");
    assert!(changed.starts_with("# crawlingo extract URL"), "comments stay: {changed}");
    let fixed = run(&["extract", &url, "--schema", &schema, "-f", "jsonl"]).await;
    assert!(fixed.err.contains("url"), "what was rejected was not changed: {}", fixed.err);

    let exported = run(&["heal", "--store", &store, "export"]).await;
    let json: serde_json::Value = serde_json::from_str(&exported.out).expect("it is JSON");
    assert_eq!(json["proposals"].as_array().map(Vec::len), Some(4));
    assert!(json["history"].as_array().is_some_and(|rows| rows.len() >= 4));
    let missing = run(&["heal", "--store", &at("elsewhere"), "list"]).await;
    assert!(missing.code != 0 && missing.err.contains("no such folder"), "{}", missing.err);
}

#[tokio::test]
async fn a_spider_is_run_and_its_bounds_make_the_exit_code() {
    let shop = Shop::start(0).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = std::fs::read_to_string(schemas().join("shop-spider.toml")).expect("it is there");
    let (spider, output) = (at("shop.toml"), at("out.json"));
    std::fs::write(&spider, text.replace("http://127.0.0.1:8080", &shop.url())).expect("it is written");
    let args =
        ["crawl", &spider, "-o", &output, "--meta", "depth", "--min-coverage", "price=1", "--min-records", "300"];
    let ran = run(&args).await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("300 records, done"), "{}", ran.err);
    let json = std::fs::read_to_string(&output).expect("it was written");
    let records: Vec<serde_json::Value> = serde_json::from_str(&json).expect("it is one array");
    assert!(
        records.len() == 300 && records.iter().all(|record| record["_depth"].as_u64().is_some_and(|depth| depth > 0))
    );

    assert!(run(&args).await.err.contains("it is there already"));
    let few =
        run(&["crawl", &spider, "-o", &at("few.csv"), "--max-pages", "3", "--min-records", "300", "--json", "-q"])
            .await;
    assert_eq!(few.code, 4, "{}", few.err);
    let report: serde_json::Value = serde_json::from_str(&few.out).expect("the report is JSON");
    assert_eq!((report["ended"].as_str(), report["pages"]["200"].as_u64()), (Some("bound"), Some(3)));
    // The first run writes all, the second what is new since: nothing.
    let (store, first, second) = (at("store"), at("first.jsonl"), at("second.jsonl"));
    for (output, records) in [(&first, 300), (&second, 0)] {
        let ran = run(&["crawl", &spider, "-o", output, "--store", &store, "--incremental"]).await;
        assert!(ran.code == 0 && ran.err.contains(&format!("{records} records, done")), "{}", ran.err);
        assert_eq!(std::fs::read_to_string(output).expect("it was written").lines().count(), records);
    }
    let starts = at("starts.txt");
    std::fs::write(&starts, format!("# more\n\n{}/no/such/page\n", shop.url())).expect("it is written");
    let more = ["crawl", &spider, "-o", &at("more.jsonl"), "--start-from", &starts, "--max-pages", "2"];
    let ran = run(&more).await;
    assert!(ran.err.contains("/no/such/page: "), "{}", ran.err);
    std::fs::write(&starts, "nowhere").expect("it is written");
    assert!(run(&more).await.err.contains("line 1 of"), "it says which line");
    for (args, part) in [
        (vec!["crawl", spider.as_str(), "-o", "x.xls"], ".jsonl, .json or .csv"),
        (vec!["crawl", spider.as_str(), "--min-coverage", "prize=1"], "no dataset of the spider has a field `prize`"),
        (vec!["crawl", "nowhere.toml"], "nowhere.toml"),
    ] {
        let wrong = run(&args).await;
        assert!(wrong.code != 0 && wrong.err.contains(part), "{part}: {}", wrong.err);
    }
}

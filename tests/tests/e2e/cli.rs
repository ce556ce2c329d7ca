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

//! Spiders as types, and what they are told to do beside following links.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use crawlingo::crawl::{Crawl, Ended, Found, Next};
use crawlingo::dataset::Record;
use crawlingo::schema::{OnInvalid, Order, SpiderSpec};
use crawlingo::sink::MemorySink;
use crawlingo::{Dataset, Error, Page, Session, Spider};
use futures_util::StreamExt as _;

use crate::crawl::{html, serve, serve_bodies, titles};

#[derive(Debug, Dataset, PartialEq)]
#[dataset(each = "article")]
struct Book {
    #[selector(css = "h2")]
    title: String,
}

#[derive(Debug, Dataset)]
struct Shelf {
    #[selector(css = "h1")]
    name: String,
}

#[derive(Spider, Clone)]
#[spider(
    start = "{site}/list/{category}", item(Book, on = r"/list/"), item(Shelf, on = r"/shelf/"),
    follow(css = "a.next", depth = 3, priority = -2, allow = r"/list/", deny = ["x", "y"], nofollow),
    follow(xpath = "//a", attr = "data-href"), follow = "a.more",
    paginate(url = "https://x.example/?p={page}", first = 2, last = 4, step = 2, stop_when_empty = false),
    allow = ["/list/", "/shelf/"], deny = "secret", hosts = "x.example", sitemap, sitemap_since = "2026-01-02",
    logged_out = "form.login", max_pages = 10, max_depth = 4, max_records = 5, max_bytes = 6, max_seconds = 7,
    max_pages_per_host = 8, max_pages_per_pattern = 9, concurrency = 3, concurrency_per_host = 2, rate_per_host = "8/s",
    adaptive, robots = false, meta_robots, order = "depth", on_invalid = "drop", retries = 1, name = "all"
)]
struct All {
    site: String,
    category: &'static str,
}

#[test]
fn every_key_says_the_same_as_a_file() {
    let spec = All { site: "https://x.example".to_owned(), category: "a b/c" }.spec().expect("it is right");
    let mut file = SpiderSpec::from_toml(
        r#"
        name = "all"
        start = ["https://x.example/list/a%20b%2Fc"]
        allow = ["/list/", "/shelf/"]
        deny = ["secret"]
        hosts = ["x.example"]
        sitemap = true
        sitemap_since = "2026-01-02"
        logged_out = "form.login"
        max_pages = 10
        max_depth = 4
        max_records = 5
        max_bytes = 6
        max_seconds = 7
        max_pages_per_host = 8
        max_pages_per_pattern = 9
        concurrency = 3
        concurrency_per_host = 2
        rate_per_host = "8/s"
        adaptive = true
        robots = false
        meta_robots = true
        order = "depth"
        on_invalid = "drop"
        retries = 1
        [[follow]]
        css = "a.next"
        depth = 3
        priority = -2
        allow = ["/list/"]
        deny = ["x", "y"]
        nofollow = true
        [[follow]]
        xpath = "//a"
        attr = "data-href"
        [[follow]]
        css = "a.more"
        [[paginate]]
        url = "https://x.example/?p={page}"
        first = 2
        last = 4
        step = 2
        stop_when_empty = false
        "#,
    )
    .expect("it is right");
    assert_eq!((spec.items.len(), &spec.items[1].schema.name), (2, &"Shelf".to_owned()));
    assert_eq!((file.order, file.on_invalid), (Order::Depth, OnInvalid::Drop));
    file.items.clone_from(&spec.items);
    assert_eq!(spec, file);
}

#[test]
fn a_wrong_argument_is_an_error_and_not_a_panic() {
    let error = All { site: "x.example".to_owned(), category: "a" }.spec().expect_err("it has no scheme").to_string();
    assert!(error.contains("with its scheme"), "{error}");
}

#[derive(Spider)]
#[spider(start = urls, item = Book, follow = "a.next", robots = false)]
struct Many {
    urls: Vec<String>,
}

#[tokio::test]
async fn records_come_as_a_stream_of_their_type() {
    let site = serve("127.0.0.1", |path, _, _| {
        let page: usize = path.trim_start_matches('/').parse().ok()?;
        let next = if page % 10 < 4 { format!("<a class=next href=/{}>n</a>", page + 1) } else { String::new() };
        html(format!("<article><h2>{page}</h2></article>{next}"))
    })
    .await;
    let spider = || Many { urls: vec![format!("{}/10", site.url), format!("{}/20", site.url)] };
    let mut stream = spider().crawl().stream();
    let mut titles = Vec::new();
    while let Some(scraped) = stream.next().await {
        let scraped = scraped.expect("it is a book");
        assert!(scraped.origin.url.ends_with(&scraped.record.title), "{scraped:?}");
        titles.push(scraped.record.title);
    }
    titles.sort();
    assert_eq!(titles, ["10", "11", "12", "13", "14", "20", "21", "22", "23", "24"]);
    assert_eq!(stream.report().map(|report| (report.records, report.ended)), Some((10, Ended::Done)));
    // What is dropped ends: the next crawl of the same spider is a new one.
    let mut dropped = spider().crawl().stream();
    assert!(dropped.next().await.is_some());
    drop(dropped);
    assert_eq!(spider().crawl().stream().count().await, 10);
}

#[derive(Spider)]
#[spider(start = "{site}/", parse = Self::shelves, robots = false)]
struct ByHand {
    site: String,
}

impl ByHand {
    fn shelves(&self, page: &Page, found: &mut Found) -> Result<(), Error> {
        if page.url().path() == "/broken" {
            return Err(Error::config("page", "it is broken"));
        }
        if let Some(shelf) = found.meta("shelf") {
            let title = format!("{shelf} at {}", found.depth());
            found.item(Book { title });
        }
        for link in page.css("a")?.iter() {
            let href = link.attr("href").unwrap_or_default();
            found.follow(Next::request(&page.join(href)?)?.meta("shelf", link.text()));
        }
        if page.url().path() == "/" {
            let search = Next::request(&page.join("/search")?)?.body("text/plain", "maps").meta("shelf", "search");
            found.follow(search);
        }
        Ok(())
    }
}

#[tokio::test]
async fn what_cannot_be_declared_is_code() {
    let site = serve_bodies("127.0.0.1", |method, path, body, _| match (method, path) {
        ("GET", "/") => html("<a href=/maps>Maps</a><a href=/broken>x</a><a href=https://other.example/>o</a>"),
        ("GET", "/maps" | "/broken") => html("<p>none"),
        ("POST", "/search") if body == b"maps" => html("<p>found"),
        _ => None,
    })
    .await;
    let sink = MemorySink::new();
    let report = ByHand { site: site.url.clone() }.crawl().run(Box::new(sink.clone())).await.expect("it runs");
    let mut found = titles(&sink);
    found.sort();
    assert_eq!(found, ["Maps at 1", "search at 1"]);
    assert_eq!(report.skipped.get("another host"), Some(&1));
    assert_eq!(report.failed.len(), 1, "{report:?}");
    assert!(report.failed[0].reason.contains("it is broken"), "{report:?}");
}

fn pages(start: &str, rest: &str) -> SpiderSpec {
    let text = format!(
        "name = \"pages\"\nstart = {start}\nrobots = false\n{rest}\n[[items]]\n[items.schema]\nname = \"Book\"\neach = \"article\"\n\
         [items.schema.fields]\ntitle = \"h2\"\n"
    );
    SpiderSpec::from_toml(&text).expect("it is right")
}

#[tokio::test]
async fn pages_that_no_link_leads_to_are_counted_until_one_is_empty() {
    let site = serve("127.0.0.1", |path, _, _| match path.trim_matches('/').parse::<usize>() {
        Ok(page) if page <= 3 => html(format!("<article><h2>{page}</h2></article>")),
        Ok(_) => html("<p>nothing more"),
        Err(_) => None,
    })
    .await;
    for (start, rule) in [
        ("[]".to_owned(), format!("url = \"{}/{{page}}\"", site.url)),
        (format!("[\"{}/1\"]", site.url), r"pattern = '/(\d+)$'".to_owned()),
    ] {
        let sink = MemorySink::new();
        let mut spec = pages(&start, &format!("[[paginate]]\n{rule}"));
        // A template alone names no host.
        spec.hosts = vec!["127.0.0.1".to_owned()];
        let report = Crawl::new(spec).run(Box::new(sink.clone())).await.expect("it runs");
        assert_eq!(titles(&sink), ["1", "2", "3"]);
        assert_eq!(report.pages.get(&200), Some(&4), "the empty page was the last: {report:?}");
    }
}

#[tokio::test]
async fn a_cursor_is_followed_through_post_bodies() {
    let site = serve_bodies("127.0.0.1", |method, _, body, _| {
        let asked: serde_json::Value = serde_json::from_slice(body).ok().filter(|_| method == "POST")?;
        let at = asked["variables"]["after"]
            .as_str()
            .map_or(0, |cursor| cursor.trim_start_matches('c').parse().unwrap_or(9));
        let next = if at < 2 { serde_json::json!(format!("c{}", at + 1)) } else { serde_json::Value::Null };
        let answer = serde_json::json!({"data": {"books": [{"title": format!("book {at}")}], "end": next}});
        Some(([(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response())
    })
    .await;
    let spec = SpiderSpec::from_toml(&format!(
        "name = \"graph\"\nrobots = false\nhosts = [\"127.0.0.1\"]\n[[paginate]]\nurl = \"{}/graphql\"\ncursor = \"$.data.end\"\n\
         body = '{{\"query\": \"q\", \"variables\": {{\"after\": \"{{cursor}}\"}}}}'\n[[items]]\n[items.schema]\nname = \"Book\"\n\
         each = {{ json = \"$.data.books[*]\" }}\n[items.schema.fields]\ntitle = {{ json = \"$.title\" }}\n",
        site.url
    ))
    .expect("it is right");
    let sink = MemorySink::new();
    let report = Crawl::new(spec).run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!(titles(&sink), ["book 0", "book 1", "book 2"], "{report:?}");
    assert_eq!(report.ended, Ended::Done);
}

#[tokio::test]
async fn sitemaps_lead_to_pages() {
    let site = serve("127.0.0.1", |path, _, headers| {
        let host = headers.get(header::HOST)?.to_str().ok()?;
        match path {
            "/robots.txt" => Some(format!("User-agent: *\nDisallow: /no\nSitemap: http://{host}/index.xml").into_response()),
            "/index.xml" => Some(
                format!(
                    "<sitemapindex><sitemap><loc>http://{host}/new.xml</loc></sitemap>\
                     <sitemap><loc>http://{host}/old.xml</loc><lastmod>2020-01-01</lastmod></sitemap></sitemapindex>"
                )
                .into_response(),
            ),
            "/new.xml" => Some(
                format!(
                    "<urlset><url><loc>http://{host}/a</loc><lastmod>2026-02-01</lastmod></url><url><loc>http://{host}/no</loc></url>\
                     <url><loc>http://{host}/b</loc><lastmod>2025-02-01</lastmod></url><url><loc>http://other.example/</loc></url></urlset>"
                )
                .into_response(),
            ),
            "/" => html("<p>home"),
            "/a" | "/b" | "/no" => html(format!("<article><h2>{path}</h2></article>")),
            _ => None,
        }
    })
    .await;
    let sink = MemorySink::new();
    let mut spec = pages(&format!("[\"{}\"]", site.url), "sitemap = true\nsitemap_since = \"2026-01-01\"");
    spec.robots = true;
    let report = Crawl::new(spec).run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!(titles(&sink), ["/a"], "{report:?}");
    assert_eq!(report.skipped.get("unchanged since"), Some(&2));
    assert_eq!(report.skipped.get("another host"), Some(&1));
    assert_eq!(report.skipped.get("robots.txt"), Some(&1));
    assert_eq!(site.paths().iter().filter(|path| *path == "/robots.txt").count(), 1, "it is fetched once");
}

fn logged_in(headers: &HeaderMap, times: usize) -> bool {
    headers
        .get(header::COOKIE)
        .and_then(|cookie| cookie.to_str().ok())
        .is_some_and(|cookie| cookie.contains(&format!("s={times}")))
}

#[tokio::test]
async fn one_is_logged_in_at_the_start_and_again_when_a_page_asks_for_it() {
    let logins = Arc::new(AtomicUsize::new(0));
    let of_server = Arc::clone(&logins);
    let site = serve_bodies("127.0.0.1", move |method, path, body, headers| match (method, path) {
        ("GET", "/login") => {
            html("<form method=post action=/login><input name=user><input name=pass type=password></form>")
        }
        ("POST", "/login") if body == b"user=ada&pass=secret" => {
            let session = of_server.fetch_add(1, Ordering::SeqCst) + 1;
            let cookie = format!("s={session}; Path=/");
            Some(
                ([(header::SET_COOKIE, cookie), (header::CONTENT_TYPE, "text/html".to_owned())], "<p class=hello>")
                    .into_response(),
            )
        }
        // The first session ends before the second page.
        ("GET", path) => {
            let needs = if path == "/1" { 1 } else { 2 };
            match logged_in(headers, needs) || logged_in(headers, 2) {
                true => html(format!("<article><h2>{path}</h2></article>")),
                false => html("<form class=login></form>"),
            }
        }
        _ => None,
    })
    .await;
    let starts: Vec<String> = (1..=9).map(|page| format!("{}/{page}", site.url)).collect();
    let mut spec = pages(
        &format!("{starts:?}"),
        &format!(
            "logged_out = \"form.login\"\nconcurrency = 4\n[login]\nurl = \"{}/login\"\nexpect = \".hello\"\n\
             fields = {{ user = \"ada\", pass = \"secret\" }}",
            site.url
        ),
    );
    let sink = MemorySink::new();
    let report = Crawl::new(spec.clone()).run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!(sink.take().len(), 9, "{report:?}");
    assert_eq!(logins.load(Ordering::SeqCst), 2, "one at a time logs in again");
    // A login that fails ends the crawl before its first page.
    if let Some(login) = &mut spec.login {
        login.expect = Some(".never".to_owned());
    }
    let error = Crawl::new(spec).run(Box::new(MemorySink::new())).await.expect_err("it fails").to_string();
    assert!(error.contains("logging in failed"), "{error}");
}

#[derive(Spider)]
#[spider(start = "{site}/", item = Book, login = Self::enter, robots = false)]
struct WithLogin {
    site: String,
}

impl WithLogin {
    async fn enter(&self, session: &Session) -> Result<(), Error> {
        session.page(&format!("{}/enter", self.site)).await.map(drop)
    }
}

#[tokio::test]
async fn a_login_can_be_code() {
    let site = serve("127.0.0.1", |path, _, headers| match path {
        "/enter" => Some(([(header::SET_COOKIE, "s=1; Path=/")], "in").into_response()),
        _ if logged_in(headers, 1) => html("<article><h2>inside</h2></article>"),
        _ => None,
    })
    .await;
    let sink = MemorySink::new();
    WithLogin { site: site.url.clone() }.crawl().run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!(titles(&sink), ["inside"]);
    let error = WithLogin { site: "http://127.0.0.1:1".to_owned() }.crawl().run(Box::new(MemorySink::new())).await;
    assert!(error.is_err(), "nobody answers there");
}

#[tokio::test]
async fn failed_pages_are_tried_anew_when_asked_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let well = Arc::new(AtomicUsize::new(0));
    let of_server = Arc::clone(&well);
    let site = serve("127.0.0.1", move |path, _, _| match (path, of_server.load(Ordering::SeqCst)) {
        ("/2", 0) => Some(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
        _ => html(format!("<article><h2>{path}</h2></article>")),
    })
    .await;
    let starts: Vec<String> = (1..=3).map(|page| format!("{}/{page}", site.url)).collect();
    let mut spec = pages(&format!("{starts:?}"), "retries = 0");
    let crawl = |spec: &SpiderSpec| Crawl::new(spec.clone()).store(folder.path().join("crawl"));
    let sink = MemorySink::new();
    let report = crawl(&spec).run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!((report.records, report.failures), (2, 1));
    well.store(1, Ordering::SeqCst);
    let report = crawl(&spec).run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!((report.records, report.failures), (2, 1), "not unless it is asked to");
    let report = crawl(&spec).retry_failed(true).run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!((report.records, report.failures, report.failed.len()), (3, 0, 0), "{report:?}");
    spec.name = "again".to_owned();
    let error = Crawl::new(spec).retry_failed(true).run(Box::new(sink)).await.expect_err("it has no store").to_string();
    assert!(error.contains("store"), "{error}");
}

#[tokio::test]
async fn an_incremental_crawl_gives_what_is_new_or_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = Arc::new(AtomicUsize::new(0));
    let of_server = Arc::clone(&day);
    let site = serve("127.0.0.1", move |_, _, _| {
        html(match of_server.load(Ordering::SeqCst) {
            0 | 1 => "<article><h2>a</h2></article><article><h2>b</h2></article>",
            _ => "<article><h2>a</h2></article><article><h2>b, second edition</h2></article><article><h2>c</h2></article>",
        })
    })
    .await;
    let spec = pages(&format!("[\"{}/\"]", site.url), "");
    let mut given: Vec<Vec<String>> = Vec::new();
    for now in 0..3 {
        day.store(now, Ordering::SeqCst);
        let sink = MemorySink::new();
        let crawl = Crawl::new(spec.clone()).store(folder.path().join("crawl")).incremental(true);
        crawl.run(Box::new(sink.clone())).await.expect("it runs");
        given.push(titles(&sink));
    }
    assert_eq!(given, [vec!["a", "b"], vec![], vec!["b, second edition", "c"]]);
}

#[tokio::test]
async fn budgets_end_what_has_no_end() {
    let site = serve("127.0.0.1", |path, _, _| {
        let page: usize = path.rsplit('/').next()?.parse().ok()?;
        html(format!("<article><h2>{page}</h2></article><a href=/calendar/2026/{}>next</a>", page + 1))
    })
    .await;
    let start = format!("[\"{}/calendar/2026/0\"]", site.url);
    for (bound, records, why) in
        [("max_pages_per_pattern = 7", 7, "pattern budget"), ("max_pages_per_host = 5", 5, "host budget")]
    {
        let spec = pages(&start, &format!("{bound}\n[[follow]]\ncss = \"a\""));
        let report = Crawl::new(spec).run(Box::new(MemorySink::new())).await.expect("it runs");
        assert_eq!((report.records, report.skipped.get(why)), (records, Some(&1)), "{report:?}");
    }
    let spec = pages(&start, "max_bytes = 300\nconcurrency = 1\nadaptive = true\n[[follow]]\ncss = \"a\"");
    let report = Crawl::new(spec).run(Box::new(MemorySink::new())).await.expect("it runs");
    assert_eq!(report.ended, Ended::Bound);
    assert!((300..450).contains(&report.bytes), "{report:?}");
}

#[tokio::test]
async fn a_page_that_says_nofollow_is_not_followed_from_if_that_is_asked_for() {
    let site = serve("127.0.0.1", |path, _, _| match path {
        "/" => html("<a href=/meta>m</a><a href=/header>h</a>"),
        "/meta" => html("<meta name=ROBOTS content='noindex, NoFollow'><a href=/1>1</a>"),
        "/header" => {
            Some(([("x-robots-tag", "none"), ("content-type", "text/html")], "<a href=/2>2</a>").into_response())
        }
        _ => html("<article><h2>x</h2></article>"),
    })
    .await;
    for (obeys, records) in [(true, 0), (false, 2)] {
        let spec = pages(&format!("[\"{}/\"]", site.url), &format!("meta_robots = {obeys}\n[[follow]]\ncss = \"a\""));
        let report = Crawl::new(spec).run(Box::new(MemorySink::new())).await.expect("it runs");
        assert_eq!(report.records, records, "{report:?}");
    }
}

#[derive(Spider)]
#[spider(start = "{0}/", follow = "a", robots = false)]
struct LinksOnly(String);

#[tokio::test]
async fn a_spider_without_items_gives_records_of_no_type() {
    let site = serve("127.0.0.1", |path, _, _| if path == "/" { html("<a href=/x>x</a>") } else { html("x") }).await;
    let mut stream = LinksOnly(site.url.clone()).crawl().stream();
    let first: Option<Result<crawlingo::sink::Scraped<Record>, Error>> = stream.next().await;
    assert!(first.is_none());
    assert_eq!(stream.report().map(|report| report.fetched()), Some(2));
}

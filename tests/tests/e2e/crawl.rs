//! Crawls over the real transport, judged by what the servers saw.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use crawlingo::crawl::{Crawl, Ended};
use crawlingo::schema::SpiderSpec;
use crawlingo::sink::{MemorySink, to};
use crawlingo_tests::shop::{Shop, catalog};

/// What a server was asked for, and when.
type Log = Arc<Mutex<Vec<(Instant, String)>>>;

pub(crate) struct Site {
    pub(crate) url: String,
    log: Log,
}

impl Site {
    fn asked(&self) -> Vec<(Instant, String)> {
        self.log.lock().expect("nobody panics").clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|(_, path)| path).collect()
    }
}

/// Serves pages by their paths on an address of this machine; what is not there is 404.
pub(crate) async fn serve(
    ip: &str,
    pages: impl Fn(&str, usize, &HeaderMap) -> Option<Response> + Send + Sync + 'static,
) -> Site {
    let log = Log::default();
    let answer = {
        let log = Arc::clone(&log);
        move |path: &str, headers: &HeaderMap| {
            let times = {
                let mut log = log.lock().expect("nobody panics");
                log.push((Instant::now(), path.to_owned()));
                log.iter().filter(|(_, asked)| asked == path).count()
            };
            pages(path, times, headers)
        }
    };
    Site { log, ..serve_bodies(ip, move |_, path, _, headers| answer(path, headers)).await }
}

/// Serves by method, path and body; what is asked for is not written down.
pub(crate) async fn serve_bodies(
    ip: &str,
    pages: impl Fn(&str, &str, &[u8], &HeaderMap) -> Option<Response> + Send + Sync + 'static,
) -> Site {
    let listener = tokio::net::TcpListener::bind((ip, 0)).await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let pages = Arc::new(pages);
    let answer =
        move |method: axum::http::Method, uri: axum::http::Uri, headers: HeaderMap, body: axum::body::Bytes| {
            let pages = Arc::clone(&pages);
            async move {
                pages(method.as_str(), uri.path(), &body, &headers)
                    .unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
            }
        };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    Site { url, log: Log::default() }
}

pub(crate) fn html(body: impl Into<String>) -> Option<Response> {
    Some(([(header::CONTENT_TYPE, "text/html")], body.into()).into_response())
}

fn spider(start: &[&str], rest: &str) -> SpiderSpec {
    let text = format!(
        "name = \"test\"\nstart = {start:?}\n{rest}\n[[follow]]\ncss = \"a\"\n[[items]]\n[items.schema]\nname = \"Page\"\n\
         [items.schema.fields]\ntitle = \"h1\"\n"
    );
    SpiderSpec::from_toml(&text).expect("it is right")
}

pub(crate) fn titles(sink: &MemorySink) -> Vec<String> {
    let title =
        |scraped: crawlingo::sink::Scraped| scraped.record.get("title").map(ToString::to_string).unwrap_or_default();
    sink.take().into_iter().map(title).collect()
}

#[tokio::test]
async fn a_site_is_walked_within_its_rules() {
    let other = serve("127.0.0.1", |_, _, _| html("<h1>elsewhere</h1>")).await;
    let elsewhere = other.url.replace("127.0.0.1", "localhost");
    let site = serve("127.0.0.1", move |path, times, headers| match path {
        "/robots.txt" => Some("User-agent: *\nDisallow: /private".into_response()),
        "/" => html(format!(
            "<h1>home</h1><a href=/a>a</a><a href='/a#x'>a</a><a href=/private/1>p</a><a href='{elsewhere}/'>o</a>\
             <a href=/gone>g</a><a href=/flaky>f</a><a href=/moved>m</a><a href=/circle>c</a><a href=/gate>k</a><a href=/down>d</a>"
        )),
        "/a" => html("<h1>a</h1><a href=/>home</a><a href=/b>b</a>"),
        "/b" => html("<p>no title"),
        "/flaky" if times < 3 => Some(StatusCode::SERVICE_UNAVAILABLE.into_response()),
        "/flaky" => html("<h1>flaky</h1>"),
        "/moved" => Some((StatusCode::FOUND, [(header::LOCATION, "/private/2")]).into_response()),
        "/circle" => Some((StatusCode::FOUND, [(header::LOCATION, "/circle")]).into_response()),
        "/gate" if headers.get(header::COOKIE).is_some() => html("<h1>inside</h1>"),
        "/gate" => Some((StatusCode::FOUND, [(header::LOCATION, "/gate"), (header::SET_COOKIE, "k=1")]).into_response()),
        "/down" => Some(StatusCode::INTERNAL_SERVER_ERROR.into_response()),
        _ => None,
    })
    .await;
    let sink = MemorySink::new();
    let spec = spider(&[&site.url], "retries = 2");
    let report = Crawl::new(spec).run(Box::new(sink.clone())).await.expect("it runs");
    let mut found = titles(&sink);
    found.sort();
    assert_eq!(found, ["a", "flaky", "home", "inside"]);
    assert_eq!((report.ended, report.records, report.invalid), (Ended::Done, 4, 1), "{report:?}");
    assert!(!site.paths().iter().any(|path| path.starts_with("/private")), "robots.txt says no: {:?}", site.paths());
    assert!(other.asked().is_empty(), "another host is not asked at all");
    let reasons: BTreeMap<&str, &str> = report
        .failed
        .iter()
        .map(|failed| (failed.url.strip_prefix(&site.url).expect("it is the site's"), failed.reason.as_str()))
        .collect();
    assert_eq!(reasons.keys().copied().collect::<Vec<_>>(), ["/circle", "/down", "/gone"]);
    assert!(reasons["/circle"].contains("redirects to itself") && reasons["/gone"].contains("404"), "{reasons:?}");
    assert_eq!(site.paths().iter().filter(|path| *path == "/down").count(), 3, "tried, and twice again");
    assert_eq!((report.skipped["robots.txt"], report.skipped["another host"]), (2, 1));
    let once: BTreeSet<String> = site.paths().into_iter().collect();
    let again = site.paths().len() - once.len();
    assert_eq!(again as u64, report.retries, "nothing else was asked for twice");
    assert_eq!(report.coverage("Page", "title"), Some(1.0));
}

#[tokio::test]
async fn each_host_has_its_pace_and_a_slow_one_delays_no_other() {
    let mut sites = Vec::new();
    for number in 0..12 {
        let robots = if number == 1 { "User-agent: *\nCrawl-delay: 0.3" } else { "" };
        sites.push(
            serve(&format!("127.0.0.{}", number + 2), move |path, _, _| match path {
                "/robots.txt" => Some(robots.into_response()),
                "/" => html((1..8).map(|at| format!("<a href=/{at}>{at}</a>")).collect::<String>() + "<h1>home</h1>"),
                _ => html(format!("<h1>{path}</h1>")),
            })
            .await,
        );
    }
    // One never answers before the others are done.
    let slow = serve("127.0.0.50", |path, _, _| (path != "/robots.txt").then(|| html("<h1>late</h1>")).flatten()).await;
    let begun = Instant::now();
    let starts: Vec<&str> = sites.iter().chain([&slow]).map(|site| site.url.as_str()).collect();
    let sink = MemorySink::new();
    let crawl = Crawl::new(spider(&starts, "rate_per_host = \"20/s\"\nconcurrency = 32"));
    let report = crawl.run(Box::new(sink.clone())).await.expect("it runs");
    assert_eq!(report.records, 12 * 8 + 1, "{report:?}");
    for (number, site) in sites.iter().enumerate() {
        let pages: Vec<Instant> =
            site.asked().into_iter().filter(|(_, path)| path != "/robots.txt").map(|asked| asked.0).collect();
        assert_eq!(pages.len(), 8);
        let wanted = Duration::from_millis(if number == 1 { 300 } else { 50 });
        // The clock of the frontier is read before the request is sent, by which the gaps may shrink a little.
        let least = wanted.mul_f64(0.8);
        for gap in pages.windows(2).skip(1) {
            assert!(gap[1] - gap[0] >= least, "host {number}: {:?} between two requests", gap[1] - gap[0]);
        }
        let all = wanted * 7;
        let took = pages[7] - pages[0];
        assert!(took >= all.mul_f64(0.8), "host {number}: {took:?}");
        let last = pages[7] - begun;
        assert!(number == 1 || last < Duration::from_millis(300 * 7), "host {number} waited for another: {last:?}");
    }
}

#[tokio::test]
async fn bounds_end_a_crawl_and_a_stop_can_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let endless = |path: &str, _: usize, _: &HeaderMap| {
        let number: usize = path.trim_start_matches('/').parse().unwrap_or(0);
        html(format!("<h1>{number}</h1><a href=/{}>next</a><a href=/{}>other</a>", number + 1, number * 7 + 2))
    };
    let site = serve("127.0.0.1", endless).await;
    for (bound, pages) in [("max_pages = 12", 12), ("max_records = 5", 0), ("max_depth = 2", 0)] {
        let sink = MemorySink::new();
        let report = Crawl::new(spider(&[&site.url], bound)).run(Box::new(sink.clone())).await.expect("it runs");
        match bound {
            "max_pages = 12" => assert_eq!((report.ended, report.fetched()), (Ended::Bound, pages)),
            "max_records = 5" => assert_eq!((report.ended, report.records), (Ended::Bound, 5)),
            _ => assert_eq!(report.ended, Ended::Done),
        }
        assert_eq!(titles(&sink).len() as u64, report.records);
    }
    // Stopped in the middle, and gone on with, to a bound: no page is missing or there twice.
    let (output, store) = (folder.path().join("out.jsonl"), folder.path().join("store"));
    let run = |most: u64, stop_after: u64| {
        let crawl = Crawl::new(spider(&[&site.url], &format!("max_pages = {most}"))).store(&store);
        let stop = crawl.stopper();
        let crawl = crawl.on_progress(move |report| {
            if report.records >= stop_after {
                stop.stop();
            }
        });
        crawl.run(to(&output).expect("an ending that is known"))
    };
    let first = run(200, 20).await.expect("it runs");
    assert_eq!(first.ended, Ended::Stopped);
    assert!((20..200).contains(&first.records), "{first:?}");
    let second = run(200, u64::MAX).await.expect("it goes on");
    assert_eq!((second.ended, second.records, second.run_id == first.run_id), (Ended::Bound, 200, true), "{second:?}");
    let lines: Vec<String> =
        std::fs::read_to_string(&output).expect("it is there").lines().map(str::to_owned).collect();
    assert_eq!((lines.len(), lines.iter().collect::<BTreeSet<_>>().len()), (200, 200));
}

#[tokio::test]
async fn a_failing_sink_stops_the_crawl_and_loses_nothing() {
    let site = serve("127.0.0.1", |path, _, _| match path {
        "/robots.txt" => None,
        "/" => html((1..40).map(|at| format!("<a href=/{at}>{at}</a>")).collect::<String>() + "<h1>home</h1>"),
        _ => html(format!("<h1>{path}</h1>")),
    })
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let (output, store) = (folder.path().join("out.csv"), folder.path().join("store"));
    let crawl = || Crawl::new(spider(&[&site.url], "")).store(&store);
    std::fs::write(&output, "somebody's").expect("it is written");
    let refused = crawl().run(to(&output).expect("an ending")).await.expect_err("it is there").to_string();
    assert!(refused.contains("it is there already"), "{refused}");
    assert_eq!(std::fs::read_to_string(&output).expect("it is there"), "somebody's");
    std::fs::remove_file(&output).expect("it was there");
    // A folder stands in the way of the file, and is then out of it.
    std::fs::create_dir(&output).expect("it is made");
    crawl().run(to(&output).expect("an ending")).await.expect_err("it is a folder");
    std::fs::remove_dir(&output).expect("it is empty");
    let report = crawl().run(to(&output).expect("an ending")).await.expect("it runs");
    assert_eq!(report.records, 40);
    let shorter = std::fs::read_to_string(&output).expect("it is there").len() / 2;
    std::fs::OpenOptions::new()
        .write(true)
        .open(&output)
        .and_then(|file| file.set_len(shorter as u64))
        .expect("it is cut");
    let cut = crawl().run(to(&output).expect("an ending")).await.expect_err("records are missing").to_string();
    assert!(cut.contains("put the file back"), "{cut}");
}

/// The spider over the shop, slow enough to be killed.
fn shop_spider(shop: &Shop, rate: &str) -> String {
    let text = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/schemas/shop-spider.toml"),
    );
    let text = text.expect("it is there").replace("http://127.0.0.1:8080", &shop.url());
    text.replace("concurrency = 16", &format!("concurrency = 16\nrate_per_host = \"{rate}\""))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_killed_goes_on_and_has_every_record_once() {
    let shop = Shop::start(0).await.expect("a free port");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("shop.toml"), shop_spider(&shop, "200/s")).expect("it is written");
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crawl-command"));
        command.args(["crawl", &at("shop.toml"), "-o", &at("out.jsonl"), "--store", &at("store"), "--meta", "url"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let mut kills = 0;
    // Moments that differ from each other, by no clock and no chance.
    for moment in [90, 230, 150, 310, 60, 270] {
        let mut child = command().spawn().expect("it starts");
        tokio::time::sleep(Duration::from_millis(moment)).await;
        if child.try_wait().expect("it is a process").is_none() {
            child.kill().expect("it is killed");
            kills += 1;
        }
        child.wait().expect("it ends");
    }
    let last = command().output().expect("it runs");
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
    assert!(kills >= 5, "it was killed {kills} times only");
    let text = std::fs::read_to_string(at("out.jsonl")).expect("it is there");
    let records: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("each line is whole")).collect();
    let urls: BTreeSet<&str> = records.iter().filter_map(|record| record["_url"].as_str()).collect();
    let wanted: BTreeSet<String> = catalog::products().iter().map(|product| shop.at(&product.path())).collect();
    assert_eq!(records.len(), wanted.len(), "none twice");
    assert!(urls.iter().copied().eq(wanted.iter().map(String::as_str)), "none missing");
}

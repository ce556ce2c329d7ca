//! What every frontier does.

use std::time::Duration;

use crawlingo_schema::Order;
use url::Url;

use super::*;
use crate::crawl::canonical::request_key;

const FAST: HostPolicy = HostPolicy { interval: Duration::ZERO, at_once: 100 };

fn every_store(name: &str, order: Order, policy: HostPolicy, test: impl Fn(&dyn Frontier)) {
    test(&KeyedFrontier::new(MemoryStore::default(), order, policy).expect("a frontier"));
    let folder = std::env::temp_dir().join(format!("crawlingo-frontier-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    test(&KeyedFrontier::new(SledStore::open(&folder).expect("it opens"), order, policy).expect("a frontier"));
    let _ = std::fs::remove_dir_all(&folder);
}

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    futures_util::FutureExt::now_or_never(future).expect("it does not wait")
}

fn entry(url: &str, depth: u32, priority: i32) -> (RequestKey, Entry) {
    let key = request_key("GET", &Url::parse(url).expect("it is one"), b"");
    (key, Entry { depth, priority, ..Entry::new(url) })
}

fn discover(frontier: &dyn Frontier, entries: &[(&str, u32, i32)]) -> u64 {
    let discovered = entries.iter().map(|&(url, depth, priority)| entry(url, depth, priority)).collect();
    now(frontier.commit(Commit { discovered, ..Commit::default() })).expect("it is stored")
}

fn urls(leases: &[Lease]) -> Vec<&str> {
    leases.iter().map(|lease| lease.entry.url.as_str()).collect()
}

const A: &str = "https://a.example/1";
const B: &str = "https://a.example/2";
const C: &str = "https://a.example/3";

#[test]
fn pages_come_by_priority_then_depth_then_age_and_once() {
    every_store("order", Order::Breadth, FAST, |frontier| {
        assert_eq!(discover(frontier, &[(A, 2, 0), (B, 1, 0), (C, 9, 5), (A, 0, 0)]), 3);
        assert_eq!(discover(frontier, &[("https://a.example/1#x", 0, 0)]), 0, "it was seen");
        let leased = now(frontier.lease(10)).expect("it reads").leases;
        assert_eq!(urls(&leased), [C, B, A]);
        assert!(now(frontier.lease(10)).expect("it reads").leases.is_empty(), "all is given out");
        now(frontier.commit(Commit { done: leased, ..Commit::default() })).expect("it is stored");
        assert_eq!(frontier.stats(), FrontierStats::default());
        assert_eq!(discover(frontier, &[(A, 0, 0)]), 0, "what is done stays seen");
    });
    every_store("depth", Order::Depth, FAST, |frontier| {
        discover(frontier, &[(A, 1, 0), (B, 2, 0), (C, 2, 0)]);
        assert_eq!(urls(&now(frontier.lease(10)).expect("it reads").leases), [C, B, A]);
    });
}

#[tokio::test(start_paused = true)]
async fn a_host_that_must_wait_delays_no_other() {
    let policy = HostPolicy { interval: Duration::from_secs(1), at_once: 2 };
    let frontier = KeyedFrontier::new(MemoryStore::default(), Order::Breadth, policy).expect("a frontier");
    discover(&frontier, &[(A, 0, 0), (B, 0, 0), (C, 0, 0), ("https://b.example/", 0, 0), ("https://c.example/", 0, 0)]);
    let first = frontier.lease(10).await.expect("it reads");
    assert_eq!(first.leases.len(), 3, "one of each host");
    assert_eq!(first.ready_in, Some(Duration::from_secs(1)));
    tokio::time::advance(Duration::from_secs(1)).await;
    let second = frontier.lease(10).await.expect("it reads");
    assert_eq!(urls(&second.leases), [B]);
    tokio::time::advance(Duration::from_secs(5)).await;
    assert!(frontier.lease(10).await.expect("it reads").leases.is_empty(), "two at once are out");
    frontier.commit(Commit { done: first.leases, ..Commit::default() }).await.expect("it is stored");
    frontier.hold("a.example", Duration::from_secs(30));
    assert!(frontier.lease(10).await.expect("it reads").leases.is_empty(), "it asked to be left alone");
    tokio::time::advance(Duration::from_secs(30)).await;
    assert_eq!(urls(&frontier.lease(10).await.expect("it reads").leases), [C]);
}

#[tokio::test(start_paused = true)]
async fn what_is_put_back_comes_again_later_and_what_is_lost_is_fenced_off() {
    let frontier = KeyedFrontier::new(MemoryStore::default(), Order::Breadth, FAST).expect("a frontier");
    discover(&frontier, &[(A, 0, 0)]);
    let mut leased = frontier.lease(1).await.expect("it reads").leases;
    frontier.nack(leased.remove(0), Duration::from_secs(5)).await.expect("it is put back");
    let waits = frontier.lease(1).await.expect("it reads");
    assert!(waits.leases.is_empty() && waits.ready_in.is_some_and(|wait| wait <= Duration::from_secs(5)));
    tokio::time::advance(Duration::from_secs(5)).await;
    let again = frontier.lease(1).await.expect("it reads").leases;
    assert_eq!(again[0].entry.attempts, 1);

    tokio::time::advance(Duration::from_secs(3600)).await;
    let other = frontier.lease(1).await.expect("it reads").leases;
    assert_eq!(urls(&other), [A], "its time has passed");
    let late = Commit { done: again, discovered: vec![entry(B, 0, 0)], ..Commit::default() };
    assert!(frontier.commit(late).await.expect_err("it was lost").to_string().contains("lease was lost"));
    assert_eq!(frontier.stats().pending, 1, "nothing of the late commit lasts");
    frontier.commit(Commit { done: other, ..Commit::default() }).await.expect("it is stored");
}

#[test]
fn a_crawl_goes_on_where_it_was_committed() {
    let folder = std::env::temp_dir().join(format!("crawlingo-frontier-resume-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let open =
        || KeyedFrontier::new(SledStore::open(&folder).expect("it opens"), Order::Breadth, FAST).expect("a frontier");
    let frontier = open();
    assert!(now(frontier.resume()).expect("it reads").is_none());
    discover(&frontier, &[(A, 0, 0), (B, 0, 0), (C, 0, 0)]);
    let mut leased = now(frontier.lease(2)).expect("it reads").leases;
    let checkpoints = [("out".to_owned(), Checkpoint(vec![7]))].into();
    let done = vec![leased.remove(0)];
    let commit = Commit { done, checkpoints, progress: b"half".to_vec(), ..Commit::default() };
    now(frontier.commit(commit)).expect("it is stored");
    drop(frontier);
    let frontier = open();
    let (checkpoints, progress) = now(frontier.resume()).expect("it reads").expect("something was stored");
    assert_eq!((checkpoints["out"].0.as_slice(), progress.as_slice()), (&[7][..], &b"half"[..]));
    assert_eq!(urls(&now(frontier.lease(10)).expect("it reads").leases), [B, C], "what was only given out is not done");
    drop(frontier);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn another_version_is_refused() {
    let mut store = MemoryStore::default();
    store.apply(vec![(b"m:version".to_vec(), Some(vec![9]))]).expect("it is stored");
    let error = KeyedFrontier::new(store, Order::Breadth, FAST).err().expect("it is of another version");
    assert!(error.to_string().contains("begin anew"), "{error}");
}

#[test]
fn pages_that_failed_come_again_when_that_is_asked_for() {
    every_store("failed", Order::Breadth, FAST, |frontier| {
        discover(frontier, &[(A, 0, 0), (B, 0, 0)]);
        let done = now(frontier.lease(2)).expect("it reads").leases;
        let failed = vec![(Entry { attempts: 3, ..done[1].entry.clone() }, "it is down".to_owned())];
        now(frontier.commit(Commit { done, failed, ..Commit::default() })).expect("it is stored");
        assert!(now(frontier.lease(1)).expect("it reads").leases.is_empty());
        assert_eq!(now(frontier.retry_failed()).expect("it is stored"), 1);
        let again = now(frontier.lease(2)).expect("it reads").leases;
        assert_eq!((urls(&again), again[0].entry.attempts), (vec![B], 0));
        assert_eq!(now(frontier.retry_failed()).expect("it is stored"), 0, "once");
    });
}

#[test]
fn a_crawl_that_begins_again_knows_its_records_and_no_pages() {
    every_store("again", Order::Breadth, FAST, |frontier| {
        let checkpoints = [("out".to_owned(), Checkpoint(vec![7]))].into();
        let discovered = vec![entry(A, 0, 0), entry(B, 0, 0)];
        let records = vec![(5, 50), (6, 60)];
        let progress = b"all".to_vec();
        let commit = Commit { discovered, records, checkpoints, progress, ..Commit::default() };
        now(frontier.commit(commit)).expect("it is stored");
        now(frontier.begin_again()).expect("it is stored");
        assert!(now(frontier.resume()).expect("it reads").is_none());
        assert_eq!(frontier.stats(), FrontierStats::default());
        let known: Vec<_> = (4..7).map(|record| frontier.known(record).expect("it reads")).collect();
        assert_eq!(known, [None, Some(50), Some(60)]);
        assert_eq!(discover(frontier, &[(A, 0, 0)]), 1, "it was forgotten");
        assert_eq!(urls(&now(frontier.lease(2)).expect("it reads").leases), [A]);
    });
}

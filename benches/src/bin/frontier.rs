//! `frontier COUNT [FOLDER]`: puts that many URLs through a frontier, on disk if a folder is given, as a crawl does it
//! (64 pages a commit, each with ten links), and prints how many went through a second and the most memory it took.

#![allow(clippy::print_stdout)] // The figures are the point.

use std::time::{Duration, Instant};

use crawlingo::crawl::frontier::{Commit, Entry, Frontier, HostPolicy, KeyedFrontier, Lease, MemoryStore, SledStore};
use crawlingo::schema::Order;
use url::Url;

const AT_ONCE: usize = 64;
const LINKS: u64 = 10;
const HOSTS: u64 = 50;

fn entry(number: u64) -> (u128, Entry) {
    let url = format!("http://host-{}.example/some/path/of/a/page-{number}?id={number}", number % HOSTS);
    let entry = Entry::new(url.as_str());
    (entry.key(&Url::parse(&url).expect("it is one")), entry)
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}

fn commit(done: Vec<Lease>, discovered: Vec<(u128, Entry)>) -> Commit {
    let mut commit = Commit::default();
    (commit.done, commit.discovered) = (done, discovered);
    commit
}

async fn run(frontier: &dyn Frontier, count: u64) -> Result<(), crawlingo::Error> {
    let mut next = LINKS;
    frontier.commit(commit(Vec::new(), (0..LINKS).map(entry).collect())).await?;
    let mut done = 0;
    while done < count {
        let leased = frontier.lease(AT_ONCE).await?.leases;
        if leased.is_empty() {
            break;
        }
        done += leased.len() as u64;
        let links = LINKS * leased.len() as u64;
        // What is found twice is seen: half of the links were there before.
        let fresh = next..(next + links / 2).min(count.max(next));
        next = fresh.end;
        let known = (0..links / 2).map(|at| at * 7 % next);
        let discovered = fresh.chain(known).map(entry).collect();
        frontier.commit(commit(leased, discovered)).await?;
    }
    assert_eq!((done, frontier.stats().pending), (count, 0), "every URL went through once");
    Ok(())
}

fn main() -> Result<(), crawlingo::Error> {
    let mut args = std::env::args().skip(1);
    let count: u64 = args.next().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let policy = HostPolicy { interval: Duration::ZERO, at_once: AT_ONCE };
    let frontier: Box<dyn Frontier> = match args.next() {
        Some(folder) => {
            Box::new(KeyedFrontier::new(SledStore::open(std::path::Path::new(&folder))?, Order::Breadth, policy)?)
        }
        None => Box::new(KeyedFrontier::new(MemoryStore::default(), Order::Breadth, policy)?),
    };
    let begun = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(run(frontier.as_ref(), count))?;
    let seconds = begun.elapsed().as_secs_f64();
    println!("{count} URLs: {:.0} a second, {} MiB at most", count as f64 / seconds, peak_kib() / 1024);
    Ok(())
}

//! What healing costs.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crawlingo::dataset::{Extractor, Source};
use crawlingo::dom::Document;
use crawlingo::heal::HealSnapshot;
use crawlingo::heal::training::{Model, Page};
use crawlingo::schema::{Field, HealMode, Kind, Schema, Selector};
use url::Url;

/// The best of some rounds, in microseconds.
fn micros(mut work: impl FnMut()) -> f64 {
    let (start, mut best, mut rounds) = (Instant::now(), Duration::MAX, 0);
    while rounds < 5 || start.elapsed() < Duration::from_millis(400) {
        let round = Instant::now();
        work();
        best = best.min(round.elapsed());
        rounds += 1;
    }
    best.as_secs_f64() * 1e6
}

/// A list with so many elements, as the peer's program makes it.
fn list(nodes: usize) -> String {
    let mut html = "<html><body><ul>".to_owned();
    for at in 0..(nodes - 4) / 3 {
        let _ = write!(
            html,
            "<li class='row r{}'><a href='/item/{at}'>Item number {at}</a><b class=price>{at}.50</b></li>",
            at % 7
        );
    }
    html + "</ul></body></html>"
}

pub(crate) fn run(folder: &Path) -> Result<(), String> {
    let model = Model::standard();
    for nodes in [100, 1_000, 10_000] {
        let document = Document::parse(&list(nodes));
        let all = document.css("b").map_err(|error| error.to_string())?;
        let element = all.get(all.len() / 2).copied().ok_or("the list is empty")?;
        let page = Page::new(&document);
        let print = page.fingerprint(element).ok_or("it is no element")?;
        let find = |page: &Page<'_>| {
            let (numbers, _) = page.line_up(&print, None).decision(&model.ranker).unwrap_or_default();
            model.decider.probability(&numbers)
        };
        let indexing = micros(|| {
            black_box(Page::new(&document));
        });
        let finding = micros(|| {
            black_box(find(&page));
        });
        println!(
            "{nodes} elements: {indexing:.0} us to index the page once for all fields, {finding:.0} us to find one element"
        );
    }
    real_pages(folder)
}

fn gather(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            paths.push(path);
        }
    }
    Ok(())
}

/// Over real pages: what a page costs whose selectors match, when it is new and when it is known.
fn real_pages(folder: &Path) -> Result<(), String> {
    let field = Field::new("title", Kind::Text, Selector::css("h1, h2, title")).optional().heal(HealMode::Bind);
    let link = Field::new("link", Kind::Text, Selector::css("p, a")).optional().heal(HealMode::Bind);
    let schema = Schema::builder("Page").field(field).field(link).build().map_err(|error| error.to_string())?;
    let extractor = Extractor::new(&schema).map_err(|error| error.to_string())?;
    let (mut parse, mut plain, mut new, mut known, mut count) = (0.0, 0.0, 0.0, 0.0, 0);
    let mut paths = Vec::new();
    gather(folder, &mut paths).map_err(|error| format!("{}: {error}", folder.display()))?;
    paths.sort();
    for path in paths.iter().step_by(paths.len().div_ceil(40).max(1)) {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let html = String::from_utf8_lossy(&bytes);
        let url = Url::parse("https://example.org/page").map_err(|error| error.to_string())?;
        let document = Document::parse(&html);
        let source = Source::document(&document, Some(&url));
        let nothing = HealSnapshot::default();
        let mut snapshot = HealSnapshot::default();
        for (field, remembered) in extractor.extract_with(&source, &nothing).learned {
            snapshot.insert(field, remembered);
        }
        parse += micros(|| {
            black_box(Document::parse(&html));
        });
        plain += micros(|| {
            black_box(extractor.extract(&source));
        });
        new += micros(|| {
            black_box(extractor.extract_with(&source, &nothing));
        });
        known += micros(|| {
            black_box(extractor.extract_with(&source, &snapshot));
        });
        count += 1;
    }
    if count == 0 {
        return Err(format!("{}: there are no .html files", folder.display()));
    }
    let share = |cost: f64| 100.0 * (cost - plain) / parse;
    println!("{count} real pages, two fields: {:.0} us to parse one", parse / f64::from(count));
    println!(
        "remembering both on a new page: {:.1} % of the parse; a page that is known: {:.2} %",
        share(new),
        share(known)
    );
    Ok(())
}

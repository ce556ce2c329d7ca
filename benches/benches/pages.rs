//! Parse and extract, with criterion: `cargo bench -p crawlingo-benches`.

use crawlingo::dataset::{Extractor, Source};
use crawlingo::dom::Document;
use crawlingo::schema::{Field, Kind, Schema, Selector, css};
use crawlingo_benches::listing;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn benches(criterion: &mut Criterion) {
    let page = listing(1000);
    let mut group = criterion.benchmark_group("listing of 1,000 products");
    group.throughput(Throughput::Bytes(page.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter(|| Document::parse(&page)));
    let document = Document::parse(&page);
    let selector = css::parse("article.product h3 a[title]").expect("it is right");
    group.bench_function("select", |bencher| bencher.iter(|| document.select(&selector).count()));
    let schema = Schema::builder("Book")
        .each(Selector::css("article.product"))
        .field(Field::new("title", Kind::Text, Selector::css("h3 a").attr("title")))
        .field(Field::new("price", Kind::price(), Selector::css(".price")))
        .build()
        .expect("it is right");
    let extractor = Extractor::new(&schema).expect("it is right");
    group.bench_function("extract", |bencher| {
        bencher.iter(|| extractor.extract(&Source::document(&document, None)).records.len());
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);

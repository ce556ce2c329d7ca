//! What every sink for files does.

use crawlingo_schema::{Field, Kind, Schema, Selector};
use futures_util::FutureExt as _;

use super::*;
use crate::value::Value;

fn scraped(title: &str) -> Scraped {
    let schema = Schema::builder("Book")
        .field(Field::new("title", Kind::Text, Selector::css("h1")))
        .field(Field::new("tags", Kind::Text, Selector::css("b")).many())
        .build()
        .expect("it is right");
    let values = vec![Value::Text(title.to_owned()), Value::List(vec![Value::Text("a,b".to_owned())])];
    let origin = Origin::new("https://x.example/", Timestamp::UNIX_EPOCH, "run", 2);
    Scraped::new(Record::new(Arc::new(schema), values), Arc::new(origin))
}

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    future.now_or_never().expect("it does not wait")
}

struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("crawlingo-sink-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Self(folder)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("it was written")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_was_not_committed_is_cut_off_when_a_crawl_goes_on() {
    let folder = Folder::new("resume");
    let wanted = [
        ("out.jsonl", "{\"title\":\"a\",\"tags\":[\"a,b\"]}\n{\"title\":\"c\",\"tags\":[\"a,b\"]}\n"),
        ("out.json", "[\n{\"title\":\"a\",\"tags\":[\"a,b\"]},\n{\"title\":\"c\",\"tags\":[\"a,b\"]}\n]\n"),
        ("out.csv", "title,tags\na,\"[\"\"a,b\"\"]\"\nc,\"[\"\"a,b\"\"]\"\n"),
    ];
    for (name, whole) in wanted {
        let open = || to(folder.0.join(name)).expect("its ending is known");
        let mut sink = open();
        now(sink.restore(None)).expect("it begins");
        now(sink.write(&[scraped("a")])).expect("it is written");
        let checkpoint = now(sink.prepare()).expect("it lasts");
        // The process ends behind the file's commit and before the frontier's.
        now(sink.write(&[scraped("b, lost")])).expect("it is written");
        now(sink.prepare()).expect("it lasts");
        drop(sink);
        let mut sink = open();
        now(sink.restore(Some(&checkpoint))).expect("it goes on");
        now(sink.write(&[scraped("b, taken back")])).expect("it is written");
        now(sink.rollback(&checkpoint)).expect("it is taken back");
        now(sink.write(&[scraped("c")])).expect("it is written");
        let checkpoint = now(sink.prepare()).expect("it lasts");
        now(sink.finish()).expect("it ends");
        assert_eq!(folder.read(name), whole);
        // Ended, and gone on with once more.
        now(sink.restore(Some(&checkpoint))).expect("it goes on");
        now(sink.finish()).expect("it ends");
        assert_eq!(folder.read(name), whole);
    }
}

#[test]
fn a_file_that_is_there_is_not_lost() {
    let folder = Folder::new("there");
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let path = folder.0.join("out.jsonl");
    std::fs::write(&path, "old\n").expect("it is written");
    let mut sink = to(&path).expect("its ending is known");
    let error = now(sink.restore(None)).expect_err("it would be lost").to_string();
    assert!(error.contains("out.jsonl") && error.contains("there already"), "{error}");
    let error = now(sink.restore(Some(&Checkpoint::of_length(9)))).expect_err("it is too short").to_string();
    assert!(error.contains("4 bytes") && error.contains('9'), "{error}");
    assert_eq!(folder.read("out.jsonl"), "old\n");
    let mut sink = to_with(&path, Existing::Overwrite, &[MetaColumn::Url, MetaColumn::Depth]).expect("it is known");
    now(sink.restore(None)).expect("it was said");
    now(sink.write(&[scraped("a")])).expect("it is written");
    now(sink.prepare()).expect("it lasts");
    let line = "{\"title\":\"a\",\"tags\":[\"a,b\"],\"_url\":\"https://x.example/\",\"_depth\":2}\n";
    assert_eq!(folder.read("out.jsonl"), line);
}

#[test]
fn an_empty_crawl_ends_in_a_file_that_can_be_read() {
    let folder = Folder::new("empty");
    let mut sink = to(folder.0.join("deep/out.json")).expect("its ending is known");
    now(sink.restore(None)).expect("it begins");
    now(sink.finish()).expect("it ends");
    let read: Vec<serde_json::Value> = serde_json::from_str(&folder.read("deep/out.json")).expect("it is JSON");
    assert!(read.is_empty());
}

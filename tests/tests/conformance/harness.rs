//! Reads cases, runs them, and holds the outcome against the topic's floor file.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// What a case came to.
pub(crate) enum Outcome {
    /// As expected.
    Pass,
    /// Not as expected: what was got.
    Fail(String),
    /// Left out: one of the names in the topic's `[left_out]`.
    LeftOut(&'static str),
}

impl Outcome {
    /// Passes if both are equal.
    pub(crate) fn equal<T: PartialEq + std::fmt::Debug>(got: T, expected: T) -> Self {
        if got == expected { Self::Pass } else { Self::Fail(format!("got {got:?}, expected {expected:?}")) }
    }
}

/// `tests/conformance/TOPIC.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Floor {
    /// Of `../shared/cases/FILE.open.jsonl`.
    cases: String,
    /// The kinds of case that the topic runs.
    kinds: Vec<String>,
    /// How many passed at best. Raise it when more do; never lower it.
    floor: usize,
    /// The least share, in percent, whatever the floor says.
    share: f64,
    /// Name of a group that is left out, and why.
    #[serde(default)]
    left_out: BTreeMap<String, String>,
    /// Ids of known failures, and why.
    #[serde(default)]
    known: BTreeMap<String, String>,
}

/// Where the shared material is, if it is present.
pub(crate) fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("CRAWLINGO_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    path.join("cases").is_dir().then_some(path)
}

/// The cases of a file; `None`, said aloud, where they are absent.
pub(crate) fn cases(file: &str) -> Option<Vec<Value>> {
    let path = shared().map(|shared| shared.join(format!("cases/{file}.open.jsonl"))).filter(|path| path.is_file());
    let Some(path) = path else {
        println!("{file}: skipped (set CRAWLINGO_SHARED to the folder that holds cases/)");
        return None;
    };
    let text = std::fs::read_to_string(&path).expect("the case file is readable");
    let parse = |line: &str| {
        // Some lines were written by a library that has a `NaN` in its JSON, for "no value".
        let line = line.replace("\": NaN,", "\": null,");
        serde_json::from_str(&line).expect("a case is a line of JSON")
    };
    Some(text.lines().map(parse).collect())
}

/// A file that a case names, as UTF-8.
pub(crate) fn read_case_file(file: &str) -> String {
    let path = shared().expect("the case came from there").join("cases").join(file);
    String::from_utf8_lossy(&std::fs::read(path).expect("the file of a case is readable")).into_owned()
}

/// Runs the cases of a topic. A panic in a case is a failure of that case. Set `CONFORMANCE_SHOW=1` to see every
/// failure.
pub(crate) fn run(topic: &str, check: impl Fn(&Value) -> Outcome) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("conformance/{topic}.toml"));
    let text = std::fs::read_to_string(&path).expect("every topic has a floor file");
    let floor: Floor = toml::from_str(&text).expect("the floor file is valid");
    let Some(cases) = cases(&floor.cases) else { return };

    let (mut passed, mut left_out) = (0, BTreeMap::<&str, usize>::new());
    let (mut failed, mut seen) = (Vec::new(), BTreeSet::new());
    for case in &cases {
        let (id, kind) = (case["id"].as_str().unwrap_or_default(), case["kind"].as_str().unwrap_or_default());
        if !floor.kinds.iter().any(|wanted| wanted == kind) {
            continue;
        }
        seen.insert(id);
        let outcome =
            catch_unwind(AssertUnwindSafe(|| check(case))).unwrap_or_else(|_| Outcome::Fail("panicked".to_owned()));
        match outcome {
            Outcome::Pass => passed += 1,
            Outcome::Fail(message) => failed.push((id, message)),
            Outcome::LeftOut(name) => *left_out.entry(name).or_default() += 1,
        }
    }
    let total = passed + failed.len();
    println!("{topic}: {passed}/{total}");
    for (name, count) in &left_out {
        let reason =
            floor.left_out.get(*name).unwrap_or_else(|| panic!("{topic}: `{name}` is left out without a reason"));
        println!("  left out: {name} ({count}): {reason}");
    }
    let unknown: Vec<_> = failed.iter().filter(|(id, _)| !floor.known.contains_key(*id)).collect();
    let show = std::env::var_os("CONFORMANCE_SHOW").is_some();
    for (id, message) in if show { failed.iter().collect() } else { unknown.clone() } {
        println!("  FAILED {id}: {}", message.chars().take(400).collect::<String>());
    }
    let stale: Vec<_> = floor
        .known
        .keys()
        .filter(|id| seen.contains(id.as_str()) && !failed.iter().any(|(failed, _)| failed == id))
        .collect();
    assert!(total > 0, "{topic}: no case ran");
    assert!(stale.is_empty(), "{topic}: these pass now, take them off the known failures: {stale:?}");
    assert!(passed >= floor.floor, "{topic}: {passed} passed, the floor is {}", floor.floor);
    let share = passed as f64 * 100.0 / total as f64;
    assert!(share >= floor.share, "{topic}: {share:.1} % passed, at least {} % must", floor.share);
    assert!(unknown.is_empty(), "{topic}: {} failures are not among the known ones (listed above)", unknown.len());
}

/// Every floor file parses, and gives each known failure and each group left out a reason.
pub(crate) fn check_floor_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder is readable").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        let floor: Floor = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let reasons = floor.left_out.iter().chain(&floor.known);
        for (name, reason) in reasons {
            assert!(reason.len() > 10, "{}: `{name}` needs a reason", path.display());
        }
    }
}

//! House rules, read off the sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// From what knows least to what knows most: a module may use those before it.
const ORDER: &[&str] = &[
    "error", "metrics", "types", "value", "dom", "select", "heal", "dataset", "config", "fetch", "sink", "session",
    "crawl", "watch",
];

/// `value` names `Record`, for a record is a value; and the typed edge is the macro's.
const EXCEPTIONS: &[(&str, &str)] = &[("value", "dataset")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("the folder is readable").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !matches!(name.as_str(), "target" | "node_modules" | ".git") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
                found.push((path, text));
            }
        }
    }
    assert!(!found.is_empty(), "{}: no sources", folder.display());
    found
}

/// The modules of the crate that a line names: `crate::dom`, `use crate::{dom, value}`.
fn named(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + 7..];
        let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().len();
        match rest.strip_prefix('{') {
            Some(inner) => {
                let (mut depth, mut start) = (1, true);
                for (at, c) in inner.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' => start = depth == 1,
                        c if start && c.is_alphabetic() => {
                            names.push(&inner[at..at + word(&inner[at..])]);
                            start = false;
                        }
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            None => names.push(&rest[..word(rest)]),
        }
    }
    names
}

#[test]
fn no_module_uses_one_that_knows_more() {
    let folder = root().join("crawlingo/src");
    let place = |name: &str| ORDER.iter().position(|module| *module == name);
    let mut wrong = Vec::new();
    for (path, text) in sources(&folder) {
        let inside = path.strip_prefix(&folder).expect("it lies in it");
        let module = inside
            .components()
            .next()
            .map(|part| part.as_os_str().to_string_lossy().replace(".rs", ""))
            .unwrap_or_default();
        let Some(own) = place(&module) else { continue };
        let code: String =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for name in named(&code) {
            if place(name).is_some_and(|other| other > own) && !EXCEPTIONS.contains(&(module.as_str(), name)) {
                wrong.push(format!("{}: `{module}` uses `{name}`", inside.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dom_and_select_know_no_http_and_fetch_no_documents() {
    let folder = root().join("crawlingo/src");
    for (module, never) in [
        ("dom", &["http::", "wreq", "tokio"][..]),
        (
            "select",
            &["http::", "wreq", "tokio", "crawlingo_schema::Field;", "crawlingo_schema::Schema;", "Extractor"][..],
        ),
        ("fetch", &["crate::dom", "html5ever", "selectors"][..]),
        ("value", &["crate::dom", "wreq"][..]),
    ] {
        for (path, text) in sources(&folder.join(module)) {
            for word in never {
                let found =
                    text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| line.contains(word));
                assert!(!found, "{}: `{module}` must not know `{word}`", path.display());
            }
        }
    }
}

#[test]
fn the_core_owns_no_runtime_and_knows_no_bindings() {
    for (path, text) in sources(&root().join("crawlingo/src")) {
        for word in ["pyo3", "napi", "runtime::Builder", "Runtime::new", "println!(", "std::process::exit"] {
            let found =
                text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| line.contains(word));
            assert!(!found, "{}: the core must not hold `{word}`", path.display());
        }
    }
}

#[test]
fn files_are_small_enough_to_hold_in_the_head() {
    let mut long = BTreeMap::new();
    for (path, text) in sources(&root()) {
        let lines = text.lines().count();
        if lines > 600 {
            long.insert(path, lines);
        }
    }
    assert!(long.is_empty(), "more than 600 lines: {long:?}");
}

#[test]
fn nothing_is_left_over() {
    // Put together here, so that this file does not find itself.
    let words =
        [["to", "do!("].concat(), ["unimplemen", "ted!("].concat(), ["#[ign", "ore"].concat(), ["FIX", "ME"].concat()];
    for (path, text) in sources(&root()) {
        for word in &words {
            assert!(!text.contains(word.as_str()), "{}: holds `{word}`", path.display());
        }
    }
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    for member in [
        "crawlingo-schema",
        "crawlingo-derive",
        "crawlingo",
        "crawlingo-cli",
        "crawlingo-py",
        "examples/spiders",
        "tests",
        "benches",
    ] {
        let manifest = root().join(member).join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("every member has one");
        assert!(text.contains("[lints]\nworkspace = true"), "{}: add [lints] workspace = true", manifest.display());
    }
}

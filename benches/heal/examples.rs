//! Makes the examples of the cases: each positive one is asked three times (as it was, with the stored text erased, and on
//! a page from which the element is gone), each absent one twice.

use std::path::Path;
use std::sync::Arc;

use crawlingo::dom::{Document, NodeId};
use crawlingo::heal::ListPrint;
use crawlingo::heal::training::{Lined, Page};
use rayon::prelude::*;

use crate::cases::{self, Cases, Line};

/// In what form a case is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Present,
    Erased,
    Absent,
    /// Absent, and the text erased: for training.
    AbsentErased,
}

/// One question about one element.
pub(crate) struct Example {
    pub(crate) set: String,
    pub(crate) site: String,
    pub(crate) form: Form,
    /// Made from the pages, for training only.
    pub(crate) mined: bool,
    pub(crate) lined: Lined,
}

impl Example {
    /// Whether it is one that the figures count.
    pub(crate) fn counts(&self) -> bool {
        !self.mined && self.form != Form::AbsentErased
    }
}

/// One question about a list: the page and the members.
pub(crate) struct ListExample {
    pub(crate) site: String,
    pub(crate) form: Form,
    pub(crate) mined: bool,
    pub(crate) print: ListPrint,
    pub(crate) document: Arc<Document>,
    pub(crate) truth: Vec<NodeId>,
}

/// All examples.
pub(crate) struct Examples {
    pub(crate) single: Vec<Example>,
    pub(crate) lists: Vec<ListExample>,
}

/// How many more pairs are taken from each pair of pages, for training.
const MINED: usize = 16;

pub(crate) fn make(folder: &Path) -> Result<Examples, String> {
    let cases = cases::read(folder)?;
    let single: Vec<Vec<Example>> =
        cases.lines.par_iter().filter(|line| line.kind != "list").map(|line| of_line(&cases, line)).collect();
    let mut pairs: Vec<(&str, &str, &str, &str)> = cases
        .lines
        .iter()
        .map(|line| (&*line.old_html, &*line.new_html, &*line.site, line.dataset.trim_end_matches("-list")))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mined: Vec<Vec<Example>> = pairs.par_iter().map(|pair| mine(&cases, *pair)).collect();
    let mut lists: Vec<Vec<ListExample>> =
        cases.lines.par_iter().filter(|line| line.kind == "list").map(|line| of_list(&cases, line)).collect();
    lists.extend(pairs.par_iter().map(|pair| mine_lists(&cases, *pair)).collect::<Vec<_>>());
    Ok(Examples {
        single: single.into_iter().chain(mined).flatten().collect(),
        lists: lists.into_iter().flatten().collect(),
    })
}

fn of_line(cases: &Cases, line: &Line) -> Vec<Example> {
    let (old, new) = (&cases.pages[&line.old_html], &cases.pages[&line.new_html]);
    let Some(before) = old.truth.get(&line.id).and_then(|nodes| nodes.first()) else {
        eprintln!("{}: no element is marked in the old page, left out", line.id);
        return Vec::new();
    };
    let after = new.truth.get(&line.id).and_then(|nodes| nodes.first()).copied();
    match (line.kind.as_str(), after) {
        ("positive", Some(after)) => {
            ask(&line.dataset, &line.site, false, (&old.document, *before), (&new.document, Some(after)))
        }
        ("absent", _) => ask(&line.dataset, &line.site, false, (&old.document, *before), (&new.document, None)),
        _ => {
            eprintln!("{}: no element is marked in the new page, left out", line.id);
            Vec::new()
        }
    }
}

fn ask(
    set: &str,
    site: &str,
    mined: bool,
    (old, before): (&Document, NodeId),
    (new, after): (&Document, Option<NodeId>),
) -> Vec<Example> {
    let Some(print) =
        old.node(before).and_then(|node| node.as_element()).and_then(|element| Page::new(old).fingerprint(element))
    else {
        return Vec::new();
    };
    let erased = print.clone().without_text();
    let example = |form, lined| Example { set: set.to_owned(), site: site.to_owned(), form, mined, lined };
    let mut out = Vec::new();
    let gone;
    let empty = match after {
        Some(after) => {
            let page = Page::new(new);
            out.push(example(Form::Present, page.line_up(&print, Some(after))));
            out.push(example(Form::Erased, page.line_up(&erased, Some(after))));
            gone = cases::without(new, &[after]);
            &gone
        }
        None => new,
    };
    let page = Page::new(empty);
    out.push(example(Form::Absent, page.line_up(&print, None)));
    out.push(example(Form::AbsentErased, page.line_up(&erased, None)));
    out
}

fn mine(cases: &Cases, (old, new, site, set): (&str, &str, &str, &str)) -> Vec<Example> {
    let (old, new) = (&cases.pages[old].document, &cases.pages[new].document);
    let pairs = cases::mine(&Page::new(old), &Page::new(new), MINED);
    pairs.into_iter().flat_map(|(before, after)| ask(set, site, true, (old, before), (new, Some(after)))).collect()
}

fn of_list(cases: &Cases, line: &Line) -> Vec<ListExample> {
    let (old, new) = (&cases.pages[&line.old_html], &cases.pages[&line.new_html]);
    match (old.truth.get(&line.id), new.truth.get(&line.id)) {
        (Some(before), Some(after)) => ask_list(&line.site, false, (&old.document, before), (&new.document, after)),
        _ => {
            eprintln!("{}: the list is not marked in both pages, left out", line.id);
            Vec::new()
        }
    }
}

fn ask_list(
    site: &str,
    mined: bool,
    (old, before): (&Document, &[NodeId]),
    (new, after): (&Arc<Document>, &[NodeId]),
) -> Vec<ListExample> {
    let elements: Vec<_> = before.iter().filter_map(|&id| old.node(id)?.as_element()).collect();
    let Some(print) = Page::new(old).list(&elements) else { return Vec::new() };
    let erased = print.clone().without_text();
    let example = |form, print: &ListPrint, document: Arc<Document>, truth: &[NodeId]| ListExample {
        site: site.to_owned(),
        form,
        mined,
        print: print.clone(),
        document,
        truth: truth.to_vec(),
    };
    let gone = Arc::new(cases::without(new, after));
    vec![
        example(Form::Present, &print, Arc::clone(new), after),
        example(Form::Erased, &erased, Arc::clone(new), after),
        example(Form::Absent, &print, Arc::clone(&gone), &[]),
        example(Form::AbsentErased, &erased, gone, &[]),
    ]
}

/// Lists that a selector of tag and classes would find before, whose texts are all found after, in a list again.
fn mine_lists(cases: &Cases, (old, new, site, _): (&str, &str, &str, &str)) -> Vec<ListExample> {
    let (old, new) = (&cases.pages[old].document, &cases.pages[new].document);
    let plain: Vec<_> = cases::mine_lists(old, new).into_iter().take(6).collect();
    let mut around: Vec<_> = plain
        .iter()
        .filter_map(|(before, after)| Some((cases::records_of(old, before)?, cases::records_of(new, after)?)))
        .collect();
    // Several lists lie in the same records.
    around.sort();
    around.dedup();
    plain
        .into_iter()
        .chain(around)
        .flat_map(|(before, after)| ask_list(site, true, (old, &before), (new, &after)))
        .collect()
}

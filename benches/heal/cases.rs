//! Reads the cases: pages before and after a redesign, the element that was meant, and what is derived from them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crawlingo::dom::{Document, NodeId};
use crawlingo::heal::training::{Page, html_without};
use serde::Deserialize;

/// One line of a set.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) dataset: String,
    pub(crate) site: String,
    pub(crate) kind: String,
    pub(crate) old_html: String,
    pub(crate) new_html: String,
}

/// A page as it is fingerprinted, without the marks of the truth, and where the truth was.
pub(crate) struct Marked {
    pub(crate) document: Arc<Document>,
    pub(crate) truth: HashMap<String, Vec<NodeId>>,
}

/// All lines and all pages that they name.
pub(crate) struct Cases {
    pub(crate) lines: Vec<Line>,
    pub(crate) pages: HashMap<String, Marked>,
}

const MARK: &str = " data-oracle=\"";

fn without_marks(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let value = &rest[at + MARK.len()..];
        rest = value.find('"').map_or("", |end| &value[end + 1..]);
    }
    out.push_str(rest);
    out
}

fn read_page(path: &Path) -> Result<Marked, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let html = String::from_utf8_lossy(&bytes);
    let mut truth: HashMap<String, Vec<NodeId>> = HashMap::new();
    for element in Document::parse(&html).elements() {
        for id in element.attr("data-oracle").unwrap_or_default().split_whitespace() {
            truth.entry(id.to_owned()).or_default().push(element.id());
        }
    }
    // An attribute changes nothing of the tree: ids stay.
    Ok(Marked { document: Arc::new(Document::parse(&without_marks(&html))), truth })
}

/// Reads the sets of a folder.
pub(crate) fn read(folder: &Path) -> Result<Cases, String> {
    let mut lines: Vec<Line> = Vec::new();
    for set in ["webevo", "sftm", "recipes", "recipes_lists"] {
        let path = folder.join(format!("{set}.jsonl"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("{}: not there, left out", path.display());
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            let line =
                serde_json::from_str(line).map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?;
            lines.push(line);
        }
    }
    let mut pages = HashMap::new();
    for path in lines.iter().flat_map(|line| [&line.old_html, &line.new_html]) {
        if !pages.contains_key(path) {
            pages.insert(path.clone(), read_page(&folder.join(path))?);
        }
    }
    Ok(Cases { lines, pages })
}

/// The page after the redesign without some elements.
pub(crate) fn without(document: &Document, gone: &[NodeId]) -> Document {
    // From the last to the first, so that the ids of those before stay; what lies in another one goes with it.
    let mut ids = gone.to_vec();
    ids.sort_unstable();
    let mut outermost: Vec<NodeId> = Vec::new();
    for id in ids {
        let inside = |outer: &NodeId| match (document.node(*outer), document.node(id)) {
            (Some(outer), Some(node)) => outer.contains(node),
            _ => false,
        };
        if !outermost.iter().any(inside) {
            outermost.push(id);
        }
    }
    let mut current: Option<Document> = None;
    for id in outermost.into_iter().rev() {
        current = Some(Document::parse(&html_without(current.as_ref().unwrap_or(document), id)));
    }
    current.unwrap_or_else(|| Document::parse(&document.html()))
}

/// More pairs for training only: elements whose text occurs once before and once after. At most `most`, spread over the
/// page.
pub(crate) fn mine(old: &Page<'_>, new: &Page<'_>, most: usize) -> Vec<(NodeId, NodeId)> {
    let after = unique(new);
    let mut pairs: Vec<(NodeId, NodeId)> =
        unique(old).into_iter().filter_map(|(text, node)| Some((node, *after.get(&text)?))).collect();
    pairs.sort_unstable();
    let step = pairs.len().div_ceil(most).max(1);
    pairs.into_iter().step_by(step).collect()
}

/// The texts that occur once on a page, with their elements: of nested ones the innermost.
fn unique(page: &Page<'_>) -> HashMap<u64, NodeId> {
    let mut places: HashMap<u64, Option<NodeId>> = HashMap::new();
    for (node, text) in page.texts().into_iter().filter(|(_, text)| *text != 0) {
        places
            .entry(text)
            .and_modify(|place| *place = place.filter(|&known| page.same_thing(known, node)).map(|_| node))
            .or_insert(Some(node));
    }
    places.into_iter().filter_map(|(text, node)| Some((text, node?))).collect()
}

/// Tag and classes of an element and of its parent: what a selector for a list is usually made of.
fn signature(document: &Document, id: NodeId) -> Option<String> {
    let element = document.node(id)?.as_element()?;
    let look = |element: crawlingo::dom::Element<'_>| {
        let mut classes: Vec<_> = element.classes().collect();
        classes.sort_unstable();
        format!("{}.{}", element.tag(), classes.join("."))
    };
    Some(format!("{} > {}", element.parent().map(look).unwrap_or_default(), look(element)))
}

/// Pairs of lists: the members of one before have texts that occur once, and all are found after in one list again.
pub(crate) fn mine_lists(old: &Document, new: &Document) -> Vec<(Vec<NodeId>, Vec<NodeId>)> {
    let (before, after) = (Page::new(old), Page::new(new));
    let group = |document: &Document, page: &Page<'_>| {
        let mut groups: HashMap<String, Vec<(NodeId, u64)>> = HashMap::new();
        for (node, text) in page.texts() {
            if let Some(signature) = signature(document, node) {
                groups.entry(signature).or_default().push((node, text));
            }
        }
        groups
    };
    let (once_before, once_after) = (unique(&before), unique(&after));
    let olds = group(old, &before);
    let news = group(new, &after);
    let mut out: Vec<(Vec<NodeId>, Vec<NodeId>)> = Vec::new();
    let mut names: Vec<_> = olds.keys().collect();
    names.sort_unstable();
    for name in names {
        let members = &olds[name];
        if !(3..=60).contains(&members.len()) {
            continue;
        }
        let found: Vec<NodeId> = members
            .iter()
            .filter(|(_, text)| once_before.contains_key(text))
            .filter_map(|(_, text)| once_after.get(text).copied())
            .collect();
        if found.len() * 10 < members.len() * 9 {
            continue;
        }
        let Some(there) = signature(new, found[0]) else { continue };
        let Some(list) = news.get(&there) else { continue };
        let all_there = found.iter().all(|node| list.iter().any(|(member, _)| member == node));
        if all_there && list.len() <= found.len() + 1 {
            let ids = |list: &[(NodeId, u64)]| list.iter().map(|(node, _)| *node).collect::<Vec<_>>();
            out.push((ids(members), ids(list)));
        }
    }
    out
}

/// The records around the members of a list: of each the outermost element around it that holds no other member.
/// `None` where a member has none.
pub(crate) fn records_of(document: &Document, members: &[NodeId]) -> Option<Vec<NodeId>> {
    let lift = |&member: &NodeId| {
        let alone = |around: &crawlingo::dom::Element<'_>| {
            let holds = |other: &&NodeId| document.node(**other).is_some_and(|node| around.node().contains(node));
            members.iter().filter(holds).count() == 1
        };
        document.node(member)?.as_element()?.ancestors().take_while(alone).last().map(|around| around.id())
    };
    members.iter().map(lift).collect()
}

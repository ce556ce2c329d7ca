//! `crawlingo heal apply`: the proposed selectors, written where the dataset is described.

use std::io::Write;
use std::path::Path;

use crawlingo::Error;
use crawlingo::heal::{EACH, Proposal, ProposalState};
use crawlingo::schema::{QUERY_KEYS, Schema, css};
use similar::TextDiff;
use toml_edit::{DocumentMut, Item, TableLike, value};

use super::{rust_source, said, write_file};
use crate::NOTHING;

/// What belongs to a query and has no meaning for the next one.
const QUERY_OPTIONS: &[&str] = &["on", "exact", "ignore_case", "within"];

/// A selector that is to be changed.
pub(super) struct Change<'p> {
    pub(super) schema: &'p str,
    /// The field's path in the dataset, `offer.price`; `each` for the records.
    pub(super) field: &'p str,
    /// The new selector, without what is taken.
    pub(super) selector: &'p str,
}

impl Change<'_> {
    /// The new selector as it stands in the place of an old one, which may say at its end what is taken.
    pub(super) fn in_place_of(&self, old: &str) -> String {
        let takes = css::parse(old).is_ok_and(|parsed| parsed.take().is_some());
        let suffix = old.rfind("::").filter(|_| takes).map_or("", |at| &old[at..]);
        format!("{}{suffix}", self.selector)
    }
}

pub(super) fn run(
    proposals: &[Proposal],
    file: &Path,
    write: bool,
    pending: bool,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, Error> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| Error::io(shown.clone(), error))?;
    let wanted = proposals.iter().filter(|proposal| {
        proposal.state.is_in_use() || (pending && proposal.state == ProposalState::Pending && proposal.found.bound)
    });
    let changes = changes(wanted)?;
    let (changed, unknown) = match file.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => in_schema(&text, &changes, Schema::from_toml, in_toml),
        Some("json") => in_schema(&text, &changes, Schema::from_json, in_json),
        Some("rs") => rust_source::change(&text, &changes),
        _ => Err("only `.toml`, `.json` and `.rs` files can be changed".to_owned()),
    }
    .map_err(|message| Error::config(shown.clone(), message))?;
    for message in unknown {
        said(writeln!(err, "{shown}: {message}"))?;
    }
    if changed == text {
        said(writeln!(err, "{shown}: nothing to change; approve what `crawlingo heal list` shows, or give --pending"))?;
        return Ok(NOTHING);
    }
    if write {
        write_file(file, changed.as_bytes())?;
        said(writeln!(out, "{shown} was changed"))?;
    } else {
        let diff = TextDiff::from_lines(&text, &changed);
        said(write!(out, "{}", diff.unified_diff().context_radius(3).header(&shown, &shown)))?;
    }
    Ok(0)
}

/// One for each field, whatever the number of sites.
fn changes<'p>(proposals: impl Iterator<Item = &'p Proposal>) -> Result<Vec<Change<'p>>, Error> {
    let mut changes: Vec<Change<'p>> = Vec::new();
    for change in proposals.filter_map(change) {
        match changes.iter().find(|other| other.schema == change.schema && other.field == change.field) {
            None => changes.push(change),
            Some(other) if other.selector == change.selector => {}
            Some(other) => {
                let message = format!(
                    "for `{}` of {} there are `{}` and `{}`, of different sites; name the proposals that are to be applied",
                    change.field, change.schema, other.selector, change.selector
                );
                return Err(Error::config("heal apply", message));
            }
        }
    }
    Ok(changes)
}

fn change(proposal: &Proposal) -> Option<Change<'_>> {
    let selector = proposal.found.selector.as_deref()?;
    Some(Change { schema: &proposal.key.schema, field: &proposal.found.field, selector })
}

type Changed = Result<(String, Vec<String>), String>;

/// Changes a file that holds one schema. What is not its own is left out; what it no longer has is said.
fn in_schema<E: std::fmt::Display>(
    text: &str,
    changes: &[Change<'_>],
    read: fn(&str) -> Result<Schema, E>,
    change: fn(&str, &[&Change<'_>]) -> Changed,
) -> Changed {
    let schema = read(text).map_err(|error| error.to_string())?;
    let own: Vec<&Change<'_>> = changes.iter().filter(|change| change.schema == schema.name).collect();
    let (changed, unknown) = change(text, &own)?;
    // A file that cannot be read any more is worse than one that is out of date.
    read(&changed).map_err(|error| format!("the changed file would be wrong: {error}"))?;
    Ok((changed, unknown))
}

fn in_toml(text: &str, changes: &[&Change<'_>]) -> Changed {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let mut unknown = Vec::new();
    for change in changes {
        let place = match change.field {
            EACH => document.get_mut(EACH),
            path => field_of(document.as_item_mut(), path),
        };
        match place {
            Some(item) => set(item, change)?,
            None => unknown.push(format!("there is no field `{}`", change.field)),
        }
    }
    Ok((document.to_string(), unknown))
}

fn field_of<'d>(mut item: &'d mut Item, path: &str) -> Option<&'d mut Item> {
    for (at, name) in path.split('.').enumerate() {
        if at > 0 {
            item = item.as_table_like_mut()?.get_mut("dataset")?;
        }
        item = item.as_table_like_mut()?.get_mut("fields")?.as_table_like_mut()?.get_mut(name)?;
    }
    Some(item)
}

fn set(item: &mut Item, change: &Change<'_>) -> Result<(), String> {
    if let Some(old) = item.as_str() {
        let new = change.in_place_of(old);
        return put(item, &new);
    }
    let table = item.as_table_like_mut().ok_or_else(|| format!("`{}` is neither a text nor a table", change.field))?;
    if QUERY_KEYS.iter().any(|key| table.contains_key(key)) {
        return set_in(table, change);
    }
    let first = match table.get_mut("selectors") {
        Some(Item::Value(list)) => list.as_array_mut().and_then(|list| list.get_mut(0)),
        Some(Item::ArrayOfTables(list)) => {
            return list.get_mut(0).map_or_else(|| Err(empty(change)), |table| set_in(table, change));
        }
        _ => None,
    };
    let first = first.ok_or_else(|| empty(change))?;
    if let Some(old) = first.as_str() {
        *first = change.in_place_of(old).into();
        return Ok(());
    }
    set_in(first.as_inline_table_mut().ok_or_else(|| empty(change))?, change)
}

fn empty(change: &Change<'_>) -> String {
    format!("`{}` has no selector to be changed", change.field)
}

/// Keeps the comments and the white space around a value.
fn put(item: &mut Item, new: &str) -> Result<(), String> {
    let decor = item.as_value().map(|value| value.decor().clone());
    *item = value(new);
    if let (Some(value), Some(decor)) = (item.as_value_mut(), decor) {
        *value.decor_mut() = decor;
    }
    Ok(())
}

fn set_in(table: &mut dyn TableLike, change: &Change<'_>) -> Result<(), String> {
    if let Some(item) = table.get_mut("css") {
        let new = change.in_place_of(item.as_str().unwrap_or_default());
        put(item, &new)?;
    } else {
        table.insert("css", value(change.selector));
    }
    for key in QUERY_KEYS.iter().filter(|key| **key != "css").chain(QUERY_OPTIONS) {
        table.remove(key);
    }
    Ok(())
}

fn in_json(text: &str, changes: &[&Change<'_>]) -> Changed {
    use serde_json::{Map, Value};
    fn object<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
        value.as_object_mut()?.get_mut(key)
    }
    fn field_of<'v>(mut value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
        for (at, name) in path.split('.').enumerate() {
            if at > 0 {
                value = object(value, "dataset")?;
            }
            value = object(object(value, "fields")?, name)?;
        }
        Some(value)
    }
    fn set_in(map: &mut Map<String, Value>, change: &Change<'_>) {
        let old = map.get("css").and_then(Value::as_str).unwrap_or_default();
        let new = change.in_place_of(old);
        for key in QUERY_KEYS.iter().filter(|key| **key != "css").chain(QUERY_OPTIONS) {
            map.shift_remove(*key);
        }
        map.insert("css".to_owned(), new.into());
    }
    let mut root: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut unknown = Vec::new();
    for change in changes {
        let place = match change.field {
            EACH => object(&mut root, EACH),
            path => field_of(&mut root, path),
        };
        let Some(place) = place else {
            unknown.push(format!("there is no field `{}`", change.field));
            continue;
        };
        let own = place.as_object().is_none_or(|map| QUERY_KEYS.iter().any(|key| map.contains_key(*key)));
        let place = match own {
            true => place,
            false => place.pointer_mut("/selectors/0").ok_or_else(|| empty(change))?,
        };
        match place {
            Value::String(old) => *old = change.in_place_of(old),
            Value::Object(map) => set_in(map, change),
            _ => return Err(empty(change)),
        }
    }
    if changes.len() == unknown.len() {
        return Ok((text.to_owned(), unknown));
    }
    let pretty = serde_json::to_string_pretty(&root).map_err(|error| error.to_string())?;
    Ok((format!("{pretty}\n"), unknown))
}

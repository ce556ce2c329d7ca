//! `crawlingo heal`: what healing proposed, looked at, decided and written back.

mod apply;
mod report;
mod rust_source;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use comfy_table::{ContentArrangement, Table, presets};
use crawlingo::Error;
use crawlingo::heal::{HealRow, HealStore, Proposal, ProposalState, SledHealStore};

use crate::NOTHING;

/// Where fingerprints are kept unless said otherwise.
const DEFAULT_STORE: &str = ".crawlingo/heal";

#[derive(Debug, Args)]
pub(crate) struct HealArgs {
    /// The folder of the fingerprints, as `extract --heal-store` and `SledHealStore::open` name it.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_STORE, global = true)]
    pub(crate) store: PathBuf,
    #[command(subcommand)]
    pub(crate) command: HealCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HealCommand {
    /// List the proposals: what was found in the place of what a selector no longer finds.
    List {
        /// Only those on which nobody has decided.
        #[arg(long)]
        pending: bool,
    },
    /// Write a report to look at: old and new side by side, what spoke for it, and how surely it is right.
    Show {
        /// The proposals, as `list` names them; all of them unless said otherwise.
        ids: Vec<String>,
        /// Where the report goes.
        #[arg(short, long, value_name = "FILE", default_value = "heal-report.html")]
        output: PathBuf,
    },
    /// Take proposals for right: their selectors are used from now on.
    Approve {
        /// The proposals, as `list` names them.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Take proposals for wrong: they are not bound again.
    Reject {
        /// The proposals, as `list` names them.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Write proposals and history as JSON.
    Export {
        /// Where it goes, instead of standard output.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Change the selectors in a schema file or in Rust source to those that were approved or confirmed: prints the
    /// difference, or writes it.
    Apply {
        /// The `.toml`, `.json` or `.rs` file that the dataset stands in.
        file: PathBuf,
        /// The proposals, as `list` names them; all of the dataset unless said otherwise.
        ids: Vec<String>,
        /// Write the file instead of printing the difference.
        #[arg(long)]
        write: bool,
        /// Take those that are pending, too.
        #[arg(long)]
        pending: bool,
    },
}

pub(crate) fn run(args: HealArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Error> {
    if !args.store.is_dir() {
        let message = "there is no such folder; name the one that `extract --heal-store` or your program keeps its fingerprints in";
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, message);
        return Err(Error::io(args.store.display().to_string(), error));
    }
    let store = SledHealStore::open(&args.store)?;
    match args.command {
        HealCommand::List { pending } => list(&store, pending, out, err),
        HealCommand::Show { ids, output } => {
            let proposals = chosen(&store, &ids)?;
            let html = report::html(&proposals, &store.history()?, &args.store);
            write_file(&output, html.as_bytes())?;
            said(writeln!(out, "{}: {} proposals", output.display(), proposals.len()))?;
            Ok(if proposals.is_empty() { NOTHING } else { 0 })
        }
        HealCommand::Approve { ids } => decide(&store, &ids, ProposalState::Approved, out),
        HealCommand::Reject { ids } => decide(&store, &ids, ProposalState::Rejected, out),
        HealCommand::Export { output } => export(&store, output.as_deref(), out),
        HealCommand::Apply { file, ids, write, pending } => {
            let proposals = chosen(&store, &ids)?;
            apply::run(&proposals, &file, write, pending, out, err)
        }
    }
}

fn said(written: std::io::Result<()>) -> Result<(), Error> {
    match written {
        // Whoever reads the output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| Error::io("the output", error)),
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    std::fs::write(path, bytes).map_err(|error| Error::io(path.display().to_string(), error))
}

fn list(store: &SledHealStore, pending: bool, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Error> {
    let mut proposals = store.list()?;
    proposals.retain(|proposal| !pending || proposal.state == ProposalState::Pending);
    if proposals.is_empty() {
        said(writeln!(err, "there are no proposals: every selector matched, or nothing likely was found"))?;
        return Ok(NOTHING);
    }
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["id", "site", "dataset", "field", "state", "confidence", "selector", "proposed"]);
    for proposal in &proposals {
        let found = &proposal.found;
        let state = match (proposal.state, found.bound) {
            (ProposalState::Pending, false) => "pending, not bound",
            (state, _) => state.as_str(),
        };
        table.add_row([
            proposal.id(),
            proposal.key.site.clone(),
            proposal.key.schema.clone(),
            found.field.clone(),
            state.to_owned(),
            format!("{:.2}", found.confidence),
            found.selectors.first().cloned().unwrap_or_default(),
            found.selector.clone().unwrap_or_else(|| "none found".to_owned()),
        ]);
    }
    said(writeln!(out, "{table}"))?;
    Ok(0)
}

/// The proposals of some names, or all.
fn chosen(store: &SledHealStore, ids: &[String]) -> Result<Vec<Proposal>, Error> {
    let all = store.list()?;
    if ids.is_empty() {
        return Ok(all);
    }
    let mut by_id: BTreeMap<String, Proposal> = all.into_iter().map(|proposal| (proposal.id(), proposal)).collect();
    let one = |id: &String| {
        by_id.remove(id).ok_or_else(|| {
            let message = format!("there is no proposal {id:?}; `crawlingo heal list` names them");
            Error::config("heal", message)
        })
    };
    ids.iter().map(one).collect()
}

fn decide(store: &SledHealStore, ids: &[String], state: ProposalState, out: &mut dyn Write) -> Result<u8, Error> {
    // All are looked up before the first is decided on: a misspelt one decides nothing.
    for proposal in chosen(store, ids)? {
        let decided = match state {
            ProposalState::Approved => store.approve(&proposal.key, &proposal.found.field)?,
            _ => store.reject(&proposal.key, &proposal.found.field)?,
        };
        let Proposal { key, found, state, .. } = &decided;
        let selector = found.selector.as_deref().unwrap_or("no selector");
        said(writeln!(out, "{} {}.{} on {}: {selector}", state.as_str(), key.schema, found.field, key.site))?;
    }
    Ok(0)
}

#[derive(serde::Serialize)]
struct Exported {
    proposals: Vec<Proposal>,
    history: Vec<HealRow>,
}

fn export(store: &SledHealStore, output: Option<&Path>, out: &mut dyn Write) -> Result<u8, Error> {
    let exported = Exported { proposals: store.list()?, history: store.history()? };
    let mut json = serde_json::to_string_pretty(&exported)
        .map_err(|error| Error::io("the export", std::io::Error::other(error)))?;
    json.push('\n');
    match output {
        Some(path) => write_file(path, json.as_bytes())?,
        None => said(out.write_all(json.as_bytes()))?,
    }
    Ok(0)
}

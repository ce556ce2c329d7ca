//! The arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::crawl::CrawlArgs;
use crate::heal::HealArgs;

/// Declarative scraping: say what you want of a page, get typed records.
#[derive(Debug, Parser)]
#[command(name = "crawlingo", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Say more of what happens on standard error; twice for even more.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Extract records or single values from a page.
    Extract(Box<ExtractArgs>),
    /// Run a spider that is written in TOML or JSON.
    Crawl(Box<CrawlArgs>),
    /// Look at what healing proposed, decide on it, and write it back.
    Heal(HealArgs),
}

/// What is wanted of the page: one selector, or a schema.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Wanted {
    /// A CSS selector; `::text` and `::attr(name)` at its end are understood.
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) css: Option<String>,
    /// An XPath expression.
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) xpath: Option<String>,
    /// A regular expression over the visible text: its first group, or the whole match.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) regex: Option<String>,
    /// The elements that show a text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// The value that follows a label.
    #[arg(long, value_name = "LABEL")]
    pub(crate) after_text: Option<String>,
    /// The value that precedes a label.
    #[arg(long, value_name = "LABEL")]
    pub(crate) before_text: Option<String>,
    /// A path into the page's JSON-LD, such as `Product.offers.price`.
    #[arg(long, value_name = "PATH")]
    pub(crate) jsonld: Option<String>,
    /// A `<meta>`, such as `og:title`.
    #[arg(long, value_name = "NAME")]
    pub(crate) meta: Option<String>,
    /// A path into the page's microdata.
    #[arg(long, value_name = "PATH")]
    pub(crate) microdata: Option<String>,
    /// A JSONPath over a JSON response, or over the scripts that `--within` names.
    #[arg(long, value_name = "JSONPATH")]
    pub(crate) json: Option<String>,
    /// A schema: a `.toml` or `.json` file.
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExtractArgs {
    /// A URL, a file, or `-` for standard input.
    #[arg(value_name = "URL|FILE|-")]
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
    /// Take an attribute instead of the text.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["html", "outer_html", "markdown", "own_text", "schema"])]
    pub(crate) attr: Option<String>,
    /// Take the HTML inside of the element.
    #[arg(long, conflicts_with_all = ["outer_html", "markdown", "own_text", "schema"])]
    pub(crate) html: bool,
    /// Take the HTML of the element with itself.
    #[arg(long, conflicts_with_all = ["markdown", "own_text", "schema"])]
    pub(crate) outer_html: bool,
    /// Take the element as Markdown.
    #[arg(long, conflicts_with_all = ["own_text", "schema"])]
    pub(crate) markdown: bool,
    /// Take the element's own text, without that of its children.
    #[arg(long, conflicts_with = "schema")]
    pub(crate) own_text: bool,
    /// The kind of the values: text, integer, float, decimal, bool, price, date, time, datetime, timestamp, url, email,
    /// phone or json.
    #[arg(long, value_name = "KIND", conflicts_with = "schema")]
    pub(crate) kind: Option<String>,
    /// Narrow the search to what a CSS selector finds.
    #[arg(long, value_name = "SELECTOR", conflicts_with = "schema")]
    pub(crate) within: Option<String>,
    /// How the result is written. Without it: a line for each value of a selector, JSON for a schema.
    #[arg(short, long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Where the result goes, instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write what happened, field by field, to standard error.
    #[arg(long)]
    pub(crate) report: bool,
    /// The folder of the fingerprints: fields that say `heal` heal, and what happened is told on standard error.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) heal_store: Option<PathBuf>,
    /// How fields heal that say nothing of it.
    #[arg(long, value_enum, requires = "heal_store")]
    pub(crate) auto_match: Option<Heal>,
    /// The probability of being right from which on a heal is bound.
    #[arg(long, value_name = "PROBABILITY", requires = "heal_store")]
    pub(crate) heal_threshold: Option<f32>,
    /// A selector that seems to match something else than it did is an error.
    #[arg(long, requires = "heal_store")]
    pub(crate) heal_strict: bool,
    /// The address that a file's relative addresses are relative to.
    #[arg(long, value_name = "URL")]
    pub(crate) base: Option<String>,
    /// The content type of a file, such as `text/html; charset=shift_jis`.
    #[arg(long, value_name = "TYPE")]
    pub(crate) content_type: Option<String>,
    /// How requests look: standard or stealthy.
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<String>,
    /// The browser that stealthy requests look like: chrome, firefox, safari, edge or okhttp.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
    /// A header of the request, such as `Accept-Language: de`; may be given several times.
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// The proxy.
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// How many seconds the page may take.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
}

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON array, indented.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
    /// A table for people.
    Table,
}

/// How fields heal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Heal {
    /// What is sure enough is used.
    Bind,
    /// What is sure enough is told.
    Suggest,
}

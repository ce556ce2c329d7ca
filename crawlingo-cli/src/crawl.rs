//! `crawlingo crawl`.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use crawlingo::crawl::{Crawl, CrawlReport, Ended};
use crawlingo::heal::SledHealStore;
use crawlingo::schema::{OnInvalid, SpiderSpec};
use crawlingo::sink::{Existing, MetaColumn, to_with};
use crawlingo::{Error, Session};
use indicatif::{ProgressBar, ProgressStyle};

/// A bound that the caller set was not reached.
const SHORT: u8 = 4;

#[derive(Debug, Args)]
pub(crate) struct CrawlArgs {
    /// The spider: a `.toml` or `.json` file.
    spider: PathBuf,
    /// Where the records go: a `.jsonl`, `.json` or `.csv` file. The spider's name and `.jsonl` unless said otherwise.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The folder in which the crawl is kept: the same command goes on with one that was interrupted.
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
    /// Start from the URLs of a file, one a line, beside those of the spider; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    start_from: Option<PathBuf>,
    /// Try the pages anew that failed for good in the runs before; needs --store.
    #[arg(long, requires = "store", conflicts_with = "incremental")]
    retry_failed: bool,
    /// Write only records that are new, or not as they were when a crawl in the same --store wrote them last.
    #[arg(long, requires = "store")]
    incremental: bool,
    /// Write over an output that is there.
    #[arg(long)]
    overwrite: bool,
    /// Columns about the page, beside those of the dataset.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "COLUMN")]
    meta: Vec<Meta>,
    /// Where what is no record goes, with the reason: a `.jsonl` file. Beside the output unless said otherwise.
    #[arg(long, value_name = "FILE")]
    quarantine: Option<PathBuf>,
    /// The folder of the fingerprints: fields that say `heal` heal.
    #[arg(long, value_name = "FOLDER")]
    heal_store: Option<PathBuf>,
    /// The most pages, whatever the spider says.
    #[arg(long, value_name = "COUNT")]
    max_pages: Option<u64>,
    /// The most records, whatever the spider says.
    #[arg(long, value_name = "COUNT")]
    max_records: Option<u64>,
    /// Fewer records make the exit code 4.
    #[arg(long, value_name = "COUNT")]
    min_records: Option<u64>,
    /// A smaller share of records with a value for a field makes the exit code 4: `price=0.95`. May be given several times.
    #[arg(long, value_name = "FIELD=SHARE")]
    min_coverage: Vec<String>,
    /// Write the whole report as JSON to standard output.
    #[arg(long)]
    json: bool,
    /// Write no progress and no summary.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Meta {
    Url,
    FetchedAt,
    RunId,
    Depth,
    Type,
}

impl From<Meta> for MetaColumn {
    fn from(meta: Meta) -> Self {
        match meta {
            Meta::Url => Self::Url,
            Meta::FetchedAt => Self::FetchedAt,
            Meta::RunId => Self::RunId,
            Meta::Depth => Self::Depth,
            Meta::Type => Self::Type,
        }
    }
}

pub(crate) async fn run(args: CrawlArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Error> {
    let mut spec = read_spider(&args.spider)?;
    if let Some(path) = &args.start_from {
        spec.start.extend(read_starts(path)?);
    }
    spec.max_pages = args.max_pages.or(spec.max_pages);
    spec.max_records = args.max_records.or(spec.max_records);
    let wanted = args.min_coverage.iter().map(|text| coverage(text, &spec)).collect::<Result<Vec<_>, _>>()?;
    if let Some(field) = spec.items.iter().flat_map(|item| &item.schema.fields).find(|field| field.host_transform) {
        let message = format!("the field `{}` is changed by code of a program, which cannot run here", field.name);
        return Err(Error::config("spider", message));
    }
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}.jsonl", spec.name)));
    let existing = if args.overwrite { Existing::Overwrite } else { Existing::Refuse };
    let mut meta: Vec<MetaColumn> = args.meta.iter().map(|&meta| meta.into()).collect();
    if spec.items.len() > 1 && !meta.contains(&MetaColumn::Type) {
        meta.push(MetaColumn::Type);
    }
    let sink = to_with(&output, existing, &meta)?;
    let mut session = Session::builder().concurrency(spec.concurrency);
    if let Some(folder) = &args.heal_store {
        session = session.heal_store(Arc::new(SledHealStore::open(folder)?));
    }
    let quarantines = spec.on_invalid == OnInvalid::Quarantine;
    let mut crawl = Crawl::new(spec).session(session.build()?);
    if let Some(folder) = args.store {
        crawl = crawl.store(folder).retry_failed(args.retry_failed).incremental(args.incremental);
    }
    if quarantines {
        let path = args.quarantine.unwrap_or_else(|| output.with_extension("invalid.jsonl"));
        crawl = crawl.quarantine(to_with(path, existing, &[])?);
    }
    let bar = (!args.quiet && std::io::stderr().is_terminal()).then(progress_bar);
    if let Some(bar) = bar.clone() {
        crawl = crawl.on_progress(move |report| show(&bar, report));
    }
    let stop = crawl.stopper();
    let interrupts = tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            stop.stop();
        }
    });
    let result = crawl.run(sink).await;
    interrupts.abort();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let report = result?;
    let written = match args.json {
        true => {
            serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::other).and_then(|()| writeln!(out))
        }
        false => Ok(()),
    };
    written.map_err(|error| Error::io("the output", error))?;
    if !args.quiet {
        summary(&report, &output, err);
    }
    let mut code = 0;
    let mut short = |message: String| {
        let _ = writeln!(err, "error: {message}");
        code = SHORT;
    };
    if let Some(least) = args.min_records.filter(|least| report.records < *least) {
        short(format!("{} records, and at least {least} were asked for", report.records));
    }
    for (dataset, field, least) in wanted {
        let share = report.coverage(&dataset, &field).unwrap_or(0.0);
        if share < least {
            short(format!("{dataset}.{field} has a value in {share:.3} of the records, and {least} was asked for"));
        }
    }
    Ok(code)
}

/// One URL a line; empty lines and those that begin with `#` are left out.
fn read_starts(path: &Path) -> Result<Vec<String>, Error> {
    let text = match path.to_str() {
        Some("-") => std::io::read_to_string(std::io::stdin()),
        _ => std::fs::read_to_string(path),
    };
    let text = text.map_err(|error| Error::io(path.display().to_string(), error))?;
    let lines = text.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(at, line)| match line.starts_with("http://") || line.starts_with("https://") {
            true => Ok(line.to_owned()),
            false => {
                let message = format!("line {} of {}: {line:?} is no URL of http or https", at + 1, path.display());
                Err(Error::config("--start-from", message))
            }
        })
        .collect()
}

fn read_spider(path: &Path) -> Result<SpiderSpec, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path.display().to_string(), error))?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let spec = if is_json { SpiderSpec::from_json(&text) } else { SpiderSpec::from_toml(&text) };
    spec.map_err(|error| Error::from(error.at(path.display().to_string())))
}

/// `price=0.95` for each dataset that has the field.
fn coverage(text: &str, spec: &SpiderSpec) -> Result<(String, String, f64), Error> {
    let bad = |message: String| Error::config("--min-coverage", message);
    let (field, share) =
        text.split_once('=').ok_or_else(|| bad(format!("{text:?} is no share of a field; write `price=0.95`")))?;
    let share: f64 = share.parse().map_err(|_| bad(format!("{share:?} is no share; write a number from 0 to 1")))?;
    if !(0.0..=1.0).contains(&share) {
        return Err(bad(format!("{share} is no share; write a number from 0 to 1")));
    }
    let dataset = spec.items.iter().find(|item| item.schema.position(field).is_some());
    let dataset = dataset.ok_or_else(|| bad(format!("no dataset of the spider has a field `{field}`")))?;
    Ok((dataset.schema.name.clone(), field.to_owned(), share))
}

fn progress_bar() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
}

fn show(bar: &ProgressBar, report: &CrawlReport) {
    let rate = report.fetched() as f64 / report.seconds.max(0.001);
    let healed: usize = report.healed.values().map(|fields| fields.len()).sum();
    bar.set_message(format!(
        "{} pages ({rate:.1}/s), {} records, {} to go, {} failed, {healed} fields healed",
        report.fetched(),
        report.records,
        report.pending,
        report.failures
    ));
}

fn summary(report: &CrawlReport, output: &Path, err: &mut dyn Write) {
    let ended = match report.ended {
        Ended::Done => "done",
        Ended::Bound => "stopped at a bound of the spider",
        Ended::Stopped => "stopped; the same command goes on, if it has a --store",
        _ => "not ended",
    };
    let statuses: Vec<String> = report.pages.iter().map(|(status, count)| format!("{status}: {count}")).collect();
    let _ = writeln!(err, "{}: {} records, {ended}, in {:.1} s", output.display(), report.records, report.seconds);
    let _ = writeln!(
        err,
        "  {} pages ({}), {} tried again, {} failed",
        report.fetched(),
        statuses.join(", "),
        report.retries,
        report.failures
    );
    for (dataset, fields) in &report.coverage {
        let records = report.datasets.get(dataset).copied().unwrap_or(0);
        let fields: Vec<String> = fields.iter().map(|(field, count)| format!("{field} {count}")).collect();
        let _ = writeln!(err, "  {dataset}: {records} records; with a value: {}", fields.join(", "));
    }
    for (dataset, fields) in &report.healed {
        let fields: Vec<String> = fields.iter().map(|(field, count)| format!("{field} on {count} pages")).collect();
        let _ = writeln!(err, "  healed of {dataset}: {}", fields.join(", "));
    }
    if report.invalid > 0 {
        let _ = writeln!(err, "  {} were no records, for want of a required field", report.invalid);
    }
    if !report.skipped.is_empty() {
        let skipped: Vec<String> = report.skipped.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let _ = writeln!(err, "  left out: {}", skipped.join(", "));
    }
    for warning in &report.warnings {
        let _ = writeln!(err, "  warning: {warning}");
    }
    for failed in report.failed.iter().take(10) {
        let _ = writeln!(err, "  failed: {}: {}", failed.url, failed.reason);
    }
}

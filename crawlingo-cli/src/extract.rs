//! `crawlingo extract`.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crawlingo::dataset::{Extraction, Extractor, Outcome};
use crawlingo::heal::SledHealStore;
use crawlingo::schema::{DateOptions, Field, HealMode, Kind, Schema, Selector, Take, suggest};
use crawlingo::{Error, Page, Request, Session};

use crate::NOTHING;
use crate::args::{ExtractArgs, Format, Heal};
use crate::output;

/// The most bytes of a file or of standard input.
const MAX_INPUT: u64 = 256 << 20;

pub(crate) async fn run(args: ExtractArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, Error> {
    // What is wanted is checked before anything is fetched.
    let single = args.wanted.schema.is_none();
    let schema = schema(&args)?;
    if let Some(field) = schema.fields.iter().find(|field| field.host_transform) {
        return Err(Error::config(
            "schema",
            format!(
                "the field `{}` is changed by code of the program that the schema is from, which cannot run here",
                field.name
            ),
        ));
    }
    let extractor = Extractor::new(&schema)?;
    let session = session(&args)?;
    let page = page(&args, &session).await?;
    let extraction = page.extract(&extractor);
    for error in &extraction.errors {
        let _ = writeln!(err, "error: {}", error);
    }
    if args.report || args.heal_store.is_some() {
        heals(&extraction, err);
    }
    if args.report {
        report(&extraction, err);
    }
    let failed = !extraction.errors.is_empty();
    let code = match (count(&extraction, single), failed) {
        (_, true) => 1,
        (0, false) => NOTHING,
        _ => 0,
    };
    if code == NOTHING {
        let _ = writeln!(err, "nothing was found: {}", why_nothing(&extraction, &schema));
    }
    let written = match &args.output {
        None => write(&extraction, &args, single, out),
        Some(path) => {
            let mut file = std::fs::File::create(path).map_err(|error| Error::io(path.display().to_string(), error))?;
            write(&extraction, &args, single, &mut file)
        }
    };
    match written {
        Ok(()) => Ok(code),
        // Whoever reads the output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(code),
        Err(error) => Err(Error::io("the output", error)),
    }
}

fn write(extraction: &Extraction, args: &ExtractArgs, single: bool, out: &mut dyn Write) -> std::io::Result<()> {
    match (single, args.format) {
        (true, None) => output::lines(&extraction.records, out),
        (_, format) => output::records(&extraction.records, format.unwrap_or(Format::Json), out),
    }
}

/// How many values a single selector found, or how many records a schema.
fn count(extraction: &Extraction, single: bool) -> usize {
    if single {
        return extraction.report.fields.first().map_or(0, |field| field.values);
    }
    let any = extraction.report.fields.iter().any(|field| field.values > 0 || field.defaulted > 0);
    if any { extraction.records.len() } else { 0 }
}

fn why_nothing(extraction: &Extraction, schema: &Schema) -> String {
    if let (0, Some(each)) = (extraction.report.found, &schema.each) {
        return format!("`each` ({:?}) finds no record", each.query.expression());
    }
    let notes = extraction.report.fields.iter().flat_map(|field| &field.notes);
    let reasons = notes.filter_map(|note| match &note.outcome {
        crawlingo::dataset::Outcome::Empty { reason } => Some(reason.clone()),
        crawlingo::dataset::Outcome::NotConverted { reason, .. } => Some(reason.clone()),
        _ => None,
    });
    reasons.take(3).collect::<Vec<_>>().join("; ")
}

/// What healing did: a line for each field that did not match as before.
fn heals(extraction: &Extraction, err: &mut dyn Write) {
    for field in &extraction.report.fields {
        for note in &field.notes {
            let said = match &note.outcome {
                Outcome::Healed { confidence, selector, count, element, .. } => {
                    let found = found(*count, selector.as_deref());
                    format!("healed with a confidence of {confidence:.2}: {found} ({element})")
                }
                Outcome::Suggested { confidence, selector, count, element, .. } => {
                    let found = found(*count, selector.as_deref());
                    format!("suggested with a confidence of {confidence:.2}, not used: {found} ({element})")
                }
                Outcome::Approved { selector, by, count } => {
                    format!("found by the selector that was {by}: {}", found(*count, Some(selector)))
                }
                Outcome::Abstained { reason, element, .. } => {
                    format!("not healed: {reason}. The likeliest is {element}")
                }
                Outcome::Drifted { confidence, element, matched } => format!(
                    "the selector finds {matched}, but with a probability of {confidence:.2} it should be {element}"
                ),
                _ => continue,
            };
            let _ = writeln!(err, "heal: {}: {said}", field.path);
        }
    }
}

fn found(count: usize, selector: Option<&str>) -> String {
    let elements = if count == 1 { "1 element".to_owned() } else { format!("{count} elements") };
    selector.map_or_else(|| elements.clone(), |selector| format!("{elements} by css {selector:?}"))
}

fn report(extraction: &Extraction, err: &mut dyn Write) {
    let report = &extraction.report;
    let _ = writeln!(
        err,
        "{} found, {} extracted, {} failed",
        report.found,
        extraction.records.len(),
        extraction.errors.len()
    );
    for field in &report.fields {
        let fallbacks: usize = field.fallbacks.values().sum();
        let _ = writeln!(
            err,
            "  {}: {} matched, {} by a later selector, {} by healing, {} defaulted, {} empty, {} not converted",
            field.path, field.matched, fallbacks, field.healed, field.defaulted, field.empty, field.failed
        );
    }
}

/// The schema of the file, or one with a single field of the selector that was given.
fn schema(args: &ExtractArgs) -> Result<Schema, Error> {
    let wanted = &args.wanted;
    if let Some(path) = &wanted.schema {
        return read_schema(path);
    }
    type Starter = fn(String) -> Selector;
    let starters: [(&Option<String>, Starter); 10] = [
        (&wanted.css, Selector::css),
        (&wanted.xpath, Selector::xpath),
        (&wanted.regex, Selector::regex),
        (&wanted.text, Selector::text),
        (&wanted.after_text, Selector::after_text),
        (&wanted.before_text, Selector::before_text),
        (&wanted.jsonld, Selector::jsonld),
        (&wanted.meta, Selector::meta),
        (&wanted.microdata, Selector::microdata),
        (&wanted.json, Selector::json),
    ];
    let found = starters.iter().find_map(|(text, start)| text.as_ref().map(|text| start(text.clone())));
    let mut selector =
        found.ok_or_else(|| Error::config("extract", "say what is wanted with --css, --schema or another"))?;
    if let Some(name) = &args.attr {
        selector = selector.attr(name.as_str());
    }
    let takes = [
        (args.html, Take::Html),
        (args.outer_html, Take::OuterHtml),
        (args.markdown, Take::Markdown),
        (args.own_text, Take::OwnText),
    ];
    if let Some((_, take)) = takes.into_iter().find(|(on, _)| *on) {
        selector = selector.take(take);
    }
    if let Some(within) = &args.within {
        selector = selector.within(within.as_str());
    }
    let json = selector.query.finds_json() && args.kind.is_none();
    let kind = match &args.kind {
        Some(name) => kind(name)?,
        None if json => Kind::Json,
        None => Kind::Text,
    };
    Ok(Schema::builder("page").field(Field::new("value", kind, selector).many()).build()?)
}

fn kind(name: &str) -> Result<Kind, Error> {
    Ok(match name {
        "text" => Kind::Text,
        "integer" => Kind::Integer,
        "float" => Kind::Float,
        "decimal" => Kind::Decimal,
        "bool" => Kind::Bool,
        "price" => Kind::price(),
        "date" => Kind::Date(DateOptions::default()),
        "time" => Kind::Time,
        "datetime" => Kind::DateTime(DateOptions::default()),
        "timestamp" => Kind::Timestamp(DateOptions::default()),
        "url" => Kind::Url,
        "email" => Kind::Email,
        "phone" => Kind::phone(),
        "json" => Kind::Json,
        other => {
            let names = Kind::NAMES.iter().copied().filter(|name| !matches!(*name, "dataset" | "ref"));
            let mut message =
                format!("there is no kind {other:?}; there are {}", names.clone().collect::<Vec<_>>().join(", "));
            if let Some(meant) = suggest(other, names) {
                message = format!("{message}; did you mean `{meant}`?");
            }
            return Err(Error::config("--kind", message));
        }
    })
}

fn read_schema(path: &Path) -> Result<Schema, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path.display().to_string(), error))?;
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let schema = if is_json { Schema::from_json(&text) } else { Schema::from_toml(&text) };
    schema.map_err(|error| Error::from(error.at(path.display().to_string())))
}

async fn page(args: &ExtractArgs, session: &Session) -> Result<Page, Error> {
    let source = args.source.as_str();
    if source.starts_with("http://") || source.starts_with("https://") {
        return fetch(args, session).await;
    }
    let base = match (&args.base, source) {
        (Some(base), _) => base.clone(),
        (None, "-") => "file:///".to_owned(),
        (None, path) => file_url(Path::new(path)),
    };
    let mut bytes = Vec::new();
    if source == "-" {
        std::io::stdin()
            .lock()
            .take(MAX_INPUT)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::io("standard input", error))?;
    } else {
        let hint = |error: std::io::Error| {
            if error.kind() == std::io::ErrorKind::NotFound
                && source.contains('.')
                && !source.contains(std::path::MAIN_SEPARATOR)
            {
                let message = format!("no such file; a URL is written with its scheme: https://{source}");
                return Error::io(source, std::io::Error::new(error.kind(), message));
            }
            Error::io(source, error)
        };
        let file = std::fs::File::open(source).map_err(hint)?;
        file.take(MAX_INPUT).read_to_end(&mut bytes).map_err(hint)?;
    }
    let content_type = match (&args.content_type, source.ends_with(".json")) {
        (Some(content_type), _) => Some(content_type.as_str()),
        (None, true) => Some("application/json"),
        (None, false) => Some("text/html"),
    };
    Ok(session.adopt(Page::from_bytes(bytes, content_type, &base)?))
}

fn file_url(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    url::Url::from_file_path(&absolute).map_or_else(|()| "file:///".to_owned(), String::from)
}

fn session(args: &ExtractArgs) -> Result<Session, Error> {
    let mut builder = Session::builder();
    if let Some(tier) = &args.tier {
        builder = builder.tier(tier.parse()?);
    }
    if let Some(profile) = &args.profile {
        builder = builder.profile(profile.parse()?);
    }
    if let Some(proxy) = &args.proxy {
        builder = builder.proxy(proxy.as_str());
    }
    if let Some(seconds) = args.timeout {
        let timeout = Duration::try_from_secs_f64(seconds)
            .map_err(|_| Error::config("--timeout", format!("{seconds} is no number of seconds")))?;
        builder = builder.timeout(timeout);
    }
    if let Some(folder) = &args.heal_store {
        builder = builder.heal_store(Arc::new(SledHealStore::open(folder)?)).heal_strict(args.heal_strict);
        if let Some(threshold) = args.heal_threshold {
            builder = builder.heal_threshold(threshold);
        }
        builder = builder.auto_match(match args.auto_match {
            None => HealMode::Off,
            Some(Heal::Bind) => HealMode::Bind,
            Some(Heal::Suggest) => HealMode::Suggest,
        });
    }
    builder.build()
}

async fn fetch(args: &ExtractArgs, session: &Session) -> Result<Page, Error> {
    let mut request = Request::get(&args.source)?;
    for header in &args.header {
        let (name, value) = header.split_once(':').ok_or_else(|| {
            Error::config("--header", format!("{header:?} has no colon; write it like `Accept-Language: de`"))
        })?;
        request = request.header(name.trim(), value.trim())?;
    }
    session.open(request).await?.error_for_status()
}

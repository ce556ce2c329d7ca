//! Spiders for Python: a crawl is put together here and runs in the background; records come out of it as instances.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use crawlingo::Error;
use crawlingo::crawl::{CrawlReport, RecordStream, Spider, SpiderCrawl, Stop};
use crawlingo::dataset::Record;
use crawlingo::schema::{OnInvalid, SpiderSpec};
use crawlingo::sink::{Existing, MetaColumn, Scraped, to_with};
use futures_util::{Stream, StreamExt};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis, PyTuple};

use crate::dataset::{DatasetType, of_class};
use crate::errors::{Result, user};
use crate::runtime::{future, handle, wait, wait_or};
use crate::session::{PySession, builder};
use crate::sink::PySink;

/// A spider whose parts are known at run time only.
struct Dynamic(SpiderSpec);

impl Spider for Dynamic {
    type Item = Record;

    fn spec(&self) -> std::result::Result<SpiderSpec, Error> {
        Ok(self.0.clone())
    }
}

/// The classes of a spider's records, by the names of their datasets.
pub(crate) type Classes = Arc<HashMap<String, Py<DatasetType>>>;

fn read_spec(json: &str) -> Result<SpiderSpec> {
    Ok(SpiderSpec::from_json(json)?)
}

/// Checks a spider, when its class is defined.
#[pyfunction]
pub(crate) fn check_spider(json: &str) -> Result<()> {
    read_spec(json).map(drop)
}

/// How a crawl runs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunOptions<'py> {
    /// The spider as JSON.
    spec: String,
    classes: Vec<Bound<'py, PyAny>>,
    store: Option<PathBuf>,
    session: Option<Bound<'py, PySession>>,
    session_options: Bound<'py, PyDict>,
    /// Called with the URLs of pages that failed for good, and why, after the commit that says so.
    progress: Option<Py<PyAny>>,
    to: Option<PathBuf>,
    overwrite: bool,
    meta: Vec<String>,
    quarantine: Option<PathBuf>,
    /// Called with each instance and its URL; gives what is written, or `None`.
    process: Option<Py<PyAny>>,
    /// Called with the exception of a record that is no instance, and its URL.
    failed: Py<PyAny>,
}

fn prepare(py: Python<'_>, options: &RunOptions<'_>) -> Result<(SpiderCrawl<Record>, Classes, SpiderSpec)> {
    let spec = read_spec(&options.spec)?;
    let mut classes = HashMap::new();
    for class in &options.classes {
        let class = of_class(class)?;
        classes.insert(class.get().schema_of().name.clone(), class.unbind());
    }
    let session = match &options.session {
        Some(session) => session.get().get()?,
        None => {
            let more = &options.session_options;
            let builder = builder(more)?;
            let own = more.contains("concurrency")?;
            if own { builder.build()? } else { builder.concurrency(spec.concurrency.max(1)).build()? }
        }
    };
    let mut crawl = Dynamic(spec.clone()).crawl().session(session);
    if let Some(folder) = &options.store {
        crawl = crawl.store(folder);
    }
    if let Some(progress) = options.progress.as_ref().map(|call| call.clone_ref(py)) {
        let told = AtomicUsize::new(0);
        crawl = crawl.on_progress(move |report| {
            let new = told.swap(report.failed.len(), Ordering::SeqCst);
            if new == report.failed.len() {
                return;
            }
            tokio::task::block_in_place(|| {
                Python::try_attach(|py| {
                    if let Err(error) = call_progress(py, &progress, report, new) {
                        crate::logging::exception(py, "on_error", error.into());
                    }
                })
            });
        });
    }
    Ok((crawl, Arc::new(classes), spec))
}

fn call_progress(py: Python<'_>, call: &Py<PyAny>, report: &CrawlReport, from: usize) -> Result<()> {
    let failed: Vec<(&str, &str)> =
        report.failed.iter().skip(from).map(|page| (page.url.as_str(), page.reason.as_str())).collect();
    call.call1(py, (failed,))?;
    Ok(())
}

fn report_to_py<'py>(py: Python<'py>, report: &CrawlReport) -> Result<Bound<'py, PyAny>> {
    // The keys of `pages` are numbers, which JSON makes texts of; the facade makes them numbers again.
    let value = serde_json::to_value(report).map_err(|error| Error::sdk(error.to_string()))?;
    Ok(pythonize::pythonize(py, &value)?)
}

fn meta_column(name: &str) -> Result<MetaColumn> {
    let all = [MetaColumn::Url, MetaColumn::FetchedAt, MetaColumn::RunId, MetaColumn::Depth, MetaColumn::Type];
    let found = all.into_iter().find(|column| column.name().trim_start_matches('_') == name.trim_start_matches('_'));
    let names = || all.map(|column| column.name().trim_start_matches('_').to_owned()).join(", ");
    Ok(found.ok_or_else(|| Error::config("meta", format!("there is no column {name:?}; there are {}", names())))?)
}

type Run = Pin<Box<dyn Future<Output = std::result::Result<CrawlReport, Error>> + Send>>;

fn run_of(py: Python<'_>, options: &RunOptions<'_>) -> Result<(Run, Stop)> {
    let (mut crawl, classes, spec) = prepare(py, options)?;
    let to =
        options.to.as_ref().ok_or_else(|| Error::config("to", "say where the records go: `to=\"books.jsonl\"`"))?;
    let existing = if options.overwrite { Existing::Overwrite } else { Existing::Refuse };
    let mut meta = options.meta.iter().map(|name| meta_column(name)).collect::<Result<Vec<_>>>()?;
    if spec.items.len() > 1 && !meta.contains(&MetaColumn::Type) {
        meta.push(MetaColumn::Type);
    }
    let mut sink = to_with(to, existing, &meta)?;
    if spec.on_invalid == OnInvalid::Quarantine {
        let beside = options.quarantine.clone().unwrap_or_else(|| to.with_extension("invalid.jsonl"));
        crawl = crawl.quarantine(to_with(beside, existing, &[])?);
    }
    let python = classes.values().any(|class| class.get().needs_python(py));
    if options.process.is_some() || python {
        let process = options.process.as_ref().map(|call| call.clone_ref(py));
        sink = Box::new(PySink::new(sink, classes, process, options.failed.clone_ref(py)));
    }
    let stop = crawl.stopper();
    Ok((Box::pin(crawl.run(sink)), stop))
}

/// Runs a crawl to its end and gives the report.
#[pyfunction]
pub(crate) fn crawl_run<'py>(py: Python<'py>, options: RunOptions<'py>) -> Result<Bound<'py, PyAny>> {
    let (run, stop) = run_of(py, &options)?;
    let report = wait_or(py, run, || {
        stop.stop();
        stop.stop();
    })?;
    report_to_py(py, &report)
}

/// As `crawl_run`, for `await`. Cancelling it leaves what was committed.
#[pyfunction]
pub(crate) fn crawl_run_async<'py>(py: Python<'py>, options: RunOptions<'py>) -> Result<Bound<'py, PyAny>> {
    let (run, _) = run_of(py, &options)?;
    future(py, run, |py, report| report_to_py(py, &report))
}

/// Begins a crawl whose records are pulled.
#[pyfunction]
pub(crate) fn crawl_stream(py: Python<'_>, options: RunOptions<'_>) -> Result<PyStream> {
    let (crawl, classes, _) = prepare(py, &options)?;
    let process = std::process::id();
    Ok(PyStream(Arc::new(Pulled {
        stream: tokio::sync::Mutex::new(Some(crawl.stream())),
        ready: Mutex::default(),
        classes,
        process,
    })))
}

type Came = Option<std::result::Result<Scraped, Error>>;

struct Pulled {
    stream: tokio::sync::Mutex<Option<RecordStream<Record>>>,
    /// What came while nobody waited any more, for an interrupt: it is given with the next call.
    ready: Mutex<VecDeque<Came>>,
    classes: Classes,
    process: u32,
}

impl Pulled {
    fn take_ready(&self) -> Option<Came> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Waits for the next; it is put where the caller takes it, so that none is lost if that is gone meanwhile.
    async fn pull(&self) {
        let mut stream = self.stream.lock().await;
        let came = match stream.as_mut() {
            Some(stream) => stream.next().await,
            None => None,
        };
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).push_back(came);
    }

    fn to_py<'py>(&self, py: Python<'py>, came: Came) -> Result<Bound<'py, PyAny>> {
        let Some(came) = came else { return Ok(py.None().into_bound(py)) };
        let scraped = came?;
        let none = py.None().into_bound(py);
        let (item, error) = match instance(py, &self.classes, &scraped) {
            Ok(item) => (item, none),
            Err(failure) => (none, PyErr::from(failure).into_value(py).into_bound(py).into_any()),
        };
        let url = scraped.origin.url.as_str().into_pyobject(py).map_err(PyErr::from)?.into_any();
        Ok(PyTuple::new(py, [item, error, url])?.into_any())
    }
}

/// The instance of a record.
pub(crate) fn instance<'py>(py: Python<'py>, classes: &Classes, scraped: &Scraped) -> Result<Bound<'py, PyAny>> {
    let name = &scraped.record.schema().name;
    let class = classes.get(name).ok_or_else(|| Error::sdk(format!("the spider has no dataset `{name}`")))?;
    let made = class.get().instance(py, &scraped.record);
    made.map_err(|failure| match failure {
        crate::errors::Failure::Core(error) => error.at_url(&scraped.origin.url).into(),
        python => python,
    })
}

/// The records of a crawl. Each call gives instance, exception and URL; `None` is the end.
#[pyclass(frozen, module = "crawlingo._crawlingo", name = "Stream")]
pub(crate) struct PyStream(Arc<Pulled>);

impl PyStream {
    fn check(&self) -> Result<()> {
        if self.0.process != std::process::id() {
            return Err(Error::config("stream", "it was begun in another process, before a fork").into());
        }
        Ok(())
    }
}

#[pymethods]
impl PyStream {
    /// The next record if it is there already, else `...`.
    fn try_next<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.check()?;
        if let Some(came) = self.0.take_ready() {
            return self.0.to_py(py, came);
        }
        let runtime = handle(py)?;
        let polled = match self.0.stream.try_lock() {
            Ok(mut stream) => match stream.as_mut() {
                Some(stream) => {
                    let _inside = runtime.enter();
                    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
                }
                None => Poll::Ready(None),
            },
            Err(_) => Poll::Pending,
        };
        match polled {
            Poll::Ready(came) => self.0.to_py(py, came),
            Poll::Pending => Ok(PyEllipsis::get(py).to_owned().into_any()),
        }
    }

    /// Waits for the next record.
    fn next<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.check()?;
        loop {
            if let Some(came) = self.0.take_ready() {
                return self.0.to_py(py, came);
            }
            let pulled = Arc::clone(&self.0);
            wait(py, async move {
                pulled.pull().await;
                Ok(())
            })?;
        }
    }

    /// As `next`, for `await`.
    fn next_async<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        self.check()?;
        let (pulled, made) = (Arc::clone(&self.0), Arc::clone(&self.0));
        let pull = async move {
            pulled.pull().await;
            Ok(())
        };
        future(py, pull, move |py, ()| match made.take_ready() {
            Some(came) => made.to_py(py, came),
            None => Ok(PyEllipsis::get(py).to_owned().into_any()),
        })
    }

    /// Ends the crawl; a stored one can be resumed.
    fn close(&self, py: Python<'_>) -> Result<()> {
        let pulled = Arc::clone(&self.0);
        wait(py, async move {
            drop(pulled.stream.lock().await.take());
            Ok(())
        })
    }

    /// The report, once the stream has ended; else `None`.
    fn report<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyAny>>> {
        let stream = self.0.stream.try_lock().ok();
        let report = stream.as_ref().and_then(|stream| stream.as_ref()?.report());
        report.map(|report| report_to_py(py, report)).transpose()
    }
}

/// What Python raised, as the crawl's error.
pub(crate) fn stops(error: PyErr) -> Error {
    user(error)
}

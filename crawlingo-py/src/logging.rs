//! What the core tells of itself, for `logging`.
//!
//! Events come from threads that must not wait for the interpreter: it may be held by one that waits for them. They go
//! into a bounded queue, and a thread of its own hands them to `logging`.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{LazyLock, Once};
use std::time::Duration;

use crossbeam_queue::ArrayQueue;
use pyo3::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use crate::errors::Result;
use crate::values::imported;

/// The most events that wait; those beyond are counted.
const MAX_WAITING: usize = 10_000;

struct Entry {
    level: i64,
    target: String,
    message: String,
}

// Without locks: one that is held while the process forks would stay locked in the child.
static QUEUE: LazyLock<ArrayQueue<Entry>> = LazyLock::new(|| ArrayQueue::new(MAX_WAITING));
/// Whether this process has events for `logging` at all, and not for the command's own subscriber.
static ACTIVE: AtomicBool = AtomicBool::new(false);
static DROPPED: AtomicU64 = AtomicU64::new(0);
/// The level of Python's logger `crawlingo`, as it was when last asked.
static THRESHOLD: AtomicI64 = AtomicI64::new(30);

/// `logging`'s number for a level. Tracing's finest has none there; 5 is what others take.
fn level_of(level: Level) -> i64 {
    match level {
        Level::ERROR => 40,
        Level::WARN => 30,
        Level::INFO => 20,
        Level::DEBUG => 10,
        Level::TRACE => 5,
    }
}

struct ToPython;

impl<S: Subscriber> Layer<S> for ToPython {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target().starts_with("crawlingo") && level_of(*metadata.level()) >= THRESHOLD.load(Ordering::Relaxed)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let metadata = event.metadata();
        let entry = Entry {
            level: level_of(*metadata.level()),
            target: metadata.target().replace("::", "."),
            message: text.message + &text.rest,
        };
        if QUEUE.push(entry).is_err() {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[derive(Default)]
struct Text {
    message: String,
    rest: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.rest, " {name}={value:?}"),
        };
    }
}

/// Called where work begins: the core's events go to `logging` from the first time on, and its level is asked anew.
pub(crate) fn begin(py: Python<'_>) -> Result<()> {
    static START: Once = Once::new();
    if !START.is_completed() {
        START.call_once(|| {
            // Another subscriber, such as the command's, stays.
            if tracing_subscriber::registry().with(ToPython).try_init().is_ok() {
                ACTIVE.store(true, Ordering::Relaxed);
                spawn();
            }
        });
    }
    let level = logger(py, "crawlingo")?.call_method0(pyo3::intern!(py, "getEffectiveLevel"))?.extract()?;
    if THRESHOLD.swap(level, Ordering::Relaxed) != level {
        tracing::callsite::rebuild_interest_cache();
    }
    Ok(())
}

/// Starts the thread; called again after a fork, where it is missing.
pub(crate) fn spawn() {
    if !ACTIVE.load(Ordering::Relaxed) {
        return;
    }
    let spawned = std::thread::Builder::new().name("crawlingo-log".to_owned()).spawn(|| {
        loop {
            std::thread::sleep(Duration::from_millis(50));
            // None: the interpreter is going.
            if !QUEUE.is_empty() && Python::try_attach(flush).is_none() {
                return;
            }
        }
    });
    drop(spawned);
}

fn logger<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    imported!(py, "logging", "getLogger")?.call1((name,))
}

/// Hands what waits to `logging`.
pub(crate) fn flush(py: Python<'_>) {
    while let Some(entry) = QUEUE.pop() {
        tell(py, &entry);
    }
    let dropped = DROPPED.swap(0, Ordering::Relaxed);
    if dropped > 0 {
        let message = format!("{dropped} messages came faster than they could be logged, and were dropped");
        tell(py, &Entry { level: 30, target: "crawlingo".to_owned(), message });
    }
}

fn tell(py: Python<'_>, entry: &Entry) {
    // The message is given as an argument, so that a `%` in it means nothing.
    let told =
        logger(py, &entry.target).and_then(|logger| logger.call_method1("log", (entry.level, "%s", &entry.message)));
    if let Err(error) = told {
        error.write_unraisable(py, None);
    }
}

/// An exception of the caller's code that stops nothing: it is logged, with its traceback.
pub(crate) fn exception(py: Python<'_>, what: &str, error: PyErr) {
    let told = logger(py, "crawlingo.callback").and_then(|logger| {
        let more = pyo3::types::PyDict::new(py);
        more.set_item("exc_info", error.into_value(py))?;
        logger.call_method("error", ("%s failed", what), Some(&more))
    });
    if let Err(error) = told {
        error.write_unraisable(py, None);
    }
}

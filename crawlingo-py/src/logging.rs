//! What the core tells of itself, for `logging`.
//!
//! Events come from threads that must not wait for the interpreter: it may be held by one that waits for them. They go
//! into a bounded queue, and a thread of its own hands them to `logging`.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, Once, PoisonError};

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

static QUEUE: Mutex<VecDeque<Entry>> = Mutex::new(VecDeque::new());
static WAKE: Condvar = Condvar::new();
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
        let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.len() < MAX_WAITING {
            queue.push_back(entry);
        } else {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
        WAKE.notify_one();
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

/// After a fork the thread is missing.
pub(crate) fn spawn() {
    let spawned = std::thread::Builder::new().name("crawlingo-log".to_owned()).spawn(|| {
        loop {
            {
                let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
                while queue.is_empty() {
                    queue = WAKE.wait(queue).unwrap_or_else(PoisonError::into_inner);
                }
            }
            // None: the interpreter is going.
            if Python::try_attach(flush).is_none() {
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
    loop {
        let entry = QUEUE.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(entry) = entry else { break };
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

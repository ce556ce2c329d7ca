//! The one runtime in the background, and how Python waits for what runs there: blocking, with an ear for interrupts, or
//! by asyncio.
//!
//! Written here and not taken from `pyo3-async-runtimes`, whose runtime is made once and does not survive a fork.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crawlingo::Error;
use futures_util::FutureExt;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::AbortHandle;

use crate::errors::{Failure, Result};
use crate::logging;
use crate::values::imported;

/// How often a waiting thread asks whether it was interrupted.
const TICK: Duration = Duration::from_millis(40);

/// The runtime and the process that it belongs to. Locked only by threads that hold the interpreter, as one that forks
/// does: in the child it is never locked by a thread that is not there.
static RUNTIME: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);

/// The runtime of this process.
pub(crate) fn handle(_py: Python<'_>) -> Result<Handle> {
    let own = std::process::id();
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, runtime)) = &*runtime
        && *process == own
    {
        return Ok(runtime.handle().clone());
    }
    let mut builder = Builder::new_multi_thread();
    let made = builder.enable_all().thread_name("crawlingo").build();
    let made = made.map_err(|error| Error::io("the background runtime", error))?;
    let handle = made.handle().clone();
    if let Some((_, parents)) = runtime.replace((own, made)) {
        // Its threads are in the parent, and dropping it would wait for them.
        std::mem::forget(parents);
        logging::spawn();
    }
    Ok(handle)
}

/// Waits for a future that runs in the background; others use the interpreter meanwhile. An interrupt ends it.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    future: impl Future<Output = std::result::Result<T, Error>> + Send + 'static,
) -> Result<T> {
    wait_or(py, future, || {})
}

/// As [`wait`]; `interrupted` is called before the future is dropped.
pub(crate) fn wait_or<T: Send + 'static>(
    py: Python<'_>,
    future: impl Future<Output = std::result::Result<T, Error>> + Send + 'static,
    interrupted: impl FnOnce(),
) -> Result<T> {
    logging::begin(py)?;
    let (sender, mut receiver) = sync_channel(1);
    let task = handle(py)?.spawn(async move {
        // Nobody waits any more after an interrupt.
        let _ = sender.send(future.await);
    });
    loop {
        let (again, received) = py.detach(move || {
            let received = receiver.recv_timeout(TICK);
            (receiver, received)
        });
        receiver = again;
        match received {
            Ok(result) => {
                logging::flush(py);
                return Ok(result?);
            }
            Err(RecvTimeoutError::Timeout) => {
                logging::flush(py);
                if let Err(interrupt) = py.check_signals() {
                    interrupted();
                    task.abort();
                    // So that what it holds, such as a store's lock, is let go; a moment is enough.
                    let _ = py.detach(move || receiver.recv_timeout(TICK * 2));
                    return Err(interrupt.into());
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err(broken().into()),
        }
    }
}

fn broken() -> Error {
    Error::sdk("the work in the background ended before its end; this is a fault of crawlingo, please report it")
}

/// Aborts the work when its future was cancelled.
#[pyclass(frozen)]
struct Cancel(AbortHandle);

#[pymethods]
impl Cancel {
    fn __call__(&self, future: &Bound<'_, PyAny>) -> PyResult<()> {
        if future.call_method0("cancelled")?.extract()? {
            self.0.abort();
        }
        Ok(())
    }
}

/// Called by the event loop, in its own thread.
#[pyfunction]
fn settle(future: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, error: &Bound<'_, PyAny>) -> PyResult<()> {
    // Cancelled meanwhile.
    if future.call_method0("done")?.extract()? {
        return Ok(());
    }
    if error.is_none() {
        future.call_method1("set_result", (value,))?;
    } else {
        future.call_method1("set_exception", (error,))?;
    }
    Ok(())
}

/// A future of asyncio for work in the background. `convert` makes what Python gets; cancelling drops the work.
pub(crate) fn future<'py, T: Send + 'static>(
    py: Python<'py>,
    work: impl Future<Output = std::result::Result<T, Error>> + Send + 'static,
    convert: impl for<'a> FnOnce(Python<'a>, T) -> Result<Bound<'a, PyAny>> + Send + 'static,
) -> Result<Bound<'py, PyAny>> {
    logging::begin(py)?;
    let running = imported!(py, "asyncio", "get_running_loop")?.call0().map_err(|_| {
        Error::config("event loop", "call this in a coroutine of asyncio, or use the form without `_async`")
    })?;
    let future = running.call_method0("create_future")?;
    let (its_loop, its_future) = (running.unbind(), future.clone().unbind());
    let task = handle(py)?.spawn(async move {
        // A panic must not leave the future without an end.
        let result = AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| Err(broken()));
        tokio::task::block_in_place(|| {
            Python::try_attach(|py| {
                logging::flush(py);
                let made = result.map_err(Failure::from).and_then(|value| convert(py, value));
                let none = py.None().into_bound(py);
                let (value, error) = match made {
                    Ok(value) => (value, none),
                    Err(failure) => (none, PyErr::from(failure).into_value(py).into_bound(py).into_any()),
                };
                let told = pyo3::wrap_pyfunction!(settle, py).and_then(|settle| {
                    its_loop.call_method1(py, "call_soon_threadsafe", (settle, &its_future, value, error))
                });
                // The loop is closed, and nobody waits.
                drop(told);
            })
        });
    });
    future.call_method1("add_done_callback", (Cancel(task.abort_handle()),))?;
    Ok(future)
}

//! The threads that parse: never one that does I/O.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use tokio::sync::oneshot;

use crate::Error;

/// Parsing is iterative; this leaves room for the libraries that are not.
const STACK: usize = 8 << 20;

pub(crate) struct Pool {
    threads: usize,
    pool: OnceLock<Option<rayon::ThreadPool>>,
}

impl Pool {
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, pool: OnceLock::new() }
    }

    /// Runs a job on the pool. A panic in it is an error of that job alone.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let pool = self.pool.get_or_init(|| {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK);
            builder.thread_name(|at| format!("crawlingo-parse-{at}")).build().ok()
        });
        let Some(pool) = pool else {
            return Err(Error::config("parse_threads", "the threads that parse could not be started"));
        };
        let (sender, receiver) = oneshot::channel();
        pool.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|panic| {
                let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                Err(Error::parse(format!("the parser failed on it: {what}")))
            });
            // Nobody waits any more if the caller was cancelled.
            drop(sender.send(result));
        });
        receiver.await.unwrap_or_else(|_| Err(Error::parse("the job was dropped")))
    }
}

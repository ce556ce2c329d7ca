//! The deadline of a whole request: redirects, waiting for a permit and the body included.

use std::time::{Duration, Instant};

use super::Fetch;
use crate::types::{BoxFuture, Request, Response};
use crate::{Error, FetchFailure};

pub(super) struct Deadline<F> {
    inner: F,
    timeout: Duration,
}

impl<F> Deadline<F> {
    pub(super) fn new(inner: F, timeout: Duration) -> Self {
        Self { inner, timeout }
    }
}

impl<F: Fetch> Fetch for Deadline<F> {
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            let timeout = request.options.timeout.unwrap_or(self.timeout);
            let url = request.url.to_string();
            let start = Instant::now();
            match tokio::time::timeout(timeout, self.inner.fetch(request)).await {
                Ok(response) => response.map(|mut response| {
                    response.elapsed = start.elapsed();
                    response
                }),
                Err(_) => Err(Error::fetch(
                    url,
                    FetchFailure::Timeout,
                    format!("the whole request took longer than {timeout:?} (`timeout`)"),
                )),
            }
        })
    }
}

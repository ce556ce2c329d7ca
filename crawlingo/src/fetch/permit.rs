//! A bound on the requests that are on their way at once. A permit is held until the body has been read.

use std::sync::Arc;

use futures_util::StreamExt;
use tokio::sync::Semaphore;

use super::Fetch;
use crate::Error;
use crate::types::{Body, BodyStream, BoxFuture, Request, Response};

pub(super) struct Permit<F> {
    inner: F,
    permits: Arc<Semaphore>,
}

impl<F> Permit<F> {
    pub(super) fn new(inner: F, concurrency: usize) -> Self {
        Self { inner, permits: Arc::new(Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS))) }
    }
}

impl<F: Fetch> Fetch for Permit<F> {
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            let permit = Arc::clone(&self.permits).acquire_owned().await;
            // The semaphore is never closed.
            let permit = permit.map_err(|_| Error::sdk("the session has been shut down"))?;
            let mut response = self.inner.fetch(request).await?;
            if let Body::Stream(stream) = response.body {
                response.body = Body::Stream(BodyStream::new(stream.into_chunks().map(move |chunk| {
                    let _held = &permit;
                    chunk
                })));
            }
            Ok(response)
        })
    }
}

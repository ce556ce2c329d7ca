//! A response.

use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http::{StatusCode, Version};
use url::Url;

use super::Headers;
use crate::{Error, ErrorKind, FetchFailure};

/// The chunks of a body.
type Chunks = Pin<Box<dyn Stream<Item = Result<Bytes, Error>> + Send>>;

/// A body as it comes from the connection. It is read by one owner; the lock is never waited for and only makes the
/// response `Sync`.
pub struct BodyStream(Mutex<Chunks>);

impl BodyStream {
    /// A body of chunks.
    pub fn new(chunks: impl Stream<Item = Result<Bytes, Error>> + Send + 'static) -> Self {
        Self(Mutex::new(Box::pin(chunks)))
    }

    /// The chunks.
    pub fn into_chunks(self) -> Chunks {
        self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// The body of a response on its way up the stack: a stream until it is decoded, then bytes.
pub enum Body {
    /// All of it.
    Full(Bytes),
    /// As it comes from the connection.
    Stream(BodyStream),
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Full(bytes) => write!(f, "Full({} bytes)", bytes.len()),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

/// What a server answered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The URL that answered, after redirects.
    pub url: Url,
    /// The headers, in the order in which they came.
    pub headers: Headers,
    /// The body. What [`Session::fetch`](crate::Session::fetch) gives holds all of it, decompressed.
    pub body: Body,
    /// The version of HTTP.
    pub version: Version,
    /// The URLs that redirected here, the first asked for at the front.
    pub redirects: Vec<Url>,
    /// From sending the request to the end of the body.
    pub elapsed: Duration,
}

impl Response {
    /// A response with that status and an empty body.
    pub fn new(status: StatusCode, url: Url) -> Self {
        Self {
            status,
            url,
            headers: Headers::new(),
            body: Body::Full(Bytes::new()),
            version: Version::HTTP_11,
            redirects: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    /// The bytes of the body; empty while it is still a stream.
    pub fn bytes(&self) -> &Bytes {
        static EMPTY: Bytes = Bytes::new();
        match &self.body {
            Body::Full(bytes) => bytes,
            Body::Stream(_) => &EMPTY,
        }
    }

    /// The `Content-Type`.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get("content-type")
    }

    /// The response itself if its status is no failure.
    ///
    /// # Errors
    /// `ErrorKind::Fetch` for a status of 400 and above.
    pub fn error_for_status(self) -> Result<Self, Error> {
        if !self.status.is_client_error() && !self.status.is_server_error() {
            return Ok(self);
        }
        Err(status_error(&self.url, self.status, &self.headers))
    }
}

pub(crate) fn status_error(url: &Url, status: StatusCode, headers: &Headers) -> Error {
    let seconds = headers.get("retry-after").and_then(|value| value.trim().parse().ok());
    Error::new(ErrorKind::Fetch {
        url: url.to_string(),
        failure: FetchFailure::Status,
        status: Some(status.as_u16()),
        retry_after: seconds.map(Duration::from_secs),
        message: format!("the server answered {status}"),
    })
}

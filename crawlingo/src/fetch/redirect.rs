//! Redirects, by the fetch standard: which method goes on, which headers are dropped, where it ends.
//!
//! Source: <https://fetch.spec.whatwg.org/#http-redirect-fetch>

use std::collections::HashSet;

use http::{Method, StatusCode};

use super::Fetch;
use crate::types::{BoxFuture, Request, Response};
use crate::{Error, FetchFailure};

pub(super) struct Redirect<F> {
    inner: F,
    max: usize,
}

impl<F> Redirect<F> {
    pub(super) fn new(inner: F, max: usize) -> Self {
        Self { inner, max }
    }
}

impl<F: Fetch> Fetch for Redirect<F> {
    fn fetch(&self, mut request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            let follow = request.options.follow_redirects.unwrap_or(true) && self.max > 0;
            let mut redirects = Vec::new();
            // A page that sets a cookie may send back to itself once; the same request a third time is a loop.
            let mut seen: HashSet<String> = HashSet::new();
            let mut repeated = 0;
            loop {
                if !seen.insert(format!("{} {}", request.method, request.url)) {
                    repeated += 1;
                }
                let mut response = self.inner.fetch(request.clone()).await?;
                let next = match response.headers.get("location") {
                    Some(location) if follow && is_redirect(response.status) => location.to_owned(),
                    _ => {
                        response.redirects = redirects;
                        return Ok(response);
                    }
                };
                let failed = |message: String| Error::fetch(request.url.as_str(), FetchFailure::Redirect, message);
                if redirects.len() >= self.max {
                    return Err(failed(format!("more than {} redirects (`max_redirects`)", self.max)));
                }
                if repeated > 1 {
                    return Err(failed("the redirects lead round in a circle".to_owned()));
                }
                let mut url = request.url.join(next.trim()).map_err(|error| {
                    failed(format!("it redirects to {:?}, which is no URL: {error}", shorten(&next)))
                })?;
                if !matches!(url.scheme(), "http" | "https") {
                    return Err(failed(format!(
                        "it redirects to `{}:`, and only http and https are followed",
                        url.scheme()
                    )));
                }
                if url.fragment().is_none() {
                    url.set_fragment(request.url.fragment());
                }
                let to_get = match response.status {
                    StatusCode::SEE_OTHER => !matches!(request.method, Method::GET | Method::HEAD),
                    StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => request.method == Method::POST,
                    _ => false,
                };
                if to_get {
                    request.method = Method::GET;
                    request.body = bytes::Bytes::new();
                    for name in
                        ["content-type", "content-length", "content-encoding", "content-language", "content-location"]
                    {
                        request.headers.remove(name);
                    }
                }
                if request.url.origin() != url.origin() {
                    // What was meant for one site is no other's to see.
                    for name in ["authorization", "cookie", "proxy-authorization", "origin"] {
                        request.headers.remove(name);
                    }
                }
                if request.url.scheme() == "https" && url.scheme() == "http" {
                    request.headers.remove("referer");
                }
                redirects.push(std::mem::replace(&mut request.url, url));
            }
        })
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

fn shorten(text: &str) -> String {
    text.chars().take(120).collect()
}

//! Cookies, by RFC 6265 with the public suffix list, through `cookie_store`.

use std::sync::{Arc, RwLock};

use url::Url;

use super::Fetch;
use crate::Error;
use crate::types::{BoxFuture, Request, Response};

/// The most cookies that one response may set.
const MAX_SET: usize = 64;
/// The longest cookie, name, value and attributes together, in bytes: what browsers take.
const MAX_COOKIE: usize = 4096 + 1024;
/// The most cookies of a jar.
const MAX_JAR: usize = 10_000;

/// The cookies of a session; clones share them.
#[derive(Clone, Default)]
pub struct CookieJar(Arc<RwLock<cookie_store::CookieStore>>);

impl CookieJar {
    /// An empty jar.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a cookie as a `Set-Cookie` header of a response from `url` writes it. What the RFC or the bounds refuse is
    /// left out.
    pub fn set(&self, cookie: &str, url: &Url) {
        if cookie.len() > MAX_COOKIE {
            return;
        }
        let mut store = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if store.iter_any().count() >= MAX_JAR {
            return;
        }
        if let Err(error) = store.parse(cookie, url) {
            tracing::debug!(%url, %error, "cookie refused");
        }
    }

    /// What goes into the `Cookie` header of a request to `url`.
    pub fn header(&self, url: &Url) -> Option<String> {
        let store = self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut matching = store.matches(url);
        // RFC 6265, section 5.4: longer paths first.
        matching.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        let pairs: Vec<_> = matching.iter().map(|cookie| format!("{}={}", cookie.name(), cookie.value())).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }

    /// The value of a cookie that a request to `url` would carry.
    pub fn get(&self, url: &Url, name: &str) -> Option<String> {
        let store = self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        store.matches(url).into_iter().find(|cookie| cookie.name() == name).map(|cookie| cookie.value().to_owned())
    }

    /// Forgets all cookies.
    pub fn clear(&self) {
        self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
    }
}

impl std::fmt::Debug for CookieJar {
    /// Says nothing of names and values: they may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CookieJar")
    }
}

pub(super) struct Cookies<F> {
    inner: F,
    jar: Option<CookieJar>,
}

impl<F> Cookies<F> {
    pub(super) fn new(inner: F, jar: Option<CookieJar>) -> Self {
        Self { inner, jar }
    }
}

impl<F: Fetch> Fetch for Cookies<F> {
    fn fetch(&self, mut request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            let Some(jar) = &self.jar else { return self.inner.fetch(request).await };
            let url = request.url.clone();
            // A cookie header of the request's own is left as it is.
            if !request.headers.contains("cookie")
                && let Some(cookies) = jar.header(&url)
            {
                request.headers.insert("cookie", &cookies)?;
            }
            let response = self.inner.fetch(request).await?;
            for cookie in response.headers.get_all("set-cookie").take(MAX_SET) {
                jar.set(cookie, &url);
            }
            Ok(response)
        })
    }
}

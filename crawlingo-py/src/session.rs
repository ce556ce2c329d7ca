//! Sessions for Python: options by their names, and each call in two forms.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use crawlingo::heal::{HealRow, HealStore, MemoryHealStore, SledHealStore};
use crawlingo::schema::{HealMode, suggest};
use crawlingo::session::SessionBuilder;
use crawlingo::types::{HttpVersion, Profile, Tier};
use crawlingo::{Error, Request, Session};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::errors::{Failure, Result};
use crate::page::{PyPage, PyResponse};
use crate::runtime::{future, wait};
use crate::values::imported;
use crate::{heal, logging};

/// The options, for what was probably meant.
const OPTIONS: &[&str] = &[
    "tier",
    "profile",
    "user_agent",
    "headers",
    "proxy",
    "http_version",
    "connect_timeout",
    "first_byte_timeout",
    "idle_timeout",
    "timeout",
    "max_body_bytes",
    "max_headers",
    "max_redirects",
    "concurrency",
    "cookies",
    "deny_private",
    "verify_tls",
    "parse_threads",
    "heal_store",
    "heal_threshold",
    "on_heal",
    "auto_match",
    "heal_strict",
];

/// What fetches; `crawlingo.Session` is made of it.
#[pyclass(frozen, module = "crawlingo._crawlingo", name = "Session")]
pub(crate) struct PySession {
    session: Session,
    /// Connections are not shared with a child that was forked.
    process: u32,
}

fn wrong(key: &str, value: &Bound<'_, PyAny>, wanted: &str) -> Failure {
    let shown = value.repr().map_or_else(|_| "it".to_owned(), |text| text.to_string());
    Error::config(key, format!("takes {wanted}, not {shown}")).into()
}

fn named<T: FromStr<Err = Error>>(key: &str, value: &Bound<'_, PyAny>) -> Result<T> {
    let text: String = value.extract().map_err(|_| wrong(key, value, "a name"))?;
    Ok(text.parse()?)
}

/// Seconds as a number, or a `timedelta`.
fn seconds(key: &str, value: &Bound<'_, PyAny>) -> Result<Duration> {
    if let Ok(duration) = value.extract::<Duration>() {
        return Ok(duration);
    }
    let number = value.extract::<f64>().ok().filter(|_| !value.is_instance_of::<PyBool>());
    let duration = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    duration.ok_or_else(|| wrong(key, value, "seconds as a number that is not negative, or a timedelta"))
}

fn count(key: &str, value: &Bound<'_, PyAny>) -> Result<usize> {
    let number = value.extract::<usize>().ok().filter(|_| !value.is_instance_of::<PyBool>());
    number.ok_or_else(|| wrong(key, value, "a whole number that is not negative"))
}

fn flag(key: &str, value: &Bound<'_, PyAny>) -> Result<bool> {
    if !value.is_instance_of::<PyBool>() {
        return Err(wrong(key, value, "True or False"));
    }
    Ok(value.extract()?)
}

fn text(key: &str, value: &Bound<'_, PyAny>) -> Result<String> {
    value.extract().map_err(|_| wrong(key, value, "a text"))
}

pub(crate) fn store(value: &Bound<'_, PyAny>) -> Result<Arc<dyn HealStore>> {
    if let Ok(own) = value.cast::<heal::PyHealStore>() {
        return Ok(Arc::clone(&own.get().0));
    }
    if value.extract::<String>().is_ok_and(|text| text == ":memory:") {
        return Ok(Arc::new(MemoryHealStore::new()));
    }
    let folder: std::path::PathBuf =
        value.extract().map_err(|_| wrong("heal_store", value, "a folder, \":memory:\" or a HealStore"))?;
    Ok(Arc::new(value.py().detach(|| SledHealStore::open(folder))?))
}

fn heal_mode(value: &Bound<'_, PyAny>) -> Result<HealMode> {
    if let Ok(on) = value.extract::<bool>() {
        return Ok(if on { HealMode::Bind } else { HealMode::Off });
    }
    let mode = value.extract::<String>().ok().and_then(|name| HealMode::from_name(&name));
    mode.ok_or_else(|| wrong("auto_match", value, "True, False, \"off\", \"suggest\" or \"bind\""))
}

/// Calls Python with what healed. What the callback raises is logged and stops nothing.
pub(crate) fn call_on_heal(callback: Py<PyAny>) -> impl Fn(&HealRow) + Send + Sync + 'static {
    move |row| {
        // None: the interpreter is going, and nobody is there to be told.
        Python::try_attach(|py| {
            let told = heal::event(py, row).and_then(|event| Ok(callback.call1(py, (event,))?));
            if let Err(error) = told {
                logging::exception(py, "on_heal", error.into());
            }
        });
    }
}

fn option(builder: SessionBuilder, key: &str, value: &Bound<'_, PyAny>) -> Result<SessionBuilder> {
    Ok(match key {
        "tier" => builder.tier(named::<Tier>(key, value)?),
        "profile" => builder.profile(named::<Profile>(key, value)?),
        "http_version" => builder.http_version(named::<HttpVersion>(key, value)?),
        "user_agent" => builder.user_agent(text(key, value)?),
        "proxy" => builder.proxy(text(key, value)?),
        "headers" => {
            let headers = value.cast::<PyDict>().map_err(|_| wrong(key, value, "a dictionary"))?;
            headers.iter().try_fold(builder, |builder, (name, value)| -> Result<_> {
                Ok(builder.header(&text("headers", &name)?, &text("headers", &value)?))
            })?
        }
        "connect_timeout" => builder.connect_timeout(seconds(key, value)?),
        "first_byte_timeout" => builder.first_byte_timeout(seconds(key, value)?),
        "idle_timeout" => builder.idle_timeout(seconds(key, value)?),
        "timeout" => builder.timeout(seconds(key, value)?),
        "max_body_bytes" => builder.max_body_bytes(count(key, value)?),
        "max_headers" => builder.max_headers(count(key, value)?),
        "max_redirects" => builder.max_redirects(count(key, value)?),
        "concurrency" => builder.concurrency(count(key, value)?),
        "parse_threads" => builder.parse_threads(count(key, value)?),
        "cookies" => builder.cookies(flag(key, value)?),
        "deny_private" => builder.deny_private(flag(key, value)?),
        "verify_tls" => builder.verify_tls(flag(key, value)?),
        "heal_store" => builder.heal_store(store(value)?),
        "heal_threshold" => {
            let number = value.extract().map_err(|_| wrong(key, value, "a probability from 0.5 to 1"))?;
            builder.heal_threshold(number)
        }
        "on_heal" => {
            if !value.is_callable() {
                return Err(wrong(key, value, "a function of one heal"));
            }
            builder.on_heal(call_on_heal(value.clone().unbind()))
        }
        "auto_match" => builder.auto_match(heal_mode(value)?),
        "heal_strict" => builder.heal_strict(flag(key, value)?),
        _ => {
            let message = match suggest(key, OPTIONS.iter().copied()) {
                Some(meant) => format!("there is no such option; did you mean `{meant}`?"),
                None => format!("there is no such option; a session knows {}", OPTIONS.join(", ")),
            };
            return Err(Error::config(key, message).into());
        }
    })
}

/// A builder with options of a dictionary.
pub(crate) fn builder(options: &Bound<'_, PyDict>) -> Result<SessionBuilder> {
    let mut builder = Session::builder();
    for (key, value) in options.iter() {
        if !value.is_none() {
            builder = option(builder, &key.extract::<String>()?, &value)?;
        }
    }
    Ok(builder)
}

/// A request of what Python gives.
fn request(
    url: &str,
    method: &str,
    headers: Option<&Bound<'_, PyDict>>,
    body: Option<Bytes>,
    timeout: Option<&Bound<'_, PyAny>>,
) -> Result<Request> {
    let method = http::Method::from_bytes(method.to_ascii_uppercase().as_bytes())
        .map_err(|_| Error::config("method", format!("{method:?} is no method of HTTP")))?;
    let mut request = Request::new(method, url)?;
    for (name, value) in headers.iter().flat_map(|headers| headers.iter()) {
        request = request.header(&text("headers", &name)?, &text("headers", &value)?)?;
    }
    request.body = body.unwrap_or_default();
    if let Some(timeout) = timeout {
        request = request.timeout(seconds("timeout", timeout)?);
    }
    Ok(request)
}

impl PySession {
    pub(crate) fn get(&self) -> Result<Session> {
        if self.process != std::process::id() {
            let message = "it was made in another process, before a fork; make one in this process";
            return Err(Error::config("session", message).into());
        }
        Ok(self.session.clone())
    }
}

fn page<'py>(py: Python<'py>, page: crawlingo::Page) -> Result<Bound<'py, PyAny>> {
    Ok(imported!(py, "crawlingo._crawlingo", "Page").and_then(|_| PyPage(page).into_pyobject(py))?.into_any())
}

#[pymethods]
impl PySession {
    #[new]
    fn new(py: Python<'_>, options: &Bound<'_, PyDict>) -> Result<Self> {
        logging::begin(py)?;
        let builder = builder(options)?;
        Ok(Self { session: builder.build()?, process: std::process::id() })
    }

    fn page(&self, py: Python<'_>, url: String) -> Result<PyPage> {
        let session = self.get()?;
        Ok(PyPage(wait(py, async move { session.page(&url).await })?))
    }

    fn page_async<'py>(&self, py: Python<'py>, url: String) -> Result<Bound<'py, PyAny>> {
        let session = self.get()?;
        future(py, async move { session.page(&url).await }, page)
    }

    #[pyo3(signature = (url, method, headers, body, timeout))]
    fn open(
        &self,
        py: Python<'_>,
        url: &str,
        method: &str,
        headers: Option<&Bound<'_, PyDict>>,
        body: Option<Vec<u8>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyPage> {
        let (session, request) = (self.get()?, request(url, method, headers, body.map(Bytes::from), timeout)?);
        Ok(PyPage(wait(py, async move { session.open(request).await })?))
    }

    #[pyo3(signature = (url, method, headers, body, timeout))]
    fn open_async<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        method: &str,
        headers: Option<&Bound<'_, PyDict>>,
        body: Option<Vec<u8>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let (session, request) = (self.get()?, request(url, method, headers, body.map(Bytes::from), timeout)?);
        future(py, async move { session.open(request).await }, page)
    }

    #[pyo3(signature = (url, method, headers, body, timeout))]
    fn fetch(
        &self,
        py: Python<'_>,
        url: &str,
        method: &str,
        headers: Option<&Bound<'_, PyDict>>,
        body: Option<Vec<u8>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> Result<PyResponse> {
        let (session, request) = (self.get()?, request(url, method, headers, body.map(Bytes::from), timeout)?);
        Ok(PyResponse::new(wait(py, async move { session.fetch(request).await })?))
    }

    #[pyo3(signature = (url, method, headers, body, timeout))]
    fn fetch_async<'py>(
        &self,
        py: Python<'py>,
        url: &str,
        method: &str,
        headers: Option<&Bound<'_, PyDict>>,
        body: Option<Vec<u8>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let (session, request) = (self.get()?, request(url, method, headers, body.map(Bytes::from), timeout)?);
        future(py, async move { session.fetch(request).await }, |py, response| {
            Ok(PyResponse::new(response).into_pyobject(py)?.into_any())
        })
    }

    /// Makes a page from elsewhere heal as those do that the session fetches.
    fn adopt(&self, page: &PyPage) -> Result<PyPage> {
        Ok(PyPage(self.get()?.adopt(page.0.clone())))
    }

    /// The value of a cookie that would be sent to an address.
    fn cookie(&self, url: &str, name: &str) -> Result<Option<String>> {
        let url = Request::get(url)?.url;
        Ok(self.get()?.cookies().get(&url, name))
    }

    /// Sets a cookie, as a server would by `Set-Cookie`.
    fn set_cookie(&self, url: &str, cookie: &str) -> Result<()> {
        let url = Request::get(url)?.url;
        self.get()?.cookies().set(cookie, &url);
        Ok(())
    }
}

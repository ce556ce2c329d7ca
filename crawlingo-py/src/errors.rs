//! Errors of the core as Python's exceptions, whose classes are in `crawlingo/errors.py`.

use crawlingo::schema::{SchemaError, SchemaErrorKind};
use crawlingo::{Error, ErrorKind, FetchFailure};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

/// An error on its way to Python: `?` takes both kinds.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Of the core.
    Core(Error),
    /// Python's own.
    Python(PyErr),
}

/// What functions for Python give.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Core(error)
    }
}

impl From<SchemaError> for Failure {
    fn from(error: SchemaError) -> Self {
        Self::Core(error.into())
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl<'a, 'py> From<pyo3::CastError<'a, 'py>> for Failure {
    fn from(error: pyo3::CastError<'a, 'py>) -> Self {
        Self::Python(error.into())
    }
}

impl<'py> From<pyo3::CastIntoError<'py>> for Failure {
    fn from(error: pyo3::CastIntoError<'py>) -> Self {
        Self::Python(error.into())
    }
}

impl From<pythonize::PythonizeError> for Failure {
    fn from(error: pythonize::PythonizeError) -> Self {
        Self::Python(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Core(error) => {
                Python::attach(|py| exception(py, &error).map_or_else(|failed| failed, PyErr::from_value))
            }
        }
    }
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("crawlingo.errors").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}

/// An error of the caller's code, with the exception that it is as its source.
pub(crate) fn user(error: PyErr) -> Error {
    let message = Python::attach(|py| {
        let value = error.value(py);
        let name = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
        format!("{name}: {value}")
    });
    Error::sdk(message).with_source(error)
}

/// The exception of an error.
pub(crate) fn exception<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyAny>> {
    let known = PyDict::new(py);
    let name = match error.kind() {
        ErrorKind::Fetch { url, failure, status, retry_after, .. } => {
            known.set_item("url", url)?;
            known.set_item("failure", failure_name(*failure))?;
            known.set_item("status", status)?;
            known.set_item("retry_after", retry_after.map(|wait| wait.as_secs_f64()))?;
            "FetchError"
        }
        ErrorKind::Parse { url, .. } => {
            known.set_item("url", url)?;
            "ParseError"
        }
        ErrorKind::Selector(error) => {
            selector(&known, error)?;
            "SelectorError"
        }
        ErrorKind::Extraction { url, dataset, record, field, selector, .. } => {
            known.set_item("url", url)?;
            known.set_item("dataset", dataset)?;
            known.set_item("record", record)?;
            known.set_item("field", field)?;
            known.set_item("selector", selector)?;
            "ExtractionError"
        }
        ErrorKind::Config { key, .. } => {
            known.set_item("key", key)?;
            "ConfigError"
        }
        ErrorKind::Io { target, .. } => {
            known.set_item("target", target)?;
            "IoError"
        }
        ErrorKind::Sdk { .. } => "SdkError",
        _ => "CrawlingoError",
    };
    known.set_item("retryable", error.is_retryable())?;
    let mut causes = Vec::new();
    let mut cause = None;
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        match inner.downcast_ref::<PyErr>() {
            Some(own) => {
                cause.get_or_insert_with(|| own.clone_ref(py));
            }
            None => causes.push(inner.to_string()),
        }
        source = inner.source();
    }
    known.set_item("causes", PyTuple::new(py, causes)?)?;
    let made = class(py, name)?.call((error.to_string(),), Some(&known))?;
    if let Some(cause) = cause {
        PyErr::from_value(made.clone()).set_cause(py, Some(cause));
    }
    Ok(made)
}

fn selector(known: &Bound<'_, PyDict>, error: &SchemaError) -> PyResult<()> {
    known.set_item("kind", kind_name(error.kind()))?;
    known.set_item("reason", error.message())?;
    known.set_item("hint", error.hint())?;
    known.set_item("place", PyTuple::new(known.py(), error.place())?)?;
    known.set_item("expression", error.source_text())?;
    // Python counts characters, not bytes.
    let span = error.source_text().zip(error.span()).map(|(text, span)| {
        let at = |byte: usize| text.get(..byte).map_or(0, |before| before.chars().count());
        (at(span.start), at(span.end))
    });
    known.set_item("span", span)
}

fn kind_name(kind: SchemaErrorKind) -> &'static str {
    match kind {
        SchemaErrorKind::Css => "css",
        SchemaErrorKind::XPath => "xpath",
        SchemaErrorKind::Regex => "regex",
        SchemaErrorKind::Path => "path",
        SchemaErrorKind::Text => "text",
        SchemaErrorKind::UnknownKey => "unknown_key",
        SchemaErrorKind::Structure => "structure",
        SchemaErrorKind::Value => "value",
        SchemaErrorKind::Kind => "kind",
        _ => "other",
    }
}

fn failure_name(failure: FetchFailure) -> &'static str {
    match failure {
        FetchFailure::Dns => "dns",
        FetchFailure::Connect => "connect",
        FetchFailure::Tls => "tls",
        FetchFailure::Timeout => "timeout",
        FetchFailure::Status => "status",
        FetchFailure::Protocol => "protocol",
        FetchFailure::Decode => "decode",
        FetchFailure::TooLarge => "too_large",
        FetchFailure::Redirect => "redirect",
        FetchFailure::Denied => "denied",
        FetchFailure::Proxy => "proxy",
        FetchFailure::Blocked => "blocked",
        FetchFailure::Request => "request",
        _ => "other",
    }
}

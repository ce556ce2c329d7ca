//! Forms for Python.

use crawlingo::session::Form;
use pyo3::prelude::*;

use crate::errors::Result;
use crate::page::PyPage;
use crate::runtime::{future, wait};
use crate::session::PySession;

/// A form of a page, with its hidden fields, as a browser would send it. Each change gives another form.
#[pyclass(frozen, module = "crawlingo", name = "Form")]
pub(crate) struct PyForm(pub(crate) Form);

/// What is below a `crawlingo.Session`.
fn below(session: &Bound<'_, PyAny>) -> Result<crawlingo::Session> {
    session.getattr(pyo3::intern!(session.py(), "_session"))?.cast_into::<PySession>()?.get().get()
}

#[pymethods]
impl PyForm {
    /// Where it is sent to.
    #[getter]
    fn action(&self) -> String {
        self.0.action().to_string()
    }

    /// The method: `GET` or `POST`.
    #[getter]
    fn method(&self) -> &str {
        self.0.method()
    }

    /// What would be sent: names and values.
    #[getter]
    fn values(&self) -> Vec<(String, String)> {
        self.0.values().into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// The names of its fields.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().into_iter().map(str::to_owned).collect()
    }

    /// The form with a field filled in.
    fn set(&self, name: &str, value: &str) -> Result<Self> {
        Ok(Self(self.0.clone().set(name, value)?))
    }

    /// The form with a box checked or not.
    #[pyo3(signature = (name, checked = true))]
    fn check(&self, name: &str, checked: bool) -> Result<Self> {
        Ok(Self(self.0.clone().check(name, checked)?))
    }

    /// The form with a file.
    fn file(&self, name: &str, file_name: &str, media_type: &str, content: Vec<u8>) -> Result<Self> {
        Ok(Self(self.0.clone().file(name, file_name, media_type, content)?))
    }

    /// The form as sent by one of its buttons.
    fn press(&self, name: &str) -> Result<Self> {
        Ok(Self(self.0.clone().press(name)?))
    }

    /// Sends it and gives the page that comes.
    fn submit(&self, py: Python<'_>, session: &Bound<'_, PyAny>) -> Result<PyPage> {
        let (form, session) = (self.0.clone(), below(session)?);
        Ok(PyPage(wait(py, async move { form.submit(&session).await })?))
    }

    /// As `submit`, for `await`.
    fn submit_async<'py>(&self, py: Python<'py>, session: &Bound<'_, PyAny>) -> Result<Bound<'py, PyAny>> {
        let (form, session) = (self.0.clone(), below(session)?);
        future(py, async move { form.submit(&session).await }, |py, page| {
            Ok(PyPage(page).into_pyobject(py)?.into_any())
        })
    }

    fn __repr__(&self) -> String {
        format!("<Form {} {}>", self.0.method(), self.0.action())
    }
}

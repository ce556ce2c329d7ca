//! Pages and responses for Python.

use std::collections::BTreeMap;
use std::sync::Arc;

use crawlingo::dataset::Extraction;
use crawlingo::dom::{Element, NodeId};
use crawlingo::schema::css;
use crawlingo::{Error, Page, Response};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::dataset::{of_class, records};
use crate::errors::Result;
use crate::extract::Content;
use crate::form::PyForm;
use crate::nodes::{PyNode, xpath_to_py};
use crate::values::imported;
use crate::{element, logging};

/// A page: fetched by a `Session`, or given.
#[pyclass(frozen, module = "crawlingo", name = "Page")]
pub(crate) struct PyPage(pub(crate) Page);

/// The headers of a response; of several of one name, the values are joined by `, `.
fn headers<'py>(py: Python<'py>, headers: &crawlingo::Headers) -> PyResult<Bound<'py, PyDict>> {
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers.iter() {
        let all = joined.entry(name.to_ascii_lowercase()).or_default();
        if !all.is_empty() {
            all.push_str(", ");
        }
        all.push_str(&value);
    }
    joined.into_pyobject(py)
}

#[pymethods]
impl PyPage {
    /// A page of HTML, JSON or XML that is there already. Of bytes, the encoding is found.
    #[new]
    #[pyo3(signature = (html, url, *, content_type = None))]
    fn new(py: Python<'_>, html: Content, url: &str, content_type: Option<String>) -> Result<Self> {
        let said = html.content_type(content_type);
        Ok(Self(py.detach(|| Page::from_bytes(html.bytes().to_vec(), said.as_deref(), url))?))
    }

    /// The status, such as 200.
    #[getter]
    fn status(&self) -> u16 {
        self.0.status()
    }

    /// The page's address, after redirects.
    #[getter]
    fn url<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        imported!(py, "crawlingo.types", "Url")?.call1((self.0.url().as_str(),))
    }

    /// The headers of the response, by their names in lower case.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        headers(py, self.0.headers())
    }

    /// The bytes of the response.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.response().bytes())
    }

    /// The value of a JSON response.
    fn json<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(pythonize::pythonize(py, self.0.json()?)?)
    }

    /// The encoding that the page was read in.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.0.document().encoding()
    }

    /// The title.
    #[getter]
    fn title(&self) -> Option<String> {
        self.0.title()
    }

    /// The language, as the page declares it.
    #[getter]
    fn language(&self) -> Option<String> {
        self.0.document().language().map(str::to_owned)
    }

    /// The visible text.
    #[getter]
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.text())
    }

    /// The document as HTML.
    #[getter]
    fn html(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.html())
    }

    /// The page as Markdown.
    #[getter]
    fn markdown(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.markdown())
    }

    /// The article of the page, without what stands around it: a dictionary with `title`, `text`, `html`, `byline` and
    /// so on; `None` where there is none.
    fn main_content<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyDict>>> {
        let Some(found) = py.detach(|| self.0.main_content()) else { return Ok(None) };
        let made = PyDict::new(py);
        for (name, value) in [
            ("title", Some(found.title)),
            ("text", Some(found.text)),
            ("html", Some(found.html)),
            ("byline", found.byline),
            ("excerpt", found.excerpt),
            ("site_name", found.site_name),
            ("language", found.language),
            ("published", found.published),
        ] {
            made.set_item(name, value)?;
        }
        Ok(Some(made))
    }

    /// The elements that a CSS selector finds.
    fn css<'py>(&self, py: Python<'py>, selector: &str) -> Result<Bound<'py, PyAny>> {
        let selector = css::parse(selector)?;
        let ids = py.detach(|| self.0.document().select(&selector).map(Element::id).collect());
        element::list(py, &self.0, ids, selector.take().cloned())
    }

    /// What an XPath expression gives: elements, texts, a text, a number or a truth value. Variables are keywords.
    #[pyo3(signature = (expression, **variables))]
    fn xpath<'py>(
        &self,
        py: Python<'py>,
        expression: &str,
        variables: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        xpath_to_py(py, &self.0, NodeId::DOCUMENT, expression, variables)
    }

    /// What a regular expression finds in the visible text: the first group, or the whole match.
    fn re(&self, py: Python<'_>, expression: &str) -> Result<Vec<String>> {
        Ok(py.detach(|| self.0.regex(expression))?)
    }

    /// The deepest elements that show a text.
    fn find_text<'py>(&self, py: Python<'py>, text: &str) -> Result<Bound<'py, PyAny>> {
        let ids = py.detach(|| self.0.find_text(text).into_iter().map(Element::id).collect());
        element::list(py, &self.0, ids, None)
    }

    /// The value that follows a label.
    fn after_text(&self, py: Python<'_>, label: &str) -> Option<String> {
        py.detach(|| self.0.after_text(label))
    }

    /// The value that precedes a label.
    fn before_text(&self, py: Python<'_>, label: &str) -> Option<String> {
        py.detach(|| self.0.before_text(label))
    }

    /// The links to http and https addresses.
    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> Result<Vec<Bound<'py, PyAny>>> {
        let class = imported!(py, "crawlingo.types", "Url")?;
        let found = py.detach(|| self.0.links());
        Ok(found.iter().map(|link| class.call1((link.url.as_str(),))).collect::<PyResult<_>>()?)
    }

    /// The rows of the first table that a CSS selector finds, as dictionaries by the names of its columns.
    fn table(&self, py: Python<'_>, selector: &str) -> Result<Vec<BTreeMap<String, String>>> {
        let table = py.detach(|| self.0.table(selector))?;
        Ok(table.rows().map(|row| row.to_pairs().into_iter().collect()).collect())
    }

    /// The first form that a CSS selector finds, as a browser would send it.
    fn form(&self, selector: &str) -> Result<PyForm> {
        Ok(PyForm(self.0.form(selector)?))
    }

    /// All records of a dataset on the page. Fields that ask for it heal, if the page's session has a store for that.
    #[pyo3(signature = (dataset, *, errors = "raise"))]
    fn extract<'py>(&self, py: Python<'py>, dataset: &Bound<'py, PyAny>, errors: &str) -> Result<Bound<'py, PyAny>> {
        logging::begin(py)?;
        let class = of_class(dataset)?;
        let extractor = Arc::clone(&class.get().extractor);
        let extraction: Extraction = py.detach(|| self.0.extract(&extractor));
        logging::flush(py);
        records(py, &class, &extraction, Some(self.0.url().as_str()), errors != "collect")
    }

    /// The page's first record of a dataset.
    fn extract_one<'py>(&self, py: Python<'py>, dataset: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let all = self.extract(py, dataset, "raise")?;
        if all.len()? == 0 {
            let name = of_class(dataset)?.get().schema_of().name.clone();
            return Err(Error::parse(format!("there is no {name} on it")).at_url(self.0.url().as_str()).into());
        }
        Ok(all.get_item(0)?)
    }

    /// The page's root, as parsel's selectors know it.
    fn _root(&self) -> PyNode {
        PyNode::root(self.0.clone())
    }

    fn __repr__(&self) -> String {
        format!("<Page {} {}>", self.0.status(), self.0.url())
    }
}

/// An answer as it came, whatever it is.
#[pyclass(frozen, module = "crawlingo", name = "Response")]
pub(crate) struct PyResponse(Arc<Response>);

impl PyResponse {
    pub(crate) fn new(response: Response) -> Self {
        Self(Arc::new(response))
    }
}

#[pymethods]
impl PyResponse {
    /// The status, such as 200.
    #[getter]
    fn status(&self) -> u16 {
        self.0.status.as_u16()
    }

    /// The address, after redirects.
    #[getter]
    fn url<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        imported!(py, "crawlingo.types", "Url")?.call1((self.0.url.as_str(),))
    }

    /// The addresses that redirected, the first of them first.
    #[getter]
    fn redirects(&self) -> Vec<String> {
        self.0.redirects.iter().map(ToString::to_string).collect()
    }

    /// The headers, by their names in lower case.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        headers(py, &self.0.headers)
    }

    /// The bytes of the body, decompressed.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.bytes())
    }

    /// How many seconds it took.
    #[getter]
    fn elapsed(&self) -> f64 {
        self.0.elapsed.as_secs_f64()
    }

    /// The body as JSON, whatever its content type.
    fn json<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let failed = |error: serde_json::Error| {
            Error::parse(format!("it is no JSON: {error}")).with_source(error).at_url(self.0.url.as_str())
        };
        let value: serde_json::Value = py.detach(|| serde_json::from_slice(self.0.bytes())).map_err(failed)?;
        Ok(pythonize::pythonize(py, &value)?)
    }

    fn __repr__(&self) -> String {
        format!("<Response {} {} of {} bytes>", self.0.status.as_u16(), self.0.url, self.0.bytes().len())
    }
}

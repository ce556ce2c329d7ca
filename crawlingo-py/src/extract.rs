//! Extraction without the network, and records as JSON again.

use crawlingo::dataset::Source;
use crawlingo::dom::{Document, ParseOptions};
use crawlingo::{Error, Page};
use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;

use crate::dataset::{DatasetType, of_class, of_instance, records};
use crate::errors::Result;

/// A page's text or bytes, held while the interpreter is let go.
pub(crate) enum Content {
    /// Text.
    Text(PyBackedStr),
    /// Bytes, whose encoding is found.
    Bytes(PyBackedBytes),
}

impl FromPyObject<'_, '_> for Content {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // A text with half of a surrogate pair is told by Python's own error.
        if object.is_instance_of::<PyString>() {
            return Ok(Self::Text(object.extract()?));
        }
        object.extract().map(Self::Bytes).map_err(|_| {
            let kind = object.get_type().name().map_or_else(|_| "it".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!("a page is a str or bytes, not {kind}"))
        })
    }
}

impl Content {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// A text has been decoded already, whatever its `<meta>` says.
    pub(crate) fn content_type(&self, said: Option<String>) -> Option<String> {
        let text = matches!(self, Self::Text(_));
        match said {
            Some(said) if text && !said.contains("charset") => Some(format!("{said}; charset=utf-8")),
            Some(said) => Some(said),
            None if text => Some("text/html; charset=utf-8".to_owned()),
            None => None,
        }
    }
}

/// All records of a dataset in HTML.
#[pyfunction]
#[pyo3(signature = (html, dataset, url, content_type, raise_errors))]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    html: Content,
    dataset: &Bound<'py, PyAny>,
    url: Option<String>,
    content_type: Option<String>,
    raise_errors: bool,
) -> Result<Bound<'py, PyAny>> {
    crate::logging::begin(py)?;
    let class = of_class(dataset)?;
    let extractor = class.get().extractor.clone();
    let said = html.content_type(content_type);
    // What is no HTML is a page's matter; an address that is none keeps relative ones from becoming absolute.
    let plain = said.as_ref().is_none_or(|said| said.contains("html"));
    let address = url.clone().or_else(|| (!plain).then(|| "about:blank".to_owned()));
    let extraction = py.detach(move || -> std::result::Result<_, Error> {
        match address {
            Some(url) => {
                let page = Page::from_bytes(html.bytes().to_vec(), said.as_deref(), &url)?;
                Ok(page.extract(&extractor))
            }
            None => {
                let mut options = ParseOptions::default();
                if let Some(said) = said {
                    options = options.content_type(said);
                }
                let document = Document::parse_bytes(html.bytes(), &options)?;
                Ok(extractor.extract(&Source::document(&document, None).at(jiff::Timestamp::now())))
            }
        }
    })?;
    records(py, &class, &extraction, url.as_deref(), raise_errors)
}

/// Records as JSON, as the command writes them.
#[pyfunction]
pub(crate) fn to_json(py: Python<'_>, items: Vec<Bound<'_, PyAny>>, lines: bool, indent: bool) -> Result<String> {
    let mut made = Vec::with_capacity(items.len());
    for item in &items {
        let class = of_instance(item)?.ok_or_else(|| Error::sdk(format!("{item} is no record of a dataset")))?;
        made.push(class.get().record_of(item)?);
    }
    let failed = |error: serde_json::Error| Error::sdk(format!("a record cannot be written as JSON: {error}"));
    let text = py.detach(|| match (lines, indent) {
        (true, _) => made.iter().map(|record| serde_json::to_string(record).map(|line| line + "\n")).collect(),
        (false, true) => serde_json::to_string_pretty(&made),
        (false, false) => serde_json::to_string(&made),
    });
    Ok(text.map_err(failed)?)
}

/// The cells of records for a table of text: names, then a list of cells for each record. Lists and nested records
/// stand in their cells as JSON.
#[pyfunction]
pub(crate) fn to_cells(class: &Bound<'_, DatasetType>, items: Vec<Bound<'_, PyAny>>) -> Result<Vec<Vec<String>>> {
    use crawlingo::value::Value;
    let names = class.get().schema_of().fields.iter().map(|field| field.name.clone()).collect();
    let mut rows = vec![names];
    for item in &items {
        let record = class.get().record_of(item)?;
        let cells = record.values().iter().map(|value| match value {
            Value::List(_) | Value::Record(_) => serde_json::to_string(value).unwrap_or_default(),
            other => other.to_string(),
        });
        rows.push(cells.collect());
    }
    Ok(rows)
}

/// A record as plain JSON values.
#[pyfunction]
pub(crate) fn to_plain<'py>(py: Python<'py>, item: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    let class = of_instance(item)?.ok_or_else(|| Error::sdk(format!("{item} is no record of a dataset")))?;
    let record = class.get().record_of(item)?;
    Ok(pythonize::pythonize(py, &record)?)
}

/// Checks the expression of a selector, given with the keys of the schema files, and gives it back.
#[pyfunction]
pub(crate) fn check_selector(selector: &Bound<'_, PyAny>) -> Result<()> {
    let value: serde_json::Value = pythonize::depythonize(selector)?;
    let schema = serde_json::json!({ "name": "selector", "fields": { "value": value } });
    let serde_json::Value::Object(map) = schema else { return Ok(()) };
    let schema = crawlingo::schema::Schema::from_map(map)?;
    for selector in schema.fields.iter().flat_map(|field| &field.selectors) {
        selector.check()?;
    }
    Ok(())
}

/// The candidate that was probably meant.
#[pyfunction]
pub(crate) fn suggest(name: &str, candidates: Vec<String>) -> Option<String> {
    crawlingo::schema::suggest(name, candidates.iter().map(String::as_str)).map(str::to_owned)
}

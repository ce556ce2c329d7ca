//! Elements of a page, and lists of them.

use crawlingo::Page;
use crawlingo::dom::{Element, Node, NodeId};
use crawlingo::schema::{Take, css, pattern};
use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice};

use crate::errors::Result;
use crate::nodes::xpath_to_py;

/// An element of a page.
#[pyclass(frozen, module = "crawlingo", name = "Element", eq, hash)]
#[derive(Clone)]
pub(crate) struct PyElement {
    page: Page,
    id: NodeId,
}

impl PartialEq for PyElement {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.page.document(), other.page.document())
    }
}

impl std::hash::Hash for PyElement {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.id.get(), std::ptr::from_ref(self.page.document()).addr()).hash(state);
    }
}

impl PyElement {
    pub(crate) fn make(page: &Page, id: NodeId) -> Self {
        Self { page: page.clone(), id }
    }

    fn with<'s, T>(&'s self, call: impl FnOnce(Element<'s>) -> T) -> Result<T> {
        // It was an element when this was made, and a page does not change.
        let element = self.page.document().node(self.id).and_then(Node::as_element);
        element.map(call).ok_or_else(|| crawlingo::Error::sdk("the element is gone").into())
    }

    fn near(&self, found: Option<Element<'_>>) -> Option<Self> {
        found.map(|element| Self::make(&self.page, element.id()))
    }
}

/// A list of elements.
pub(crate) fn list<'py>(
    py: Python<'py>,
    page: &Page,
    ids: Vec<NodeId>,
    take: Option<Take>,
) -> Result<Bound<'py, PyAny>> {
    Ok(PyElementList { page: page.clone(), ids, take }.into_pyobject(py)?.into_any())
}

#[pymethods]
impl PyElement {
    /// The tag's name.
    #[getter]
    fn tag(&self) -> Result<String> {
        self.with(|element| element.tag().to_owned())
    }

    /// The visible text.
    #[getter]
    fn text(&self, py: Python<'_>) -> Result<String> {
        py.detach(|| self.with(Element::text))
    }

    /// The element's own text, without that of its children.
    #[getter]
    fn own_text(&self) -> Result<String> {
        self.with(Element::own_text)
    }

    /// All text as it stands in the source, hidden or not.
    #[getter]
    fn raw_text(&self) -> Result<String> {
        self.with(Element::raw_text)
    }

    /// The HTML inside of it.
    #[getter]
    fn html(&self, py: Python<'_>) -> Result<String> {
        py.detach(|| self.with(Element::html))
    }

    /// The HTML with the element itself.
    #[getter]
    fn outer_html(&self, py: Python<'_>) -> Result<String> {
        py.detach(|| self.with(Element::outer_html))
    }

    /// The content as Markdown.
    #[getter]
    fn markdown(&self, py: Python<'_>) -> Result<String> {
        py.detach(|| self.with(Element::markdown))
    }

    /// The attributes, in the order of the source.
    #[getter]
    fn attrs<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        self.with(|element| element.attrs().try_for_each(|(name, value)| found.set_item(name, value)))??;
        Ok(found)
    }

    /// An attribute, or `default` if there is none.
    #[pyo3(signature = (name, default = None))]
    fn get(&self, name: &str, default: Option<String>) -> Result<Option<String>> {
        self.with(|element| element.attr(name).map(str::to_owned).or(default))
    }

    fn __getitem__(&self, name: &str) -> Result<String> {
        let found = self.with(|element| element.attr(name).map(str::to_owned))?;
        Ok(found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?)
    }

    fn __contains__(&self, name: &str) -> Result<bool> {
        self.with(|element| element.attr(name).is_some())
    }

    /// The classes, in the order of the source.
    #[getter]
    fn classes(&self) -> Result<Vec<String>> {
        self.with(|element| element.classes().map(str::to_owned).collect())
    }

    /// The elements below it that a CSS selector finds.
    fn css<'py>(&self, py: Python<'py>, selector: &str) -> Result<Bound<'py, PyAny>> {
        let selector = css::parse(selector)?;
        let ids = py.detach(|| self.with(|element| element.select(&selector).map(Element::id).collect()))?;
        list(py, &self.page, ids, selector.take().cloned())
    }

    /// What an XPath expression finds from it: `.//a` looks below it, `//a` in the whole document.
    #[pyo3(signature = (expression, **variables))]
    fn xpath<'py>(
        &self,
        py: Python<'py>,
        expression: &str,
        variables: Option<&Bound<'py, PyDict>>,
    ) -> Result<Bound<'py, PyAny>> {
        xpath_to_py(py, &self.page, self.id, expression, variables)
    }

    /// What a regular expression finds in its visible text: the first group, or the whole match.
    fn re(&self, py: Python<'_>, expression: &str) -> Result<Vec<String>> {
        let pattern = pattern::parse(expression)?;
        py.detach(|| {
            self.with(|element| {
                let text = element.text();
                crawlingo::select::regex::find_all(&pattern, &text).map(str::to_owned).collect()
            })
        })
    }

    /// Whether a CSS selector matches it.
    fn matches(&self, selector: &str) -> Result<bool> {
        let selector = css::parse(selector)?;
        self.with(|element| element.matches(&selector))
    }

    /// The nearest element around it, itself included, that a CSS selector matches.
    fn closest(&self, selector: &str) -> Result<Option<Self>> {
        let selector = css::parse(selector)?;
        self.with(|element| self.near(element.closest(&selector)))
    }

    /// The element around it.
    #[getter]
    fn parent(&self) -> Result<Option<Self>> {
        self.with(|element| self.near(element.parent()))
    }

    /// The elements in it.
    #[getter]
    fn children<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let ids = self.with(|element| element.children().map(Element::id).collect())?;
        list(py, &self.page, ids, None)
    }

    /// The next element with the same parent.
    #[getter]
    fn next(&self) -> Result<Option<Self>> {
        self.with(|element| self.near(element.next()))
    }

    /// The element before it with the same parent.
    #[getter]
    fn previous(&self) -> Result<Option<Self>> {
        self.with(|element| self.near(element.prev()))
    }

    /// The rows of a table as dictionaries, by the names of its columns; `None` if it is no table.
    fn table(&self, py: Python<'_>) -> Result<Option<Vec<std::collections::BTreeMap<String, String>>>> {
        py.detach(|| {
            self.with(|element| {
                let table = element.table()?;
                Some(table.rows().map(|row| row.to_pairs().into_iter().collect()).collect())
            })
        })
    }

    fn __repr__(&self) -> Result<String> {
        self.with(|element| format!("{element:?}"))
    }

    fn __str__(&self, py: Python<'_>) -> Result<String> {
        self.text(py)
    }
}

/// Elements in document order, and what the selector takes of each (`::text`, `::attr(name)`).
#[pyclass(frozen, module = "crawlingo", name = "ElementList", sequence)]
pub(crate) struct PyElementList {
    page: Page,
    ids: Vec<NodeId>,
    take: Option<Take>,
}

impl PyElementList {
    fn elements(&self) -> impl DoubleEndedIterator<Item = Element<'_>> {
        self.ids.iter().filter_map(|id| self.page.document().node(*id).and_then(Node::as_element))
    }

    fn take_of(&self, element: Element<'_>) -> Option<String> {
        match &self.take {
            Some(Take::OwnText) => Some(element.own_text()),
            Some(Take::Attr(name)) => element.attr(name).map(str::to_owned),
            _ => Some(element.text()),
        }
    }
}

#[pymethods]
impl PyElementList {
    fn __len__(&self) -> usize {
        self.ids.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        if let Ok(slice) = at.cast::<PySlice>() {
            let bounds = slice.indices(isize::try_from(self.ids.len()).unwrap_or(isize::MAX))?;
            let steps = std::iter::successors(Some(bounds.start), |at| Some(at + bounds.step));
            let picked = steps.take(bounds.slicelength).filter_map(|at| self.ids.get(usize::try_from(at).ok()?));
            return list(py, &self.page, picked.copied().collect(), self.take.clone());
        }
        let at: isize = at.extract()?;
        let place = if at < 0 { at.checked_add_unsigned(self.ids.len()) } else { Some(at) };
        let id = place.and_then(|at| self.ids.get(usize::try_from(at).ok()?)).copied();
        let id = id.ok_or_else(|| {
            PyIndexError::new_err(format!("there are {} elements, and this asks for number {at}", self.ids.len()))
        })?;
        Ok(PyElement::make(&self.page, id).into_pyobject(py)?.into_any())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let all = self.ids.iter().map(|id| PyElement::make(&self.page, *id).into_pyobject(py));
        let all = all.collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, all)?.try_iter()?.into_any())
    }

    /// The first element, `None` if there are none.
    #[getter]
    fn first(&self) -> Option<PyElement> {
        self.ids.first().map(|id| PyElement::make(&self.page, *id))
    }

    /// What the selector takes of the first element that has it: its visible text, or what `::text` or `::attr()` says.
    #[pyo3(signature = (default = None))]
    fn get(&self, py: Python<'_>, default: Option<String>) -> Option<String> {
        py.detach(|| self.elements().find_map(|element| self.take_of(element))).or(default)
    }

    /// What the selector takes of each element.
    fn getall(&self, py: Python<'_>) -> Vec<String> {
        py.detach(|| self.elements().filter_map(|element| self.take_of(element)).collect())
    }

    /// An attribute of each element that has it.
    fn attr(&self, name: &str) -> Vec<String> {
        self.elements().filter_map(|element| element.attr(name).map(str::to_owned)).collect()
    }

    /// The elements below these that a CSS selector finds, each once.
    fn css<'py>(&self, py: Python<'py>, selector: &str) -> Result<Bound<'py, PyAny>> {
        let selector = css::parse(selector)?;
        let ids = py.detach(|| {
            let found =
                self.elements().flat_map(|element| element.select(&selector).map(Element::id).collect::<Vec<_>>());
            // Ids are in the order of the document.
            let mut ids: Vec<NodeId> = found.collect();
            ids.sort_unstable_by_key(|id| id.get());
            ids.dedup();
            ids
        });
        list(py, &self.page, ids, selector.take().cloned())
    }

    /// What a regular expression finds in the text of each.
    fn re(&self, py: Python<'_>, expression: &str) -> Result<Vec<String>> {
        let pattern = pattern::parse(expression)?;
        Ok(py.detach(|| {
            let texts = self.elements().filter_map(|element| self.take_of(element));
            let found = texts.flat_map(|text| {
                crawlingo::select::regex::find_all(&pattern, &text).map(str::to_owned).collect::<Vec<_>>()
            });
            found.collect()
        }))
    }

    fn __repr__(&self) -> String {
        match (self.ids.len(), self.elements().next()) {
            (count, Some(first)) => format!("<{count} elements, the first {first:?}>"),
            (_, None) => "<no elements>".to_owned(),
        }
    }
}

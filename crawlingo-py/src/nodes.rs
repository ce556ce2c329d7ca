//! What an expression found on a page, for Python: elements, and texts as they are.

use crawlingo::Page;
use crawlingo::dom::{Element, Node, NodeId};
use crawlingo::schema::css::CssSelector;
use crawlingo::schema::{Take, css, xpath};
use crawlingo::select::xpath::{Variable, Variables, XPathNode, XPathValue, evaluate};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt};

use crate::element::PyElement;
use crate::errors::Result;

/// A place on a page.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// A node of the tree.
    Node(NodeId),
    /// An attribute of an element, by its position.
    Attribute(NodeId, usize),
    /// A text that stands nowhere.
    Text(String),
}

impl Place {
    pub(crate) fn of(node: &XPathNode<'_>) -> Self {
        match node {
            XPathNode::Node(node) => Self::Node(node.id()),
            XPathNode::Attribute { element, index } => Self::Attribute(element.id(), *index),
            other => Self::Text(other.text().into_owned()),
        }
    }
}

/// Variables of an expression, of a dictionary.
fn variables(given: Option<&Bound<'_, PyDict>>) -> Result<Variables> {
    let mut variables = Variables::new();
    for (name, value) in given.iter().flat_map(|given| given.iter()) {
        let name: String = name.extract()?;
        let value = if value.is_instance_of::<PyBool>() {
            Variable::Boolean(value.extract()?)
        } else if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
            Variable::Number(value.extract()?)
        } else {
            Variable::Text(value.str()?.to_string())
        };
        variables = variables.with(name, value);
    }
    Ok(variables)
}

/// What an expression gives, as Python has it: elements where all nodes are such, else texts among them; or one value.
pub(crate) fn xpath_to_py<'py>(
    py: Python<'py>,
    page: &Page,
    from: NodeId,
    expression: &str,
    given: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>> {
    let (expression, variables) = (xpath::parse(expression)?, variables(given)?);
    let Some(node) = page.document().node(from) else { return Ok(py.None().into_bound(py)) };
    // The parts of an answer borrow from the page, so that they are made into places while it is let go.
    let value = py.detach(|| -> std::result::Result<_, crawlingo::Error> {
        Ok(match evaluate(&expression, node, &variables)? {
            XPathValue::Nodes(nodes) => Answer::Places(nodes.iter().map(Place::of).collect()),
            XPathValue::Number(number) => Answer::Number(number),
            XPathValue::Boolean(flag) => Answer::Boolean(flag),
            other => Answer::Text(other.text()),
        })
    })?;
    Ok(match value {
        Answer::Number(number) => PyFloat::new(py, number).into_any(),
        Answer::Boolean(flag) => PyBool::new(py, flag).to_owned().into_any(),
        Answer::Text(text) => text.into_pyobject(py).map_err(PyErr::from)?.into_any(),
        Answer::Places(places) => {
            let all = places.iter().map(|place| as_element(page, place)).collect::<Option<Vec<_>>>();
            match all {
                Some(elements) => crate::element::list(py, page, elements, None)?,
                None => {
                    let items = places.into_iter().map(|place| match as_element(page, &place) {
                        Some(id) => Ok(PyElement::make(page, id).into_pyobject(py)?.into_any()),
                        None => Ok(text_of(page, &place).into_pyobject(py).map_err(PyErr::from)?.into_any()),
                    });
                    let items = items.collect::<PyResult<Vec<_>>>()?;
                    pyo3::types::PyList::new(py, items)?.into_any()
                }
            }
        }
    })
}

enum Answer {
    Places(Vec<Place>),
    Number(f64),
    Boolean(bool),
    Text(String),
}

fn as_element(page: &Page, place: &Place) -> Option<NodeId> {
    let Place::Node(id) = place else { return None };
    page.document().node(*id).and_then(Node::as_element).map(Element::id)
}

fn text_of(page: &Page, place: &Place) -> String {
    match place {
        Place::Text(text) => text.clone(),
        Place::Node(id) => {
            page.document().node(*id).map(|node| XPathNode::from(node).text().into_owned()).unwrap_or_default()
        }
        Place::Attribute(id, index) => {
            let element = page.document().node(*id).and_then(Node::as_element);
            let value = element.and_then(|element| element.attrs().nth(*index).map(|(_, value)| value.to_owned()));
            value.unwrap_or_default()
        }
    }
}

/// A node as parsel's selectors know it. `crawlingo.parsel` is made of these.
#[pyclass(frozen, module = "crawlingo._crawlingo", name = "Node")]
pub(crate) struct PyNode {
    page: Page,
    place: Place,
}

impl PyNode {
    pub(crate) fn root(page: Page) -> Self {
        Self { page, place: Place::Node(NodeId::DOCUMENT) }
    }

    fn node(&self) -> Option<Node<'_>> {
        match &self.place {
            Place::Node(id) => self.page.document().node(*id),
            _ => None,
        }
    }

    fn at(&self, place: Place) -> Self {
        Self { page: self.page.clone(), place }
    }
}

/// `p ::text` and `p *::text` take the texts of `p` itself too, by parsel's way to XPath: the selector without the gap,
/// and whether there is one.
fn without_gap(selector: &str) -> (String, bool) {
    let Some(at) = selector.rfind("::") else { return (selector.to_owned(), false) };
    let (before, take) = selector.split_at(at);
    let front = before.strip_suffix('*').unwrap_or(before);
    let plain = front.trim_end();
    let gap =
        plain.len() < front.len() && !plain.is_empty() && !plain.ends_with(['>', '+', '~']) && !plain.contains(',');
    if gap { (format!("{plain}{take}"), true) } else { (selector.to_owned(), false) }
}

/// What a selector finds below a node, and at it; `deep` adds what is inside of that. Of `::text` each text node by
/// itself is found, of `::attr` each attribute.
fn select(node: Node<'_>, selector: &CssSelector, deep: bool) -> Vec<Place> {
    let mut elements: Vec<Element<'_>> = match node.as_element() {
        Some(element) => {
            let own = element.matches(selector).then_some(element);
            own.into_iter().chain(element.select(selector)).collect()
        }
        None => node.document().select(selector).collect(),
    };
    if deep {
        let inner = elements.iter().flat_map(|element| std::iter::once(*element).chain(element.descendants()));
        elements = inner.collect();
        elements.sort_unstable_by_key(|element| element.id());
        elements.dedup();
        if !matches!(selector.take(), Some(Take::Attr(_))) {
            // All texts, in the order in which they stand.
            let mut texts: Vec<NodeId> = elements
                .iter()
                .flat_map(|element| element.node().children().filter(|node| node.as_text().is_some()))
                .map(Node::id)
                .collect();
            texts.sort_unstable();
            return texts.into_iter().map(Place::Node).collect();
        }
    }
    let found = elements.into_iter().flat_map(|element| match selector.take() {
        None => vec![Place::Node(element.id())],
        Some(Take::Attr(name)) => {
            let at = element.attrs().position(|(own, _)| own.eq_ignore_ascii_case(name));
            at.map(|at| Place::Attribute(element.id(), at)).into_iter().collect()
        }
        Some(_) => {
            let texts = element.node().children().filter(|node| node.as_text().is_some());
            texts.map(|node| Place::Node(node.id())).collect()
        }
    });
    found.collect()
}

#[pymethods]
impl PyNode {
    /// What a CSS selector finds below it, and at it.
    fn css(&self, py: Python<'_>, selector: &str) -> Result<Vec<Self>> {
        let (plain, deep) = without_gap(selector);
        // What does not parse is told of the selector as it was written.
        let selector =
            if deep { css::parse(selector).and_then(|_| css::parse(&plain))? } else { css::parse(selector)? };
        let Some(node) = self.node() else { return Ok(Vec::new()) };
        let found = py.detach(|| select(node, &selector, deep));
        Ok(found.into_iter().map(|place| self.at(place)).collect())
    }

    /// What an XPath expression finds from it; a number, a text or a truth value is one text.
    #[pyo3(signature = (expression, variables_given = None))]
    fn xpath(
        &self,
        py: Python<'_>,
        expression: &str,
        variables_given: Option<&Bound<'_, PyDict>>,
    ) -> Result<Vec<Self>> {
        let (expression, variables) = (xpath::parse(expression)?, variables(variables_given)?);
        let document = self.page.document();
        let found = py.detach(|| -> std::result::Result<Vec<Place>, crawlingo::Error> {
            let context = match &self.place {
                Place::Node(id) => document.node(*id).map(XPathNode::from),
                Place::Attribute(id, index) => {
                    let element = document.node(*id).and_then(Node::as_element);
                    element.map(|element| XPathNode::Attribute { element, index: *index })
                }
                Place::Text(text) => Some(XPathNode::Made(text.clone())),
            };
            let Some(context) = context else { return Ok(Vec::new()) };
            Ok(match evaluate(&expression, context, &variables)? {
                XPathValue::Nodes(nodes) => nodes.iter().map(Place::of).collect(),
                // As lxml's numbers and truth values read in Python.
                XPathValue::Boolean(flag) => vec![Place::Text(if flag { "1" } else { "0" }.to_owned())],
                XPathValue::Number(number) => vec![Place::Text(format!("{number:?}"))],
                other => vec![Place::Text(other.text())],
            })
        })?;
        Ok(found.into_iter().map(|place| self.at(place)).collect())
    }

    /// The HTML of an element, the value of anything else.
    fn get(&self, py: Python<'_>) -> String {
        py.detach(|| match self.node() {
            Some(node) => match node.as_element() {
                Some(element) => element.outer_html(),
                None if node.id() == NodeId::DOCUMENT => self.page.html(),
                None => text_of(&self.page, &self.place),
            },
            None => text_of(&self.page, &self.place),
        })
    }

    /// The attributes of an element, or of the root of a document.
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(py);
        let root = || self.page.document().root_element();
        let element = self.node().and_then(|node| node.as_element().or_else(root));
        for (name, value) in element.iter().flat_map(|element| element.attrs()) {
            found.set_item(name, value)?;
        }
        Ok(found)
    }
}

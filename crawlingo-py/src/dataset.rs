//! A Python class as a dataset: the compiled schema, and how a record becomes an instance and an instance a record.

use std::sync::Arc;

use crawlingo::dataset::{Extraction, Extractor, Record, Source};
use crawlingo::dom::Document;
use crawlingo::schema::{Schema, record_json_schema};
use crawlingo::value::Value;
use crawlingo::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use crate::errors::{Failure, Result, user};
use crate::values::{bare, from_py, imported, to_py};

/// How a field of the class takes its value.
struct Slot {
    /// The attribute's name.
    attr: Py<PyString>,
    /// The class of a nested record.
    nested: Option<Py<PyAny>>,
    /// What is called with the value: a transform, an enumeration, a check.
    edge: Option<Py<PyAny>>,
    /// Whether it is called for each item of a list.
    each: bool,
    /// What a list becomes, if it does not stay one.
    container: Option<Py<PyAny>>,
}

/// A slot as the decorator gives it: attribute, nested class, edge, each, container.
type Given = (Py<PyString>, Option<Py<PyAny>>, Option<Py<PyAny>>, bool, Option<Py<PyAny>>);

/// How instances are made.
enum Make {
    /// Attributes are set, and no code of the class runs.
    Bare,
    /// The class is called with its fields as keywords.
    Call,
}

/// A class that is a dataset. The decorator makes one and keeps it as `__crawlingo__`.
#[pyclass(frozen, module = "crawlingo._crawlingo", weakref)]
pub(crate) struct DatasetType {
    pub(crate) extractor: Arc<Extractor>,
    class: Py<PyType>,
    slots: Vec<Slot>,
    make: Make,
}

/// The dataset that a class is.
pub(crate) fn of_class<'py>(class: &Bound<'py, PyAny>) -> Result<Bound<'py, DatasetType>> {
    let py = class.py();
    if let Ok(found) = class.getattr(pyo3::intern!(py, "__crawlingo__"))
        && let Ok(own) = found.cast_into::<DatasetType>()
        // A class that inherits from a dataset has fields of its own, of which its parent knows nothing.
        && own.get().class.bind(py).is(class)
    {
        return Ok(own);
    }
    let name = class.getattr("__name__").map_or_else(|_| class.to_string(), |name| name.to_string());
    let message = format!("`{name}` is no dataset; decorate the class with `@dataset`");
    Err(Failure::Core(Error::config("dataset", message)))
}

/// The dataset that an instance's class is, if it is one.
pub(crate) fn of_instance<'py>(object: &Bound<'py, PyAny>) -> Result<Option<Bound<'py, DatasetType>>> {
    let found = object.get_type().getattr_opt(pyo3::intern!(object.py(), "__crawlingo__"))?;
    Ok(found.and_then(|found| found.cast_into::<DatasetType>().ok()))
}

#[pymethods]
impl DatasetType {
    /// `slots` holds one for each field of the schema.
    #[new]
    fn new(schema: &Bound<'_, PyDict>, class: Bound<'_, PyType>, slots: Vec<Given>, call: bool) -> Result<Self> {
        let serde_json::Value::Object(map) = pythonize::depythonize(schema.as_any())? else {
            return Err(Error::sdk("a schema is a dictionary").into());
        };
        let schema = Schema::from_map(map)?;
        let extractor = Arc::new(Extractor::new(&schema)?);
        let slots =
            slots.into_iter().map(|(attr, nested, edge, each, container)| Slot { attr, nested, edge, each, container });
        let make = if call { Make::Call } else { Make::Bare };
        Ok(Self { extractor, class: class.unbind(), slots: slots.collect(), make })
    }

    /// The schema's name.
    #[getter]
    fn name(&self) -> &str {
        &self.extractor.schema().name
    }

    /// The schema as a dictionary, with the keys of the schema files.
    fn schema<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(pythonize::pythonize(py, &self.extractor.schema().to_map())?)
    }

    /// The schema as TOML: what `crawlingo extract --schema` reads.
    fn schema_toml(&self) -> String {
        self.extractor.schema().to_toml()
    }

    /// The schema as JSON.
    fn schema_json(&self) -> String {
        self.extractor.schema().to_json()
    }

    /// The JSON Schema of a record.
    fn json_schema<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(pythonize::pythonize(py, &record_json_schema(self.extractor.schema()))?)
    }

    /// What the default of a field is as a value.
    fn default<'py>(&self, py: Python<'py>, at: usize) -> Result<Bound<'py, PyAny>> {
        let (Some(field), Some(slot)) = (self.schema_of().fields.get(at), self.slots.get(at)) else {
            return Err(Error::sdk("there is no such field").into());
        };
        let schema = Schema::builder(self.name()).field(field.clone()).build()?;
        let nothing = Document::parse("");
        let records = Extractor::new(&schema)?.extract(&Source::document(&nothing, None)).into_records()?;
        let value = records.first().and_then(|record| record.values().first()).unwrap_or(&Value::Null);
        slot.value(py, value)
    }

    fn __repr__(&self) -> String {
        format!("<dataset {} of {} fields>", self.name(), self.slots.len())
    }
}

impl DatasetType {
    pub(crate) fn schema_of(&self) -> &Arc<Schema> {
        self.extractor.schema()
    }

    /// Whether code in Python has a say in what a record becomes.
    pub(crate) fn needs_python(&self, py: Python<'_>) -> bool {
        let nested = |slot: &Slot| {
            let class = slot.nested.as_ref().map(|class| of_class(class.bind(py)));
            // One that holds itself is asked already.
            class.is_some_and(|class| {
                class.is_ok_and(|class| !class.get().class.is(&self.class) && class.get().needs_python(py))
            })
        };
        matches!(self.make, Make::Call) || self.slots.iter().any(|slot| slot.edge.is_some() || nested(slot))
    }

    /// An instance of a record.
    pub(crate) fn instance<'py>(&self, py: Python<'py>, record: &Record) -> Result<Bound<'py, PyAny>> {
        let class = self.class.bind(py);
        match self.make {
            Make::Call => {
                let attributes = PyDict::new(py);
                self.fill(&attributes, record)?;
                let made = class.call((), Some(&attributes));
                Ok(made.map_err(|error| self.at_record(error, record))?)
            }
            Make::Bare => {
                let made = bare(class.as_any())?;
                self.fill(&made.getattr(pyo3::intern!(py, "__dict__"))?.cast_into::<PyDict>()?, record)?;
                Ok(made)
            }
        }
    }

    fn fill(&self, attributes: &Bound<'_, PyDict>, record: &Record) -> Result<()> {
        let py = attributes.py();
        for (at, (slot, value)) in self.slots.iter().zip(record.values()).enumerate() {
            let made = slot.value(py, value).map_err(|failure| self.at_field(failure, record, at))?;
            attributes.set_item(slot.attr.bind(py), made)?;
        }
        Ok(())
    }

    /// The instances of an extraction's records, and the exceptions of those that could not be made.
    pub(crate) fn instances<'py>(
        &self,
        py: Python<'py>,
        extraction: &Extraction,
        url: Option<&str>,
    ) -> Result<(Bound<'py, PyList>, Vec<PyErr>)> {
        let made = PyList::empty(py);
        let mut failed = Vec::new();
        for error in &extraction.errors {
            failed.push(PyErr::from_value(crate::errors::exception(py, error)?));
        }
        for record in &extraction.records {
            match self.instance(py, record) {
                Ok(instance) => made.append(instance)?,
                Err(Failure::Core(error)) => failed.push(
                    Failure::Core(match url {
                        Some(url) => error.at_url(url),
                        None => error,
                    })
                    .into(),
                ),
                Err(Failure::Python(error)) => return Err(error.into()),
            }
        }
        Ok((made, failed))
    }

    /// The record of an instance.
    pub(crate) fn record_of(&self, instance: &Bound<'_, PyAny>) -> Result<Record> {
        let py = instance.py();
        let schema = self.extractor.schema();
        let mut values = Vec::with_capacity(self.slots.len());
        for (slot, field) in self.slots.iter().zip(&schema.fields) {
            values.push(from_py(&instance.getattr(slot.attr.bind(py))?, field)?);
        }
        Ok(Record::new(Arc::clone(schema), values))
    }

    fn at_field(&self, failure: Failure, record: &Record, at: usize) -> Failure {
        let error = match failure {
            Failure::Python(error) => error,
            Failure::Core(error) => return self.in_field(error, at),
        };
        // An interrupt is no fault of the value.
        if Python::attach(|py| !error.is_instance_of::<pyo3::exceptions::PyException>(py)) {
            return error.into();
        }
        let field = self.schema_of().fields.get(at);
        let user = user(error);
        let kind = ErrorKind::Extraction {
            url: None,
            dataset: self.schema_of().name.clone(),
            record: record.ordinal(),
            field: field.map_or_else(String::new, |field| field.name.clone()),
            selector: field
                .and_then(|field| field.selectors.first())
                .map_or_else(String::new, |first| first.query.expression().to_owned()),
            message: user.to_string(),
        };
        Failure::Core(Error::new(kind).with_source(user))
    }

    /// A nested record's error, with the path from here.
    fn in_field(&self, error: Error, at: usize) -> Failure {
        let outer = self.schema_of().fields.get(at).map_or("", |field| field.name.as_str());
        let ErrorKind::Extraction { url, record, field, selector, message, .. } = error.kind() else {
            return error.into();
        };
        let kind = ErrorKind::Extraction {
            url: url.clone(),
            dataset: self.schema_of().name.clone(),
            record: *record,
            field: format!("{outer}.{field}"),
            selector: selector.clone(),
            message: message.clone(),
        };
        Failure::Core(Error::new(kind).with_source(error))
    }

    /// What the class says to a whole record, such as pydantic's validation.
    fn at_record(&self, error: PyErr, record: &Record) -> Failure {
        if Python::attach(|py| !error.is_instance_of::<pyo3::exceptions::PyException>(py)) {
            return error.into();
        }
        let user = user(error);
        let kind = ErrorKind::Extraction {
            url: None,
            dataset: self.schema_of().name.clone(),
            record: record.ordinal(),
            field: "*".to_owned(),
            selector: String::new(),
            message: format!("the class refuses the record: {user}"),
        };
        Failure::Core(Error::new(kind).with_source(user))
    }
}

impl Slot {
    fn value<'py>(&self, py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>> {
        if self.nested.is_none() && self.edge.is_none() && self.container.is_none() {
            return to_py(py, value);
        }
        if value.is_null() {
            return to_py(py, value);
        }
        let made = match value {
            Value::List(values) => {
                let items = values.iter().map(|value| self.item(py, value)).collect::<Result<Vec<_>>>()?;
                let list = PyList::new(py, items)?.into_any();
                match &self.edge {
                    Some(edge) if !self.each => edge.bind(py).call1((list,))?,
                    _ => list,
                }
            }
            one => {
                let made = self.plain_or_nested(py, one)?;
                match &self.edge {
                    Some(edge) => edge.bind(py).call1((made,))?,
                    None => made,
                }
            }
        };
        match &self.container {
            Some(container) => Ok(container.bind(py).call1((made,))?),
            None => Ok(made),
        }
    }

    fn item<'py>(&self, py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>> {
        let made = self.plain_or_nested(py, value)?;
        match &self.edge {
            Some(edge) if self.each => Ok(edge.bind(py).call1((made,))?),
            _ => Ok(made),
        }
    }

    fn plain_or_nested<'py>(&self, py: Python<'py>, value: &Value) -> Result<Bound<'py, PyAny>> {
        match (&self.nested, value) {
            (Some(class), Value::Record(record)) => of_class(class.bind(py))?.get().instance(py, record),
            _ => to_py(py, value),
        }
    }
}

/// Makes `Records` of a list.
pub(crate) fn records<'py>(
    py: Python<'py>,
    class: &Bound<'py, DatasetType>,
    extraction: &Extraction,
    url: Option<&str>,
    raise: bool,
) -> Result<Bound<'py, PyAny>> {
    let (made, mut failed) = class.get().instances(py, extraction, url)?;
    if raise && !failed.is_empty() {
        return Err(failed.swap_remove(0).into());
    }
    let report = pythonize::pythonize(py, &extraction.report)?;
    let errors: Vec<_> = failed.into_iter().map(|error| error.into_value(py)).collect();
    let owner = class.get().class.bind(py);
    Ok(imported!(py, "crawlingo._records", "Records")?.call1((made, owner, report, errors))?)
}

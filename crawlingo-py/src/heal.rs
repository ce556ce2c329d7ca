//! Healing for Python: what happened, and the store.

use std::sync::Arc;

use crawlingo::Error;
use crawlingo::heal::{HealRow, HealStore, Proposal};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::Result;
use crate::values::imported;

/// What `on_heal` gets.
pub(crate) fn event<'py>(py: Python<'py>, row: &HealRow) -> Result<Bound<'py, PyAny>> {
    let known = PyDict::new(py);
    known.set_item("site", &row.key.site)?;
    known.set_item("dataset", &row.key.schema)?;
    known.set_item("field", &row.field)?;
    known.set_item("url", &row.url)?;
    known.set_item("outcome", &row.outcome)?;
    known.set_item("confidence", f64::from(row.confidence))?;
    known.set_item("selector", &row.selector)?;
    known.set_item("element", &row.element)?;
    known.set_item("at", row.at as f64 / 1_000.0)?;
    Ok(imported!(py, "crawlingo._heal", "Heal")?.call((), Some(&known))?)
}

/// Where fingerprints are kept; `crawlingo.HealStore` is made of it.
#[pyclass(frozen, module = "crawlingo._crawlingo", name = "HealStore", subclass)]
pub(crate) struct PyHealStore(pub(crate) Arc<dyn HealStore>);

fn proposals(py: Python<'_>, found: &[Proposal]) -> Result<Vec<Py<PyAny>>> {
    let mut made = Vec::new();
    for proposal in found {
        let value = serde_json::to_value(proposal).map_err(|error| Error::sdk(error.to_string()))?;
        let dict = pythonize::pythonize(py, &value)?;
        dict.set_item("id", proposal.id())?;
        made.push(dict.unbind());
    }
    Ok(made)
}

#[pymethods]
impl PyHealStore {
    #[new]
    fn new(folder: &Bound<'_, PyAny>) -> Result<Self> {
        Ok(Self(crate::session::store(folder)?))
    }

    /// What healed and what did not, the oldest first.
    fn history<'py>(&self, py: Python<'py>) -> Result<Vec<Bound<'py, PyAny>>> {
        let rows = py.detach(|| self.0.history())?;
        rows.iter().map(|row| event(py, row)).collect()
    }

    /// The proposals as dictionaries.
    fn proposals(&self, py: Python<'_>) -> Result<Vec<Py<PyAny>>> {
        let found = py.detach(|| self.0.list())?;
        proposals(py, &found)
    }

    /// Takes a proposal for good, by its id.
    fn approve(&self, py: Python<'_>, id: &str) -> Result<()> {
        let proposal = self.find(py, id)?;
        py.detach(|| self.0.approve(&proposal.key, &proposal.found.field))?;
        Ok(())
    }

    /// Rejects a proposal, by its id.
    fn reject(&self, py: Python<'_>, id: &str) -> Result<()> {
        let proposal = self.find(py, id)?;
        py.detach(|| self.0.reject(&proposal.key, &proposal.found.field))?;
        Ok(())
    }
}

impl PyHealStore {
    fn find(&self, py: Python<'_>, id: &str) -> Result<Proposal> {
        let found = py.detach(|| self.0.list())?;
        let one = found.into_iter().find(|proposal| proposal.id() == id);
        Ok(one.ok_or_else(|| Error::config("id", format!("no proposal is called {id:?}; `proposals()` lists them")))?)
    }
}

//! The extension module below the Python package `crawlingo`: what is fast or talks to the network. The classes that
//! people see are in `python/crawlingo`.

mod crawl;
mod dataset;
mod element;
mod errors;
mod extract;
mod form;
mod heal;
mod logging;
mod nodes;
mod page;
mod runtime;
mod session;
mod sink;
mod values;

use pyo3::prelude::*;

/// The engine below the package `crawlingo`.
#[pymodule]
mod _crawlingo {
    use super::*;

    #[pymodule_export]
    use super::crawl::{PyStream, check_spider, crawl_run, crawl_run_async, crawl_stream};
    #[pymodule_export]
    use super::dataset::DatasetType;
    #[pymodule_export]
    use super::element::{PyElement, PyElementList};
    #[pymodule_export]
    use super::extract::{check_selector, extract, suggest, to_cells, to_json, to_plain};

    #[pymodule_export]
    use super::form::PyForm;
    #[pymodule_export]
    use super::heal::PyHealStore;
    #[pymodule_export]
    use super::nodes::PyNode;
    #[pymodule_export]
    use super::page::{PyPage, PyResponse};
    #[pymodule_export]
    use super::session::PySession;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Runs the `crawlingo` command with arguments, the program's name first, and gives its exit code.
    #[pyfunction]
    fn command(py: Python<'_>, arguments: Vec<String>) -> u8 {
        py.detach(|| crawlingo_cli::run(arguments, &mut std::io::stdout().lock(), &mut std::io::stderr().lock()))
    }
}

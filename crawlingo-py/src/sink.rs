//! A sink behind Python: records become instances, are looked at by the caller's code, and become records again.

use crawlingo::Error;
use crawlingo::sink::{Checkpoint, Scraped, Sink};
use crawlingo::types::BoxFuture;
use pyo3::prelude::*;

use crate::crawl::{Classes, instance, stops};
use crate::dataset::of_instance;
use crate::errors::Failure;

pub(crate) struct PySink {
    inner: Box<dyn Sink>,
    classes: Classes,
    process: Option<Py<PyAny>>,
    failed: Py<PyAny>,
}

type Result<T> = std::result::Result<T, Error>;

impl PySink {
    pub(crate) fn new(inner: Box<dyn Sink>, classes: Classes, process: Option<Py<PyAny>>, failed: Py<PyAny>) -> Self {
        Self { inner, classes, process, failed }
    }

    fn through(&self, py: Python<'_>, scraped: &Scraped) -> std::result::Result<Option<Scraped>, Failure> {
        let url = scraped.origin.url.as_str();
        let mut item = match instance(py, &self.classes, scraped) {
            Ok(item) => item,
            Err(failure) => {
                self.failed.call1(py, (PyErr::from(failure).into_value(py), url))?;
                return Ok(None);
            }
        };
        if let Some(process) = &self.process {
            item = process.bind(py).call1((item, url))?;
            if item.is_none() {
                return Ok(None);
            }
        }
        let class = of_instance(&item)?.ok_or_else(|| {
            Error::sdk(format!("`process_item` gave {item}, which is no record of a dataset; give the item, or None"))
        })?;
        let record = class.get().record_of(&item)?;
        Ok(Some(Scraped::new(record, scraped.origin.clone())))
    }

    fn all(&self, records: &[Scraped]) -> Result<Vec<Scraped>> {
        let made = Python::try_attach(|py| {
            let made = records.iter().filter_map(|scraped| self.through(py, scraped).transpose());
            made.collect::<std::result::Result<Vec<_>, _>>().map_err(|failure| match failure {
                Failure::Core(error) => error,
                Failure::Python(error) => stops(error),
            })
        });
        made.unwrap_or_else(|| Err(Error::sdk("the interpreter has ended")))
    }
}

impl Sink for PySink {
    fn restore(&mut self, checkpoint: Option<&Checkpoint>) -> BoxFuture<'_, Result<()>> {
        self.inner.restore(checkpoint)
    }

    fn write<'s>(&'s mut self, records: &'s [Scraped]) -> BoxFuture<'s, Result<()>> {
        Box::pin(async move {
            // The caller's code may take its time; other work of this thread goes on elsewhere.
            let made = tokio::task::block_in_place(|| self.all(records))?;
            self.inner.write(&made).await
        })
    }

    fn prepare(&mut self) -> BoxFuture<'_, Result<Checkpoint>> {
        self.inner.prepare()
    }

    fn rollback(&mut self, to: &Checkpoint) -> BoxFuture<'_, Result<()>> {
        self.inner.rollback(to)
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner.finish()
    }
}

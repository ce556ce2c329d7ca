//! Collects errors, so that one compile shows them all.

use std::cell::RefCell;

use proc_macro2::Span;

/// The errors so far. Dropping it unasked is a fault of the macro itself.
pub(crate) struct Ctxt {
    errors: RefCell<Option<Vec<syn::Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    pub(crate) fn push(&self, error: syn::Error) {
        if let Some(errors) = self.errors.borrow_mut().as_mut() {
            errors.push(error);
        }
    }

    pub(crate) fn error(&self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// All errors as one, or none.
    pub(crate) fn check(self) -> Result<(), syn::Error> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        let mut errors = errors.into_iter();
        let Some(mut all) = errors.next() else { return Ok(()) };
        all.extend(errors);
        Err(all)
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.errors.borrow().is_some() {
            // Errors that nobody looks at would let a faulty struct through.
            panic!("the errors were not checked");
        }
    }
}

//! Fetching: one small trait and a stage for each concern, each wrapping the next.
//!
//! A request goes down the stack and its response comes back up; [`stack`] is the one place where the order is written:
//!
//! ```text
//! Deadline -> Redirect -> Cookies -> Decode -> Permit -> Guard -> Transport
//! ```
//!
//! Every hop of a redirect passes `Cookies`, pays a permit and is looked at by `Guard`.

mod cookies;
mod deadline;
mod decode;
mod guard;
mod permit;
mod redirect;
mod stack;
mod transport;

use crate::Error;
use crate::types::{BoxFuture, Request, Response};

pub use cookies::CookieJar;
pub use stack::stack;

/// A stage of the pipeline, or all of it.
pub trait Fetch: Send + Sync {
    /// Fetches a request.
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>>;
}

impl<F: Fetch + ?Sized> Fetch for std::sync::Arc<F> {
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        (**self).fetch(request)
    }
}

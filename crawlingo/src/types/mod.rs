//! What travels through the pipeline: requests, responses, and the enums that configuration and transport share.

mod headers;
mod profile;
mod request;
mod response;

pub use headers::Headers;
pub use profile::{HttpVersion, Profile, Tier};
pub use request::{Request, RequestOptions};
pub(crate) use response::status_error;
pub use response::{Body, BodyStream, Response};

/// A future that is boxed, so that traits with async functions stay object-safe.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

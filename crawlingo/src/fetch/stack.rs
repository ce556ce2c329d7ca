//! The order of the stages.

use std::sync::Arc;

use super::Fetch;
use super::cookies::{CookieJar, Cookies};
use super::deadline::Deadline;
use super::decode::Decode;
use super::guard::Guard;
use super::permit::Permit;
use super::redirect::Redirect;
use super::transport::Transport;
use crate::Error;
use crate::config::Config;

/// Builds the pipeline of a session. The stage that is named first sees a request first and its response last.
///
/// # Errors
/// When the configuration is wrong.
pub fn stack(config: &Arc<Config>, jar: &CookieJar) -> Result<Arc<dyn Fetch>, Error> {
    config.check()?;
    let transport = Transport::new(Arc::clone(config));
    let guard = Guard::new(transport, config.deny_private);
    let permit = Permit::new(guard, config.concurrency);
    let decode = Decode::new(permit, config.max_body_bytes);
    let cookies = Cookies::new(decode, config.cookies.then(|| jar.clone()));
    let redirect = Redirect::new(cookies, config.max_redirects);
    Ok(Arc::new(Deadline::new(redirect, config.timeout)))
}

//! Logging in, once at the start and again when a page shows that it is needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crawlingo_schema::css::CssSelector;
use crawlingo_schema::{Login, SpiderSpec, css};
use tokio::sync::Mutex;

use super::hooks::Hooks;
use crate::session::{Page, Session};
use crate::types::status_error;
use crate::{Error, ErrorKind};

/// How one is logged in. Of many pages that show the need at once, one logs in and the others wait for it.
pub(super) struct Logins {
    login: Option<Login>,
    hooks: Option<Arc<dyn Hooks>>,
    logged_out: Option<CssSelector>,
    /// Counts the logins.
    times: AtomicU64,
    one: Mutex<()>,
}

impl Logins {
    pub(super) fn new(spec: &SpiderSpec, hooks: Option<Arc<dyn Hooks>>) -> Result<Self, Error> {
        let logged_out = spec.logged_out.as_deref().map(css::parse).transpose()?;
        Ok(Self { login: spec.login.clone(), hooks, logged_out, times: AtomicU64::new(0), one: Mutex::new(()) })
    }

    /// How often it was logged in so far.
    pub(super) fn times(&self) -> u64 {
        self.times.load(Ordering::SeqCst)
    }

    /// Whether a page is one for those who are not logged in.
    pub(super) fn asks(&self, page: &Page) -> bool {
        self.logged_out.as_ref().is_some_and(|selector| page.document().select(selector).next().is_some())
    }

    /// Logs in, unless somebody did since `times`.
    pub(super) async fn login(&self, session: &Session, times: u64) -> Result<(), Error> {
        let _one = self.one.lock().await;
        if self.times() != times {
            return Ok(());
        }
        if let Some(login) = &self.login {
            send(login, session).await?;
        }
        if let Some(hooks) = &self.hooks {
            hooks.login(session).await?;
        }
        self.times.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

async fn send(login: &Login, session: &Session) -> Result<(), Error> {
    let page = session.page(&login.url).await?;
    let mut form = page.form(&login.form)?;
    for (name, value) in &login.fields {
        form = form.set(name, &filled(value)?)?;
    }
    let answer = form.submit(session).await?;
    let response = answer.response();
    if response.status.is_client_error() || response.status.is_server_error() {
        return Err(status_error(&response.url, response.status, &response.headers));
    }
    if let Some(expect) = &login.expect
        && answer.css(expect)?.is_empty()
    {
        let message = format!("logging in failed: the page that answers has nothing that matches {expect:?}");
        return Err(Error::new(ErrorKind::Extraction {
            url: Some(answer.url().to_string()),
            dataset: "login".to_owned(),
            record: 0,
            field: "expect".to_owned(),
            selector: expect.clone(),
            message,
        }));
    }
    Ok(())
}

/// Puts environment variables in for `${NAME}`.
fn filled(text: &str) -> Result<String, Error> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        let value = std::env::var(name).map_err(|_| {
            Error::config("login", format!("the environment variable {name} is not set, and a field is filled with it"))
        })?;
        out.push_str(before);
        out.push_str(&value);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in() {
        let path = std::env::var("PATH").expect("there is one");
        assert_eq!(filled("a${PATH}b${").expect("it is set"), format!("a{path}b${{"));
        let error = filled("${CRAWLINGO_NO_SUCH_VARIABLE}").expect_err("it is not set").to_string();
        assert!(error.contains("CRAWLINGO_NO_SUCH_VARIABLE"), "{error}");
    }
}

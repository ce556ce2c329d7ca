//! How one is logged in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{SchemaError, SchemaErrorKind, css};

/// A form that is filled and sent before the first page; its cookies stay with the session.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Login {
    /// The page with the form.
    pub url: String,
    /// A CSS selector of the form; the first one by default.
    #[serde(default = "first_form")]
    pub form: String,
    /// What is filled in. `${NAME}` stands for an environment variable, so that a file holds no secret.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// A CSS selector of what must stand on the page that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
}

fn first_form() -> String {
    "form".to_owned()
}

impl Login {
    /// A login by the first form of a page.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), form: first_form(), fields: BTreeMap::new(), expect: None }
    }

    pub(super) fn check(&self) -> Result<(), SchemaError> {
        if !self.url.starts_with("http://") && !self.url.starts_with("https://") {
            return Err(SchemaError::new(SchemaErrorKind::Value, format!("{:?} is no URL of http or https", self.url))
                .with_hint("write it with its scheme: https://example.org/login")
                .at("url"));
        }
        css::parse(&self.form).map_err(|error| error.at("form"))?;
        self.expect.iter().try_for_each(|expect| css::parse(expect).map(drop).map_err(|error| error.at("expect")))
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is filled in is nobody's to read.
        f.debug_struct("Login").field("url", &self.url).field("fields", &self.fields.keys()).finish_non_exhaustive()
    }
}

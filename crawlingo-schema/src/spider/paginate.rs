//! Pages that no link leads to: those that are counted, and those that a cursor names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{SchemaError, SchemaErrorKind, path, pattern};

/// How the next page is found where no link leads to it. It is asked for as long as pages have records.
///
/// ```
/// # use crawlingo_schema::Paginate;
/// let by_number = Paginate::url("https://shop.example/list?page={page}");
/// let by_address = Paginate::pattern(r"/page-(\d+)/");
/// let by_cursor = Paginate::cursor("https://shop.example/api?after={cursor}", "$.next");
/// for rule in [by_number, by_address, by_cursor] {
///     rule.check()?;
/// }
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Paginate {
    /// The address, with `{page}` or `{cursor}` in it, or in the body. Its first page is a start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Instead: a regular expression whose group is the number in the address of a page; the next page's address is the
    /// same with the next number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// The first number.
    pub first: u64,
    /// The last number; without one, until a page has no records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// By how much the number grows.
    pub step: u64,
    /// A JSONPath of the cursor in the response; there is no next page where it finds nothing, null or "".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// What is sent, by POST: `{page}` and `{cursor}` are replaced in it. In JSON, `"{cursor}"` with its quotes is replaced by
    /// the cursor as JSON, which is `null` the first time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Headers of the requests; with a body, `Content-Type` is `application/json` unless it is said here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether a page without records is the last one.
    pub stop_when_empty: bool,
}

/// Which of the three ways a [`Paginate`] goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageRule {
    /// A template with a number.
    Number,
    /// The number in a page's own address.
    Pattern,
    /// A cursor in the response.
    Cursor,
}

impl Default for Paginate {
    fn default() -> Self {
        Self {
            url: None,
            pattern: None,
            first: 1,
            last: None,
            step: 1,
            cursor: None,
            body: None,
            headers: BTreeMap::new(),
            stop_when_empty: true,
        }
    }
}

impl Paginate {
    /// Pages by number: `{page}` in the address.
    pub fn url(template: impl Into<String>) -> Self {
        Self { url: Some(template.into()), ..Self::default() }
    }

    /// Pages by the number in their own address: the group of a regular expression.
    pub fn pattern(pattern: impl Into<String>) -> Self {
        Self { pattern: Some(pattern.into()), ..Self::default() }
    }

    /// Pages by a cursor, which a JSONPath finds in the response, and which takes the place of `{cursor}`.
    pub fn cursor(template: impl Into<String>, path: impl Into<String>) -> Self {
        Self { url: Some(template.into()), cursor: Some(path.into()), ..Self::default() }
    }

    /// Which way it goes.
    ///
    /// # Errors
    /// When it says too little, or too much.
    pub fn rule(&self) -> Result<PageRule, SchemaError> {
        let has = |name: &str| {
            let name = format!("{{{name}}}");
            [&self.url, &self.body].into_iter().flatten().any(|text| text.contains(&name))
        };
        let wrong = |message: &str, hint: &str| {
            Err(SchemaError::new(SchemaErrorKind::Structure, message.to_owned()).with_hint(hint))
        };
        match (&self.url, &self.pattern, &self.cursor) {
            (Some(_), Some(_), _) => wrong("`url` and `pattern` are two ways", "keep one of them"),
            (None, None, _) => wrong("it has no address", "add `url = \"https://.../{page}\"`, or `pattern`"),
            (None, Some(_), Some(_)) => wrong("a cursor needs an address to put it in", "use `url` with `{cursor}`"),
            (None, Some(_), None) if self.body.is_some() => {
                wrong("`pattern` follows addresses and sends nothing", "use `url` with `body`")
            }
            (None, Some(_), None) => Ok(PageRule::Pattern),
            (Some(_), None, Some(_)) if has("cursor") => Ok(PageRule::Cursor),
            (Some(_), None, Some(_)) => wrong("`{cursor}` stands nowhere", "write it in `url` or in `body`"),
            (Some(_), None, None) if has("cursor") => {
                wrong("`{cursor}` is not known", "add `cursor = \"$.next\"`, its path in the response")
            }
            (Some(_), None, None) if has("page") => Ok(PageRule::Number),
            (Some(_), None, None) => wrong("`{page}` stands nowhere", "write it in `url` or in `body`"),
        }
    }

    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), SchemaError> {
        self.rule()?;
        if let Some(text) = &self.pattern {
            let pattern = pattern::parse(text).map_err(|error| error.at("pattern"))?;
            if pattern.captures_len() < 2 {
                return Err(SchemaError::new(SchemaErrorKind::Value, "the pattern has no group")
                    .with_hint(r"put the number in parentheses: `[?&]page=(\d+)`")
                    .at("pattern"));
            }
        }
        if let Some(cursor) = &self.cursor {
            path::parse_json(cursor).map_err(|error| error.at("cursor"))?;
        }
        if let Some(url) = &self.url
            && !url.starts_with("http://")
            && !url.starts_with("https://")
        {
            return Err(SchemaError::new(SchemaErrorKind::Value, format!("{url:?} is no URL of http or https"))
                .with_hint("write it with its scheme: https://example.org/list?page={page}")
                .at("url"));
        }
        if self.step == 0 {
            return Err(SchemaError::new(SchemaErrorKind::Value, "`step` is 0").with_hint("it is 1 or more"));
        }
        Ok(())
    }
}

//! A spider, as plain data: where it starts, what it takes of which pages, and which links it follows.

mod follow;
mod login;
mod paginate;
mod rate;

use serde::{Deserialize, Serialize};

pub use follow::FollowRule;
pub use login::Login;
pub use paginate::{PageRule, Paginate};
pub use rate::Rate;

use crate::{Schema, SchemaError, SchemaErrorKind, css, pattern, suggest};

const SPIDER_KEYS: &[&str] = &[
    "name",
    "start",
    "sitemap",
    "sitemap_since",
    "login",
    "logged_out",
    "items",
    "follow",
    "paginate",
    "allow",
    "deny",
    "hosts",
    "max_pages",
    "max_depth",
    "max_records",
    "max_bytes",
    "max_seconds",
    "max_pages_per_host",
    "max_pages_per_pattern",
    "concurrency",
    "concurrency_per_host",
    "adaptive",
    "rate_per_host",
    "robots",
    "meta_robots",
    "order",
    "on_invalid",
    "retries",
];

/// A whole spider. The derive macro emits it, TOML and JSON files hold it, and one engine runs it.
///
/// ```
/// # use crawlingo_schema::SpiderSpec;
/// let spider = SpiderSpec::from_toml(r#"
///     name = "books"
///     start = ["https://shop.example/"]
///     rate_per_host = "8/s"
///     max_pages = 10_000
///
///     [[follow]]
///     css = "li.next a"
///
///     [[items]]
///     on = "/book/"
///     [items.schema]
///     name = "Book"
///     [items.schema.fields]
///     title = "h1"
/// "#)?;
/// assert_eq!(spider.items[0].schema.fields[0].name, "title");
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SpiderSpec {
    /// The spider's name.
    pub name: String,
    /// The URLs that it starts from.
    pub start: Vec<String>,
    /// Whether the sitemaps of the start's sites are read for more pages.
    pub sitemap: bool,
    /// Only what a sitemap says was changed then or later, as `2026-05-01`; what it says nothing of is read.
    pub sitemap_since: Option<String>,
    /// How one is logged in before the first page.
    pub login: Option<Login>,
    /// A CSS selector of what stands only on pages for those who are not logged in: such a page is fetched once more after
    /// another login.
    pub logged_out: Option<String>,
    /// What is extracted, of which pages.
    pub items: Vec<ItemRule>,
    /// Which links are followed.
    pub follow: Vec<FollowRule>,
    /// Pages that are found by counting, or by a cursor.
    pub paginate: Vec<Paginate>,
    /// Only URLs that match one of these regular expressions are followed; empty: all.
    pub allow: Vec<String>,
    /// URLs that match one of these are not followed.
    pub deny: Vec<String>,
    /// The hosts that may be visited, with their subdomains; empty: those of the start, without.
    pub hosts: Vec<String>,
    /// The most pages that are fetched.
    pub max_pages: Option<u64>,
    /// The most links from a start to a page.
    pub max_depth: Option<u32>,
    /// The most records.
    pub max_records: Option<u64>,
    /// The most bytes of bodies.
    pub max_bytes: Option<u64>,
    /// The most seconds that a run takes.
    pub max_seconds: Option<u64>,
    /// The most pages of one host.
    pub max_pages_per_host: Option<u64>,
    /// The most pages of one host whose paths differ in numbers only, such as those of a calendar without end.
    pub max_pages_per_pattern: Option<u64>,
    /// How many pages are on their way at once.
    pub concurrency: usize,
    /// How many of them of one host.
    pub concurrency_per_host: usize,
    /// Whether fewer pages are asked for at once while the servers are slow or refuse.
    pub adaptive: bool,
    /// How often a host is asked: `8/s`, `30/m`, `500/h`; robots.txt may ask for less.
    pub rate_per_host: Option<Rate>,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
    /// Whether `nofollow` of a page's own `<meta name="robots">` or `X-Robots-Tag` is obeyed.
    pub meta_robots: bool,
    /// Which pages come first.
    pub order: Order,
    /// What becomes of records that miss a required field.
    pub on_invalid: OnInvalid,
    /// How often a page is tried again that failed in a way that may pass.
    pub retries: u32,
}

/// What is extracted of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ItemRule {
    /// The dataset.
    pub schema: Schema,
    /// Only of pages whose URL matches; none: of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
}

/// Which pages come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Order {
    /// Those fewest links from a start.
    #[default]
    Breadth,
    /// Those found last.
    Depth,
}

/// What becomes of records that miss a required field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OnInvalid {
    /// They are kept beside the output, with the reason.
    #[default]
    Quarantine,
    /// They are counted.
    Drop,
    /// The crawl ends.
    Fail,
}

impl Default for SpiderSpec {
    fn default() -> Self {
        Self {
            name: "spider".to_owned(),
            start: Vec::new(),
            sitemap: false,
            sitemap_since: None,
            login: None,
            logged_out: None,
            items: Vec::new(),
            follow: Vec::new(),
            paginate: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
            hosts: Vec::new(),
            max_pages: None,
            max_depth: None,
            max_records: None,
            max_bytes: None,
            max_seconds: None,
            max_pages_per_host: None,
            max_pages_per_pattern: None,
            concurrency: 16,
            concurrency_per_host: 8,
            adaptive: false,
            rate_per_host: None,
            robots: true,
            meta_robots: false,
            order: Order::Breadth,
            on_invalid: OnInvalid::Quarantine,
            retries: 3,
        }
    }
}

impl ItemRule {
    /// Of all pages.
    pub fn new(schema: Schema) -> Self {
        Self { schema, on: None }
    }

    /// Only of pages whose URL matches a regular expression.
    #[must_use]
    pub fn on(mut self, pattern: impl Into<String>) -> Self {
        self.on = Some(pattern.into());
        self
    }
}

/// `2026-05-01`, perhaps with a time behind it.
fn is_date(text: &str) -> bool {
    let day = text.get(..10).unwrap_or_default();
    let shape = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    day.len() == 10 && shape && matches!(text.as_bytes().get(10), None | Some(b'T'))
}

fn structure(message: impl Into<String>) -> SchemaError {
    SchemaError::new(SchemaErrorKind::Structure, message)
}

impl SpiderSpec {
    /// A spider of a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Reads a spider that is written in TOML, and checks it.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn from_toml(text: &str) -> Result<Self, SchemaError> {
        let value: serde_json::Value =
            toml::from_str(text).map_err(|error| structure(error.to_string().trim().to_owned()))?;
        Self::from_value(value)
    }

    /// Reads a spider that is written in JSON, and checks it.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn from_json(text: &str) -> Result<Self, SchemaError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| structure(error.to_string()))?;
        Self::from_value(value)
    }

    fn from_value(value: serde_json::Value) -> Result<Self, SchemaError> {
        let serde_json::Value::Object(map) = &value else { return Err(structure("a spider is a table")) };
        if let Some(key) = map.keys().find(|key| !SPIDER_KEYS.contains(&key.as_str())) {
            let error = SchemaError::new(SchemaErrorKind::UnknownKey, format!("unknown key `{key}`"));
            return Err(match suggest(key, SPIDER_KEYS.iter().copied()) {
                Some(meant) => error.with_hint(format!("did you mean `{meant}`?")),
                None => error.with_hint(format!("known keys: {}", SPIDER_KEYS.join(", "))),
            });
        }
        let spec: Self = serde_json::from_value(value).map_err(|error| structure(error.to_string()))?;
        spec.check()?;
        Ok(spec)
    }

    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn check(&self) -> Result<(), SchemaError> {
        self.check_parts().map_err(|error| error.at(self.name.clone()))
    }

    fn check_parts(&self) -> Result<(), SchemaError> {
        // A template of pages is a start of its own.
        if self.start.is_empty() && !self.paginate.iter().any(|rule| rule.url.is_some()) {
            return Err(structure("the spider starts nowhere").with_hint("add `start = [\"https://...\"]`"));
        }
        for start in &self.start {
            if !start.starts_with("http://") && !start.starts_with("https://") {
                return Err(SchemaError::new(SchemaErrorKind::Value, format!("{start:?} is no URL of http or https"))
                    .with_hint("write it with its scheme: https://example.org/")
                    .at("start"));
            }
        }
        for (at, rule) in self.paginate.iter().enumerate() {
            rule.check().map_err(|error| error.at(format!("paginate[{at}]")))?;
        }
        if let Some(login) = &self.login {
            login.check().map_err(|error| error.at("login"))?;
        }
        if let Some(selector) = &self.logged_out {
            css::parse(selector).map_err(|error| error.at("logged_out"))?;
        }
        if let Some(since) = &self.sitemap_since
            && !is_date(since)
        {
            return Err(SchemaError::new(SchemaErrorKind::Value, format!("{since:?} is no date"))
                .with_hint("write it as 2026-05-01")
                .at("sitemap_since"));
        }
        let takes_nothing = self.items.is_empty() && self.follow.is_empty() && self.paginate.is_empty();
        if takes_nothing && !self.sitemap {
            return Err(structure("the spider takes nothing and follows nothing")
                .with_hint("add `[[items]]` with a schema, or `[[follow]]` with a selector"));
        }
        let patterns = |place: &'static str, patterns: &[String]| -> Result<(), SchemaError> {
            patterns.iter().try_for_each(|text| pattern::parse(text).map(drop).map_err(|error| error.at(place)))
        };
        patterns("allow", &self.allow)?;
        patterns("deny", &self.deny)?;
        for item in &self.items {
            item.schema.check().map_err(|error| error.at("items"))?;
            patterns("items.on", item.on.as_slice())?;
        }
        for rule in &self.follow {
            rule.check_selector().map_err(|error| error.at("follow"))?;
            patterns("follow.allow", &rule.allow)?;
            patterns("follow.deny", &rule.deny)?;
        }
        for (key, value) in [("concurrency", self.concurrency), ("concurrency_per_host", self.concurrency_per_host)] {
            if !(1..=4096).contains(&value) {
                return Err(SchemaError::new(SchemaErrorKind::Value, format!("`{key}` is {value}"))
                    .with_hint("it is a number from 1 to 4096"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOKS: &str = r#"
        name = "books"
        start = ["https://shop.example/"]
        rate_per_host = "8/s"
        order = "depth"
        [[follow]]
        css = "li.next a"
        depth = 3
        priority = 2
        allow = ["/catalogue/"]
        [[items]]
        on = "/book/"
        [items.schema]
        name = "Book"
        [items.schema.fields]
        title = "h1"
    "#;

    #[test]
    fn reads_what_it_wrote() {
        let spec = SpiderSpec::from_toml(BOOKS).expect("it is right");
        assert_eq!((spec.follow[0].depth, spec.follow[0].priority, spec.order), (Some(3), 2, Order::Depth));
        let json = serde_json::to_string(&spec).expect("it is data");
        assert_eq!(SpiderSpec::from_json(&json).expect("it is right"), spec);
    }

    #[test]
    fn what_is_wrong_says_what_and_how_to_mend_it() {
        for (from, to, part) in [
            ("start = [\"https://shop.example/\"]", "", "starts nowhere"),
            ("https://shop.example/", "shop.example", "with its scheme"),
            ("\"8/s\"", "\"8 a second\"", "`30/m`"),
            ("order = \"depth\"", "order = \"deep\"", "unknown variant `deep`"),
            ("rate_per_host", "rate_per_hots", "did you mean `rate_per_host`?"),
            ("li.next a", "li.next >", "follow"),
            ("css = \"li.next a\"", "regex = \"x\"", "needs elements that link"),
            ("/book/", "(/book/", "items.on"),
            ("priority = 2", "priorty = 2", "priorty"),
            ("order =", "concurrency = 0\norder =", "from 1 to 4096"),
        ] {
            let error = SpiderSpec::from_toml(&BOOKS.replace(from, to)).expect_err(part).to_string();
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}

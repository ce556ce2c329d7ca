//! A spider, as plain data: where it starts, what it takes of which pages, and which links it follows.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::serial::{selector_from_value, selector_to_map};
use crate::{Query, Schema, SchemaError, SchemaErrorKind, Selector, Take, pattern, suggest};

const SPIDER_KEYS: &[&str] = &[
    "name",
    "start",
    "sitemap",
    "items",
    "follow",
    "allow",
    "deny",
    "hosts",
    "max_pages",
    "max_depth",
    "max_records",
    "max_seconds",
    "concurrency",
    "concurrency_per_host",
    "rate_per_host",
    "robots",
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
    /// What is extracted, of which pages.
    pub items: Vec<ItemRule>,
    /// Which links are followed.
    pub follow: Vec<FollowRule>,
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
    /// The most seconds that a run takes.
    pub max_seconds: Option<u64>,
    /// How many pages are on their way at once.
    pub concurrency: usize,
    /// How many of them of one host.
    pub concurrency_per_host: usize,
    /// How often a host is asked: `8/s`, `30/m`, `500/h`; robots.txt may ask for less.
    pub rate_per_host: Option<Rate>,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
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

/// Which links of a page are followed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FollowRule {
    /// The elements that link, or that hold what links.
    pub selector: Selector,
    /// Only URLs that match one of these; empty: all.
    pub allow: Vec<String>,
    /// No URLs that match one of these.
    pub deny: Vec<String>,
    /// Only from pages that lie fewer links than this from a start.
    pub depth: Option<u32>,
    /// Higher comes first; 0 unless said otherwise.
    pub priority: i32,
    /// Whether links that say `rel=nofollow` are left out.
    pub nofollow: bool,
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

/// How often something is done: a number and a unit, such as `8/s`, `30/m` or `500/h`.
///
/// ```
/// use std::time::Duration;
/// use crawlingo_schema::Rate;
/// let rate: Rate = "30/m".parse()?;
/// assert_eq!(rate.interval(), Duration::from_secs(2));
/// assert!("8 per second".parse::<Rate>().is_err());
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    count: f64,
    unit: char,
}

impl Rate {
    /// The time between two.
    pub fn interval(&self) -> Duration {
        let seconds = match self.unit {
            'm' => 60.0,
            'h' => 3600.0,
            _ => 1.0,
        };
        Duration::from_secs_f64(seconds / self.count)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.count, self.unit)
    }
}

impl FromStr for Rate {
    type Err = SchemaError;

    fn from_str(text: &str) -> Result<Self, SchemaError> {
        let bad = || {
            SchemaError::new(SchemaErrorKind::Value, format!("{text:?} is no rate"))
                .with_hint("write a number and a unit: `8/s`, `30/m` or `500/h`")
        };
        let (count, unit) = text.trim().split_once('/').ok_or_else(bad)?;
        let count: f64 = count.trim().parse().map_err(|_| bad())?;
        let unit = match unit.trim() {
            "s" | "sec" | "second" => 's',
            "m" | "min" | "minute" => 'm',
            "h" | "hour" => 'h',
            _ => return Err(bad()),
        };
        // Once in a day is the slowest that makes sense, a million a second the fastest.
        if !(1e-5..=1e6).contains(&count) {
            return Err(bad());
        }
        Ok(Self { count, unit })
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Default for SpiderSpec {
    fn default() -> Self {
        Self {
            name: "spider".to_owned(),
            start: Vec::new(),
            sitemap: false,
            items: Vec::new(),
            follow: Vec::new(),
            allow: Vec::new(),
            deny: Vec::new(),
            hosts: Vec::new(),
            max_pages: None,
            max_depth: None,
            max_records: None,
            max_seconds: None,
            concurrency: 16,
            concurrency_per_host: 8,
            rate_per_host: None,
            robots: true,
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

impl FollowRule {
    /// Follows what a selector finds.
    pub fn new(selector: Selector) -> Self {
        Self { selector, allow: Vec::new(), deny: Vec::new(), depth: None, priority: 0, nofollow: false }
    }
}

/// The keys of a rule beside those of its selector.
#[derive(Serialize, Deserialize, Default)]
#[serde(default)]
struct RuleKeys {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allow: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deny: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    priority: i32,
    nofollow: bool,
}

impl Serialize for FollowRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::Error as _;
        let Self { selector, allow, deny, depth, priority, nofollow } = self.clone();
        let keys = RuleKeys { allow, deny, depth, priority, nofollow };
        let mut all = selector_to_map(&selector);
        if let serde_json::Value::Object(keys) = serde_json::to_value(keys).map_err(S::Error::custom)? {
            all.extend(keys);
        }
        all.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FollowRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut map = serde_json::Map::deserialize(deserializer)?;
        let mut own = serde_json::Map::new();
        for key in ["allow", "deny", "depth", "priority", "nofollow"] {
            own.extend(map.shift_remove(key).map(|value| (key.to_owned(), value)));
        }
        let keys: RuleKeys = serde_json::from_value(own.into()).map_err(D::Error::custom)?;
        let selector = selector_from_value(map.into(), "follow").map_err(D::Error::custom)?;
        let RuleKeys { allow, deny, depth, priority, nofollow } = keys;
        Ok(Self { selector, allow, deny, depth, priority, nofollow })
    }
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
        if self.start.is_empty() {
            return Err(structure("the spider starts nowhere").with_hint("add `start = [\"https://...\"]`"));
        }
        for start in &self.start {
            if !start.starts_with("http://") && !start.starts_with("https://") {
                return Err(SchemaError::new(SchemaErrorKind::Value, format!("{start:?} is no URL of http or https"))
                    .with_hint("write it with its scheme: https://example.org/")
                    .at("start"));
            }
        }
        if self.items.is_empty() && self.follow.is_empty() && !self.sitemap {
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
            rule.selector.check().map_err(|error| error.at("follow"))?;
            patterns("follow.allow", &rule.allow)?;
            patterns("follow.deny", &rule.deny)?;
            let attr = matches!(&rule.selector.take, Take::Text | Take::Attr(_));
            if !matches!(rule.selector.query, Query::Css(_) | Query::XPath(_)) || !attr {
                return Err(SchemaError::new(SchemaErrorKind::Kind, "`follow` needs elements that link")
                    .with_hint(
                        "use `css` or `xpath`; with `attr`, an address is taken of another attribute than `href`",
                    )
                    .at("follow"));
            }
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

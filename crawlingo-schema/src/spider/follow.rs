//! Which links are followed.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::serial::{selector_from_value, selector_to_map};
use crate::{Query, SchemaError, SchemaErrorKind, Selector, Take};

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

impl FollowRule {
    /// Follows what a selector finds.
    pub fn new(selector: Selector) -> Self {
        Self { selector, allow: Vec::new(), deny: Vec::new(), depth: None, priority: 0, nofollow: false }
    }

    /// Checks that the selector finds elements that link.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_selector(&self) -> Result<(), SchemaError> {
        self.selector.check()?;
        let attr = matches!(&self.selector.take, Take::Text | Take::Attr(_));
        if !matches!(self.selector.query, Query::Css(_) | Query::XPath(_)) || !attr {
            return Err(SchemaError::new(SchemaErrorKind::Kind, "`follow` needs elements that link")
                .with_hint("use `css` or `xpath`; with `attr`, an address is taken of another attribute than `href`"));
        }
        Ok(())
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

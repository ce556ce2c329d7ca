//! The pseudo-classes that depend on more than the tree's structure.

use std::fmt;

use cssparser::ToCss;

/// A pseudo-class that the engine answers by looking at the element.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PseudoClass {
    /// `:link` and `:any-link`: `a` and `area` with `href`.
    AnyLink,
    /// `:checked`.
    Checked,
    /// `:disabled`.
    Disabled,
    /// `:enabled`.
    Enabled,
    /// `:required`.
    Required,
    /// `:optional`.
    Optional,
    /// `:read-only`.
    ReadOnly,
    /// `:read-write`.
    ReadWrite,
    /// `:indeterminate`, as far as attributes tell it.
    Indeterminate,
    /// `:default`.
    Default,
    /// `:placeholder-shown`.
    PlaceholderShown,
    /// `:defined`: not a custom element.
    Defined,
    /// `:lang(de, "*-AT")`.
    Lang(Vec<String>),
    /// `:dir(rtl)`.
    Dir(String),
    /// `:contains("text")`: the element's text content has it.
    Contains(String),
    /// `:-soup-contains-own("text")`: the element's own text has it.
    ContainsOwn(String),
    /// A state that a page at rest is never in: `:hover`, `:visited`.
    Never(&'static str),
}

/// Those without arguments.
const SIMPLE: &[(&str, PseudoClass)] = &[
    ("link", PseudoClass::AnyLink),
    ("any-link", PseudoClass::AnyLink),
    ("checked", PseudoClass::Checked),
    ("disabled", PseudoClass::Disabled),
    ("enabled", PseudoClass::Enabled),
    ("required", PseudoClass::Required),
    ("optional", PseudoClass::Optional),
    ("read-only", PseudoClass::ReadOnly),
    ("read-write", PseudoClass::ReadWrite),
    ("indeterminate", PseudoClass::Indeterminate),
    ("default", PseudoClass::Default),
    ("placeholder-shown", PseudoClass::PlaceholderShown),
    ("defined", PseudoClass::Defined),
];

const NEVER: &[&str] = &[
    "hover",
    "active",
    "focus",
    "focus-within",
    "focus-visible",
    "visited",
    "target",
    "target-within",
    "playing",
    "paused",
    "fullscreen",
    "modal",
    "autofill",
    "popover-open",
    "user-valid",
    "user-invalid",
    "current",
    "past",
    "future",
    "local-link",
    "seeking",
    "buffering",
    "stalled",
    "muted",
    "volume-locked",
    "picture-in-picture",
];

/// Those that the `selectors` crate parses, and the functions, for suggestions.
const OTHERS: &[&str] = &[
    "root",
    "empty",
    "scope",
    "first-child",
    "last-child",
    "only-child",
    "first-of-type",
    "last-of-type",
    "only-of-type",
    "nth-child",
    "nth-last-child",
    "nth-of-type",
    "nth-last-of-type",
    "not",
    "is",
    "where",
    "has",
    "lang",
    "dir",
    "contains",
    "-soup-contains",
    "-soup-contains-own",
];

impl PseudoClass {
    pub(super) fn simple(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        SIMPLE
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, class)| class.clone())
            .or_else(|| NEVER.iter().find(|known| **known == name).map(|known| Self::Never(known)))
    }

    /// The names of all pseudo-classes.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        OTHERS.iter().copied().chain(SIMPLE.iter().map(|(name, _)| *name)).chain(NEVER.iter().copied())
    }
}

impl ToCss for PseudoClass {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        let with_text = |dest: &mut W, name: &str, text: &str| {
            write!(dest, ":{name}(")?;
            cssparser::serialize_string(text, dest)?;
            dest.write_char(')')
        };
        match self {
            Self::Never(name) => write!(dest, ":{name}"),
            Self::Lang(ranges) => write!(dest, ":lang({})", ranges.join(", ")),
            Self::Dir(direction) => write!(dest, ":dir({direction})"),
            Self::Contains(text) => with_text(dest, "contains", text),
            Self::ContainsOwn(text) => with_text(dest, "-soup-contains-own", text),
            simple => match SIMPLE.iter().find(|(_, class)| class == simple) {
                Some((name, _)) => write!(dest, ":{name}"),
                None => Err(fmt::Error),
            },
        }
    }
}

impl selectors::parser::NonTSPseudoClass for PseudoClass {
    fn is_active_or_hover(&self) -> bool {
        matches!(self, Self::Never("active" | "hover"))
    }

    fn is_user_action_state(&self) -> bool {
        matches!(self, Self::Never("active" | "hover" | "focus" | "focus-within" | "focus-visible"))
    }
}

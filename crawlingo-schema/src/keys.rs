//! The keys of a schema file, which are also those of the derive macro, and the suggestions for misspelt ones.

/// The kinds of selector.
pub const QUERY_KEYS: &[&str] =
    &["css", "xpath", "regex", "text", "after_text", "before_text", "jsonld", "meta", "microdata", "json"];

/// Everything that a selector may hold: its kind, its options and what is taken.
pub const SELECTOR_KEYS: &[&str] = &[
    "css",
    "xpath",
    "regex",
    "text",
    "after_text",
    "before_text",
    "jsonld",
    "meta",
    "microdata",
    "json",
    "on",
    "exact",
    "ignore_case",
    "within",
    "attr",
    "own_text",
    "html",
    "outer_html",
    "markdown",
];

/// Everything that a field may hold besides a selector's keys.
pub const FIELD_KEYS: &[&str] = &[
    "description",
    "selectors",
    "kind",
    "cardinality",
    "optional",
    "many",
    "default",
    "trim",
    "strip",
    "replace",
    "split",
    "join",
    "lower",
    "upper",
    "transforms",
    "heal",
    "date_order",
    "language",
    "currency",
    "region",
    "dataset",
    "ref",
    "host_transform",
];

/// Everything that a schema may hold.
pub const SCHEMA_KEYS: &[&str] = &["name", "version", "description", "key", "each", "heal", "fields"];

/// The candidate that was probably meant, if one is near enough.
///
/// ```
/// use crawlingo_schema::{SELECTOR_KEYS, suggest};
/// assert_eq!(suggest("atr", SELECTOR_KEYS.iter().copied()), Some("attr"));
/// assert_eq!(suggest("banana", SELECTOR_KEYS.iter().copied()), None);
/// ```
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.chars().count().min(name.chars().count()) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

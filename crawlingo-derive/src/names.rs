//! Names and descriptions: serde's attributes and doc comments.

use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

/// The doc comment, its lines trimmed and joined.
pub(crate) fn description(attrs: &[Attribute]) -> Option<String> {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<_>>().join(" ").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// A text of a `#[serde(...)]` attribute. What else serde is told is not for here.
pub(crate) fn serde_text(attrs: &[Attribute], key: &str) -> Option<LitStr> {
    let mut found = None;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident(key) {
                if meta.input.peek(syn::Token![=]) {
                    found = Some(meta.value()?.parse::<LitStr>()?);
                } else {
                    // `rename(serialize = "...")`: what goes out counts.
                    meta.parse_nested_meta(|inner| {
                        let text = inner.value()?.parse::<LitStr>()?;
                        if inner.path.is_ident("serialize") {
                            found = Some(text);
                        }
                        Ok(())
                    })?;
                }
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<Expr>()?;
            } else if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                inner.parse::<proc_macro2::TokenStream>()?;
            }
            Ok(())
        });
    }
    found
}

/// The rules of serde's `rename_all`.
pub(crate) const RENAME_RULES: &[&str] = &[
    "lowercase",
    "UPPERCASE",
    "PascalCase",
    "camelCase",
    "snake_case",
    "SCREAMING_SNAKE_CASE",
    "kebab-case",
    "SCREAMING-KEBAB-CASE",
];

/// The field's name under serde's `rename_all`; `None` if there is no such rule.
pub(crate) fn rename(field: &str, rule: &str) -> Option<String> {
    let first = |word: &str, change: fn(char) -> String| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| change(first) + chars.as_str())
    };
    let pascal = || field.split('_').map(|word| first(word, |c| c.to_uppercase().to_string())).collect::<String>();
    Some(match rule {
        "lowercase" | "snake_case" => field.to_owned(),
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => field.to_uppercase(),
        "PascalCase" => pascal(),
        "camelCase" => first(&pascal(), |c| c.to_lowercase().to_string()),
        "kebab-case" => field.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => field.to_uppercase().replace('_', "-"),
        _ => return None,
    })
}

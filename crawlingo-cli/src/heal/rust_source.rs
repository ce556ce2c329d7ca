//! Changes selectors in Rust source, and not a character more.

use std::ops::Range;

use crawlingo::heal::EACH;
use crawlingo::schema::QUERY_KEYS;
use proc_macro2::TokenTree;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Fields, Item, ItemStruct, Lit, Meta, Token, Type};

use super::apply::Change;

/// The bytes to be replaced, and by what.
type Edit = (Range<usize>, String);

/// Gives the changed source, and what could not be changed and why.
pub(super) fn change(text: &str, changes: &[Change<'_>]) -> Result<(String, Vec<String>), String> {
    let file = syn::parse_file(text).map_err(|error| {
        let start = error.span().start();
        format!("line {}, column {}: {error}", start.line, start.column + 1)
    })?;
    let mut structs = Vec::new();
    gather(&file.items, &mut structs);
    let (mut edits, mut problems) = (Vec::new(), Vec::new());
    for change in changes {
        // A file may hold other datasets than those that healed, and they may stand in other files.
        let Some(dataset) = structs.iter().find(|item| name_of(item) == change.schema) else { continue };
        match edits_of(dataset, &structs, change) {
            Ok(own) => edits.extend(own),
            Err(message) => problems.push(format!("`{}` of {}: {message}", change.field, change.schema)),
        }
    }
    edits.sort_by_key(|edit: &Edit| std::cmp::Reverse(edit.0.start));
    let mut changed = text.to_owned();
    for (range, new) in edits {
        changed.replace_range(range, &new);
    }
    syn::parse_file(&changed).map_err(|error| format!("the changed source would not parse: {error}"))?;
    Ok((changed, problems))
}

fn gather<'f>(items: &'f [Item], structs: &mut Vec<&'f ItemStruct>) {
    for item in items {
        match item {
            Item::Struct(item) if item.attrs.iter().any(|attr| attr.path().is_ident("derive")) => structs.push(item),
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    gather(items, structs);
                }
            }
            _ => {}
        }
    }
}

fn metas(attr: &Attribute) -> Vec<Meta> {
    let list = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    list.map(|list| list.into_iter().collect()).unwrap_or_default()
}

fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// The name of a dataset: what it says, else the struct's.
fn name_of(item: &ItemStruct) -> String {
    let attrs = item.attrs.iter().filter(|attr| attr.path().is_ident("dataset")).flat_map(metas);
    let said = attrs.filter_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("name") => text_of(&pair.value),
        _ => None,
    });
    said.last().unwrap_or_else(|| item.ident.to_string())
}

fn edits_of(dataset: &ItemStruct, structs: &[&ItemStruct], change: &Change<'_>) -> Result<Vec<Edit>, String> {
    if change.field == EACH {
        let attrs = dataset.attrs.iter().filter(|attr| attr.path().is_ident("dataset"));
        let each = attrs.flat_map(metas).find_map(|meta| match meta {
            Meta::NameValue(pair) if pair.path.is_ident(EACH) => Some(pair.value),
            _ => None,
        });
        let each = each.ok_or("`each` is not written as a text; change it by hand")?;
        let old = text_of(&each).ok_or("`each` is not written as a text; change it by hand")?;
        return Ok(vec![(each.span().byte_range(), literal(&change.in_place_of(&old)))]);
    }
    let (name, rest) = change.field.split_once('.').map_or((change.field, None), |(name, rest)| (name, Some(rest)));
    let Fields::Named(fields) = &dataset.fields else { return Err("the struct has no named fields".to_owned()) };
    let field = fields.named.iter().find(|field| field_name(field) == name).ok_or("there is no such field")?;
    if let Some(rest) = rest {
        let inner = last_ident(&field.ty).ok_or("its type is not the name of a struct")?;
        let dataset = structs.iter().find(|item| item.ident == inner);
        let dataset = dataset.ok_or_else(|| format!("the struct `{inner}` stands in another file"))?;
        return edits_of(dataset, structs, &Change { field: rest, ..*change });
    }
    let attr = field.attrs.iter().find(|attr| attr.path().is_ident("selector")).ok_or("it has no `#[selector(..)]`")?;
    for meta in metas(attr) {
        let Meta::NameValue(pair) = &meta else { continue };
        let Some(key) = pair.path.get_ident().filter(|key| QUERY_KEYS.iter().any(|known| *key == known)) else {
            continue;
        };
        let old = text_of(&pair.value).ok_or("its selector is not written as a text; change it by hand")?;
        if attr_says(attr, &["within", "exact", "ignore_case", "on"]) {
            return Err("its selector has options that the new one has no use for; change it by hand".to_owned());
        }
        let new = if key == "css" { change.in_place_of(&old) } else { change.selector.to_owned() };
        let key_edit = (key.span().byte_range(), "css".to_owned());
        return Ok(vec![key_edit, (pair.value.span().byte_range(), literal(&new))]);
    }
    Err("its selector is not written as a text; change it by hand".to_owned())
}

fn attr_says(attr: &Attribute, names: &[&str]) -> bool {
    let Ok(list) = attr.meta.require_list() else { return false };
    let named = |token: TokenTree| matches!(token, TokenTree::Ident(ident) if names.iter().any(|name| ident == *name));
    list.tokens.clone().into_iter().any(named)
}

/// The name in the dataset: what serde says, else the field's.
fn field_name(field: &syn::Field) -> String {
    let renamed = field.attrs.iter().filter(|attr| attr.path().is_ident("serde")).flat_map(metas);
    let renamed = renamed.filter_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("rename") => text_of(&pair.value),
        _ => None,
    });
    let own = || field.ident.as_ref().map(|ident| ident.to_string().trim_start_matches("r#").to_owned());
    renamed.last().or_else(own).unwrap_or_default()
}

/// `Offer` of `Offer`, `Option<Offer>`, `Vec<shop::Offer>`, `Box<Offer>`.
fn last_ident(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    if let syn::PathArguments::AngleBracketed(inner) = &last.arguments {
        return inner.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::Type(ty) => last_ident(ty),
            _ => None,
        });
    }
    Some(last.ident.to_string())
}

/// A text as Rust writes it; raw where it holds quotes, so that a selector stays readable.
fn literal(text: &str) -> String {
    if text.contains('"') && !text.contains("\"#") {
        return format!("r#\"{text}\"#");
    }
    format!("{text:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r##"
// A comment that stays.
#[derive(Debug, Dataset)]
#[dataset(each = "article.product", name = "Book")]
struct Row {
    #[selector(css = "h3 a::attr(title)", heal)] // and this one
    title: String,
    #[selector(xpath = "//b[@class='price']", heal)]
    #[serde(rename = "cost")]
    price: Price,
    #[selector(css = "div.offer")]
    offer: Option<Offer>,
}

#[derive(Dataset)]
struct Offer {
    #[selector(text(text = "x"))]
    odd: String,
    #[selector(css = "i")]
    stock: u32,
}
"##;

    fn changed(field: &str, selector: &str) -> Result<(String, Vec<String>), String> {
        change(SOURCE, &[Change { schema: "Book", field, selector }])
    }

    #[test]
    fn changes_the_selector_and_not_a_character_more() {
        for (field, selector, old, new) in [
            ("each", "li.card", r#"each = "article.product""#, r#"each = "li.card""#),
            ("title", "h2 > a", r#"css = "h3 a::attr(title)""#, r#"css = "h2 > a::attr(title)""#),
            ("cost", "b.amount", r#"xpath = "//b[@class='price']""#, r#"css = "b.amount""#),
            ("offer.stock", "em", r#"css = "i""#, r#"css = "em""#),
            ("offer", r#"a[x="1"]"#, r#"css = "div.offer""#, r##"css = r#"a[x="1"]"#"##),
        ] {
            let (text, problems) = changed(field, selector).expect("it parses");
            assert!(problems.is_empty(), "{problems:?}");
            assert_eq!(text, SOURCE.replace(old, new), "{field}");
        }
    }

    #[test]
    fn what_cannot_be_changed_is_said() {
        let (text, problems) = changed("offer.odd", "b").expect("it parses");
        assert_eq!(text, SOURCE);
        assert!(problems[0].contains("change it by hand"), "{problems:?}");
        assert!(changed("nothing", "b").expect("it parses").1[0].contains("no such field"));
        assert!(change("struct {", &[]).expect_err("no Rust").starts_with("line 1"));
    }
}

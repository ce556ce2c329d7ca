//! What only several attributes together can get wrong.

use crawlingo_schema::{HealMode, suggest};
use quote::ToTokens;
use syn::Type;

use crate::ast::{Container, FieldModel};
use crate::ctxt::Ctxt;

pub(crate) fn check(container: &Container, fields: &[FieldModel], ctxt: &Ctxt) {
    if fields.is_empty() {
        ctxt.error(proc_macro2::Span::call_site(), "a dataset needs at least one field");
    }
    for (at, field) in fields.iter().enumerate() {
        if fields[..at].iter().any(|other| other.name == field.name) {
            ctxt.error(field.name_span, format!("two fields are called `{}` in the output", field.name));
        }
        check_field(field, ctxt);
    }
    for key in &container.key {
        let name = key.value();
        if !fields.iter().any(|field| field.name == name) {
            let mut message = format!("the key names no field: `{name}`");
            if let Some(meant) = suggest(&name, fields.iter().map(|field| field.name.as_str())) {
                message = format!("{message}; did you mean `{meant}`?");
            }
            ctxt.error(key.span(), message);
        }
    }
    if let Some(each) = &container.each
        && each.gives_text()
    {
        ctxt.error(each.span, "`each` must find elements, not texts; select the element of one record");
    }
}

fn check_field(field: &FieldModel, ctxt: &Ctxt) {
    if let (Some(with), Some(parse)) = (&field.with, field.parse) {
        ctxt.error(parse, "`parse` and `with` both make the value; keep one");
        ctxt.error(syn::spanned::Spanned::span(with), "`parse` and `with` both make the value; keep one");
    }
    if field.selectors.is_empty() && !field.attempted && is_plain(&field.ty) {
        ctxt.error(
            field.ident.span(),
            format!("the field `{}` has no selector; add one: `#[selector(css = \"...\")]`", field.ident),
        );
    }
    if let Some((default, _)) = &field.default
        && outer(&field.ty) == Some("Vec")
    {
        ctxt.error(default.span(), "a list needs no default: it is empty where nothing is found");
    }
    let elements = field.selectors.iter().any(|selector| selector.value.query.finds_elements());
    if let Some(heal) = &field.heal
        && heal.value != HealMode::Off
        && !field.selectors.is_empty()
        && !elements
    {
        let key = field.selectors[0].value.query.key();
        ctxt.error(
                heal.span,
                format!("`heal` needs a selector that finds an element, and `{key}` finds a value; use `css`, `xpath` or a text anchor"),
            );
    }
    let text = field.ty.to_token_stream().to_string();
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    if field.with.is_none() && field.parse.is_none() && is_plain(&field.ty) {
        if let Some(currency) = &field.options.currency
            && !has(&["Price"])
        {
            ctxt.error(
                currency.span(),
                format!("`currency` belongs to a `Price`, and this field is a `{}`", spaced(&text)),
            );
        }
        if let Some(region) = &field.options.region
            && !has(&["Phone"])
        {
            ctxt.error(
                region.span(),
                format!("`region` belongs to a `Phone`, and this field is a `{}`", spaced(&text)),
            );
        }
        let date = field.options.language.as_ref().map(|text| text.span()).or(field
            .options
            .date_order
            .as_ref()
            .map(|order| order.span));
        if let (Some(span), false) = (date, has(&["Date", "Timestamp"])) {
            ctxt.error(
                span,
                format!("`language` and `date_order` belong to dates, and this field is a `{}`", spaced(&text)),
            );
        }
    }
}

fn spaced(text: &str) -> String {
    text.replace(" < ", "<").replace(" >", ">").replace(" :: ", "::").replace("< ", "<")
}

/// The name of the outermost type: `Vec` of `Vec<Option<u8>>`.
pub(crate) fn outer(ty: &Type) -> Option<&'static str> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    ["Option", "Vec", "Box"].into_iter().find(|name| last.ident == name)
}

/// The type inside of `Option<..>` and `Vec<..>`.
pub(crate) fn inner(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let syn::PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Whether the type is, without doubt, no dataset.
fn is_plain(ty: &Type) -> bool {
    if outer(ty).is_some() {
        return inner(ty).is_some_and(is_plain);
    }
    const PLAIN: &[&str] = &[
        "String",
        "bool",
        "u8",
        "u16",
        "u32",
        "u64",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "isize",
        "f32",
        "f64",
        "Decimal",
        "Price",
        "Url",
        "Email",
        "Phone",
        "Date",
        "Time",
        "DateTime",
        "Timestamp",
    ];
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| PLAIN.iter().any(|name| last.ident == name)),
        _ => false,
    }
}

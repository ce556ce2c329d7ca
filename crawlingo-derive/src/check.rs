//! What only several attributes together can get wrong.

use crawlingo_schema::{HealMode, suggest};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Lit, Type};

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
    if let (Some(_), Some(parse)) = (&field.with, field.parse) {
        ctxt.error(parse, "`parse` and `with` both make the value; keep one");
    }
    if outer(&field.ty) == Some("Vec") && inner(&field.ty).and_then(outer) == Some("Vec") {
        ctxt.error(
            field.ty.span(),
            "a selector finds one list, not a list of lists; make the inner one a field of a nested dataset",
        );
    }
    let no_selector = field.selectors.is_empty() && !field.attempted;
    if no_selector && (is_primitive(&field.ty) || field.with.is_some() || field.parse.is_some()) {
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
    check_default(field, ctxt);
    let elements = field.selectors.iter().any(|selector| selector.value.query.finds_elements());
    if let Some(heal) = &field.heal
        && heal.value != HealMode::Off
        && !elements
        && !(field.attempted && field.selectors.is_empty())
    {
        let instead = match field.selectors.first() {
            Some(first) => format!("`{}` finds a value; use", first.value.query.key()),
            None => "there is none; add".to_owned(),
        };
        ctxt.error(
            heal.span,
            format!("`heal` needs a selector that finds an element, and {instead} `css`, `xpath` or a text anchor"),
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

/// Whether the type is one of Rust's own, or `Option`, `Vec` or `Box` of one, and so, without doubt, no dataset.
fn is_primitive(ty: &Type) -> bool {
    match outer(ty) {
        Some(_) => inner(ty).is_some_and(is_primitive),
        None => name(ty).is_some_and(|name| name == "String" || literal_of(&name).is_some()),
    }
}

/// Whether the type has the name of a value's type. It may be a dataset that is called so.
fn is_plain(ty: &Type) -> bool {
    const NAMES: &[&str] = &["Decimal", "Price", "Url", "Email", "Phone", "Date", "Time", "DateTime", "Timestamp"];
    match outer(ty) {
        Some(_) => inner(ty).is_some_and(is_plain),
        None => is_primitive(ty) || name(ty).is_some_and(|name| NAMES.contains(&name.as_str())),
    }
}

fn name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|last| last.ident.to_string())
}

/// What a default of one of Rust's own types can be.
enum Literal {
    Bool,
    Float,
    /// From and to.
    Integer(i128, i128),
}

fn literal_of(name: &str) -> Option<Literal> {
    macro_rules! range {
        ($type:ty) => {
            Literal::Integer(<$type>::MIN as i128, <$type>::MAX as i128)
        };
    }
    Some(match name {
        "bool" => Literal::Bool,
        "f32" | "f64" => Literal::Float,
        "u8" => range!(u8),
        "u16" => range!(u16),
        "u32" => range!(u32),
        // Beyond 64 bits with a sign the engine has no whole numbers.
        "u64" | "usize" => Literal::Integer(0, i64::MAX as i128),
        "i8" => range!(i8),
        "i16" => range!(i16),
        "i32" => range!(i32),
        "i64" | "isize" => range!(i64),
        _ => return None,
    })
}

/// A default of Rust's own types must be one of the type. A text is converted like the page's, when the schema is
/// compiled.
fn check_default(field: &FieldModel, ctxt: &Ctxt) {
    let Some((default, negative)) = &field.default else { return };
    if field.with.is_some() || field.parse.is_some() {
        return;
    }
    let mut ty = &field.ty;
    while let (Some("Option" | "Box"), Some(inside)) = (outer(ty), inner(ty)) {
        ty = inside;
    }
    let Some(ty) = name(ty) else { return };
    let Some(wanted) = literal_of(&ty) else { return };
    let wrong = match (&wanted, default) {
        (Literal::Bool, Lit::Bool(_)) | (Literal::Float, Lit::Int(_) | Lit::Float(_)) => None,
        (Literal::Integer(from, to), Lit::Int(number)) => {
            let number = number.base10_parse::<i128>().ok().map(|number| if *negative { -number } else { number });
            match number {
                Some(number) if (*from..=*to).contains(&number) => None,
                _ => Some(format!("the default is out of the range of `{ty}`, {from} to {to}")),
            }
        }
        (Literal::Integer(..) | Literal::Float, Lit::Str(text)) => {
            let number = text.value().chars().any(|c| c.is_numeric());
            (!number).then(|| format!("the default is no number, and the field a `{ty}`"))
        }
        (Literal::Bool, Lit::Str(_)) => None,
        (Literal::Bool, _) => Some("the default of a `bool` is `true` or `false`".to_owned()),
        (Literal::Integer(..), Lit::Float(_)) => {
            Some(format!("the default is no whole number, and the field a `{ty}`"))
        }
        _ => Some(format!("the default is no number, and the field a `{ty}`")),
    };
    if let Some(wrong) = wrong {
        ctxt.error(default.span(), wrong);
    }
}

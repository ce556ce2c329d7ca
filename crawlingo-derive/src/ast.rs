//! The checked model of a struct: what the attributes mean.

use crawlingo_schema::{DateOrder, FIELD_KEYS, HealMode, QUERY_KEYS, SELECTOR_KEYS, Selector, Transform, suggest};
use proc_macro2::Span;
use syn::{Attribute, Lit, LitStr, Path, Type};

use crate::attr::{Item, Value, read};
use crate::ctxt::Ctxt;
use crate::names::{RENAME_RULES, description, rename, serde_text};
use crate::selector::{Parts, check_selector};

/// The struct.
pub(crate) struct Container {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) each: Option<Spanned<Selector>>,
    pub(crate) key: Vec<LitStr>,
    pub(crate) version: Option<u32>,
    pub(crate) heal: HealMode,
    pub(crate) krate: Path,
    pub(crate) rename_all: Option<LitStr>,
}

/// Something with its place.
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// One field.
pub(crate) struct FieldModel {
    pub(crate) ident: syn::Ident,
    pub(crate) ty: Type,
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) description: Option<String>,
    pub(crate) selectors: Vec<Spanned<Selector>>,
    /// Whether there is a `#[selector]` at all, be it a faulty one that was told already.
    pub(crate) attempted: bool,
    pub(crate) transforms: Vec<Transform>,
    /// Where the first of them stands.
    pub(crate) transforms_span: Option<Span>,
    pub(crate) default: Option<(Lit, bool)>,
    pub(crate) heal: Option<Spanned<HealMode>>,
    pub(crate) with: Option<Path>,
    pub(crate) parse: Option<Span>,
    pub(crate) options: KindOptions,
}

/// The parameters of kinds.
#[derive(Default)]
pub(crate) struct KindOptions {
    pub(crate) currency: Option<LitStr>,
    pub(crate) region: Option<LitStr>,
    pub(crate) language: Option<LitStr>,
    pub(crate) date_order: Option<Spanned<DateOrder>>,
}

impl Container {
    pub(crate) fn read(input: &syn::DeriveInput, ctxt: &Ctxt) -> Self {
        let mut container = Self {
            name: input.ident.to_string(),
            description: description(&input.attrs),
            each: None,
            key: Vec::new(),
            version: None,
            heal: HealMode::Off,
            krate: syn::parse_quote!(::crawlingo),
            rename_all: serde_text(&input.attrs, "rename_all"),
        };
        if let Some(rule) = container.rename_all.take_if(|rule| rename("", &rule.value()).is_none()) {
            ctxt.error(rule.span(), format!("serde's `rename_all` knows {}", RENAME_RULES.join(", ")));
        }
        misplaced(
            &input.attrs,
            "selector",
            "`selector` belongs on a field; what finds the records is `#[dataset(each = \"...\")]`",
            ctxt,
        );
        const KEYS: &[&str] = &["each", "name", "key", "version", "heal", "crate"];
        let mut seen = Vec::new();
        for (_, items) in read(&input.attrs, "dataset", ctxt) {
            for item in items {
                if !once(&item, &mut seen, ctxt) {
                    continue;
                }
                match item.key.as_str() {
                    "name" => {
                        if let Some(name) = item.text(ctxt) {
                            not_empty(&name, ctxt);
                            container.name = name.value();
                        }
                    }
                    "version" => container.version = item.number(ctxt),
                    "heal" => container.heal = heal(&item, ctxt).unwrap_or_default(),
                    "crate" => match item.text(ctxt).map(|text| text.parse::<Path>()) {
                        Some(Ok(path)) => container.krate = path,
                        Some(Err(_)) => ctxt.error(
                            item.value_span(),
                            "`crate` takes the path of the crate: `crate = \"my::crawlingo\"`",
                        ),
                        None => {}
                    },
                    "key" => match &item.value {
                        Value::List(names, _) => container.key.extend(names.iter().cloned()),
                        _ => container.key.extend(item.text(ctxt)),
                    },
                    "each" => container.each = each(&item, ctxt),
                    other => unknown(other, item.span, KEYS, "dataset", ctxt),
                }
            }
        }
        container
    }
}

/// `each = "css"`, or `each(xpath = "...")`.
fn each(item: &Item, ctxt: &Ctxt) -> Option<Spanned<Selector>> {
    if let Value::Items(items) = &item.value {
        let mut parts = Parts::default();
        for inner in items {
            if !parts.take(inner, ctxt) {
                unknown(&inner.key, inner.span, SELECTOR_KEYS, "each", ctxt);
            }
        }
        return parts.selector(item.span, ctxt);
    }
    let text = item.text(ctxt)?;
    let selector = Selector::css(text.value());
    check_selector(&selector, text.span(), ctxt);
    Some(Spanned { value: selector, span: text.span() })
}

impl FieldModel {
    pub(crate) fn read(field: &syn::Field, container: &Container, ctxt: &Ctxt) -> Option<Self> {
        let ident = field.ident.clone()?;
        let plain = syn::ext::IdentExt::unraw(&ident).to_string();
        let (name, name_span) = match serde_text(&field.attrs, "rename") {
            Some(renamed) => {
                not_empty(&renamed, ctxt);
                (renamed.value(), renamed.span())
            }
            None => {
                let rule = container.rename_all.as_ref().map(LitStr::value);
                (rule.and_then(|rule| rename(&plain, &rule)).unwrap_or(plain), ident.span())
            }
        };
        misplaced(
            &field.attrs,
            "dataset",
            "`dataset` belongs on the struct; on a field stands `#[selector(...)]`",
            ctxt,
        );
        let mut model = Self {
            ty: field.ty.clone(),
            name,
            name_span,
            description: description(&field.attrs),
            selectors: Vec::new(),
            attempted: false,
            transforms: Vec::new(),
            transforms_span: None,
            default: None,
            heal: None,
            with: None,
            parse: None,
            options: KindOptions::default(),
            ident,
        };
        let mut seen = Vec::new();
        let attributes = field.attrs.iter().filter(|attr| attr.path().is_ident("selector")).count();
        let readable = read(&field.attrs, "selector", ctxt);
        model.attempted = readable.len() < attributes;
        for (span, items) in readable {
            let mut parts = Parts::default();
            let mut any = false;
            let mut seen_here = Vec::new();
            for item in &items {
                any = true;
                if parts.take(item, ctxt) {
                    // Two selectors are a fault of their own, that was told.
                    if !QUERY_KEYS.contains(&item.key.as_str()) {
                        once(item, &mut seen_here, ctxt);
                    }
                } else if !is_transform(&item.key) {
                    once(item, &mut seen, ctxt);
                    model.option(item, ctxt);
                } else {
                    model.transform(item, ctxt);
                }
            }
            if !any {
                ctxt.error(span, "the attribute is empty; write a selector: `#[selector(css = \"h1\")]`");
            }
            if parts.is_empty() && !items.is_empty() {
                // A field may have an attribute with options alone beside one with a selector.
                continue;
            }
            model.attempted = true;
            model.selectors.extend(parts.selector(span, ctxt));
        }
        Some(model)
    }

    fn option(&mut self, item: &Item, ctxt: &Ctxt) {
        match item.key.as_str() {
            "default" => match &item.value {
                Value::Literal(lit @ (Lit::Str(_) | Lit::Int(_) | Lit::Float(_) | Lit::Bool(_)), negative) => {
                    self.default = Some((lit.clone(), *negative));
                }
                _ => ctxt.error(item.value_span(), "`default` takes a text, a number, `true` or `false`"),
            },
            "heal" => self.heal = heal(item, ctxt).map(|value| Spanned { value, span: item.span }),
            "with" => match &item.value {
                Value::Path(path) => self.with = Some(path.clone()),
                _ => ctxt.error(item.value_span(), "`with` takes the path of a function: `with = parse_rating`"),
            },
            "parse" => {
                if item.flag(ctxt) {
                    self.parse = Some(item.span);
                }
            }
            "currency" => self.options.currency = item.text(ctxt),
            "region" => self.options.region = item.text(ctxt),
            "language" => self.options.language = item.text(ctxt),
            "date_order" => {
                let Some(text) = item.text(ctxt) else { return };
                match DateOrder::from_name(&text.value()) {
                    Some(value) => self.options.date_order = Some(Spanned { value, span: text.span() }),
                    None => ctxt.error(text.span(), "`date_order` is \"dmy\", \"mdy\" or \"ymd\""),
                }
            }
            "kind" | "optional" | "many" | "cardinality" => {
                ctxt.error(
                    item.span,
                    format!(
                        "`{}` is said by the field's type here: `Option<..>`, `Vec<..>`, `Price`, `Url`, ...",
                        item.key
                    ),
                );
            }
            "description" => ctxt.error(item.span, "a doc comment on the field is its description"),
            "rename" | "name" => {
                ctxt.error(item.span, "the output name is said by serde: `#[serde(rename = \"...\")]`")
            }
            other => {
                let keys: Vec<&str> = SELECTOR_KEYS
                    .iter()
                    .chain(FIELD_KEYS)
                    .copied()
                    .chain(["with", "parse"])
                    .filter(|key| !ELSEWHERE.contains(key))
                    .collect();
                unknown(other, item.span, &keys, "selector", ctxt);
            }
        }
    }

    fn transform(&mut self, item: &Item, ctxt: &Ctxt) {
        let text = || item.text(ctxt).map(|text| text.value());
        let step = match item.key.as_str() {
            "trim" => item.flag(ctxt).then_some(Transform::Trim),
            "lower" => item.flag(ctxt).then_some(Transform::Lower),
            "upper" => item.flag(ctxt).then_some(Transform::Upper),
            "strip" => text().map(Transform::Strip),
            "split" => text().map(Transform::Split),
            "join" => text().map(Transform::Join),
            _ => match &item.value {
                Value::List(pair, _) if pair.len() == 2 && !pair[0].value().is_empty() => {
                    Some(Transform::Replace { from: pair[0].value(), to: pair[1].value() })
                }
                _ => {
                    ctxt.error(
                        item.value_span(),
                        "`replace` takes two texts, the first not empty: `replace = [\"from\", \"to\"]`",
                    );
                    None
                }
            },
        };
        if step.is_some() {
            self.transforms_span.get_or_insert(item.span);
        }
        self.transforms.extend(step);
    }
}

/// Keys of a schema file that the types or doc comments say here.
const ELSEWHERE: &[&str] = &[
    "description",
    "selectors",
    "kind",
    "cardinality",
    "optional",
    "many",
    "dataset",
    "ref",
    "host_transform",
    "transforms",
];

fn is_transform(key: &str) -> bool {
    matches!(key, "trim" | "strip" | "replace" | "split" | "join" | "lower" | "upper")
}

fn heal(item: &Item, ctxt: &Ctxt) -> Option<HealMode> {
    match &item.value {
        Value::None => Some(HealMode::Bind),
        Value::Literal(Lit::Bool(flag), _) => Some(if flag.value { HealMode::Bind } else { HealMode::Off }),
        Value::Literal(Lit::Str(text), _) => {
            let mode = HealMode::from_name(&text.value());
            if mode.is_none() {
                ctxt.error(text.span(), "`heal` is \"off\", \"suggest\" or \"bind\", or stands alone for \"bind\"");
            }
            mode
        }
        _ => {
            ctxt.error(item.value_span(), "`heal` is \"off\", \"suggest\" or \"bind\", or stands alone for \"bind\"");
            None
        }
    }
}

fn once(item: &Item, seen: &mut Vec<String>, ctxt: &Ctxt) -> bool {
    if seen.contains(&item.key) {
        ctxt.error(item.span, format!("`{}` is said twice", item.key));
        return false;
    }
    seen.push(item.key.clone());
    true
}

fn unknown(key: &str, span: Span, known: &[&str], attribute: &str, ctxt: &Ctxt) {
    let mut message = format!("unknown key `{key}` in `{attribute}`");
    match suggest(key, known.iter().copied()) {
        Some(meant) => message = format!("{message}; did you mean `{meant}`?"),
        None => message = format!("{message}; it knows {}", known.join(", ")),
    }
    ctxt.error(span, message);
}

fn not_empty(name: &LitStr, ctxt: &Ctxt) {
    if name.value().is_empty() {
        ctxt.error(name.span(), "the name is empty; leave it out for that of the code");
    }
}

/// An attribute that stands where it would do nothing.
fn misplaced(attrs: &[Attribute], name: &str, message: &str, ctxt: &Ctxt) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        ctxt.error(syn::spanned::Spanned::span(attr.path()), message);
    }
}

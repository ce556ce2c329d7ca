//! The checked model of a struct: what the attributes mean.

use crawlingo_schema::{
    DateOrder, FIELD_KEYS, HealMode, QUERY_KEYS, Query, RegexOn, SELECTOR_KEYS, Selector, Take, Transform, suggest,
};
use proc_macro2::Span;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Path, Type};

use crate::attr::{Item, Value, read};
use crate::ctxt::Ctxt;

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
        const KEYS: &[&str] = &["each", "name", "key", "version", "heal", "crate"];
        let mut seen = Vec::new();
        for (_, items) in read(&input.attrs, "dataset", ctxt) {
            for item in items {
                if !once(&item, &mut seen, ctxt) {
                    continue;
                }
                match item.key.as_str() {
                    "name" => container.name = item.text(ctxt).map(|name| name.value()).unwrap_or(container.name),
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
            Some(renamed) => (renamed.value(), renamed.span()),
            None => (rename(&plain, container.rename_all.as_ref(), ctxt), ident.span()),
        };
        let mut model = Self {
            ty: field.ty.clone(),
            name,
            name_span,
            description: description(&field.attrs),
            selectors: Vec::new(),
            attempted: false,
            transforms: Vec::new(),
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
                    once(item, &mut seen_here, ctxt);
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

/// The parts of one selector as they are met.
#[derive(Default)]
struct Parts {
    query: Option<(String, LitStr)>,
    clash: bool,
    on: Option<Spanned<RegexOn>>,
    exact: Option<Span>,
    ignore_case: Option<Span>,
    within: Option<LitStr>,
    take: Option<Spanned<Take>>,
}

impl Parts {
    fn is_empty(&self) -> bool {
        self.query.is_none()
            && self.on.is_none()
            && self.exact.is_none()
            && self.within.is_none()
            && self.take.is_none()
    }

    /// Takes a key of a selector; `false` if it is none.
    fn take(&mut self, item: &Item, ctxt: &Ctxt) -> bool {
        let key = item.key.as_str();
        if QUERY_KEYS.contains(&key) {
            let Some(text) = item.text(ctxt) else {
                self.clash = true;
                return true;
            };
            if let Some((first, _)) = &self.query {
                self.clash = true;
                ctxt.error(item.span, format!("`{first}` and `{key}` are two selectors; give each its own `#[selector(...)]`, to be tried in order"));
            } else {
                self.query = Some((key.to_owned(), text));
            }
            return true;
        }
        match key {
            "on" => {
                if let Some(text) = item.text(ctxt) {
                    match text.value().as_str() {
                        "text" => self.on = Some(Spanned { value: RegexOn::Text, span: item.span }),
                        "html" => self.on = Some(Spanned { value: RegexOn::Html, span: item.span }),
                        _ => ctxt.error(text.span(), "`on` is \"text\" or \"html\""),
                    }
                }
            }
            "exact" => self.exact = item.flag(ctxt).then_some(item.span),
            "ignore_case" => self.ignore_case = item.flag(ctxt).then_some(item.span),
            "within" => {
                self.within = item.text(ctxt);
                if let Some(text) = &self.within
                    && let Err(error) = crawlingo_schema::css::parse(&text.value())
                {
                    ctxt.error(text.span(), error);
                    self.within = None;
                }
            }
            "attr" | "own_text" | "html" | "outer_html" | "markdown" => {
                let take = match key {
                    "attr" => item.text(ctxt).map(|name| Take::Attr(name.value())),
                    _ if !item.flag(ctxt) => None,
                    "own_text" => Some(Take::OwnText),
                    "html" => Some(Take::Html),
                    "outer_html" => Some(Take::OuterHtml),
                    _ => Some(Take::Markdown),
                };
                let Some(take) = take else { return true };
                if self.take.is_some() {
                    ctxt.error(
                        item.span,
                        "only one of `attr`, `own_text`, `html`, `outer_html`, `markdown` can be taken",
                    );
                }
                self.take = Some(Spanned { value: take, span: item.value_span() });
            }
            _ => return false,
        }
        true
    }

    fn selector(self, span: Span, ctxt: &Ctxt) -> Option<Spanned<Selector>> {
        if self.clash {
            return None;
        }
        let Some((key, text)) = self.query else {
            ctxt.error(span, format!("the attribute has no selector; add one of: {}", QUERY_KEYS.join(", ")));
            return None;
        };
        let value = text.value();
        let anchor = matches!(key.as_str(), "text" | "after_text" | "before_text");
        if let (Some(on), false) = (&self.on, key == "regex") {
            ctxt.error(on.span, format!("`on` has no meaning for `{key}`; it belongs to `regex`"));
        }
        for flag in [self.exact, self.ignore_case].into_iter().flatten() {
            if !anchor {
                ctxt.error(
                    flag,
                    format!(
                        "`exact` and `ignore_case` have no meaning for `{key}`; in a regular expression write `(?i)`"
                    ),
                );
            }
        }
        let mut selector = match key.as_str() {
            "css" => Selector::css(value),
            "xpath" => Selector::xpath(value),
            "regex" => Selector::regex(value),
            "text" => Selector::text(value),
            "after_text" => Selector::after_text(value),
            "before_text" => Selector::before_text(value),
            "jsonld" => Selector::jsonld(value),
            "meta" => Selector::meta(value),
            "microdata" => Selector::microdata(value),
            _ => Selector::json(value),
        };
        if self.on.is_some_and(|on| on.value == RegexOn::Html) {
            selector = selector.on_html();
        }
        if self.exact.is_some() {
            selector = selector.exact();
        }
        if self.ignore_case.is_some() {
            selector = selector.ignore_case();
        }
        if let Some(within) = &self.within {
            selector = selector.within(within.value());
        }
        // First the expression alone, so that its fault is shown at it; then with what is taken.
        if !check_selector(&selector, text.span(), ctxt) {
            return None;
        }
        if let Some(take) = self.take {
            selector = selector.take(take.value);
            check_selector(&selector, take.span, ctxt);
        }
        Some(Spanned { value: selector, span: text.span() })
    }
}

fn check_selector(selector: &Selector, span: Span, ctxt: &Ctxt) -> bool {
    match selector.check() {
        Ok(()) => true,
        Err(error) => {
            ctxt.error(span, error);
            false
        }
    }
}

impl Spanned<Selector> {
    /// Whether the selector gives a text, of which no nested dataset can be made.
    pub(crate) fn gives_text(&self) -> bool {
        let takes = match &self.value.query {
            Query::Css(text) => crawlingo_schema::css::parse(text).is_ok_and(|css| css.take().is_some()),
            Query::Json(_) => false,
            query => !query.finds_elements(),
        };
        takes || self.value.take != Take::Text
    }
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

/// The doc comment, its lines trimmed and joined.
fn description(attrs: &[Attribute]) -> Option<String> {
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
fn serde_text(attrs: &[Attribute], key: &str) -> Option<LitStr> {
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

/// The field's name under serde's `rename_all`.
fn rename(field: &str, rule: Option<&LitStr>, ctxt: &Ctxt) -> String {
    let Some(rule) = rule else { return field.to_owned() };
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
    };
    let pascal = || field.split('_').map(capital).collect::<String>();
    match rule.value().as_str() {
        "lowercase" | "snake_case" => field.to_owned(),
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => field.to_uppercase(),
        "PascalCase" => pascal(),
        "camelCase" => {
            let pascal = pascal();
            let mut chars = pascal.chars();
            chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
        }
        "kebab-case" => field.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => field.to_uppercase().replace('_', "-"),
        _ => {
            ctxt.error(rule.span(), "this is no rule of serde's `rename_all`");
            field.to_owned()
        }
    }
}

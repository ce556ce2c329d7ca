//! The checked model of a spider.

use crawlingo_schema::{FollowRule, OnInvalid, Order, Paginate, Rate, Selector, pattern, suggest};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Fields, Lit, LitStr, Path, Type};

use super::start::{Arguments, Start};
use crate::attr::{Item, Value, read};
use crate::ctxt::Ctxt;
use crate::selector::Parts;

const KEYS: &[&str] = &[
    "start",
    "item",
    "follow",
    "paginate",
    "allow",
    "deny",
    "hosts",
    "sitemap",
    "sitemap_since",
    "logged_out",
    "max_pages",
    "max_depth",
    "max_records",
    "max_bytes",
    "max_seconds",
    "max_pages_per_host",
    "max_pages_per_pattern",
    "concurrency",
    "concurrency_per_host",
    "rate_per_host",
    "adaptive",
    "robots",
    "meta_robots",
    "order",
    "on_invalid",
    "retries",
    "parse",
    "login",
    "name",
    "crate",
];

pub(crate) struct Model {
    pub(crate) krate: Path,
    pub(crate) name: String,
    pub(crate) starts: Vec<Start>,
    pub(crate) items: Vec<Taken>,
    pub(crate) follows: Vec<Follow>,
    /// Statements that set what is plain data.
    pub(crate) settings: Vec<TokenStream>,
    pub(crate) parse: Option<Path>,
    pub(crate) login: Option<Path>,
}

pub(crate) struct Taken {
    pub(crate) ty: Type,
    pub(crate) on: Option<LitStr>,
}

pub(crate) struct Follow {
    pub(crate) rule: FollowRule,
    pub(crate) allow: Vec<LitStr>,
    pub(crate) deny: Vec<LitStr>,
    pub(crate) depth: Option<u32>,
    pub(crate) priority: i32,
    pub(crate) nofollow: bool,
}

fn unknown(item: &Item, known: &[&str], place: &str, ctxt: &Ctxt) {
    let message = format!("unknown key `{}` in `{place}`", item.key);
    ctxt.error(
        item.span,
        match suggest(&item.key, known.iter().copied()) {
            Some(meant) => format!("{message}; did you mean `{meant}`?"),
            None => format!("{message}; it knows {}", known.join(", ")),
        },
    );
}

/// Texts that are regular expressions.
fn patterns(item: &Item, ctxt: &Ctxt) -> Vec<LitStr> {
    let texts = item.texts(ctxt);
    for text in &texts {
        if let Err(error) = pattern::parse(&text.value()) {
            ctxt.error(text.span(), error);
        }
    }
    texts
}

fn path(item: &Item, ctxt: &Ctxt) -> Option<Path> {
    match &item.value {
        Value::Path(path) => Some(path.clone()),
        _ => {
            ctxt.error(
                item.value_span(),
                format!("`{0}` takes the path of a function: `{0} = Self::{0}_page`", item.key),
            );
            None
        }
    }
}

fn some<T: ToTokens>(key: &str, value: Option<T>) -> Option<TokenStream> {
    let key = syn::Ident::new(key, Span::call_site());
    value.map(|value| quote!(spec.#key = ::core::option::Option::Some(#value.into());))
}

impl Model {
    pub(crate) fn read(input: &DeriveInput, ctxt: &Ctxt) -> Self {
        let mut model = Self {
            krate: syn::parse_quote!(::crawlingo),
            name: input.ident.to_string(),
            starts: Vec::new(),
            items: Vec::new(),
            follows: Vec::new(),
            settings: Vec::new(),
            parse: None,
            login: None,
        };
        let arguments = match &input.data {
            Data::Struct(data) => Arguments::of(&data.fields),
            _ => Arguments::of(&Fields::Unit),
        };
        let attributes = read(&input.attrs, "spider", ctxt);
        let place = attributes.first().map_or_else(|| input.ident.span(), |(span, _)| *span);
        let unread = input.attrs.iter().filter(|attr| attr.path().is_ident("spider")).count() > attributes.len();
        let items: Vec<Item> = attributes.into_iter().flat_map(|(_, items)| items).collect();
        // Types of values stand in the crate that is named.
        if let Some(krate) = items.iter().find(|item| item.key == "crate") {
            match krate.text(ctxt).map(|text| text.parse::<Path>()) {
                Some(Ok(path)) => model.krate = path,
                Some(Err(_)) => ctxt.error(krate.value_span(), "`crate` takes the path of the crate"),
                None => {}
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for item in &items {
            let key = item.key.as_str();
            if seen.contains(&key) && !matches!(key, "item" | "follow" | "paginate") {
                ctxt.error(item.span, format!("`{key}` is said twice"));
            }
            seen.push(key);
            model.take(item, &arguments, ctxt);
        }
        let has = |key: &str| seen.contains(&key);
        if !unread && !has("start") && !has("paginate") {
            ctxt.error(place, "the spider starts nowhere; add `start = \"https://...\"`");
        }
        if !unread && !["item", "follow", "paginate", "sitemap", "parse"].into_iter().any(has) {
            ctxt.error(
                place,
                "the spider takes nothing and follows nothing; add `item = ...` or `follow(css = \"...\")`",
            );
        }
        if model.items.len() > 1 && model.items.iter().any(|item| item.on.is_none()) {
            // Legal, but most often a mistake that doubles records.
            for item in model.items.iter().filter(|item| item.on.is_none()) {
                ctxt.error(
                    syn::spanned::Spanned::span(&item.ty),
                    "of several datasets each says of which pages it is: `item(Book, on = r\"/book/\")`; `on = \"\"` is all",
                );
            }
        }
        model
    }

    fn take(&mut self, item: &Item, arguments: &Arguments, ctxt: &Ctxt) {
        let key = item.key.as_str();
        let ident = syn::Ident::new_raw(key, Span::call_site());
        match key {
            "start" => match &item.value {
                Value::Path(path) if path.get_ident().is_some() => {
                    let name = path.get_ident().map(ToString::to_string).unwrap_or_default();
                    match arguments.find(&name) {
                        Ok(member) => self.starts.push(Start::Each(member)),
                        Err(message) => ctxt.error(item.value_span(), message),
                    }
                }
                _ => self.starts.extend(item.texts(ctxt).iter().filter_map(|text| Start::read(text, arguments, ctxt))),
            },
            "item" => self.item(item, ctxt),
            "follow" => self.follows.extend(follow(item, ctxt)),
            "paginate" => self.settings.extend(paginate(item, &self.krate, ctxt)),
            "allow" | "deny" => {
                let texts = patterns(item, ctxt);
                self.settings.push(quote!(spec.#ident = ::std::vec![#(#texts.into()),*];));
            }
            "hosts" => {
                let texts = item.texts(ctxt);
                self.settings.push(quote!(spec.hosts = ::std::vec![#(#texts.into()),*];));
            }
            "sitemap" | "adaptive" | "robots" | "meta_robots" => {
                let flag = item.flag(ctxt);
                self.settings.push(quote!(spec.#ident = #flag;));
            }
            "sitemap_since" => self.settings.extend(some(key, item.text(ctxt))),
            "logged_out" => {
                let text = item.text(ctxt);
                if let Some(text) = &text
                    && let Err(error) = crawlingo_schema::css::parse(&text.value())
                {
                    ctxt.error(text.span(), error);
                }
                self.settings.extend(some(key, text));
            }
            "max_pages"
            | "max_records"
            | "max_bytes"
            | "max_seconds"
            | "max_pages_per_host"
            | "max_pages_per_pattern" => {
                let number = item.number::<u64>(ctxt);
                if number == Some(0) {
                    ctxt.error(item.value_span(), format!("`{key}` of 0 would fetch nothing"));
                }
                self.settings.extend(some(key, number));
            }
            "max_depth" => self.settings.extend(some(key, item.number::<u32>(ctxt))),
            "retries" => self.settings.extend(item.number::<u32>(ctxt).map(|number| quote!(spec.retries = #number;))),
            "concurrency" | "concurrency_per_host" => {
                let number = item.number::<usize>(ctxt);
                if number.is_some_and(|number| !(1..=4096).contains(&number)) {
                    ctxt.error(item.value_span(), format!("`{key}` is a number from 1 to 4096"));
                }
                self.settings.extend(number.map(|number| quote!(spec.#ident = #number;)));
            }
            "rate_per_host" => {
                let Some(text) = item.text(ctxt) else { return };
                if let Err(error) = text.value().parse::<Rate>() {
                    ctxt.error(text.span(), error);
                }
                self.settings.push(quote!(spec.rate_per_host = ::core::option::Option::Some(#text.parse()?);));
            }
            "order" => {
                let krate = &self.krate;
                let orders = [("breadth", Order::Breadth), ("depth", Order::Depth)];
                self.settings.extend(choice(item, &orders.map(|(name, _)| name), ctxt).map(|name| {
                    let variant = if name == "depth" { quote!(Depth) } else { quote!(Breadth) };
                    quote!(spec.order = #krate::schema::Order::#variant;)
                }));
            }
            "on_invalid" => {
                let krate = &self.krate;
                let all = [OnInvalid::Quarantine, OnInvalid::Drop, OnInvalid::Fail];
                let names = ["quarantine", "drop", "fail"];
                self.settings.extend(choice(item, &names, ctxt).map(|name| {
                    let variant = match names.iter().position(|other| *other == name).and_then(|at| all.get(at)) {
                        Some(OnInvalid::Drop) => quote!(Drop),
                        Some(OnInvalid::Fail) => quote!(Fail),
                        _ => quote!(Quarantine),
                    };
                    quote!(spec.on_invalid = #krate::schema::OnInvalid::#variant;)
                }));
            }
            "parse" => self.parse = path(item, ctxt),
            "login" => self.login = path(item, ctxt),
            "name" => {
                if let Some(name) = item.text(ctxt) {
                    self.name = name.value();
                }
            }
            "crate" => {}
            _ => unknown(item, KEYS, "spider", ctxt),
        }
    }

    fn item(&mut self, item: &Item, ctxt: &Ctxt) {
        match &item.value {
            Value::Path(path) => {
                self.items.push(Taken { ty: syn::parse_quote!(#path), on: None });
            }
            Value::Typed(ty, keys) => {
                let mut on = None;
                for key in keys {
                    match key.key.as_str() {
                        "on" => on = key.text(ctxt),
                        _ => unknown(key, &["on"], "item", ctxt),
                    }
                }
                if let Some(text) = &on
                    && let Err(error) = pattern::parse(&text.value())
                {
                    ctxt.error(text.span(), error);
                }
                self.items.push(Taken { ty: (**ty).clone(), on });
            }
            _ => ctxt
                .error(item.value_span(), "`item` takes a dataset: `item = Book`, or `item(Book, on = r\"/book/\")`"),
        }
    }
}

fn choice(item: &Item, names: &[&'static str], ctxt: &Ctxt) -> Option<&'static str> {
    let text = item.text(ctxt)?;
    let found = names.iter().find(|name| **name == text.value()).copied();
    if found.is_none() {
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        ctxt.error(text.span(), format!("`{}` is {}", item.key, names.join(" or ")));
    }
    found
}

const RULE_KEYS: &[&str] = &["css", "xpath", "attr", "allow", "deny", "depth", "priority", "nofollow"];

fn follow(item: &Item, ctxt: &Ctxt) -> Option<Follow> {
    let mut rule = Follow {
        rule: FollowRule::new(Selector::css("a")),
        allow: Vec::new(),
        deny: Vec::new(),
        depth: None,
        priority: 0,
        nofollow: false,
    };
    let Value::Items(keys) = &item.value else {
        let text = item.text(ctxt)?;
        rule.rule.selector = Selector::css(text.value());
        return check_rule(rule, text.span(), ctxt);
    };
    let mut parts = Parts::default();
    for key in keys {
        match key.key.as_str() {
            "allow" => rule.allow = patterns(key, ctxt),
            "deny" => rule.deny = patterns(key, ctxt),
            "depth" => rule.depth = key.number(ctxt),
            "nofollow" => rule.nofollow = key.flag(ctxt),
            "priority" => match &key.value {
                Value::Literal(Lit::Int(number), negative) => match number.base10_parse::<i32>() {
                    Ok(number) => rule.priority = if *negative { -number } else { number },
                    Err(error) => ctxt.push(error),
                },
                _ => ctxt.error(key.value_span(), "`priority` takes a whole number: `priority = 10`"),
            },
            _ if parts.take(key, ctxt) => {}
            _ => unknown(key, RULE_KEYS, "follow", ctxt),
        }
    }
    let selector = parts.selector(item.span, ctxt)?;
    rule.rule.selector = selector.value;
    check_rule(rule, selector.span, ctxt)
}

fn check_rule(rule: Follow, span: Span, ctxt: &Ctxt) -> Option<Follow> {
    match rule.rule.check_selector() {
        Ok(()) => Some(rule),
        Err(error) => {
            ctxt.error(span, error);
            None
        }
    }
}

const PAGE_KEYS: &[&str] = &["url", "pattern", "first", "last", "step", "cursor", "body", "stop_when_empty"];

fn paginate(item: &Item, krate: &Path, ctxt: &Ctxt) -> Option<TokenStream> {
    let Value::Items(keys) = &item.value else {
        ctxt.error(item.value_span(), "`paginate` takes keys: `paginate(url = \"https://.../{page}\")`");
        return None;
    };
    // The same rule twice: here, to check it, and as the code that makes it.
    let mut rule = Paginate::default();
    let mut code = Vec::new();
    for key in keys {
        let ident = syn::Ident::new(&key.key, key.span);
        match key.key.as_str() {
            "url" | "pattern" | "cursor" | "body" => {
                let Some(text) = key.text(ctxt) else { continue };
                let value = Some(text.value());
                match key.key.as_str() {
                    "url" => rule.url = value,
                    "pattern" => rule.pattern = value,
                    "cursor" => rule.cursor = value,
                    _ => rule.body = value,
                }
                code.push(quote!(rule.#ident = ::core::option::Option::Some(#text.into());));
            }
            "last" => {
                rule.last = key.number(ctxt);
                code.extend(rule.last.map(|last| quote!(rule.last = ::core::option::Option::Some(#last);)));
            }
            "first" | "step" => {
                let Some(number) = key.number::<u64>(ctxt) else { continue };
                if key.key == "step" {
                    rule.step = number;
                }
                code.push(quote!(rule.#ident = #number;));
            }
            "stop_when_empty" => {
                let flag = key.flag(ctxt);
                code.push(quote!(rule.stop_when_empty = #flag;));
            }
            _ => unknown(key, PAGE_KEYS, "paginate", ctxt),
        }
    }
    if let Err(error) = rule.check() {
        ctxt.error(item.span, error);
        return None;
    }
    Some(quote! {{
        let mut rule = #krate::schema::Paginate::default();
        #(#code)*
        spec.paginate.push(rule);
    }})
}

//! One selector: its keys, put together and checked.

use crawlingo_schema::{QUERY_KEYS, Query, RegexOn, Selector, Take};
use proc_macro2::Span;
use syn::LitStr;

use crate::ast::Spanned;
use crate::attr::Item;
use crate::ctxt::Ctxt;

/// The parts of one selector as they are met.
#[derive(Default)]
pub(crate) struct Parts {
    query: Option<(String, LitStr)>,
    clash: bool,
    on: Option<Spanned<RegexOn>>,
    exact: Option<Span>,
    ignore_case: Option<Span>,
    within: Option<Spanned<String>>,
    take: Option<Spanned<Take>>,
}

impl Parts {
    pub(crate) fn is_empty(&self) -> bool {
        self.query.is_none()
            && self.on.is_none()
            && self.exact.is_none()
            && self.ignore_case.is_none()
            && self.within.is_none()
            && self.take.is_none()
    }

    /// Takes a key of a selector; `false` if it is none.
    pub(crate) fn take(&mut self, item: &Item, ctxt: &Ctxt) -> bool {
        let key = item.key.as_str();
        if QUERY_KEYS.contains(&key) {
            let Some(text) = item.text(ctxt) else {
                self.clash = true;
                return true;
            };
            if let Some((first, _)) = &self.query {
                self.clash = true;
                let what = match first == key {
                    true => format!("`{key}` is said twice"),
                    false => format!("`{first}` and `{key}` are two selectors"),
                };
                ctxt.error(item.span, format!("{what}; give each its own `#[selector(...)]`, to be tried in order"));
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
                if let Some(text) = item.text(ctxt) {
                    match crawlingo_schema::css::parse(&text.value()) {
                        Ok(_) => self.within = Some(Spanned { value: text.value(), span: item.span }),
                        Err(error) => ctxt.error(text.span(), error),
                    }
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

    pub(crate) fn selector(self, span: Span, ctxt: &Ctxt) -> Option<Spanned<Selector>> {
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
        // First the expression alone, so that its fault is shown at it; then with what else is said.
        if !check_selector(&selector, text.span(), ctxt) {
            return None;
        }
        if let Some(within) = self.within {
            let narrowed = selector.clone().within(within.value);
            if check_selector(&narrowed, within.span, ctxt) {
                selector = narrowed;
            }
        }
        if let Some(take) = self.take {
            selector = selector.take(take.value);
            check_selector(&selector, take.span, ctxt);
        }
        Some(Spanned { value: selector, span: text.span() })
    }
}

pub(crate) fn check_selector(selector: &Selector, span: Span, ctxt: &Ctxt) -> bool {
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

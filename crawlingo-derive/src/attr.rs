//! The attributes as written: keys and values with their places.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitBool, LitInt, LitStr, Path, Token, Type};

use crate::ctxt::Ctxt;

/// What stands behind a key.
pub(crate) enum Value {
    /// Nothing: a flag.
    None,
    /// `= literal`, a negative number included.
    Literal(Lit, bool),
    /// `= path::to::function`.
    Path(Path),
    /// `= ["a", "b"]`.
    List(Vec<LitStr>, Span),
    /// `(key = value, ..)`.
    Items(Vec<Item>),
    /// `item(Type, key = value, ..)`: the one key whose list begins with a type.
    Typed(Box<Type>, Vec<Item>),
    /// `= something else`.
    Other(Span),
}

/// A key and its value.
pub(crate) struct Item {
    pub(crate) key: String,
    pub(crate) span: Span,
    pub(crate) value: Value,
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let text: LitStr = input.parse()?;
            return Err(syn::Error::new(
                text.span(),
                format!("a key is missing in front of it: `css = {:?}`", text.value()),
            ));
        }
        let key = input.call(Ident::parse_any)?;
        let span = key.span();
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            if input.is_empty() || input.peek(Token![,]) {
                return Err(syn::Error::new(span, format!("`{key}` needs a value behind the `=`")));
            }
            value(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let inner;
            syn::parenthesized!(inner in input);
            let ty = match key == "item" {
                true => Some(inner.parse::<Type>()?),
                false => None,
            };
            if ty.is_some() && !inner.is_empty() {
                inner.parse::<Token![,]>()?;
            }
            let items = Punctuated::<Item, Token![,]>::parse_terminated(&inner)?.into_iter().collect();
            match ty {
                Some(ty) => Value::Typed(Box::new(ty), items),
                None => Value::Items(items),
            }
        } else {
            Value::None
        };
        Ok(Self { key: key.unraw().to_string(), span, value })
    }
}

fn value(expr: Expr) -> Value {
    let span = syn::spanned::Spanned::span(&expr);
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => Value::Literal(lit, false),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => match *unary.expr {
            Expr::Lit(ExprLit { lit, .. }) => Value::Literal(lit, true),
            _ => Value::Other(span),
        },
        Expr::Path(path) => Value::Path(path.path),
        Expr::Array(array) => {
            let texts = array.elems.into_iter().map(|elem| match elem {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
                _ => None,
            });
            match texts.collect::<Option<Vec<_>>>() {
                Some(texts) => Value::List(texts, span),
                None => Value::Other(span),
            }
        }
        _ => Value::Other(span),
    }
}

/// The items of the attributes of that name, one list for each attribute.
pub(crate) fn read(attrs: &[Attribute], name: &str, ctxt: &Ctxt) -> Vec<(Span, Vec<Item>)> {
    let mut found = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(name)) {
        let span = syn::spanned::Spanned::span(attr.path());
        match attr.parse_args_with(Punctuated::<Item, Token![,]>::parse_terminated) {
            Ok(items) => found.push((span, items.into_iter().collect())),
            Err(error) => ctxt.push(error),
        }
    }
    found
}

impl Item {
    /// The value as text.
    pub(crate) fn text(&self, ctxt: &Ctxt) -> Option<LitStr> {
        match &self.value {
            Value::Literal(Lit::Str(text), _) => Some(text.clone()),
            _ => {
                ctxt.error(self.value_span(), format!("`{}` takes a text: `{} = \"...\"`", self.key, self.key));
                None
            }
        }
    }

    /// The value as a flag: alone, `= true` or `= false`.
    pub(crate) fn flag(&self, ctxt: &Ctxt) -> bool {
        match &self.value {
            Value::None => true,
            Value::Literal(Lit::Bool(LitBool { value, .. }), _) => *value,
            _ => {
                ctxt.error(self.value_span(), format!("`{}` stands alone, or with `= true` or `= false`", self.key));
                false
            }
        }
    }

    /// The value as one text or several.
    pub(crate) fn texts(&self, ctxt: &Ctxt) -> Vec<LitStr> {
        match &self.value {
            Value::List(texts, _) => texts.clone(),
            _ => self.text(ctxt).into_iter().collect(),
        }
    }

    /// The value as a small number.
    pub(crate) fn number<N: std::str::FromStr<Err: std::fmt::Display>>(&self, ctxt: &Ctxt) -> Option<N> {
        let parsed = match &self.value {
            Value::Literal(Lit::Int(number), false) => LitInt::base10_parse(number).ok(),
            _ => None,
        };
        if parsed.is_none() {
            ctxt.error(self.value_span(), format!("`{}` takes a whole number: `{} = 2`", self.key, self.key));
        }
        parsed
    }

    pub(crate) fn value_span(&self) -> Span {
        match &self.value {
            Value::None | Value::Items(_) | Value::Typed(..) => self.span,
            Value::Literal(lit, _) => lit.span(),
            Value::Path(path) => syn::spanned::Spanned::span(path),
            Value::List(_, span) | Value::Other(span) => *span,
        }
    }
}

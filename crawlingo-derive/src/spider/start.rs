//! Where a spider starts: texts with the struct's fields in them.

use crawlingo_schema::suggest;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, LitStr, Member, Path};

use crate::ctxt::Ctxt;

/// One start.
pub(crate) enum Start {
    /// A text, cut at its fields.
    Template(Vec<Piece>),
    /// Each URL of a field that is a collection.
    Each(Member),
}

pub(crate) enum Piece {
    Text(String),
    /// A field, percent-encoded.
    Encoded(Member),
    /// A field as it is: the address begins with it.
    Plain(Member),
}

/// The struct's fields by name.
pub(crate) struct Arguments(Vec<(String, Member)>);

impl Arguments {
    pub(crate) fn of(fields: &Fields) -> Self {
        let named = fields.members().map(|member| match &member {
            Member::Named(ident) => (syn::ext::IdentExt::unraw(ident).to_string(), member),
            Member::Unnamed(index) => (index.index.to_string(), member),
        });
        Self(named.collect())
    }

    pub(crate) fn find(&self, name: &str) -> Result<Member, String> {
        if let Some((_, member)) = self.0.iter().find(|(other, _)| other == name) {
            return Ok(member.clone());
        }
        let message = format!("`{name}` is no field of the spider");
        Err(match suggest(name, self.0.iter().map(|(name, _)| name.as_str())) {
            Some(meant) => format!("{message}; did you mean `{meant}`?"),
            None if self.0.is_empty() => {
                format!("{message}, which has none; for a brace that belongs to the address write %7B and %7D")
            }
            None => message,
        })
    }
}

impl Start {
    pub(crate) fn read(text: &LitStr, arguments: &Arguments, ctxt: &Ctxt) -> Option<Self> {
        match pieces(&text.value(), arguments) {
            Ok(pieces) => Some(Self::Template(pieces)),
            Err(message) => {
                ctxt.error(text.span(), message);
                None
            }
        }
    }

    pub(crate) fn expand(&self, krate: &Path) -> TokenStream {
        match self {
            Self::Each(member) => quote! {
                for url in &self.#member {
                    spec.start.push(::std::string::ToString::to_string(url));
                }
            },
            Self::Template(pieces) => {
                let pieces = pieces.iter().map(|piece| match piece {
                    Piece::Text(text) => quote!(start.push_str(#text);),
                    Piece::Encoded(member) => quote!(#krate::__private::push_encoded(&mut start, &self.#member);),
                    Piece::Plain(member) => {
                        quote!(start.push_str(&::std::string::ToString::to_string(&self.#member));)
                    }
                });
                quote! {{
                    let mut start = ::std::string::String::new();
                    #(#pieces)*
                    spec.start.push(start);
                }}
            }
        }
    }
}

fn pieces(text: &str, arguments: &Arguments) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at(at);
        let end = after.find('}').filter(|_| after.starts_with('{'));
        let end = end.ok_or("a brace is open or closed alone; a field stands as `{name}`, a brace as %7B or %7D")?;
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        let member = arguments.find(after[1..end].trim())?;
        pieces.push(match pieces.is_empty() {
            true => Piece::Plain(member),
            false => Piece::Encoded(member),
        });
        rest = &after[end + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    match pieces.first() {
        None => Err("the start is empty".to_owned()),
        Some(Piece::Text(text)) if !text.starts_with("http://") && !text.starts_with("https://") => {
            Err("a start is a URL with its scheme: `https://example.org/`".to_owned())
        }
        _ => Ok(pieces),
    }
}

//! The generated code.

use crawlingo_schema::{DateOrder, HealMode, Query, RegexOn, Selector, Take, Transform};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{DeriveInput, GenericParam, Lit};

use crate::ast::{Container, FieldModel};
use crate::check::{inner, outer};

pub(crate) fn expand(input: &DeriveInput, container: &Container, fields: &[FieldModel]) -> TokenStream {
    let krate = &container.krate;
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    let params: Vec<syn::Ident> = generics.type_params().map(|param| param.ident.clone()).collect();
    for bound in bounds(fields, &params) {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#bound: #krate::dataset::FieldType));
    }
    for param in &params {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#param: 'static));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let builders = fields.iter().map(|field| field_builder(field, container));
    let takes = fields.iter().enumerate().map(|(at, field)| take(field, at, container));
    let values = fields.iter().map(|field| into_value(field, container));
    let names = fields.iter().map(|field| &field.name);
    let asserts = asserts(fields, container);
    let (outside, inside) = match is_generic(input) {
        true => (quote!(), quote!(#(const { #asserts })*)),
        false => (quote!(#(const _: () = #asserts;)*), quote!()),
    };
    let name = &container.name;
    let each = container.each.as_ref().map(|each| {
        let selector = selector(&each.value, &container.krate);
        quote!(.each(#selector))
    });
    let version = container.version.map(|version| quote!(.version(#version)));
    let description = container.description.as_ref().map(|text| quote!(.describe(#text)));
    let keys = container.key.iter().map(|key| quote!(.key(#key)));

    quote! {
        const _: () = {
            #outside
            #[automatically_derived]
            impl #impl_generics #krate::dataset::Dataset for #ident #ty_generics #where_clause {
                fn schema() -> ::std::sync::Arc<#krate::schema::Schema> {
                    #inside
                    #krate::__private::schema_of::<Self>(#name, || {
                        #krate::schema::Schema::builder(#name)
                            #each #version #description #(#keys)*
                            #(.field(#builders))*
                            .build_unchecked()
                    })
                }

                fn from_record(mut record: #krate::dataset::Record) -> ::core::result::Result<Self, #krate::Error> {
                    #krate::__private::check_record(&record, #name, &[#(#names),*])?;
                    ::core::result::Result::Ok(Self { #(#takes),* })
                }

                fn into_record(self) -> #krate::dataset::Record {
                    #krate::dataset::Record::new(
                        <Self as #krate::dataset::Dataset>::schema(),
                        ::std::vec![#(#values),*],
                    )
                }
            }

            #[automatically_derived]
            impl #impl_generics #krate::dataset::FieldType for #ident #ty_generics #where_clause {
                const NESTED: bool = true;

                fn shape() -> #krate::schema::Shape {
                    #krate::__private::nested_shape::<Self>()
                }

                fn from_value(value: #krate::value::Value) -> ::core::result::Result<Self, #krate::value::ConvertError> {
                    #krate::__private::nested_from_value::<Self>(value)
                }

                fn into_value(self) -> #krate::value::Value {
                    #krate::__private::nested_into_value(self)
                }
            }
        };
    }
}

pub(crate) fn is_generic(input: &DeriveInput) -> bool {
    input.generics.params.iter().any(|param| matches!(param, GenericParam::Type(_) | GenericParam::Const(_)))
}

/// What has to be a field's type: the parameters that fields mention, and what is associated with them. Not the fields'
/// own types, for a dataset that holds itself would then depend on itself.
fn bounds(fields: &[FieldModel], params: &[syn::Ident]) -> Vec<TokenStream> {
    let mut found: Vec<TokenStream> = Vec::new();
    for field in fields.iter().filter(|field| field.parse.is_none()) {
        let ty = &field.ty;
        let mut mentioned = Vec::new();
        if !mentions(quote!(#ty), params, &mut mentioned) {
            // `<T as Trait>::Item`: the whole.
            mentioned = vec![quote!(#ty)];
        }
        for bound in mentioned {
            if !found.iter().any(|other| other.to_string() == bound.to_string()) {
                found.push(bound);
            }
        }
    }
    found
}

/// Collects `T` and `T::Item`; `false` if a parameter stands in any other way.
fn mentions(tokens: TokenStream, params: &[syn::Ident], found: &mut Vec<TokenStream>) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    let (mut colons, mut plain) = (0, true);
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => plain &= mentions(group.stream(), params, found),
            // A path such as `other::T` names something else.
            TokenTree::Ident(ident) if colons < 2 && params.contains(&ident) => {
                let mut bound = quote!(#ident);
                while matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':') {
                    bound.extend(tokens.by_ref().take(3));
                }
                plain &= !matches!(tokens.peek(), Some(TokenTree::Ident(next)) if next == "as");
                found.push(bound);
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            _ => colons = 0,
        }
    }
    plain
}

/// What the type alone knows: whether it is a dataset, held against what the attributes say.
pub(crate) fn asserts(fields: &[FieldModel], container: &Container) -> Vec<TokenStream> {
    fields.iter().flat_map(|field| field_asserts(field, container)).collect()
}

fn field_asserts(field: &FieldModel, container: &Container) -> Vec<TokenStream> {
    if field.with.is_some() || field.parse.is_some() || (field.attempted && field.selectors.is_empty()) {
        return Vec::new();
    }
    let (name, ty) = (&field.ident, &field.ty);
    let nested = |span: Span| {
        let krate = at(&container.krate, span);
        quote_spanned!(span=> <#ty as #krate::dataset::FieldType>::NESTED)
    };
    if field.selectors.is_empty() {
        let message = format!(
            "the field `{name}` has no selector, and its type is no dataset; add one: #[selector(css = \"...\")]"
        );
        let nested = nested(name.span());
        return vec![quote_spanned!(name.span()=> ::core::assert!(#nested, #message))];
    }
    let never = |span: Span, message: String| {
        let nested = nested(span);
        quote_spanned!(span=> ::core::assert!(!#nested, #message))
    };
    let mut asserts = Vec::new();
    if let Some(text) = field.selectors.iter().find(|selector| selector.gives_text()) {
        asserts.push(never(text.span, format!("the field `{name}` is a dataset and needs an element, and this selector gives a text; select the element with css or xpath")));
    }
    if let Some((default, _)) = &field.default {
        asserts.push(never(default.span(), format!("the field `{name}` is a dataset and takes no default; make it an `Option`, and give the fields inside of it defaults")));
    }
    if let Some(step) = field.transforms_span {
        asserts.push(never(step, format!("the field `{name}` is a dataset, and steps such as `trim` are for texts; write them at the fields inside of it")));
    }
    asserts
}

/// The path with another place, so that errors of the compiler stand there.
fn at(path: &syn::Path, span: Span) -> TokenStream {
    let tokens = quote!(#path).into_iter();
    tokens
        .map(|mut token| {
            token.set_span(span.resolved_at(token.span()));
            token
        })
        .collect()
}

/// The shape that the field asks the engine for.
fn shape(field: &FieldModel, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let ty = &field.ty;
    if let Some(with) = &field.with {
        let krate = at(krate, with.span());
        let missing = may_be_missing(ty);
        return quote_spanned!(with.span()=> #krate::__private::shape_with::<_, _, #ty>(&#with, #missing));
    }
    if field.parse.is_some() {
        let one = quote!(#krate::schema::Shape::one(#krate::schema::Kind::Text));
        return match outer(ty) {
            Some("Option") => quote!(#one.optional()),
            Some("Vec") => quote!(#one.many()),
            _ => one,
        };
    }
    quote_spanned!(ty.span()=> <#ty as #krate::dataset::FieldType>::shape())
}

fn may_be_missing(ty: &syn::Type) -> bool {
    matches!(outer(ty), Some("Option" | "Vec"))
}

fn field_builder(field: &FieldModel, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let shape = shape(field, container);
    let name = &field.name;
    let selectors = field.selectors.iter().map(|found| selector(&found.value, &container.krate));
    let options = &field.options;
    let text = |text: &Option<syn::LitStr>| match text {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    let (currency, region, language) = (text(&options.currency), text(&options.region), text(&options.language));
    let order = match options.date_order.as_ref().map(|order| order.value) {
        None => quote!(::core::option::Option::None),
        Some(DateOrder::Dmy) => quote!(::core::option::Option::Some(#krate::schema::DateOrder::Dmy)),
        Some(DateOrder::Mdy) => quote!(::core::option::Option::Some(#krate::schema::DateOrder::Mdy)),
        Some(DateOrder::Ymd) => quote!(::core::option::Option::Some(#krate::schema::DateOrder::Ymd)),
    };
    let description = field.description.as_ref().map(|text| quote!(.describe(#text)));
    let default = field.default.as_ref().map(|(lit, negative)| match (lit, negative) {
        (Lit::Str(_) | Lit::Bool(_), _) | (_, false) => quote!(.default_value(#lit)),
        (_, true) => quote!(.default_value(-#lit)),
    });
    let transforms = field.transforms.iter().map(|step| {
        let step = transform(step, container);
        quote!(.transform(#step))
    });
    let finds_elements = field.selectors.iter().any(|selector| selector.value.query.finds_elements());
    let heal = match &field.heal {
        Some(heal) => heal.value,
        None if finds_elements => container.heal,
        None => HealMode::Off,
    };
    let heal = match heal {
        HealMode::Off => quote!(),
        HealMode::Suggest => quote!(.heal(#krate::schema::HealMode::Suggest)),
        HealMode::Bind => quote!(.heal(#krate::schema::HealMode::Bind)),
    };
    let host = field.with.as_ref().map(|_| quote!(.host_transform()));
    quote! {
        #krate::__private::field(
            #name,
            #shape,
            ::std::vec![#(#selectors),*],
            #krate::__private::KindOptions { currency: #currency, region: #region, language: #language, date_order: #order },
        )
        #description #default #(#transforms)* #heal #host
    }
}

pub(crate) fn selector(selector: &Selector, krate: &syn::Path) -> TokenStream {
    let start = quote!(#krate::schema::Selector);
    let text = selector.query.expression();
    let anchor = |name: TokenStream, exact: bool, ignore_case: bool| {
        let exact = exact.then(|| quote!(.exact()));
        let ignore_case = ignore_case.then(|| quote!(.ignore_case()));
        quote!(#start::#name(#text) #exact #ignore_case)
    };
    let query = match &selector.query {
        Query::Css(_) => quote!(#start::css(#text)),
        Query::XPath(_) => quote!(#start::xpath(#text)),
        Query::Regex { on: RegexOn::Html, .. } => quote!(#start::regex(#text).on_html()),
        Query::Regex { .. } => quote!(#start::regex(#text)),
        Query::Text { exact, ignore_case, .. } => anchor(quote!(text), *exact, *ignore_case),
        Query::AfterText { exact, ignore_case, .. } => anchor(quote!(after_text), *exact, *ignore_case),
        Query::BeforeText { exact, ignore_case, .. } => anchor(quote!(before_text), *exact, *ignore_case),
        Query::JsonLd(_) => quote!(#start::jsonld(#text)),
        Query::Meta(_) => quote!(#start::meta(#text)),
        Query::Microdata(_) => quote!(#start::microdata(#text)),
        _ => quote!(#start::json(#text)),
    };
    let take = match &selector.take {
        Take::OwnText => quote!(.take(#krate::schema::Take::OwnText)),
        Take::Html => quote!(.take(#krate::schema::Take::Html)),
        Take::OuterHtml => quote!(.take(#krate::schema::Take::OuterHtml)),
        Take::Markdown => quote!(.take(#krate::schema::Take::Markdown)),
        Take::Attr(name) => quote!(.attr(#name)),
        _ => quote!(),
    };
    let within = selector.within.as_ref().map(|within| quote!(.within(#within)));
    quote!(#query #take #within)
}

fn transform(step: &Transform, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let path = quote!(#krate::schema::Transform);
    match step {
        Transform::Strip(text) => quote!(#path::Strip(#text.into())),
        Transform::Split(text) => quote!(#path::Split(#text.into())),
        Transform::Join(text) => quote!(#path::Join(#text.into())),
        Transform::Replace { from, to } => quote!(#path::Replace { from: #from.into(), to: #to.into() }),
        Transform::Lower => quote!(#path::Lower),
        Transform::Upper => quote!(#path::Upper),
        _ => quote!(#path::Trim),
    }
}

/// `field: the value at its position`.
fn take(field: &FieldModel, at_position: usize, container: &Container) -> TokenStream {
    let (ident, ty) = (&field.ident, &field.ty);
    if let Some(with) = &field.with {
        let krate = at(&container.krate, with.span());
        let function = match may_be_missing(ty) {
            true => quote!(take_with_or_none),
            false => quote!(take_with),
        };
        return quote_spanned!(with.span()=> #ident: #krate::__private::#function::<_, _, #ty>(&mut record, #at_position, &#with)?);
    }
    let krate = at(&container.krate, ty.span());
    if field.parse.is_some() {
        let function = match outer(ty) {
            Some("Option") => quote!(parse_optional),
            Some("Vec") => quote!(parse_many),
            _ => quote!(parse_one),
        };
        let item = item(ty);
        return quote_spanned!(ty.span()=> #ident: #krate::__private::#function::<#item>(&mut record, #at_position)?);
    }
    quote_spanned! {ty.span()=>
        #ident: {
            let value = record.take(#at_position);
            #krate::__private::value(<#ty as #krate::dataset::FieldType>::from_value(value), &record, #at_position)?
        }
    }
}

/// What is inside of `Option` and `Vec`.
fn item(ty: &syn::Type) -> &syn::Type {
    inner(ty).filter(|_| may_be_missing(ty)).unwrap_or(ty)
}

fn into_value(field: &FieldModel, container: &Container) -> TokenStream {
    let (ident, ty) = (&field.ident, &field.ty);
    let krate = at(&container.krate, ty.span());
    if field.with.is_some() {
        return quote_spanned! {ty.span()=> {
            #[allow(unused_imports)]
            use #krate::__private::{ByDisplay as _, ByFieldType as _, BySerialize as _};
            #krate::__private::Out(self.#ident).__crawlingo_out()
        }};
    }
    if field.parse.is_some() {
        let function = match outer(ty) {
            Some("Option") => quote!(shown_optional),
            Some("Vec") => quote!(shown_many),
            _ => quote!(shown_one),
        };
        let item = item(ty);
        return quote_spanned!(ty.span()=> #krate::__private::#function::<#item>(self.#ident));
    }
    quote_spanned!(ty.span()=> <#ty as #krate::dataset::FieldType>::into_value(self.#ident))
}

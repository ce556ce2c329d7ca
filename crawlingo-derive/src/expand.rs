//! The generated code.

use crawlingo_schema::{DateOrder, HealMode, Query, RegexOn, Selector, Take, Transform};
use proc_macro2::TokenStream;
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
    for field in fields {
        let ty = &field.ty;
        // Only fields that mention a parameter need a bound; on others it would hide better errors.
        if field.with.is_none() && field.parse.is_none() && mentions(ty, &params) {
            generics.make_where_clause().predicates.push(syn::parse_quote!(#ty: #krate::dataset::FieldType));
        }
    }
    for param in &params {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#param: 'static));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let generic =
        input.generics.params.iter().any(|param| matches!(param, GenericParam::Type(_) | GenericParam::Const(_)));

    let builders = fields.iter().map(|field| field_builder(field, container));
    let takes = fields.iter().enumerate().map(|(at, field)| take(field, at, container));
    let values = fields.iter().map(|field| into_value(field, container));
    let asserts: Vec<TokenStream> = fields.iter().filter_map(|field| assert(field, container)).collect();
    let (outside, inside) = match generic {
        true => (quote!(), quote!(#(const { #asserts })*)),
        false => (quote!(#(const _: () = #asserts;)*), quote!()),
    };
    let name = &container.name;
    let each = container.each.as_ref().map(|each| {
        let selector = selector(&each.value, container);
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

fn mentions(ty: &syn::Type, params: &[syn::Ident]) -> bool {
    fn any(tokens: TokenStream, params: &[syn::Ident]) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => params.contains(&ident),
            proc_macro2::TokenTree::Group(group) => any(group.stream(), params),
            _ => false,
        })
    }
    any(quote!(#ty), params)
}

/// What the type alone knows: whether it is a dataset, held against what the selectors give.
fn assert(field: &FieldModel, container: &Container) -> Option<TokenStream> {
    if field.with.is_some() || field.parse.is_some() {
        return None;
    }
    let krate = &container.krate;
    let ty = &field.ty;
    if field.selectors.is_empty() {
        let message = format!(
            "the field `{}` has no selector, and its type is no dataset; add one: #[selector(css = \"...\")]",
            field.ident
        );
        return Some(
            quote_spanned!(field.ident.span()=> ::core::assert!(<#ty as #krate::dataset::FieldType>::NESTED, #message)),
        );
    }
    let text = field.selectors.iter().find(|selector| selector.gives_text())?;
    let message = format!(
        "the field `{}` is a dataset and needs an element, and this selector gives a text; select the element with css or xpath",
        field.ident
    );
    Some(quote_spanned!(text.span=> ::core::assert!(!<#ty as #krate::dataset::FieldType>::NESTED, #message)))
}

/// The shape that the field asks the engine for.
fn shape(field: &FieldModel, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let ty = &field.ty;
    if let Some(with) = &field.with {
        return quote_spanned!(with.span()=> #krate::__private::shape_of_argument(#with as fn(_) -> _));
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

fn field_builder(field: &FieldModel, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let shape = shape(field, container);
    let name = &field.name;
    let selectors = field.selectors.iter().map(|found| selector(&found.value, container));
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

fn selector(selector: &Selector, container: &Container) -> TokenStream {
    let krate = &container.krate;
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
fn take(field: &FieldModel, at: usize, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let (ident, ty) = (&field.ident, &field.ty);
    if let Some(with) = &field.with {
        return quote_spanned!(with.span()=> #ident: #krate::__private::take_with::<_, _, #ty>(&mut record, #at, #with)?);
    }
    if field.parse.is_some() {
        let function = match outer(ty) {
            Some("Option") => quote!(parse_optional),
            Some("Vec") => quote!(parse_many),
            _ => quote!(parse_one),
        };
        let item = inner(ty).filter(|_| matches!(outer(ty), Some("Option" | "Vec"))).unwrap_or(ty);
        return quote_spanned!(ty.span()=> #ident: #krate::__private::#function::<#item>(&mut record, #at)?);
    }
    quote_spanned!(ty.span()=> #ident: #krate::__private::take::<#ty>(&mut record, #at)?)
}

fn into_value(field: &FieldModel, container: &Container) -> TokenStream {
    let krate = &container.krate;
    let (ident, ty) = (&field.ident, &field.ty);
    if field.parse.is_some() {
        let function = match outer(ty) {
            Some("Option") => quote!(shown_optional),
            Some("Vec") => quote!(shown_many),
            _ => quote!(shown_one),
        };
        return quote_spanned!(ty.span()=> #krate::__private::#function(self.#ident));
    }
    quote_spanned!(ty.span()=> <#ty as #krate::dataset::FieldType>::into_value(self.#ident))
}

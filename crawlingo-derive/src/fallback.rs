//! Impls for a struct that has errors, so that the code that uses it adds none of its own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::ast::{Container, FieldModel};
use crate::expand::{asserts, is_generic};

pub(crate) fn expand(input: &DeriveInput, container: &Container, fields: &[FieldModel]) -> TokenStream {
    let krate = &container.krate;
    // What only the types know is told as well, in the same compile.
    let asserts = match is_generic(input) {
        true => Vec::new(),
        false => asserts(fields, container),
    };
    let ident = &input.ident;
    let mut generics = input.generics.clone();
    for param in input.generics.type_params().map(|param| param.ident.clone()) {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#param: 'static));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        const _: () = {
            #(const _: () = #asserts;)*
            #[automatically_derived]
            impl #impl_generics #krate::dataset::Dataset for #ident #ty_generics #where_clause {
                fn schema() -> ::std::sync::Arc<#krate::schema::Schema> { ::core::unreachable!() }
                fn from_record(_: #krate::dataset::Record) -> ::core::result::Result<Self, #krate::Error> { ::core::unreachable!() }
                fn into_record(self) -> #krate::dataset::Record { ::core::unreachable!() }
            }
            #[automatically_derived]
            impl #impl_generics #krate::dataset::FieldType for #ident #ty_generics #where_clause {
                const NESTED: bool = true;
                fn shape() -> #krate::schema::Shape { ::core::unreachable!() }
                fn from_value(_: #krate::value::Value) -> ::core::result::Result<Self, #krate::value::ConvertError> { ::core::unreachable!() }
                fn into_value(self) -> #krate::value::Value { ::core::unreachable!() }
            }
        };
    }
}

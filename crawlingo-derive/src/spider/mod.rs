//! `#[derive(Spider)]`: attributes to a checked model to the code that makes a `SpiderSpec`.

mod model;
mod start;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, DeriveInput};

use crate::ctxt::Ctxt;
use crate::expand::selector;
use model::{Follow, Model};

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::new();
    if let Data::Enum(_) | Data::Union(_) = &input.data {
        ctxt.error(input.ident.span(), "a spider is a struct; its fields are the arguments of its start");
    }
    let model = Model::read(input, &ctxt);
    match ctxt.check() {
        Ok(()) => expand(input, &model),
        Err(error) => {
            let error = error.into_compile_error();
            let fallback = implement(input, &model, &quote!(::core::unreachable!()), &TokenStream::new());
            quote!(#error #fallback)
        }
    }
}

fn implement(input: &DeriveInput, model: &Model, spec: &TokenStream, more: &TokenStream) -> TokenStream {
    let krate = &model.krate;
    let item = match model.items.as_slice() {
        [only] => {
            let ty = &only.ty;
            quote!(#ty)
        }
        _ => quote!(#krate::dataset::Record),
    };
    let ident = &input.ident;
    let (impl_generics, ty_generics, where_clause) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::crawl::Spider for #ident #ty_generics #where_clause {
            type Item = #item;

            fn spec(&self) -> ::core::result::Result<#krate::schema::SpiderSpec, #krate::Error> {
                #spec
            }

            #more
        }
    }
}

fn expand(input: &DeriveInput, model: &Model) -> TokenStream {
    let krate = &model.krate;
    let name = &model.name;
    let starts = model.starts.iter().map(|start| start.expand(krate));
    let settings = &model.settings;
    let items = model.items.iter().map(|item| {
        let ty = &item.ty;
        let on = item.on.as_ref().map(|on| quote!(.on(#on)));
        quote_spanned! {ty.span()=>
            spec.items.push(
                #krate::schema::ItemRule::new((*<#ty as #krate::dataset::Dataset>::schema()).clone())#on
            );
        }
    });
    let follows = model.follows.iter().map(|rule| follow(rule, krate));
    let spec = quote! {
        let mut spec = #krate::schema::SpiderSpec::new(#name);
        #(#starts)*
        #(#settings)*
        #(#items)*
        #(#follows)*
        spec.check()?;
        ::core::result::Result::Ok(spec)
    };
    let parse = model.parse.as_ref().map(|path| {
        quote_spanned! {path.span()=>
            fn parse(&self, page: &#krate::Page, found: &mut #krate::crawl::Found) -> ::core::result::Result<(), #krate::Error> {
                #path(self, page, found)
            }
        }
    });
    let login = model.login.as_ref().map(|path| {
        quote_spanned! {path.span()=>
            fn login<'s>(&'s self, session: &'s #krate::Session) -> #krate::types::BoxFuture<'s, ::core::result::Result<(), #krate::Error>> {
                ::std::boxed::Box::pin(#path(self, session))
            }
        }
    });
    let types: Vec<&syn::Type> = model.items.iter().map(|item| &item.ty).collect();
    let typed = quote! {
        fn typed(&self, record: #krate::dataset::Record) -> ::core::result::Result<#krate::dataset::Record, #krate::Error> {
            #(if record.schema().name == <#types as #krate::dataset::Dataset>::schema().name {
                return #krate::__private::typed::<#types>(record);
            })*
            ::core::result::Result::Ok(record)
        }
    };
    let more = quote!(#parse #login #typed);
    implement(input, model, &spec, &more)
}

fn follow(rule: &Follow, krate: &syn::Path) -> TokenStream {
    let Follow { allow, deny, priority, nofollow, .. } = rule;
    let selector = selector(&rule.rule.selector, krate);
    let depth = rule.depth.map(|depth| quote!(rule.depth = ::core::option::Option::Some(#depth);));
    quote! {
        {
            let mut rule = #krate::schema::FollowRule::new(#selector);
            rule.allow = ::std::vec![#(#allow.into()),*];
            rule.deny = ::std::vec![#(#deny.into()),*];
            #depth
            rule.priority = #priority;
            rule.nofollow = #nofollow;
            spec.follow.push(rule);
        }
    }
}

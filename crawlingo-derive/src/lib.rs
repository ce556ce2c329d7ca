//! `#[derive(Dataset)]` and `#[derive(Spider)]`: attributes to a checked model to the same `Schema` and `SpiderSpec` that files hold, as code.
//!
//! The selectors are parsed by the very parsers that run later, and every fault is an error at the token that is wrong,
//! all of them in one compile.

mod ast;
mod attr;
mod check;
mod ctxt;
mod expand;
mod fallback;
mod names;
mod selector;
mod spider;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;
use syn::{Data, DeriveInput, Fields, GenericParam, parse_macro_input};

use ast::{Container, FieldModel};
use ctxt::Ctxt;

/// Makes a struct a dataset: what to extract from a page, and the type that holds it.
///
/// On the struct stands `#[dataset(...)]`:
///
/// | key | meaning |
/// |---|---|
/// | `each = "css"`, `each(xpath = "...")` | what finds the records; without it, the page is one |
/// | `name = "..."` | the dataset's name; the struct's by default |
/// | `key = "field"`, `key = ["a", "b"]` | the fields that identify a record |
/// | `version = 2` | counts the meanings of the schema |
/// | `heal`, `heal = "suggest"` | for all fields that can heal and say nothing else |
/// | `crate = "path"` | where the crate is, if it is re-exported |
///
/// On each field stands `#[selector(...)]`, several of them for a chain that is tried in order, with one of `css`,
/// `xpath`, `regex` (`on = "html"`), `text`, `after_text`, `before_text` (`exact`, `ignore_case`), `jsonld`, `meta`,
/// `microdata`, `json` (`within = "css"`), and any of
///
/// - `attr = "name"`, `own_text`, `html`, `outer_html`, `markdown`: what is taken of the element instead of its text;
/// - `default = literal`: what stands in where nothing is found;
/// - `trim`, `strip = "x"`, `replace = ["a", "b"]`, `split = ","`, `join = " "`, `lower`, `upper`: steps before the
///   conversion, in the order written;
/// - `parse`: the type's `FromStr` makes the value (and its `Display` the text again);
/// - `with = path`: a function makes the value. It takes `&str`, or any type that a field can have and so says what is
///   looked for (`fn(Price) -> bool`), and gives the field's type or a `Result` of it. For an `Option` or a `Vec` it may
///   give what is inside; it is then called for each value that there is;
/// - `currency`, `region`, `language`, `date_order`: what the page does not say of prices, telephone numbers and dates;
/// - `heal`, `heal = "off" | "suggest" | "bind"`: when the selector matches nothing, the element is looked for by what a
///   store remembers of it (`crawlingo::heal`); `suggest` tells and does not use it.
///
/// The field's type says the kind of value and how many: `Option` may be missing, `Vec` is any number, a bare type must
/// be there. `#[serde(rename)]` and `rename_all` name the output; doc comments become descriptions.
#[proc_macro_derive(Dataset, attributes(dataset, selector, serde))]
pub fn derive_dataset(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    dataset(&input).into()
}

/// Makes a struct a spider: where it starts, what it takes of which pages, and which links it follows. Its fields are
/// arguments of the start.
///
/// | key | meaning |
/// |---|---|
/// | `start = "https://.../{field}"`, `start = ["...", "..."]` | where it starts. A field's value is percent-encoded, or, where the text begins with it, put in as it is |
/// | `start = field` | starts from each URL of a field that is a collection |
/// | `item = Book`, `item(Book, on = r"/book/")` | a dataset that is extracted, of all pages or those whose URL matches |
/// | `follow(css = "a.next")` | links that are followed; with `xpath`, `attr`, `allow`, `deny`, `depth = 2`, `priority = 1`, `nofollow` |
/// | `paginate(url = "https://.../{page}")` | pages by number; with `first`, `last`, `step`, or by `pattern`, or by `cursor` and `body` |
/// | `allow`, `deny`, `hosts` | patterns that followed URLs must and must not match, and the hosts that may be visited |
/// | `sitemap`, `sitemap_since` | whether the sites' sitemaps are read, and from which last change on |
/// | `max_pages`, `max_depth`, `max_records`, `max_bytes`, `max_seconds`, `max_pages_per_host`, `max_pages_per_pattern` | bounds |
/// | `concurrency`, `concurrency_per_host`, `rate_per_host = "8/s"`, `adaptive` | how many pages at once, and how often |
/// | `robots`, `meta_robots`, `order = "depth"`, `on_invalid = "drop"`, `retries` | as in a spider's file |
/// | `parse = path` | `fn(&Self, &Page, &mut Found) -> Result<(), Error>` that finds what cannot be declared |
/// | `login = path`, `logged_out = "css"` | `async fn(&Self, &Session) -> Result<(), Error>` that is run first, and again when a page has what `logged_out` selects |
/// | `name`, `crate` | the spider's name, and the path of the crate |
///
/// What it makes is a `SpiderSpec`, the same as a TOML file holds, and `crawlingo::crawl::Spider`.
#[proc_macro_derive(Spider, attributes(spider))]
pub fn derive_spider(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    spider::derive(&input).into()
}

fn dataset(input: &DeriveInput) -> TokenStream2 {
    let ctxt = Ctxt::new();
    let container = Container::read(input, &ctxt);
    let fields = fields(input, &container, &ctxt);
    if let Some(fields) = &fields {
        check::check(&container, fields, &ctxt);
    }
    match (ctxt.check(), fields) {
        (Ok(()), Some(fields)) => expand::expand(input, &container, &fields),
        (Err(error), fields) => {
            // A dataset that borrows cannot have any impl, for the trait asks for `'static`.
            let borrows = input.generics.lifetimes().next().is_some();
            let fallback = match borrows {
                true => TokenStream2::new(),
                false => fallback::expand(input, &container, fields.as_deref().unwrap_or_default()),
            };
            let error = error.into_compile_error();
            quote::quote!(#error #fallback)
        }
        // `fields` is none only together with an error.
        (Ok(()), None) => TokenStream2::new(),
    }
}

fn fields(input: &DeriveInput, container: &Container, ctxt: &Ctxt) -> Option<Vec<FieldModel>> {
    for param in &input.generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            ctxt.error(
                lifetime.lifetime.span(),
                "a dataset owns its values and cannot borrow from the page; use `String` instead of `&str`",
            );
        }
    }
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) => {
                Some(named.named.iter().filter_map(|field| FieldModel::read(field, container, ctxt)).collect())
            }
            Fields::Unnamed(_) => {
                ctxt.error(
                    input.ident.span(),
                    "a dataset is a struct with named fields; give the fields of this tuple struct names",
                );
                None
            }
            Fields::Unit => {
                ctxt.error(
                    input.ident.span(),
                    "a dataset needs fields: `struct Book { #[selector(css = \"h1\")] title: String }`",
                );
                None
            }
        },
        Data::Enum(_) => {
            ctxt.error(input.ident.span(), "a dataset is a struct, not an enum; for a field that is an enum, implement `FromStr` and `Display` and write `#[selector(.., parse)]`");
            None
        }
        Data::Union(_) => {
            ctxt.error(input.ident.span(), "a dataset is a struct, not a union");
            None
        }
    }
}

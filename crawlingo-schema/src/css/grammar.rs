//! The types of the `selectors` crate, filled in, and its errors, made readable.

use std::borrow::Borrow;
use std::cell::Cell;
use std::fmt;

use cssparser::{BasicParseErrorKind, ParseError, ParseErrorKind, ToCss};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{SelectorImpl, SelectorParseErrorKind};

use super::PseudoClass;
use crate::{SchemaError, SchemaErrorKind, suggest};

/// The types that a selector of ours is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grammar;

/// A name in a selector: of an element, an attribute, a class, a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ident {
    name: Box<str>,
    hash: u32,
}

impl Ident {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl<'a> From<&'a str> for Ident {
    fn from(name: &'a str) -> Self {
        // FNV-1a: it only feeds the bloom filter of the selectors crate.
        let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        Self { name: name.into(), hash }
    }
}

impl PrecomputedHash for Ident {
    fn precomputed_hash(&self) -> u32 {
        self.hash
    }
}

impl Borrow<str> for Ident {
    fn borrow(&self) -> &str {
        &self.name
    }
}

impl ToCss for Ident {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_identifier(&self.name, dest)
    }
}

/// The value in an attribute selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(Box<str>);

impl<'a> From<&'a str> for Text {
    fn from(text: &'a str) -> Self {
        Self(text.into())
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Text {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        cssparser::serialize_string(&self.0, dest)
    }
}

/// There are none: `::text` and `::attr()` are taken off before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPseudoElement {}

impl ToCss for NoPseudoElement {
    fn to_css<W: fmt::Write>(&self, _dest: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for NoPseudoElement {}

impl SelectorImpl for Grammar {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Text;
    type Identifier = Ident;
    type LocalName = Ident;
    type NamespaceUrl = Ident;
    type NamespacePrefix = Ident;
    type BorrowedNamespaceUrl = str;
    type BorrowedLocalName = str;
    type NonTSPseudoClass = PseudoClass;
    type PseudoElement = NoPseudoElement;
}

/// What went wrong, where the `selectors` crate alone would not say it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Failure {
    Selectors(SelectorParseErrorKind),
    PseudoClass(String),
    PseudoElement(String),
    Arguments(&'static str),
}

impl From<SelectorParseErrorKind> for Failure {
    fn from(kind: SelectorParseErrorKind) -> Self {
        Self::Selectors(kind)
    }
}

#[derive(Default)]
pub(super) struct CssParser {
    /// A prefix that is not known; the trait can only say that there is none.
    unknown_prefix: Cell<Option<String>>,
}

fn text_argument(input: &mut cssparser::Parser<'_>) -> Result<String, ParseError<Failure>> {
    let text = input.expect_ident_or_string().map(|text| text.as_ref().to_owned());
    text.map_err(|_| ParseError::custom(Failure::Arguments("a text in quotes, such as `:contains(\"In stock\")`")))
}

impl<'i> selectors::parser::Parser<'i> for CssParser {
    type Impl = Grammar;
    type Error = Failure;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn is_is_alias(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("matches") || name.eq_ignore_ascii_case("-webkit-any")
    }

    // The standard lets a faulty part of `:is()` pass and match nothing, for the sake of old style sheets. Here it is a
    // typing error that someone wants to hear of.
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> Result<PseudoClass, ParseError<Failure>> {
        PseudoClass::simple(name).ok_or_else(|| ParseError::custom(Failure::PseudoClass(name.to_owned())))
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: &str,
        input: &mut cssparser::Parser<'i>,
        _after_part: bool,
    ) -> Result<PseudoClass, ParseError<Failure>> {
        match name.to_ascii_lowercase().as_str() {
            "lang" => {
                let ranges = input.parse_comma_separated(|input| {
                    let range = input.expect_ident_or_string().map(|range| range.as_ref().to_owned());
                    range.map_err(|_| ParseError::custom(Failure::Arguments("languages, such as `:lang(de, fr)`")))
                })?;
                Ok(PseudoClass::Lang(ranges))
            }
            "dir" => match input.expect_ident().map(|name| name.to_ascii_lowercase()) {
                Ok(direction) if direction == "ltr" || direction == "rtl" => Ok(PseudoClass::Dir(direction)),
                _ => Err(ParseError::custom(Failure::Arguments("`ltr` or `rtl`"))),
            },
            "contains" | "-soup-contains" => Ok(PseudoClass::Contains(text_argument(input)?)),
            "-soup-contains-own" | "contains-own" => Ok(PseudoClass::ContainsOwn(text_argument(input)?)),
            _ => Err(ParseError::custom(Failure::PseudoClass(name.to_owned()))),
        }
    }

    fn parse_pseudo_element(&self, name: &str) -> Result<NoPseudoElement, ParseError<Failure>> {
        Err(ParseError::custom(Failure::PseudoElement(name.to_owned())))
    }

    fn parse_functional_pseudo_element(
        &self,
        name: &str,
        _arguments: &mut cssparser::Parser<'i>,
    ) -> Result<NoPseudoElement, ParseError<Failure>> {
        Err(ParseError::custom(Failure::PseudoElement(name.to_owned())))
    }

    fn namespace_for_prefix(&self, prefix: &Ident) -> Option<Ident> {
        let url = match prefix.as_str() {
            "html" | "xhtml" => "http://www.w3.org/1999/xhtml",
            "svg" => "http://www.w3.org/2000/svg",
            "math" | "mathml" => "http://www.w3.org/1998/Math/MathML",
            "xlink" => "http://www.w3.org/1999/xlink",
            "xml" => "http://www.w3.org/XML/1998/namespace",
            other => {
                self.unknown_prefix.set(Some(other.to_owned()));
                return None;
            }
        };
        Some(Ident::from(url))
    }
}

impl CssParser {
    /// The error, with the place: the parser stands behind the token that it could not take.
    pub(super) fn error(&self, text: &str, at: usize, kind: ParseErrorKind<Failure>) -> SchemaError {
        let failure = match kind {
            ParseErrorKind::Custom(failure) => failure,
            ParseErrorKind::Basic(BasicParseErrorKind::EndOfInput) => {
                return SchemaError::new(SchemaErrorKind::Css, "the selector ends too early")
                    .with_span(text, text.trim_end().len()..text.trim_end().len() + 1)
                    .with_hint("finish it, or leave out the last sign");
            }
            ParseErrorKind::Basic(other) => {
                return at_token(text, at, &format!("the selector does not parse here: {other}"));
            }
        };
        match failure {
            Failure::PseudoClass(name) => {
                let error = at_name(text, &name, format!("there is no pseudo-class `:{name}`"));
                match suggest(&name, PseudoClass::names()) {
                    Some(known) => error.with_hint(format!("did you mean `:{known}`?")),
                    None => error.with_hint("pseudo-classes that need a layout or a script have no meaning here"),
                }
            }
            Failure::PseudoElement(name) => at_name(text, &name, format!("there is no pseudo-element `::{name}` here"))
                .with_hint("`::text` and `::attr(name)` are understood, at the end of a selector"),
            Failure::Arguments(wanted) => at_token(text, at, &format!("the pseudo-class wants {wanted}")),
            Failure::Selectors(kind) => match self.unknown_prefix.take() {
                Some(prefix) => unknown_prefix(text, &prefix),
                None => {
                    let (message, hint) = explain(&kind);
                    let error = at_token(text, at, message);
                    if hint.is_empty() { error } else { error.with_hint(hint) }
                }
            },
        }
    }
}

fn unknown_prefix(text: &str, prefix: &str) -> SchemaError {
    at_name(text, prefix, format!("the namespace prefix `{prefix}` is not known"))
        .with_hint("the prefixes are html, svg, math, xlink and xml; `*|name` is any namespace")
}

/// At the last place where the name stands behind a colon or, else, anywhere.
fn at_name(text: &str, name: &str, message: String) -> SchemaError {
    let lower = text.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    let at = lower.find(&format!(":{name}")).map(|at| at + 1).or_else(|| lower.find(&name));
    let error = SchemaError::new(SchemaErrorKind::Css, message);
    match at {
        Some(at) => error.with_span(text, at..at + name.len()),
        None => error.with_span(text, 0..text.len()),
    }
}

/// At the token that ends at `at`.
fn at_token(text: &str, at: usize, message: &str) -> SchemaError {
    let end = at.min(text.len());
    let mut start = 0;
    let mut input = cssparser::Parser::new(text);
    while input.next_including_whitespace_and_comments().is_ok() {
        let position = input.position().byte_index();
        if position >= end {
            break;
        }
        start = position;
    }
    // Inside of brackets the token is the last sign before the place.
    if end - start > 24 {
        start = text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    SchemaError::new(SchemaErrorKind::Css, message).with_span(text, start..end.max(start + 1))
}

fn explain(kind: &SelectorParseErrorKind) -> (&'static str, &'static str) {
    use SelectorParseErrorKind as Kind;
    match kind {
        Kind::EmptySelector => ("a selector is missing here", "a comma or a bracket stands where a name should"),
        Kind::DanglingCombinator => {
            ("a combinator needs a selector on both sides", "write one behind it, such as `div > a`")
        }
        Kind::NoQualifiedNameInAttributeSelector | Kind::InvalidQualNameInAttr => {
            ("the brackets need the name of an attribute", "write it like this: `[href]` or `[data-id=\"7\"]`")
        }
        Kind::UnexpectedTokenInAttributeSelector => (
            "the attribute selector does not parse",
            "write it like this: `[name=\"value\"]`, with =, ~=, |=, ^=, $= or *=",
        ),
        Kind::BadValueInAttr => ("the attribute's value needs quotes", "write it like this: `[name=\"value\"]`"),
        Kind::ExpectedBarInAttr => ("a `|` is expected in the attribute's name", ""),
        Kind::ClassNeedsIdent => {
            ("a class's name is missing behind the `.`", "a name cannot begin with a digit; escape it: `.\\31 st`")
        }
        Kind::PseudoElementExpectedColon | Kind::PseudoElementExpectedIdent | Kind::NoIdentForPseudo => {
            ("the name of a pseudo-class is missing behind the `:`", "")
        }
        Kind::ExpectedNamespace => {
            ("the namespace prefix is not known", "the prefixes are html, svg, math, xlink and xml")
        }
        Kind::UnsupportedPseudoClassOrElement => ("this pseudo-class is not known", ""),
        Kind::NonCompoundSelector => ("combinators cannot stand here", ""),
        _ => ("the selector does not parse here", "an XPath goes into `xpath = \"...\"`"),
    }
}

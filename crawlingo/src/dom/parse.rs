//! From text to a document: the tokenizer and html5ever's tree builder, under bounds.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::State;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, create_element};
use html5ever::{Attribute, LocalName, QualName, local_name, ns};
use markup5ever::interface::{QuirksMode, Tracer};

use super::build::{Handle, MAX_ATTRS, Names, Sink};
use super::tokenizer::{self, Driver};
use super::{Document, encoding};
use crate::Error;

/// How bytes become a document, and what bounds hold.
///
/// ```
/// use crawlingo::dom::{Document, ParseOptions};
/// let options = ParseOptions::default().content_type("text/html; charset=windows-1251");
/// let document = Document::parse_bytes(b"<p>\xcf\xf0\xe8\xe2\xe5\xf2", &options)?;
/// assert_eq!(document.text(), "Привет");
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ParseOptions {
    /// The `Content-Type` that the bytes came with.
    pub content_type: Option<String>,
    /// The encoding, whatever the bytes and the content type say (a label of the Encoding Standard).
    pub encoding: Option<String>,
    /// The most bytes of text.
    pub max_bytes: usize,
    /// The most nodes. A short page can make the parser repeat elements without end.
    pub max_nodes: usize,
    /// The deepest nesting; start tags beyond it are dropped, what they hold stays. Browsers stop at 512 too.
    pub max_depth: u32,
    /// How long parsing may take.
    pub timeout: Duration,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            content_type: None,
            encoding: None,
            max_bytes: 256 << 20,
            max_nodes: 10_000_000,
            max_depth: 512,
            timeout: Duration::from_secs(30),
        }
    }
}

impl ParseOptions {
    /// Sets the `Content-Type`.
    #[must_use]
    pub fn content_type(mut self, content_type: impl Into<String>) -> Self {
        self.content_type = Some(content_type.into());
        self
    }

    /// Sets the encoding.
    #[must_use]
    pub fn encoding(mut self, label: impl Into<String>) -> Self {
        self.encoding = Some(label.into());
        self
    }

    /// Sets the deepest nesting.
    #[must_use]
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.max_depth = depth.max(16);
        self
    }

    /// Sets how long parsing may take.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the most nodes.
    #[must_use]
    pub fn max_nodes(mut self, nodes: usize) -> Self {
        self.max_nodes = nodes;
        self
    }

    /// Sets the most bytes of text.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }
}

impl Document {
    /// Parses HTML, as a browser does with scripts turned off. Never fails: every text is a document. What passes the
    /// bounds of [`ParseOptions::default`] is cut off there; [`parse_with`](Self::parse_with) says so instead.
    pub fn parse(html: &str) -> Self {
        let options = ParseOptions::default();
        let mut end = html.len().min(options.max_bytes);
        while !html.is_char_boundary(end) {
            end -= 1;
        }
        build(Cow::Borrowed(&html[..end]), None, &options).0
    }

    /// Parses HTML within bounds.
    ///
    /// # Errors
    /// `ErrorKind::Parse` with the bound that was passed.
    pub fn parse_with(html: &str, options: &ParseOptions) -> Result<Self, Error> {
        parse_text(Cow::Borrowed(html), options)
    }

    /// Decodes bytes and parses them as HTML. The encoding is the one asked for, else that of a byte order mark, of the
    /// content type, of a `<meta>` among the first 1,024 bytes, else the likeliest by the text itself.
    ///
    /// # Errors
    /// `ErrorKind::Parse` with the bound that was passed, `ErrorKind::Config` for an encoding that does not exist.
    pub fn parse_bytes(bytes: &[u8], options: &ParseOptions) -> Result<Self, Error> {
        check_len(bytes.len(), options)?;
        let (text, encoding) = encoding::decode(bytes, options.encoding.as_deref(), options.content_type.as_deref())?;
        let mut document = parse_text(text, options)?;
        document.encoding = encoding;
        Ok(document)
    }

    /// Parses HTML as the content of an element, as setting `innerHTML` does. `context` is the element's tag, with
    /// `svg ` or `math ` in front of it for those. The nodes stand below a root element `<html>`.
    ///
    /// ```
    /// use crawlingo::dom::Document;
    /// let row = Document::parse_fragment("<td>a<td>b", "tr");
    /// assert_eq!(row.css("td")?.len(), 2);
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    pub fn parse_fragment(html: &str, context: &str) -> Self {
        let (ns, local) = match context.split_once(' ') {
            Some(("svg", local)) => (ns!(svg), local),
            Some(("math", local)) => (ns!(mathml), local),
            _ => (ns!(html), context),
        };
        let context = QualName::new(None, ns, LocalName::from(local));
        build(Cow::Borrowed(html), Some(context), &ParseOptions::default()).0
    }

    /// The name of the encoding that the bytes were read in; `UTF-8` for a document made of a text.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }
}

/// A document's places are 32 bits wide.
const MAX_TEXT: usize = 2 << 30;

fn check_len(len: usize, options: &ParseOptions) -> Result<(), Error> {
    let max = options.max_bytes.min(MAX_TEXT);
    if len > max {
        return Err(Error::parse(format!("it is {len} bytes long, more than {max} (`max_bytes`)")));
    }
    Ok(())
}

fn parse_text(html: Cow<'_, str>, options: &ParseOptions) -> Result<Document, Error> {
    check_len(html.len(), options)?;
    match build(html, None, options) {
        (document, None) => Ok(document),
        (_, Some(bound)) => Err(Error::parse(bound)),
    }
}

/// How many tokens there are between two looks at the clock.
const TOKENS: u32 = 64;

const RULES: TreeBuilderOpts = TreeBuilderOpts {
    scripting_enabled: false,
    exact_errors: false,
    iframe_srcdoc: false,
    drop_doctype: false,
    quirks_mode: QuirksMode::NoQuirks,
};

/// The document as far as the bounds allow, and the bound that was passed. `context` is the element that the text is the
/// content of.
fn build(html: Cow<'_, str>, context: Option<QualName>, options: &ParseOptions) -> (Document, Option<String>) {
    let text = tokenizer::preprocess(html);
    let source = StrTendril::from_slice(&text);
    let names = Names::new();
    let sink = Sink::new(&names, &source);
    let (builder, state) = match context {
        None => (TreeBuilder::new(sink, RULES), State::Data),
        Some(context) => {
            let context = create_element(&sink, context, Vec::new());
            let builder = TreeBuilder::new_for_fragment(sink, context, None, RULES);
            let state = builder.tokenizer_state_for_context_elem(false);
            (builder, state)
        }
    };
    let guard = Guard {
        builder,
        options,
        start: Instant::now(),
        until_look: Cell::new(TOKENS),
        bound: RefCell::default(),
        dropped: RefCell::default(),
        closed: Cell::new(false),
    };
    tokenizer::run(&guard, &text, &source, state.into());
    let frozen = guard.builder.sink.freeze();
    (frozen.into_document(text), guard.bound.into_inner())
}

/// Stands between the tokenizer and the tree builder and drops start tags that nest too deep, with their end tags.
///
/// A cap in the tree would not do: the tree builder's stack of open elements would grow all the same, and it is searched
/// at every tag.
struct Guard<'n, 'o> {
    builder: TreeBuilder<Handle<'n>, Sink<'n>>,
    options: &'o ParseOptions,
    start: Instant,
    /// How many tokens until the clock is looked at.
    until_look: Cell<u32>,
    /// The bound that was passed.
    bound: RefCell<Option<String>>,
    /// The names of dropped elements that are still open.
    dropped: RefCell<Vec<LocalName>>,
    /// Whether an end tag passed since the depth was last known for sure.
    closed: Cell<bool>,
}

/// Whether an element holds no others: such elements never nest, and dropping one that holds raw text would spill its
/// content.
fn is_leaf(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("script")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("xmp")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("plaintext")
    )
}

impl Guard<'_, '_> {
    fn passes(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => {
                let max_depth = self.options.max_depth;
                if self.builder.sink.open_depth() < max_depth || is_leaf(&tag.name) {
                    return true;
                }
                if self.closed.replace(false) {
                    self.measure();
                    if self.builder.sink.open_depth() < max_depth {
                        return true;
                    }
                }
                // Past this many the names are no longer kept; what closes too much then only closes early.
                let mut dropped = self.dropped.borrow_mut();
                if dropped.len() < 1 << 16 {
                    dropped.push(tag.name.clone());
                }
                false
            }
            TagKind::EndTag => {
                let mut dropped = self.dropped.borrow_mut();
                if dropped.last() == Some(&tag.name) && !is_leaf(&tag.name) {
                    dropped.pop();
                    return false;
                }
                self.closed.set(true);
                true
            }
        }
    }
}

/// Follows the open elements, which the tree builder names from the outermost to the innermost before all others.
struct Innermost<'g, 'n> {
    sink: &'g Sink<'n>,
    depth: Cell<u32>,
    over: Cell<bool>,
}

impl<'n> Tracer for Innermost<'_, 'n> {
    type Handle = Handle<'n>;

    fn trace_handle(&self, node: &Handle<'n>) {
        let depth = self.sink.depth_of(node.id());
        if self.over.get() || (depth <= self.depth.get() && depth > 0) {
            self.over.set(true);
        } else {
            self.depth.set(depth);
        }
    }
}

impl Guard<'_, '_> {
    /// Not every element that is closed is told of, so that the depth may be less than was thought.
    fn measure(&self) {
        let sink = &self.builder.sink;
        let innermost = Innermost { sink, depth: Cell::new(0), over: Cell::new(false) };
        self.builder.trace_handles(&innermost);
        sink.set_open_depth(innermost.depth.get());
    }
}

impl<'n> TokenSink for Guard<'n, '_> {
    type Handle = Handle<'n>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle<'n>> {
        match &token {
            Token::TagToken(tag) if !self.passes(tag) => TokenSinkResult::Continue,
            _ => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Driver for Guard<'_, '_> {
    const MAX_ATTRS: usize = MAX_ATTRS;

    fn spare_attrs(&self) -> Vec<Attribute> {
        self.builder.sink.take_spare()
    }

    fn must_stop(&self) -> bool {
        let mut passed = self.builder.sink.passed(self.options.max_nodes);
        self.until_look.set(self.until_look.get() - 1);
        if self.until_look.get() == 0 {
            self.until_look.set(TOKENS);
            if passed.is_none() && self.start.elapsed() > self.options.timeout {
                passed = Some(format!("parsing took longer than {:?} (`timeout`)", self.options.timeout));
            }
        }
        let must_stop = passed.is_some();
        if must_stop {
            *self.bound.borrow_mut() = passed;
        }
        must_stop
    }
}

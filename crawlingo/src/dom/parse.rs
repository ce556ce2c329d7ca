//! From text to a document: html5ever's tokenizer and tree builder, fed in pieces under bounds.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::State;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, create_element};
use html5ever::{LocalName, QualName, TokenizerResult, ns};
use markup5ever::interface::Tracer;

use super::build::{MAX_ATTRS, Sink};
use super::{Document, DocumentKind, encoding};
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
        build(&html[..end], &options).0
    }

    /// Parses HTML within bounds.
    ///
    /// # Errors
    /// `ErrorKind::Parse` with the bound that was passed.
    pub fn parse_with(html: &str, options: &ParseOptions) -> Result<Self, Error> {
        if html.len() > options.max_bytes {
            return Err(Error::parse(format!(
                "it is {} bytes long, more than {} (`max_bytes`)",
                html.len(),
                options.max_bytes
            )));
        }
        match build(html, options) {
            (document, None) => Ok(document),
            (_, Some(bound)) => Err(Error::parse(bound)),
        }
    }

    /// Decodes bytes and parses them as HTML. The encoding is the one asked for, else that of a byte order mark, of the
    /// content type, of a `<meta>` among the first 1,024 bytes, else the likeliest by the text itself.
    ///
    /// # Errors
    /// `ErrorKind::Parse` with the bound that was passed, `ErrorKind::Config` for an encoding that does not exist.
    pub fn parse_bytes(bytes: &[u8], options: &ParseOptions) -> Result<Self, Error> {
        if bytes.len() > options.max_bytes {
            return Err(Error::parse(format!(
                "it is {} bytes long, more than {} (`max_bytes`)",
                bytes.len(),
                options.max_bytes
            )));
        }
        let (text, encoding) = encoding::decode(bytes, options.encoding.as_deref(), options.content_type.as_deref())?;
        let mut document = Self::parse_with(&text, options)?;
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
        let sink = Sink::new(DocumentKind::Html);
        let (ns, local) = match context.split_once(' ') {
            Some(("svg", local)) => (ns!(svg), local),
            Some(("math", local)) => (ns!(mathml), local),
            _ => (ns!(html), context),
        };
        let context = create_element(&sink, QualName::new(None, ns, LocalName::from(local)), Vec::new());
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        let builder = TreeBuilder::new_for_fragment(sink, context, None, options);
        let state = builder.tokenizer_state_for_context_elem(false);
        feed(builder, Some(state), html, &ParseOptions::default()).0
    }

    /// The name of the encoding that the bytes were read in; `UTF-8` for a document made of a text.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }
}

/// How much is parsed between two looks at the bounds, in bytes.
const PIECE: usize = 4 << 10;

/// The document as far as the bounds allow, and the bound that was passed.
fn build(html: &str, options: &ParseOptions) -> (Document, Option<String>) {
    let builder = TreeBuilder::new(
        Sink::new(DocumentKind::Html),
        TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
    );
    feed(builder, None, html, options)
}

fn feed(
    builder: TreeBuilder<u32, Sink>,
    initial_state: Option<State>,
    html: &str,
    options: &ParseOptions,
) -> (Document, Option<String>) {
    let start = Instant::now();
    let guard = Guard { builder, max_depth: options.max_depth, dropped: RefCell::default(), closed: Cell::new(false) };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts { initial_state, ..TokenizerOpts::default() });
    let queue = BufferQueue::default();
    let mut rest = html;
    let mut bound = None;
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        queue.push_back(StrTendril::from_slice(&rest[..end]));
        rest = &rest[end..];
        // It also stops at scripts and at a `<meta>` that names an encoding, with the rest still in the queue.
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        let nodes = tokenizer.sink.builder.sink.len();
        if nodes > options.max_nodes {
            bound = Some(format!("it makes more than {} nodes (`max_nodes`)", options.max_nodes));
            break;
        }
        if start.elapsed() > options.timeout {
            bound = Some(format!("parsing took longer than {:?} (`timeout`)", options.timeout));
            break;
        }
    }
    tokenizer.end();
    (tokenizer.sink.builder.sink.freeze(), bound)
}

/// Stands between the tokenizer and the tree builder and drops start tags that nest too deep, with their end tags.
///
/// A cap in the tree would not do: the tree builder's stack of open elements would grow all the same, and it is searched
/// at every tag.
struct Guard {
    builder: TreeBuilder<u32, Sink>,
    max_depth: u32,
    /// The names of dropped elements that are still open.
    dropped: RefCell<Vec<LocalName>>,
    /// Whether an end tag passed since the depth was last known for sure.
    closed: Cell<bool>,
}

/// Elements that hold no others: they never nest, and dropping one that holds raw text would spill its content.
const LEAVES: &[&str] = &[
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
    "script",
    "style",
    "textarea",
    "title",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "plaintext",
];

impl Guard {
    fn passes(&self, tag: &Tag) -> bool {
        let leaf = LEAVES.contains(&&*tag.name);
        match tag.kind {
            TagKind::StartTag => {
                if leaf || self.builder.sink.open_depth() < self.max_depth {
                    return true;
                }
                if self.closed.replace(false) {
                    self.measure();
                    if self.builder.sink.open_depth() < self.max_depth {
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
                if !leaf && dropped.last() == Some(&tag.name) {
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
struct Innermost<'g> {
    sink: &'g Sink,
    depth: Cell<u32>,
    over: Cell<bool>,
}

impl Tracer for Innermost<'_> {
    type Handle = u32;

    fn trace_handle(&self, node: &u32) {
        let depth = self.sink.depth_of(*node);
        if self.over.get() || (depth <= self.depth.get() && depth > 0) {
            self.over.set(true);
        } else {
            self.depth.set(depth);
        }
    }
}

impl Guard {
    /// Not every element that is closed is told of, so that the depth may be less than was thought.
    fn measure(&self) {
        let sink = &self.builder.sink;
        let innermost = Innermost { sink, depth: Cell::new(0), over: Cell::new(false) };
        self.builder.trace_handles(&innermost);
        sink.set_open_depth(innermost.depth.get());
    }
}

impl TokenSink for Guard {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        match token {
            Token::TagToken(mut tag) => {
                if !self.passes(&tag) {
                    return TokenSinkResult::Continue;
                }
                tag.attrs.truncate(MAX_ATTRS);
                self.builder.process_token(Token::TagToken(tag), line)
            }
            other => self.builder.process_token(other, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

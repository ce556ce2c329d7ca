//! HTML from the tree again, by the standard's fragment serialisation.
//!
//! Source: <https://html.spec.whatwg.org/multipage/parsing.html#serialising-html-fragments>

use std::ops::Range;

use super::node::Content;
use super::{Document, Element, Node, NodeId};

const VOID: &[&str] = &[
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
];

const RAW: &[&str] = &["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext"];

impl Element<'_> {
    /// The HTML inside of the element.
    pub fn html(self) -> String {
        let mut out = String::new();
        let inside = self.node().template_contents().unwrap_or(self.node());
        children(inside, &mut out);
        out
    }

    /// The HTML of the element with itself.
    ///
    /// ```
    /// let document = crawlingo::dom::Document::parse("<p class=a>x &lt; y<br>");
    /// assert_eq!(document.css("p")?[0].outer_html(), "<p class=\"a\">x &lt; y<br></p>");
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    pub fn outer_html(self) -> String {
        let mut out = String::new();
        walk(self.node(), &|_| true, &mut out, None);
        out
    }

    /// The HTML of the element with itself, and where in it one of the elements inside stands.
    pub(crate) fn outer_html_marking(self, inside: Element<'_>) -> (String, Range<usize>) {
        let mut out = String::new();
        let mut mark = (inside.id(), 0..0);
        walk(self.node(), &|_| true, &mut out, Some(&mut mark));
        (out, mark.1)
    }
}

impl Document {
    /// The document as HTML.
    pub fn html(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + self.nodes.len() * 8);
        children(self.root(), &mut out);
        out
    }

    /// The document as HTML, but for one node and what it holds.
    pub(crate) fn html_without(&self, left_out: NodeId) -> String {
        let mut out = String::with_capacity(self.text.len() + self.nodes.len() * 8);
        for child in self.root().children() {
            walk(child, &|node| node.id() != left_out, &mut out, None);
        }
        out
    }
}

fn children(node: Node<'_>, out: &mut String) {
    for child in node.children() {
        walk(child, &|_| true, out, None);
    }
}

/// Without recursion: a stack of what is still to be written. Says where the marked node was written.
fn walk<'a>(
    node: Node<'a>,
    keep: &dyn Fn(Node<'a>) -> bool,
    out: &mut String,
    mut mark: Option<&mut (NodeId, Range<usize>)>,
) {
    enum Step<'a> {
        Open(Node<'a>),
        Close(Element<'a>),
    }
    let mut stack = vec![Step::Open(node)];
    while let Some(step) = stack.pop() {
        let node = match step {
            Step::Open(node) => node,
            Step::Close(element) => {
                out.push_str("</");
                name(element, out);
                out.push('>');
                if let Some((_, place)) = mark.as_deref_mut().filter(|mark| mark.0 == element.id()) {
                    place.end = out.len();
                }
                continue;
            }
        };
        if !keep(node) {
            continue;
        }
        let Some(element) = node.as_element() else {
            leaf(node, out);
            continue;
        };
        let start = out.len();
        start_tag(element, out);
        if let Some((_, place)) = mark.as_deref_mut().filter(|mark| mark.0 == element.id()) {
            *place = start..out.len();
        }
        if element.is_html() && VOID.contains(&element.tag()) {
            continue;
        }
        stack.push(Step::Close(element));
        let inside = node.template_contents().unwrap_or(node);
        let at = stack.len();
        stack.extend(inside.children().map(Step::Open));
        stack[at..].reverse();
    }
}

fn name(element: Element<'_>, out: &mut String) {
    if let Some(prefix) = &element.name().prefix {
        out.push_str(prefix);
        out.push(':');
    }
    out.push_str(element.tag());
}

fn start_tag(element: Element<'_>, out: &mut String) {
    out.push('<');
    name(element, out);
    for (name, value) in element.qualified_attrs() {
        out.push(' ');
        if let Some(prefix) = &name.prefix {
            out.push_str(prefix);
            out.push(':');
        }
        out.push_str(&name.local);
        out.push_str("=\"");
        escape(value, true, out);
        out.push('"');
    }
    out.push('>');
    // The parser drops one line break here, so that one which the text begins with has to be written twice.
    if element.is_html() && matches!(element.tag(), "pre" | "textarea" | "listing") {
        let first = element.node().first_child().and_then(Node::as_text);
        if first.is_some_and(|text| text.starts_with('\n')) {
            out.push('\n');
        }
    }
}

fn leaf(node: Node<'_>, out: &mut String) {
    match node.data().content {
        Content::Text(_) => {
            let text = node.as_text().unwrap_or_default();
            let raw = node
                .parent()
                .and_then(Node::as_element)
                .is_some_and(|parent| parent.is_html() && RAW.contains(&parent.tag()));
            if raw {
                out.push_str(text);
            } else {
                escape(text, false, out);
            }
        }
        Content::Comment(_) => {
            out.push_str("<!--");
            out.push_str(node.as_comment().unwrap_or_default());
            out.push_str("-->");
        }
        Content::Doctype { .. } => {
            out.push_str("<!DOCTYPE ");
            out.push_str(node.as_doctype().map_or("", |(name, _, _)| name));
            out.push('>');
        }
        Content::ProcessingInstruction { .. } => {
            let (target, data) = node.as_processing_instruction().unwrap_or_default();
            out.push_str("<?");
            out.push_str(target);
            if !data.is_empty() {
                out.push(' ');
                out.push_str(data);
            }
            out.push_str("?>");
        }
        Content::Document | Content::Fragment | Content::Element { .. } => {}
    }
}

fn escape(text: &str, attribute: bool, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '\u{a0}', '<', '>', '"']) {
        out.push_str(&rest[..at]);
        let found = rest[at..].chars().next().unwrap_or_default();
        match found {
            '&' => out.push_str("&amp;"),
            '\u{a0}' => out.push_str("&nbsp;"),
            '<' if !attribute => out.push_str("&lt;"),
            '>' if !attribute => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            other => out.push(other),
        }
        rest = &rest[at + found.len_utf8()..];
    }
    out.push_str(rest);
}

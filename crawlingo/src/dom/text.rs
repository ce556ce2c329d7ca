//! Visible text, as a browser's `innerText` roughly has it: what is hidden is left out, white space is collapsed, blocks
//! begin a line, `<br>` breaks one, cells of a row stand a tab apart, `<pre>` keeps its lines.

use super::{Document, Element, Node};

const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "html",
    "legend",
    "li",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "option",
    "optgroup",
    "p",
    "plaintext",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "caption",
    "tbody",
    "tfoot",
    "thead",
    "tr",
    "td",
    "th",
    "ul",
    "xmp",
];

const HIDDEN: &[&str] = &[
    "area", "base", "basefont", "datalist", "head", "link", "meta", "noembed", "noframes", "noscript", "param", "rp",
    "script", "style", "template", "title", "iframe", "object", "audio", "video", "canvas",
];

impl<'a> Element<'a> {
    /// Whether the element, by itself, shows nothing: scripts, styles, the head, `hidden`, `display: none` in its
    /// `style`. Style sheets are not read, and ancestors are not asked.
    pub(crate) fn is_hidden(self) -> bool {
        if !self.is_html() {
            return matches!(self.tag(), "title" | "desc" | "metadata" | "defs" | "style" | "script");
        }
        HIDDEN.contains(&self.tag())
            || self.plain_attr("hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
            || self.plain_attr("style").is_some_and(hides)
    }

    /// Whether the element begins and ends a line of its own.
    pub(crate) fn is_block(self) -> bool {
        self.is_html() && BLOCKS.contains(&self.tag())
    }

    /// The visible text, as a browser's `innerText` roughly has it. Of an element that is never shown (`<script>`,
    /// `<title>`), its text as it stands.
    ///
    /// ```
    /// let document = crawlingo::dom::Document::parse("<div>a <b> b</b><p>c<br>d</p><script>no</script></div>");
    /// assert_eq!(document.css("div")?[0].text(), "a b\n\nc\nd");
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    pub fn text(self) -> String {
        if self.is_hidden() {
            return self.raw_text();
        }
        visible_text(self.node())
    }

    /// The text directly in the element, without that of its child elements, white space collapsed.
    pub fn own_text(self) -> String {
        let mut own = String::new();
        for child in self.node().children() {
            match child.as_text() {
                Some(text) => own.push_str(text),
                // What an element separates stays separate.
                None => own.push(' '),
            }
        }
        own.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Document {
    /// The visible text of the page. See [`Element::text`].
    pub fn text(&self) -> String {
        visible_text(self.root())
    }
}

/// Whether an inline style says `display: none` or `visibility: hidden`.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim();
        let value = value.strip_suffix("!important").unwrap_or(value).trim_end();
        let is =
            |name: &str, wanted: &str| property.trim().eq_ignore_ascii_case(name) && value.eq_ignore_ascii_case(wanted);
        is("display", "none") || is("visibility", "hidden") || is("visibility", "collapse")
    })
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Line breaks owed before the next text.
    newlines: usize,
    /// A space owed before the next text of the same line.
    space: bool,
}

impl Writer {
    /// Asks for at least so many line breaks before what follows.
    fn line(&mut self, count: usize) {
        self.newlines = self.newlines.max(count);
        self.space = false;
    }

    fn pay(&mut self) {
        if self.text.is_empty() {
            self.newlines = 0;
            self.space = false;
        }
        if self.newlines > 0 {
            let there = self.text.bytes().rev().take_while(|byte| *byte == b'\n').count();
            for _ in there..self.newlines {
                self.text.push('\n');
            }
            self.newlines = 0;
            self.space = false;
        }
        if self.space {
            if !self.text.ends_with([' ', '\n', '\t']) {
                self.text.push(' ');
            }
            self.space = false;
        }
    }

    fn collapsed(&mut self, text: &str) {
        // Only ASCII white space collapses; a no-break space is a character like others.
        let mut words = text.split_ascii_whitespace();
        if text.starts_with(|c: char| c.is_ascii_whitespace()) {
            self.space = true;
        }
        if let Some(first) = words.next() {
            self.pay();
            self.text.push_str(first);
            for word in words {
                self.text.push(' ');
                self.text.push_str(word);
            }
            self.space = text.ends_with(|c: char| c.is_ascii_whitespace());
        }
    }

    fn verbatim(&mut self, text: &str) {
        if !text.is_empty() {
            self.pay();
            self.text.push_str(text);
        }
    }
}

struct Open<'a> {
    node: Node<'a>,
    newlines: usize,
    pre: bool,
    cell: bool,
}

fn visible_text(scope: Node<'_>) -> String {
    let mut writer = Writer::default();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut pre = scope
        .as_element()
        .into_iter()
        .chain(scope.ancestors().filter_map(Node::as_element))
        .filter(|around| is_pre(*around))
        .count();
    let mut walk = scope.descendants();
    while let Some(node) = walk.next() {
        while let Some(last) = open.last() {
            if last.node.contains(node) {
                break;
            }
            close(&mut writer, &mut pre, last);
            open.pop();
        }
        if let Some(text) = node.as_text() {
            if pre > 0 {
                writer.verbatim(text);
            } else {
                writer.collapsed(text);
            }
            continue;
        }
        let Some(element) = node.as_element() else { continue };
        if element.is_hidden() {
            walk.skip_subtree();
            continue;
        }
        if element.tag() == "br" && element.is_html() {
            writer.space = false;
            writer.pay();
            writer.text.push('\n');
            continue;
        }
        let cell = element.is_html() && matches!(element.tag(), "td" | "th");
        let newlines = match element.tag() {
            _ if cell || !element.is_block() => 0,
            "p" => 2,
            _ => 1,
        };
        writer.line(newlines);
        if newlines == 0 && cell {
            writer.space = false;
        }
        let is_pre = is_pre(element);
        if newlines > 0 || is_pre || cell {
            pre += usize::from(is_pre);
            open.push(Open { node, newlines, pre: is_pre, cell });
        }
    }
    let mut text = writer.text;
    text.truncate(text.trim_end_matches(['\n', '\t', ' ']).len());
    text
}

fn is_pre(element: Element<'_>) -> bool {
    element.is_html() && matches!(element.tag(), "pre" | "textarea" | "listing" | "xmp" | "plaintext")
}

fn close(writer: &mut Writer, pre: &mut usize, open: &Open<'_>) {
    if open.newlines > 0 {
        writer.line(open.newlines);
    }
    if open.pre {
        *pre -= 1;
    }
    if open.cell {
        let next = std::iter::successors(open.node.next_sibling(), |node| node.next_sibling())
            .find_map(Node::as_element)
            .is_some();
        if next {
            writer.newlines = 0;
            writer.space = false;
            writer.text.push('\t');
        }
    }
}

//! From XML to the same document: quick-xml's events straight into the arena.
//!
//! Well-formedness is asked for, for a feed that breaks off must not pass for a short one. Three mistakes of feeds are
//! no matter: blanks in front of the declaration, HTML's named characters (`&nbsp;`) and prefixes that nobody declared.
//! Entities of the document itself are expanded within bounds; nothing outside is ever loaded.

use std::collections::HashMap;
use std::time::Instant;

use html5ever::{LocalName, Namespace, Prefix, QualName, ns};
use markup5ever::data::NAMED_ENTITIES;
use markup5ever::interface::QuirksMode;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::build::MAX_ATTRS;
use super::node::Span;
use super::xml_dtd::DocType;
use super::{AttrData, Content, Document, DocumentKind, NONE, NodeData, ParseOptions, encoding};
use crate::Error;

/// The most bytes that entities may expand to, and how far they may nest.
const MAX_EXPANSION: usize = 4 << 20;
const MAX_ENTITY_DEPTH: usize = 8;

impl Document {
    /// Parses XML: a feed, a sitemap. Names keep their case.
    ///
    /// ```
    /// use crawlingo::dom::Document;
    /// let feed = Document::parse_xml("<rss><channel><pubDate>today</pubDate></channel></rss>")?;
    /// assert_eq!(feed.xpath("//pubDate")?.texts(), ["today"]);
    ///
    /// let error = Document::parse_xml("<a>\n<b></a>").unwrap_err();
    /// assert!(error.to_string().contains("line 2"));
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    ///
    /// # Errors
    /// `ErrorKind::Parse` with line and column when it is not well-formed, or with the bound that was passed.
    pub fn parse_xml(xml: &str) -> Result<Self, Error> {
        Self::parse_xml_with(xml, &ParseOptions::default())
    }

    /// Parses XML within bounds.
    ///
    /// # Errors
    /// As [`parse_xml`](Self::parse_xml).
    pub fn parse_xml_with(xml: &str, options: &ParseOptions) -> Result<Self, Error> {
        if xml.len() > options.max_bytes.min(u32::MAX as usize / 2) {
            return Err(Error::parse(format!(
                "it is {} bytes long, more than {} (`max_bytes`)",
                xml.len(),
                options.max_bytes
            )));
        }
        let mut builder = Builder::new(options);
        builder.run(xml, 0)?;
        builder.finish(xml)
    }

    /// Decodes bytes and parses them as XML. The encoding is found as in
    /// [`parse_bytes`](Self::parse_bytes), the one of the XML declaration included.
    ///
    /// # Errors
    /// As [`parse_xml`](Self::parse_xml), and `ErrorKind::Config` for an encoding that does not exist.
    pub fn parse_xml_bytes(bytes: &[u8], options: &ParseOptions) -> Result<Self, Error> {
        if bytes.len() > options.max_bytes {
            return Err(Error::parse(format!(
                "it is {} bytes long, more than {} (`max_bytes`)",
                bytes.len(),
                options.max_bytes
            )));
        }
        let (text, encoding) = encoding::decode(bytes, options.encoding.as_deref(), options.content_type.as_deref())?;
        let mut document = Self::parse_xml_with(&text, options)?;
        document.encoding = encoding;
        Ok(document)
    }
}

struct Builder<'o> {
    options: &'o ParseOptions,
    start: Instant,
    document: Document,
    names: HashMap<QualName, u32>,
    /// The open elements, and where each was opened.
    open: Vec<(u32, usize)>,
    /// The namespaces of each prefix, the innermost last.
    prefixes: HashMap<String, Vec<Namespace>>,
    /// The prefixes that each open element declares.
    declared: Vec<Vec<String>>,
    entities: HashMap<String, String>,
    expanded: usize,
    events: usize,
    /// Where in the text itself an entity is being expanded.
    outer: usize,
}

impl<'o> Builder<'o> {
    fn new(options: &'o ParseOptions) -> Self {
        let document = Document {
            kind: DocumentKind::Xml,
            quirks: QuirksMode::NoQuirks,
            encoding: "UTF-8",
            nodes: Vec::new(),
            attrs: Vec::new(),
            names: Vec::new(),
            text: String::new(),
        };
        let mut builder = Self {
            options,
            start: Instant::now(),
            document,
            names: HashMap::new(),
            open: Vec::new(),
            prefixes: HashMap::from([("xml".to_owned(), vec![ns!(xml)])]),
            declared: Vec::new(),
            entities: HashMap::new(),
            expanded: 0,
            events: 0,
            outer: 0,
        };
        builder.push(NONE, Content::Document);
        builder
    }

    fn finish(mut self, xml: &str) -> Result<Document, Error> {
        if let Some((id, at)) = self.open.last() {
            let name = self.tag(*id);
            return Err(at_place(xml, *at, format!("`<{name}>` is not closed")));
        }
        if self.document.root_element().is_none() {
            return Err(Error::parse("there is no element in it; is it XML?"));
        }
        let end = self.document.nodes.len() as u32;
        if let Some(root) = self.document.nodes.first_mut() {
            root.end = end;
        }
        Ok(self.document)
    }

    fn tag(&self, id: u32) -> String {
        match self.document.nodes.get(id as usize).map(|data| data.content) {
            Some(Content::Element { name, .. }) => {
                let name = self.document.name(name);
                match &name.prefix {
                    Some(prefix) => format!("{prefix}:{}", name.local),
                    None => name.local.to_string(),
                }
            }
            _ => String::new(),
        }
    }

    fn push(&mut self, parent: u32, content: Content) -> u32 {
        let nodes = &mut self.document.nodes;
        let id = nodes.len() as u32;
        let mut data =
            NodeData { parent, first_child: NONE, last_child: NONE, prev: NONE, next: NONE, end: id + 1, content };
        if let Some(above) = nodes.get_mut(parent as usize) {
            data.prev = above.last_child;
            above.last_child = id;
            if above.first_child == NONE {
                above.first_child = id;
            }
            if let Some(before) = nodes.get_mut(data.prev as usize) {
                before.next = id;
            }
        }
        nodes.push(data);
        id
    }

    fn span(&mut self, text: &str) -> Span {
        let start = self.document.text.len() as u32;
        self.document.text.push_str(text);
        Span { start, len: text.len() as u32 }
    }

    fn parent(&self) -> u32 {
        self.open.last().map_or(0, |(id, _)| *id)
    }

    /// Adds text, to the text before it if there is one.
    fn text(&mut self, text: &str) -> Result<(), &'static str> {
        if self.open.is_empty() {
            return match text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}').is_empty() {
                true => Ok(()),
                false => Err("there is text outside of the root element"),
            };
        }
        if text.is_empty() {
            return Ok(());
        }
        let parent = self.parent();
        let end = self.document.text.len() as u32;
        if let Some(NodeData { parent: above, content: Content::Text(span), .. }) = self.document.nodes.last_mut()
            && *above == parent
            && span.start + span.len == end
        {
            span.len += text.len() as u32;
            self.document.text.push_str(text);
            return Ok(());
        }
        let span = self.span(text);
        self.push(parent, Content::Text(span));
        Ok(())
    }

    fn run(&mut self, xml: &str, depth: usize) -> Result<(), Error> {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().check_end_names = true;
        let floor = self.open.len();
        loop {
            let before = reader.buffer_position() as usize;
            let place = |at: usize, outer: usize| if depth == 0 { at } else { outer };
            let fail = |builder: &Self, at: usize, message: String| match depth {
                0 => at_place(xml, at, message),
                // The place is that of the entity; `at_outer` puts the line to it.
                _ => Error::parse(message).with_source(OuterPlace(builder.outer)),
            };
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(fail(self, reader.error_position() as usize, error.to_string())),
            };
            self.events += 1;
            if self.events.is_multiple_of(4096) && self.start.elapsed() > self.options.timeout {
                return Err(Error::parse(format!("parsing took longer than {:?} (`timeout`)", self.options.timeout)));
            }
            if self.document.nodes.len() > self.options.max_nodes {
                return Err(Error::parse(format!("it makes more than {} nodes (`max_nodes`)", self.options.max_nodes)));
            }
            let done = match event {
                Event::Eof => break,
                Event::Decl(_) => Ok(()),
                Event::Start(tag) => self.open(&tag, place(before, self.outer)),
                Event::Empty(tag) => self.open(&tag, place(before, self.outer)).map(|()| self.close()),
                Event::End(_) if self.open.len() <= floor => Err("an end tag closes nothing".to_owned()),
                Event::End(_) => {
                    self.close();
                    Ok(())
                }
                Event::Text(text) => self.text(&text.xml10_content()).map_err(str::to_owned),
                Event::CData(text) => self.text(&text.xml10_content()).map_err(str::to_owned),
                Event::Comment(text) => {
                    let span = self.span(&text.xml10_content());
                    self.push(self.parent(), Content::Comment(span));
                    Ok(())
                }
                Event::PI(instruction) => {
                    let target = self.span(instruction.target());
                    let data = self.span(instruction.content().trim());
                    self.push(self.parent(), Content::ProcessingInstruction { target, data });
                    Ok(())
                }
                Event::DocType(text) => {
                    self.doctype(&text);
                    Ok(())
                }
                Event::GeneralRef(reference) => {
                    if depth == 0 {
                        self.outer = before;
                    }
                    match self.reference(&reference) {
                        Ok(Replacement::Text(text)) => self.text(&text).map_err(str::to_owned),
                        Ok(Replacement::Content(content)) => {
                            if depth >= MAX_ENTITY_DEPTH {
                                Err(format!("entities nest deeper than {MAX_ENTITY_DEPTH}"))
                            } else {
                                self.run(&content, depth + 1).map_err(|error| at_outer(xml, depth, error))?;
                                Ok(())
                            }
                        }
                        Err(message) => Err(message),
                    }
                }
            };
            done.map_err(|message| fail(self, before, message))?;
        }
        if depth > 0 && self.open.len() != floor {
            return Err(
                Error::parse("an entity opens an element that it does not close").with_source(OuterPlace(self.outer))
            );
        }
        Ok(())
    }

    fn open(&mut self, tag: &BytesStart<'_>, place: usize) -> Result<(), String> {
        if self.open.is_empty() && self.document.root_element().is_some() {
            return Err("there is a second root element".to_owned());
        }
        if self.open.len() >= self.options.max_depth as usize {
            return Err(format!("elements nest deeper than {} (`max_depth`)", self.options.max_depth));
        }
        let mut attrs: Vec<(String, String)> = Vec::new();
        // Its own check for repeated names compares each with each.
        for attr in tag.attributes().with_checks(false) {
            let attr = attr.map_err(|error| error.to_string())?;
            if attrs.len() >= MAX_ATTRS {
                return Err(format!("an element has more than {MAX_ATTRS} attributes"));
            }
            attrs.push((attr.key.into_inner().to_owned(), self.attribute_value(&attr.value, 0)?));
        }
        let mut declared = Vec::new();
        for (name, value) in &attrs {
            let prefix = if name == "xmlns" { Some("") } else { name.strip_prefix("xmlns:") };
            if let Some(prefix) = prefix {
                self.prefixes.entry(prefix.to_owned()).or_default().push(Namespace::from(value.as_str()));
                declared.push(prefix.to_owned());
            }
        }
        let name = self.intern(tag.name().into_inner(), false)?;
        let attrs_start = self.document.attrs.len() as u32;
        let mut seen = std::collections::HashSet::new();
        for (name, value) in &attrs {
            if !seen.insert(name.as_str()) {
                return Err(format!("the attribute `{name}` is there twice"));
            }
            let name = self.intern(name, true)?;
            let value = self.span(value);
            self.document.attrs.push(AttrData { name, value });
        }
        let content = Content::Element { name, attrs_start, attrs_end: self.document.attrs.len() as u32 };
        let id = self.push(self.parent(), content);
        self.open.push((id, place));
        self.declared.push(declared);
        Ok(())
    }

    fn close(&mut self) {
        let end = self.document.nodes.len() as u32;
        if let Some((id, _)) = self.open.pop()
            && let Some(data) = self.document.nodes.get_mut(id as usize)
        {
            data.end = end;
        }
        for prefix in self.declared.pop().unwrap_or_default() {
            if let Some(namespaces) = self.prefixes.get_mut(&prefix) {
                namespaces.pop();
            }
        }
    }

    fn intern(&mut self, full: &str, attribute: bool) -> Result<u32, String> {
        let (prefix, local) = match full.split_once(':') {
            Some((prefix, local)) if !prefix.is_empty() && !local.is_empty() => (Some(prefix), local),
            _ => (None, full),
        };
        if !full.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':') || !c.is_ascii()) {
            return Err(format!("`{}` is not a name", full.chars().take(40).collect::<String>()));
        }
        let innermost = |prefix: &str| self.prefixes.get(prefix).and_then(|all| all.last()).cloned();
        let namespace = match prefix {
            _ if attribute && (full == "xmlns" || prefix == Some("xmlns")) => ns!(xmlns),
            // Attributes without a prefix are in no namespace.
            None if attribute => ns!(),
            prefix => innermost(prefix.unwrap_or_default()).unwrap_or_default(),
        };
        let name = QualName::new(prefix.map(Prefix::from), namespace, LocalName::from(local));
        if let Some(id) = self.names.get(&name) {
            return Ok(*id);
        }
        let id = self.document.names.len() as u32;
        self.document.names.push(name.clone());
        self.names.insert(name, id);
        Ok(id)
    }

    fn doctype(&mut self, text: &str) {
        let parsed = DocType::parse(text);
        let name = self.span(parsed.name);
        let public = self.span(parsed.public);
        let system = self.span(parsed.system);
        self.entities = parsed.entities.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        self.push(self.parent(), Content::Doctype { name, public, system });
    }

    /// What a reference stands for.
    fn reference(&mut self, name: &str) -> Result<Replacement, String> {
        if let Some(number) = name.strip_prefix('#') {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => number.parse().ok(),
            };
            let character = code.and_then(char::from_u32).filter(|c| *c != '\0');
            return match character {
                Some(character) => Ok(Replacement::Text(character.to_string())),
                None => Err(format!("`&{name};` is not a character")),
            };
        }
        let predefined = match name {
            "lt" => Some("<"),
            "gt" => Some(">"),
            "amp" => Some("&"),
            "apos" => Some("'"),
            "quot" => Some("\""),
            _ => None,
        };
        if let Some(text) = predefined {
            return Ok(Replacement::Text(text.to_owned()));
        }
        if let Some(value) = self.entities.get(name) {
            // Each counts for a little, so that empty ones are bounded too.
            self.expanded += value.len() + 64;
            if self.expanded > MAX_EXPANSION {
                return Err(format!("its entities expand to more than {MAX_EXPANSION} bytes"));
            }
            return Ok(match value.contains(['<', '&']) {
                true => Replacement::Content(value.clone()),
                false => Replacement::Text(value.clone()),
            });
        }
        let key = format!("{name};");
        match NAMED_ENTITIES.get(key.as_str()) {
            Some((first, second)) => Ok(Replacement::Text(
                [*first, *second].into_iter().filter(|c| *c != 0).filter_map(char::from_u32).collect(),
            )),
            None => Err(format!("the entity `&{name};` is not declared; a plain `&` is written `&amp;`")),
        }
    }

    /// An attribute's value: references resolved, line breaks and tabs made blanks.
    fn attribute_value(&mut self, raw: &str, depth: usize) -> Result<String, String> {
        let mut value = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = rest.find(['&', '\r', '\n', '\t']) {
            value.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix('&') {
                let Some((name, after)) = after.split_once(';') else {
                    return Err("a `&` begins no reference; a plain one is written `&amp;`".to_owned());
                };
                match self.reference(name)? {
                    Replacement::Text(text) => value.push_str(&text),
                    Replacement::Content(_) if depth >= MAX_ENTITY_DEPTH => {
                        return Err(format!("entities nest deeper than {MAX_ENTITY_DEPTH}"));
                    }
                    Replacement::Content(content) => value.push_str(&self.attribute_value(&content, depth + 1)?),
                }
                rest = after;
            } else {
                value.push(' ');
                rest = rest.strip_prefix("\r\n").unwrap_or(&rest[1..]);
            }
        }
        value.push_str(rest);
        Ok(value)
    }
}

enum Replacement {
    /// A text that needs no more parsing.
    Text(String),
    /// What may hold elements and references.
    Content(String),
}

/// Where in the text an entity stood whose expansion failed.
#[derive(Debug)]
struct OuterPlace(usize);

impl std::fmt::Display for OuterPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "in the entity at byte {}", self.0)
    }
}

impl std::error::Error for OuterPlace {}

fn at_outer(xml: &str, depth: usize, error: Error) -> Error {
    let outer = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<OuterPlace>());
    match (outer, error.kind()) {
        (Some(OuterPlace(at)), crate::ErrorKind::Parse { message, .. }) if depth == 0 => {
            at_place(xml, *at, message.clone())
        }
        _ => error,
    }
}

fn at_place(xml: &str, at: usize, message: String) -> Error {
    let mut at = at.min(xml.len());
    while !xml.is_char_boundary(at) {
        at -= 1;
    }
    let before = &xml[..at];
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Error::parse(format!("{message} (line {line}, column {column})"))
}

#[cfg(test)]
mod tests;

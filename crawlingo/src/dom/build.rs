//! html5ever's tree sink: a mutable tree while the parser moves things about, then frozen into document order.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};
use std::collections::HashMap;

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName};
use markup5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};

use super::node::{AttrData, Content, NONE, NodeData, Span};
use super::{Document, DocumentKind};

/// The most attributes of one element.
pub(super) const MAX_ATTRS: usize = 4096;

struct Building {
    parent: u32,
    first_child: u32,
    last_child: u32,
    prev: u32,
    next: u32,
    /// How many elements lie around the node; what the parser moves about keeps its first depth.
    depth: u32,
    content: BuildContent,
}

enum BuildContent {
    Document,
    Fragment,
    Doctype { name: StrTendril, public: StrTendril, system: StrTendril },
    Element { name: QualName, attrs: Vec<Attribute>, template: u32, annotation_xml_integration: bool },
    Text(StrTendril),
    Comment(StrTendril),
    ProcessingInstruction { target: StrTendril, data: StrTendril },
}

/// Collects what the tree builder says.
pub(crate) struct Sink {
    kind: DocumentKind,
    nodes: RefCell<Vec<Building>>,
    quirks: Cell<QuirksMode>,
    /// The depth of the innermost open element.
    open_depth: Cell<u32>,
}

impl Sink {
    pub(crate) fn new(kind: DocumentKind) -> Self {
        let sink =
            Self { kind, nodes: RefCell::default(), quirks: Cell::new(QuirksMode::NoQuirks), open_depth: Cell::new(0) };
        sink.create(BuildContent::Document);
        sink
    }

    /// How many nodes there are so far.
    pub(super) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub(super) fn open_depth(&self) -> u32 {
        self.open_depth.get()
    }

    pub(super) fn set_open_depth(&self, depth: u32) {
        self.open_depth.set(depth);
    }

    pub(super) fn depth_of(&self, id: u32) -> u32 {
        self.nodes.borrow()[id as usize].depth
    }

    /// Notes the depth of a node that got a parent.
    fn deepen(&self, parent: u32, id: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        let depth = nodes[parent as usize].depth.saturating_add(1);
        let node = &mut nodes[id as usize];
        node.depth = depth;
        if let BuildContent::Element { template, .. } = node.content {
            self.open_depth.set(depth);
            if template != NONE {
                nodes[template as usize].depth = depth;
            }
        }
    }

    fn create(&self, content: BuildContent) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let id = nodes.len() as u32;
        nodes.push(Building {
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            prev: NONE,
            next: NONE,
            depth: 0,
            content,
        });
        id
    }

    fn detach(&self, id: u32) {
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[id as usize];
        let (parent, prev, next) = (node.parent, node.prev, node.next);
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
        if parent == NONE {
            return;
        }
        match prev {
            NONE => nodes[parent as usize].first_child = next,
            _ => nodes[prev as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last_child = prev,
            _ => nodes[next as usize].prev = prev,
        }
    }

    fn append_node(&self, parent: u32, id: u32) {
        self.detach(id);
        self.deepen(parent, id);
        let nodes = &mut *self.nodes.borrow_mut();
        let last = nodes[parent as usize].last_child;
        let node = &mut nodes[id as usize];
        (node.parent, node.prev) = (parent, last);
        match last {
            NONE => nodes[parent as usize].first_child = id,
            _ => nodes[last as usize].next = id,
        }
        nodes[parent as usize].last_child = id;
    }

    fn insert_before(&self, sibling: u32, id: u32) {
        self.detach(id);
        let parent = self.nodes.borrow()[sibling as usize].parent;
        if parent != NONE {
            self.deepen(parent, id);
        }
        let nodes = &mut *self.nodes.borrow_mut();
        let (parent, prev) = (nodes[sibling as usize].parent, nodes[sibling as usize].prev);
        let node = &mut nodes[id as usize];
        (node.parent, node.prev, node.next) = (parent, prev, sibling);
        nodes[sibling as usize].prev = id;
        match prev {
            NONE => nodes[parent as usize].first_child = id,
            _ => nodes[prev as usize].next = id,
        }
    }

    /// Adds text to a text node, if `id` is one.
    fn extend_text(&self, id: u32, more: &StrTendril) -> bool {
        if id == NONE {
            return false;
        }
        match &mut self.nodes.borrow_mut()[id as usize].content {
            BuildContent::Text(text) => {
                text.push_tendril(more);
                true
            }
            _ => false,
        }
    }

    pub(super) fn freeze(self) -> Document {
        let nodes = self.nodes.into_inner();
        let mut document = Document {
            kind: self.kind,
            quirks: self.quirks.get(),
            encoding: "UTF-8",
            nodes: Vec::with_capacity(nodes.len()),
            attrs: Vec::new(),
            names: Vec::new(),
            text: String::new(),
        };
        let mut names: HashMap<QualName, u32> = HashMap::new();
        // Preorder with an explicit stack: (node to visit, its new parent) or the closing of a node.
        enum Step {
            Open(u32, u32),
            Close(u32),
        }
        let mut last_of: Vec<u32> = Vec::with_capacity(nodes.len());
        let mut stack = vec![Step::Open(0, NONE)];
        while let Some(step) = stack.pop() {
            let (old, parent) = match step {
                Step::Open(old, parent) => (old, parent),
                Step::Close(new) => {
                    document.nodes[new as usize].end = document.nodes.len() as u32;
                    continue;
                }
            };
            let new = document.nodes.len() as u32;
            let building = &nodes[old as usize];
            let mut template = NONE;
            let content = match &building.content {
                BuildContent::Document => Content::Document,
                BuildContent::Fragment => Content::Fragment,
                BuildContent::Doctype { name, public, system } => Content::Doctype {
                    name: push(&mut document.text, name),
                    public: push(&mut document.text, public),
                    system: push(&mut document.text, system),
                },
                BuildContent::Text(text) => Content::Text(push(&mut document.text, text)),
                BuildContent::Comment(text) => Content::Comment(push(&mut document.text, text)),
                BuildContent::ProcessingInstruction { target, data } => Content::ProcessingInstruction {
                    target: push(&mut document.text, target),
                    data: push(&mut document.text, data),
                },
                BuildContent::Element { name, attrs, template: contents, .. } => {
                    template = *contents;
                    let mut intern = |name: &QualName| match names.get(name) {
                        Some(id) => *id,
                        None => {
                            let id = document.names.len() as u32;
                            document.names.push(name.clone());
                            names.insert(name.clone(), id);
                            id
                        }
                    };
                    let name = intern(name);
                    let attrs_start = document.attrs.len() as u32;
                    for attr in attrs {
                        let name = intern(&attr.name);
                        document.attrs.push(AttrData { name, value: push(&mut document.text, &attr.value) });
                    }
                    Content::Element { name, attrs_start, attrs_end: document.attrs.len() as u32 }
                }
            };
            let mut data =
                NodeData { parent, first_child: NONE, last_child: NONE, prev: NONE, next: NONE, end: new + 1, content };
            if parent != NONE && !matches!(content, Content::Fragment) {
                let prev = last_of[parent as usize];
                data.prev = prev;
                match prev {
                    NONE => document.nodes[parent as usize].first_child = new,
                    _ => document.nodes[prev as usize].next = new,
                }
                document.nodes[parent as usize].last_child = new;
                last_of[parent as usize] = new;
            }
            document.nodes.push(data);
            last_of.push(NONE);
            stack.push(Step::Close(new));
            let mut child = building.last_child;
            while child != NONE {
                stack.push(Step::Open(child, new));
                child = nodes[child as usize].prev;
            }
            if template != NONE {
                stack.push(Step::Open(template, new));
            }
        }
        document
    }
}

fn push(buffer: &mut String, text: &str) -> Span {
    let start = buffer.len() as u32;
    buffer.push_str(text);
    Span { start, len: text.len() as u32 }
}

impl TreeSink for Sink {
    type Handle = u32;
    type Output = Document;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Document {
        self.freeze()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Ref<'a, QualName> {
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].content {
            BuildContent::Element { name, .. } => name,
            _ => unreachable!("html5ever asks for the names of elements only"),
        })
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let template = if flags.template { self.create(BuildContent::Fragment) } else { NONE };
        let annotation_xml_integration = flags.mathml_annotation_xml_integration_point;
        self.create(BuildContent::Element { name, attrs, template, annotation_xml_integration })
    }

    fn pop(&self, node: &u32) {
        let depth = self.nodes.borrow()[*node as usize].depth;
        self.open_depth.set(self.open_depth.get().min(depth.saturating_sub(1)));
    }

    fn create_comment(&self, text: StrTendril) -> u32 {
        self.create(BuildContent::Comment(text))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> u32 {
        self.create(BuildContent::ProcessingInstruction { target, data })
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        match child {
            NodeOrText::AppendNode(id) => self.append_node(*parent, id),
            NodeOrText::AppendText(text) => {
                let last = self.nodes.borrow()[*parent as usize].last_child;
                if !self.extend_text(last, &text) {
                    let id = self.create(BuildContent::Text(text));
                    self.append_node(*parent, id);
                }
            }
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, prev_element: &u32, child: NodeOrText<u32>) {
        if self.nodes.borrow()[*element as usize].parent == NONE {
            self.append(prev_element, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let id = self.create(BuildContent::Doctype { name, public, system });
        self.append_node(0, id);
    }

    fn get_template_contents(&self, target: &u32) -> u32 {
        match &self.nodes.borrow()[*target as usize].content {
            BuildContent::Element { template, .. } if *template != NONE => *template,
            _ => *target,
        }
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(mode);
    }

    fn append_before_sibling(&self, sibling: &u32, new_node: NodeOrText<u32>) {
        match new_node {
            NodeOrText::AppendNode(id) => self.insert_before(*sibling, id),
            NodeOrText::AppendText(text) => {
                let prev = self.nodes.borrow()[*sibling as usize].prev;
                if !self.extend_text(prev, &text) {
                    let id = self.create(BuildContent::Text(text));
                    self.insert_before(*sibling, id);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, more: Vec<Attribute>) {
        if let BuildContent::Element { attrs, .. } = &mut self.nodes.borrow_mut()[*target as usize].content {
            for attr in more {
                // A page may begin its body any number of times.
                if attrs.len() >= MAX_ATTRS {
                    break;
                }
                if !attrs.iter().any(|have| have.name == attr.name) {
                    attrs.push(attr);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        loop {
            let child = self.nodes.borrow()[*node as usize].first_child;
            if child == NONE {
                break;
            }
            self.append_node(*new_parent, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &u32) -> bool {
        matches!(
            self.nodes.borrow()[*handle as usize].content,
            BuildContent::Element { annotation_xml_integration: true, .. }
        )
    }
}

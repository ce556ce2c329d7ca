//! html5ever's tree sink: nodes as the parser makes them, then put into document order where they are not.
//!
//! Nearly every page makes its nodes in document order, so that the nodes that are built are the nodes of the document;
//! only pages that make the parser move things (text in a table, formatting that is closed in the wrong order) are
//! numbered again. Text is a part of the source wherever the source has it in one piece.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use foldhash::fast::RandomState;
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, QualName, local_name, ns};
use markup5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use typed_arena::Arena;

use super::node::{AttrData, Content, NONE, NodeData, Span};
use super::{Document, DocumentKind, order};

/// The most attributes of one element.
pub(super) const MAX_ATTRS: usize = 4096;

/// The most bytes of text that is not in the source as it is: a short page can make the parser repeat elements, and so
/// their attributes, without end.
const MAX_MADE: usize = 1 << 30;

/// A name, once for each document.
pub(super) struct Name {
    name: QualName,
    id: u32,
}

/// Where the names of a document are while it is built.
pub(super) type Names = Arena<Name>;

/// A node as html5ever knows it. The name travels with it, because the tree builder asks for the names of the open
/// elements at every tag.
#[derive(Clone, Copy)]
pub(super) struct Handle<'n> {
    id: u32,
    name: &'n Name,
}

impl Handle<'_> {
    pub(super) fn id(self) -> u32 {
        self.id
    }
}

/// Collects what the tree builder says.
pub(super) struct Sink<'n> {
    names: &'n Names,
    /// The name of what has none.
    nameless: &'n Name,
    source: StrTendril,
    /// Whether the source lies in a buffer of its own, which its parts share. A tendril that lies in it is a part of the
    /// source: nothing else can, as long as the source lives.
    is_shared: bool,
    tree: RefCell<Tree<'n>>,
    quirks: Cell<QuirksMode>,
    /// The depth of the innermost open element.
    open_depth: Cell<u32>,
    /// A list of attributes to be filled again.
    spare: Cell<Vec<Attribute>>,
}

struct Tree<'n> {
    /// A node's `end` is its depth, until the tree is frozen: how many elements lie around it; what the parser moves
    /// about keeps its first depth.
    nodes: Vec<NodeData>,
    attrs: Vec<AttrData>,
    ids: HashMap<QualName, &'n Name, RandomState>,
    /// Text that is not in the source as it is; it stands behind the source.
    made: String,
    /// Texts that are added to again and again, with other text between, by node.
    grown: HashMap<u32, String>,
    /// `<annotation-xml>` elements that hold HTML, in the order of their ids.
    html_annotations: Vec<u32>,
}

/// What a document is made of, without its source.
pub(super) struct Frozen {
    nodes: Vec<NodeData>,
    attrs: Vec<AttrData>,
    names: Vec<QualName>,
    made: String,
    quirks: QuirksMode,
}

impl Frozen {
    /// The document; `source` is the text that the sink was told of.
    pub(super) fn into_document(self, mut source: String) -> Document {
        source.push_str(&self.made);
        Document {
            kind: DocumentKind::Html,
            quirks: self.quirks,
            encoding: "UTF-8",
            nodes: self.nodes,
            attrs: self.attrs,
            names: self.names,
            text: source,
        }
    }
}

impl<'n> Sink<'n> {
    /// A sink for the tokens of `source`.
    pub(super) fn new(names: &'n Names, source: &StrTendril) -> Self {
        let tree = Tree {
            // About one node for 32 bytes.
            nodes: Vec::with_capacity(source.len() / 32 + 8),
            attrs: Vec::with_capacity(source.len() / 48 + 8),
            ids: HashMap::default(),
            made: String::new(),
            grown: HashMap::new(),
            html_annotations: Vec::new(),
        };
        let nameless = names.alloc(Name { name: QualName::new(None, ns!(), local_name!("")), id: NONE });
        let sink = Self {
            names,
            nameless,
            source: source.clone(),
            // A short tendril holds its text itself.
            is_shared: source.len() > 64,
            tree: RefCell::new(tree),
            quirks: Cell::new(QuirksMode::NoQuirks),
            open_depth: Cell::new(0),
            spare: Cell::default(),
        };
        sink.tree.borrow_mut().create(Content::Document);
        sink
    }

    /// Which bound the document passed: a page can make the parser repeat elements with their attributes without end.
    pub(super) fn passed(&self, max_nodes: usize) -> Option<String> {
        let tree = self.tree.borrow();
        if tree.nodes.len() > max_nodes {
            return Some(format!("it makes more than {max_nodes} nodes (`max_nodes`)"));
        }
        let max_attrs = max_nodes.saturating_mul(4);
        if tree.attrs.len() > max_attrs {
            return Some(format!("it makes more than {max_attrs} attributes, four for each of `max_nodes`"));
        }
        (tree.made.len() > MAX_MADE).then(|| format!("it makes more than {MAX_MADE} bytes of text"))
    }

    pub(super) fn open_depth(&self) -> u32 {
        self.open_depth.get()
    }

    pub(super) fn set_open_depth(&self, depth: u32) {
        self.open_depth.set(depth);
    }

    pub(super) fn depth_of(&self, id: u32) -> u32 {
        self.tree.borrow().nodes[id as usize].end
    }

    /// An empty list for the attributes of the next tag.
    pub(super) fn take_spare(&self) -> Vec<Attribute> {
        self.spare.take()
    }

    fn handle(&self, id: u32) -> Handle<'n> {
        Handle { id, name: self.nameless }
    }

    /// Where in the source a text is, if it is a part of it.
    fn place(&self, text: &StrTendril) -> Option<u32> {
        let at = (text.as_ptr() as usize).wrapping_sub(self.source.as_ptr() as usize);
        (self.is_shared && at < self.source.len()).then_some(at as u32)
    }

    fn span(&self, tree: &mut Tree<'n>, text: &StrTendril) -> Span {
        match self.place(text) {
            Some(start) => Span { start, len: text.len32() },
            None => {
                let start = self.source.len32() + tree.made.len() as u32;
                tree.made.push_str(text);
                Span { start, len: text.len32() }
            }
        }
    }

    /// Notes the depth of a node that got a parent.
    fn deepen(&self, tree: &mut Tree<'n>, parent: u32, id: u32) {
        let depth = tree.nodes[parent as usize].end.saturating_add(1);
        let node = &mut tree.nodes[id as usize];
        node.end = depth;
        if matches!(node.content, Content::Element { .. }) {
            self.open_depth.set(depth);
            if let Some(contents) = tree.contents_of(id) {
                tree.nodes[contents as usize].end = depth;
            }
        }
    }

    fn append_node(&self, tree: &mut Tree<'n>, parent: u32, id: u32) {
        tree.detach(id);
        self.deepen(tree, parent, id);
        let above = &mut tree.nodes[parent as usize];
        let last = std::mem::replace(&mut above.last_child, id);
        if last == NONE {
            above.first_child = id;
        } else {
            tree.nodes[last as usize].next = id;
        }
        let node = &mut tree.nodes[id as usize];
        (node.parent, node.prev) = (parent, last);
    }

    fn insert_before(&self, tree: &mut Tree<'n>, sibling: u32, id: u32) {
        tree.detach(id);
        let NodeData { parent, prev, .. } = tree.nodes[sibling as usize];
        if parent != NONE {
            self.deepen(tree, parent, id);
        }
        let node = &mut tree.nodes[id as usize];
        (node.parent, node.prev, node.next) = (parent, prev, sibling);
        tree.nodes[sibling as usize].prev = id;
        match (prev, parent) {
            (NONE, NONE) => {}
            (NONE, parent) => tree.nodes[parent as usize].first_child = id,
            (prev, _) => tree.nodes[prev as usize].next = id,
        }
    }

    /// Adds text to a text node, if `id` is one.
    fn extend_text(&self, tree: &mut Tree<'n>, id: u32, more: &StrTendril) -> bool {
        let Some(Content::Text(have)) = tree.nodes.get(id as usize).map(|node| node.content) else { return false };
        if have.len == 0
            && let Some(grown) = tree.grown.get_mut(&id)
        {
            grown.push_str(more);
            return true;
        }
        let source_end = self.source.len32();
        let made_end = source_end + tree.made.len() as u32;
        let end = have.start + have.len;
        let len = have.len + more.len32();
        let joined = if self.place(more) == Some(end) {
            Span { start: have.start, len }
        } else if end == made_end {
            tree.made.push_str(more);
            Span { start: have.start, len }
        } else if end <= source_end {
            tree.made.push_str(&self.source[have.start as usize..end as usize]);
            tree.made.push_str(more);
            Span { start: made_end, len }
        } else {
            // Were it made anew each time, two texts that grow in turn would take quadratic time.
            let mut grown = tree.made[(have.start - source_end) as usize..(end - source_end) as usize].to_owned();
            grown.push_str(more);
            tree.grown.insert(id, grown);
            Span::default()
        };
        tree.nodes[id as usize].content = Content::Text(joined);
        true
    }

    fn append_text(&self, tree: &mut Tree<'n>, parent: u32, text: &StrTendril) {
        let last = tree.nodes[parent as usize].last_child;
        if !self.extend_text(tree, last, text) {
            let span = self.span(tree, text);
            let id = tree.create(Content::Text(span));
            self.append_node(tree, parent, id);
        }
    }

    /// The finished tree, in document order.
    pub(super) fn freeze(self) -> Frozen {
        let Tree { mut nodes, mut attrs, ids, mut made, grown, .. } = self.tree.into_inner();
        for (id, text) in grown {
            let span = Span { start: self.source.len32() + made.len() as u32, len: text.len() as u32 };
            made.push_str(&text);
            nodes[id as usize].content = Content::Text(span);
        }
        if !order::finish(&mut nodes) {
            nodes = order::renumber(&nodes);
        }
        nodes.shrink_to(nodes.len() + nodes.len() / 4);
        attrs.shrink_to(attrs.len() + attrs.len() / 4);
        let mut names = vec![None; ids.len()];
        for (name, place) in ids {
            names[place.id as usize] = Some(name);
        }
        Frozen { nodes, attrs, names: names.into_iter().flatten().collect(), made, quirks: self.quirks.get() }
    }
}

impl<'n> Tree<'n> {
    fn create(&mut self, content: Content) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(NodeData {
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            prev: NONE,
            next: NONE,
            end: 0,
            content,
        });
        id
    }

    /// The node that holds a template's contents: it is made right after the template.
    fn contents_of(&self, id: u32) -> Option<u32> {
        let next = self.nodes.get(id as usize + 1)?;
        (next.parent == id && matches!(next.content, Content::Fragment)).then_some(id + 1)
    }

    fn detach(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        let (parent, prev, next) = (node.parent, node.prev, node.next);
        if parent == NONE {
            return;
        }
        (node.parent, node.prev, node.next) = (NONE, NONE, NONE);
        match prev {
            NONE => self.nodes[parent as usize].first_child = next,
            _ => self.nodes[prev as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last_child = prev,
            _ => self.nodes[next as usize].prev = prev,
        }
    }

    fn intern(&mut self, names: &'n Names, name: QualName) -> &'n Name {
        if let Some(known) = self.ids.get(&name) {
            return known;
        }
        let known = names.alloc(Name { name: name.clone(), id: self.ids.len() as u32 });
        self.ids.insert(name, known);
        known
    }
}

impl<'n> TreeSink for Sink<'n> {
    type Handle = Handle<'n>;
    type Output = Frozen;
    type ElemName<'a>
        = &'a QualName
    where
        Self: 'a;

    fn finish(self) -> Frozen {
        self.freeze()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle<'n> {
        self.handle(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle<'n>) -> &'a QualName {
        &target.name.name
    }

    fn create_element(&self, name: QualName, mut attrs: Vec<Attribute>, flags: ElementFlags) -> Handle<'n> {
        let tree = &mut *self.tree.borrow_mut();
        let name = tree.intern(self.names, name);
        let attrs_start = tree.attrs.len() as u32;
        if attrs.capacity() > 0 {
            for attr in attrs.drain(..) {
                let value = self.span(tree, &attr.value);
                let name = tree.intern(self.names, attr.name).id;
                tree.attrs.push(AttrData { name, value });
            }
            self.spare.set(attrs);
        }
        let attrs_end = tree.attrs.len() as u32;
        let id = tree.create(Content::Element { name: name.id, attrs_start, attrs_end });
        if flags.template {
            let contents = tree.create(Content::Fragment);
            tree.nodes[contents as usize].parent = id;
        }
        if flags.mathml_annotation_xml_integration_point {
            tree.html_annotations.push(id);
        }
        Handle { id, name }
    }

    fn pop(&self, node: &Handle<'n>) {
        let depth = self.depth_of(node.id);
        self.open_depth.set(self.open_depth.get().min(depth.saturating_sub(1)));
    }

    fn create_comment(&self, text: StrTendril) -> Handle<'n> {
        let tree = &mut *self.tree.borrow_mut();
        let span = self.span(tree, &text);
        self.handle(tree.create(Content::Comment(span)))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle<'n> {
        let tree = &mut *self.tree.borrow_mut();
        let (target, data) = (self.span(tree, &target), self.span(tree, &data));
        self.handle(tree.create(Content::ProcessingInstruction { target, data }))
    }

    fn append(&self, parent: &Handle<'n>, child: NodeOrText<Handle<'n>>) {
        let tree = &mut *self.tree.borrow_mut();
        match child {
            NodeOrText::AppendNode(child) => self.append_node(tree, parent.id, child.id),
            NodeOrText::AppendText(text) => self.append_text(tree, parent.id, &text),
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle<'n>,
        prev_element: &Handle<'n>,
        child: NodeOrText<Handle<'n>>,
    ) {
        let parent = self.tree.borrow().nodes[element.id as usize].parent;
        if parent == NONE {
            self.append(prev_element, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let tree = &mut *self.tree.borrow_mut();
        let (name, public, system) = (self.span(tree, &name), self.span(tree, &public), self.span(tree, &system));
        let id = tree.create(Content::Doctype { name, public, system });
        self.append_node(tree, 0, id);
    }

    fn get_template_contents(&self, target: &Handle<'n>) -> Handle<'n> {
        self.tree.borrow().contents_of(target.id).map_or(*target, |contents| self.handle(contents))
    }

    fn same_node(&self, x: &Handle<'n>, y: &Handle<'n>) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(mode);
    }

    fn append_before_sibling(&self, sibling: &Handle<'n>, new_node: NodeOrText<Handle<'n>>) {
        let tree = &mut *self.tree.borrow_mut();
        match new_node {
            NodeOrText::AppendNode(child) => self.insert_before(tree, sibling.id, child.id),
            NodeOrText::AppendText(text) => {
                let prev = tree.nodes[sibling.id as usize].prev;
                if !self.extend_text(tree, prev, &text) {
                    let span = self.span(tree, &text);
                    let id = tree.create(Content::Text(span));
                    self.insert_before(tree, sibling.id, id);
                }
            }
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle<'n>, more: Vec<Attribute>) {
        let tree = &mut *self.tree.borrow_mut();
        let Content::Element { name, attrs_start: mut start, attrs_end: mut end } =
            tree.nodes[target.id as usize].content
        else {
            return;
        };
        for attr in more {
            // A page may begin its body any number of times.
            if (end - start) as usize >= MAX_ATTRS {
                break;
            }
            let name = tree.intern(self.names, attr.name).id;
            if tree.attrs[start as usize..end as usize].iter().any(|have| have.name == name) {
                continue;
            }
            if end as usize != tree.attrs.len() {
                // Others follow; only behind them is room.
                let len = tree.attrs.len() as u32;
                tree.attrs.extend_from_within(start as usize..end as usize);
                (start, end) = (len, tree.attrs.len() as u32);
            }
            let value = self.span(tree, &attr.value);
            tree.attrs.push(AttrData { name, value });
            end += 1;
        }
        tree.nodes[target.id as usize].content = Content::Element { name, attrs_start: start, attrs_end: end };
    }

    fn remove_from_parent(&self, target: &Handle<'n>) {
        self.tree.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle<'n>, new_parent: &Handle<'n>) {
        let tree = &mut *self.tree.borrow_mut();
        loop {
            let child = tree.nodes[node.id as usize].first_child;
            if child == NONE {
                break;
            }
            self.append_node(tree, new_parent.id, child);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle<'n>) -> bool {
        self.tree.borrow().html_annotations.binary_search(&handle.id).is_ok()
    }
}

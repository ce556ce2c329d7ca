//! The tree that html5ever makes with its own tokenizer, and a way to write both trees down. The fuzz target shares it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write as _;

use crawlingo::dom::{Document, Node as OurNode, NodeKind};
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, create_element};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult, ns};

enum What {
    Document,
    Contents,
    Doctype(String),
    Text(String),
    Comment(String),
    Element { name: QualName, attrs: Vec<Attribute>, contents: Option<usize>, holds_html: bool },
}

struct Node {
    what: What,
    parent: Option<usize>,
    children: Vec<usize>,
}

/// A plain tree, with nothing clever in it.
struct Tree {
    nodes: RefCell<Vec<Node>>,
    names: RefCell<Vec<&'static QualName>>,
}

impl Tree {
    fn create(&self, what: What) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { what, parent: None, children: Vec::new() });
        nodes.len() - 1
    }

    fn insert(&self, parent: usize, at: usize, child: NodeOrText<usize>) {
        match child {
            NodeOrText::AppendNode(id) => {
                let nodes = &mut *self.nodes.borrow_mut();
                nodes[id].parent = Some(parent);
                nodes[parent].children.insert(at, id);
            }
            NodeOrText::AppendText(text) => {
                let before = at.checked_sub(1).map(|before| self.nodes.borrow()[parent].children[before]);
                if let Some(before) = before
                    && let What::Text(have) = &mut self.nodes.borrow_mut()[before].what
                {
                    have.push_str(&text);
                    return;
                }
                let id = self.create(What::Text(text.to_string()));
                self.insert(parent, at, NodeOrText::AppendNode(id));
            }
        }
    }
}

impl TreeSink for Tree {
    type Handle = usize;
    type Output = ();
    type ElemName<'a> = &'a QualName;

    fn finish(self) {}

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> usize {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> &'a QualName {
        let name = match &self.nodes.borrow()[*target].what {
            What::Element { name, .. } => name.clone(),
            _ => unreachable!("only elements have names"),
        };
        let mut names = self.names.borrow_mut();
        match names.iter().find(|known| ***known == name) {
            Some(known) => known,
            None => {
                // A name for each that is different, for as long as the tests run.
                names.push(Box::leak(Box::new(name)));
                names[names.len() - 1]
            }
        }
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> usize {
        let contents = flags.template.then(|| self.create(What::Contents));
        let holds_html = flags.mathml_annotation_xml_integration_point;
        self.create(What::Element { name, attrs, contents, holds_html })
    }

    fn create_comment(&self, text: StrTendril) -> usize {
        self.create(What::Comment(text.to_string()))
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> usize {
        unreachable!("HTML has none")
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        let at = self.nodes.borrow()[*parent].children.len();
        if let NodeOrText::AppendNode(id) = &child {
            self.remove_from_parent(id);
        }
        let at = at.min(self.nodes.borrow()[*parent].children.len());
        self.insert(*parent, at, child);
    }

    fn append_based_on_parent_node(&self, element: &usize, prev_element: &usize, child: NodeOrText<usize>) {
        let parent = self.nodes.borrow()[*element].parent;
        match parent {
            Some(_) => self.append_before_sibling(element, child),
            None => self.append(prev_element, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let id = self.create(What::Doctype(format!("{name} {:?} {:?}", &*public, &*system)));
        self.append(&0, NodeOrText::AppendNode(id));
    }

    fn get_template_contents(&self, target: &usize) -> usize {
        match &self.nodes.borrow()[*target].what {
            What::Element { contents: Some(contents), .. } => *contents,
            _ => unreachable!("only templates have contents"),
        }
    }

    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        if let NodeOrText::AppendNode(id) = &child {
            self.remove_from_parent(id);
        }
        let parent = self.nodes.borrow()[*sibling].parent.expect("a sibling has a parent");
        let at = self.nodes.borrow()[parent].children.iter().position(|id| id == sibling);
        self.insert(parent, at.expect("it is a child"), child);
    }

    fn add_attrs_if_missing(&self, target: &usize, more: Vec<Attribute>) {
        if let What::Element { attrs, .. } = &mut self.nodes.borrow_mut()[*target].what {
            for attr in more {
                if attrs.iter().all(|have| have.name != attr.name) {
                    attrs.push(attr);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &usize) {
        let nodes = &mut *self.nodes.borrow_mut();
        if let Some(parent) = nodes[*target].parent.take() {
            nodes[parent].children.retain(|id| id != target);
        }
    }

    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let children = self.nodes.borrow()[*node].children.clone();
        for child in children {
            self.append(new_parent, NodeOrText::AppendNode(child));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &usize) -> bool {
        matches!(self.nodes.borrow()[*handle].what, What::Element { holds_html: true, .. })
    }
}

/// Keeps reports of errors from the tree builder: it takes them for tokens, so that a newline after `<pre></>` would not
/// be dropped.
struct Quiet(TreeBuilder<usize, Tree>);

impl TokenSink for Quiet {
    type Handle = usize;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<usize> {
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            token => self.0.process_token(token, line),
        }
    }

    fn end(&self) {
        self.0.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The tree by html5ever alone; `context` as for [`Document::parse_fragment`].
pub(crate) fn html5ever(html: &str, context: Option<&str>) -> String {
    let tree = Tree { nodes: RefCell::default(), names: RefCell::default() };
    tree.create(What::Document);
    let rules = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let (builder, initial_state) = match context {
        None => (TreeBuilder::new(tree, rules), None),
        Some(context) => {
            let (ns, local) = match context.split_once(' ') {
                Some(("svg", local)) => (ns!(svg), local),
                Some(("math", local)) => (ns!(mathml), local),
                _ => (ns!(html), context),
            };
            let context = create_element(&tree, QualName::new(None, ns, LocalName::from(local)), Vec::new());
            let builder = TreeBuilder::new_for_fragment(tree, context, None, rules);
            let state = builder.tokenizer_state_for_context_elem(false);
            (builder, Some(state))
        }
    };
    // It would drop a mark wherever it begins anew, such as after a script.
    let options = TokenizerOpts { initial_state, discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Quiet(builder), options);
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html.strip_prefix('\u{feff}').unwrap_or(html)));
    while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    tokenizer.end();
    let nodes = tokenizer.sink.0.sink.nodes.into_inner();
    let mut text = String::new();
    let mut open = vec![(0, 0)];
    while let Some((id, depth)) = open.pop() {
        let Node { what, children, .. } = &nodes[id];
        let _ = write!(text, "{depth} ");
        let _ = match what {
            What::Document => writeln!(text, "document"),
            What::Contents => writeln!(text, "contents"),
            What::Doctype(doctype) => writeln!(text, "doctype {doctype}"),
            What::Text(content) => writeln!(text, "text {content:?}"),
            What::Comment(content) => writeln!(text, "comment {content:?}"),
            What::Element { name, attrs, .. } => {
                let _ = write!(text, "element {} {:?}", &*name.ns, &*name.local);
                for attr in attrs {
                    let prefix = attr.name.prefix.as_deref();
                    let _ = write!(text, " {prefix:?} {:?}={:?}", &*attr.name.local, &*attr.value);
                }
                writeln!(text)
            }
        };
        open.extend(children.iter().rev().map(|child| (*child, depth + 1)));
        if let What::Element { contents: Some(contents), .. } = what {
            open.push((*contents, depth + 1));
        }
    }
    text
}

/// A document of ours in the same words; it checks the links between the nodes on the way.
pub(crate) fn ours(document: &Document) -> String {
    let mut text = String::new();
    let mut open = vec![(document.root(), 0)];
    let mut next = 0;
    while let Some((node, depth)) = open.pop() {
        assert_eq!(node.id().get(), next, "ids are in document order");
        next += 1;
        let _ = write!(text, "{depth} ");
        let _ = match (node.kind(), node.as_element()) {
            (_, Some(element)) => {
                let _ = write!(text, "element {} {:?}", element.namespace_url(), element.tag());
                for (prefix, name, value) in element.attrs_with_prefix() {
                    let _ = write!(text, " {prefix:?} {name:?}={value:?}");
                }
                writeln!(text)
            }
            (NodeKind::Document, _) => writeln!(text, "document"),
            (NodeKind::Fragment, _) => writeln!(text, "contents"),
            (NodeKind::Doctype, _) => {
                let (name, public, system) = node.as_doctype().unwrap_or_default();
                writeln!(text, "doctype {name} {public:?} {system:?}")
            }
            (NodeKind::Text, _) => writeln!(text, "text {:?}", node.as_text().unwrap_or_default()),
            (NodeKind::Comment, _) => writeln!(text, "comment {:?}", node.as_comment().unwrap_or_default()),
            _ => writeln!(text, "{node:?}"),
        };
        let children: Vec<OurNode<'_>> = node.children().collect();
        for (at, child) in children.iter().enumerate() {
            assert_eq!(child.parent(), Some(node), "a child's parent");
            assert_eq!(child.prev_sibling(), at.checked_sub(1).map(|before| children[before]), "the sibling before");
            assert_eq!(child.next_sibling(), children.get(at + 1).copied(), "the sibling after");
        }
        assert_eq!(node.last_child(), children.last().copied(), "the last child");
        open.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        if let Some(contents) = node.template_contents() {
            open.push((contents, depth + 1));
        }
    }
    assert_eq!(next as usize, document.len(), "every node hangs on the document");
    text
}

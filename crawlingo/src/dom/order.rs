//! Document order: the ids of a tree's nodes, counted as they stand.

use super::node::{Content, NONE, NodeData};

/// Sets where each subtree ends, if the nodes stand in document order already; says whether they do. Where they do not,
/// some ends are set and others not.
pub(super) fn finish(nodes: &mut [NodeData]) -> bool {
    let (mut at, mut next) = (0, 1);
    loop {
        // Down: into a template's contents, then to the first child.
        let contents =
            nodes.get(next as usize).is_some_and(|node| node.parent == at && matches!(node.content, Content::Fragment));
        let child = if contents { next } else { nodes[at as usize].first_child };
        if child != NONE {
            if child != next {
                return false;
            }
            at = child;
            next += 1;
            continue;
        }
        // Up, until there is something to the right.
        loop {
            let node = &mut nodes[at as usize];
            node.end = next;
            let right = match node.content {
                Content::Fragment => nodes[nodes[at as usize].parent as usize].first_child,
                _ => node.next,
            };
            if right != NONE {
                if right != next {
                    return false;
                }
                at = right;
                next += 1;
                break;
            }
            at = nodes[at as usize].parent;
            if at == NONE {
                return next as usize == nodes.len();
            }
        }
    }
}

/// The nodes that hang on the document, in document order.
pub(super) fn renumber(old: &[NodeData]) -> Vec<NodeData> {
    enum Step {
        /// The node to visit, and its parent's new id.
        Open(u32, u32),
        Close(u32),
    }
    let mut nodes: Vec<NodeData> = Vec::with_capacity(old.len());
    let mut stack = vec![Step::Open(0, NONE)];
    while let Some(step) = stack.pop() {
        let (id, parent) = match step {
            Step::Open(id, parent) => (id, parent),
            Step::Close(new) => {
                nodes[new as usize].end = nodes.len() as u32;
                continue;
            }
        };
        let new = nodes.len() as u32;
        let content = old[id as usize].content;
        let mut node =
            NodeData { parent, first_child: NONE, last_child: NONE, prev: NONE, next: NONE, end: 0, content };
        if parent != NONE && !matches!(content, Content::Fragment) {
            let above = &mut nodes[parent as usize];
            node.prev = std::mem::replace(&mut above.last_child, new);
            match node.prev {
                NONE => above.first_child = new,
                prev => nodes[prev as usize].next = new,
            }
        }
        nodes.push(node);
        stack.push(Step::Close(new));
        let mut child = old[id as usize].last_child;
        while child != NONE {
            stack.push(Step::Open(child, new));
            child = old[child as usize].prev;
        }
        let contents = old.get(id as usize + 1);
        if contents.is_some_and(|node| node.parent == id && matches!(node.content, Content::Fragment)) {
            stack.push(Step::Open(id + 1, new));
        }
    }
    nodes
}

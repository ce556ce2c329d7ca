//! The axes, one node at a time, in their own order.

use crawlingo_schema::xpath::ast::Axis;

use super::item::{Item, ItemKind, Tree};
use crate::dom::{Content, NONE};

/// Goes along an axis.
pub(super) struct Walk<'a> {
    tree: Tree<'a>,
    /// The node itself, on the axes that begin with it.
    first: Option<Item>,
    rest: Rest,
}

enum Rest {
    Nothing,
    /// Siblings to the right, up to one (left out).
    Right {
        next: u32,
        stop: u32,
    },
    /// Siblings to the left, up to one (left out).
    Left {
        next: u32,
        stop: u32,
    },
    /// All nodes with ids of a range, without the contents of templates.
    Range {
        next: u32,
        end: u32,
    },
    Up {
        next: u32,
    },
    /// Backwards from a node, without its ancestors.
    Back {
        at: u32,
        origin: u32,
    },
    Attributes {
        id: u32,
        index: u32,
        count: u32,
    },
    Namespaces {
        id: u32,
        index: u32,
        count: u32,
    },
}

impl<'a> Walk<'a> {
    pub(super) fn new(tree: Tree<'a>, axis: Axis, item: Item) -> Self {
        let walk = |first, rest| Self { tree, first, rest };
        let id = item.id();
        let orself = matches!(axis, Axis::AncestorOrSelf | Axis::DescendantOrSelf | Axis::SelfAxis);
        let first = orself.then_some(item);
        match item.kind() {
            ItemKind::Node => {}
            ItemKind::Made(_) => return walk(first, Rest::Nothing),
            ItemKind::Attribute(_) | ItemKind::Namespace(_) => {
                let rest = match axis {
                    Axis::Parent => return walk(Some(Item::node(id)), Rest::Nothing),
                    Axis::Ancestor | Axis::AncestorOrSelf => Rest::Up { next: id },
                    // What the element holds comes after its attributes.
                    Axis::Following => Rest::Range { next: id + 1, end: tree.data(0).end },
                    Axis::Preceding => Rest::Back { at: id, origin: id },
                    _ => Rest::Nothing,
                };
                return walk(first, rest);
            }
        }
        let data = tree.data(id);
        let rest = match axis {
            Axis::SelfAxis => Rest::Nothing,
            Axis::Child => Rest::Right { next: data.first_child, stop: NONE },
            Axis::Parent => {
                let parent = (data.parent != NONE).then(|| Item::node(data.parent));
                return walk(parent, Rest::Nothing);
            }
            Axis::Ancestor | Axis::AncestorOrSelf => Rest::Up { next: data.parent },
            Axis::Descendant | Axis::DescendantOrSelf => Rest::Range { next: id + 1, end: data.end },
            Axis::FollowingSibling => Rest::Right { next: data.next, stop: NONE },
            Axis::PrecedingSibling => Rest::Left { next: data.prev, stop: NONE },
            Axis::Following => Rest::Range { next: data.end, end: tree.data(0).end },
            Axis::Preceding => Rest::Back { at: id, origin: id },
            Axis::Attribute => {
                let (start, end) = tree.attr_range(id);
                Rest::Attributes { id, index: 0, count: end - start }
            }
            Axis::Namespace => match data.content {
                Content::Element { .. } => Rest::Namespaces { id, index: 0, count: tree.namespaces(id).len() as u32 },
                _ => Rest::Nothing,
            },
        };
        walk(first, rest)
    }

    /// The axis from its far end, where that is as cheap.
    pub(super) fn reversed(tree: Tree<'a>, axis: Axis, item: Item) -> Option<Self> {
        let rest = match axis {
            Axis::Child | Axis::FollowingSibling | Axis::PrecedingSibling if !item.is_node() => Rest::Nothing,
            Axis::Child => Rest::Left { next: tree.data(item.id()).last_child, stop: NONE },
            Axis::FollowingSibling | Axis::PrecedingSibling => match tree.data(item.id()).parent {
                NONE => Rest::Nothing,
                // The contents of a template have no siblings.
                _ if matches!(tree.data(item.id()).content, Content::Fragment) => Rest::Nothing,
                parent if axis == Axis::FollowingSibling => {
                    Rest::Left { next: tree.data(parent).last_child, stop: item.id() }
                }
                parent => Rest::Right { next: tree.data(parent).first_child, stop: item.id() },
            },
            _ => return None,
        };
        Some(Self { tree, first: None, rest })
    }

    /// All nodes of a range of ids.
    pub(super) fn range(tree: Tree<'a>, next: u32, end: u32) -> Self {
        Self { tree, first: None, rest: Rest::Range { next, end } }
    }
}

impl Iterator for Walk<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        let tree = self.tree;
        match &mut self.rest {
            Rest::Nothing => None,
            Rest::Right { next, stop } => {
                if *next == *stop || *next == NONE {
                    return None;
                }
                let found = *next;
                *next = tree.data(found).next;
                Some(Item::node(found))
            }
            Rest::Left { next, stop } => {
                if *next == *stop || *next == NONE {
                    return None;
                }
                let found = *next;
                *next = tree.data(found).prev;
                Some(Item::node(found))
            }
            Rest::Range { next, end } => {
                while *next < *end {
                    let data = tree.data(*next);
                    if matches!(data.content, Content::Fragment) {
                        *next = data.end;
                        continue;
                    }
                    *next += 1;
                    return Some(Item::node(*next - 1));
                }
                None
            }
            Rest::Up { next } => {
                if *next == NONE {
                    return None;
                }
                let found = *next;
                *next = tree.data(found).parent;
                Some(Item::node(found))
            }
            Rest::Back { at, origin } => loop {
                let data = tree.data(*at);
                if data.prev != NONE {
                    *at = data.prev;
                    while tree.data(*at).last_child != NONE {
                        *at = tree.data(*at).last_child;
                    }
                    return Some(Item::node(*at));
                }
                if data.parent == NONE {
                    return None;
                }
                *at = data.parent;
                if tree.data(*at).end <= *origin {
                    return Some(Item::node(*at));
                }
            },
            Rest::Attributes { id, index, count } => {
                while *index < *count {
                    let at = *index;
                    *index += 1;
                    if tree.attr(*id, at).is_some_and(|attr| !tree.is_declaration(attr)) {
                        return Some(Item::attribute(*id, at));
                    }
                }
                None
            }
            Rest::Namespaces { id, index, count } => {
                if *index >= *count {
                    return None;
                }
                *index += 1;
                Some(Item::namespace(*id, *index - 1))
            }
        }
    }
}

//! Location paths: from a set of nodes to the next, step by step.

use std::rc::Rc;

use crawlingo_schema::xpath::ast::{Axis, Expr, NodeTest, Path, Predicate, PredicateKind, Start, Step};

use super::axes::Walk;
use super::eval::{Context, Evaluator, Value, sort};
use super::item::{Item, ItemKind};
use crate::Error;
use crate::dom::Content;

/// Takes a node that a path leads to; `true` ends the search.
pub(super) type Visit<'v, 'a> = &'v mut dyn FnMut(&mut Evaluator<'a>, Item) -> Result<bool, Error>;

/// Nodes in document order. Most steps begin at one, which needs no memory.
pub(super) enum Set {
    One(Item),
    Many(Vec<Item>),
}

impl Set {
    pub(super) fn as_slice(&self) -> &[Item] {
        match self {
            Self::One(item) => std::slice::from_ref(item),
            Self::Many(items) => items,
        }
    }
}

impl<'a> Evaluator<'a> {
    /// The nodes of a path in document order, at most `limit`.
    pub(super) fn path(&mut self, path: &'a Path, context: Context, limit: usize) -> Result<Vec<Item>, Error> {
        if let Some(known) = self.rooted(path)? {
            let nodes: Vec<Item> = known.iter().take(limit).copied().collect();
            self.pay(nodes.len() / 8)?;
            return Ok(nodes);
        }
        self.fresh_path(path, context, limit)
    }

    /// The nodes of a path that begins at the document, if it was asked for before.
    fn rooted(&mut self, path: &'a Path) -> Result<Option<Rc<[Item]>>, Error> {
        if !matches!(path.start, Start::Root) {
            return Ok(None);
        }
        let key = std::ptr::from_ref(path);
        match self.rooted.get(&key) {
            None => {
                self.rooted.insert(key, None);
                Ok(None)
            }
            Some(Some(known)) => Ok(Some(Rc::clone(known))),
            Some(None) => {
                let known: Rc<[Item]> = self.fresh_path(path, Context::alone(Item::DOCUMENT), usize::MAX)?.into();
                self.rooted.insert(key, Some(Rc::clone(&known)));
                Ok(Some(known))
            }
        }
    }

    fn fresh_path(&mut self, path: &'a Path, context: Context, limit: usize) -> Result<Vec<Item>, Error> {
        let Some((last, _)) = path.steps.split_last() else {
            let mut nodes = match self.start(path, context, limit)? {
                Set::One(item) => vec![item],
                Set::Many(items) => items,
            };
            nodes.truncate(limit);
            return Ok(nodes);
        };
        let before = self.before_last(path, context)?;
        let mut nodes = Vec::new();
        match before.as_slice() {
            [] => {}
            [one] if !last.axis.is_reverse() => {
                self.stream(*one, last, &mut |_, item| {
                    nodes.push(item);
                    Ok(nodes.len() >= limit)
                })?;
            }
            items => {
                nodes = self.step(items, last, None)?;
                nodes.truncate(limit);
            }
        }
        Ok(nodes)
    }

    /// Visits the nodes of a path in any order, some perhaps more than once. Whether it was ended.
    pub(super) fn each_last(&mut self, path: &'a Path, context: Context, visit: Visit<'_, 'a>) -> Result<bool, Error> {
        if let Some(known) = self.rooted(path)? {
            for item in known.iter() {
                self.pay(1)?;
                if visit(self, *item)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let Some((last, _)) = path.steps.split_last() else {
            let start = self.start(path, context, usize::MAX)?;
            for item in start.as_slice() {
                if visit(self, *item)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        };
        let before = self.before_last(path, context)?;
        match before.as_slice() {
            [] => Ok(false),
            [one] => self.stream(*one, last, visit),
            items if merges(last) => {
                let nodes = self.step(items, last, None)?;
                for item in nodes {
                    if visit(self, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            items => {
                for item in items {
                    if self.stream(*item, last, visit)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn start(&mut self, path: &'a Path, context: Context, limit: usize) -> Result<Set, Error> {
        Ok(match &path.start {
            Start::Context => Set::One(context.item),
            Start::Root => Set::One(Item::DOCUMENT),
            Start::Expr(expr, predicates) => {
                // `(//a)[1]` needs no second `a`.
                let needed = match predicates.first() {
                    None if path.steps.is_empty() => limit,
                    Some(Predicate { kind: PredicateKind::Position(position), .. }) => *position,
                    _ => usize::MAX,
                };
                let mut nodes = match expr {
                    Expr::Path(inner) if needed < usize::MAX => self.path(inner, context, needed)?,
                    _ => self.nodes(expr, context)?,
                };
                for predicate in predicates {
                    self.filter(&mut nodes, predicate)?;
                }
                Set::Many(nodes)
            }
        })
    }

    /// The nodes that the last step begins at.
    fn before_last(&mut self, path: &'a Path, context: Context) -> Result<Set, Error> {
        let mut set = self.start(path, context, usize::MAX)?;
        for pair in path.steps.windows(2) {
            let [step, next] = pair else { continue };
            if set.as_slice().is_empty() {
                break;
            }
            set = Set::Many(self.step(set.as_slice(), step, Some(next))?);
        }
        Ok(set)
    }

    /// One step from all nodes of a set; the result is in document order.
    pub(super) fn step(&mut self, items: &[Item], step: &'a Step, next: Option<&'a Step>) -> Result<Vec<Item>, Error> {
        let mut found = Vec::new();
        if step.axis == Axis::DescendantOrSelf && matches!(step.test, NodeTest::Node) && step.predicates.is_empty() {
            // `//` in front of a step that only elements can take.
            let only_parents = next.is_some_and(|next| matches!(next.axis, Axis::Child | Axis::Attribute));
            self.all_below(items, only_parents, &mut found)?;
            return Ok(found);
        }
        if items.len() > 1 && merges(step) {
            self.step_merged(items, step, &mut found)?;
        } else if items.len() > 4 && self.step_indexed(items, step, &mut found)? {
        } else {
            for item in items {
                self.stream(*item, step, &mut |_, item| {
                    found.push(item);
                    Ok(false)
                })?;
                if items.len() == 1 && step.axis.is_reverse() {
                    found.reverse();
                }
            }
        }
        sort(&mut found);
        Ok(found)
    }

    /// All nodes of the subtrees.
    fn all_below(&mut self, items: &[Item], only_parents: bool, found: &mut Vec<Item>) -> Result<(), Error> {
        let mut covered = 0;
        for item in items {
            if item.is_node() && item.id() < covered {
                continue;
            }
            if item.is_node() {
                covered = self.tree.data(item.id()).end;
            }
            for below in Walk::new(self.tree, Axis::DescendantOrSelf, *item) {
                self.pay(1)?;
                let fits = !below.is_node()
                    || match self.tree.data(below.id()).content {
                        Content::Element { .. } | Content::Document => true,
                        Content::Doctype { .. } | Content::Fragment => false,
                        _ => !only_parents,
                    };
                if fits {
                    found.push(below);
                }
            }
        }
        sort(found);
        Ok(())
    }

    /// A step whose conditions count no positions, from many nodes: what several of them reach is walked once.
    fn step_merged(&mut self, items: &[Item], step: &'a Step, found: &mut Vec<Item>) -> Result<(), Error> {
        let tree = self.tree;
        let mut take = |evaluator: &mut Self, item: Item| -> Result<(), Error> {
            if evaluator.fits(step, item)? {
                found.push(item);
            }
            Ok(())
        };
        match step.axis {
            Axis::Descendant | Axis::DescendantOrSelf => {
                let mut covered = 0;
                for item in items {
                    if item.is_node() {
                        if item.id() < covered {
                            continue;
                        }
                        covered = tree.data(item.id()).end;
                    }
                    for below in Walk::new(tree, step.axis, *item) {
                        take(self, below)?;
                    }
                }
            }
            Axis::Following => {
                let begin = |item: &Item| if item.is_node() { tree.data(item.id()).end } else { item.id() + 1 };
                let known = items.iter().filter(|item| !matches!(item.kind(), ItemKind::Made(_)));
                if let Some(begin) = known.map(begin).min() {
                    for item in Walk::range(tree, begin, tree.data(0).end) {
                        take(self, item)?;
                    }
                }
            }
            Axis::Preceding => {
                let last = items.iter().rev().find(|item| !matches!(item.kind(), ItemKind::Made(_)));
                if let Some(last) = last {
                    for item in Walk::new(tree, Axis::Preceding, *last) {
                        take(self, item)?;
                    }
                }
            }
            Axis::FollowingSibling | Axis::PrecedingSibling => {
                let mut seen = std::collections::HashSet::new();
                let forwards = step.axis == Axis::FollowingSibling;
                let mut once = |evaluator: &mut Self, item: &Item| -> Result<(), Error> {
                    if item.is_node() && seen.insert(tree.data(item.id()).parent) {
                        for sibling in Walk::new(tree, step.axis, *item) {
                            take(evaluator, sibling)?;
                        }
                    }
                    Ok(())
                };
                // The outermost of each family reaches all that its siblings reach.
                if forwards {
                    items.iter().try_for_each(|item| once(self, item))?;
                } else {
                    items.iter().rev().try_for_each(|item| once(self, item))?;
                }
            }
            // Ancestors, and parents, which many nodes have in common.
            _ => {
                let mut seen = std::collections::HashSet::new();
                for item in items {
                    for above in Walk::new(tree, step.axis, *item) {
                        // Of a node itself, it is not known whether those above were seen.
                        if !seen.insert(above) {
                            if above == *item {
                                continue;
                            }
                            break;
                        }
                        take(self, above)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `[n]` on the axes along which many nodes see the same others: those are found once, the places counted.
    fn step_indexed(&mut self, items: &[Item], step: &'a Step, found: &mut Vec<Item>) -> Result<bool, Error> {
        let Some(counted) = step.predicates.iter().position(|predicate| predicate.kind != PredicateKind::Free) else {
            return Ok(false);
        };
        let (before, rest) = step.predicates.split_at(counted);
        let PredicateKind::Position(position) = rest[0].kind else { return Ok(false) };
        if position == 0 || rest[1..].iter().any(|predicate| predicate.kind != PredicateKind::Free) {
            return Ok(false);
        }
        let tree = self.tree;
        let mut chosen = Vec::new();
        match step.axis {
            Axis::FollowingSibling | Axis::PrecedingSibling => {
                let mut families: std::collections::HashMap<u32, Vec<Item>> = std::collections::HashMap::new();
                for item in items.iter().filter(|item| item.is_node()) {
                    let parent = tree.data(item.id()).parent;
                    if parent == crate::dom::NONE {
                        continue;
                    }
                    let family = match families.entry(parent) {
                        std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                        std::collections::hash_map::Entry::Vacant(place) => {
                            let mut family = Vec::new();
                            for child in Walk::new(tree, Axis::Child, Item::node(parent)) {
                                if self.passes(step.axis, &step.test, before, child)? {
                                    family.push(child);
                                }
                            }
                            place.insert(family)
                        }
                    };
                    let place = if step.axis == Axis::FollowingSibling {
                        family.partition_point(|other| other <= item).checked_add(position - 1)
                    } else {
                        family.partition_point(|other| other < item).checked_sub(position)
                    };
                    chosen.extend(place.and_then(|place| family.get(place)));
                }
            }
            Axis::Following => {
                let begin = |item: &Item| if item.is_node() { tree.data(item.id()).end } else { item.id() + 1 };
                let known = items.iter().filter(|item| !matches!(item.kind(), ItemKind::Made(_)));
                let Some(least) = known.clone().map(begin).min() else { return Ok(true) };
                let mut all = Vec::new();
                for item in Walk::range(tree, least, tree.data(0).end) {
                    if self.passes(step.axis, &step.test, before, item)? {
                        all.push(item);
                    }
                }
                for item in known {
                    let from = Item::node(begin(item));
                    let place = all.partition_point(|other| *other < from).checked_add(position - 1);
                    chosen.extend(place.and_then(|place| all.get(place)));
                }
            }
            _ => return Ok(false),
        }
        sort(&mut chosen);
        for item in chosen {
            if self.passes(step.axis, &NodeTest::Node, &rest[1..], item)? {
                found.push(item);
            }
        }
        Ok(true)
    }

    fn fits(&mut self, step: &'a Step, item: Item) -> Result<bool, Error> {
        self.passes(step.axis, &step.test, &step.predicates, item)
    }

    /// A test and conditions that count no positions.
    fn passes(
        &mut self,
        axis: Axis,
        test: &'a NodeTest,
        predicates: &'a [Predicate],
        item: Item,
    ) -> Result<bool, Error> {
        self.pay(1)?;
        if !self.test(axis, test, item) {
            return Ok(false);
        }
        for predicate in predicates {
            if !self.boolean(&predicate.expr, Context::alone(item))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One step from one node, in the order of the axis. Whether the visitor ended it.
    fn stream(&mut self, item: Item, step: &'a Step, visit: Visit<'_, 'a>) -> Result<bool, Error> {
        let sized = |predicate: &Predicate| {
            matches!(predicate.kind, PredicateKind::Last | PredicateKind::Dependent { last: true })
        };
        let Some(barrier) = step.predicates.iter().position(sized) else {
            let walk = Walk::new(self.tree, step.axis, item);
            return self.stream_counted(walk, step, &step.predicates, visit);
        };
        let (before, rest) = step.predicates.split_at(barrier);
        let mut found = Vec::new();
        let mut rest = rest.iter();
        let free = before.iter().all(|predicate| predicate.kind == PredicateKind::Free);
        let from_the_end = match rest.as_slice().first() {
            Some(Predicate { kind: PredicateKind::Last, .. }) if free => Walk::reversed(self.tree, step.axis, item),
            _ => None,
        };
        match from_the_end {
            // The last is the first from the other end.
            Some(walk) => {
                rest.next();
                self.stream_counted(walk, step, before, &mut |_, item| {
                    found.push(item);
                    Ok(true)
                })?;
            }
            None => {
                let walk = Walk::new(self.tree, step.axis, item);
                self.stream_counted(walk, step, before, &mut |_, item| {
                    found.push(item);
                    Ok(false)
                })?;
            }
        }
        for predicate in rest {
            self.filter(&mut found, predicate)?;
        }
        for item in found {
            if visit(self, item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// With predicates that need not know how many nodes there are.
    fn stream_counted(
        &mut self,
        walk: Walk<'a>,
        step: &'a Step,
        predicates: &'a [Predicate],
        visit: Visit<'_, 'a>,
    ) -> Result<bool, Error> {
        let counting = predicates.iter().any(|predicate| predicate.kind != PredicateKind::Free);
        let mut counts = if counting { vec![0_usize; predicates.len()] } else { Vec::new() };
        'nodes: for item in walk {
            self.pay(1)?;
            if !self.test(step.axis, &step.test, item) {
                continue;
            }
            let mut is_last = false;
            for (at, predicate) in predicates.iter().enumerate() {
                let position = match counts.get_mut(at) {
                    Some(count) => {
                        *count += 1;
                        *count
                    }
                    None => 1,
                };
                let holds = match predicate.kind {
                    PredicateKind::Position(wanted) if position > wanted => return Ok(false),
                    PredicateKind::Position(wanted) => {
                        is_last |= position == wanted;
                        position == wanted
                    }
                    _ => self.holds(predicate, Context { item, position, size: 1 })?,
                };
                if !holds {
                    if is_last {
                        return Ok(false);
                    }
                    continue 'nodes;
                }
            }
            if visit(self, item)? {
                return Ok(true);
            }
            if is_last {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Keeps the nodes for which a predicate holds; their order is the one that positions count in.
    pub(super) fn filter(&mut self, nodes: &mut Vec<Item>, predicate: &'a Predicate) -> Result<(), Error> {
        match predicate.kind {
            PredicateKind::Position(position) => {
                let found = position.checked_sub(1).and_then(|place| nodes.get(place)).copied();
                nodes.clear();
                nodes.extend(found);
            }
            PredicateKind::Last => {
                let found = nodes.last().copied();
                nodes.clear();
                nodes.extend(found);
            }
            PredicateKind::Free | PredicateKind::Dependent { .. } => {
                let size = nodes.len();
                let mut kept = Vec::new();
                for (place, item) in nodes.iter().enumerate() {
                    if self.holds(predicate, Context { item: *item, position: place + 1, size })? {
                        kept.push(*item);
                    }
                }
                *nodes = kept;
            }
        }
        Ok(())
    }

    fn holds(&mut self, predicate: &'a Predicate, context: Context) -> Result<bool, Error> {
        match predicate.kind {
            PredicateKind::Free => self.boolean(&predicate.expr, context),
            _ => match self.eval(&predicate.expr, context)? {
                Value::Number(number) => Ok(number == context.position as f64),
                Value::Nodes(nodes) => Ok(!nodes.is_empty()),
                Value::Text(text) => Ok(!text.is_empty()),
                Value::Boolean(boolean) => Ok(boolean),
            },
        }
    }

    /// Whether a step takes a node, by kind and name.
    fn test(&mut self, axis: Axis, test: &'a NodeTest, item: Item) -> bool {
        match item.kind() {
            ItemKind::Node => match (self.tree.data(item.id()).content, test) {
                (Content::Element { name, .. }, NodeTest::Name(test)) => {
                    !matches!(axis, Axis::Attribute | Axis::Namespace)
                        && self.names.matches(self.tree, test, name, false)
                }
                (Content::Element { .. }, NodeTest::Any) => !matches!(axis, Axis::Attribute | Axis::Namespace),
                (Content::Doctype { .. } | Content::Fragment, _) => false,
                (_, NodeTest::Node) => true,
                (Content::Text(_), NodeTest::Text) | (Content::Comment(_), NodeTest::Comment) => true,
                (Content::ProcessingInstruction { .. }, NodeTest::ProcessingInstruction(None)) => true,
                (Content::ProcessingInstruction { target, .. }, NodeTest::ProcessingInstruction(Some(wanted))) => {
                    self.tree.0.span(target) == wanted
                }
                _ => false,
            },
            ItemKind::Attribute(index) => match test {
                NodeTest::Node => true,
                NodeTest::Any => axis == Axis::Attribute,
                NodeTest::Name(test) if axis == Axis::Attribute => self
                    .tree
                    .attr(item.id(), index)
                    .is_some_and(|attr| self.names.matches(self.tree, test, attr.name, true)),
                _ => false,
            },
            ItemKind::Namespace(_) => match test {
                NodeTest::Node => true,
                NodeTest::Any => axis == Axis::Namespace,
                NodeTest::Name(test) if axis == Axis::Namespace => {
                    test.prefix == crawlingo_schema::xpath::ast::Prefix::None
                        && test.local.as_deref() == Some(self.tree.local_name(item))
                }
                _ => false,
            },
            ItemKind::Made(_) => matches!(test, NodeTest::Node | NodeTest::Text),
        }
    }
}

/// Whether many nodes may reach the same others on a step's axis, and no condition counts positions.
fn merges(step: &Step) -> bool {
    let shared = !matches!(step.axis, Axis::Child | Axis::Attribute | Axis::Namespace | Axis::SelfAxis);
    shared && step.predicates.iter().all(|predicate| predicate.kind == PredicateKind::Free)
}

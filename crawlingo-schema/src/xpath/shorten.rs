//! Paths that say the same with fewer steps.

use super::ast::{Axis, NodeTest, Step};

pub(super) fn any_depth() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: NodeTest::Node, predicates: Vec::new() }
}

/// Makes `descendant::x` of `descendant-or-self::node()/child::x`, where no predicate counts positions.
pub(super) fn shorten(steps: Vec<Step>) -> Vec<Step> {
    use super::ast::PredicateKind;
    let mut short: Vec<Step> = Vec::with_capacity(steps.len());
    for mut step in steps {
        let free = step.predicates.iter().all(|predicate| predicate.kind == PredicateKind::Free);
        let after_any = short.last().is_some_and(|last| {
            last.axis == Axis::DescendantOrSelf && matches!(last.test, NodeTest::Node) && last.predicates.is_empty()
        });
        if free && after_any {
            let merged = match step.axis {
                Axis::Child | Axis::Descendant => Some(Axis::Descendant),
                Axis::SelfAxis | Axis::DescendantOrSelf => Some(Axis::DescendantOrSelf),
                _ => None,
            };
            if let Some(axis) = merged {
                short.pop();
                step.axis = axis;
            }
        }
        short.push(step);
    }
    short
}

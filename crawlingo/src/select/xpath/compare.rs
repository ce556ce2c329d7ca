//! `=`, `!=`, `<`, `<=`, `>` and `>=` by section 3.4 of XPath 1.0: with nodes, one that fits is enough.

use std::collections::HashSet;

use crawlingo_schema::xpath::ast::{BinaryOp, Expr, Type};

use super::convert;
use super::eval::{Context, Evaluator, Value};
use super::item::Item;
use crate::Error;

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual
    )
}

/// The comparison with its sides exchanged.
fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessOrEqual => BinaryOp::GreaterOrEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterOrEqual => BinaryOp::LessOrEqual,
        other => other,
    }
}

fn numbers(op: BinaryOp, left: f64, right: f64) -> bool {
    match op {
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        BinaryOp::Less => left < right,
        BinaryOp::LessOrEqual => left <= right,
        BinaryOp::Greater => left > right,
        _ => left >= right,
    }
}

fn is_equality(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
}

fn is_true(value: &Value<'_>) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Text(text) => !text.is_empty(),
        Value::Boolean(boolean) => *boolean,
    }
}

impl<'a> Evaluator<'a> {
    /// Compares two expressions; the nodes of a path are compared as they are found.
    pub(super) fn compare_exprs(
        &mut self,
        op: BinaryOp,
        left: &'a Expr,
        right: &'a Expr,
        context: Context,
    ) -> Result<bool, Error> {
        let (op, path, other) = match (left, right) {
            (Expr::Path(path), other) if other.value_type() != Type::Nodes => (op, path, other),
            (other, Expr::Path(path)) if other.value_type() != Type::Nodes => (turned(op), path, other),
            (one, Expr::Path(path)) if op == BinaryOp::Equal => {
                let Value::Nodes(nodes) = self.eval(one, context)? else { return Ok(false) };
                let mut texts = HashSet::with_capacity(nodes.len());
                for item in nodes {
                    texts.insert(self.string_value(item)?);
                }
                let known = &texts;
                return self.each_last(path, context, &mut |evaluator, item| {
                    Ok(known.contains(&evaluator.string_value(item)?))
                });
            }
            _ => {
                let left = self.eval(left, context)?;
                let right = self.eval(right, context)?;
                return self.compare(op, left, right);
            }
        };
        match self.eval(other, context)? {
            Value::Boolean(boolean) => {
                let any = self.each_last(path, context, &mut |_, _| Ok(true))?;
                self.compare(op, Value::Boolean(any), Value::Boolean(boolean))
            }
            value => self.each_last(path, context, &mut |evaluator, item| evaluator.compare_item(op, item, &value)),
        }
    }

    /// A node with a number or a text.
    fn compare_item(&mut self, op: BinaryOp, item: Item, value: &Value<'a>) -> Result<bool, Error> {
        let text = self.string_value(item)?;
        Ok(match value {
            Value::Text(other) if op == BinaryOp::Equal => text == *other,
            Value::Text(other) if op == BinaryOp::NotEqual => text != *other,
            Value::Text(other) => numbers(op, convert::text_to_number(&text), convert::text_to_number(other)),
            Value::Number(other) => numbers(op, convert::text_to_number(&text), *other),
            Value::Boolean(other) => numbers(op, 1.0, f64::from(u8::from(*other))),
            Value::Nodes(_) => false,
        })
    }

    pub(super) fn compare(&mut self, op: BinaryOp, left: Value<'a>, right: Value<'a>) -> Result<bool, Error> {
        match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => self.compare_sets(op, &left, &right),
            (left @ Value::Boolean(_), right) | (left, right @ Value::Boolean(_))
                if is_equality(op) || matches!((&left, &right), (Value::Nodes(_), _) | (_, Value::Nodes(_))) =>
            {
                let number = |value: &Value<'_>| f64::from(u8::from(is_true(value)));
                Ok(numbers(op, number(&left), number(&right)))
            }
            (Value::Nodes(nodes), other) => self.compare_any(op, &nodes, &other),
            (other, Value::Nodes(nodes)) => self.compare_any(turned(op), &nodes, &other),
            (Value::Text(left), Value::Text(right)) if is_equality(op) => {
                Ok((left == right) == (op == BinaryOp::Equal))
            }
            (left, right) => {
                let left = self.value_number(left)?;
                let right = self.value_number(right)?;
                Ok(numbers(op, left, right))
            }
        }
    }

    fn compare_any(&mut self, op: BinaryOp, nodes: &[Item], other: &Value<'a>) -> Result<bool, Error> {
        for item in nodes {
            if self.compare_item(op, *item, other)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Two sets of nodes, without comparing each with each.
    fn compare_sets(&mut self, op: BinaryOp, left: &[Item], right: &[Item]) -> Result<bool, Error> {
        if left.is_empty() || right.is_empty() {
            return Ok(false);
        }
        match op {
            BinaryOp::Equal => {
                let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
                let mut texts = HashSet::with_capacity(few.len());
                for item in few {
                    texts.insert(self.string_value(*item)?);
                }
                for item in many {
                    if texts.contains(&self.string_value(*item)?) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            BinaryOp::NotEqual => {
                // They differ somewhere, unless all of both are one and the same text.
                let first = self.string_value(left[0])?;
                for item in left.iter().chain(right) {
                    if self.string_value(*item)? != first {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => {
                let (least, greatest) = self.extremes(left)?;
                let (other_least, other_greatest) = self.extremes(right)?;
                Ok(match op {
                    BinaryOp::Less | BinaryOp::LessOrEqual => numbers(op, least, other_greatest),
                    _ => numbers(op, greatest, other_least),
                })
            }
        }
    }

    /// The least and the greatest number among nodes; not-a-number where there is none.
    fn extremes(&mut self, nodes: &[Item]) -> Result<(f64, f64), Error> {
        let (mut least, mut greatest) = (f64::NAN, f64::NAN);
        for item in nodes {
            let number = convert::text_to_number(&self.string_value(*item)?);
            // `min` and `max` pass over what is not a number.
            least = least.min(number);
            greatest = greatest.max(number);
        }
        Ok((least, greatest))
    }
}

//! The evaluator: expressions to values. Paths are in `path`, comparisons in `compare`, functions in `functions`.
//!
//! It calls itself only as deep as the expression is nested, which the parser bounds; a document's depth costs no stack.
//! Every node that is looked at and every piece of text that is made is paid for out of a budget.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use crawlingo_schema::xpath::XPath;
use crawlingo_schema::xpath::ast::{BinaryOp, Expr, Path};
use crawlingo_schema::{SchemaError, SchemaErrorKind};
use regex::Regex;

use super::convert;
use super::item::{Item, ItemKind, Tree};
use super::names::NameMemo;
use super::value::{Variable, Variables};
use crate::Error;
use crate::dom::Document;

/// The steps that every evaluation has, and those per node of the document.
const BASE_STEPS: u64 = 6_000_000;
const STEPS_PER_NODE: u64 = 32;

/// The bytes of text that an expression may make beyond the text of the document.
const SPARE_TEXT: usize = 8 << 20;

/// A value; nodes are in document order, each once.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    Nodes(Vec<Item>),
    Number(f64),
    Text(Cow<'a, str>),
    Boolean(bool),
}

/// For what an expression is evaluated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) item: Item,
    pub(super) position: usize,
    pub(super) size: usize,
}

impl Context {
    pub(super) fn alone(item: Item) -> Self {
        Self { item, position: 1, size: 1 }
    }
}

pub(super) struct Evaluator<'a> {
    pub(super) tree: Tree<'a>,
    pub(super) xpath: &'a XPath,
    variables: &'a Variables,
    pub(super) names: NameMemo,
    max_steps: u64,
    steps_left: u64,
    max_text: usize,
    /// The texts that functions made nodes of.
    pub(super) made: Vec<Arc<str>>,
    /// Elements by id, once it was asked for.
    pub(super) ids: Option<HashMap<&'a str, u32>>,
    /// The nodes of paths that begin at the document, which are the same wherever they are asked for; kept from the
    /// second time on, for the first may stop early.
    pub(super) rooted: HashMap<*const Path, Option<Rc<[Item]>>>,
    /// Regular expressions that are not written out, with pattern and flags.
    pub(super) regexes: Vec<(String, String, Arc<Regex>)>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(document: &'a Document, xpath: &'a XPath, variables: &'a Variables) -> Self {
        let max_steps =
            variables.max_steps.unwrap_or_else(|| BASE_STEPS + STEPS_PER_NODE * document.nodes.len() as u64);
        Self {
            tree: Tree(document),
            xpath,
            variables,
            names: NameMemo::new(Tree(document), xpath.name_tests()),
            max_steps,
            steps_left: max_steps,
            max_text: document.text.len().saturating_add(SPARE_TEXT),
            made: Vec::new(),
            ids: None,
            rooted: HashMap::new(),
            regexes: Vec::new(),
        }
    }

    pub(super) fn error(&self, span: Option<Range<usize>>, message: impl Into<String>) -> SchemaError {
        let error = SchemaError::new(SchemaErrorKind::XPath, message);
        let source = self.xpath.source();
        error.with_span(source, span.unwrap_or(0..source.len()))
    }

    /// Pays for work.
    pub(super) fn pay(&mut self, steps: usize) -> Result<(), Error> {
        match self.steps_left.checked_sub(steps as u64) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => Err(self.spent()),
        }
    }

    #[cold]
    fn spent(&mut self) -> Error {
        self.steps_left = 0;
        self.error(None, format!("the expression takes more than {} steps on this page", self.max_steps))
            .with_hint("name elements more exactly; `preceding`, `following` and sibling axes in conditions are costly")
            .into()
    }

    /// Pays for a text that is made.
    pub(super) fn pay_text(&mut self, bytes: usize) -> Result<(), Error> {
        self.bound_text(bytes)?;
        self.pay(bytes / 32 + 1)
    }

    /// Holds a text to the bound while it grows.
    pub(super) fn bound_text(&self, bytes: usize) -> Result<(), Error> {
        if bytes > self.max_text {
            return Err(self
                .error(None, "the expression makes too much text on this page")
                .with_hint("texts that are made of texts grow fast; take fewer or shorter ones")
                .into());
        }
        Ok(())
    }

    pub(super) fn eval(&mut self, expr: &'a Expr, context: Context) -> Result<Value<'a>, Error> {
        self.pay(1)?;
        Ok(match expr {
            Expr::Or(_) | Expr::And(_) => Value::Boolean(self.boolean(expr, context)?),
            Expr::Binary { first, rest } => self.binary(first, rest, context)?,
            Expr::Negate { negative, of } => {
                let number = self.number(of, context)?;
                Value::Number(if *negative { -number } else { number })
            }
            Expr::Union(all) => {
                let mut nodes = Vec::new();
                for expr in all {
                    nodes.extend(self.nodes(expr, context)?);
                }
                sort(&mut nodes);
                Value::Nodes(nodes)
            }
            Expr::Path(path) => Value::Nodes(self.path(path, context, usize::MAX)?),
            Expr::Call(call) => self.call(call, context)?,
            Expr::Literal(text) => Value::Text(Cow::Borrowed(text)),
            Expr::Number(number) => Value::Number(*number),
            Expr::Variable(name) => match self.variables.values.get(name) {
                Some(Variable::Number(number)) => Value::Number(*number),
                Some(Variable::Text(text)) => Value::Text(Cow::Borrowed(text)),
                Some(Variable::Boolean(boolean)) => Value::Boolean(*boolean),
                None => return Err(self.no_variable(name)),
            },
        })
    }

    fn no_variable(&self, name: &str) -> Error {
        let known = self.variables.values.keys().map(String::as_str);
        let error = self.error(None, format!("the variable `${name}` has no value"));
        match crawlingo_schema::suggest(name, known) {
            Some(near) => error.with_hint(format!("did you mean `${near}`?")),
            None => error.with_hint("give it one where the expression is evaluated"),
        }
        .into()
    }

    fn binary(&mut self, first: &'a Expr, rest: &'a [(BinaryOp, Expr)], context: Context) -> Result<Value<'a>, Error> {
        if let [(op, second)] = rest
            && super::compare::is_comparison(*op)
        {
            return Ok(Value::Boolean(self.compare_exprs(*op, first, second, context)?));
        }
        let mut value = self.eval(first, context)?;
        for (op, expr) in rest {
            value = match op {
                op if super::compare::is_comparison(*op) => {
                    let right = self.eval(expr, context)?;
                    Value::Boolean(self.compare(*op, value, right)?)
                }
                op => {
                    let left = self.value_number(value)?;
                    let right = self.number(expr, context)?;
                    Value::Number(match op {
                        BinaryOp::Add => left + right,
                        BinaryOp::Subtract => left - right,
                        BinaryOp::Multiply => left * right,
                        BinaryOp::Divide => left / right,
                        _ => left % right,
                    })
                }
            };
        }
        Ok(value)
    }

    /// An expression as a condition; of a path it only matters whether there is a node.
    pub(super) fn boolean(&mut self, expr: &'a Expr, context: Context) -> Result<bool, Error> {
        match expr {
            Expr::Or(all) => {
                for expr in all {
                    if self.boolean(expr, context)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::And(all) => {
                for expr in all {
                    if !self.boolean(expr, context)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Path(path) => self.each_last(path, context, &mut |_, _| Ok(true)),
            _ => Ok(match self.eval(expr, context)? {
                Value::Nodes(nodes) => !nodes.is_empty(),
                Value::Number(number) => number != 0.0 && !number.is_nan(),
                Value::Text(text) => !text.is_empty(),
                Value::Boolean(boolean) => boolean,
            }),
        }
    }

    pub(super) fn number(&mut self, expr: &'a Expr, context: Context) -> Result<f64, Error> {
        let value = match expr {
            Expr::Path(_) => Value::Text(self.text(expr, context)?),
            _ => self.eval(expr, context)?,
        };
        self.value_number(value)
    }

    pub(super) fn value_number(&mut self, value: Value<'a>) -> Result<f64, Error> {
        Ok(match value {
            Value::Number(number) => number,
            Value::Boolean(boolean) => f64::from(u8::from(boolean)),
            other => convert::text_to_number(&self.value_text(other)?),
        })
    }

    /// An expression as a text; of a path only the first node matters.
    pub(super) fn text(&mut self, expr: &'a Expr, context: Context) -> Result<Cow<'a, str>, Error> {
        match expr {
            Expr::Path(path) => {
                let first = self.path(path, context, 1)?;
                self.value_text(Value::Nodes(first))
            }
            _ => {
                let value = self.eval(expr, context)?;
                self.value_text(value)
            }
        }
    }

    pub(super) fn value_text(&mut self, value: Value<'a>) -> Result<Cow<'a, str>, Error> {
        Ok(match value {
            Value::Text(text) => text,
            Value::Number(number) => convert::number_to_text(number).into(),
            Value::Boolean(true) => "true".into(),
            Value::Boolean(false) => "false".into(),
            Value::Nodes(nodes) => match nodes.first() {
                Some(first) => self.string_value(*first)?,
                None => "".into(),
            },
        })
    }

    pub(super) fn nodes(&mut self, expr: &'a Expr, context: Context) -> Result<Vec<Item>, Error> {
        match self.eval(expr, context)? {
            Value::Nodes(nodes) => Ok(nodes),
            // The parser has seen to all others.
            _ => Err(self
                .error(None, "nodes are needed here, and a variable gives a value")
                .with_hint("variables hold numbers, texts and true or false")
                .into()),
        }
    }

    /// The text of a node.
    pub(super) fn string_value(&mut self, item: Item) -> Result<Cow<'a, str>, Error> {
        let id = item.id();
        Ok(match item.kind() {
            ItemKind::Node => match self.tree.leaf_text(id) {
                Some(text) => Cow::Borrowed(text),
                None => {
                    self.pay(((self.tree.data(id).end - id) / 2) as usize)?;
                    let text = self.tree.inner_text(id);
                    self.pay(text.len() / 64)?;
                    text
                }
            },
            ItemKind::Attribute(index) => {
                Cow::Borrowed(self.tree.attr(id, index).map_or("", |attr| self.tree.0.span(attr.value)))
            }
            ItemKind::Namespace(index) => {
                Cow::Borrowed(self.tree.namespaces(id).get(index as usize).map_or("", |(_, url)| url))
            }
            ItemKind::Made(index) => {
                Cow::Owned(self.made.get(index as usize).map(|text| text.to_string()).unwrap_or_default())
            }
        })
    }
}

/// Puts nodes into document order, each once; cheap where they are already.
pub(super) fn sort(nodes: &mut Vec<Item>) {
    if nodes.windows(2).any(|pair| pair[0] >= pair[1]) {
        nodes.sort_unstable();
        nodes.dedup();
    }
}

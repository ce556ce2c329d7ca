//! The tree of an expression, as the evaluator walks it.
//!
//! Chains of operators are lists, not trees that lean to the left, so that only brackets make the tree deep; and those
//! are counted by the parser. Nothing that walks a tree of this kind can overflow its stack, dropping it included.

use std::sync::Arc;

use regex::Regex;

use super::functions::Function;

/// What kind of value an expression gives, as far as that can be seen without a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Nodes.
    Nodes,
    /// A number.
    Number,
    /// A text.
    Text,
    /// True or false.
    Boolean,
    /// It depends on a variable.
    Unknown,
}

/// An expression.
#[derive(Debug)]
pub enum Expr {
    /// `a or b or c`.
    Or(Vec<Expr>),
    /// `a and b and c`.
    And(Vec<Expr>),
    /// `first op a op b`, evaluated from left to right; precedence has been seen to.
    Binary {
        /// The leftmost operand.
        first: Box<Expr>,
        /// The rest.
        rest: Vec<(BinaryOp, Expr)>,
    },
    /// `-a`, or an even number of signs, which only makes a number of it.
    Negate {
        /// Whether the sign changes.
        negative: bool,
        /// The operand.
        of: Box<Expr>,
    },
    /// `a | b | c`.
    Union(Vec<Expr>),
    /// A location path.
    Path(Box<Path>),
    /// A call of a function.
    Call(Box<Call>),
    /// A quoted text.
    Literal(String),
    /// A number.
    Number(f64),
    /// `$name`.
    Variable(String),
}

/// An operator between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `div`
    Divide,
    /// `mod`
    Modulo,
}

/// A location path.
#[derive(Debug)]
pub struct Path {
    /// Where it begins.
    pub start: Start,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// Where a location path begins.
#[derive(Debug)]
pub enum Start {
    /// At the node that the expression is evaluated for.
    Context,
    /// At the document.
    Root,
    /// At the nodes that an expression gives, filtered.
    Expr(Expr, Vec<Predicate>),
}

/// A step of a path.
#[derive(Debug)]
pub struct Step {
    /// In which direction.
    pub axis: Axis,
    /// Which nodes.
    pub test: NodeTest,
    /// What else must hold.
    pub predicates: Vec<Predicate>,
}

/// The thirteen axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each is named as in the language.
pub enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    SelfAxis,
}

impl Axis {
    /// All axes by name.
    pub const NAMES: &[(&str, Self)] = &[
        ("ancestor", Self::Ancestor),
        ("ancestor-or-self", Self::AncestorOrSelf),
        ("attribute", Self::Attribute),
        ("child", Self::Child),
        ("descendant", Self::Descendant),
        ("descendant-or-self", Self::DescendantOrSelf),
        ("following", Self::Following),
        ("following-sibling", Self::FollowingSibling),
        ("namespace", Self::Namespace),
        ("parent", Self::Parent),
        ("preceding", Self::Preceding),
        ("preceding-sibling", Self::PrecedingSibling),
        ("self", Self::SelfAxis),
    ];

    /// Whether positions on the axis count backwards in the document.
    pub fn is_reverse(self) -> bool {
        matches!(self, Self::Ancestor | Self::AncestorOrSelf | Self::Preceding | Self::PrecedingSibling)
    }
}

/// Which nodes a step takes.
#[derive(Debug)]
pub enum NodeTest {
    /// `node()`
    Node,
    /// `text()`
    Text,
    /// `comment()`
    Comment,
    /// `processing-instruction()`, or with its target.
    ProcessingInstruction(Option<String>),
    /// `*`: every node of the axis' principal kind.
    Any,
    /// A name.
    Name(NameTest),
}

/// A test of a node's name.
#[derive(Debug)]
pub struct NameTest {
    /// The place of the test among those of the expression, from 0.
    pub index: usize,
    /// The prefix.
    pub prefix: Prefix,
    /// The local name; `None` for `prefix:*`.
    pub local: Option<String>,
}

/// What stands before the colon of a name.
#[derive(Debug, PartialEq, Eq)]
pub enum Prefix {
    /// Nothing.
    None,
    /// `*`: any namespace.
    Any,
    /// A prefix, and the namespace that it was said to stand for, if any.
    Named {
        /// As written.
        prefix: String,
        /// The URL of the namespace.
        namespace: Option<String>,
    },
}

/// A condition in brackets.
#[derive(Debug)]
pub struct Predicate {
    /// The condition.
    pub expr: Expr,
    /// How it depends on the position.
    pub kind: PredicateKind,
}

/// How a predicate depends on the position among the nodes that it filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredicateKind {
    /// Not at all.
    Free,
    /// `[3]`
    Position(usize),
    /// `[last()]`
    Last,
    /// In some other way.
    Dependent {
        /// Whether the number of nodes has to be known too.
        last: bool,
    },
}

/// A call of a function.
#[derive(Debug)]
pub struct Call {
    /// The function.
    pub function: Function,
    /// Its arguments; their number is right.
    pub args: Vec<Expr>,
    /// The compiled regular expression, where it is written out.
    pub regex: Option<Arc<Regex>>,
    /// Where the call stands in the source.
    pub span: std::ops::Range<usize>,
}

impl Expr {
    /// What kind of value it gives.
    pub fn value_type(&self) -> Type {
        match self {
            Self::Or(_) | Self::And(_) => Type::Boolean,
            Self::Binary { rest, .. } => match rest.last() {
                Some((
                    BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo,
                    _,
                )) => Type::Number,
                _ => Type::Boolean,
            },
            Self::Negate { .. } | Self::Number(_) => Type::Number,
            Self::Union(_) | Self::Path(_) => Type::Nodes,
            Self::Call(call) => call.function.returns(),
            Self::Literal(_) => Type::Text,
            Self::Variable(_) => Type::Unknown,
        }
    }

    /// Whether it asks for `position()` and for `last()` of the context that it stands in.
    pub(super) fn asks_position(&self) -> (bool, bool) {
        let all = |exprs: &mut dyn Iterator<Item = &Self>| {
            exprs.map(Self::asks_position).fold((false, false), |a, b| (a.0 || b.0, a.1 || b.1))
        };
        match self {
            Self::Or(exprs) | Self::And(exprs) | Self::Union(exprs) => all(&mut exprs.iter()),
            Self::Binary { first, rest } => {
                all(&mut std::iter::once(&**first).chain(rest.iter().map(|(_, expr)| expr)))
            }
            Self::Negate { of, .. } => of.asks_position(),
            // The predicates and steps have a context of their own.
            Self::Path(path) => match &path.start {
                Start::Expr(expr, _) => expr.asks_position(),
                Start::Context | Start::Root => (false, false),
            },
            Self::Call(call) => match call.function {
                Function::Position => (true, false),
                Function::Last => (false, true),
                _ => all(&mut call.args.iter()),
            },
            Self::Literal(_) | Self::Number(_) | Self::Variable(_) => (false, false),
        }
    }

    fn is_call_of(&self, function: Function) -> bool {
        matches!(self, Self::Call(call) if call.function == function)
    }
}

impl Predicate {
    pub(super) fn new(expr: Expr) -> Self {
        let kind = Self::kind_of(&expr);
        Self { expr, kind }
    }

    fn kind_of(expr: &Expr) -> PredicateKind {
        if expr.is_call_of(Function::Last) {
            return PredicateKind::Last;
        }
        if let Expr::Number(number) = expr {
            return Self::at(*number);
        }
        if let Expr::Binary { first, rest } = expr
            && let [(BinaryOp::Equal, second)] = rest.as_slice()
        {
            let (one, other) =
                if first.is_call_of(Function::Position) { (second, &**first) } else { (&**first, second) };
            if other.is_call_of(Function::Position) {
                match one {
                    Expr::Number(number) => return Self::at(*number),
                    last if last.is_call_of(Function::Last) => return PredicateKind::Last,
                    _ => {}
                }
            }
        }
        let (position, last) = expr.asks_position();
        match expr.value_type() {
            Type::Number | Type::Unknown => PredicateKind::Dependent { last },
            _ if position || last => PredicateKind::Dependent { last },
            _ => PredicateKind::Free,
        }
    }

    /// No node stands at a position that is no whole number, or at 0; neither is an error.
    fn at(number: f64) -> PredicateKind {
        let whole = number.fract() == 0.0 && number >= 1.0 && number <= f64::from(u32::MAX);
        PredicateKind::Position(if whole { number as usize } else { 0 })
    }
}

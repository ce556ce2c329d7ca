//! From tokens to the tree. Operators are reduced on a stack of their own, so that only brackets cost stack.

use std::ops::Range;

use super::ast::{Axis, BinaryOp, Expr, NameTest, NodeTest, Path, Predicate, Prefix, Start, Step, Type};
use super::lexer::{Spanned, Token, error, lex};
use super::mistakes::foreign_operator;
use crate::{SchemaError, suggest};

/// The deepest nesting of brackets, predicates and arguments.
const MAX_NESTING: usize = 64;

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Or,
    And,
    Binary(BinaryOp),
}

impl Op {
    fn precedence(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Binary(BinaryOp::Equal | BinaryOp::NotEqual) => 2,
            Self::Binary(BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual) => 3,
            Self::Binary(BinaryOp::Add | BinaryOp::Subtract) => 4,
            Self::Binary(BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo) => 5,
        }
    }

    fn of(token: Token<'_>) -> Option<Self> {
        Some(match token {
            Token::Equal => Self::Binary(BinaryOp::Equal),
            Token::NotEqual => Self::Binary(BinaryOp::NotEqual),
            Token::Less => Self::Binary(BinaryOp::Less),
            Token::LessOrEqual => Self::Binary(BinaryOp::LessOrEqual),
            Token::Greater => Self::Binary(BinaryOp::Greater),
            Token::GreaterOrEqual => Self::Binary(BinaryOp::GreaterOrEqual),
            Token::Plus => Self::Binary(BinaryOp::Add),
            Token::Minus => Self::Binary(BinaryOp::Subtract),
            Token::Star => Self::Binary(BinaryOp::Multiply),
            Token::Name { prefix: None, local } => match local {
                "or" => Self::Or,
                "and" => Self::And,
                "div" => Self::Binary(BinaryOp::Divide),
                "mod" => Self::Binary(BinaryOp::Modulo),
                _ => return None,
            },
            _ => return None,
        })
    }
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Spanned<'t>>,
    pub(super) at: usize,
    depth: usize,
    pub(super) namespaces: &'t [(&'t str, &'t str)],
    name_tests: usize,
}

pub(super) type Parsed<T> = Result<T, SchemaError>;

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, namespaces: &'t [(&'t str, &'t str)]) -> Parsed<Self> {
        Ok(Self { text, tokens: lex(text)?, at: 0, depth: 0, namespaces, name_tests: 0 })
    }

    /// The expression and the number of its name tests.
    pub(super) fn parse(mut self) -> Parsed<(Expr, usize)> {
        let expr = self.expr()?;
        match self.peek() {
            Token::End => Ok((expr, self.name_tests)),
            _ => Err(self.leftover()),
        }
    }

    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens.get(self.at).map_or(Token::End, |spanned| spanned.token)
    }

    pub(super) fn peek_second(&self) -> Token<'t> {
        self.tokens.get(self.at + 1).map_or(Token::End, |spanned| spanned.token)
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.text.len()..self.text.len(), |spanned| spanned.span.clone())
    }

    /// From a place to the end of the token before.
    pub(super) fn since(&self, start: usize) -> Range<usize> {
        let before = self.at.checked_sub(1).and_then(|before| self.tokens.get(before));
        start..before.map_or(start, |spanned| spanned.span.end)
    }

    pub(super) fn advance(&mut self) {
        self.at += 1;
    }

    pub(super) fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn shown(&self) -> String {
        match self.text.get(self.span()) {
            Some(text) if !text.is_empty() => format!("`{text}`"),
            _ => "the end".to_owned(),
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> SchemaError {
        error(self.text, self.span(), message)
    }

    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(self
                .error("the expression is nested too deep")
                .with_hint(format!("at most {MAX_NESTING} brackets may stand inside of one another")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let mut operands = vec![self.operand()?];
        let mut operators: Vec<Op> = Vec::new();
        while let Some(op) = Op::of(self.peek()) {
            self.advance();
            while operators.last().is_some_and(|top| top.precedence() >= op.precedence()) {
                reduce(&mut operands, &mut operators);
            }
            operators.push(op);
            operands.push(self.operand()?);
        }
        while !operators.is_empty() {
            reduce(&mut operands, &mut operators);
        }
        operands.pop().ok_or_else(|| self.error("an expression is missing"))
    }

    /// What stands between operators: signs, and paths united by `|`.
    fn operand(&mut self) -> Parsed<Expr> {
        let mut signs = 0_usize;
        while self.eat(Token::Minus) {
            signs += 1;
        }
        let start = self.span().start;
        let first = self.path()?;
        let operand = if self.peek() == Token::Pipe {
            let mut united = vec![self.nodes(first, start, "`|` unites nodes")?];
            while self.eat(Token::Pipe) {
                let start = self.span().start;
                let next = self.path()?;
                united.push(self.nodes(next, start, "`|` unites nodes")?);
            }
            Expr::Union(united)
        } else {
            first
        };
        Ok(match signs {
            0 => operand,
            signs => Expr::Negate { negative: signs % 2 == 1, of: Box::new(operand) },
        })
    }

    /// The expression, if it can give nodes.
    pub(super) fn nodes(&self, expr: Expr, start: usize, what: &str) -> Parsed<Expr> {
        let kind = match expr.value_type() {
            Type::Nodes | Type::Unknown => return Ok(expr),
            Type::Number => "a number",
            Type::Text => "a text",
            Type::Boolean => "true or false",
        };
        Err(error(self.text, self.since(start), format!("{what}, and this gives {kind}"))
            .with_hint("nodes come from a path, such as `//a` or `@href`"))
    }

    fn path(&mut self) -> Parsed<Expr> {
        let mut steps = Vec::new();
        let start = match self.peek() {
            Token::Slash => {
                self.advance();
                if self.at_step() {
                    self.step(&mut steps)?;
                } else if matches!(self.peek(), Token::Number(_) | Token::Literal(_) | Token::LeftParen) {
                    return Err(self.no_step());
                }
                Start::Root
            }
            Token::DoubleSlash => {
                self.advance();
                steps.push(any_depth());
                self.step(&mut steps)?;
                Start::Root
            }
            _ if self.at_primary() => {
                let place = self.span().start;
                let primary = self.primary()?;
                if !matches!(self.peek(), Token::LeftBracket | Token::Slash | Token::DoubleSlash) {
                    return Ok(primary);
                }
                let primary = self.nodes(primary, place, "only nodes can be filtered or followed by a path")?;
                Start::Expr(primary, self.predicates()?)
            }
            _ => {
                self.step(&mut steps)?;
                Start::Context
            }
        };
        loop {
            match self.peek() {
                Token::Slash => self.advance(),
                Token::DoubleSlash => {
                    self.advance();
                    steps.push(any_depth());
                }
                _ => break,
            }
            self.step(&mut steps)?;
        }
        Ok(Expr::Path(Box::new(Path { start, steps: shorten(steps) })))
    }

    fn at_step(&self) -> bool {
        matches!(
            self.peek(),
            Token::Name { .. }
                | Token::PrefixStar(_)
                | Token::StarName(_)
                | Token::Star
                | Token::At
                | Token::Dot
                | Token::DotDot
        )
    }

    fn at_primary(&self) -> bool {
        match self.peek() {
            Token::Variable(_) | Token::Literal(_) | Token::Number(_) | Token::LeftParen => true,
            Token::Name { prefix, local } => {
                self.peek_second() == Token::LeftParen && !(prefix.is_none() && is_node_type(local))
            }
            _ => false,
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let span = self.span();
        match token {
            Token::Name { prefix, local } => return self.nested(|parser| parser.call(prefix, local, span)),
            Token::LeftParen => {
                self.advance();
                let inner = self.nested(Self::expr)?;
                if self.peek() == Token::Comma {
                    return Err(self.error("XPath 1.0 has no lists").with_hint("unite nodes by `|`: `(//h1 | //h2)`"));
                }
                self.close(Token::RightParen, ")", &span)?;
                return Ok(inner);
            }
            _ => self.advance(),
        }
        Ok(match token {
            Token::Variable(name) => Expr::Variable(name.to_owned()),
            Token::Literal(text) => Expr::Literal(text.to_owned()),
            Token::Number(number) => Expr::Number(number),
            _ => return Err(self.error("an expression is missing")),
        })
    }

    pub(super) fn close(&mut self, token: Token<'_>, sign: &str, open: &Range<usize>) -> Parsed<()> {
        if self.eat(token) {
            return Ok(());
        }
        let opening = &self.text[open.clone()];
        let column = self.text[..open.start].chars().count() + 1;
        let hint = format!("`{opening}` was opened at column {column}");
        if self.peek() == Token::End {
            return Err(self.error(format!("`{sign}` is missing")).with_hint(hint));
        }
        // A text that was cut short by its own quote.
        let cut = matches!(self.at.checked_sub(1).and_then(|at| self.tokens.get(at)),
            Some(Spanned { token: Token::Literal(_), span }) if span.end == self.span().start);
        let failed = self.error(format!("`{sign}` is missing before {}", self.shown()));
        Err(match (cut, foreign_operator(self.peek())) {
            (true, _) => failed.with_hint("the quote before it ends the text; put a text that holds ' into \""),
            (_, Some(other)) => failed.with_hint(other),
            _ => failed.with_hint(hint),
        })
    }

    fn predicates(&mut self) -> Parsed<Vec<Predicate>> {
        let mut predicates = Vec::new();
        while self.peek() == Token::LeftBracket {
            let open = self.span();
            self.advance();
            if self.peek() == Token::RightBracket {
                return Err(self
                    .error("the condition in the brackets is missing")
                    .with_hint("such as `[1]` or `[@href]`"));
            }
            let expr = self.nested(Self::expr)?;
            self.close(Token::RightBracket, "]", &open)?;
            predicates.push(Predicate::new(expr));
        }
        Ok(predicates)
    }

    fn step(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        let (axis, test) = match self.peek() {
            Token::Dot => {
                self.advance();
                (Axis::SelfAxis, NodeTest::Node)
            }
            Token::DotDot => {
                self.advance();
                (Axis::Parent, NodeTest::Node)
            }
            Token::At => {
                self.advance();
                if !matches!(self.peek(), Token::Name { .. } | Token::Star | Token::PrefixStar(_) | Token::StarName(_))
                {
                    return Err(self
                        .error("the name of an attribute is missing after `@`")
                        .with_hint("write it like this: `@href`, or `@*` for all"));
                }
                (Axis::Attribute, self.node_test()?)
            }
            Token::Name { prefix: None, local } if self.peek_second() == Token::ColonColon => {
                let Some((_, axis)) = Axis::NAMES.iter().find(|(name, _)| *name == local) else {
                    let failed = self.error(format!("there is no axis `{local}`"));
                    let near = suggest(local, Axis::NAMES.iter().map(|(name, _)| *name));
                    return Err(match near {
                        Some(near) => failed.with_hint(format!("did you mean `{near}::`?")),
                        None => failed
                            .with_hint("axes are child, descendant, parent, ancestor, following-sibling and others"),
                    });
                };
                self.advance();
                self.advance();
                (*axis, self.node_test()?)
            }
            _ => (Axis::Child, self.node_test()?),
        };
        let predicates = self.predicates()?;
        steps.push(Step { axis, test, predicates });
        Ok(())
    }

    fn node_test(&mut self) -> Parsed<NodeTest> {
        let token = self.peek();
        let test = match token {
            Token::Star => NodeTest::Any,
            Token::Name { prefix: None, local } if self.peek_second() == Token::LeftParen => {
                return self.node_type(local);
            }
            Token::Name { .. } if self.peek_second() == Token::LeftParen => return Err(self.no_step()),
            Token::Name { prefix, local } => self.name_test(prefix, Some(local)),
            Token::PrefixStar(prefix) => self.name_test(Some(prefix), None),
            Token::StarName(local) => {
                let NodeTest::Name(test) = self.name_test(None, Some(local)) else { return Err(self.no_step()) };
                NodeTest::Name(NameTest { prefix: Prefix::Any, ..test })
            }
            _ => return Err(self.no_step()),
        };
        self.advance();
        Ok(test)
    }

    fn name_test(&mut self, prefix: Option<&str>, local: Option<&str>) -> NodeTest {
        let index = self.name_tests;
        self.name_tests += 1;
        let prefix = match prefix {
            None => Prefix::None,
            Some(prefix) => Prefix::Named {
                prefix: prefix.to_owned(),
                namespace: self.namespaces.iter().find(|(known, _)| *known == prefix).map(|(_, url)| (*url).to_owned()),
            },
        };
        NodeTest::Name(NameTest { index, prefix, local: local.map(str::to_owned) })
    }

    fn node_type(&mut self, name: &str) -> Parsed<NodeTest> {
        if !is_node_type(name) {
            return Err(self.no_step());
        }
        self.advance();
        let open = self.span();
        self.advance();
        let test = match name {
            "node" => NodeTest::Node,
            "text" => NodeTest::Text,
            "comment" => NodeTest::Comment,
            _ => NodeTest::ProcessingInstruction(match self.peek() {
                Token::Literal(target) => {
                    self.advance();
                    Some(target.to_owned())
                }
                _ => None,
            }),
        };
        if self.peek() != Token::RightParen && self.peek() != Token::End {
            return Err(self.error(format!("{name}() takes no arguments here")).with_hint(match name {
                "text" => "a text is compared like this: `[text()='x']`, or `[contains(., 'x')]`",
                _ => "its brackets are empty",
            }));
        }
        self.close(Token::RightParen, ")", &open)?;
        Ok(test)
    }
}

fn is_node_type(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction")
}

fn reduce(operands: &mut Vec<Expr>, operators: &mut Vec<Op>) {
    let (Some(op), Some(right), Some(left)) = (operators.pop(), operands.pop(), operands.pop()) else { return };
    operands.push(match (op, left) {
        (Op::Or, Expr::Or(mut all)) => {
            all.push(right);
            Expr::Or(all)
        }
        (Op::Or, left) => Expr::Or(vec![left, right]),
        (Op::And, Expr::And(mut all)) => {
            all.push(right);
            Expr::And(all)
        }
        (Op::And, left) => Expr::And(vec![left, right]),
        // What is on the left is evaluated first in any case, whatever its operators were.
        (Op::Binary(op), Expr::Binary { first, mut rest }) => {
            rest.push((op, right));
            Expr::Binary { first, rest }
        }
        (Op::Binary(op), left) => Expr::Binary { first: Box::new(left), rest: vec![(op, right)] },
    });
}

fn any_depth() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: NodeTest::Node, predicates: Vec::new() }
}

/// Makes `descendant::x` of `descendant-or-self::node()/child::x`, where no predicate counts positions.
fn shorten(steps: Vec<Step>) -> Vec<Step> {
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

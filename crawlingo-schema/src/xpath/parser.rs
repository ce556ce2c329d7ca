//! From tokens to the tree. Operators are reduced on a stack of their own, so that only brackets cost stack.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{Axis, Call, Expr, NameTest, NodeTest, Path, Predicate, Prefix, Start, Step, Type};
use super::functions::{self, Function, Signature};
use super::lexer::{Spanned, Token, error, lex};
use super::operators::{Op, reduce};
use super::shorten::{any_depth, shorten};
use crate::{SchemaError, suggest};

/// The deepest nesting of brackets, predicates and arguments.
const MAX_NESTING: usize = 64;

pub(super) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Spanned<'t>>,
    at: usize,
    depth: usize,
    namespaces: &'t [(&'t str, &'t str)],
    name_tests: usize,
}

type Parsed<T> = Result<T, SchemaError>;

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

    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.at).map_or(Token::End, |spanned| spanned.token)
    }

    fn peek_second(&self) -> Token<'t> {
        self.tokens.get(self.at + 1).map_or(Token::End, |spanned| spanned.token)
    }

    fn span(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.text.len()..self.text.len(), |spanned| spanned.span.clone())
    }

    /// From a place to the end of the token before.
    fn since(&self, start: usize) -> Range<usize> {
        let before = self.at.checked_sub(1).and_then(|before| self.tokens.get(before));
        start..before.map_or(start, |spanned| spanned.span.end)
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn eat(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn shown(&self) -> String {
        match self.text.get(self.span()) {
            Some(text) if !text.is_empty() => format!("`{text}`"),
            _ => "the end".to_owned(),
        }
    }

    fn error(&self, message: impl Into<String>) -> SchemaError {
        error(self.text, self.span(), message)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
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

    fn expr(&mut self) -> Parsed<Expr> {
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
    fn nodes(&self, expr: Expr, start: usize, what: &str) -> Parsed<Expr> {
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

    fn call(&mut self, prefix: Option<&str>, local: &str, name: Range<usize>) -> Parsed<Expr> {
        let signature = self.signature(prefix, local, &name)?;
        self.advance();
        let open = self.span();
        self.advance();
        let mut args = Vec::new();
        let mut places = Vec::new();
        while self.peek() != Token::RightParen {
            if !args.is_empty() && !self.eat(Token::Comma) {
                if matches!(self.peek(), Token::End | Token::RightBracket) {
                    break;
                }
                return Err(self
                    .error(format!("`,` or `)` is missing before {}", self.shown()))
                    .with_hint(format!("it is called like this: {}", signature.usage)));
            }
            let start = self.span().start;
            let arg = self.expr()?;
            let arg = match signature.wants_nodes(args.len()) {
                true => self.nodes(arg, start, &format!("{}() takes nodes", signature.name))?,
                false => arg,
            };
            places.push(self.since(start));
            args.push(arg);
        }
        self.close(Token::RightParen, ")", &open)?;
        let span = self.since(name.start);
        let (least, most) = signature.arity;
        if args.len() < least || args.len() > most {
            let takes = match (least, most) {
                (0, 0) => "no arguments".to_owned(),
                (1, 1) => "one argument".to_owned(),
                (least, most) if least == most => format!("{least} arguments"),
                (least, usize::MAX) => format!("at least {least} arguments"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let given = if args.len() == 1 { "1 is" } else { &format!("{} are", args.len()) };
            return Err(error(self.text, span, format!("{}() takes {takes}, {given} given", signature.name))
                .with_hint(format!("it is called like this: {}", signature.usage)));
        }
        let regex = self.written_regex(signature.function, &args, &places)?.map(Arc::new);
        Ok(Expr::Call(Box::new(Call { function: signature.function, args, regex, span })))
    }

    fn written_regex(
        &self,
        function: Function,
        args: &[Expr],
        places: &[Range<usize>],
    ) -> Parsed<Option<regex::Regex>> {
        let Some((pattern_at, flags_at)) = function.regex_arguments() else { return Ok(None) };
        let flags = match args.get(flags_at) {
            None => "",
            Some(Expr::Literal(flags)) => flags,
            Some(_) => return Ok(None),
        };
        let Some(Expr::Literal(pattern)) = args.get(pattern_at) else { return Ok(None) };
        super::compile_regex(pattern, flags).map(Some).map_err(|cause| {
            let place = if cause.source_text() == Some(flags) && !flags.is_empty() { flags_at } else { pattern_at };
            let place = places.get(place).cloned().unwrap_or_default();
            let moved = error(self.text, place, cause.message());
            match cause.hint() {
                Some(hint) => moved.with_hint(hint),
                None => moved,
            }
        })
    }

    fn signature(&self, prefix: Option<&str>, local: &str, name: &Range<usize>) -> Parsed<&'static Signature> {
        let known = match prefix {
            None => Some(functions::PLAIN),
            Some(prefix) => match self.namespaces.iter().find(|(known, _)| *known == prefix) {
                Some((_, url)) => functions::module(url),
                None => functions::usual_module(prefix),
            },
        };
        if let Some(found) = known.and_then(|known| known.iter().find(|signature| signature.name == local)) {
            return Ok(found);
        }
        let shown = &self.text[name.clone()];
        let failed = error(self.text, name.clone(), format!("there is no function `{shown}()`"));
        let names = known.unwrap_or(functions::PLAIN).iter().map(|signature| signature.name);
        let modules = functions::MODULES.iter().flat_map(|(_, _, functions)| *functions);
        let usage = |name: &str| {
            let all = known.unwrap_or(functions::PLAIN).iter();
            all.chain(modules.clone()).find(|signature| signature.name == name).map(|signature| signature.usage)
        };
        let hint = match local {
            "if" | "for" | "some" | "every" => Some(format!("XPath 1.0 has no `{local}`")),
            "attribute" | "element" | "document-node" | "item" => Some(
                "node tests are node(), text(), comment() and processing-instruction(); `@name` is an attribute"
                    .to_owned(),
            ),
            "max" | "min" | "avg" | "tokenize" | "distinct-values" | "index-of" | "exists" | "empty"
            | "current-date" | "reverse" | "abs" | "data" | "regex" => match local {
                "tokenize" => Some("use `str:tokenize(text, separators)`".to_owned()),
                "distinct-values" => Some("use `set:distinct(nodes)`".to_owned()),
                "exists" => Some("nodes alone are a condition: `[a]`".to_owned()),
                "empty" => Some("use `not(nodes)`".to_owned()),
                "data" => Some("use `string(node)`".to_owned()),
                "regex" => Some("use `matches(text, regex)`".to_owned()),
                _ => Some("XPath 1.0 does not have it".to_owned()),
            },
            _ => suggest(local, names)
                .or_else(|| suggest(local, modules.clone().map(|signature| signature.name)))
                .and_then(usage)
                .map(|usage| format!("did you mean `{usage}`?")),
        };
        Err(match (hint, prefix) {
            (Some(hint), _) => failed.with_hint(hint),
            (None, Some(_)) => failed.with_hint("functions with a prefix are those of re:, set: and str:"),
            (None, None) => failed,
        })
    }

    fn close(&mut self, token: Token<'_>, sign: &str, open: &Range<usize>) -> Parsed<()> {
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

    /// Why no step can begin here.
    fn no_step(&self) -> SchemaError {
        let after_slash = matches!(
            self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|spanned| spanned.token),
            Some(Token::Slash | Token::DoubleSlash)
        );
        match self.peek() {
            Token::End if after_slash => self
                .error("a step is missing after the `/`")
                .with_hint("leave the `/` out, or name an element: `//div/*`"),
            Token::End => {
                self.error("the expression ends too early").with_hint("a path, a text or a number is missing")
            }
            Token::Name { .. } if self.peek_second() == Token::LeftParen => self
                .error(format!("the function {}() cannot be a step of a path", self.shown().trim_matches('`')))
                .with_hint("in XPath 1.0 the path goes into the function: `string(//h1)`"),
            Token::LeftParen => self
                .error("brackets cannot be a step of a path")
                .with_hint("in XPath 1.0 write `a/b | a/c` for `a/(b | c)`, or `a/*[self::b or self::c]`"),
            Token::DoubleSlash | Token::Slash if after_slash => {
                self.error("there are too many slashes").with_hint("`/` leads to children, `//` to all descendants")
            }
            _ => self
                .error(format!("a path, a text or a number is expected before {}", self.shown()))
                .with_hint("such as `a`, `@href`, `.`, `'text'` or `1`"),
        }
    }

    /// Why the expression does not go on like this.
    fn leftover(&self) -> SchemaError {
        let failed = self.error(format!("{} is not expected here", self.shown()));
        match self.peek() {
            Token::RightBracket => failed.with_hint("no `[` is open"),
            Token::RightParen => failed.with_hint("no `(` is open"),
            Token::Comma => failed.with_hint("unite expressions by `|`; a comma stands between arguments only"),
            Token::At => failed.with_hint("an attribute is a step: write `/@name`"),
            token => match foreign_operator(token) {
                Some(hint) => failed.with_hint(hint),
                None => failed.with_hint("an operator or a `/` is missing before it"),
            },
        }
    }
}

fn is_node_type(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction")
}

/// What to write for an operator that is not of XPath 1.0.
fn foreign_operator(token: Token<'_>) -> Option<&'static str> {
    Some(match token {
        Token::Variable(_) => "XPath 1.0 has no `for`, `some` and `every`",
        Token::Name { prefix: None, local } => match local {
            "eq" => "XPath 1.0 has no `eq`; write `=`",
            "ne" => "XPath 1.0 has no `ne`; write `!=`",
            "lt" => "XPath 1.0 has no `lt`; write `<`",
            "le" => "XPath 1.0 has no `le`; write `<=`",
            "gt" => "XPath 1.0 has no `gt`; write `>`",
            "ge" => "XPath 1.0 has no `ge`; write `>=`",
            "union" => "XPath 1.0 has no `union`; write `|`",
            "intersect" => "use `set:intersection(a, b)`",
            "except" => "use `set:difference(a, b)`",
            "idiv" => "use `floor(a div b)`",
            "is" | "to" | "return" | "satisfies" | "then" | "else" | "instance" | "cast" | "castable" | "treat" => {
                "this is XPath 2; XPath 1.0 does not have it"
            }
            "AND" | "OR" | "And" | "Or" => "`and` and `or` are written in small letters",
            _ => return None,
        },
        _ => return None,
    })
}

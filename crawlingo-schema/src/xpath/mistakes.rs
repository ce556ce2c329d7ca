//! What to say where an expression does not go on as it should.

use super::lexer::Token;
use super::parser::Parser;
use crate::SchemaError;

impl Parser<'_> {
    /// Why no step can begin here.
    pub(super) fn no_step(&self) -> SchemaError {
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
    pub(super) fn leftover(&self) -> SchemaError {
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

/// What to write for an operator that is not of XPath 1.0.
pub(super) fn foreign_operator(token: Token<'_>) -> Option<&'static str> {
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

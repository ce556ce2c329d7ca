//! From text to tokens.

use std::ops::Range;

use crate::{SchemaError, SchemaErrorKind};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'t> {
    Slash,
    DoubleSlash,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    At,
    Comma,
    ColonColon,
    Dot,
    DotDot,
    Pipe,
    Plus,
    Minus,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Star,
    /// `name` or `prefix:name`.
    Name {
        prefix: Option<&'t str>,
        local: &'t str,
    },
    /// `prefix:*`.
    PrefixStar(&'t str),
    /// `*:name`.
    StarName(&'t str),
    Variable(&'t str),
    Literal(&'t str),
    Number(f64),
    End,
}

pub(super) struct Spanned<'t> {
    pub(super) token: Token<'t>,
    pub(super) span: Range<usize>,
}

pub(super) fn error(text: &str, span: Range<usize>, message: impl Into<String>) -> SchemaError {
    SchemaError::new(SchemaErrorKind::XPath, message).with_span(text, span)
}

/// Splits an expression into tokens; the last is always `End`.
pub(super) fn lex(text: &str) -> Result<Vec<Spanned<'_>>, SchemaError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
        let start = lexer.at;
        let token = lexer.token()?;
        tokens.push(Spanned { token, span: start..lexer.at });
        if token == Token::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip(&mut self, test: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn name(&mut self) -> Option<&'t str> {
        self.rest().starts_with(is_name_start).then(|| self.skip(is_name_char))
    }

    fn token(&mut self) -> Result<Token<'t>, SchemaError> {
        const SYMBOLS: &[(&str, Token<'static>)] = &[
            ("//", Token::DoubleSlash),
            ("/", Token::Slash),
            ("(", Token::LeftParen),
            (")", Token::RightParen),
            ("[", Token::LeftBracket),
            ("]", Token::RightBracket),
            ("@", Token::At),
            (",", Token::Comma),
            ("::", Token::ColonColon),
            ("..", Token::DotDot),
            ("!=", Token::NotEqual),
            ("<=", Token::LessOrEqual),
            ("<", Token::Less),
            (">=", Token::GreaterOrEqual),
            (">", Token::Greater),
            ("+", Token::Plus),
            ("-", Token::Minus),
        ];
        let start = self.at;
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        let mut following = self.rest().chars().skip(1);
        let second = following.next();
        match first {
            '"' | '\'' => return self.literal(first),
            '0'..='9' => return self.number(),
            '.' if second.is_some_and(|c| c.is_ascii_digit()) => return self.number(),
            '$' => {
                self.at += 1;
                let from = self.at;
                return match self.qualified_name() {
                    Some(_) => Ok(Token::Variable(&self.text[from..self.at])),
                    None => Err(error(self.text, start..self.at, "the name of a variable is missing after `$`")
                        .with_hint("write it like this: `$name`")),
                };
            }
            '*' => {
                self.at += 1;
                if second == Some(':') && following.next().is_some_and(is_name_start) {
                    self.at += 1;
                    return Ok(Token::StarName(self.name().unwrap_or_default()));
                }
                return Ok(Token::Star);
            }
            '|' if second != Some('|') => {
                self.at += 1;
                return Ok(Token::Pipe);
            }
            '=' if second != Some('=') && second != Some('>') => {
                self.at += 1;
                return Ok(Token::Equal);
            }
            _ => {}
        }
        if let Some((symbol, token)) = SYMBOLS.iter().find(|(symbol, _)| self.rest().starts_with(symbol)) {
            self.at += symbol.len();
            return Ok(*token);
        }
        if first == '.' {
            self.at += 1;
            return Ok(Token::Dot);
        }
        if let Some(token) = self.qualified_name() {
            // `a:b:c`
            if self.rest().starts_with(':') && !self.rest().starts_with("::") {
                return Err(error(self.text, self.at..self.at + 1, "a name has one prefix at most")
                    .with_hint("write `prefix:name`; an axis is followed by two colons, as in `child::name`"));
            }
            return Ok(token);
        }
        Err(self.unexpected(first))
    }

    fn qualified_name(&mut self) -> Option<Token<'t>> {
        let first = self.name()?;
        let mut after = self.rest().chars();
        if after.next() == Some(':') {
            match after.next() {
                Some('*') => {
                    self.at += 2;
                    return Some(Token::PrefixStar(first));
                }
                Some(c) if is_name_start(c) => {
                    self.at += 1;
                    let local = self.name().unwrap_or_default();
                    return Some(Token::Name { prefix: Some(first), local });
                }
                _ => {}
            }
        }
        Some(Token::Name { prefix: None, local: first })
    }

    fn literal(&mut self, quote: char) -> Result<Token<'t>, SchemaError> {
        let start = self.at;
        self.at += 1;
        let content = self.skip(|c| c != quote);
        if self.eat(quote.encode_utf8(&mut [0; 4])) {
            return Ok(Token::Literal(content));
        }
        Err(error(self.text, start..start + 1, format!("the text that begins here is not closed with `{quote}`"))
            .with_hint("a text that holds one kind of quote goes into the other: \"it's\""))
    }

    /// Digits, and an exponent, which XPath 2 and all libraries in use allow.
    fn number(&mut self) -> Result<Token<'t>, SchemaError> {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit();
        self.skip(digit);
        if self.eat(".") {
            self.skip(digit);
        }
        let mut after = self.rest().chars();
        if matches!(after.next(), Some('e' | 'E')) {
            let sign = match after.next() {
                Some('+' | '-') => after.next().map(|c| (2, c)),
                other => other.map(|c| (1, c)),
            };
            if let Some((skipped, c)) = sign
                && digit(c)
            {
                self.at += skipped;
                self.skip(digit);
            }
        }
        let written = &self.text[start..self.at];
        written
            .parse()
            .map(Token::Number)
            .map_err(|_| error(self.text, start..self.at, format!("`{written}` is not a number")))
    }

    fn unexpected(&self, found: char) -> SchemaError {
        let (length, hint) = match found {
            '=' if self.rest().starts_with("==") => (2, "`=` compares"),
            '=' => (2, "XPath 1.0 has no `=>`; put one function around the other: `normalize-space(string(a))`"),
            '|' => (2, "write `or`; `|` unites nodes, and `concat(a, b)` joins texts"),
            '&' => (if self.rest().starts_with("&&") { 2 } else { 1 }, "write `and`"),
            '!' => (1, "write `not(...)`, or `!=` to compare"),
            '#' => (1, "an id is asked for by `[@id='name']`; a CSS selector goes into `css`"),
            ':' => (1, "a prefix and its name stand together, as in `svg:rect`; an axis is followed by `::`"),
            '“' | '”' | '‘' | '’' | '„' | '«' | '»' => (found.len_utf8(), "use straight quotes, ' or \""),
            '{' | '}' => (1, "XPath has no braces; a value from outside is a variable, `$name`"),
            '\\' => (1, "XPath has no escapes; a text with one kind of quote goes into the other"),
            _ => (found.len_utf8(), "this sign has no meaning in XPath"),
        };
        error(self.text, self.at..self.at + length, format!("`{}` is not expected here", &self.rest()[..length]))
            .with_hint(hint)
    }
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && c.is_alphabetic())
}

fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || c.is_ascii_digit()
        || matches!(c, '-' | '.' | '\u{b7}')
        || (!c.is_ascii() && (c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}' | '\u{203f}' | '\u{2040}')))
}

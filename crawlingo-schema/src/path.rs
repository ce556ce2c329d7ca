//! Paths into structured data: dotted paths for JSON-LD and microdata, names of `<meta>`, JSONPath.

use std::fmt;
use std::ops::Range;

use serde_json_path::JsonPath;

use crate::{SchemaError, SchemaErrorKind};

/// A dotted path such as `Product.offers.price`.
///
/// The first step is a type (`Product`, or in full `https://schema.org/Product`) or a property; the others are
/// properties. A step may take one of several values by its position, `offers[0]`, or from the end, `offers[-1]`. A name
/// with dots or blanks stands in quotes: `Product."schema.org/offers".price`.
///
/// ```
/// use crawlingo_schema::path;
/// let path = path::parse("Product.offers[0].price")?;
/// assert_eq!(path.steps[1].name, "offers");
/// assert_eq!(path.steps[1].index, Some(0));
/// assert!(path::parse("Product..price").is_err());
/// # Ok::<(), crawlingo_schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Path {
    /// The steps; at least one.
    pub steps: Vec<Step>,
}

/// A step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Step {
    /// The type or property.
    pub name: String,
    /// Which of several values, from 0; negative ones count from the end.
    pub index: Option<i32>,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            if at > 0 {
                f.write_str(".")?;
            }
            // A type's full address stands as it is at the front; any other name with a sign of the grammar is quoted.
            let bare = !step.name.contains(|c| c == '.' || is_sign(c));
            let address = at == 0 && address_end(&step.name) == step.name.len();
            match (bare || address, step.name.contains('"')) {
                (true, _) => f.write_str(&step.name)?,
                (false, false) => write!(f, "\"{}\"", step.name)?,
                (false, true) => write!(f, "'{}'", step.name)?,
            }
            if let Some(index) = step.index {
                write!(f, "[{index}]")?;
            }
        }
        Ok(())
    }
}

/// More steps than any page nests; a bound for paths that are generated.
const MAX_STEPS: usize = 64;

/// Parses a dotted path.
///
/// # Errors
/// What is wrong with it, and where.
pub fn parse(text: &str) -> Result<Path, SchemaError> {
    let mut parser = Parser { text, at: 0 };
    let mut steps = Vec::new();
    if text.trim_start().starts_with('$') {
        return Err(parser.error("this is a JSONPath, not a dotted path", 0..text.len()).with_hint(
            "write `json = \"$...\"` for a JSONPath; a path here is names with dots, such as `Product.offers.price`",
        ));
    }
    loop {
        steps.push(parser.step(steps.is_empty())?);
        if steps.len() > MAX_STEPS {
            return Err(parser.error(format!("the path has more than {MAX_STEPS} steps"), 0..text.len()));
        }
        match parser.peek() {
            None => return Ok(Path { steps }),
            Some('.') => parser.at += 1,
            Some(other) => {
                let span = parser.at..parser.at + other.len_utf8();
                return Err(parser
                    .error(format!("`{other}` cannot stand here"), span)
                    .with_hint("steps are separated by a dot; a name with other signs stands in quotes"));
            }
        }
    }
}

/// The end of the address of a type at the beginning of `text`: dots before its last `/` or `#` are no separators.
fn address_end(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return 0 };
    let begin = text.len() - rest.len();
    let before = rest.find(is_sign).unwrap_or(rest.len());
    let Some(last) = rest[..before].rfind(['/', '#']) else { return 0 };
    let name = begin + last + 1;
    text[name..].find(|c| c == '.' || is_sign(c)).map_or(text.len(), |end| name + end)
}

/// What cannot stand in a name without quotes, besides the dot.
fn is_sign(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '[' | ']')
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn error(&self, message: impl Into<String>, span: Range<usize>) -> SchemaError {
        SchemaError::new(SchemaErrorKind::Path, message).with_span(self.text, span)
    }

    fn step(&mut self, first: bool) -> Result<Step, SchemaError> {
        let start = self.at;
        let name = match self.peek() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            _ => self.bare(first)?,
        };
        if name.trim().is_empty() {
            return Err(self
                .error("a step of the path is empty", start..self.at.max(start + 1))
                .with_hint("write names with single dots between them, such as `Product.offers.price`"));
        }
        let index = if self.peek() == Some('[') { Some(self.index()?) } else { None };
        Ok(Step { name, index })
    }

    fn quoted(&mut self, quote: char) -> Result<String, SchemaError> {
        let begin = self.at + 1;
        let Some(len) = self.text[begin..].find(quote) else {
            return Err(self
                .error("the quote is not closed", self.at..self.text.len())
                .with_hint(format!("add a `{quote}` after the name")));
        };
        self.at = begin + len + 1;
        Ok(self.text[begin..begin + len].to_owned())
    }

    fn bare(&mut self, first: bool) -> Result<String, SchemaError> {
        let begin = self.at;
        if first {
            self.at += address_end(self.text);
        }
        while let Some(c) = self.peek() {
            match c {
                '.' | '[' => break,
                c if is_sign(c) => {
                    return Err(self
                        .error(format!("{c:?} cannot stand in a name"), self.at..self.at + c.len_utf8())
                        .with_hint("a name with such signs stands in quotes as a whole"));
                }
                c => self.at += c.len_utf8(),
            }
        }
        Ok(self.text[begin..self.at].to_owned())
    }

    fn index(&mut self) -> Result<i32, SchemaError> {
        let open = self.at;
        let Some(len) = self.text[open..].find(']') else {
            return Err(self.error("the bracket is not closed", open..self.text.len()).with_hint("add a `]`"));
        };
        self.at = open + len + 1;
        let inner = &self.text[open + 1..open + len];
        inner.parse().map_err(|_| {
            let error = self.error("a position is a whole number", open..self.at);
            error.with_hint(match inner {
                "*" | "" => "lists are followed on their own: leave the bracket out for all values",
                _ => "write `[0]` for the first value, `[-1]` for the last",
            })
        })
    }
}

/// Checks the name of a `<meta>`.
///
/// # Errors
/// What is wrong with it.
pub fn check_meta(name: &str) -> Result<(), SchemaError> {
    if name.trim().is_empty() {
        return Err(SchemaError::new(SchemaErrorKind::Path, "the meta name is empty")
            .with_hint("write the name or property, such as `og:title`"));
    }
    Ok(())
}

/// Parses a JSONPath.
///
/// # Errors
/// What is wrong with it, and where.
pub fn parse_json(text: &str) -> Result<JsonPath, SchemaError> {
    JsonPath::parse(text).map_err(|error| {
        let at = error.position();
        SchemaError::new(SchemaErrorKind::Path, "the JSONPath does not parse here".to_owned())
            .with_span(text, at..at + 1)
            .with_hint("a JSONPath begins with `$`, such as `$.items[*].price`")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Vec<String> {
        parse(text).unwrap().steps.into_iter().map(|step| step.name).collect()
    }

    #[test]
    fn names_are_separated_by_dots() {
        assert_eq!(names("Product.offers.price"), ["Product", "offers", "price"]);
        assert_eq!(names("og:title"), ["og:title"]);
        assert_eq!(names("Action.query-input.@id"), ["Action", "query-input", "@id"]);
    }

    #[test]
    fn the_address_of_a_type_is_one_step() {
        assert_eq!(names("https://schema.org/Product.offers"), ["https://schema.org/Product", "offers"]);
        assert_eq!(names("http://data-vocabulary.org/Review"), ["http://data-vocabulary.org/Review"]);
        assert_eq!(names("http://purl.org/dc/terms#Agent[0].name"), ["http://purl.org/dc/terms#Agent", "name"]);
    }

    #[test]
    fn quotes_keep_dots_and_blanks() {
        assert_eq!(names("Product.\"my price.net\".x"), ["Product", "my price.net", "x"]);
        assert_eq!(names("'say \"hi\"'"), ["say \"hi\""]);
    }

    #[test]
    fn positions() {
        let path = parse("Product[-1].offers[2].price").unwrap();
        assert_eq!(path.steps.iter().map(|step| step.index).collect::<Vec<_>>(), [Some(-1), Some(2), None]);
    }

    #[test]
    fn errors_say_where() {
        for (text, span) in [
            ("", 0..0),
            ("Product.", 8..8),
            ("Product..price", 8..9),
            ("Product.my price", 10..11),
            ("Product[x]", 7..10),
            ("Product[0", 7..9),
            ("Product[0]x", 10..11),
            ("Product.\"x", 8..10),
            ("$.a.b", 0..5),
            ("Product.offers[*].price", 14..17),
            ("a]", 1..2),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.span(), Some(span), "{text}: {error}");
            assert_eq!(error.kind(), SchemaErrorKind::Path);
            assert!(!error.message().is_empty());
        }
        assert!(parse(&"a.".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_path_or_an_error(text in "[ -~é\u{0}]{0,40}") {
            if let Ok(path) = parse(&text) {
                prop_assert_eq!(parse(&path.to_string()).unwrap(), path);
            }
        }

        #[test]
        fn what_looks_like_a_path_does_as_well(text in "(https?://[a-z./#]{0,8})?[A-Za-z.\"'\\[\\]0-9-]{0,12}") {
            if let Ok(path) = parse(&text) {
                prop_assert_eq!(parse(&path.to_string()).unwrap(), path);
            }
        }
    }
}

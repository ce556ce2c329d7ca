//! parsel's `::text` and `::attr(name)`: found at the ends of the list's selectors and taken off.

use cssparser::{Parser, Token};

use crate::{SchemaError, SchemaErrorKind, Take};

/// The selector without its takes (blanks stand in their place, so that positions stay), and the take.
pub(super) fn split(text: &str) -> Result<(String, Option<Take>), SchemaError> {
    let mut input = Parser::new(text);
    let mut plain = text.to_owned();
    // Of each selector of the list: what it takes. They must agree.
    let mut takes: Vec<Option<Take>> = vec![None];
    let mut ends_at = None;
    // The start of `::`, once both colons were seen.
    let mut colons: Vec<usize> = Vec::new();
    loop {
        let start = input.position().byte_index();
        let Ok(token) = input.next_including_whitespace_and_comments() else { break };
        let token = token.clone();
        let name = match &token {
            Token::Ident(name) if name.eq_ignore_ascii_case("text") => Some(Take::OwnText),
            Token::Function(name) if name.eq_ignore_ascii_case("attr") && colons.len() == 2 => {
                let parsed = input.parse_nested_block(|inner| {
                    let name = inner.expect_ident_or_string()?.as_ref().to_owned();
                    inner.expect_exhausted()?;
                    Ok::<_, cssparser::ParseError<()>>(name)
                });
                let end = input.position().byte_index();
                let name = parsed.map_err(|_| {
                    SchemaError::new(SchemaErrorKind::Css, "`::attr()` takes the name of one attribute")
                        .with_span(text, colons[0]..end)
                        .with_hint("write it like this: `a::attr(href)`")
                })?;
                Some(Take::Attr(name.to_ascii_lowercase()))
            }
            _ => None,
        };
        match (name, colons.as_slice()) {
            (Some(take), [first, _]) => {
                let end = input.position().byte_index();
                let first = *first;
                // Where nothing stands before it, every element is meant.
                let alone = text[..first].chars().next_back().is_none_or(|c| c.is_whitespace() || ",>+~".contains(c));
                let blank = format!("{}{}", if alone { "*" } else { " " }, " ".repeat(end - first - 1));
                plain.replace_range(first..end, &blank);
                if let Some(last) = takes.last_mut() {
                    *last = Some(take);
                }
                ends_at = Some((first, end));
                colons.clear();
                continue;
            }
            _ => {
                if token == Token::Colon {
                    colons.push(start);
                } else {
                    colons.clear();
                }
            }
        }
        // Else the next token's start would be taken for the place behind the bracket, and not behind the block.
        if matches!(token, Token::SquareBracketBlock | Token::ParenthesisBlock | Token::CurlyBracketBlock)
            || matches!(&token, Token::Function(_))
        {
            let skipped: Result<(), cssparser::ParseError<()>> = input.parse_nested_block(|inner| {
                while inner.next().is_ok() {}
                Ok(())
            });
            // What is wrong inside of it is the parser's to tell.
            drop(skipped);
        }
        match token {
            Token::Comma => {
                takes.push(None);
                ends_at = None;
            }
            Token::WhiteSpace(_) | Token::Comment(_) => {}
            _ => {
                if let Some((first, end)) = ends_at {
                    let taken = &text[first..end];
                    return Err(SchemaError::new(
                        SchemaErrorKind::Css,
                        format!("`{taken}` must stand at the end of the selector"),
                    )
                    .with_span(text, start..text.len())
                    .with_hint("move it to the end, or leave out what follows"));
                }
            }
        }
    }
    let mut takes = takes.into_iter();
    let first = takes.next().flatten();
    if takes.any(|take| take != first) {
        return Err(SchemaError::new(SchemaErrorKind::Css, "the selectors of the list take different things")
            .with_span(text, 0..text.len())
            .with_hint("end each with the same `::text` or `::attr()`, or write a chain of several selectors"));
    }
    Ok((plain, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_may_stand_behind_a_bracket() {
        for (selector, plain) in [
            ("a[href]::attr(href)", "a[href]"),
            ("a[href='x::text']::attr(href)", "a[href='x::text']"),
            ("a[href] ::attr(href)", "a[href] *"),
            ("a:not([rel])::attr(href)", "a:not([rel])"),
            ("a:nth-child(2n + 1)::attr(href)", "a:nth-child(2n + 1)"),
        ] {
            let (found, take) = split(selector).expect(selector);
            assert_eq!((found.trim_end(), take), (plain, Some(Take::Attr("href".to_owned()))), "{selector}");
        }
    }
}

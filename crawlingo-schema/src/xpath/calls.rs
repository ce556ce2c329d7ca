//! Calls of functions: who is meant, how many arguments it takes, and regular expressions that are written out.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{Call, Expr};
use super::functions::{self, Function, Signature};
use super::lexer::{Token, error};
use super::parser::{Parsed, Parser};
use crate::suggest;

impl Parser<'_> {
    pub(super) fn call(&mut self, prefix: Option<&str>, local: &str, name: Range<usize>) -> Parsed<Expr> {
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
}

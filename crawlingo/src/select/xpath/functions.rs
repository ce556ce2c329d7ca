//! The functions of XPath 1.0, those of XPath 2 that are offered, and `has-class`.

use std::borrow::Cow;
use std::collections::HashMap;

use crawlingo_schema::xpath::Function;
use crawlingo_schema::xpath::ast::{Call, Expr};
use html5ever::ns;

use super::convert;
use super::eval::{Context, Evaluator, Value, sort};
use super::item::{Item, ItemKind};
use crate::Error;
use crate::dom::{Content, NONE};

impl<'a> Evaluator<'a> {
    pub(super) fn call(&mut self, call: &'a Call, context: Context) -> Result<Value<'a>, Error> {
        let args = call.args.as_slice();
        Ok(match (call.function, args) {
            (Function::Last, _) => Value::Number(context.size as f64),
            (Function::Position, _) => Value::Number(context.position as f64),
            (Function::Count, [nodes]) => Value::Number(self.nodes(nodes, context)?.len() as f64),
            (Function::Id, [ids]) => self.id(ids, context)?,
            (Function::LocalName, args) => match self.node_of(args, context)? {
                Some(item) => Value::Text(self.tree.local_name(item).into()),
                None => Value::Text("".into()),
            },
            (Function::Name, args) => match self.node_of(args, context)? {
                Some(item) => Value::Text(self.tree.full_name(item)),
                None => Value::Text("".into()),
            },
            (Function::NamespaceUri, args) => match self.node_of(args, context)? {
                Some(item) => Value::Text(self.tree.namespace_url(item).into()),
                None => Value::Text("".into()),
            },
            (Function::String, args) => Value::Text(self.text_of(args, context)?),
            (Function::Concat, args) => {
                let mut joined = String::new();
                for arg in args {
                    let part = self.text(arg, context)?;
                    self.pay_text(part.len())?;
                    joined.push_str(&part);
                    self.bound_text(joined.len())?;
                }
                Value::Text(joined.into())
            }
            (Function::Contains, [text, part]) => {
                let (text, part) = (self.text(text, context)?, self.text(part, context)?);
                self.pay(text.len() / 64)?;
                Value::Boolean(memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some())
            }
            (Function::StartsWith, [text, part]) => {
                let (text, part) = (self.text(text, context)?, self.text(part, context)?);
                Value::Boolean(text.starts_with(&*part))
            }
            (Function::EndsWith, [text, part]) => {
                let (text, part) = (self.text(text, context)?, self.text(part, context)?);
                Value::Boolean(text.ends_with(&*part))
            }
            (Function::SubstringBefore, [text, mark]) => {
                let (text, mark) = (self.text(text, context)?, self.text(mark, context)?);
                Value::Text(cut(text, |text| text.split_once(&*mark).map_or("", |(before, _)| before)))
            }
            (Function::SubstringAfter, [text, mark]) => {
                let (text, mark) = (self.text(text, context)?, self.text(mark, context)?);
                Value::Text(cut(text, |text| text.split_once(&*mark).map_or("", |(_, after)| after)))
            }
            (Function::Substring, [text, start, length @ ..]) => {
                let text = self.text(text, context)?;
                let start = self.number(start, context)?;
                let length = match length {
                    [length] => Some(self.number(length, context)?),
                    _ => None,
                };
                Value::Text(cut(text, |text| convert::substring(text, start, length)))
            }
            (Function::StringLength, args) => {
                let text = self.text_of(args, context)?;
                self.pay(text.len() / 64)?;
                Value::Number(text.chars().count() as f64)
            }
            (Function::NormalizeSpace, args) => {
                let text = self.text_of(args, context)?;
                self.pay_text(text.len())?;
                Value::Text(convert::normalize_space(&text).into())
            }
            (Function::Translate, [text, from, to]) => {
                let text = self.text(text, context)?;
                let (from, to) = (self.text(from, context)?, self.text(to, context)?);
                self.pay_text(text.len() * 4 + from.len())?;
                Value::Text(convert::translate(&text, &from, &to).into())
            }
            (Function::Boolean, [value]) => Value::Boolean(self.boolean(value, context)?),
            (Function::Not, [value]) => Value::Boolean(!self.boolean(value, context)?),
            (Function::True, _) => Value::Boolean(true),
            (Function::False, _) => Value::Boolean(false),
            (Function::Lang, [language]) => {
                let language = self.text(language, context)?;
                Value::Boolean(self.is_in_language(context.item, &language)?)
            }
            (Function::Number, []) => {
                let text = self.string_value(context.item)?;
                Value::Number(convert::text_to_number(&text))
            }
            (Function::Number, [value, ..]) => Value::Number(self.number(value, context)?),
            (Function::Sum, [nodes]) => {
                let mut sum = 0.0;
                for item in self.nodes(nodes, context)? {
                    sum += convert::text_to_number(&self.string_value(item)?);
                }
                Value::Number(sum)
            }
            (Function::Floor, [number]) => Value::Number(self.number(number, context)?.floor()),
            (Function::Ceiling, [number]) => Value::Number(self.number(number, context)?.ceil()),
            (Function::Round, [number]) => Value::Number(convert::round(self.number(number, context)?)),
            (Function::LowerCase, [text]) => {
                let text = self.text(text, context)?;
                self.pay_text(text.len())?;
                Value::Text(text.to_lowercase().into())
            }
            (Function::UpperCase, [text]) => {
                let text = self.text(text, context)?;
                self.pay_text(text.len())?;
                Value::Text(text.to_uppercase().into())
            }
            (Function::StringJoin, [nodes, separator @ ..]) => {
                let nodes = self.nodes(nodes, context)?;
                let separator = match separator {
                    [separator] => self.text(separator, context)?,
                    _ => "".into(),
                };
                Value::Text(self.join(&nodes, &separator)?.into())
            }
            (Function::HasClass, classes) => {
                let mut all = true;
                for class in classes {
                    let class = self.text(class, context)?;
                    all &= self.has_class(context.item, &class);
                }
                Value::Boolean(all)
            }
            _ => self.call_extension(call, context)?,
        })
    }

    /// The first node of an argument, or the context node without one.
    fn node_of(&mut self, args: &'a [Expr], context: Context) -> Result<Option<Item>, Error> {
        match args {
            [] => Ok(Some(context.item)),
            [Expr::Path(path), ..] => Ok(self.path(path, context, 1)?.first().copied()),
            [nodes, ..] => Ok(self.nodes(nodes, context)?.first().copied()),
        }
    }

    /// The text of an argument, or of the context node without one.
    fn text_of(&mut self, args: &'a [Expr], context: Context) -> Result<Cow<'a, str>, Error> {
        match args {
            [] => self.string_value(context.item),
            [value, ..] => self.text(value, context),
        }
    }

    pub(super) fn join(&mut self, nodes: &[Item], separator: &str) -> Result<String, Error> {
        let mut joined = String::new();
        for (place, item) in nodes.iter().enumerate() {
            let text = self.string_value(*item)?;
            self.pay(text.len() / 64)?;
            if place > 0 {
                joined.push_str(separator);
            }
            joined.push_str(&text);
            self.bound_text(joined.len())?;
        }
        self.pay_text(joined.len())?;
        Ok(joined)
    }

    fn has_class(&self, item: Item, class: &str) -> bool {
        item.is_node()
            && self
                .tree
                .find_attr(item.id(), |name| name.prefix.is_none() && *name.local == *"class")
                .is_some_and(|classes| classes.split_ascii_whitespace().any(|own| own == class))
    }

    /// The nearest language of a node or of one around it.
    fn is_in_language(&mut self, item: Item, language: &str) -> Result<bool, Error> {
        if let ItemKind::Made(_) = item.kind() {
            return Ok(false);
        }
        let html = self.tree.is_html();
        let mut at = item.id();
        while at != NONE {
            self.pay(1)?;
            let own = self.tree.find_attr(at, |name| {
                (name.ns == ns!(xml) && *name.local == *"lang")
                    || (html && name.prefix.is_none() && matches!(&*name.local, "lang" | "xml:lang"))
            });
            if let Some(own) = own {
                let head = own.get(..language.len()).unwrap_or_default();
                let rest = own.get(language.len()..).unwrap_or_default();
                return Ok(head.eq_ignore_ascii_case(language)
                    && own.len() >= language.len()
                    && (rest.is_empty() || rest.starts_with('-')));
            }
            at = self.tree.data(at).parent;
        }
        Ok(false)
    }

    /// The elements whose ids are named. In XML that is `xml:id`, or an `id`, which a DTD need not declare here.
    fn id(&mut self, ids: &'a Expr, context: Context) -> Result<Value<'a>, Error> {
        let texts = match self.eval(ids, context)? {
            Value::Nodes(nodes) => {
                let mut texts = Vec::with_capacity(nodes.len());
                for item in nodes {
                    texts.push(self.string_value(item)?);
                }
                texts
            }
            other => vec![self.value_text(other)?],
        };
        if self.ids.is_none() {
            self.ids = Some(self.index_ids()?);
        }
        let mut found = Vec::new();
        for text in &texts {
            self.pay(text.len() / 8 + 1)?;
            let wanted = text.split(convert::is_space).filter(|id| !id.is_empty());
            let known = self.ids.as_ref();
            found.extend(wanted.filter_map(|id| known?.get(id)).map(|id| Item::node(*id)));
        }
        sort(&mut found);
        Ok(Value::Nodes(found))
    }

    fn index_ids(&mut self) -> Result<HashMap<&'a str, u32>, Error> {
        let mut ids = HashMap::new();
        let tree = self.tree;
        let (mut at, end) = (0, tree.data(0).end);
        while at < end {
            self.pay(1)?;
            match tree.data(at).content {
                Content::Fragment => {
                    at = tree.data(at).end;
                    continue;
                }
                Content::Element { .. } => {
                    let id = tree
                        .find_attr(at, |name| *name.local == *"id" && (name.prefix.is_none() || name.ns == ns!(xml)));
                    if let Some(id) = id {
                        ids.entry(id).or_insert(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(ids)
    }
}

/// A part of a text, borrowed if the text is.
fn cut<'a>(text: Cow<'a, str>, part: impl Fn(&str) -> &str) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(part_of(text, &part)),
        Cow::Owned(text) => Cow::Owned(part(&text).to_owned()),
    }
}

fn part_of<'a>(text: &'a str, part: &impl Fn(&str) -> &str) -> &'a str {
    part(text)
}

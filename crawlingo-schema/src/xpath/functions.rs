//! The functions that expressions may call.

use super::ast::Type;

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each is described by its line in the table below.
pub enum Function {
    Last,
    Position,
    Count,
    Id,
    LocalName,
    NamespaceUri,
    Name,
    String,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
    EndsWith,
    Matches,
    Replace,
    LowerCase,
    UpperCase,
    StringJoin,
    HasClass,
    ReTest,
    ReMatch,
    ReReplace,
    SetDifference,
    SetIntersection,
    SetDistinct,
    SetHasSameNode,
    SetLeading,
    SetTrailing,
    StrAlign,
    StrConcat,
    StrDecodeUri,
    StrEncodeUri,
    StrPadding,
    StrReplace,
    StrSplit,
    StrTokenize,
}

/// What the parser knows of a function.
pub(super) struct Signature {
    pub(super) function: Function,
    pub(super) name: &'static str,
    /// The fewest and the most arguments.
    pub(super) arity: (usize, usize),
    /// A bit for each argument that must be nodes.
    nodes: u8,
    returns: Type,
    /// How it is called, for error messages.
    pub(super) usage: &'static str,
}

impl Signature {
    pub(super) fn wants_nodes(&self, argument: usize) -> bool {
        argument < 8 && self.nodes & (1 << argument) != 0
    }
}

const MANY: usize = usize::MAX;

const fn f(
    function: Function,
    name: &'static str,
    arity: (usize, usize),
    nodes: u8,
    returns: Type,
    usage: &'static str,
) -> Signature {
    Signature { function, name, arity, nodes, returns, usage }
}

/// The functions of XPath 1.0, those of XPath 2 that scrapers miss most, and parsel's `has-class`.
pub(super) static PLAIN: &[Signature] = &[
    f(Function::Last, "last", (0, 0), 0, Type::Number, "last()"),
    f(Function::Position, "position", (0, 0), 0, Type::Number, "position()"),
    f(Function::Count, "count", (1, 1), 1, Type::Number, "count(nodes)"),
    f(Function::Id, "id", (1, 1), 0, Type::Nodes, "id(ids)"),
    f(Function::LocalName, "local-name", (0, 1), 1, Type::Text, "local-name(nodes?)"),
    f(Function::NamespaceUri, "namespace-uri", (0, 1), 1, Type::Text, "namespace-uri(nodes?)"),
    f(Function::Name, "name", (0, 1), 1, Type::Text, "name(nodes?)"),
    f(Function::String, "string", (0, 1), 0, Type::Text, "string(value?)"),
    f(Function::Concat, "concat", (2, MANY), 0, Type::Text, "concat(text, text, ...)"),
    f(Function::StartsWith, "starts-with", (2, 2), 0, Type::Boolean, "starts-with(text, beginning)"),
    f(Function::Contains, "contains", (2, 2), 0, Type::Boolean, "contains(text, part)"),
    f(Function::SubstringBefore, "substring-before", (2, 2), 0, Type::Text, "substring-before(text, mark)"),
    f(Function::SubstringAfter, "substring-after", (2, 2), 0, Type::Text, "substring-after(text, mark)"),
    f(Function::Substring, "substring", (2, 3), 0, Type::Text, "substring(text, start, length?)"),
    f(Function::StringLength, "string-length", (0, 1), 0, Type::Number, "string-length(text?)"),
    f(Function::NormalizeSpace, "normalize-space", (0, 1), 0, Type::Text, "normalize-space(text?)"),
    f(Function::Translate, "translate", (3, 3), 0, Type::Text, "translate(text, from, to)"),
    f(Function::Boolean, "boolean", (1, 1), 0, Type::Boolean, "boolean(value)"),
    f(Function::Not, "not", (1, 1), 0, Type::Boolean, "not(condition)"),
    f(Function::True, "true", (0, 0), 0, Type::Boolean, "true()"),
    f(Function::False, "false", (0, 0), 0, Type::Boolean, "false()"),
    f(Function::Lang, "lang", (1, 1), 0, Type::Boolean, "lang(language)"),
    f(Function::Number, "number", (0, 1), 0, Type::Number, "number(value?)"),
    f(Function::Sum, "sum", (1, 1), 1, Type::Number, "sum(nodes)"),
    f(Function::Floor, "floor", (1, 1), 0, Type::Number, "floor(number)"),
    f(Function::Ceiling, "ceiling", (1, 1), 0, Type::Number, "ceiling(number)"),
    f(Function::Round, "round", (1, 1), 0, Type::Number, "round(number)"),
    f(Function::EndsWith, "ends-with", (2, 2), 0, Type::Boolean, "ends-with(text, ending)"),
    f(Function::Matches, "matches", (2, 3), 0, Type::Boolean, "matches(text, regex, flags?)"),
    f(Function::Replace, "replace", (3, 4), 0, Type::Text, "replace(text, regex, replacement, flags?)"),
    f(Function::LowerCase, "lower-case", (1, 1), 0, Type::Text, "lower-case(text)"),
    f(Function::UpperCase, "upper-case", (1, 1), 0, Type::Text, "upper-case(text)"),
    f(Function::StringJoin, "string-join", (1, 2), 1, Type::Text, "string-join(nodes, separator?)"),
    f(Function::HasClass, "has-class", (1, MANY), 0, Type::Boolean, "has-class(class, ...)"),
];

static REGEXP: &[Signature] = &[
    f(Function::ReTest, "test", (2, 3), 0, Type::Boolean, "re:test(text, regex, flags?)"),
    f(Function::ReMatch, "match", (2, 3), 0, Type::Nodes, "re:match(text, regex, flags?)"),
    f(Function::ReReplace, "replace", (4, 4), 0, Type::Text, "re:replace(text, regex, flags, replacement)"),
];

static SETS: &[Signature] = &[
    f(Function::SetDifference, "difference", (2, 2), 3, Type::Nodes, "set:difference(nodes, nodes)"),
    f(Function::SetIntersection, "intersection", (2, 2), 3, Type::Nodes, "set:intersection(nodes, nodes)"),
    f(Function::SetDistinct, "distinct", (1, 1), 1, Type::Nodes, "set:distinct(nodes)"),
    f(Function::SetHasSameNode, "has-same-node", (2, 2), 3, Type::Boolean, "set:has-same-node(nodes, nodes)"),
    f(Function::SetLeading, "leading", (2, 2), 3, Type::Nodes, "set:leading(nodes, nodes)"),
    f(Function::SetTrailing, "trailing", (2, 2), 3, Type::Nodes, "set:trailing(nodes, nodes)"),
];

static STRINGS: &[Signature] = &[
    f(Function::StrAlign, "align", (2, 3), 0, Type::Text, "str:align(text, padding, alignment?)"),
    f(Function::StrConcat, "concat", (1, 1), 1, Type::Text, "str:concat(nodes)"),
    f(Function::StrDecodeUri, "decode-uri", (1, 2), 0, Type::Text, "str:decode-uri(text)"),
    f(Function::StrEncodeUri, "encode-uri", (2, 3), 0, Type::Text, "str:encode-uri(text, escape-reserved)"),
    f(Function::StrPadding, "padding", (1, 2), 0, Type::Text, "str:padding(length, text?)"),
    f(Function::StrReplace, "replace", (3, 3), 0, Type::Text, "str:replace(text, search, replacement)"),
    f(Function::StrSplit, "split", (1, 2), 0, Type::Nodes, "str:split(text, separator?)"),
    f(Function::StrTokenize, "tokenize", (1, 2), 0, Type::Nodes, "str:tokenize(text, separators?)"),
];

/// The modules of functions: usual prefixes, namespace, functions.
pub(super) static MODULES: &[(&[&str], &str, &[Signature])] = &[
    (&["re", "regexp"], "http://exslt.org/regular-expressions", REGEXP),
    (&["set"], "http://exslt.org/sets", SETS),
    (&["str"], "http://exslt.org/strings", STRINGS),
];

/// The functions of a namespace.
pub(super) fn module(namespace: &str) -> Option<&'static [Signature]> {
    MODULES.iter().find(|(_, url, _)| *url == namespace).map(|(_, _, functions)| *functions)
}

/// The functions behind a prefix that nobody declared.
pub(super) fn usual_module(prefix: &str) -> Option<&'static [Signature]> {
    // The prefix of XPath 2's own functions, which people copy along.
    if prefix == "fn" {
        return Some(PLAIN);
    }
    MODULES.iter().find(|(prefixes, _, _)| prefixes.contains(&prefix)).map(|(_, _, functions)| *functions)
}

impl Function {
    fn signature(self) -> Option<&'static Signature> {
        let modules = MODULES.iter().map(|(_, _, functions)| *functions);
        std::iter::once(PLAIN).chain(modules).flatten().find(|signature| signature.function == self)
    }

    /// What kind of value it gives.
    pub fn returns(self) -> Type {
        self.signature().map_or(Type::Unknown, |signature| signature.returns)
    }

    /// How it is called: `contains(text, part)`.
    pub fn usage(self) -> &'static str {
        self.signature().map_or("", |signature| signature.usage)
    }

    /// Which argument is a regular expression, and which its flags.
    pub(super) fn regex_arguments(self) -> Option<(usize, usize)> {
        match self {
            Self::Matches | Self::ReTest | Self::ReMatch | Self::ReReplace => Some((1, 2)),
            Self::Replace => Some((1, 3)),
            _ => None,
        }
    }
}

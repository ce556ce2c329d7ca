use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{parse, parse_with_namespaces};

/// Checks an error: (expression, the marked part, part of the message, part of the hint).
fn refused(text: &str, marked: &str, message: &str, hint: &str) {
    let error = parse(text).expect_err(text);
    let span = error.span().unwrap_or_else(|| panic!("{text}: no place"));
    assert_eq!(&text[span], marked, "{text}: {error}");
    assert!(error.message().contains(message), "{text}: {error}");
    assert!(error.hint().unwrap_or_default().contains(hint), "{text}: {error}");
}

#[test]
fn errors_name_the_place_and_the_remedy() {
    refused("//a[@href='x'", "", "`]` is missing", "`[` was opened at column 4");
    refused("count(//a", "", "`)` is missing", "column 6");
    refused("//a[1)]", ")", "`]` is missing before `)`", "column 4");
    refused("//a[@title='it's']", "'", "not closed", "\"it's\"");
    refused("//a[@title='a'b'c']", "b", "`]` is missing", "the quote before it ends the text");
    refused("//a[@class=\"x]", "\"", "not closed", "quote");
    refused("//a[contians(., 'x')]", "contians", "no function `contians()`", "did you mean `contains(text, part)`?");
    refused("//a[contains(@class)]", "contains(@class)", "takes 2 arguments, 1 is given", "contains(text, part)");
    refused("//a[position(1)]", "position(1)", "takes no arguments", "position()");
    refused("//a[contains(@class 'x')]", "'x'", "`,` or `)` is missing", "contains(text, part)");
    refused("//chlid::a", "chlid", "no axis `chlid`", "did you mean `child::`?");
    refused("//a/following_sibling::b", "following_sibling", "no axis", "`following-sibling::`");
    refused("//div/", "", "a step is missing", "leave the `/` out");
    refused("//a///b", "/", "too many slashes", "descendants");
    refused("//a/@", "", "attribute is missing", "@href");
    refused("//a@href", "@", "not expected", "`/@name`");
    refused("//a == 1", "==", "not expected", "`=`");
    refused("//a && //b", "&&", "not expected", "`and`");
    refused("//a || //b", "||", "not expected", "`or`");
    refused("//a[!@x]", "!", "not expected", "not(...)");
    refused("//a[@x eq 1]", "eq", "`]` is missing", "write `=`");
    refused("//a except //b", "except", "not expected", "set:difference");
    refused("for $a in //b return $a", "$a", "not expected", "no `for`");
    refused("if (a) then b else c", "if", "no function", "no `if`");
    refused("//a/string()", "string", "cannot be a step", "string(//h1)");
    refused("//a/(b|c)", "(", "cannot be a step", "a/b | a/c");
    refused("('a', 'b')", ",", "no lists", "`|`");
    refused("count('x')", "'x'", "takes nodes, and this gives a text", "path");
    refused("'a'/b", "'a'", "only nodes", "path");
    refused("//a | 1", "1", "`|` unites nodes", "path");
    refused("//a[]", "]", "condition in the brackets is missing", "[1]");
    refused("a:b:c", ":", "one prefix", "prefix:name");
    refused("/1", "1", "is expected before", "@href");
    refused("//p[text('x')]", "'x'", "no arguments", "text()='x'");
    refused("//a[re:test(., '(')]", "'('", "regular expression does not parse", "");
    refused("//a[re:test(., 'x', 'k')]", "'k'", "not a flag", "any case");
    refused("//a[matches(., '(?=x)')]", "'(?=x)'", "look-around", "linear");
    refused("//a[re:tset(., 'x')]", "re:tset", "no function", "re:test(text, regex, flags?)");
    refused("//a[foo:bar()]", "foo:bar", "no function", "re:, set: and str:");
    refused("//a[@x=“y”]", "“", "not expected", "straight quotes");
    refused("element()", "element", "no function", "node()");
    refused("$", "$", "name of a variable", "$name");
    refused("a)", ")", "not expected", "no `(`");
    refused("1 +", "", "ends too early", "missing");
    refused("//a#b", "#", "not expected", "@id");
}

#[test]
fn expressions_of_every_kind_parse() {
    for text in [
        "/",
        "//*",
        "//@*",
        ".",
        "..",
        "//a[1]",
        "(//a)[last()]/..",
        "//a[position() < 3 and not(@x)]/text()",
        "div div div",
        "* * *",
        "//and/or[mod]/div",
        "- - 1",
        "-a|b",
        "id('x')/p[2]",
        "$a/b[$c]",
        "processing-instruction('xml-stylesheet')",
        "self::node()[self::a]",
        "//svg:rect/@xlink:href",
        "//*:entry",
        "//svg:*",
        "concat('a', \"b\", string(1.5e3))",
        "re:replace(., '(a)', 'g', '$1')",
        "//p[has-class('a', 'b')]",
        "string-join(//a/@href, ', ')",
        "fn:lower-case('A')",
        "child::text()/parent::*",
        "namespace::*",
        "//été[@año]",
        ".5 + 5.",
        "a-b",
    ] {
        assert!(parse(text).is_ok(), "{text}: {}", parse(text).expect_err("shown"));
    }
    assert!(parse("s:padding(3)").is_err());
    assert!(parse_with_namespaces("s:padding(3)", &[("s", "http://exslt.org/strings")]).is_ok());
}

#[test]
fn nesting_is_bounded_and_fast() {
    for (open, close) in [("(", ")"), ("a[", "]"), ("not(", ")"), ("-(", ")"), ("a[b=(", ")]")] {
        for times in [60, 5_000, 100_000] {
            let text = format!("{}1{}", open.repeat(times), close.repeat(times));
            let start = Instant::now();
            let parsed = parse(&text);
            assert_eq!(parsed.is_ok(), times == 60 && !open.contains("[b"), "{open} {times}");
            assert!(start.elapsed() < Duration::from_secs(1), "{open} {times}: {:?}", start.elapsed());
        }
    }
}

#[test]
fn long_chains_do_not_nest() {
    for chain in ["1 or ", "1 and ", "1 = ", "1 + ", "1 * ", "a | ", "a/", "-", "1 < 2 + "] {
        let text = format!("{}b", chain.repeat(60_000 / chain.len()));
        let parsed = parse(&text).unwrap_or_else(|error| panic!("{chain}: {error}"));
        assert_eq!(parsed.clone().source(), text);
        drop(parsed);
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_mixture_of_tokens_makes_the_parser_panic(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "/", "//", "a", "@", "*", "[", "]", "(", ")", "1", "'x'", "|", "and", "=", "<", "-", "::", "child::",
            "text()", "position()", "last()", ".", "..", "$v", ",", "not(", "svg:", "*:", " ", "re:test(", "é",
        ]), 0..40,
    )) {
        let text = parts.concat();
        match parse(&text) {
            Ok(parsed) => prop_assert_eq!(parsed.source(), text),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

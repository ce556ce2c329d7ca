use std::time::{Duration, Instant};

use crawlingo_schema::xpath::{parse, parse_with_namespaces};
use proptest::prelude::*;

use super::{Variables, XPathNode, XPathValue, evaluate};
use crate::dom::{Document, Element, NodeKind};

/// What expressions give on one page, as text.
fn check(html: &str, cases: &[(&str, &str)]) {
    let document = Document::parse(html);
    compare(&document, cases);
}

fn compare(document: &Document, cases: &[(&str, &str)]) {
    for (expression, expected) in cases {
        let value = document.xpath(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
        let shown = match &value {
            XPathValue::Nodes(nodes) => nodes.iter().map(show).collect::<Vec<_>>().join("|"),
            value => value.text(),
        };
        assert_eq!(shown, *expected, "{expression}");
    }
}

fn show(node: &XPathNode<'_>) -> String {
    match node {
        XPathNode::Node(found) if found.kind() == NodeKind::Document => "/".to_owned(),
        XPathNode::Node(found) if found.as_element().is_some() => node.name().into_owned(),
        XPathNode::Attribute { .. } => format!("@{}={}", node.name(), node.text()),
        node => format!("'{}'", node.text()),
    }
}

const PAGE: &str = "<!DOCTYPE html><!--top--><html lang=en-GB><head><title>T</title></head><body>\
    <h1 id=top class='big red'>Head<!--c--></h1><p>one <b>two</b> three</p><p Class=last>four</p>\
    <svg viewBox='0 0 1 1'><linearGradient xlink:href='#g'/><title>S</title></svg>\
    <ul><li>1<li>2<li>3</ul><o:p>office</o:p><template><li>hidden</template></body></html>";

#[test]
fn axes_and_tests() {
    check(
        PAGE,
        &[
            ("/", "/"),
            ("/*", "html"),
            ("/node()", "'top'|html"),
            ("//comment()", "'top'|'c'"),
            ("//p/text()", "'one '|' three'|'four'"),
            ("//p/@class", "@class=last"),
            ("//h1/@*", "@id=top|@class=big red"),
            ("//b/ancestor::*", "html|body|p"),
            ("//b/ancestor-or-self::*[2]", "p"),
            ("//b/..", "p"),
            ("//b/following::li[1]", "li"),
            ("//b/preceding::*[1]", "h1"),
            ("//b/preceding::node()[1]", "'one '"),
            ("//h1/following-sibling::*[2]/text()", "'four'"),
            ("//ul/preceding-sibling::p[1]/text()", "'four'"),
            ("//ul/preceding-sibling::p[last()]/b", "b"),
            ("//li[last()]/text()", "'3'"),
            ("//li[position() < last()]/text()", "'1'|'2'"),
            ("//li[position() = 2]/text()", "'2'"),
            ("//li[1.5]", ""),
            ("//li[0]", ""),
            ("//li[2][1]", "li"),
            ("//li[text() > 1][1]/text()", "'2'"),
            ("(//li)[2]/text()", "'2'"),
            ("(//li/..)[1]", "ul"),
            ("//li[2]/preceding-sibling::node()/self::li", "li"),
            ("//b/self::b|//title|//b", "title|b|title"),
            ("//@class/..", "h1|p"),
            ("//@id/following::b", "b"),
            ("//@id/preceding::*", "head|title"),
            ("//@id/ancestor::*", "html|body|h1"),
            ("//@id/following-sibling::node()", ""),
            ("//@id/self::node()", "@id=top"),
            ("//@id/self::*", ""),
            ("//h1/namespace::*", "'http://www.w3.org/XML/1998/namespace'"),
            ("//processing-instruction()", ""),
            ("//b/descendant-or-self::node()", "b|'two'"),
            ("id('top')", "h1"),
            ("//li[not(following-sibling::li)]/text()", "'3'"),
        ],
    );
}

#[test]
fn html_rules() {
    check(
        PAGE,
        &[
            ("//H1[@ID='top']", "h1"),
            ("//svg", "svg"),
            ("//svg:title/text()", "'S'"),
            ("//html:title/text()", "'T'"),
            ("//lineargradient", "linearGradient"),
            ("//svg:linearGradient/@xlink:href", "@xlink:href=#g"),
            ("//*:linearGradient/@*:href", "@xlink:href=#g"),
            ("//o:p", "o:p"),
            ("//svg:*", "svg|linearGradient|title"),
            ("name(//svg/@viewbox)", "viewBox"),
            ("namespace-uri(//p)", ""),
            ("namespace-uri(//svg)", "http://www.w3.org/2000/svg"),
            ("local-name(//p)", "p"),
            ("count(//li)", "3"),
            ("lang('en')", "true"),
            ("boolean(//b[lang('EN-gb')])", "true"),
            ("boolean(//b[lang('e')])", "false"),
        ],
    );
}

#[test]
fn values_and_comparisons() {
    check(
        PAGE,
        &[
            ("//li = '2'", "true"),
            ("//li != '2'", "true"),
            ("//li = 4", "false"),
            ("4 > //li", "true"),
            ("//li >= 3", "true"),
            ("//li < //li", "true"),
            ("//b = //b", "true"),
            ("//b != //b", "false"),
            ("//none = //none", "false"),
            ("//none = false()", "true"),
            ("//li = true()", "true"),
            ("'a' < 'b'", "false"),
            ("1 < 2 = true()", "true"),
            ("3 > 2 > 1", "false"),
            ("true() = 'x'", "true"),
            ("//li + 1", "2"),
            ("sum(//li)", "6"),
            ("-(-2) - -1", "3"),
            ("--'5'", "5"),
            ("7 mod -3", "1"),
            ("-7 mod 3", "-1"),
            ("1 div -0", "-Infinity"),
            ("string(0.1 * 3)", "0.30000000000000004"),
            ("not(//none) and //li", "true"),
            ("concat(//li, '-', 1 = 1, '-', 1.0)", "1-true-1"),
            ("substring-before('a=b', '=')", "a"),
            ("substring-after('a=b', '=')", "b"),
            ("normalize-space(' a \n b ')", "a b"),
            ("normalize-space(//p)", "one two three"),
            ("string(//none)", ""),
            ("number(//none)", "NaN"),
            ("string-length('é€')", "2"),
            ("translate('bar', 'abc', 'AB')", "BAr"),
        ],
    );
}

#[test]
fn extensions() {
    check(
        PAGE,
        &[
            ("//*[has-class('red')]", "h1"),
            ("//*[has-class('red', 'big')]", "h1"),
            ("//*[has-class('Red')]", ""),
            ("//li[re:test(., '[23]')]/text()", "'2'|'3'"),
            ("//h1[re:test(@class, 'BIG', 'i')]", "h1"),
            ("re:match('a12b3', '([a-z])([0-9]+)')", "'a12'|'a'|'12'"),
            ("re:match('a12b3', '[0-9]+', 'g')", "'12'|'3'"),
            ("re:match('a12b3', '[0-9]+', 'g')[2]", "'3'"),
            ("re:replace('a1b2', '[0-9]', 'g', 'x')", "axbx"),
            ("re:replace('a1b2', '([0-9])', '', '<$1\\1>')", "a<11>b2"),
            ("replace('a1b2', '([a-z])', '[$1]', 'i')", "[a]1[b]2"),
            ("replace('a.b', '.', '\\$', 'q')", "a$b"),
            ("matches('abc', '^a.c$')", "true"),
            ("ends-with('abc', 'bc')", "true"),
            ("upper-case('é')", "É"),
            ("fn:lower-case('ÀB')", "àb"),
            ("string-join(//li, ', ')", "1, 2, 3"),
            ("set:difference(//li, //li[2])", "li|li"),
            ("set:intersection(//p, //*[b])", "p"),
            ("count(set:distinct(//ul | //li | //li/text()))", "4"),
            ("set:has-same-node(//li, //li[1])", "true"),
            ("set:leading(//li, //li[3])/text()", "'1'|'2'"),
            ("set:trailing(//li, //li[1])/text()", "'2'|'3'"),
            ("str:tokenize('a b,c', ' ,')", "'a'|'b'|'c'"),
            ("str:split('a--b--c', '--')[last()]", "'c'"),
            ("str:padding(5, 'ab')", "ababa"),
            ("str:align('x', '-----', 'center')", "--x--"),
            ("str:align('xyz', '-----', 'right')", "--xyz"),
            ("str:concat(//li)", "123"),
            ("str:replace('aXbY', 'X', '-')", "a-bY"),
            ("str:encode-uri('a b/ü', true())", "a%20b%2F%C3%BC"),
            ("str:decode-uri('a%20b%C3%BC%zz')", "a bü%zz"),
        ],
    );
}

#[test]
fn xml_rules() {
    let feed = Document::parse_xml(
        "<?go now?><feed xmlns='http://www.w3.org/2005/Atom' xmlns:m='http://search.yahoo.com/mrss/' xmlns:x='u:x'>\
         <entry><title x:lang='de'>a</title><m:thumbnail url='1'/></entry><Entry xmlns='' xml:id='i'/></feed>",
    )
    .expect("well-formed");
    compare(
        &feed,
        &[
            ("//entry", ""),
            ("//Entry", "Entry"),
            ("//*:entry", "entry"),
            ("//atom:entry/atom:title", "title"),
            ("//m:thumbnail/@url", "@url=1"),
            ("//media:thumbnail", "m:thumbnail"),
            ("//@x:lang", "@x:lang=de"),
            ("//@lang", ""),
            ("/*/@*", ""),
            ("name(//m:*)", "m:thumbnail"),
            ("local-name(//m:*)", "thumbnail"),
            ("namespace-uri(/*)", "http://www.w3.org/2005/Atom"),
            ("count(//Entry/namespace::*)", "3"),
            ("string(/*/namespace::x)", "u:x"),
            ("/*/namespace::x/..", "feed"),
            ("id('i')", "Entry"),
            ("/processing-instruction('go')", "'now'"),
            ("/processing-instruction('come')", ""),
        ],
    );
    let own = parse_with_namespaces("//a:entry", &[("a", "http://www.w3.org/2005/Atom")]).expect("parses");
    let found = evaluate(&own, feed.root(), &Variables::new()).expect("found");
    assert_eq!(found.elements().map(Element::tag).collect::<Vec<_>>(), ["entry"]);
}

#[test]
fn what_is_wrong_at_run_time_is_said() {
    let document = Document::parse("<p>(</p>");
    let with = Variables::new().with("price", 1);
    let wrong = |expression: &str| {
        let xpath = parse(expression).expect("parses");
        evaluate(&xpath, document.root(), &with).expect_err(expression).to_string()
    };
    assert!(wrong("$prize").contains("did you mean `$price`?"), "{}", wrong("$prize"));
    assert!(wrong("//p[re:test('x', .)]").contains("does not parse"));
    assert!(wrong("$price/a").contains("nodes are needed"));
    assert!(wrong("str:padding(1e15)").contains("too much text"));
    assert!(wrong("str:padding(1 div 0)").contains("too much text") || wrong("str:padding(1 div 0)").contains("steps"));
    let few = Variables::new().max_steps(2);
    let error = evaluate(&parse("//p").expect("parses"), document.root(), &few).expect_err("too few");
    assert!(error.to_string().contains("more than 2 steps"), "{error}");
}

#[test]
fn expressions_begin_where_they_are_asked() {
    let document = Document::parse("<p class=x>a<b>c</b></p><p>d</p>");
    let first = document.css("p").expect("valid")[0];
    assert_eq!(first.xpath("b").expect("valid").texts(), ["c"]);
    assert_eq!(first.xpath("//p").expect("valid").texts(), ["ac", "d"]);
    assert_eq!(document.xpath("body/p[2]").expect("valid").texts(), ["d"]);
    // From an attribute, a text and a text that stands alone.
    let dot = parse("string(.)").expect("parses");
    for expression in ["//@class", "//b/text()", "str:split('a b')[2]"] {
        let found = document.xpath(expression).expect("valid");
        let node = found.nodes()[0].clone();
        let text = node.text().into_owned();
        assert_eq!(evaluate(&dot, node, &Variables::new()).expect("valid").text(), text);
    }
}

#[test]
fn hostile_documents_and_expressions_are_answered_or_refused() {
    let siblings = Document::parse(&format!("<div>{}<p>x</p></div>", "<b>x</b>".repeat(20_000)));
    let many = Document::parse(&format!("<div>{}</div>", "<p>x</p>".repeat(20_000)));
    let deep = Document::parse_xml_with(
        &format!("{}x{}", "<a>".repeat(50_000), "</a>".repeat(50_000)),
        &crate::dom::ParseOptions::default().max_depth(60_000),
    )
    .expect("well-formed");
    for (document, expression, answered) in [
        (&siblings, "//*/following-sibling::p[1]", true),
        (&many, "//*/following-sibling::p[1]", true),
        (&many, "//p[following-sibling::p[1]]", true),
        (&many, "//*/preceding-sibling::*", true),
        (&many, "//*/following::p[2]", true),
        (&many, "//p/ancestor::*/descendant::*", true),
        (&many, "//p[. = //p]", true),
        (&siblings, "//*[following-sibling::p[1]]", false),
        (&many, "//*[count(preceding-sibling::*) = 7]", false),
        (&many, "//*[//*[//*]/q]", false),
        (&deep, "//*/ancestor::*", true),
        (&deep, "//*[.//b]", false),
        (&deep, "//a[ancestor::b]", false),
        (&deep, "string-join(//*, '')", false),
        (&deep, "string(//a[last()])", true),
        (&deep, "//text()/ancestor::a[last()]", true),
    ] {
        let start = Instant::now();
        let outcome = document.xpath(expression);
        if answered {
            assert!(outcome.is_ok(), "{expression}: {}", outcome.expect_err("shown"));
        } else if let Err(error) = outcome {
            assert!(error.to_string().contains("on this page"), "{expression}: {error}");
        }
        // Without optimisation; with it, it is a hundredth of a second.
        assert!(start.elapsed() < Duration::from_secs(10), "{expression}: {:?}", start.elapsed());
    }
}

#[test]
fn deep_expressions_do_not_overflow() {
    let document = Document::parse("<a><a><a>");
    for (open, close) in [("(", ")"), ("a[", "]"), ("not(", ")"), ("-(", ")"), ("concat('x',", ")")] {
        for times in [20, 60, 64] {
            let text = format!("{}1{}", open.repeat(times), close.repeat(times));
            if let Ok(xpath) = parse(&text) {
                let run = || evaluate(&xpath, document.root(), &Variables::new()).map(|value| value.text());
                assert!(run().is_ok(), "{text}");
            }
        }
    }
}

fn any_tree() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["x", "<b c=1 d=2></b>", "<!--n-->", "<i id=k>2</i>", "<p class='u v'>3</p>"]);
    let inner = leaf.prop_map(str::to_owned).prop_recursive(5, 40, 4, |inner| {
        (prop::sample::select(vec!["div", "ul", "b", "section"]), prop::collection::vec(inner, 0..4))
            .prop_map(|(tag, parts)| format!("<{tag} c=3>{}</{tag}>", parts.concat()))
    });
    prop::collection::vec(inner, 1..4).prop_map(|parts| parts.concat())
}

const AXES: &[&str] = &[
    "ancestor",
    "ancestor-or-self",
    "attribute",
    "child",
    "descendant",
    "descendant-or-self",
    "following",
    "following-sibling",
    "namespace",
    "parent",
    "preceding",
    "preceding-sibling",
    "self",
];

fn any_step() -> impl Strategy<Value = String> {
    let test = prop::sample::select(vec!["*", "node()", "b", "div", "text()", "comment()", "c", "p"]);
    let condition = prop::sample::select(vec![
        "",
        "",
        "",
        "[1]",
        "[2]",
        "[last()]",
        "[b]",
        "[@c]",
        "[position() > 1]",
        "[not(*)]",
        "[. = '2']",
        "[b][1]",
        "[@c][last()]",
        "[2][@c]",
        "[position() = last() - 1]",
        "[.//p]",
        "[last() > 2][1]",
    ]);
    (prop::sample::select(AXES.to_vec()), test, condition)
        .prop_map(|(axis, test, condition)| format!("{axis}::{test}{condition}"))
}

fn places(value: &XPathValue<'_>) -> Vec<String> {
    value
        .nodes()
        .iter()
        .map(|node| format!("{node:?} {:?}", node.element().map(|element| element.id().get())))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// One step from a set finds what single steps from each of its nodes find, whatever way it is evaluated in.
    #[test]
    fn a_step_from_many_is_the_union_of_steps_from_each(
        html in any_tree(), first in any_step(), second in any_step(), root in prop::sample::select(vec!["//", "/*/", ".//"]),
    ) {
        let document = Document::parse(&html);
        let set = format!("{root}{first}");
        let all = document.xpath(&format!("{set}/{second}")).expect("valid");
        let step = parse(&second).expect("valid");
        let mut found: Vec<String> = Vec::new();
        for node in document.xpath(&set).expect("valid").nodes() {
            // Each by itself; the union by document order is the next line's matter.
            let from_each = match node {
                // As a context, a document stands for its root element.
                XPathNode::Node(top) if top.kind() == NodeKind::Document => {
                    document.xpath(&format!("/{second}")).expect("valid")
                }
                _ => evaluate(&step, node.clone(), &Variables::new()).expect("valid"),
            };
            found.extend(places(&from_each));
        }
        found.sort_unstable();
        found.dedup();
        let mut got = places(&all);
        got.sort_unstable();
        prop_assert_eq!(got, found, "{}/{}", set, second);
    }

    /// The quick ways of asking (is there one, how many, the nth) agree with the whole answer.
    #[test]
    fn quick_answers_agree_with_the_whole(html in any_tree(), first in any_step(), second in any_step(), nth in 1_usize..4) {
        let document = Document::parse(&html);
        let path = format!("//{first}/{second}");
        let all = document.xpath(&path).expect("valid");
        let ask = |expression: String| document.xpath(&expression).expect("valid");
        prop_assert_eq!(ask(format!("boolean({path})")).boolean(), !all.nodes().is_empty());
        prop_assert_eq!(ask(format!("count({path})")).number(), all.nodes().len() as f64);
        prop_assert_eq!(ask(format!("string({path})")).text(), all.text());
        let expected: Vec<_> = places(&all).into_iter().skip(nth - 1).take(1).collect();
        prop_assert_eq!(places(&ask(format!("({path})[{nth}]"))), expected.clone());
        prop_assert_eq!(places(&ask(format!("({path})[position() = {nth} + 0]"))), expected);
        prop_assert_eq!(places(&ask(format!("({path})[last()]"))), places(&all).pop().into_iter().collect::<Vec<_>>());
        prop_assert_eq!(places(&ask(format!("{path} | {path}"))), places(&all));
        let is_two = all.nodes().iter().any(|node| node.text() == "2");
        prop_assert_eq!(ask(format!("{path} = '2'")).boolean(), is_two);
        prop_assert_eq!(ask(format!("{path} = //i[. = '2']")).boolean(), is_two && document.xpath("//i").expect("valid").boolean());
    }

    /// Each node is an ancestor of another, a descendant, before, after or the node itself, and only one of these.
    #[test]
    fn the_axes_part_the_document(html in any_tree()) {
        let document = Document::parse(&html);
        let all = places(&document.xpath("//node()").expect("valid"));
        for node in document.xpath("//node()").expect("valid").nodes() {
            let mut parts = Vec::new();
            for axis in ["ancestor", "descendant", "following", "preceding", "self"] {
                let step = parse(&format!("{axis}::node()")).expect("valid");
                let found = evaluate(&step, node.clone(), &Variables::new()).expect("valid");
                let root = |node: &&XPathNode<'_>| !matches!(node, XPathNode::Node(node) if node.kind() == NodeKind::Document);
                parts.extend(found.nodes().iter().filter(root).map(|node| format!("{node:?} {:?}", node.element().map(|element| element.id().get()))));
            }
            parts.sort_unstable();
            let mut all = all.clone();
            all.sort_unstable();
            prop_assert_eq!(parts, all);
        }
    }

    /// Mixtures of all parts of the language on any text as a page.
    #[test]
    fn nothing_makes_the_evaluator_panic(html in "\\PC{0,60}", parts in prop::collection::vec(prop::sample::select(vec![
        "//", "/", "a", "*", "[1]", "[last()]", "(", ")", "|", " and ", "=", "<", "-", "1", "'x'", "@*", "text()",
        "string(", "count(", "not(", "concat('a',", "substring(.,2", "re:match(.,'.'", "str:tokenize(.", "..", "::",
        "ancestor", "following", "preceding", "node()", ",", "lang('e')", "id(.)", "name()", "sum(//*)", "namespace::*",
        "position()", " mod ", "[.", "]", "translate(.,'a',.)", "set:distinct(//*)", "normalize-space()",
    ]), 1..12)) {
        if let Ok(xpath) = parse(&parts.concat()) {
            let document = Document::parse(&html);
            let _ = evaluate(&xpath, document.root(), &Variables::new());
            if let Ok(document) = Document::parse_xml(&html) {
                let _ = evaluate(&xpath, document.root(), &Variables::new());
            }
        }
    }
}

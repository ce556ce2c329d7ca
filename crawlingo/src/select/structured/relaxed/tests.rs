use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn one(text: &str) -> Value {
    let values = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(values.len(), 1, "{text}: {values:?}");
    values.into_iter().next().unwrap()
}

#[test]
fn strict_json_is_itself() {
    assert_eq!(one(r#" {"a": [1, -2.5e3, "x\né", null, true]} "#), json!({"a": [1, -2500.0, "x\né", null, true]}));
    assert_eq!(one("\u{feff}{}"), json!({}));
}

#[test]
fn comments_and_marks() {
    for text in [
        "// a remark\n{\"a\": 1}",
        "{\"a\": /* one */ 1, // the end\n}",
        "<!-- a remark -->\n{\"a\": 1}",
        "<!--\n{\"a\": 1}\n-->",
        "<!-- {\"a\": 1} -->",
        "//<![CDATA[\n{\"a\": 1}\n//]]>",
        "// <![CDATA[ {\"a\": 1} // ]]>",
        "/* <![CDATA[ */ {\"a\": 1} /* ]]> */",
        "<![CDATA[{\"a\": 1}]]>",
        "{<br />\n\"a\": 1<br />\n}</p>",
        "{&nbsp;\"a\":\u{a0}1}",
        "\u{feff}// x\n{\"a\": 1};",
        "var data = {\"a\": 1};",
        "{&quot;a&quot;: 1}",
    ] {
        assert_eq!(one(text), json!({"a": 1}), "{text}");
    }
    // A remark inside of a string is none.
    assert_eq!(one("{\"a\": \"http://x/*y*/ <!-- z -->\",}"), json!({"a": "http://x/*y*/ <!-- z -->"}));
}

#[test]
fn commas() {
    for text in ["[1, 2,]", "[1,, 2]", "[,1,2]", "[1 2]", "[1, 2", "[1, 2]]", "[1, 2]}"] {
        assert_eq!(one(text), json!([1, 2]), "{text}");
    }
    for text in [
        "{\"a\": 1, \"b\": \"2\",}",
        "{\"a\": 1 \"b\": \"2\"}",
        "{\"a\": 1,, \"b\": \"2\"}",
        "{\"a\": 1, \"b\": \"2\"",
        "{\"a\": 1, \"b\": \"2\"}}",
        "{a: 1, 'b': '2'}",
        "{\u{201c}a\u{201d}: 1, \u{201c}b\u{201d}: \u{201c}2\u{2033}}",
    ] {
        assert_eq!(one(text), json!({"a": 1, "b": "2"}), "{text}");
    }
    assert_eq!(one("{\"a\": , \"b\": }"), json!({"a": null, "b": null}));
    assert_eq!(one("{\"a\": {\"b\": [1, 2}}"), json!({"a": {"b": [1, 2]}}));
}

#[test]
fn strings() {
    assert_eq!(one("{\"a\": \"1\n\t2\u{1}\"}"), json!({"a": "1\n\t2\u{1}"}));
    assert_eq!(one(r#"{"a": "it\'s \d \x41 \ud83d\ude00 \ud83d!", }"#), json!({"a": "it's d A 😀 \u{fffd}!"}));
    assert_eq!(one(r#"{"a": "say "hi", and go", "b": 1}"#), json!({"a": "say \"hi\", and go", "b": 1}));
    assert_eq!(
        one(r#"{"a": "<a href="x">y</a>", "b": ["5" nails", "6"]}"#),
        json!({"a": "<a href=\"x\">y</a>", "b": ["5\" nails", "6"]})
    );
}

#[test]
fn numbers_keep_what_is_no_number() {
    assert_eq!(
        one("[+1, .5, 5., 0x1F, 01234, 2024-05-06, 1e999, 12px, NaN, undefined, True, None]"),
        json!([1.0, 0.5, 5.0, 31, "01234", "2024-05-06", "1e999", "12px", null, null, true, null])
    );
}

#[test]
fn several_values() {
    assert_eq!(read("{\"a\": 1}\n{\"b\": 2}").unwrap(), [json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(read("{\"a\": 1},\n{\"b\": 2}; [3]").unwrap(), [json!({"a": 1}), json!({"b": 2}), json!([3])]);
    // The first is whole, whatever comes after it.
    assert_eq!(read("{\"a\": 1} {\"b\" 2}").unwrap(), [json!({"a": 1})]);
}

#[test]
fn what_is_no_json_is_an_error_with_its_place() {
    let error = read("{\n  \"a\": é }").unwrap_err();
    assert_eq!((error.line(), error.column()), (2, 8), "{error}");
    for text in ["", "   ", "hello", "{\"a\": [{", "{\"a\"", "[\"never closed", "{\"a\": (1)}", "{{}}", "<html><body>"]
    {
        let error = read(text).unwrap_err();
        assert!(error.to_string().contains("line 1"), "{text}: {error}");
    }
}

#[test]
fn a_backslash_may_be_the_last_sign() {
    for text in ["\"\\", "[\"a\\", "{'\\", "[x + `\\", "[x + \"\\"] {
        assert!(read(text).is_err(), "{text}");
        let mut reader = Reader::new(text, 0, Mode { js: true, ..Mode::default() });
        assert!(reader.value().is_err(), "{text}");
        assert!(reader.position() <= text.len());
    }
}

#[test]
fn hostile_texts_are_refused_quickly() {
    let many = 200_000;
    let texts = [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        "[".repeat(many),
        "\"".repeat(many),
        "<!--".repeat(many),
        "<!-- x -->".repeat(many / 4),
        "{\"a\": \"".to_owned() + &"\" , ".repeat(many),
        "{\"a\": \"".to_owned() + &"\" \"k\" ".repeat(many),
        "[".to_owned() + &"\"\\".repeat(many),
        "[".to_owned() + &"&quot;".repeat(many),
        "[".to_owned() + &"<a".repeat(many),
        "[".to_owned() + &"/*".repeat(many),
        "[".to_owned() + &"//<![CDATA[".repeat(many / 4),
        "{a:".to_owned() + &" ".repeat(many),
        "[1]".repeat(many),
        ",".repeat(many),
        "[".to_owned() + &",".repeat(many),
    ];
    for text in &texts {
        let begin = Instant::now();
        let _ = read(text);
        let took = begin.elapsed();
        assert!(took < Duration::from_secs(5), "{took:?} for {}...", &text[..30]);
    }
    assert!(read(&texts[0]).unwrap_err().to_string().contains("128"));
    assert!(read(&"x".repeat(MAX_BYTES + 1)).unwrap_err().to_string().contains("16 MiB"));
    assert!(read(&"[],".repeat(MAX_CONTAINERS + 1)).unwrap_err().to_string().contains("500,000"));
}

fn deepest(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(deepest).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(deepest).max().unwrap_or(0),
        _ => 0,
    }
}

/// Values as a site may hold them.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let _ = read(&text);
    }

    #[test]
    fn what_looks_like_json_is_read_or_refused(text in "([\\[\\]{}:,\"'`\\\\/*<>!&-]|//|<!--|-->|<!\\[CDATA\\[|\\]\\]>|&quot;|\\\\u[0-9a-f]{4}|null|[0-9.e+-]{1,3}|[a-c“” \n]){0,60}") {
        if let Ok(values) = read(&text) {
            prop_assert!(!values.is_empty());
            prop_assert!(values.iter().all(|value| deepest(value) <= MAX_DEPTH));
        }
        for begin in 0..text.len().min(3) {
            let mut reader = Reader::new(&text, begin, Mode { js: true, ..Mode::default() });
            if text.is_char_boundary(begin) {
                let _ = reader.value();
                prop_assert!(reader.position() <= text.len());
            }
        }
    }

    #[test]
    fn a_broken_comma_changes_no_value(value in any_json()) {
        let items = json!([value, 1]);
        let text = items.to_string();
        let broken = format!("/* x */ {},]", &text[..text.len() - 1]);
        prop_assert_eq!(one(&broken), items);
    }
}

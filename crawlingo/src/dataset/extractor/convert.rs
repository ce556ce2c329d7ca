//! From what a selector found to values: what of an element is taken for which kind, transforms, JSON.

use crawlingo_schema::{Kind, Take, Transform};

use crate::dom::Element;
use crate::value::{ConvertContext, ConvertError, Value, convert};

/// The text of an element that a kind wants. A link gives its address to a `url`, a `<time>` its machine-readable form
/// to a date; elements that show nothing (`<meta>`, `<input>`) give the value that they carry.
pub(super) fn natural_text(element: Element<'_>, kind: &Kind) -> String {
    let attr = |name: &str| element.attr(name).map(str::to_owned);
    let tag = element.tag();
    let special = match kind {
        Kind::Url => match tag {
            "a" | "area" | "link" | "base" => attr("href"),
            "img" | "script" | "iframe" | "frame" | "source" | "video" | "audio" | "embed" | "track" | "input" => {
                attr("src")
            }
            "object" => attr("data"),
            "form" => attr("action"),
            _ => None,
        },
        Kind::Email => attr("href").filter(|href| tag == "a" && starts_with_ignore_case(href, "mailto:")),
        Kind::Phone { .. } => attr("href").filter(|href| tag == "a" && starts_with_ignore_case(href, "tel:")),
        Kind::Date(_) | Kind::Time | Kind::DateTime(_) | Kind::Timestamp(_) if tag == "time" => attr("datetime"),
        _ => None,
    };
    let carried = || match tag {
        "meta" => attr("content"),
        "input" => attr("value"),
        "data" => attr("value"),
        "script" => Some(element.raw_text()),
        _ => None,
    };
    let from_special = special.filter(|text| !text.trim().is_empty());
    from_special.unwrap_or_else(|| {
        let text = element.text();
        if text.trim().is_empty() { carried().unwrap_or(text) } else { text }
    })
}

fn starts_with_ignore_case(text: &str, prefix: &str) -> bool {
    let text = text.trim_start();
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// What is taken of an element; `None` if it has no such attribute.
pub(super) fn take_of(element: Element<'_>, take: &Take, kind: &Kind) -> Option<String> {
    Some(match take {
        Take::Text => natural_text(element, kind),
        Take::OwnText => element.own_text(),
        Take::Html => element.html(),
        Take::OuterHtml => element.outer_html(),
        Take::Markdown => element.markdown(),
        Take::Attr(name) => return element.attr(name).map(str::to_owned),
        _ => return None,
    })
}

/// Applies the steps in order. `Split` makes several texts of one, `Join` one of several.
pub(super) fn transform(mut texts: Vec<String>, steps: &[Transform]) -> Vec<String> {
    for step in steps {
        match step {
            Transform::Trim => each(&mut texts, |text| text.trim().to_owned()),
            Transform::Strip(what) => each(&mut texts, |text| strip(text, what).to_owned()),
            Transform::Replace { from, to } => each(&mut texts, |text| text.replace(from, to)),
            Transform::Lower => each(&mut texts, |text| text.to_lowercase()),
            Transform::Upper => each(&mut texts, |text| text.to_uppercase()),
            Transform::Split(separator) => {
                texts = texts
                    .iter()
                    .flat_map(|text| text.split(separator.as_str()))
                    .filter(|part| !part.trim().is_empty())
                    .map(str::to_owned)
                    .collect();
            }
            Transform::Join(separator) if !texts.is_empty() => {
                texts = vec![texts.join(separator)];
            }
            // A step that this version does not know would have failed when the schema was read.
            _ => {}
        }
    }
    texts
}

fn each(texts: &mut [String], change: impl Fn(&str) -> String) {
    for text in texts {
        *text = change(text);
    }
}

fn strip<'t>(mut text: &'t str, what: &str) -> &'t str {
    if what.is_empty() {
        return text;
    }
    text = text.trim();
    while let Some(rest) = text.strip_prefix(what) {
        text = rest.trim_start();
    }
    while let Some(rest) = text.strip_suffix(what) {
        text = rest.trim_end();
    }
    text
}

/// Makes a value of a kind from JSON. A list gives its first item; null is refused.
pub(super) fn from_json(
    json: &serde_json::Value,
    kind: &Kind,
    context: ConvertContext<'_>,
) -> Result<Value, ConvertError> {
    use serde_json::Value as Json;
    if *kind == Kind::Json {
        return Ok(Value::Json(json.clone()));
    }
    let refuse = |message: &str| Err(ConvertError::new(kind.name(), &json.to_string(), message));
    match json {
        Json::String(text) => convert(text, kind, context),
        Json::Bool(flag) => match kind {
            Kind::Bool => Ok(Value::Bool(*flag)),
            Kind::Text => Ok(Value::Text(flag.to_string())),
            _ => refuse("the JSON holds a truth value"),
        },
        Json::Number(number) => match kind {
            Kind::Float => match number.as_f64() {
                Some(number) => Ok(Value::Float(number)),
                None => refuse("the number is out of range"),
            },
            Kind::Integer => match number.as_i64() {
                Some(number) => Ok(Value::Integer(number)),
                // `12.0` is how some write a whole number.
                None => match number.as_f64() {
                    Some(float) if float.fract() == 0.0 && float.abs() < 9.0e15 => Ok(Value::Integer(float as i64)),
                    _ => refuse("the JSON number is not a whole number of 64 bits"),
                },
            },
            Kind::Decimal | Kind::Price { .. } if number.is_f64() => {
                // JSON's numbers have a point and no grouping, which a page's text has not: read them exactly.
                match number
                    .to_string()
                    .parse()
                    .or_else(|_| rust_decimal::Decimal::from_scientific(&number.to_string()))
                {
                    Ok(amount) if *kind == Kind::Decimal => Ok(Value::Decimal(amount)),
                    Ok(amount) => Ok(Value::Price(price(amount, kind))),
                    Err(_) => refuse("the number is out of range"),
                }
            }
            Kind::Price { .. } => match number.to_string().parse() {
                Ok(amount) => Ok(Value::Price(price(amount, kind))),
                Err(_) => refuse("the number is out of range"),
            },
            _ => convert(&number.to_string(), kind, context),
        },
        Json::Array(items) => match items.first() {
            Some(first) if !first.is_array() => from_json(first, kind, context),
            _ => refuse("the JSON holds a list without a first value"),
        },
        Json::Null => refuse("the JSON holds null"),
        Json::Object(map) => match map.get("@value") {
            Some(value) if !value.is_object() && !value.is_array() => from_json(value, kind, context),
            _ => refuse("the JSON holds an object; lead the path to one of its properties"),
        },
    }
}

fn price(amount: rust_decimal::Decimal, kind: &Kind) -> crate::value::Price {
    let currency = match kind {
        Kind::Price { currency } => currency.clone(),
        _ => None,
    };
    crate::value::Price { amount, currency, symbol: None }
}

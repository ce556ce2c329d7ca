//! Character references in text that no HTML parser has seen, such as the strings of JSON in a script.

use std::borrow::Cow;

use markup5ever::data::NAMED_ENTITIES;

/// The longest name is 31 signs long.
const LONGEST: usize = 34;

/// Decodes `&amp;`, `&#233;` and `&#xe9;`, once. Without a semicolon nothing is decoded, for `&copy=1` is a part of an
/// address.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find('&') {
        let (before, from) = rest.split_at(found);
        decoded.push_str(before);
        let end = from.bytes().take(LONGEST).position(|byte| byte == b';');
        match end.and_then(|end| Some((end, reference(from.get(1..end + 1)?)?))) {
            Some((end, (first, second))) => {
                decoded.push(first);
                decoded.extend(second);
                rest = from.get(end + 1..).unwrap_or_default();
            }
            None => {
                decoded.push('&');
                rest = from.get(1..).unwrap_or_default();
            }
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The characters of a reference, given without `&` but with `;`.
fn reference(name: &str) -> Option<(char, Option<char>)> {
    let Some(number) = name.strip_prefix('#') else {
        let (first, second) = NAMED_ENTITIES.get(name)?;
        return Some((char::from_u32(*first)?, char::from_u32(*second).filter(|c| *c != '\0')));
    };
    let number = number.strip_suffix(';')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|c| *c != '\0').map(|c| (c, None))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        assert_eq!(decode("Mac &amp; Cheese"), "Mac & Cheese");
        assert_eq!(decode("&#233;&#xE9;&eacute;&quot;"), "ééé\"");
        assert_eq!(decode("a & b &copy=1 &nosuch; &#0; &"), "a & b &copy=1 &nosuch; &#0; &");
        assert_eq!(decode("&amp;amp;"), "&amp;");
        assert!(matches!(decode("plain"), Cow::Borrowed(_)));
    }
}

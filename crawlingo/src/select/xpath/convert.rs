//! Conversions between texts and numbers by the letter of XPath 1.0, section 4.

/// White space of XML: what `normalize-space` and `number` mean.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

/// An optional minus, digits with or without a point; anything else is no number.
pub(super) fn text_to_number(text: &str) -> f64 {
    let text = text.trim_matches(is_space);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let well_formed = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1
        && digits.bytes().any(|byte| byte.is_ascii_digit());
    if well_formed { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// Never with an exponent; no point in whole numbers; zero has no sign.
pub(super) fn number_to_text(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else if number == 0.0 {
        "0".to_owned()
    } else {
        number.to_string()
    }
}

/// To the nearest whole number, halves upwards; the sign of a zero is kept.
pub(super) fn round(number: f64) -> f64 {
    if !number.is_finite() {
        return number;
    }
    let below = number.floor();
    let rounded = if number - below >= 0.5 { below + 1.0 } else { below };
    if rounded == 0.0 && number.is_sign_negative() { -0.0 } else { rounded }
}

/// `substring`: the characters at the positions p with p >= round(start) and p < round(start) + round(length).
pub(super) fn substring(text: &str, start: f64, length: Option<f64>) -> &str {
    let from = round(start);
    let to = length.map_or(f64::INFINITY, |length| from + round(length));
    // Not-a-number compares as false with everything, which leaves nothing.
    if from.is_nan() || to.is_nan() || to <= from || to <= 1.0 {
        return "";
    }
    let skip = (from - 1.0).max(0.0);
    let mut places = text.char_indices().map(|(at, _)| at);
    // A float beyond any length saturates.
    let Some(begin) = places.nth(skip as usize) else { return "" };
    if to.is_infinite() {
        return &text[begin..];
    }
    let take = to - 1.0 - skip;
    let end = if take < 1.0 { Some(begin) } else { places.nth(take as usize - 1) };
    &text[begin..end.unwrap_or(text.len())]
}

/// Runs of white space become one blank, at the ends none.
pub(super) fn normalize_space(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    normal
}

/// Each character of `from` becomes the one at its place in `to`, or goes where there is none.
pub(super) fn translate(text: &str, from: &str, to: &str) -> String {
    let mut map: std::collections::HashMap<char, Option<char>> = std::collections::HashMap::new();
    let mut replacements = to.chars();
    for c in from.chars() {
        let replacement = replacements.next();
        map.entry(c).or_insert(replacement);
    }
    text.chars().filter_map(|c| map.get(&c).copied().unwrap_or(Some(c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_standard_says() {
        for (text, expected) in [("1", 1.0), (" -1.5\n", -1.5), (".5", 0.5), ("5.", 5.0), ("-.5", -0.5)] {
            assert_eq!(text_to_number(text), expected, "{text}");
        }
        for text in ["", "-", ".", "+1", "1e3", "1.2.3", "1 2", "0x1", "inf", "NaN", "--1", "\u{a0}1"] {
            assert!(text_to_number(text).is_nan(), "{text}");
        }
    }

    #[test]
    fn numbers_are_written_as_the_standard_says() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (12.0, "12"),
            (-0.5, "-0.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1000000000000000000000"),
            (1e-7, "0.0000001"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number_to_text(number), expected);
        }
    }

    #[test]
    fn halves_are_rounded_upwards() {
        for (number, expected) in
            [(2.5, 3.0), (-2.5, -2.0), (-2.6, -3.0), (0.499_999_999_999_999_94, 0.0), (1e300, 1e300)]
        {
            assert_eq!(round(number), expected);
        }
        assert!(round(-0.2).is_sign_negative());
        assert!(round(f64::NAN).is_nan());
    }

    #[test]
    fn substrings_count_characters_from_one() {
        let inf = f64::INFINITY;
        for (start, length, expected) in [
            (2.0, Some(3.0), "béc"),
            (1.5, Some(2.6), "béc"),
            (0.0, Some(3.0), "ab"),
            (-42.0, Some(inf), "abécd"),
            (-inf, Some(inf), ""),
            (f64::NAN, Some(3.0), ""),
            (1.0, Some(f64::NAN), ""),
            (2.0, None, "bécd"),
            (9.0, None, ""),
            (4.0, Some(-10.0), ""),
            (1e300, Some(1e300), ""),
            (-5e9, Some(5_000_000_003.0), "ab"),
        ] {
            assert_eq!(substring("abécd", start, length), expected, "{start} {length:?}");
        }
    }

    #[test]
    fn translate_takes_the_first_of_a_repeated_character() {
        assert_eq!(translate("bar", "abca", "ABC"), "BAr");
        assert_eq!(translate("--aaa--", "abc-", "ABC"), "AAA");
    }
}

//! How alike two strings or sets are, from 0 to 1.

use std::collections::BTreeSet;

/// The Jaccard index of two sorted sets without doubles.
pub(super) fn jaccard(a: &[u32], b: &[u32]) -> f32 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                both += 1;
                i += 1;
                j += 1;
            }
        }
    }
    both as f32 / (a.len() + b.len() - both) as f32
}

/// The Jaccard index of two sketches, the smallest hashes of two sets: the union's smallest are a sample of the union.
pub(super) fn sketched(a: &[u32], b: &[u32]) -> f32 {
    let size = a.len().max(b.len());
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (mut i, mut j, mut both, mut all) = (0, 0, 0, 0);
    while all < size && (i < a.len() || j < b.len()) {
        all += 1;
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => {
                both += 1;
                i += 1;
                j += 1;
            }
            (Some(x), Some(y)) if x < y => i += 1,
            (Some(_), None) => i += 1,
            _ => j += 1,
        }
    }
    both as f32 / all as f32
}

/// Jaro-Winkler on at most 120 characters; longer texts are compared by their words.
pub(super) fn jaro_winkler(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    strsim::jaro_winkler(head(a, 120), head(b, 120)) as f32
}

fn head(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

/// The parts of a class or an id that a person wrote: `Footer_footer__link--text__OayTv` is footer, link, text.
pub(super) fn parts_of(name: &str, into: &mut BTreeSet<String>) {
    for part in name.split(|letter: char| !letter.is_alphanumeric()) {
        if part.is_empty() || looks_hashed(part) {
            continue;
        }
        let mut word = String::new();
        let mut lower_before = false;
        for letter in part.chars() {
            if letter.is_uppercase() && lower_before && !word.is_empty() {
                into.insert(std::mem::take(&mut word));
            }
            lower_before = letter.is_lowercase();
            word.extend(letter.to_lowercase());
        }
        into.insert(word);
    }
}

/// Whether a part of a name is what a build tool adds: letters of both cases and digits in disorder, or hexadecimal.
pub(super) fn looks_hashed(part: &str) -> bool {
    let length = part.chars().count();
    if length < 5 {
        return false;
    }
    let digits = part.chars().filter(char::is_ascii_digit).count();
    let upper_inside = part.chars().skip(1).filter(|letter| letter.is_ascii_uppercase()).count();
    let vowels = part.chars().filter(|letter| "aeiouyAEIOUY".contains(*letter)).count();
    let turns = part.as_bytes().windows(2).filter(|pair| class_of(pair[0]) != class_of(pair[1])).count();
    if digits > 0 && digits < length && turns >= 2 {
        return true;
    }
    if digits > 0 && upper_inside > 0 {
        return true;
    }
    // `OayTv`, `xKJzQw`, `PkumT`: capitals that begin no word.
    let ends_in_one = length <= 6
        && part.as_bytes().windows(2).last().is_some_and(|last| class_of(last[0]) == 2 && class_of(last[1]) == 1);
    (upper_inside >= 1 && turns >= 3 && length <= 8) || ends_in_one || (vowels == 0 && length >= 6)
}

fn class_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    }
}

/// How alike two lists of classes are by their parts.
pub(super) fn names_alike<'s>(a: impl Iterator<Item = &'s str>, b: impl Iterator<Item = &'s str>) -> Option<f32> {
    let (mut left, mut right) = (BTreeSet::new(), BTreeSet::new());
    a.for_each(|name| parts_of(name, &mut left));
    b.for_each(|name| parts_of(name, &mut right));
    if left.is_empty() && right.is_empty() {
        return None;
    }
    let both = left.intersection(&right).count();
    Some(both as f32 / (left.len() + right.len() - both) as f32)
}

/// How alike two sequences are: twice the longest common subsequence by the sum of the lengths.
pub(super) fn sequence<T: PartialEq>(a: &[T], b: &[T]) -> f32 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let mut row = vec![0u16; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    2.0 * f32::from(row[b.len()]) / (a.len() + b.len()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_told_from_words() {
        for hashed in ["OayTv", "PkumT", "a1b2c3", "css1x2y3", "qKmbI9", "xkcdpqr"] {
            assert!(looks_hashed(hashed), "{hashed}");
        }
        for word in ["price", "footer", "productTitle", "menuLink", "col", "h1", "md", "DesktopMenu", "row12"] {
            assert!(!looks_hashed(word), "{word}");
        }
    }

    #[test]
    fn names_agree_by_their_parts() {
        let old = ["footer__link--social-text"];
        let new = ["Footer_footer__link--social-text__OayTv"];
        assert_eq!(names_alike(old.into_iter(), new.into_iter()), Some(1.0));
        assert_eq!(names_alike([].into_iter(), [].into_iter()), None);
    }

    #[test]
    fn sets_and_sequences() {
        assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
        assert_eq!(sketched(&[1, 2], &[1, 2]), 1.0);
        assert_eq!(sequence(&["a", "b", "c"], &["a", "c"]), 0.8);
        assert!(jaro_winkler("Jobs", "JoSs") > 0.8);
    }
}

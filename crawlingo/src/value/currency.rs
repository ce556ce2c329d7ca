//! Currency signs and codes in a text.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A currency as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Currency {
    /// The sign or code as written.
    pub(crate) text: String,
    /// The ISO 4217 code, where the sign names exactly one.
    pub(crate) code: Option<&'static str>,
    /// The codes that it may mean.
    pub(crate) codes: &'static [&'static str],
}

impl Currency {
    pub(crate) fn ambiguous(&self) -> bool {
        self.code.is_none()
    }

    /// Whether this one says which of the other's currencies is meant: `USD` beside `$`.
    pub(crate) fn refines(&self, other: &Self) -> bool {
        self.code.is_some_and(|code| other.codes.contains(&code))
    }
}

struct Sign {
    text: &'static str,
    codes: &'static [&'static str],
    /// Counts only right beside a number: single letters, and what is a word too.
    beside_only: bool,
}

/// What is in use beyond CLDR's signs, or means less than CLDR lists.
const MORE: &[(&str, &[&str])] = &[
    ("£", &["GBP"]),
    ("￡", &["GBP"]),
    ("€", &["EUR"]),
    ("euro", &["EUR"]),
    ("euros", &["EUR"]),
    ("евро", &["EUR"]),
    ("р", &["RUB"]),
    ("р.", &["RUB"]),
    ("Р", &["RUB"]),
    ("Р.", &["RUB"]),
    ("руб", &["RUB"]),
    ("руб.", &["RUB"]),
    ("рублей", &["RUB"]),
    ("рубля", &["RUB"]),
    ("рубль", &["RUB"]),
    ("₽", &["RUB"]),
    ("грн", &["UAH"]),
    ("грн.", &["UAH"]),
    ("лв", &["BGN"]),
    ("лв.", &["BGN"]),
    ("lei", &["RON"]),
    ("TL", &["TRY"]),
    ("円", &["JPY"]),
    ("元", &["CNY"]),
    ("人民币", &["CNY"]),
    ("원", &["KRW"]),
    ("Kč", &["CZK"]),
    ("zł", &["PLN"]),
    ("zl", &["PLN"]),
    ("złotych", &["PLN"]),
    ("Fr.", &["CHF"]),
    ("SFr.", &["CHF"]),
    ("sFr", &["CHF"]),
    ("Fr", &["CHF"]),
    ("Ft", &["HUF"]),
    ("R$", &["BRL"]),
    ("Rp", &["IDR"]),
    ("RM", &["MYR"]),
    ("KM", &["BAM"]),
    ("Bs", &["BOB", "VES"]),
    ("Bs.", &["BOB", "VES"]),
    ("din", &["RSD"]),
    ("дин", &["RSD"]),
    ("тг", &["KZT"]),
    ("тг.", &["KZT"]),
    ("BTC", &["BTC"]),
    ("₿", &["BTC"]),
    ("DHs", &["AED", "MAD"]),
    ("Dhs", &["AED", "MAD"]),
    ("درهم", &["AED", "MAD"]),
    ("دينار", &["KWD", "IQD", "JOD", "BHD", "TND", "DZD", "LYD"]),
    ("ريال", &["SAR", "QAR", "OMR", "YER"]),
    ("ریال", &["IRR"]),
    ("تومان", &[]),
    ("جنيه", &["EGP", "SDG"]),
    ("dollars", &["USD", "CAD", "AUD", "NZD"]),
    ("dollar", &["USD", "CAD", "AUD", "NZD"]),
    ("pounds", &["GBP"]),
    ("NIS", &["ILS"]),
    ("VT", &["VUV"]),
    ("Vt", &["VUV"]),
    ("Fdj", &["DJF"]),
    ("Rf.", &["MVR"]),
    ("MOP$", &["MOP"]),
    ("KČ", &["CZK"]),
    ("¢", &["USD", "CAD", "AUD", "EUR"]),
];

/// Codes that are English words too.
const WORDS: &[&str] =
    &["ALL", "TRY", "TOP", "CUP", "MOP", "PEN", "SOS", "AMD", "BAM", "GEL", "LAK", "SAR", "MAD", "CAD"];

type Signs = HashMap<char, Vec<Sign>>;

/// The signs by their first character in lower case, the longest first.
fn signs() -> &'static Signs {
    static SIGNS: OnceLock<Signs> = OnceLock::new();
    SIGNS.get_or_init(|| {
        let mut all: HashMap<&'static str, &'static [&'static str]> = HashMap::new();
        for line in include_str!("currencies.tsv").lines().filter(|line| !line.starts_with('#')) {
            let Some((sign, codes)) = line.split_once('\t') else { continue };
            // The table is read once and lives as long as the program.
            let codes: Vec<&'static str> = codes.split('|').collect();
            if sign.chars().any(|c| !c.is_whitespace() && c != '\u{200b}') {
                all.insert(sign, codes.leak());
            }
        }
        for (sign, codes) in MORE {
            all.insert(sign, codes);
        }
        let mut signs: Signs = HashMap::new();
        for (text, codes) in all {
            let Some(first) = text.chars().next() else { continue };
            let letters = text.chars().all(|c| c.is_alphabetic() || c == '.' || c == ' ');
            let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
            let beside_only = letters && (!is_code || WORDS.contains(&text));
            let list: &mut Vec<Sign> = signs.entry(lower(first)).or_default();
            list.push(Sign { text, codes, beside_only });
        }
        for list in signs.values_mut() {
            list.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then(a.text.cmp(b.text)));
        }
        signs
    })
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

/// The length of the sign at the beginning of a text, in bytes. A single letter has to be as written.
fn matches(sign: &Sign, text: &str) -> Option<usize> {
    if text.starts_with(sign.text) {
        return Some(sign.text.len());
    }
    if sign.text.chars().count() < 2 {
        return None;
    }
    let mut rest = text.char_indices();
    for wanted in sign.text.chars() {
        let (_, c) = rest.next()?;
        if lower(c) != lower(wanted) {
            return None;
        }
    }
    Some(rest.next().map_or(text.len(), |(at, _)| at))
}

/// The sign at `at`, if it is no part of a word.
fn sign_at(text: &str, at: usize) -> Option<(&'static Sign, usize)> {
    let first = text[at..].chars().next()?;
    let before = text[..at].chars().next_back();
    let list = signs().get(&lower(first))?;
    let mut best: Option<(&Sign, usize)> = None;
    for sign in list {
        let Some(len) = matches(sign, &text[at..]) else { continue };
        let joined_before = first.is_alphabetic() && before.is_some_and(char::is_alphabetic);
        let last = text[at..at + len].chars().next_back();
        let joined_after =
            last.is_some_and(char::is_alphabetic) && text[at + len..].chars().next().is_some_and(char::is_alphabetic);
        if joined_before || joined_after {
            continue;
        }
        let exact = text[at..].starts_with(sign.text);
        match best {
            Some((_, best_len)) if best_len > len || (best_len == len && !exact) => {}
            _ => best = Some((sign, len)),
        }
    }
    best
}

fn currency(sign: &Sign, text: &str) -> Currency {
    let code = match sign.codes {
        [only] => Some(*only),
        _ => None,
    };
    Currency { text: text.to_owned(), code, codes: sign.codes }
}

/// The currency of a text. `number` is where the amount stands: the sign right before or after it counts first.
pub(crate) fn find(text: &str, number: Option<(usize, usize)>) -> Option<Currency> {
    let mut found: Vec<(usize, usize, &'static Sign)> = Vec::new();
    let mut skip_to = 0;
    for (at, _) in text.char_indices() {
        if at < skip_to {
            continue;
        }
        if let Some((sign, len)) = sign_at(text, at) {
            found.push((at, at + len, sign));
            skip_to = at + len;
        }
    }
    let beside = |start: usize, end: usize| {
        let Some((from, to)) = number else { return false };
        let only_space =
            |range: &str| range.chars().all(|c| c.is_whitespace() || c == ':' || c == '(' || c == ')' || c == '-');
        (end <= from && only_space(&text[end..from])) || (start >= to && only_space(&text[to..start]))
    };
    let alone = |start: usize, end: usize| text[..start].trim().is_empty() && text[end..].trim().is_empty();
    let best = found
        .iter()
        .filter(|(start, end, _)| beside(*start, *end))
        // Of a sign on each side, the one that says more: `$ 12 USD`.
        .min_by_key(|(start, end, sign)| {
            (sign.beside_only, sign.codes.len() != 1, *start, *end)
        })
        .or_else(|| found.iter().find(|(start, end, sign)| !sign.beside_only || alone(*start, *end)))?;
    Some(currency(best.2, &text[best.0..best.1]))
}

/// Whether a currency stands at the end of a text, white space aside.
pub(crate) fn ends_with(text: &str) -> bool {
    let text = text.trim_end();
    let longest = text.char_indices().rev().take(6).map(|(at, _)| at);
    longest.into_iter().any(|at| sign_at(text, at).is_some_and(|(_, len)| at + len == text.len()))
}

/// Whether a currency stands at the beginning of a text, white space aside.
pub(crate) fn starts_with(text: &str) -> bool {
    sign_at(text.trim_start(), 0).is_some()
}

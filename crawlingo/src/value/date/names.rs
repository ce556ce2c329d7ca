//! The names of CLDR, by language.

use std::collections::HashMap;
use std::sync::OnceLock;

use crawlingo_schema::DateOrder;

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// From 1.
    Month(i8),
    /// From 1, Monday.
    Weekday(i8),
    Am,
    Pm,
    /// So many days from today.
    Day(i32),
    /// This moment.
    Now,
    /// So many of a unit from now: "last month".
    Units(Unit, i32),
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "second" => Self::Second,
            "minute" => Self::Minute,
            "hour" => Self::Hour,
            "day" => Self::Day,
            "week" => Self::Week,
            "month" => Self::Month,
            "year" => Self::Year,
            _ => return None,
        })
    }
}

/// The names of one language.
#[derive(Default)]
pub(super) struct Language {
    pub(super) name: &'static str,
    pub(super) names: HashMap<String, Vec<Meaning>>,
    /// "{0} days ago": the unit and the direction.
    pub(super) patterns: HashMap<String, (Unit, i32)>,
    /// The most words of a name.
    pub(super) longest: usize,
}

pub(super) struct Names {
    /// In the order in which they are tried.
    pub(super) languages: Vec<Language>,
    orders: HashMap<&'static str, DateOrder>,
}

/// Tried before the others, which follow by name.
const FIRST: &[&str] = &[
    "en", "es", "fr", "de", "pt", "it", "ru", "nl", "pl", "tr", "ja", "zh", "ko", "cs", "sv", "da", "nb", "fi", "hu",
    "ro", "uk", "el", "bg", "hr", "sr", "sk", "sl", "vi", "id", "ar", "he", "hi", "th",
];

/// What is in use beyond CLDR.
const MORE: &[(&str, &str, Meaning)] = &[
    ("en", "sept", Meaning::Month(9)),
    ("en", "tues", Meaning::Weekday(2)),
    ("ru", "пнд", Meaning::Weekday(1)),
    ("ru", "втр", Meaning::Weekday(2)),
    ("ru", "срд", Meaning::Weekday(3)),
    ("ru", "чтв", Meaning::Weekday(4)),
    ("ru", "птн", Meaning::Weekday(5)),
    ("ru", "сбт", Meaning::Weekday(6)),
    ("ru", "вск", Meaning::Weekday(7)),
    ("cs", "pon", Meaning::Weekday(1)),
    ("cs", "úte", Meaning::Weekday(2)),
    ("cs", "stř", Meaning::Weekday(3)),
    ("cs", "čtv", Meaning::Weekday(4)),
    ("cs", "ctv", Meaning::Weekday(4)),
    ("cs", "pát", Meaning::Weekday(5)),
    ("cs", "sob", Meaning::Weekday(6)),
    ("cs", "ned", Meaning::Weekday(7)),
    ("cs", "čer", Meaning::Month(6)),
    ("cs", "cer", Meaning::Month(6)),
    ("uk", "чер", Meaning::Month(6)),
    ("uk", "кві", Meaning::Month(4)),
    ("zh", "晚", Meaning::Pm),
    ("zh", "晚上", Meaning::Pm),
    ("zh", "早上", Meaning::Am),
    ("en", "thur", Meaning::Weekday(4)),
    ("en", "thurs", Meaning::Weekday(4)),
    ("en", "weds", Meaning::Weekday(3)),
    ("en", "a.m", Meaning::Am),
    ("en", "p.m", Meaning::Pm),
    ("en", "a", Meaning::Am),
    ("en", "p", Meaning::Pm),
    ("es", "a.m", Meaning::Am),
    ("es", "p.m", Meaning::Pm),
    ("es", "set", Meaning::Month(9)),
    ("es", "setiembre", Meaning::Month(9)),
    ("de", "jänner", Meaning::Month(1)),
    ("de", "mrz", Meaning::Month(3)),
    ("de", "juno", Meaning::Month(6)),
    ("de", "julei", Meaning::Month(7)),
    ("fr", "fev", Meaning::Month(2)),
    ("fr", "jui", Meaning::Month(6)),
    ("en", "yesterday", Meaning::Day(-1)),
    ("en", "just now", Meaning::Now),
    ("ru", "сентябрь", Meaning::Month(9)),
];

pub(super) fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| read(include_str!("names.tsv")))
}

fn read(table: &'static str) -> Names {
    let mut languages: Vec<Language> = Vec::new();
    let mut at: HashMap<&'static str, usize> = HashMap::new();
    let mut orders = HashMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = line.split('\t');
        let (Some(language), Some(key), Some(names)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        if key == "O" {
            if let Some(order) = DateOrder::from_name(names) {
                orders.insert(language, order);
            }
            continue;
        }
        let index = *at.entry(language).or_insert_with(|| {
            languages.push(Language { name: language, ..Language::default() });
            languages.len() - 1
        });
        let language = &mut languages[index];
        if let Some(unit) = key.strip_prefix('R') {
            let direction = if unit.starts_with('-') { -1 } else { 1 };
            if let Some(unit) = Unit::from_name(&unit[1..]) {
                for pattern in names.split('|') {
                    language.patterns.entry(spaced(pattern)).or_insert((unit, direction));
                }
            }
            continue;
        }
        let Some(meaning) = meaning(key) else { continue };
        for name in names.split('|') {
            language.add(name, meaning);
        }
    }
    for (name, word, meaning) in MORE {
        if let Some(index) = at.get(name) {
            languages[*index].add(word, *meaning);
        }
    }
    let rank = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    languages.sort_by(|a, b| rank(a.name).cmp(&rank(b.name)).then(a.name.cmp(b.name)));
    Names { languages, orders }
}

fn meaning(key: &str) -> Option<Meaning> {
    Some(match (key.get(..1)?, &key[1..]) {
        ("M", month) => Meaning::Month(month.parse().ok()?),
        ("W", day) => Meaning::Weekday(day.parse().ok()?),
        ("H", "am") => Meaning::Am,
        ("H", _) => Meaning::Pm,
        ("D", "0s") => Meaning::Now,
        ("D", days) => Meaning::Day(days.parse().ok()?),
        ("U", rest) => {
            let (count, unit) = match rest.strip_prefix("-1") {
                Some(unit) => (-1, unit),
                None => (1, rest.strip_prefix('1')?),
            };
            Meaning::Units(Unit::from_name(unit)?, count)
        }
        _ => return None,
    })
}

impl Language {
    /// What a name means: of names with spaces, by their words joined; of a word that is cut short, by the only months or
    /// days that begin with it.
    pub(super) fn look_up(&self, name: &str) -> Option<Vec<Meaning>> {
        if let Some(found) = self.names.get(name) {
            return Some(found.clone());
        }
        // `tháng 09` for `tháng 9`.
        if let Some((word, number)) = name.rsplit_once(' ') {
            let short = number.trim_start_matches('0');
            if short.len() < number.len() && !short.is_empty() {
                return self.names.get(&format!("{word} {short}")).cloned();
            }
            return None;
        }
        if name.chars().count() < 4 {
            return None;
        }
        let mut found: Option<Meaning> = None;
        for (known, meanings) in &self.names {
            if !known.starts_with(name) {
                continue;
            }
            for meaning in meanings.iter().filter(|one| matches!(one, Meaning::Month(_) | Meaning::Weekday(_))) {
                if found.is_some_and(|found| found != *meaning) {
                    return None;
                }
                found = Some(*meaning);
            }
        }
        found.map(|meaning| vec![meaning])
    }

    fn add(&mut self, name: &str, meaning: Meaning) {
        let name = spaced(name);
        self.longest = self.longest.max(name.split(' ').count());
        let meanings = self.names.entry(name).or_default();
        if !meanings.contains(&meaning) {
            meanings.push(meaning);
        }
    }
}

/// A name as the lexer cuts it: its words and numbers with single spaces between, without points.
fn spaced(name: &str) -> String {
    super::lexer::words(name).join(" ")
}

impl Names {
    /// The languages to try: that of the page or field first.
    pub(super) fn candidates<'n>(&'n self, language: Option<&str>) -> impl Iterator<Item = &'n Language> {
        let primary =
            language.map(|language| language.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase());
        // Norwegian pages say "no", and CLDR has it under "nb" or "no".
        let is_first = move |candidate: &&Language| primary.as_deref().is_some_and(|primary| candidate.name == primary);
        let other = is_first.clone();
        self.languages.iter().filter(is_first).chain(self.languages.iter().filter(move |candidate| !other(candidate)))
    }

    /// The order of numeric dates in a language, or in the country that it names.
    pub(super) fn order(&self, language: &str) -> Option<DateOrder> {
        let language = language.to_ascii_lowercase().replace('_', "-");
        let primary = language.split('-').next().unwrap_or_default();
        self.orders.get(language.as_str()).or_else(|| self.orders.get(primary)).copied()
    }
}

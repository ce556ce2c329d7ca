//! Prices: an amount and its currency, as pages write them.

use std::str::FromStr;

use rust_decimal::Decimal;

use super::currency::{self, Currency};
use super::number::{self, Triple};
use super::{ConvertError, Price};

/// The longest text in which a price is looked for, in bytes.
const MAX_TEXT: usize = 4 << 10;

impl Price {
    /// Reads the first price of a text. `hint` is a text near it that may name the currency, which counts where the
    /// price's own text has none that is clear.
    ///
    /// Words for "nothing to pay" in some languages are an amount of zero. Of a range, the first price counts.
    ///
    /// ```
    /// use crawlingo::value::Price;
    /// let price = Price::read("from 1.299,00 € incl. VAT", None).unwrap();
    /// assert_eq!((price.amount.to_string().as_str(), price.currency.as_deref()), ("1299.00", Some("EUR")));
    /// assert_eq!(Price::read("19.99", Some("USD")).unwrap().currency.as_deref(), Some("USD"));
    /// assert_eq!(Price::read("call us", None), None);
    /// ```
    pub fn read(text: &str, hint: Option<&str>) -> Option<Self> {
        let text = bounded(text);
        let found = amount(text);
        let near = found.as_ref().map_or(text.len(), |(found, _)| found.start);
        let after = found.as_ref().map_or(text.len(), |(found, _)| found.end);
        let own = currency::find(text, Some((near, after)));
        let hinted = hint.and_then(|hint| currency::find(bounded(hint), None));
        let currency = match (own, hinted) {
            (Some(own), Some(hinted)) if own.ambiguous() && hinted.refines(&own) => Some(hinted),
            (Some(own), _) => Some(own),
            (None, hinted) => hinted,
        };
        let amount = match found {
            Some((_, amount)) => amount,
            None if is_free(text) => Decimal::ZERO,
            None => return None,
        };
        Some(Self::of(amount, currency.as_ref()))
    }

    fn of(amount: Decimal, currency: Option<&Currency>) -> Self {
        Self {
            amount,
            currency: currency.and_then(|currency| currency.code.map(str::to_owned)),
            symbol: currency.map(|currency| currency.text.clone()),
        }
    }
}

impl FromStr for Price {
    type Err = ConvertError;

    fn from_str(text: &str) -> Result<Self, ConvertError> {
        Self::read(text, None).ok_or_else(|| ConvertError::new("price", text, "there is no amount in it"))
    }
}

fn bounded(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The number that is the amount: the one that touches a currency, else the first that is no percentage.
fn amount(text: &str) -> Option<(number::Found, Decimal)> {
    let mut numbers = number::find(text, Triple::Groups, 64);
    // `1€99` and `1 € 99`: the currency stands where the separator should.
    if let [first, second, ..] = numbers.as_slice() {
        let between = text[first.end..second.start].trim();
        let cents = second.plain.len() == 2 && second.plain.bytes().all(|byte| byte.is_ascii_digit());
        let whole = !first.plain.contains('.');
        if whole && cents && matches!(between, "€" | "£" | "EUR" | "zł" | "Kč") {
            let rest = text[second.end..].trim_start();
            if !rest.starts_with(between) {
                let merged = number::Found {
                    start: first.start,
                    end: second.end,
                    plain: format!("{}.{}", first.plain, second.plain),
                };
                numbers.splice(0..2, [merged]);
            }
        }
    }
    let percent = |found: &number::Found| text[found.end..].trim_start().starts_with(['%', '％']);
    let touches =
        |found: &number::Found| currency::ends_with(&text[..found.start]) || currency::starts_with(&text[found.end..]);
    let chosen = numbers
        .iter()
        .find(|found| touches(found) && !percent(found))
        .or_else(|| numbers.iter().find(|found| !percent(found)))?;
    // Of a range, the first price counts, wherever the currency stands.
    const BETWEEN: &[&str] = &["-", "–", "—", "−", "~", "to", "bis", "a", "à", "do", "до", "tot", "til", "till", "ate", "até"];
    let at = numbers.iter().position(|found| found == chosen).unwrap_or_default();
    let chosen = match at.checked_sub(1).map(|before| &numbers[before]) {
        Some(before) if BETWEEN.contains(&text[before.end..chosen.start].trim().to_lowercase().as_str()) => before,
        _ => chosen,
    };
    let amount = chosen.decimal()?;
    Some((chosen.clone(), amount))
}

fn is_free(text: &str) -> bool {
    const FREE: &[&str] = &[
        "free",
        "gratis",
        "gratuit",
        "gratuite",
        "kostenlos",
        "umsonst",
        "gratuito",
        "gratuita",
        "grátis",
        "bezpłatnie",
        "zdarma",
        "бесплатно",
        "безкоштовно",
        "ücretsiz",
        "無料",
        "免费",
        "免費",
        "무료",
        "ingyenes",
        "ilmainen",
        "gratuït",
    ];
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphabetic()).any(|word| FREE.contains(&word))
}

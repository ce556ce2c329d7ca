//! Prices: the amount, exactly, and the currency's sign as written.

use crawlingo::value::Price;
use serde_json::Value;

use crate::harness::{Outcome, run};

#[test]
fn price() {
    run("price", |case| {
        let expected = &case["expected"];
        let price = Price::read(case["price_text"].as_str().unwrap_or_default(), case["currency_hint"].as_str());
        let amount = |value: &Value| value.as_str().and_then(|text| text.parse::<rust_decimal::Decimal>().ok());
        match (price, amount(&expected["amount"])) {
            (None, None) => Outcome::Pass,
            (Some(price), wanted) => {
                let got = (Some(price.amount), price.symbol.as_deref());
                Outcome::equal(got, (wanted, expected["currency"].as_str()))
            }
            (None, Some(wanted)) => Outcome::Fail(format!("got no price, expected {wanted}")),
        }
    });
}

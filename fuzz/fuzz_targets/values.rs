//! Every value parser.

#![no_main]

use crawlingo::schema::{DateOptions, Kind};
use crawlingo::value::{ConvertContext, convert};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let languages = [None, Some("de"), Some("ja"), Some("ar")];
    let now = Some(jiff::Timestamp::UNIX_EPOCH);
    for language in languages {
        let context = ConvertContext { base: None, language, now };
        for kind in [
            Kind::Text,
            Kind::Integer,
            Kind::Float,
            Kind::Decimal,
            Kind::Bool,
            Kind::price(),
            Kind::Date(DateOptions::default()),
            Kind::Time,
            Kind::DateTime(DateOptions::default()),
            Kind::Timestamp(DateOptions::default()),
            Kind::Url,
            Kind::Email,
            Kind::phone(),
            Kind::Phone { region: Some("DE".into()) },
            Kind::Json,
        ] {
            let _ = convert(text, &kind, context);
        }
    }
});

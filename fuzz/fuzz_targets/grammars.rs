//! Every grammar of the schema, and schemas themselves. An error's text is made too, for it shows the place.

#![no_main]

use crawlingo::schema::{Schema, css, path, pattern, xpath};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let errors = [
        css::parse(text).err(),
        xpath::parse(text).err(),
        pattern::parse(text).err(),
        path::parse(text).err(),
        path::parse_json(text).err(),
        Schema::from_toml(text).err(),
        Schema::from_json(text).err(),
    ];
    for error in errors.into_iter().flatten() {
        assert!(!error.to_string().is_empty());
    }
    if let Ok(schema) = Schema::from_toml(text) {
        assert_eq!(Schema::from_toml(&schema.to_toml()).unwrap(), schema);
    }
});

//! What a document type declares that matters here: its name and identifiers, and internal entities. Nothing is loaded
//! from elsewhere.

use std::collections::HashMap;

/// The content of `<!DOCTYPE ...>`.
#[derive(Default)]
pub(super) struct DocType<'x> {
    pub(super) name: &'x str,
    pub(super) public: &'x str,
    pub(super) system: &'x str,
    pub(super) entities: HashMap<&'x str, &'x str>,
}

impl<'x> DocType<'x> {
    pub(super) fn parse(text: &'x str) -> Self {
        let mut scan = Scan(text);
        let mut found = Self { name: scan.word(), ..Self::default() };
        match scan.word() {
            "PUBLIC" => {
                found.public = scan.quoted().unwrap_or_default();
                found.system = scan.quoted().unwrap_or_default();
            }
            "SYSTEM" => found.system = scan.quoted().unwrap_or_default(),
            _ => {}
        }
        if let Some(at) = scan.0.find('[') {
            scan.0 = &scan.0[at + 1..];
            scan.entities(&mut found.entities);
        }
        found
    }
}

struct Scan<'x>(&'x str);

impl<'x> Scan<'x> {
    fn word(&mut self) -> &'x str {
        let text = self.0.trim_start();
        let end =
            text.find(|c: char| c.is_whitespace() || matches!(c, '[' | '>' | '"' | '\'' | '%')).unwrap_or(text.len());
        self.0 = &text[end..];
        &text[..end]
    }

    fn quoted(&mut self) -> Option<&'x str> {
        let text = self.0.trim_start();
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, rest) = text[1..].split_once(quote)?;
        self.0 = rest;
        Some(value)
    }

    fn skip_past(&mut self, end: &str) {
        self.0 = self.0.split_once(end).map_or("", |(_, rest)| rest);
    }

    fn entities(&mut self, entities: &mut HashMap<&'x str, &'x str>) {
        while let Some(at) = self.0.find(['<', ']']) {
            self.0 = &self.0[at..];
            if self.0.starts_with(']') {
                return;
            }
            if self.0.starts_with("<!--") {
                self.skip_past("-->");
            } else if self.0.starts_with("<?") {
                self.skip_past("?>");
            } else if let Some(rest) = self.0.strip_prefix("<!ENTITY") {
                self.0 = rest;
                let name = self.word();
                // What stands for other declarations (`% name`) has an empty name here; what has an identifier
                // instead of a value lies elsewhere. The first declaration holds.
                if let Some(value) = self.quoted()
                    && !name.is_empty()
                {
                    entities.entry(name).or_insert(value);
                }
                self.declaration_end();
            } else {
                self.0 = &self.0[1..];
                self.declaration_end();
            }
        }
    }

    /// Past the next `>` that stands in no quotes.
    fn declaration_end(&mut self) {
        let mut quote = None;
        for (at, c) in self.0.char_indices() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '>') => {
                    self.0 = &self.0[at + 1..];
                    return;
                }
                _ => {}
            }
        }
        self.0 = "";
    }
}

#[cfg(test)]
mod tests {
    use super::DocType;

    #[test]
    fn entities_and_identifiers_are_found() {
        let found = DocType::parse(
            r#"staff PUBLIC "-//X" 'staff.dtd' [ <!-- <!ENTITY no "no"> --> <!ELEMENT a (b)> <!ENTITY % p "p">
            <!ENTITY one "1 > 0"> <!ENTITY one "2"> <!ENTITY away SYSTEM "x.xml"> <?pi "?> <!ATTLIST a b CDATA ">">
            <!ENTITY two '<b/>'> ]"#,
        );
        assert_eq!((found.name, found.public, found.system), ("staff", "-//X", "staff.dtd"));
        let mut entities: Vec<_> = found.entities.into_iter().collect();
        entities.sort_unstable();
        assert_eq!(entities, [("one", "1 > 0"), ("two", "<b/>")]);
    }

    #[test]
    fn what_is_cut_off_is_no_matter() {
        for text in ["", "a [", "a [<!ENTITY", "a [<!ENTITY x \"", "a PUBLIC \"", "a [<!ENTITY x 'y' "] {
            DocType::parse(text);
        }
    }
}

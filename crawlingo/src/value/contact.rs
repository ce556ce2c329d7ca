//! E-mail addresses and telephone numbers.

use std::str::FromStr;

use super::{ConvertError, Email, Phone, number};

/// The longest address (RFC 5321, section 4.5.3.1, with the forward-path's angle brackets taken off).
const MAX_EMAIL: usize = 254;

impl Email {
    /// Finds the one address in a text: alone, after `mailto:`, in angle brackets or among words. `name [at] host [dot]
    /// org` and `(at)` are understood.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn read(text: &str) -> Result<Self, ConvertError> {
        let fail = |message: &str| Err(ConvertError::new("email", text, message));
        let mut plain = text.trim().to_owned();
        if plain.len() > 16 << 10 {
            return fail("the text is too long for an address");
        }
        if plain.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:")) {
            plain = percent_decoded(plain[7..].split('?').next().unwrap_or_default());
        }
        for (written, meant) in [
            (" [at] ", "@"),
            ("[at]", "@"),
            (" (at) ", "@"),
            ("(at)", "@"),
            (" [dot] ", "."),
            ("[dot]", "."),
            (" (dot) ", "."),
            ("(dot)", "."),
        ] {
            if plain.contains(written) {
                plain = plain.replace(written, meant);
            }
        }
        let is_local = |c: char| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c);
        let is_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-');
        let mut found: Vec<String> = Vec::new();
        for (at, _) in plain.match_indices('@') {
            let local_start = plain[..at]
                .rfind(|c| !is_local(c))
                .map_or(0, |before| before + plain[before..].chars().next().map_or(1, char::len_utf8));
            let host_end = plain[at + 1..].find(|c| !is_host(c)).map_or(plain.len(), |after| at + 1 + after);
            let local =
                plain[local_start..at].trim_matches('.').trim_start_matches(['\'', '`', '/', '*', '|', '{', '=']);
            let host = plain[at + 1..host_end].trim_matches(['.', '-']);
            if is_valid(local, host) {
                let address = format!("{local}@{}", host.to_lowercase());
                if !found.contains(&address) {
                    found.push(address);
                }
            }
        }
        match found.as_slice() {
            [] => fail("there is no address such as name@example.org in it"),
            [one] => Ok(Self(one.clone())),
            _ => fail("there is more than one address in it; use a list, or a narrower selector"),
        }
    }
}

fn is_valid(local: &str, host: &str) -> bool {
    let labels: Vec<_> = host.split('.').collect();
    let top = labels.last().copied().unwrap_or_default();
    !local.is_empty()
        && local.len() <= 64
        && !local.contains("..")
        && labels.len() >= 2
        && labels
            .iter()
            .all(|label| !label.is_empty() && label.len() <= 63 && !label.starts_with('-') && !label.ends_with('-'))
        && top.chars().count() >= 2
        && !top.chars().all(|c| c.is_ascii_digit())
        && local.len() + 1 + host.len() <= MAX_EMAIL
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = match (first, tail) {
            (b'%', [high, low, ..]) => {
                char::from(*high).to_digit(16).zip(char::from(*low).to_digit(16)).map(|(high, low)| high * 16 + low)
            }
            _ => None,
        };
        match hex {
            Some(byte) => {
                bytes.push(byte as u8);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl FromStr for Email {
    type Err = ConvertError;

    fn from_str(text: &str) -> Result<Self, ConvertError> {
        Self::read(text)
    }
}

impl Phone {
    /// Finds a telephone number in a text. With a leading `+` or `00`, after `tel:`, or with a region (ISO 3166, `DE`)
    /// for national numbers it becomes E.164; without, the digits stay as they are written.
    ///
    /// # Errors
    /// When there is no number of a plausible length, or it does not exist in its country.
    pub fn read(text: &str, region: Option<&str>) -> Result<Self, ConvertError> {
        let fail = |message: String| Err(ConvertError::new("phone", text, message));
        let plain = number::ascii_digits(text.trim());
        if plain.len() > 1 << 10 {
            return fail("the text is too long for a number".to_owned());
        }
        let plain = match plain.get(..4) {
            Some(scheme) if scheme.eq_ignore_ascii_case("tel:") => {
                percent_decoded(plain[4..].split(';').next().unwrap_or_default())
            }
            _ => plain,
        };
        // From the first sign of a number to the last digit of the run.
        let Some(start) = plain.find(|c: char| c.is_ascii_digit() || c == '+' || c == '(') else {
            return fail("there is no number in it".to_owned());
        };
        let allowed = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-–‐‑()./\u{a0}".contains(c);
        let end = plain[start..].find(|c| !allowed(c)).map_or(plain.len(), |at| start + at);
        let run = plain[start..end].trim_matches(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '(' | ')'));
        let digits: String = run.chars().filter(char::is_ascii_digit).collect();
        if !(5..=17).contains(&digits.len()) {
            return fail(format!("a number has 5 to 17 digits, and this has {}", digits.len()));
        }
        let region = match region {
            None => None,
            Some(name) => match name.to_ascii_uppercase().parse::<phonenumber::country::Id>() {
                Ok(region) => Some(region),
                Err(_) => return fail(format!("the region `{name}` is no ISO 3166 country such as `DE`")),
            },
        };
        let international = run.starts_with('+') || (digits.starts_with("00") && region.is_none());
        if !international && region.is_none() {
            return Ok(Self(digits));
        }
        // `+44 (0)20` writes a trunk prefix that is not dialled from abroad.
        let run = if international { run.replacen("(0)", "", 1) } else { run.to_owned() };
        let run = match run.strip_prefix("00") {
            Some(rest) if international => format!("+{rest}"),
            _ => run,
        };
        match phonenumber::parse(region, &run) {
            Ok(number) if number.is_valid() || international => {
                Ok(Self(number.format().mode(phonenumber::Mode::E164).to_string()))
            }
            Ok(_) => fail("no such number exists in its country".to_owned()),
            Err(error) => fail(format!("it does not read as a telephone number: {error}")),
        }
    }
}

impl FromStr for Phone {
    type Err = ConvertError;

    fn from_str(text: &str) -> Result<Self, ConvertError> {
        Self::read(text, None)
    }
}

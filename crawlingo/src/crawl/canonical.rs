//! When two requests are one: the key by which a crawl knows what it has seen.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

/// What needs no encoding anywhere in a URL (RFC 3986, 2.3).
pub(super) const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The key of a request: 128 bits of its method, canonical URL and body.
pub type RequestKey = u128;

/// The canonical form of a URL, for comparing only: what is fetched is the URL as it was written.
///
/// Scheme and host are in lower case, the default port is left out, dot segments are resolved (the URL parser does all
/// that); percent-encodings of what needs none are decoded and the others in upper case (RFC 3986, 6.2.2); the parameters
/// of the query are sorted by name, those of one name keep their order; the fragment is dropped, and an empty query.
///
/// ```
/// use crawlingo::crawl::canonical_url;
/// use url::Url;
/// let url = Url::parse("HTTP://Example.org:80/a/../b?y=2&x=%7e1#top").unwrap();
/// assert_eq!(canonical_url(&url), "http://example.org/b?x=~1&y=2");
/// ```
pub fn canonical_url(url: &Url) -> String {
    let mut out = url[..url::Position::BeforePath].to_owned();
    out.push_str(&normal(url.path(), b"/:@!$&'()*+,;="));
    let mut pairs: Vec<String> = match url.query() {
        Some(query) => {
            query.split('&').filter(|pair| !pair.is_empty()).map(|pair| normal(pair, b"/?:@!$'()*+,;=")).collect()
        }
        None => Vec::new(),
    };
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    pairs.sort_by_cached_key(|pair| name(pair));
    if !pairs.is_empty() {
        out.push('?');
        out.push_str(&pairs.join("&"));
    }
    out
}

/// Decodes what needs no encoding, and writes the other encodings in upper case. What stands as it is, and may, stays.
fn normal(text: &str, free: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&plain(&rest[..at], free));
        let triplet = rest.get(at..at + 3).filter(|triplet| triplet[1..].bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(triplet) = triplet else {
            out.push_str("%25");
            rest = &rest[at + 1..];
            continue;
        };
        let byte = percent_decode_str(triplet).next().unwrap_or(b'%');
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&triplet.to_ascii_uppercase());
        }
        rest = &rest[at + 3..];
    }
    out.push_str(&plain(rest, free));
    out
}

fn plain(text: &str, free: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() && free.contains(&(letter as u8)) {
            out.push(letter);
        } else {
            out.extend(utf8_percent_encode(letter.encode_utf8(&mut [0; 4]), ENCODED));
        }
    }
    out
}

/// The key of a request.
pub fn request_key(method: &str, url: &Url, body: &[u8]) -> RequestKey {
    let mut whole = format!("{method}\n{}\n", canonical_url(url)).into_bytes();
    whole.extend_from_slice(body);
    xxh3_128(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_one_page_has_one_form() {
        for (a, b, same) in [
            ("http://x.org", "http://x.org/", true),
            ("http://x.org/?", "http://x.org/", true),
            ("http://x.org/a?b=1&a=2", "http://x.org/a?a=2&b=1", true),
            ("http://x.org/a?a=2&a=1", "http://x.org/a?a=1&a=2", false),
            ("http://x.org/%C3%a9", "http://x.org/é", true),
            ("http://x.org/a%2Fb", "http://x.org/a/b", false),
            ("http://x.org/a%2fb", "http://x.org/a%2Fb", true),
            ("http://x.org/100%", "http://x.org/100%25", true),
            ("http://x.org/a#b", "http://x.org/a#c", true),
            ("http://x.org/A", "http://x.org/a", false),
            ("https://x.org/", "http://x.org/", false),
            ("http://x.org/a+b", "http://x.org/a%2Bb", false),
        ] {
            let form = |text: &str| canonical_url(&Url::parse(text).expect("it is one"));
            assert_eq!(form(a) == form(b), same, "{} {}", form(a), form(b));
            let again = form(&form(a));
            assert_eq!(again, form(a), "it is stable");
        }
        let url = Url::parse("http://x.org/").expect("it is one");
        assert_ne!(request_key("GET", &url, b""), request_key("POST", &url, b""));
        assert_ne!(request_key("POST", &url, b"a"), request_key("POST", &url, b"b"));
    }
}

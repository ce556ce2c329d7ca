//! The rules of a robots.txt: read as leniently as those who write it by hand need, matched as RFC 9309 and Google's
//! documentation say: the group of the longest name that fits, the longest pattern that matches, `allow` where two are as
//! long.

use std::time::Duration;

#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    pub(super) delay: Option<Duration>,
    pub(super) sitemaps: Vec<String>,
}

#[derive(Debug, Clone)]
struct Rule {
    allow: bool,
    pattern: Vec<Part>,
    /// How long the pattern is as it was written: the longest decides.
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Byte(u8),
    /// An encoded slash is no slash.
    Slash,
    Any,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    UserAgent,
    Allow,
    Disallow,
    CrawlDelay,
    Sitemap,
    Other,
}

/// The keys, as they are written, misspelt ones among them.
fn key_of(text: &str) -> Key {
    let letters: String =
        text.chars().filter(|letter| !matches!(letter, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect();
    match letters.as_str() {
        "useragent" => Key::UserAgent,
        "allow" => Key::Allow,
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Key::Disallow,
        "crawldelay" => Key::CrawlDelay,
        "sitemap" | "site-map" => Key::Sitemap,
        _ => Key::Other,
    }
}

/// Key and value of a line; a colon may be missing between two words.
fn split(line: &str) -> Option<(Key, &str)> {
    let line = line.split('#').next().unwrap_or_default().trim();
    if let Some((key, value)) = line.split_once(':') {
        return Some((key_of(key), value.trim()));
    }
    let (key, value) = line.split_once(char::is_whitespace)?;
    let key = key_of(key);
    (key != Key::Other && !value.trim().contains(char::is_whitespace)).then(|| (key, value.trim()))
}

/// The name of a `User-agent` line: its first word, without a version.
fn name_of(value: &str) -> String {
    let word = value.split(|letter: char| letter.is_whitespace() || letter == '/').next().unwrap_or_default();
    word.to_lowercase()
}

impl Rules {
    pub(super) fn parse(agent: &str, text: &str) -> Self {
        let agent = agent.to_lowercase();
        // How well a name fits: 0 for `*`, else its length.
        let fit = |name: &str| match name {
            "*" => Some(0),
            "" => None,
            // A word of the agent begins with it: `bot` is not `mybot`.
            name => agent
                .match_indices(name)
                .any(|(at, _)| !agent[..at].ends_with(char::is_alphanumeric))
                .then_some(name.len()),
        };
        let mut found = Self::default();
        let (mut best, mut here, mut before): (Option<usize>, Option<usize>, Option<Key>) = (None, None, None);
        let lines = text.trim_start_matches('\u{feff}').split(['\n', '\r']);
        for (key, value) in lines.filter_map(split) {
            match key {
                Key::Sitemap if !value.is_empty() => found.sitemaps.push(value.to_owned()),
                Key::UserAgent => {
                    if before != Some(Key::UserAgent) {
                        here = None;
                    }
                    let fits = fit(&name_of(value));
                    here = here.max(fits);
                    if here > best {
                        best = here;
                        found.rules.clear();
                        found.delay = None;
                    }
                }
                // Of a group that fits less well than another nothing counts; of several that fit as well, all.
                Key::Allow | Key::Disallow if here.is_some() && here == best && !value.is_empty() => {
                    found.add(key == Key::Allow, value);
                }
                Key::CrawlDelay if here.is_some() && here == best => {
                    let seconds = value.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
                    found.delay = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).or(found.delay);
                }
                _ => {}
            }
            // Sitemaps belong to no group.
            before = if key == Key::Sitemap { before } else { Some(key) };
        }
        found
    }

    fn add(&mut self, allow: bool, pattern: &str) {
        self.rules.push(Rule { allow, pattern: parts(pattern), length: pattern.len() });
        // A folder's index is the folder.
        let folder = pattern.strip_suffix("/index.html").or_else(|| pattern.strip_suffix("/index.htm"));
        if let (true, Some(folder)) = (allow, folder) {
            let pattern = format!("{folder}/$");
            self.rules.push(Rule { allow, length: pattern.len(), pattern: parts(&pattern) });
        }
    }

    /// Whether a URL, or its path, may be fetched.
    pub(super) fn allows(&self, url: &str) -> bool {
        let path = path_of(url);
        if path == "/robots.txt" {
            return true;
        }
        let path = bytes_of(path);
        let matching = self.rules.iter().filter(|rule| matches(&rule.pattern, &path));
        matching.max_by_key(|rule| (rule.length, rule.allow)).is_none_or(|rule| rule.allow)
    }
}

/// Path and query of a URL, which may be given by them alone.
fn path_of(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or_default();
    let rest = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?']) => rest,
        _ if url.starts_with("//") => &url[2..],
        _ => return if url.is_empty() { "/" } else { url },
    };
    rest.find(['/', '?', ';']).map_or("/", |at| &rest[at..])
}

/// A byte of an encoded one, or as it is.
fn decode(bytes: &[u8], at: usize) -> (u8, usize) {
    let digit = |at: usize| bytes.get(at).and_then(|&byte| (byte as char).to_digit(16));
    match (bytes[at], digit(at + 1), digit(at + 2)) {
        (b'%', Some(high), Some(low)) => ((high * 16 + low) as u8, 3),
        (byte, ..) => (byte, 1),
    }
}

fn literal(byte: u8, length: usize) -> Part {
    if byte == b'/' && length == 3 { Part::Slash } else { Part::Byte(byte) }
}

fn bytes_of(path: &str) -> Vec<Part> {
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let (bytes, mut out, mut at) = (path.as_bytes(), Vec::with_capacity(path.len()), 0);
    while at < bytes.len() {
        let (byte, length) = decode(bytes, at);
        out.push(literal(byte, length));
        at += length;
    }
    out
}

fn parts(pattern: &str) -> Vec<Part> {
    let (bytes, mut out, mut at) = (pattern.as_bytes(), Vec::with_capacity(pattern.len()), 0);
    while at < bytes.len() {
        let (byte, length) = decode(bytes, at);
        let last = at + length == bytes.len();
        match byte {
            b'*' if length == 1 => {
                // Several in a row say the same as one.
                if out.last() != Some(&Part::Any) {
                    out.push(Part::Any);
                }
            }
            b'$' if length == 1 && last => out.push(Part::End),
            byte => out.push(literal(byte, length)),
        }
        at += length;
    }
    out
}

/// Whether the pattern matches the beginning of a path: in time of their product at worst, in no more space.
fn matches(pattern: &[Part], path: &[Part]) -> bool {
    let (mut in_pattern, mut in_path) = (0, 0);
    // Where to go on when what comes after the last `*` does not fit.
    let mut star: Option<(usize, usize)> = None;
    loop {
        match pattern.get(in_pattern) {
            None => return true,
            Some(Part::Any) => {
                in_pattern += 1;
                star = Some((in_pattern, in_path));
                continue;
            }
            // A `$` that the path itself ends in is taken for it.
            Some(Part::End) if path.len() == in_path || path[in_path..] == [Part::Byte(b'$')] => return true,
            Some(part) if path.get(in_path) == Some(part) => {
                in_pattern += 1;
                in_path += 1;
                continue;
            }
            Some(_) => {}
        }
        let Some((after, from)) = star.filter(|(_, from)| *from < path.len()) else { return false };
        star = Some((after, from + 1));
        (in_pattern, in_path) = (after, from + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_from_the_start() {
        for (pattern, path, wanted) in [
            ("/", "/a", true),
            ("/a", "/b", false),
            ("/*.php$", "/x/y.php", true),
            ("/*.php$", "/x/y.php?a", false),
            ("/a*b*c", "/a__b__b__c__", true),
            ("/a*b*c", "/a__c__b", false),
            ("/%7Ejoe", "/~joe/x", true),
            ("/a%2Fb", "/a/b", false),
            ("/fish*", "/fish", true),
            ("*", "/x", true),
            ("/*/*/*/*/*/x", &format!("/{}", "a/".repeat(2000)), false),
        ] {
            assert_eq!(matches(&parts(pattern), &bytes_of(path)), wanted, "{pattern} {path}");
        }
    }
}

//! The links of a page that a spider follows.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use crawlingo_schema::css::CssSelector;
use crawlingo_schema::xpath::XPath;
use crawlingo_schema::{FollowRule, Query, SpiderSpec, Take, css, pattern, xpath};
use regex::Regex;
use url::Url;

use crate::Error;
use crate::dom::{Document, Element};
use crate::session::Page;

/// The most links that one page gives.
const MAX_LINKS: usize = 50_000;
/// The longest address that is followed.
const MAX_URL: usize = 8_192;

/// A link that is to be followed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) url: Url,
    pub(super) priority: i32,
}

/// Why links were left out, and how many.
pub(super) type Skipped = BTreeMap<&'static str, u64>;

/// The rules of a spider, compiled.
#[derive(Debug)]
pub(super) struct Links {
    rules: Vec<Rule>,
    allow: Vec<Regex>,
    deny: Vec<Regex>,
    max_depth: Option<u32>,
    /// With their subdomains.
    domains: Vec<String>,
    /// As they are.
    hosts: RwLock<Vec<String>>,
}

#[derive(Debug)]
struct Rule {
    find: Find,
    attr: Option<String>,
    allow: Vec<Regex>,
    deny: Vec<Regex>,
    depth: Option<u32>,
    priority: i32,
    nofollow: bool,
}

#[derive(Debug)]
enum Find {
    Css(CssSelector),
    XPath(XPath),
}

fn patterns(texts: &[String]) -> Result<Vec<Regex>, Error> {
    texts.iter().map(|text| Ok(pattern::parse(text)?)).collect()
}

fn passes(url: &str, allow: &[Regex], deny: &[Regex]) -> bool {
    (allow.is_empty() || allow.iter().any(|pattern| pattern.is_match(url)))
        && !deny.iter().any(|pattern| pattern.is_match(url))
}

impl Rule {
    fn new(rule: &FollowRule) -> Result<Self, Error> {
        let mut attr = match &rule.selector.take {
            Take::Attr(name) => Some(name.clone()),
            _ => None,
        };
        let find = match &rule.selector.query {
            Query::Css(text) => {
                let selector = css::parse(text)?;
                if let Some(Take::Attr(name)) = selector.take() {
                    attr = Some(name.clone());
                }
                Find::Css(selector)
            }
            Query::XPath(text) => Find::XPath(xpath::parse(text)?),
            other => return Err(Error::config("follow", format!("`{}` finds no elements that link", other.key()))),
        };
        Ok(Self {
            find,
            attr,
            allow: patterns(&rule.allow)?,
            deny: patterns(&rule.deny)?,
            depth: rule.depth,
            priority: rule.priority,
            nofollow: rule.nofollow,
        })
    }

    fn elements<'a>(&self, document: &'a Document) -> Result<Vec<Element<'a>>, Error> {
        match &self.find {
            Find::Css(selector) => Ok(document.select(selector).take(MAX_LINKS).collect()),
            Find::XPath(xpath) => crate::select::xpath::elements(xpath, document.root()),
        }
    }

    /// The address that an element links to: its own, or that of the first link in it.
    fn address<'a>(&self, element: Element<'a>) -> Option<&'a str> {
        match &self.attr {
            Some(name) => element.attr(name),
            None => element.attr("href").or_else(|| element.descendants().find_map(|inner| inner.attr("href"))),
        }
    }
}

impl Links {
    pub(super) fn new(spec: &SpiderSpec) -> Result<Self, Error> {
        let hosts = match spec.hosts.is_empty() {
            true => spec.start.iter().filter_map(|start| Url::parse(start).ok()).filter_map(|url| host(&url)).collect(),
            false => Vec::new(),
        };
        Ok(Self {
            rules: spec.follow.iter().map(Rule::new).collect::<Result<_, _>>()?,
            allow: patterns(&spec.allow)?,
            deny: patterns(&spec.deny)?,
            max_depth: spec.max_depth,
            domains: spec.hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            hosts: RwLock::new(hosts),
        })
    }

    /// Lets a host be visited, too: that which a start leads to.
    pub(super) fn add_host(&self, url: &Url) {
        if let (Some(host), true) = (host(url), self.domains.is_empty()) {
            let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
    }

    /// The hosts that may be visited beside those of the spider.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.hosts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_hosts(&self, hosts: Vec<String>) {
        *self.hosts.write().unwrap_or_else(PoisonError::into_inner) = hosts;
    }

    /// Why a URL may not be visited; `None` if it may.
    pub(super) fn refuses(&self, url: &Url) -> Option<&'static str> {
        let Some(host) = host(url).filter(|_| matches!(url.scheme(), "http" | "https")) else {
            return Some("not http");
        };
        let within = |domain: &String| {
            host == *domain || host.strip_suffix(domain.as_str()).is_some_and(|rest| rest.ends_with('.'))
        };
        let known = self.domains.iter().any(within)
            || self.hosts.read().unwrap_or_else(PoisonError::into_inner).contains(&host);
        if !known {
            return Some("another host");
        }
        if url.as_str().len() > MAX_URL {
            return Some("too long");
        }
        (!passes(url.as_str(), &self.allow, &self.deny)).then_some("filter")
    }

    /// What a page links to, each once, in the order of the page.
    pub(super) fn of_page(&self, page: &Page, depth: u32) -> Result<(Vec<Link>, Skipped), Error> {
        let (mut links, mut skipped) = (Vec::new(), Skipped::new());
        if self.max_depth.is_some_and(|most| depth >= most) {
            return Ok((links, skipped));
        }
        let document = page.document();
        let base = document.base_url(page.url());
        let mut seen = std::collections::HashSet::new();
        for rule in self.rules.iter().filter(|rule| rule.depth.is_none_or(|most| depth < most)) {
            for element in rule.elements(document)? {
                let Some(address) = rule.address(element) else { continue };
                let mut skip = |why: &'static str| *skipped.entry(why).or_default() += 1;
                let says_no = |element: Element<'_>| {
                    element.attr("rel").is_some_and(|rel| {
                        rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("nofollow"))
                    })
                };
                if rule.nofollow && says_no(element) {
                    skip("nofollow");
                    continue;
                }
                let Ok(mut url) = base.join(address.trim()) else {
                    skip("no URL");
                    continue;
                };
                url.set_fragment(None);
                if let Some(why) = self.refuses(&url) {
                    skip(why);
                } else if !passes(url.as_str(), &rule.allow, &rule.deny) {
                    skip("filter");
                } else if seen.insert(url.clone()) {
                    links.push(Link { url, priority: rule.priority });
                    if links.len() == MAX_LINKS {
                        return Ok((links, skipped));
                    }
                }
            }
        }
        Ok((links, skipped))
    }
}

/// The host with its port, where that is not the scheme's own.
fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?.to_ascii_lowercase();
    Some(url.port().map_or(host.clone(), |port| format!("{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(spec: &str, html: &str, depth: u32) -> (Vec<String>, Skipped) {
        let spec = format!("name = \"x\"\nstart = [\"https://a.example/\"]\n{spec}");
        let links = Links::new(&SpiderSpec::from_toml(&spec).expect("it is right")).expect("it compiles");
        let page = Page::from_html(html, "https://a.example/list/1").expect("a page");
        let (found, skipped) = links.of_page(&page, depth).expect("it reads");
        (found.into_iter().map(|link| link.url.to_string()).collect(), skipped)
    }

    #[test]
    fn what_links_is_followed_within_the_rules() {
        let html = "<base href=/b/><a class=n href=2>2</a><a class=n href=2#x>2</a><a class=n rel='x nofollow' href=3>3</a>\
                    <a class=n href=https://other.example/>o</a><a class=n href=mailto:a@b.c>m</a><a class=n href='http://['>x</a>\
                    <li class=n><a href=deep/private>d</a></li><img class=n data-full=/i>";
        let (found, skipped) = links("[[follow]]\ncss = \".n\"\nnofollow = true\ndeny = [\"private\"]", html, 0);
        assert_eq!(found, ["https://a.example/b/2"]);
        let wanted = [("another host", 1), ("filter", 1), ("no URL", 1), ("nofollow", 1), ("not http", 1)];
        assert_eq!(skipped.into_iter().collect::<Vec<_>>(), wanted);
        assert_eq!(links("[[follow]]\ncss = \"img::attr(data-full)\"", html, 0).0, ["https://a.example/i"]);
        assert_eq!(links("[[follow]]\nxpath = \"//li\"", html, 0).0, ["https://a.example/b/deep/private"]);
        assert!(links("[[follow]]\ncss = \".n\"\ndepth = 2", html, 2).0.is_empty());
        assert!(links("max_depth = 1\n[[follow]]\ncss = \".n\"", html, 1).0.is_empty());
        let all = links("hosts = [\"example\"]\n[[follow]]\ncss = \"a\"\nallow = [\"other\"]", html, 0).0;
        assert_eq!(all, ["https://other.example/"]);
    }
}

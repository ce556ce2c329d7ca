//! Sitemaps: lists of pages, and lists of such lists.
//!
//! Source: [sitemaps.org](https://www.sitemaps.org/protocol.html). Feeds (RSS 2.0, Atom 1.0) and plain lists of addresses
//! are sitemaps, too.

use std::borrow::Cow;
use std::io::Read as _;

use quick_xml::events::{BytesStart, Event};

use crate::dom::decode_or_utf8;

/// The most entries that one file gives; the protocol allows 50,000.
const MAX_ENTRIES: usize = 50_000;
/// The most bytes of a file when it is unpacked; the protocol allows 50 MiB.
const MAX_BYTES: u64 = 64 << 20;
/// The longest text of an element.
const MAX_TEXT: usize = 16_384;

/// What a sitemap says, in the order of the file.
///
/// ```
/// use crawlingo::crawl::Sitemap;
/// let text = b"<urlset><url><loc> https://x.example/a </loc><lastmod>2026-05-01</lastmod></url></urlset>";
/// let sitemap = Sitemap::parse(text);
/// assert_eq!(sitemap.pages[0].loc, "https://x.example/a");
/// assert!(sitemap.sitemaps.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sitemap {
    /// The pages.
    pub pages: Vec<SitemapEntry>,
    /// Other sitemaps, of an index.
    pub sitemaps: Vec<SitemapEntry>,
}

/// An entry of a sitemap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SitemapEntry {
    /// The address, as written but for white space around it.
    pub loc: String,
    /// When it was changed, as written.
    pub lastmod: Option<String>,
    /// How often it changes, as written.
    pub changefreq: Option<String>,
    /// From 0 to 1, as written.
    pub priority: Option<String>,
    /// The same page in other languages.
    pub alternates: Vec<String>,
}

/// The elements whose text counts.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Loc,
    LastMod,
    ChangeFreq,
    Priority,
}

impl Sitemap {
    /// Reads a file: XML, a feed, or one address a line; as it is or packed by gzip. It never fails: of a damaged file it
    /// gives what stands before the damage. No entity is resolved but those of XML itself.
    pub fn parse(bytes: &[u8]) -> Self {
        let bytes = unpacked(bytes);
        let text = decode_or_utf8(&bytes);
        let start = text.trim_start_matches('\u{feff}').trim_start();
        match start.starts_with('<') {
            true => Self::xml(start),
            false => Self::list(start),
        }
    }

    fn list(text: &str) -> Self {
        let address = |line: &&str| line.starts_with("http://") || line.starts_with("https://");
        let lines = text.lines().map(str::trim).filter(address).filter(|line| line.len() <= MAX_TEXT);
        let entry = |line: &str| SitemapEntry { loc: line.to_owned(), ..SitemapEntry::default() };
        Self { pages: lines.take(MAX_ENTRIES).map(entry).collect(), sitemaps: Vec::new() }
    }

    fn xml(text: &str) -> Self {
        let mut reader = quick_xml::Reader::from_str(text);
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        let mut reading = Reading::default();
        loop {
            let event = match reader.read_event() {
                Ok(Event::Eof) => break,
                Ok(event) => event,
                Err(error) => {
                    tracing::warn!(target: "crawlingo::crawl", %error, at = reader.error_position(), "a sitemap is damaged");
                    break;
                }
            };
            match event {
                Event::Start(tag) => reading.open(&tag),
                Event::Empty(tag) => {
                    reading.open(&tag);
                    reading.close(local(tag.name().as_ref()));
                }
                Event::End(tag) => reading.close(local(tag.name().as_ref())),
                Event::Text(text) => reading.text(&text.xml10_content()),
                Event::CData(text) => reading.text(&text.xml10_content()),
                Event::GeneralRef(reference) => {
                    if let Ok(Some(letter)) = reference.resolve_char_ref() {
                        reading.text(letter.encode_utf8(&mut [0; 4]));
                    } else if let Some(known) =
                        quick_xml::escape::resolve_xml_entity(&reference)
                    {
                        reading.text(known);
                    }
                }
                _ => {}
            }
            if reading.found.pages.len() + reading.found.sitemaps.len() >= MAX_ENTRIES {
                break;
            }
        }
        reading.found
    }
}

/// The name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

#[derive(Default)]
struct Reading {
    found: Sitemap,
    entry: Option<SitemapEntry>,
    part: Option<Part>,
    text: String,
}

impl Reading {
    fn open(&mut self, tag: &BytesStart<'_>) {
        let name = tag.name();
        // Extensions have their own `loc`, as of an image, with a prefix.
        let prefixed = name.as_ref().contains(':');
        let attribute = |key: &str| {
            let found = tag.try_get_attribute(key).ok().flatten()?;
            let value = found.value.trim().to_owned();
            let value = quick_xml::escape::unescape(&value).map(Cow::into_owned).unwrap_or(value);
            Some(value).filter(|value| !value.is_empty() && value.len() <= MAX_TEXT)
        };
        match local(name.as_ref()) {
            "url" | "sitemap" | "item" | "entry" if !prefixed => self.entry = Some(SitemapEntry::default()),
            "loc" if !prefixed => self.begin(Part::Loc),
            "link" if self.entry.is_some() => match (attribute("rel"), attribute("href")) {
                (Some(rel), Some(href)) if rel == "alternate" && prefixed => {
                    if let Some(entry) = &mut self.entry {
                        entry.alternates.push(href);
                    }
                }
                // Atom: the page is what the entry's link without a relation, or `alternate`, leads to.
                (rel, Some(href)) if !prefixed && rel.as_deref().is_none_or(|rel| rel == "alternate") => {
                    if let Some(entry) = &mut self.entry
                        && entry.loc.is_empty()
                    {
                        entry.loc = href;
                    }
                }
                (_, None) if !prefixed => self.begin(Part::Loc),
                _ => {}
            },
            "lastmod" | "pubDate" | "updated" if !prefixed => self.begin(Part::LastMod),
            "changefreq" if !prefixed => self.begin(Part::ChangeFreq),
            "priority" if !prefixed => self.begin(Part::Priority),
            _ => {}
        }
    }

    fn begin(&mut self, part: Part) {
        if self.entry.is_some() {
            self.part = Some(part);
            self.text.clear();
        }
    }

    fn text(&mut self, text: &str) {
        if self.part.is_some() && self.text.len() + text.len() <= MAX_TEXT {
            self.text.push_str(text);
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(part) = self.part
            && matches!(
                (name, part),
                ("loc" | "link", Part::Loc)
                    | ("lastmod" | "pubDate" | "updated", Part::LastMod)
                    | ("changefreq", Part::ChangeFreq)
                    | ("priority", Part::Priority)
            )
        {
            let text = self.text.trim().to_owned();
            self.part = None;
            let Some(entry) = &mut self.entry else { return };
            match part {
                Part::Loc if !text.is_empty() => entry.loc = text,
                Part::Loc => {}
                Part::LastMod => entry.lastmod = Some(text),
                Part::ChangeFreq => entry.changefreq = Some(text),
                Part::Priority => entry.priority = Some(text),
            }
            return;
        }
        let to = match name {
            "sitemap" => &mut self.found.sitemaps,
            "url" | "item" | "entry" => &mut self.found.pages,
            _ => return,
        };
        if let Some(entry) = self.entry.take().filter(|entry| !entry.loc.is_empty()) {
            to.push(entry);
        }
    }
}

/// Unpacks what is packed, up to a bound.
fn unpacked(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Cow::Borrowed(bytes);
    }
    let mut out = Vec::new();
    // What was unpacked before a fault counts.
    if let Err(error) = flate2::read::MultiGzDecoder::new(bytes).take(MAX_BYTES).read_to_end(&mut out) {
        tracing::warn!(target: "crawlingo::crawl", %error, "a packed sitemap is damaged");
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn locs(bytes: &[u8]) -> Vec<String> {
        Sitemap::parse(bytes).pages.into_iter().map(|entry| entry.loc).collect()
    }

    #[test]
    fn files_of_every_shape_are_taken() {
        assert_eq!(locs(b"http://a/1\n\n x\r\nhttps://a/2"), ["http://a/1", "https://a/2"]);
        assert_eq!(
            locs(b"<urlset><url><loc>http://a/?a=1&amp;b=2</loc></url><url><loc>http://a/2"),
            ["http://a/?a=1&b=2"]
        );
        let rss = b"<rss><channel><link>http://a/</link><item><link>http://a/1</link></item></channel></rss>";
        assert_eq!(locs(rss), ["http://a/1"]);
        let atom = b"<feed><link href='http://a/'/><entry><link rel='self' href='http://a/s'/><link href='http://a/1'/></entry></feed>";
        assert_eq!(locs(atom), ["http://a/1"]);
        let image = b"<urlset xmlns:i='x'><url><loc>http://a/1</loc><i:image><i:loc>http://a/i</i:loc></i:image></url></urlset>";
        assert_eq!(locs(image), ["http://a/1"]);
        for hostile in [&b""[..], b"<", b"<urlset>", b"\x1f\x8b\x08", b"</url></url>", b"<url><loc>", &[0xff; 300]] {
            assert!(locs(hostile).is_empty());
        }
    }

    #[test]
    fn what_is_packed_is_bounded() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let line = b"http://a.example/page\n".repeat(1000);
        for _ in 0..5_000 {
            packed.write_all(&line).expect("memory takes it");
        }
        assert_eq!(locs(&packed.finish().expect("memory takes it")).len(), MAX_ENTRIES);
    }
}

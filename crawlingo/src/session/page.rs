//! A page: a response and the document made of it.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use url::Url;

use super::form::Form;
use super::healing::Healer;
use super::list::ElementList;
use crate::Error;
use crate::dataset::{Dataset, Extraction, Extractor, Source};
use crate::dom::{Document, Element, Link, MainContent, MarkdownOptions, ParseOptions, Table};
use crate::select::anchor::{TextFinder, TextQuery};
use crate::select::xpath::XPathValue;
use crate::types::{Headers, Response};
use crawlingo_schema::{css, pattern};

/// A fetched or given page. Cheap to clone, `Send` and `Sync`.
///
/// ```
/// use crawlingo::Page;
/// let page = Page::from_html("<h1>Books</h1><p class=price>Price: £5", "https://example.org/shop/")?;
/// assert_eq!(page.css("h1")?.get().as_deref(), Some("Books"));
/// assert_eq!(page.after_text("Price").as_deref(), Some("£5"));
/// assert_eq!(page.regex(r"£(\d+)")?, ["5"]);
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Page(Arc<Inner>, Option<Healer>);

#[derive(Debug)]
struct Inner {
    response: Response,
    content: Content,
    fetched_at: jiff::Timestamp,
}

#[derive(Debug)]
enum Content {
    Document(Document),
    /// A JSON response; the document is empty.
    Json(serde_json::Value, Document),
}

impl Page {
    /// A page of HTML, without the network. `url` is what its relative addresses are relative to.
    ///
    /// # Errors
    /// When the URL is no absolute one, or the page passes a bound of [`ParseOptions`].
    pub fn from_html(html: &str, url: &str) -> Result<Self, Error> {
        Self::from_bytes(html.as_bytes().to_vec(), Some("text/html; charset=utf-8"), url)
    }

    /// A page of bytes, without the network: HTML or, by its content type, JSON.
    ///
    /// # Errors
    /// When the URL is no absolute one, the bytes are no document, or they pass a bound of [`ParseOptions`].
    pub fn from_bytes(bytes: impl Into<Bytes>, content_type: Option<&str>, url: &str) -> Result<Self, Error> {
        let url = Url::parse(url).map_err(|error| {
            Error::config(
                "url",
                format!("{url:?} is not an absolute URL: {error}; write it like https://example.org/page"),
            )
        })?;
        let mut response = Response::new(StatusCode::OK, url);
        if let Some(content_type) = content_type {
            response.headers.insert("content-type", content_type)?;
        }
        response.body = crate::types::Body::Full(bytes.into());
        Self::from_response(response)
    }

    /// A page of a response.
    ///
    /// # Errors
    /// When the body is no document, or passes a bound of [`ParseOptions`].
    pub fn from_response(response: Response) -> Result<Self, Error> {
        let content_type = response.content_type().unwrap_or_default().to_owned();
        let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let url = response.url.to_string();
        let bytes = response.bytes();
        let is_json = media_type == "application/json" || media_type == "text/json" || media_type.ends_with("+json");
        let content = if is_json {
            let json = read_json(bytes).map_err(|error| error.at_url(&url))?;
            Content::Json(json, Document::parse(""))
        } else if is_no_document(&media_type) && !bytes.is_empty() {
            let message = format!("the answer is `{media_type}`, not a page; get its bytes with `session.fetch`");
            return Err(Error::parse(message).at_url(&url));
        } else {
            let options = ParseOptions::default().content_type(content_type);
            let document = match is_xml(&media_type) {
                true => Document::parse_xml_bytes(bytes, &options),
                false => Document::parse_bytes(bytes, &options),
            };
            Content::Document(document.map_err(|error| error.at_url(&url))?)
        };
        Ok(Self(Arc::new(Inner { response, content, fetched_at: jiff::Timestamp::now() }), None))
    }

    /// The page itself if its status is no failure.
    ///
    /// # Errors
    /// `ErrorKind::Fetch` for a status of 400 and above.
    pub fn error_for_status(self) -> Result<Self, Error> {
        let response = &self.0.response;
        if response.status.is_client_error() || response.status.is_server_error() {
            return Err(crate::types::status_error(&response.url, response.status, &response.headers));
        }
        Ok(self)
    }

    /// The status, such as 200.
    pub fn status(&self) -> u16 {
        self.0.response.status.as_u16()
    }

    /// The page's address, after redirects.
    pub fn url(&self) -> &Url {
        &self.0.response.url
    }

    /// The headers of the response.
    pub fn headers(&self) -> &Headers {
        &self.0.response.headers
    }

    /// The response.
    pub fn response(&self) -> &Response {
        &self.0.response
    }

    /// The document; empty for a JSON response.
    pub fn document(&self) -> &Document {
        match &self.0.content {
            Content::Document(document) | Content::Json(_, document) => document,
        }
    }

    /// The value of a JSON response.
    ///
    /// # Errors
    /// When the response is not JSON.
    pub fn json(&self) -> Result<&serde_json::Value, Error> {
        match &self.0.content {
            Content::Json(json, _) => Ok(json),
            Content::Document(_) => {
                let said = self.0.response.content_type().unwrap_or("nothing");
                Err(Error::parse(format!("it is not JSON by its content type, which says {said}"))
                    .at_url(self.url().as_str()))
            }
        }
    }

    /// The title.
    pub fn title(&self) -> Option<String> {
        self.document().title()
    }

    /// The visible text.
    pub fn text(&self) -> String {
        self.document().text()
    }

    /// The document as HTML.
    pub fn html(&self) -> String {
        self.document().html()
    }

    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        self.document().markdown()
    }

    /// The page as Markdown, with options.
    pub fn markdown_with(&self, options: MarkdownOptions) -> String {
        self.document().markdown_with(options)
    }

    /// The article of the page, without what stands around it.
    pub fn main_content(&self) -> Option<MainContent> {
        self.document().main_content(Some(self.url()))
    }

    /// The elements that a CSS selector finds.
    ///
    /// # Errors
    /// When the selector does not parse.
    pub fn css(&self, selector: &str) -> Result<ElementList<'_>, Error> {
        let css = css::parse(selector)?;
        Ok(ElementList::new(self.document().select(&css).collect(), &css))
    }

    /// What an XPath expression gives: nodes, a text, a number or a truth value.
    ///
    /// # Errors
    /// When the expression does not parse, or takes too many steps.
    pub fn xpath(&self, expression: &str) -> Result<XPathValue<'_>, Error> {
        self.document().xpath(expression)
    }

    /// What a regular expression finds in the visible text: its first group, or the whole match.
    ///
    /// # Errors
    /// When the pattern does not parse.
    pub fn regex(&self, pattern: &str) -> Result<Vec<String>, Error> {
        let pattern = pattern::parse(pattern)?;
        Ok(crate::select::regex::find_all(&pattern, &self.text()).map(str::to_owned).collect())
    }

    /// The deepest elements that show a text.
    pub fn find_text(&self, text: &str) -> Vec<Element<'_>> {
        let document = self.document();
        TextFinder::new(document).find(document.root(), &TextQuery::new(text))
    }

    /// The value that follows a label.
    pub fn after_text(&self, label: &str) -> Option<String> {
        let document = self.document();
        let found = TextFinder::new(document).after(document.root(), &TextQuery::new(label));
        found.into_iter().next().map(|found| found.text)
    }

    /// The value that precedes a label.
    pub fn before_text(&self, label: &str) -> Option<String> {
        let document = self.document();
        let found = TextFinder::new(document).before(document.root(), &TextQuery::new(label));
        found.into_iter().next().map(|found| found.text)
    }

    /// The links to http and https addresses.
    pub fn links(&self) -> Vec<Link> {
        self.document().links(self.url())
    }

    /// The first table that a selector finds.
    ///
    /// # Errors
    /// When the selector does not parse, or finds no table.
    pub fn table(&self, selector: &str) -> Result<Table, Error> {
        let found = self.css(selector)?;
        let table = found.iter().find_map(Element::table);
        table.ok_or_else(|| Error::parse(format!("{selector:?} finds no table")).at_url(self.url().as_str()))
    }

    /// An address of the page, made whole: relative to its `<base>`, or to where it lies.
    ///
    /// ```
    /// # use crawlingo::Page;
    /// let page = Page::from_html("<p>", "https://x.example/a/b")?;
    /// assert_eq!(page.join("../c?d")?, "https://x.example/c?d");
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    ///
    /// # Errors
    /// When it is none.
    pub fn join(&self, address: &str) -> Result<String, Error> {
        let base = self.document().base_url(self.url());
        let joined = base.join(address.trim());
        joined.map(Into::into).map_err(|error| Error::config("url", format!("{address:?} is no address: {error}")))
    }

    /// The first form that a selector finds, as a browser would send it.
    ///
    /// # Errors
    /// When the selector does not parse, or finds no form.
    pub fn form(&self, selector: &str) -> Result<Form, Error> {
        let found = self.css(selector)?;
        let form = found.iter().find(|element| element.tag() == "form");
        let form = form.ok_or_else(|| {
            let message = format!("{selector:?} finds no form ({} other elements)", found.len());
            Error::parse(message).at_url(self.url().as_str())
        })?;
        Form::read(form, self.url())
    }

    /// The same page, which heals as its session does.
    pub(super) fn with_healer(self, healer: Option<Healer>) -> Self {
        Self(self.0, healer)
    }

    /// The page as the extractor takes it.
    pub fn source(&self) -> Source<'_> {
        let source = match &self.0.content {
            Content::Document(document) => Source::document(document, Some(self.url())),
            Content::Json(json, _) => Source::json(json, Some(self.url())),
        };
        source.at(self.0.fetched_at)
    }

    /// Runs a compiled schema over the page. Fields that ask for it heal, if the page's session has a store for that.
    pub fn extract(&self, extractor: &Extractor) -> Extraction {
        match &self.1 {
            Some(healer) if healer.heals(extractor) => healer.extract(self, extractor),
            _ => extractor.extract(&self.source()),
        }
    }

    /// The page's first record of a dataset.
    ///
    /// # Errors
    /// When there is none, or a required field is missing.
    pub fn dataset<T: Dataset + 'static>(&self) -> Result<T, Error> {
        let first = self.datasets::<T>()?.into_iter().next();
        first.ok_or_else(|| {
            let schema = T::schema();
            let each = schema
                .each
                .as_ref()
                .map_or(String::new(), |each| format!(" ({} finds nothing)", each.query.expression()));
            Error::parse(format!("there is no {} on it{each}", schema.name)).at_url(self.url().as_str())
        })
    }

    /// All records of a dataset on the page.
    ///
    /// # Errors
    /// When a required field of any is missing.
    pub fn datasets<T: Dataset + 'static>(&self) -> Result<Vec<T>, Error> {
        let extractor = Extractor::of::<T>()?;
        let at = |error: Error| error.at_url(self.url().as_str());
        let records = self.extract(&extractor).into_records()?;
        records.into_iter().map(|record| T::from_record(record).map_err(at)).collect()
    }
}

/// JSON is UTF-8 by RFC 8259; a byte order mark in front is forgiven.
fn read_json(bytes: &[u8]) -> Result<serde_json::Value, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| Error::parse(format!("it is no JSON: {error}")).with_source(error))
}

/// XML by its content type; XHTML is read as HTML, as most of what calls itself so is none.
fn is_xml(media_type: &str) -> bool {
    matches!(media_type, "application/xml" | "text/xml")
        || (media_type.ends_with("+xml") && media_type != "application/xhtml+xml")
}

fn is_no_document(media_type: &str) -> bool {
    ["image/", "audio/", "video/", "font/"]
        .iter()
        .any(|kind| media_type.starts_with(kind) && media_type != "image/svg+xml")
        || matches!(media_type, "application/pdf" | "application/zip" | "application/gzip" | "application/octet-stream")
}

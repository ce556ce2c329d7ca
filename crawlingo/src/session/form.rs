//! Forms: read from a page, filled in, and sent as a browser would.
//!
//! Source: <https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#form-submission-algorithm>

use http::Method;
use url::Url;

use super::{Page, Session};
use crate::Error;
use crate::dom::{Document, Element, Node};
use crate::types::Request;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Urlencoded,
    Multipart,
    Plain,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Control {
    /// Text, hidden and the like: one value.
    Text,
    /// A checkbox or radio button: it is sent if it is on.
    Toggle { on: bool, radio: bool },
    /// One option of a `<select>`.
    Choice { on: bool, multiple: bool },
    /// A submit button: only the one that is pressed is sent.
    Submit,
    /// A file: its name, its media type and its content.
    File(Option<(String, String, Vec<u8>)>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: String,
    value: String,
    control: Control,
}

/// A form of a page with its values: hidden fields, boxes that are checked, options that are chosen.
///
/// ```no_run
/// # async fn example(session: crawlingo::Session) -> Result<(), crawlingo::Error> {
/// let page = session.page("https://example.org/login").await?;
/// let inside = page.form("#login")?.set("user", "ann")?.set("password", "secret")?.submit(&session).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Form {
    action: Url,
    page: Url,
    method: Method,
    encoding: Encoding,
    entries: Vec<Entry>,
    pressed: Option<usize>,
}

impl Form {
    /// Reads a `<form>`; `page` is the page's address.
    pub(super) fn read(form: Element<'_>, page: &Url) -> Result<Self, Error> {
        let document = form.document();
        let base = document.base_url(page);
        let action = form.attr("action").map(str::trim).filter(|action| !action.is_empty());
        let action = match action {
            None => page.clone(),
            Some(action) => base.join(action).map_err(|error| {
                Error::parse(format!("the form's action {action:?} is no URL: {error}")).at_url(page.as_str())
            })?,
        };
        let says =
            |name: &str, wanted: &str| form.attr(name).is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted));
        let encoding = match () {
            () if says("enctype", "multipart/form-data") => Encoding::Multipart,
            () if says("enctype", "text/plain") => Encoding::Plain,
            () => Encoding::Urlencoded,
        };
        let method = if says("method", "post") { Method::POST } else { Method::GET };
        let entries = entries(document, form);
        Ok(Self { action, page: page.clone(), method, encoding, entries, pressed: None })
    }

    /// Where the form is sent to.
    pub fn action(&self) -> &Url {
        &self.action
    }

    /// GET or POST.
    pub fn method(&self) -> &str {
        self.method.as_str()
    }

    /// The names and values that would be sent now, in order.
    pub fn values(&self) -> Vec<(&str, &str)> {
        self.sent().map(|entry| (entry.name.as_str(), entry.value.as_str())).collect()
    }

    /// The names of all controls, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if !names.contains(&entry.name.as_str()) {
                names.push(&entry.name);
            }
        }
        names
    }

    fn unknown(&self, name: &str) -> Error {
        let names = self.names();
        let mut message = format!("the form has no field `{name}`; it has {}", names.join(", "));
        if let Some(meant) = crawlingo_schema::suggest(name, names.iter().copied()) {
            message = format!("{message}; did you mean `{meant}`?");
        }
        Error::config("form", message)
    }

    /// Sets a field: the text of a text field, the chosen value of radio buttons and of a select.
    ///
    /// # Errors
    /// When there is no such field, or none of its choices has that value.
    pub fn set(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let Some(first) = self.entries.iter().position(|entry| entry.name == name) else {
            return Err(self.unknown(name));
        };
        let mut values = Vec::new();
        let mut chosen = false;
        match self.entries[first].control {
            Control::Text | Control::Submit => {
                self.entries[first].value = value.to_owned();
                return Ok(self);
            }
            Control::File(_) => {
                return Err(Error::config(
                    "form",
                    format!("`{name}` is a file; use `file(name, file_name, type, content)`"),
                ));
            }
            Control::Toggle { .. } | Control::Choice { .. } => {}
        }
        for entry in self.entries.iter_mut().filter(|entry| entry.name == name) {
            values.push(entry.value.clone());
            let matches = entry.value == value;
            chosen |= matches;
            match &mut entry.control {
                Control::Toggle { on, radio: true } | Control::Choice { on, multiple: false } => *on = matches,
                Control::Toggle { on, .. } | Control::Choice { on, .. } => *on |= matches,
                _ => {}
            }
        }
        if !chosen {
            let message = format!("`{name}` has no choice {value:?}; it has {}", values.join(", "));
            return Err(Error::config("form", message));
        }
        Ok(self)
    }

    /// Turns all checkboxes of a name on or off.
    ///
    /// # Errors
    /// When there is no such checkbox.
    pub fn check(mut self, name: &str, checked: bool) -> Result<Self, Error> {
        let mut found = false;
        for entry in self.entries.iter_mut().filter(|entry| entry.name == name) {
            if let Control::Toggle { on, radio: false } = &mut entry.control {
                *on = checked;
                found = true;
            }
        }
        if found { Ok(self) } else { Err(self.unknown(name)) }
    }

    /// Puts a file into a file field.
    ///
    /// # Errors
    /// When there is no such field.
    pub fn file(
        mut self,
        name: &str,
        file_name: &str,
        media_type: &str,
        content: impl Into<Vec<u8>>,
    ) -> Result<Self, Error> {
        let is_file = |entry: &&mut Entry| entry.name == name && matches!(entry.control, Control::File(_));
        match self.entries.iter_mut().find(is_file) {
            Some(entry) => {
                entry.control = Control::File(Some((file_name.to_owned(), media_type.to_owned(), content.into())));
                Ok(self)
            }
            None => Err(self.unknown(name)),
        }
    }

    /// Presses the submit button of that name instead of none, so that its value is sent.
    ///
    /// # Errors
    /// When there is no such button.
    pub fn press(mut self, name: &str) -> Result<Self, Error> {
        let found = self.entries.iter().position(|entry| entry.name == name && entry.control == Control::Submit);
        match found {
            Some(at) => {
                self.pressed = Some(at);
                Ok(self)
            }
            None => Err(self.unknown(name)),
        }
    }

    fn sent(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().enumerate().filter_map(|(at, entry)| {
            let sent = match &entry.control {
                Control::Text => true,
                Control::Toggle { on, .. } | Control::Choice { on, .. } => *on,
                Control::Submit => self.pressed == Some(at),
                Control::File(_) => true,
            };
            sent.then_some(entry)
        })
    }

    /// The request that sends the form.
    ///
    /// # Errors
    /// When the form leads to something else than http or https.
    pub fn request(&self) -> Result<Request, Error> {
        let mut url = self.action.clone();
        let pairs = self.sent().map(|entry| {
            let value = match &entry.control {
                Control::File(Some((name, ..))) => name.as_str(),
                _ => entry.value.as_str(),
            };
            (entry.name.as_str(), crlf(value))
        });
        if self.method == Method::GET {
            url.set_query(None);
            url.query_pairs_mut().extend_pairs(pairs);
            let mut request = Request::get(url.as_str())?;
            self.referer(&mut request)?;
            return Ok(request);
        }
        let (content_type, body) = match self.encoding {
            Encoding::Urlencoded => {
                let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
                ("application/x-www-form-urlencoded".to_owned(), body.into_bytes())
            }
            Encoding::Plain => {
                let body: String = pairs.map(|(name, value)| format!("{name}={value}\r\n")).collect();
                ("text/plain".to_owned(), body.into_bytes())
            }
            Encoding::Multipart => self.multipart(),
        };
        let mut request = Request::post(url.as_str(), &content_type, body)?;
        self.referer(&mut request)?;
        request.headers.insert("origin", &self.page.origin().ascii_serialization())?;
        Ok(request)
    }

    fn referer(&self, request: &mut Request) -> Result<(), Error> {
        let mut referer = self.page.clone();
        referer.set_fragment(None);
        // A URL of http and https always takes these.
        let _ = referer.set_username("");
        let _ = referer.set_password(None);
        if !(referer.scheme() == "https" && request.url.scheme() == "http") {
            request.headers.insert("referer", referer.as_str())?;
        }
        Ok(())
    }

    fn multipart(&self) -> (String, Vec<u8>) {
        // Long and, by what it is made of, in no value by chance; a value that holds it makes it longer.
        let mut boundary = format!("----crawlingo-{:016x}", self.entries.len() as u64 ^ 0x9e37_79b9_7f4a_7c15);
        let held = |boundary: &str| {
            self.entries.iter().any(|entry| {
                entry.value.contains(boundary)
                    || matches!(&entry.control, Control::File(Some((_, _, content)))
                        if memchr::memmem::find(content, boundary.as_bytes()).is_some())
            })
        };
        while held(&boundary) {
            boundary.push('x');
        }
        let mut body = Vec::new();
        for entry in self.sent() {
            body.extend_from_slice(
                format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&entry.name)).as_bytes(),
            );
            match &entry.control {
                Control::File(file) => {
                    let empty = (String::new(), "application/octet-stream".to_owned(), Vec::new());
                    let (name, media_type, content) = file.as_ref().unwrap_or(&empty);
                    let media_type: String = media_type.chars().filter(|c| !c.is_control()).collect();
                    body.extend_from_slice(
                        format!("; filename=\"{}\"\r\nContent-Type: {media_type}\r\n\r\n", quoted(name)).as_bytes(),
                    );
                    body.extend_from_slice(content);
                }
                _ => {
                    body.extend_from_slice(b"\r\n\r\n");
                    body.extend_from_slice(crlf(&entry.value).as_bytes());
                }
            }
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={boundary}"), body)
    }

    /// Sends the form, and parses the page that answers, whatever its status.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub async fn submit(&self, session: &Session) -> Result<Page, Error> {
        session.open(self.request()?).await
    }
}

/// Line breaks as they are sent.
fn crlf(value: &str) -> String {
    value.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n")
}

fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// The controls that belong to a form: those inside of it, and those that name it in `form=`.
fn entries(document: &Document, form: Element<'_>) -> Vec<Entry> {
    let id = form.attr("id").filter(|id| !id.is_empty());
    let mut entries = Vec::new();
    for element in document.elements() {
        let belongs = match element.attr("form") {
            Some(owner) => Some(owner) == id,
            None => form.node().contains(element.node()),
        };
        if !belongs || !element.is_html() || is_disabled(element) {
            continue;
        }
        let Some(name) = element.attr("name").filter(|name| !name.is_empty()) else { continue };
        let mut push = |value: String, control: Control| entries.push(Entry { name: name.to_owned(), value, control });
        let value = || element.attr("value").unwrap_or_default().to_owned();
        let kind = element.attr("type").unwrap_or_default().to_ascii_lowercase();
        match (element.tag(), kind.as_str()) {
            ("input", "checkbox" | "radio") => {
                let value = element.attr("value").unwrap_or("on").to_owned();
                push(value, Control::Toggle { on: element.attr("checked").is_some(), radio: kind == "radio" });
            }
            ("input", "submit") | ("button", "" | "submit") => push(value(), Control::Submit),
            ("input", "button" | "reset" | "image") | ("button", _) => {}
            ("input", "file") => push(String::new(), Control::File(None)),
            ("input", _) => push(value(), Control::Text),
            ("textarea", _) => push(element.raw_text(), Control::Text),
            ("select", _) => select(element, &mut push),
            _ => {}
        }
    }
    entries
}

fn select(select: Element<'_>, push: &mut impl FnMut(String, Control)) {
    let multiple = select.attr("multiple").is_some();
    let options: Vec<Element<'_>> = select.descendants().filter(|element| element.tag() == "option").collect();
    let off = |option: &Element<'_>| {
        option.attr("disabled").is_some()
            || option.parent().is_some_and(|group| group.tag() == "optgroup" && group.attr("disabled").is_some())
    };
    // Of a list that shows one line, the last that is marked counts, else the first that can be chosen.
    let marked: Vec<usize> = (0..options.len()).filter(|at| options[*at].attr("selected").is_some()).collect();
    let single = marked.last().copied().or_else(|| (0..options.len()).find(|at| !off(&options[*at])));
    let size = select.attr("size").and_then(|size| size.trim().parse::<u32>().ok()).unwrap_or(1);
    let single = if size > 1 { marked.last().copied() } else { single };
    for (at, option) in options.iter().enumerate() {
        let value = match option.attr("value") {
            Some(value) => value.to_owned(),
            None => option.raw_text().split_whitespace().collect::<Vec<_>>().join(" "),
        };
        let on = if multiple { marked.contains(&at) } else { single == Some(at) };
        push(value, Control::Choice { on: on && !off(option), multiple });
    }
}

/// Disabled itself or by a `<fieldset>` around it, except in that one's first `<legend>`; or inside of a `<datalist>`.
fn is_disabled(element: Element<'_>) -> bool {
    if element.attr("disabled").is_some() {
        return true;
    }
    let node: Node<'_> = element.node();
    element.ancestors().any(|around| {
        around.tag() == "datalist"
            || (around.tag() == "fieldset"
                && around.attr("disabled").is_some()
                && !around
                    .children()
                    .find(|child| child.tag() == "legend")
                    .is_some_and(|legend| legend.node().contains(node)))
    })
}

//! Headers in the order in which they are sent or came.

use http::{HeaderName, HeaderValue};

use crate::Error;

/// A list of headers. Names are matched without case; a name may stand several times.
///
/// ```
/// use crawlingo::Headers;
/// let mut headers = Headers::new();
/// headers.insert("Accept-Language", "de")?;
/// assert_eq!(headers.get("accept-language"), Some("de"));
/// # Ok::<(), crawlingo::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(HeaderName, HeaderValue)>);

impl Headers {
    /// No headers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The first value of a header, where it is text.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_all(name).next()
    }

    /// All values of a header that are text, in order.
    pub fn get_all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(found, _)| found.as_str().eq_ignore_ascii_case(name))
            .filter_map(|(_, value)| std::str::from_utf8(value.as_bytes()).ok())
    }

    /// Whether a header is there.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(found, _)| found.as_str().eq_ignore_ascii_case(name))
    }

    /// Sets a header; it takes the place of those of the same name.
    ///
    /// # Errors
    /// `ErrorKind::Config` when the name or the value is none of a header.
    pub fn insert(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let (name, value) = parse(name, value)?;
        match self.0.iter().position(|(found, _)| *found == name) {
            Some(at) => {
                self.0[at].1 = value;
                let mut seen = 0;
                self.0.retain(|(found, _)| {
                    seen += usize::from(*found == name);
                    *found != name || seen == 1
                });
            }
            None => self.0.push((name, value)),
        }
        Ok(())
    }

    /// Adds a header beside those of the same name.
    ///
    /// # Errors
    /// `ErrorKind::Config` when the name or the value is none of a header.
    pub fn append(&mut self, name: &str, value: &str) -> Result<(), Error> {
        self.0.push(parse(name, value)?);
        Ok(())
    }

    /// Takes all headers of a name away.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(found, _)| !found.as_str().eq_ignore_ascii_case(name));
    }

    /// Names in lower case and values; a value that is no text is shown with replacement characters.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, std::borrow::Cow<'_, str>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())))
    }

    /// How many headers there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn raw(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0
    }

    pub(crate) fn from_map(map: &http::HeaderMap) -> Self {
        Self(map.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
    }
}

fn parse(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Error> {
    let parsed = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| Error::config("headers", format!("{name:?} is not the name of a header")))?;
    // The value may be a secret; the message does not repeat it.
    let value = HeaderValue::from_str(value).map_err(|_| {
        Error::config("headers", format!("the value of `{name}` holds a line break or another control character"))
    })?;
    Ok((parsed, value))
}

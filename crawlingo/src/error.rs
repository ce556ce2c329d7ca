//! The one error of the crate: what went wrong, where, and whether trying again makes sense.

use std::fmt;
use std::time::Duration;

use crawlingo_schema::SchemaError;

/// The source of an error, where another library's error is the cause.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Everything that can fail. Small (one pointer), so that results stay cheap.
///
/// ```
/// use crawlingo::{Error, ErrorKind};
/// let error = Error::config("max_redirects", "must not be negative");
/// assert!(matches!(error.kind(), ErrorKind::Config { .. }));
/// assert_eq!(error.exit_code(), 2);
/// ```
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    source: Option<BoxError>,
}

/// What kind of failure a fetch ended in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FetchFailure {
    /// The name did not resolve.
    Dns,
    /// No connection could be made, or it broke.
    Connect,
    /// TLS could not be agreed on, or the certificate is not good.
    Tls,
    /// A deadline passed.
    Timeout,
    /// The server answered with a status that is a failure.
    Status,
    /// What the server sent is not HTTP, or breaks off.
    Protocol,
    /// The body could not be decompressed.
    Decode,
    /// A limit on size, count or depth was reached.
    TooLarge,
    /// Too many redirects, a loop, or a redirect to where none may lead.
    Redirect,
    /// The address may not be reached (`deny_private`, a scheme other than http and https).
    Denied,
    /// The proxy refused or failed.
    Proxy,
    /// The site denied access or sent a challenge.
    Blocked,
    /// The request itself is wrong.
    Request,
}

/// The variants of [`Error`], with what is known.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A page could not be fetched.
    Fetch {
        /// Where to.
        url: String,
        /// What kind of failure.
        failure: FetchFailure,
        /// The status, where there was an answer.
        status: Option<u16>,
        /// When to try again, where the server said it.
        retry_after: Option<Duration>,
        /// What happened.
        message: String,
    },
    /// Bytes could not be made into a document.
    Parse {
        /// Of which page.
        url: Option<String>,
        /// What happened.
        message: String,
    },
    /// A schema or selector is wrong.
    Selector(SchemaError),
    /// A record could not be made of a page.
    Extraction {
        /// Of which page.
        url: Option<String>,
        /// The dataset.
        dataset: String,
        /// The position of the record on the page, from 0.
        record: usize,
        /// The field, with those around it: `offer.price`.
        field: String,
        /// The selectors that were tried.
        selector: String,
        /// What was found instead, and how to mend it.
        message: String,
    },
    /// An option is wrong.
    Config {
        /// The option.
        key: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// Reading or writing failed.
    Io {
        /// What was read or written.
        target: String,
        /// What happened.
        message: String,
    },
    /// The code of the caller failed: a callback, a transform, a type's own parser.
    Sdk {
        /// What happened.
        message: String,
    },
}

impl Error {
    /// An error of that kind.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, source: None }))
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// A failed fetch.
    pub fn fetch(url: impl Into<String>, failure: FetchFailure, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Fetch {
            url: url.into(),
            failure,
            status: None,
            retry_after: None,
            message: message.into(),
        })
    }

    /// A document that cannot be parsed.
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Parse { url: None, message: message.into() })
    }

    /// A wrong option.
    pub fn config(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config { key: key.into(), message: message.into() })
    }

    /// Reading or writing that failed.
    pub fn io(target: impl Into<String>, source: std::io::Error) -> Self {
        Self::new(ErrorKind::Io { target: target.into(), message: source.to_string() }).with_source(source)
    }

    /// A failure of the caller's code.
    pub fn sdk(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Sdk { message: message.into() })
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Says which page the error belongs to, where that is not yet known.
    #[must_use]
    pub fn at_url(mut self, page: &str) -> Self {
        if let ErrorKind::Parse { url, .. } | ErrorKind::Extraction { url, .. } = &mut self.0.kind {
            url.get_or_insert_with(|| page.to_owned());
        }
        self
    }

    /// Says which item of a list of nested records failed: `offers.price` becomes `offers[2].price`.
    pub(crate) fn in_item(mut self, list: &str, index: usize) -> Self {
        if let ErrorKind::Extraction { field, .. } = &mut self.0.kind
            && let Some(rest) = field.strip_prefix(list)
        {
            *field = format!("{list}[{index}]{rest}");
        }
        self
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        match &self.0.kind {
            ErrorKind::Fetch { failure, status, .. } => match failure {
                FetchFailure::Dns | FetchFailure::Connect | FetchFailure::Timeout | FetchFailure::Proxy => true,
                FetchFailure::Protocol | FetchFailure::Decode => true,
                FetchFailure::Status => matches!(status, Some(408 | 425 | 429 | 500 | 502 | 503 | 504)),
                _ => false,
            },
            _ => false,
        }
    }

    /// The exit code of a command that ends with this error: 2 for what the caller wrote, 1 for the rest.
    pub fn exit_code(&self) -> u8 {
        match self.0.kind {
            ErrorKind::Selector(_)
            | ErrorKind::Config { .. }
            | ErrorKind::Fetch { failure: FetchFailure::Request, .. } => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ErrorKind::Fetch { url, message, .. } => write!(f, "cannot fetch {url}: {message}"),
            ErrorKind::Parse { url: Some(url), message } => write!(f, "cannot parse {url}: {message}"),
            ErrorKind::Parse { url: None, message } => write!(f, "cannot parse the document: {message}"),
            ErrorKind::Selector(error) => error.fmt(f),
            ErrorKind::Extraction { url, dataset, record, field, selector, message } => {
                write!(f, "{dataset}.{field}: {message} (record {record}")?;
                if let Some(url) = url {
                    write!(f, " of {url}")?;
                }
                if !selector.is_empty() {
                    write!(f, ", selector {selector}")?;
                }
                f.write_str(")")
            }
            ErrorKind::Config { key, message } => write!(f, "option `{key}`: {message}"),
            ErrorKind::Io { target, message } => write!(f, "{target}: {message}"),
            ErrorKind::Sdk { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Self {
        Self::new(ErrorKind::Selector(error))
    }
}

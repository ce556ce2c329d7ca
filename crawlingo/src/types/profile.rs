//! How the transport shows itself to a server.

use std::fmt;
use std::str::FromStr;

use crate::Error;

macro_rules! names {
    ($type:ident, $key:literal, $($variant:ident => $name:literal),+) => {
        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that stands in files.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $type {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self, Error> {
                let all = Self::ALL.iter().map(|one| one.as_str());
                Self::ALL.iter().copied().find(|one| one.as_str().eq_ignore_ascii_case(name)).ok_or_else(|| {
                    let mut message = format!("{name:?} is none of: {}", all.clone().collect::<Vec<_>>().join(", "));
                    if let Some(meant) = crawlingo_schema::suggest(name, all) {
                        message = format!("{message}; did you mean `{meant}`?");
                    }
                    Error::config($key, message)
                })
            }
        }
    };
}

/// Whether requests look like this crate's or like a browser's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tier {
    /// Plain TLS and HTTP, with an honest User-Agent.
    #[default]
    Standard,
    /// TLS, HTTP/2 settings and headers as a browser sends them. See [`Profile`].
    Stealthy,
}

names!(Tier, "tier", Standard => "standard", Stealthy => "stealthy");

/// The browser or library that the stealthy tier looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// Google Chrome.
    #[default]
    Chrome,
    /// Mozilla Firefox.
    Firefox,
    /// Apple Safari.
    Safari,
    /// Microsoft Edge.
    Edge,
    /// The HTTP library of Android apps.
    OkHttp,
}

names!(Profile, "profile", Chrome => "chrome", Firefox => "firefox", Safari => "safari", Edge => "edge", OkHttp => "okhttp");

/// Which version of HTTP is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HttpVersion {
    /// What the server prefers: HTTP/2 where TLS negotiates it, else HTTP/1.1.
    #[default]
    Auto,
    /// HTTP/1.1 only.
    Http1,
    /// HTTP/2 only, without TLS by prior knowledge.
    Http2,
}

names!(HttpVersion, "http_version", Auto => "auto", Http1 => "1.1", Http2 => "2");

//! Where requests may not go: other schemes, and private networks where they are refused.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Host;

use super::Fetch;
use crate::types::{BoxFuture, Request, Response};
use crate::{Error, FetchFailure};

/// Looks at each request, each hop of a redirect included. Names are looked at once more when they are resolved: see
/// the transport's resolver.
pub(super) struct Guard<F> {
    inner: F,
    deny_private: bool,
}

impl<F> Guard<F> {
    pub(super) fn new(inner: F, deny_private: bool) -> Self {
        Self { inner, deny_private }
    }

    fn check(&self, request: &Request) -> Result<(), Error> {
        let denied = |message: String| Err(Error::fetch(request.url.as_str(), FetchFailure::Denied, message));
        if !matches!(request.url.scheme(), "http" | "https") {
            return denied(format!("only http and https can be fetched, not `{}`", request.url.scheme()));
        }
        if !self.deny_private {
            return Ok(());
        }
        match request.url.host() {
            Some(Host::Ipv4(address)) if is_private(address.into()) => denied(message(&address.into())),
            Some(Host::Ipv6(address)) if is_private(address.into()) => denied(message(&address.into())),
            Some(Host::Domain(name))
                if name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost") =>
            {
                denied(format!("`{name}` is this machine, which `deny_private` refuses"))
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn message(address: &IpAddr) -> String {
    format!("{address} is an address of a private network or of this machine, which `deny_private` refuses")
}

impl<F: Fetch> Fetch for Guard<F> {
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            self.check(&request)?;
            self.inner.fetch(request).await
        })
    }
}

/// Whether an address is no public one: private, loopback, link-local, shared, multicast, documentation, reserved; or
/// an IPv6 address that carries such an IPv4 address.
///
/// Source: the IANA special-purpose address registries (RFC 6890).
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let low = Ipv4Addr::from(((u32::from(segments[6])) << 16) | u32::from(segments[7]));
    match segments {
        // IPv4-mapped, IPv4-compatible (with :: and ::1), NAT64 and 6to4 carry an IPv4 address.
        [0, 0, 0, 0, 0, 0xffff, ..] => is_private_v4(low),
        [0, 0, 0, 0, 0, 0, ..] => true,
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_private_v4(low),
        [0x64, 0xff9b, 1, ..] => true,
        [0x2002, high, rest, ..] => is_private_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(rest))),
        // Unique local, link-local, site-local, multicast, documentation, discard, Teredo and the rest of 2001::/23.
        [first, ..] if first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80 || first & 0xffc0 == 0xfec0 => true,
        [first, ..] if first & 0xff00 == 0xff00 => true,
        [0x2001, 0xdb8, ..] | [0x100, 0, 0, 0, ..] | [0x3fff, 0..=0x0fff, ..] => true,
        [0x2001, second, ..] => second < 0x200,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_addresses_are_private() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "fe80::1",
            "fd00::1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "::7f00:1",
            "255.255.255.255",
            "224.0.0.1",
        ] {
            assert!(is_private(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "64:ff9b::101:101"] {
            assert!(!is_private(address.parse().unwrap()), "{address}");
        }
    }
}

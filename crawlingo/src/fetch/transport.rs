//! The wire: wreq, with its own redirects, cookies, retries and decompression off. One client for each tier, profile and
//! proxy, made when it is first needed and reused.

use std::error::Error as StdError;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use wreq::dns::{Name, Resolve, Resolving};

use super::{Fetch, guard};
use crate::config::{Config, check_proxy};
use crate::types::{Body, BodyStream, BoxFuture, Headers, HttpVersion, Profile, Request, Response, Tier};
use crate::{Error, FetchFailure};

/// The most clients that are kept; each holds its connections.
const MAX_CLIENTS: u64 = 64;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClientKey {
    tier: Tier,
    profile: Profile,
    proxy: Option<String>,
}

pub(super) struct Transport {
    config: Arc<Config>,
    clients: moka::sync::Cache<ClientKey, wreq::Client>,
}

impl Transport {
    pub(super) fn new(config: Arc<Config>) -> Self {
        Self { config, clients: moka::sync::Cache::new(MAX_CLIENTS) }
    }

    fn client(&self, request: &Request) -> Result<wreq::Client, Error> {
        let options = &request.options;
        let key = ClientKey {
            tier: options.tier.unwrap_or(self.config.tier),
            profile: options.profile.unwrap_or(self.config.profile),
            proxy: options.proxy.clone().or_else(|| self.config.proxy.clone()),
        };
        self.clients
            .try_get_with_by_ref(&key, || self.build(&key))
            .map_err(|error: Arc<Error>| Error::config("transport", error.to_string()))
    }

    fn build(&self, key: &ClientKey) -> Result<wreq::Client, Error> {
        let config = &self.config;
        let mut builder = wreq::Client::builder()
            .redirect(wreq::redirect::Policy::none())
            .retry(wreq::retry::Policy::never())
            .connect_timeout(config.connect_timeout)
            .tls_cert_verification(config.verify_tls)
            .tls_verify_hostname(config.verify_tls)
            .tcp_nodelay(true);
        // The emulation goes first: what it sets, the options below may set otherwise.
        if key.tier == Tier::Stealthy {
            builder = builder.emulation(emulation(key.profile));
        }
        match config.http_version {
            HttpVersion::Auto => {}
            HttpVersion::Http1 => builder = builder.http1_only(),
            HttpVersion::Http2 => builder = builder.http2_only(),
        }
        match &key.proxy {
            None => builder = builder.no_proxy(),
            Some(proxy) => {
                check_proxy(proxy)?;
                let proxy = wreq::Proxy::all(proxy.as_str())
                    .map_err(|error| Error::config("proxy", error.to_string()).with_source(error))?;
                builder = builder.proxy(proxy);
            }
        }
        if config.deny_private {
            builder = builder.dns_resolver(PublicResolver);
        }
        builder.build().map_err(|error| Error::config("transport", error.to_string()).with_source(error))
    }

    fn headers(&self, request: &Request, tier: Tier) -> Result<Headers, Error> {
        let mut headers = Headers::new();
        if tier == Tier::Standard {
            headers.insert("user-agent", &self.config.user_agent)?;
            headers.insert("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")?;
            headers.insert("accept-encoding", "gzip, deflate, br, zstd")?;
        }
        for (name, value) in self.config.headers.iter().chain(request.headers.iter()) {
            headers.insert(name, &value)?;
        }
        Ok(headers)
    }

    async fn send(&self, request: Request) -> Result<Response, Error> {
        let start = Instant::now();
        let url = request.url.clone();
        let client = self.client(&request)?;
        let tier = request.options.tier.unwrap_or(self.config.tier);
        let headers = self.headers(&request, tier)?;
        let mut outgoing = client.request(request.method, url.as_str());
        let mut map = http::HeaderMap::with_capacity(headers.len());
        for (name, value) in headers.raw() {
            map.append(name.clone(), value.clone());
        }
        outgoing = outgoing.headers(map);
        if !request.body.is_empty() {
            outgoing = outgoing.body(request.body);
        }
        let timeout = self.config.first_byte_timeout;
        let answer = match tokio::time::timeout(timeout, outgoing.send()).await {
            Ok(answer) => answer.map_err(|error| classify(url.as_str(), error))?,
            Err(_) => {
                let message = format!("no answer within {timeout:?} (`first_byte_timeout`)");
                return Err(Error::fetch(url.as_str(), FetchFailure::Timeout, message));
            }
        };
        let headers = Headers::from_map(answer.headers());
        if headers.len() > self.config.max_headers {
            let message = format!(
                "the answer has {} headers, more than {} (`max_headers`)",
                headers.len(),
                self.config.max_headers
            );
            return Err(Error::fetch(url.as_str(), FetchFailure::TooLarge, message));
        }
        let mut response = Response::new(answer.status(), url.clone());
        response.version = answer.version();
        response.headers = headers;
        response.body =
            Body::Stream(BodyStream::new(body(url.to_string(), answer.bytes_stream(), self.config.idle_timeout)));
        response.elapsed = start.elapsed();
        Ok(response)
    }
}

/// The chunks of a body; a pause that is too long is an error.
fn body(
    url: String,
    stream: impl Stream<Item = wreq::Result<Bytes>> + Send + 'static,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, Error>> + Send {
    futures_util::stream::unfold((Box::pin(stream), url, false), move |(mut stream, url, over)| async move {
        if over {
            return None;
        }
        let chunk = match tokio::time::timeout(idle, stream.next()).await {
            Ok(None) => return None,
            Ok(Some(Ok(chunk))) => Ok(chunk),
            Ok(Some(Err(error))) => Err(classify(&url, error)),
            Err(_) => {
                let message = format!("the body paused for {idle:?} (`idle_timeout`)");
                Err(Error::fetch(url.as_str(), FetchFailure::Timeout, message))
            }
        };
        let over = chunk.is_err();
        Some((chunk, (stream, url, over)))
    })
}

impl Fetch for Transport {
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(self.send(request))
    }
}

/// The newest version of each that wreq-util knows.
fn emulation(profile: Profile) -> wreq_util::Emulation {
    let (profile, platform) = match profile {
        Profile::Chrome => (wreq_util::Profile::Chrome149, wreq_util::Platform::Windows),
        Profile::Firefox => (wreq_util::Profile::Firefox151, wreq_util::Platform::Windows),
        Profile::Safari => (wreq_util::Profile::Safari26_4, wreq_util::Platform::MacOS),
        Profile::Edge => (wreq_util::Profile::Edge148, wreq_util::Platform::Windows),
        Profile::OkHttp => (wreq_util::Profile::OkHttp5, wreq_util::Platform::Android),
    };
    wreq_util::Emulation::builder().profile(profile).platform(platform).build()
}

/// A name resolved to nothing but private addresses.
#[derive(Debug)]
struct DeniedAddress(String);

impl std::fmt::Display for DeniedAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for DeniedAddress {}

/// The system's resolver, without private addresses: a public name that points into a private network is no way in.
struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<SocketAddr> =
                found.iter().copied().filter(|address| !guard::is_private(address.ip())).collect();
            match (public.is_empty(), found.first()) {
                (true, Some(private)) => Err(DeniedAddress(guard::message(&private.ip())).into()),
                _ => Ok(Box::new(public.into_iter()) as wreq::dns::Addrs),
            }
        })
    }
}

/// What kind of failure an error of wreq is: by its type, never by its words.
fn classify(url: &str, error: wreq::Error) -> Error {
    let mut denied = None;
    let mut source: Option<&(dyn StdError + 'static)> = error.source();
    let mut deepest = String::new();
    while let Some(inner) = source {
        if let Some(DeniedAddress(message)) = inner.downcast_ref() {
            denied = Some(message.clone());
        }
        deepest = inner.to_string();
        source = inner.source();
    }
    if let Some(message) = denied {
        return Error::fetch(url, FetchFailure::Denied, message).with_source(error);
    }
    let (failure, what) = if error.is_timeout() {
        (FetchFailure::Timeout, "the connection took too long (`connect_timeout`)")
    } else if error.is_dns() {
        (FetchFailure::Dns, "the name does not resolve")
    } else if error.is_proxy_connect() {
        (FetchFailure::Proxy, "the proxy did not let it through")
    } else if error.is_tls() {
        (FetchFailure::Tls, "TLS could not be agreed on")
    } else if error.is_connect() {
        (FetchFailure::Connect, "no connection could be made")
    } else if error.is_connection_reset() {
        (FetchFailure::Connect, "the server closed the connection")
    } else if error.is_builder() {
        (FetchFailure::Request, "the request cannot be sent")
    } else {
        (FetchFailure::Protocol, "the answer breaks off or is not HTTP")
    };
    let message = if deepest.is_empty() { what.to_owned() } else { format!("{what}: {deepest}") };
    Error::fetch(url, failure, message).with_source(error)
}

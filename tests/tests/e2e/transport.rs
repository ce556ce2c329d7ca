//! The transport against servers that behave, and some that do not.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use crawlingo::{Error, ErrorKind, FetchFailure, HttpVersion, Profile, Request, Session, Tier};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that answers each connection's request with those bytes and closes it.
async fn answers(response: Vec<u8>) -> SocketAddr {
    serve(move |_| response.clone()).await
}

/// A server whose answer depends on the request's head.
async fn serve(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it has one");
    let answer = std::sync::Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = std::sync::Arc::clone(&answer);
            tokio::spawn(async move {
                let mut head = Vec::new();
                let mut buffer = [0; 4096];
                while !head.windows(4).any(|window| window == b"\r\n\r\n") {
                    match stream.read(&mut buffer).await {
                        Ok(read) if read > 0 => head.extend_from_slice(&buffer[..read]),
                        _ => return,
                    }
                }
                // A client that has seen enough hangs up; that is its right.
                let _ = stream.write_all(&answer(&String::from_utf8_lossy(&head))).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}

fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    let mut response = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n", body.len()).into_bytes();
    response.extend_from_slice(body);
    response
}

fn session() -> Session {
    Session::new().expect("a session")
}

fn failure(error: &Error) -> FetchFailure {
    match error.kind() {
        ErrorKind::Fetch { failure, .. } => *failure,
        other => panic!("not a failed fetch: {other:?}"),
    }
}

async fn get(session: &Session, url: &str) -> Result<crawlingo::Response, Error> {
    session.fetch(Request::get(url)?).await
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(body).and_then(|()| encoder.finish()).expect("memory does not fail")
}

#[tokio::test]
async fn every_coding_is_undone() {
    let body = b"<p>text</p>".repeat(100);
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&body).expect("memory does not fail");
    let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    raw.write_all(&body).expect("memory does not fail");
    let mut brotli = Vec::new();
    brotli::BrotliCompress(&mut &body[..], &mut brotli, &Default::default()).expect("memory does not fail");
    let zstd = zstd::encode_all(&body[..], 3).expect("memory does not fail");
    for (name, coded) in [
        ("gzip", gzip(&body)),
        ("deflate", zlib.finish().expect("memory does not fail")),
        ("deflate", raw.finish().expect("memory does not fail")),
        ("br", brotli),
        ("zstd", zstd),
        ("gzip, gzip", gzip(&gzip(&body))),
        ("identity", body.clone()),
    ] {
        let address = answers(ok(&format!("Content-Encoding: {name}\r\n"), &coded)).await;
        let response =
            get(&session(), &format!("http://{address}/")).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(response.bytes(), &body[..], "{name}");
    }
}

#[tokio::test]
async fn broken_and_hostile_bodies_are_errors_that_say_which() {
    let bomb = gzip(&vec![0; 64 << 20]);
    let cut = gzip(&b"text ".repeat(1000));
    for (response, expected) in [
        (ok("Content-Encoding: gzip\r\n", &bomb), FetchFailure::TooLarge),
        (ok("Content-Encoding: gzip\r\n", &cut[..cut.len() / 2]), FetchFailure::Decode),
        (ok("Content-Encoding: gzip\r\n", b"no gzip at all"), FetchFailure::Decode),
        (ok("Content-Encoding: lzma\r\n", b"x"), FetchFailure::Decode),
        (ok("Content-Encoding: gzip,gzip,gzip,gzip,gzip\r\n", b"x"), FetchFailure::Decode),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".to_vec(), FetchFailure::Protocol),
        (b"this is no HTTP\r\n\r\n".to_vec(), FetchFailure::Protocol),
        (ok("", &vec![b'x'; 3 << 20]), FetchFailure::TooLarge),
    ] {
        let session = Session::builder().max_body_bytes(2 << 20).build().expect("a session");
        let shown = String::from_utf8_lossy(&response[..response.len().min(80)]).into_owned();
        let address = answers(response).await;
        let error = get(&session, &format!("http://{address}/")).await.expect_err(&shown);
        assert_eq!(failure(&error), expected, "{shown}: {error}");
    }
}

#[tokio::test]
async fn redirects_change_the_method_as_the_standard_says() {
    let address = serve(|head| {
        let (method, path) = head.split_once(' ').unwrap_or_default();
        let path = path.split(' ').next().unwrap_or_default();
        match path.strip_prefix("/to/").and_then(|code| code.parse::<u16>().ok()) {
            Some(code) => format!("HTTP/1.1 {code} X\r\nLocation: /end#part\r\nContent-Length: 0\r\n\r\n").into_bytes(),
            None => ok(&format!("X-Method: {method}\r\n"), head.as_bytes()),
        }
    })
    .await;
    let session = session();
    for (code, method) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")] {
        let request = Request::post(&format!("http://{address}/to/{code}"), "text/plain", "body").expect("a URL");
        let response = session.fetch(request).await.expect("it goes through");
        assert_eq!(response.headers.get("x-method"), Some(method), "{code}");
        assert_eq!((response.url.path(), response.url.fragment(), response.redirects.len()), ("/end", Some("part"), 1));
    }
    let still = Session::builder().max_redirects(0).build().expect("a session");
    assert_eq!(get(&still, &format!("http://{address}/to/301")).await.expect("a response").status, 301);
}

#[tokio::test]
async fn redirects_that_lead_nowhere_good_are_refused() {
    for (location, expected) in [
        ("/again", FetchFailure::Redirect),
        ("file:///etc/passwd", FetchFailure::Redirect),
        ("javascript:alert(1)", FetchFailure::Redirect),
        ("http://[::bad/", FetchFailure::Redirect),
    ] {
        let address =
            answers(format!("HTTP/1.1 302 X\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into_bytes()).await;
        let error = get(&session(), &format!("http://{address}/again")).await.expect_err(location);
        assert_eq!(failure(&error), expected, "{error}");
    }
    // What was meant for one origin is not shown to another.
    let other = serve(|head| ok("", head.as_bytes())).await;
    let address =
        answers(format!("HTTP/1.1 302 X\r\nLocation: http://{other}/\r\nContent-Length: 0\r\n\r\n").into_bytes()).await;
    let request = Request::get(&format!("http://{address}/"))
        .and_then(|request| request.header("authorization", "Bearer secret"));
    let seen = session().fetch(request.expect("a request")).await.expect("it goes through");
    assert!(!String::from_utf8_lossy(seen.bytes()).to_lowercase().contains("secret"));
}

#[tokio::test]
async fn private_addresses_can_be_refused_on_every_hop() {
    let session = Session::builder().deny_private(true).build().expect("a session");
    for url in [
        "http://127.0.0.1:9/",
        "http://localhost:9/",
        "http://[::1]:9/",
        "http://169.254.169.254/",
        "http://0x7f000001/",
    ] {
        let error = get(&session, url).await.expect_err(url);
        assert_eq!(failure(&error), FetchFailure::Denied, "{url}: {error}");
    }
}

#[tokio::test]
async fn deadlines_end_what_hangs() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it has one");
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 1024];
            let read = stream.read(&mut buffer).await.unwrap_or_default();
            if String::from_utf8_lossy(&buffer[..read]).starts_with("GET /body") {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab").await;
            }
            held.push(stream);
        }
    });
    let short = Duration::from_millis(200);
    let first = Session::builder().first_byte_timeout(short).build().expect("a session");
    let idle = Session::builder().idle_timeout(short).build().expect("a session");
    let total = Session::builder().timeout(short).build().expect("a session");
    for (session, path, option) in
        [(first, "/", "first_byte_timeout"), (idle, "/body", "idle_timeout"), (total, "/body", "timeout")]
    {
        let error = get(&session, &format!("http://{address}{path}")).await.expect_err(option);
        assert_eq!(failure(&error), FetchFailure::Timeout);
        assert!(error.to_string().contains(option) && error.is_retryable(), "{error}");
    }
}

#[tokio::test]
async fn the_tiers_show_themselves_as_what_they_are() {
    let address = serve(|head| ok("", head.as_bytes())).await;
    let url = format!("http://{address}/");
    let seen = |session: Session, request: Request| async move {
        let response = session.fetch(request).await.expect("it goes through");
        String::from_utf8_lossy(response.bytes()).into_owned()
    };
    let plain = seen(session(), Request::get(&url).expect("a URL")).await;
    assert!(plain.to_lowercase().contains("user-agent: crawlingo/"), "{plain}");
    for (profile, part) in [
        (Profile::Chrome, "Chrome/"),
        (Profile::Firefox, "Firefox/"),
        (Profile::Safari, "Safari/"),
        (Profile::Edge, "Edg/"),
        (Profile::OkHttp, "OkHttp/"),
    ] {
        let session = Session::builder().profile(profile).build().expect("a session");
        let head = seen(session, Request::get(&url).expect("a URL")).await;
        assert!(head.contains(part) && !head.contains("crawlingo"), "{profile}: {head}");
    }
    // One request of another tier, in a session of the standard one, with a header of its own.
    let request = Request::get(&url).and_then(|request| request.header("accept-language", "de")).expect("a request");
    let head = seen(session(), request.tier(Tier::Stealthy)).await;
    assert!(head.contains("Chrome/") && head.to_lowercase().contains("accept-language: de\r\n"), "{head}");
}

#[tokio::test]
async fn a_proxy_carries_requests_with_its_password() {
    let proxy = serve(|head| ok("", head.as_bytes())).await;
    let session = Session::builder().proxy(format!("http://ann:secret@{proxy}")).build().expect("a session");
    let response = get(&session, "http://shop.invalid/x").await.expect("the proxy answers");
    let head = String::from_utf8_lossy(response.bytes()).into_owned();
    assert!(head.starts_with("GET http://shop.invalid/x HTTP/1.1"), "{head}");
    assert!(head.to_lowercase().contains("proxy-authorization: basic yw5uonnly3jlda=="), "{head}");
    let dead = Session::builder().proxy("http://127.0.0.1:1").build().expect("a session");
    let error = get(&dead, "http://shop.invalid/").await.expect_err("nobody listens");
    assert!(error.is_retryable(), "{error}");
    let wrong = Session::builder().proxy("127.0.0.1:8080").build().expect_err("no scheme").to_string();
    assert!(wrong.contains("http://user:password@host:8080"), "{wrong}");
}

#[tokio::test]
async fn http_2_is_spoken_by_prior_knowledge() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it has one");
    let app = axum::Router::new().route("/", axum::routing::get(|| async { "hello" }));
    tokio::spawn(async move { axum::serve(listener, app).await });
    let one = Session::builder().http_version(HttpVersion::Http1).build().expect("a session");
    let two = Session::builder().http_version(HttpVersion::Http2).build().expect("a session");
    assert_eq!(get(&one, &format!("http://{address}/")).await.expect("it answers").version, http_version(1));
    assert_eq!(get(&two, &format!("http://{address}/")).await.expect("it answers").version, http_version(2));
}

fn http_version(major: u8) -> axum::http::Version {
    if major == 2 { axum::http::Version::HTTP_2 } else { axum::http::Version::HTTP_11 }
}

#[test]
fn a_session_belongs_to_one_runtime() {
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let (first, second) = (runtime(), runtime());
    let session = session();
    let address = first.block_on(answers(ok("", b"x")));
    let url = format!("http://{address}/");
    first.block_on(get(&session, &url)).expect("it goes through");
    let error = second.block_on(get(&session, &url)).expect_err("another runtime");
    assert!(matches!(error.kind(), ErrorKind::Config { .. }), "{error}");
}

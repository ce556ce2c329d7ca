//! Reads the body, decompresses it, and keeps it within bounds.

use std::io;
use std::pin::Pin;

use async_compression::tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio_util::io::StreamReader;

use super::Fetch;
use crate::types::{Body, BoxFuture, Request, Response};
use crate::{Error, FetchFailure};

/// The most codings, one in the other, that are undone.
const MAX_CODINGS: usize = 4;

pub(super) struct Decode<F> {
    inner: F,
    max_bytes: usize,
}

impl<F> Decode<F> {
    pub(super) fn new(inner: F, max_bytes: usize) -> Self {
        Self { inner, max_bytes }
    }
}

impl<F: Fetch> Fetch for Decode<F> {
    fn fetch(&self, request: Request) -> BoxFuture<'_, Result<Response, Error>> {
        Box::pin(async move {
            let bodiless = request.method == http::Method::HEAD;
            let mut response = self.inner.fetch(request).await?;
            let body = std::mem::replace(&mut response.body, Body::Full(Bytes::new()));
            let Body::Stream(stream) = body else {
                response.body = body;
                return Ok(response);
            };
            if bodiless || matches!(response.status.as_u16(), 204 | 304) {
                return Ok(response);
            }
            let fail = |failure, message: String| Error::fetch(response.url.as_str(), failure, message);
            let codings = codings(&response).map_err(|message| fail(FetchFailure::Decode, message))?;
            let mut reader: Pin<Box<dyn AsyncBufRead + Send>> =
                Box::pin(StreamReader::new(stream.into_chunks().map_err(io::Error::other)));
            // An empty body is no member of any compressed format, and common nevertheless.
            let empty = reader.fill_buf().await.map_err(|error| read_error(&response, error, ""))?.is_empty();
            if !empty {
                for coding in codings.iter().rev() {
                    reader = decoder(coding, reader).await.map_err(|error| read_error(&response, error, coding))?;
                }
            }
            let shown = codings.join(", ");
            let mut bytes = BytesMut::with_capacity(declared_length(&response).min(self.max_bytes).min(1 << 20));
            loop {
                let read = reader.read_buf(&mut bytes).await.map_err(|error| read_error(&response, error, &shown))?;
                if bytes.len() > self.max_bytes {
                    let message = format!("the body is larger than {} bytes (`max_body_bytes`)", self.max_bytes);
                    return Err(fail(FetchFailure::TooLarge, message));
                }
                if read == 0 {
                    break;
                }
            }
            response.body = Body::Full(bytes.freeze());
            Ok(response)
        })
    }
}

fn declared_length(response: &Response) -> usize {
    response.headers.get("content-length").and_then(|length| length.trim().parse().ok()).unwrap_or(8 << 10)
}

fn codings(response: &Response) -> Result<Vec<String>, String> {
    let codings: Vec<String> = response
        .headers
        .get_all("content-encoding")
        .flat_map(|value| value.split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != "identity")
        .take(MAX_CODINGS + 1)
        .collect();
    if codings.len() > MAX_CODINGS {
        return Err(format!("the body is compressed more than {MAX_CODINGS} times over"));
    }
    Ok(codings)
}

async fn decoder(
    coding: &str,
    mut reader: Pin<Box<dyn AsyncBufRead + Send>>,
) -> io::Result<Pin<Box<dyn AsyncBufRead + Send>>> {
    Ok(match coding {
        "gzip" | "x-gzip" => {
            let mut decoder = GzipDecoder::new(reader);
            decoder.multiple_members(true);
            Box::pin(BufReader::new(decoder))
        }
        "deflate" => {
            // Named after zlib's format, and sent without its frame by some. The first two bytes tell.
            let start = reader.fill_buf().await?;
            let zlib = matches!(start, [first, second, ..] if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0);
            match zlib {
                true => Box::pin(BufReader::new(ZlibDecoder::new(reader))),
                false => Box::pin(BufReader::new(DeflateDecoder::new(reader))),
            }
        }
        "br" => Box::pin(BufReader::new(BrotliDecoder::new(reader))),
        "zstd" => Box::pin(BufReader::new(ZstdDecoder::new(reader))),
        other => {
            let message = format!("the coding `{other}` is not known (gzip, deflate, br and zstd are)");
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
    })
}

/// An error of the transport comes through the reader as it was; others are the decoder's.
fn read_error(response: &Response, error: io::Error, codings: &str) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) if codings.is_empty() => {
            Error::fetch(response.url.as_str(), FetchFailure::Protocol, format!("the body broke off: {error}"))
                .with_source(error)
        }
        Err(error) => Error::fetch(
            response.url.as_str(),
            FetchFailure::Decode,
            format!("the body does not decompress as {codings}: {error}"),
        )
        .with_source(error),
    }
}

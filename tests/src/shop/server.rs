//! The routes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use super::catalog::{CATEGORIES, Product, escape, products};
use super::{classic, extras, modern};

struct Site {
    base: String,
    /// Whether the listing and the products have their new design, at the old addresses.
    redesigned: Arc<AtomicBool>,
    /// How often each flaky page was asked for.
    asked: Mutex<HashMap<String, u32>>,
}

type Shared = State<Arc<Site>>;

pub(super) fn router(base: String, redesigned: Arc<AtomicBool>) -> Router {
    let site = Arc::new(Site { base, redesigned, asked: Mutex::default() });
    Router::new()
        .route("/", get(|headers: HeaderMap| async move { html(&headers, Some(classic::home())) }))
        .route("/catalogue/{page}", get(catalogue))
        .route("/category/{name}/{page}", get(category))
        .route("/product/{slug}", get(product))
        .route("/v2/", get(|headers: HeaderMap| async move { html(&headers, modern::listing(1)) }))
        .route(
            "/v2/catalogue/{page}",
            get(|Path(page): Path<usize>, headers: HeaderMap| async move { html(&headers, modern::listing(page)) }),
        )
        .route(
            "/v2/p/{slug}",
            get(|Path(slug): Path<String>, headers: HeaderMap| async move {
                html(&headers, by_slug(&slug).map(modern::product))
            }),
        )
        .route("/search", get(search))
        .route("/login", get(login_form).post(login))
        .route("/account", get(account))
        .route(
            "/api/products",
            get(|Query(query): Query<HashMap<String, usize>>| async move {
                axum::Json(extras::api(query.get("page").copied().unwrap_or(1)))
            }),
        )
        .route("/robots.txt", get(|State(site): Shared| async move { text("text/plain", extras::robots(&site.base)) }))
        .route(
            "/sitemap.xml",
            get(|State(site): Shared| async move { text("application/xml", extras::sitemap_index(&site.base)) }),
        )
        .route("/sitemap-products.xml.gz", get(sitemap_gz))
        .route(
            "/sitemap-pages.xml",
            get(|State(site): Shared| async move { text("application/xml", extras::sitemap_pages(&site.base)) }),
        )
        .route(
            "/feed.xml",
            get(|State(site): Shared| async move { text("application/rss+xml", extras::feed(&site.base)) }),
        )
        .route("/encoded/windows-1251", get(|| async { bytes("text/html", extras::RUSSIAN.to_vec()) }))
        .route("/encoded/shift_jis", get(|| async { bytes("text/html; charset=Shift_JIS", extras::JAPANESE.to_vec()) }))
        .route(
            "/calendar/{year}/{month}",
            get(
                |Path((year, month)): Path<(i32, u32)>| async move { text("text/html", extras::calendar(year, month)) },
            ),
        )
        .route("/slow/{milliseconds}", get(slow))
        .route(
            "/status/{code}",
            get(|Path(code): Path<u16>| async move { StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST) }),
        )
        .route("/flaky/{name}", get(flaky))
        .route(
            "/old/{slug}",
            get(|Path(slug): Path<String>| async move { Redirect::permanent(&format!("/product/{slug}")) }),
        )
        .with_state(site)
}

/// An HTML page, compressed for those who take it; 404 for none.
fn html(headers: &HeaderMap, page: Option<String>) -> Response {
    let Some(page) = page else {
        return (
            StatusCode::NOT_FOUND,
            [(header::CONTENT_TYPE, "text/html")],
            "<title>Not found</title><h1>Not found</h1>",
        )
            .into_response();
    };
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepts.contains("gzip")
        && let Ok(compressed) = extras::gzip(page.as_bytes())
    {
        let head = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_ENCODING, "gzip")];
        return (head, compressed).into_response();
    }
    text("text/html; charset=utf-8", page)
}

fn text(content_type: &'static str, body: String) -> Response {
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}

fn bytes(content_type: &'static str, body: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, content_type)], Body::from(body)).into_response()
}

fn by_slug(slug: &str) -> Option<&'static Product> {
    products().iter().find(|product| product.slug() == slug)
}

async fn catalogue(State(site): Shared, Path(page): Path<usize>, headers: HeaderMap) -> Response {
    if site.redesigned.load(Ordering::Relaxed) {
        return html(&headers, modern::listing(page));
    }
    let all: Vec<&Product> = products().iter().collect();
    html(&headers, classic::listing("All products", "/catalogue", &all, page))
}

async fn category(Path((name, page)): Path<(String, usize)>, headers: HeaderMap) -> Response {
    let Some(category) = CATEGORIES.iter().find(|category| category.to_lowercase() == name) else {
        return html(&headers, None);
    };
    let all: Vec<&Product> = products().iter().filter(|product| product.category == *category).collect();
    html(&headers, classic::listing(category, &format!("/category/{name}"), &all, page))
}

async fn product(State(site): Shared, Path(slug): Path<String>, headers: HeaderMap) -> Response {
    html(
        &headers,
        by_slug(&slug).map(if site.redesigned.load(Ordering::Relaxed) { modern::product } else { classic::product }),
    )
}

async fn search(Query(query): Query<HashMap<String, String>>, headers: HeaderMap) -> Response {
    let wanted = query.get("q").map(|text| text.to_lowercase()).unwrap_or_default();
    let all: Vec<&Product> =
        products().iter().filter(|product| product.title.to_lowercase().contains(&wanted)).collect();
    html(&headers, classic::listing(&format!("{} results for {}", all.len(), escape(&wanted)), "/search", &all, 1))
}

const TOKEN: &str = "b7f3-4e21";

async fn login_form() -> Response {
    let body = format!(
        "<!DOCTYPE html><title>Log in</title><form id=login action=login method=post><input type=hidden name=csrf value={TOKEN}>\
         <input name=user><input type=password name=password><label><input type=checkbox name=remember checked>Stay</label>\
         <button name=do value=login>Log in</button></form>"
    );
    ([(header::CONTENT_TYPE, "text/html"), (header::SET_COOKIE, "visit=1; Path=/; HttpOnly")], body).into_response()
}

async fn login(headers: HeaderMap, Form(form): Form<HashMap<String, String>>) -> Response {
    let cookies = headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let good = cookies.contains("visit=1")
        && form.get("csrf").is_some_and(|token| token == TOKEN)
        && form.get("password").is_some_and(|password| password == "lantern");
    if !good {
        return (StatusCode::FORBIDDEN, [(header::CONTENT_TYPE, "text/html")], "<h1>That did not work</h1>")
            .into_response();
    }
    let user: String =
        form.get("user").map(|user| user.chars().filter(char::is_ascii_alphanumeric).collect()).unwrap_or_default();
    ([(header::SET_COOKIE, format!("user={user}; Path=/; HttpOnly"))], Redirect::to("/account")).into_response()
}

async fn account(headers: HeaderMap) -> Response {
    let cookies = headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match cookies.split("; ").find_map(|cookie| cookie.strip_prefix("user=")) {
        Some(user) => {
            text("text/html", format!("<!DOCTYPE html><title>Account</title><h1>Hello, {}</h1>", escape(user)))
        }
        None => Redirect::to("/login").into_response(),
    }
}

async fn sitemap_gz(State(site): Shared) -> Response {
    match extras::gzip(extras::sitemap_products(&site.base).as_bytes()) {
        Ok(compressed) => bytes("application/gzip", compressed),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn slow(Path(milliseconds): Path<u64>) -> Response {
    tokio::time::sleep(Duration::from_millis(milliseconds.min(60_000))).await;
    text("text/html", "<h1>At last</h1>".to_owned())
}

/// Fails twice, then answers.
async fn flaky(State(site): Shared, Path(name): Path<String>) -> Response {
    let count = {
        let mut asked = site.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = asked.entry(name).or_default();
        *count += 1;
        *count
    };
    match count {
        1 | 2 => (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")], "busy").into_response(),
        _ => text("text/html", "<h1>Here you are</h1>".to_owned()),
    }
}

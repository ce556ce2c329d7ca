//! What a site has beside its pages: robots.txt, sitemaps, a feed, an API, pages in old encodings, a trap.

use std::io::Write;

use super::catalog::{PER_PAGE, escape, products};

pub(super) fn robots(base: &str) -> String {
    format!(
        "# Everyone is welcome, except in the back room.\nUser-agent: *\nDisallow: /account\nDisallow: /calendar/\n\
         Allow: /calendar/today\n\nUser-agent: slowbot\nCrawl-delay: 2\nDisallow: /search\n\nSitemap: {base}/sitemap.xml\n"
    )
}

pub(super) fn sitemap_index(base: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
         <sitemap><loc>{base}/sitemap-products.xml.gz</loc></sitemap>\n<sitemap><loc>{base}/sitemap-pages.xml</loc></sitemap>\n\
         </sitemapindex>\n"
    )
}

pub(super) fn sitemap_products(base: &str) -> String {
    let urls: String = products()
        .iter()
        .map(|product| format!("<url><loc>{base}{}</loc><lastmod>{}</lastmod></url>\n", product.path(), product.added))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
    )
}

pub(super) fn sitemap_pages(base: &str) -> String {
    let last = products().len().div_ceil(PER_PAGE);
    let urls: String = (1..=last).map(|page| format!("<url><loc>{base}/catalogue/{page}</loc></url>\n")).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{urls}</urlset>\n"
    )
}

pub(super) fn feed(base: &str) -> String {
    let items: String = products()
        .iter()
        .rev()
        .take(15)
        .map(|product| {
            format!(
                "<item><title>{}</title><link>{base}{}</link><pubDate>{}</pubDate></item>\n",
                escape(&product.title),
                product.path(),
                product.added.strftime("%a, %d %b %Y 00:00:00 +0000"),
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>Lantern &amp; Ledger</title><link>{base}/</link>\n{items}</channel></rss>\n"
    )
}

/// A page of the JSON API.
pub(super) fn api(page: usize) -> serde_json::Value {
    let from = page.saturating_sub(1) * PER_PAGE;
    let items: Vec<_> = products()
        .iter()
        .skip(from)
        .take(PER_PAGE)
        .map(|product| {
            serde_json::json!({
                "id": product.id,
                "title": product.title,
                "price": {"amount": product.amount.to_string(), "currency": product.currency},
                "stock": product.stock,
            })
        })
        .collect();
    serde_json::json!({"page": page, "total": products().len(), "items": items})
}

/// A page in windows-1251 that says so in a `<meta>` only.
pub(super) const RUSSIAN: &[u8] =
    b"<!DOCTYPE html><html lang=ru><meta http-equiv=Content-Type content=\"text/html; charset=windows-1251\">\
<title>\xcb\xe0\xec\xef\xe0</title><h1>\xcb\xe0\xec\xef\xe0</h1><p class=price>1 299,50 \xf0\xf3\xe1.</p>";

/// A page in Shift_JIS whose content type says so.
pub(super) const JAPANESE: &[u8] =
    b"<!DOCTYPE html><html lang=ja><title>\x83\x89\x83\x93\x83v</title><h1>\x83\x89\x83\x93\x83v</h1><p class=price>12,800\x89~</p>";

/// A month of an endless calendar: every page links to the next and the one before.
pub(super) fn calendar(year: i32, month: u32) -> String {
    let (next_year, next) = if month >= 12 { (year.saturating_add(1), 1) } else { (year, month + 1) };
    let (last_year, last) = if month <= 1 { (year.saturating_sub(1), 12) } else { (year, month - 1) };
    format!(
        "<!DOCTYPE html><title>Calendar</title><h1>{year}-{month:02}</h1><a rel=prev href=/calendar/{last_year}/{last}>before</a> \
         <a rel=next href=/calendar/{next_year}/{next}>after</a>"
    )
}

pub(super) fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

//! Version 2, the redesign: other elements, hashed classes, another order; the stock is no longer told.

use super::catalog::{PER_PAGE, Product, escape, products};

fn page(title: &str, body: &str) -> String {
    let state = serde_json::json!({"props": {"shop": "Lantern & Ledger", "count": products().len()}, "page": title});
    let state = state.to_string().replace("</", "<\\/");
    format!(
        "<!doctype html><html lang=\"en-GB\"><head><meta charset=\"utf-8\"><base href=\"/v2/\"><title>{title} – Lantern &amp; \
         Ledger</title></head><body><div id=\"app\"><div class=\"hd_x7Kq2\"><a href=\"./\">Lantern &amp; Ledger</a></div>\
         <div role=\"main\" class=\"css-1q8ghz\">{body}</div></div>\
         <script id=\"__NEXT_DATA__\" type=\"application/json\">{state}</script></body></html>"
    )
}

fn card(product: &Product) -> String {
    format!(
        "<li class=\"tile_a8Xz1\" data-sku=\"LL-{id:04}\"><div class=\"tile__media\"><img alt=\"{title}\" src=\"img/{id}.jpg\"></div>\
         <div class=\"tile__body\"><div class=\"tile__cost\"><span data-test=\"amount\">{price}</span></div>\
         <h2 class=\"tile__name\"><a href=\"p/{slug}\" title=\"{title}\">{title}</a></h2>\
         <span class=\"stars\" aria-label=\"{rating} of 5 stars\"></span></div></li>",
        id = product.id,
        title = escape(&product.title),
        price = escape(&product.price_text),
        slug = product.slug(),
        rating = product.rating,
    )
}

/// A page of the listing; `None` past the end.
pub(super) fn listing(number: usize) -> Option<String> {
    let all = products();
    let last = all.len().div_ceil(PER_PAGE);
    if number == 0 || number > last {
        return None;
    }
    let from = (number - 1) * PER_PAGE;
    let cards: String = all[from..all.len().min(from + PER_PAGE)].iter().map(card).collect();
    let next = match number < last {
        true => format!("<a class=\"more\" rel=\"next\" href=\"catalogue/{}\">Show more</a>", number + 1),
        false => String::new(),
    };
    Some(page("Everything", &format!("<h1>Everything</h1><ul class=\"grid_p02\">{cards}</ul>{next}")))
}

/// The page of a product.
pub(super) fn product(product: &Product) -> String {
    let specs: String = product
        .specs
        .iter()
        .map(|(name, value)| format!("<div class=\"kv\"><span>{name}</span><span>{value}</span></div>"))
        .collect();
    let body = format!(
        "<div class=\"sheet_9Qp\"><div class=\"sheet__top\"><strong data-test=\"amount\" class=\"cost_b1\">{price}</strong>\
         <h1 class=\"name_c3\">{title}</h1></div><p>{description}</p><div class=\"facts\">{specs}\
         <div class=\"kv\"><span>Added</span><span>{added}</span></div></div></div>",
        price = escape(&product.price_text),
        title = escape(&product.title),
        description = escape(&product.description),
        added = product.added_text,
    );
    page(&escape(&product.title), &body)
}

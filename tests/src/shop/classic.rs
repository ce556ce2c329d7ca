//! Version 1: tables, classes that say what they mean, and the sloppiness of a shop that has grown.

use super::catalog::{CATEGORIES, PER_PAGE, Product, escape, products};

fn page(title: &str, head: &str, body: &str) -> String {
    let links: String =
        CATEGORIES.iter().map(|name| format!("<li><a href=/category/{}/1>{name}</a>\n", name.to_lowercase())).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8>\n<title>{title} | Lantern &amp; Ledger</title>\n{head}\
         <style>.price {{ color: green }}</style>\n</head>\n<body>\n<header><a href=/>Lantern &amp; Ledger</a>\
         <form id=search action=/search method=get><input type=search name=q value=''><input type=hidden name=lang value=en>\
         <button>Search</button></form></header>\n<nav><ul>\n{links}</ul></nav>\n<main>\n{body}\n</main>\n\
         <footer><p>Prices include VAT. <a href=mailto:hello@lantern.example>hello@lantern.example</a></footer>\n\
         <script>window.STATE = {{cart: [], 'user': null, version: 1,}};</script>\n</body>\n</html>\n"
    )
}

/// The home page.
pub(super) fn home() -> String {
    let first: String = products().iter().take(6).map(card).collect();
    page(
        "Home",
        "",
        &format!(
            "<h1>Welcome</h1><p>Over {} things.</p><section>{first}</section><p><a href=/catalogue/1>All products</a>, <a href=/login>log in</a></p>",
            products().len() - 1
        ),
    )
}

/// A product in a listing. The markup is as it came to be: unquoted attributes, an unclosed `<p>`, entities.
fn card(product: &Product) -> String {
    let stars = ["One", "Two", "Three", "Four", "Five"][usize::from(product.rating) - 1];
    let stock = match product.stock {
        0 => "<p class=\"stock out\">Sold out".to_owned(),
        count => format!("<p class=stock>In stock ({count} available)"),
    };
    format!(
        "<article class=product id=p{id}>\n<h3><a href=\"{path}\" title=\"{title}\">{short}</a></h3>\n\
         <p class=\"star-rating {stars}\"><i></i><i></i><i></i></p>\n<div class=buy><span class=label>Price:</span> \
         <b class=price>{price}</b>\n{stock}</div></article>\n",
        id = product.id,
        path = product.path(),
        title = escape(&product.title),
        short = escape(&shorten(&product.title)),
        price = escape(&product.price_text),
    )
}

fn shorten(title: &str) -> String {
    if title.chars().count() <= 18 { title.to_owned() } else { title.chars().take(15).chain("...".chars()).collect() }
}

/// A page of a listing; `None` past the end.
pub(super) fn listing(title: &str, path: &str, all: &[&Product], number: usize) -> Option<String> {
    let last = all.len().div_ceil(PER_PAGE).max(1);
    if number == 0 || number > last {
        return None;
    }
    let from = (number - 1) * PER_PAGE;
    let cards: String = all[from..all.len().min(from + PER_PAGE)].iter().map(|product| card(product)).collect();
    let mut pager = format!("<ul class=pager><li class=current>Page {number} of {last}</li>");
    if number > 1 {
        pager += &format!("<li class=previous><a rel=prev href=\"{path}/{}\">previous</a></li>", number - 1);
    }
    if number < last {
        pager += &format!("<li class=next><a rel=next href=\"{path}/{}\">next</a></li>", number + 1);
    }
    pager += "</ul>";
    let head = format!("<link rel=canonical href=\"{path}/{number}\">\n");
    Some(page(title, &head, &format!("<h1>{title}</h1>\n<section>{cards}</section>\n{pager}")))
}

/// The page of a product, with all that pages carry beside their text.
pub(super) fn product(product: &Product) -> String {
    let specs: String =
        product.specs.iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{value}</td></tr>\n")).collect();
    let json = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "Product",
        "name": product.title,
        "sku": format!("LL-{:04}", product.id),
        "offers": {
            "@type": "Offer",
            "price": product.amount.to_string(),
            "priceCurrency": product.currency,
            "availability": if product.stock > 0 { "https://schema.org/InStock" } else { "https://schema.org/OutOfStock" },
        },
        "aggregateRating": {"@type": "AggregateRating", "ratingValue": product.rating},
    });
    // A closing tag inside of a script would end it.
    let json = json.to_string().replace("</", "<\\/");
    let head = format!(
        "<meta property=og:title content=\"{title}\">\n<meta property=og:type content=product>\n\
         <meta name=description content=\"{description}\">\n<script type=\"application/ld+json\">{json}</script>\n",
        title = escape(&product.title),
        description = escape(&product.description),
    );
    let stock = match product.stock {
        0 => "Sold out".to_owned(),
        count => format!("In stock ({count} available)"),
    };
    let next = product.id % products().len();
    let body = format!(
        "<ul class=breadcrumb><li><a href=/>Home</a><li><a href=/category/{slug}/1>{category}</a><li>{title}</ul>\n\
         <div itemscope itemtype=\"https://schema.org/Product\">\n<h1 itemprop=name>{title}</h1>\n\
         <p class=price itemprop=offers itemscope itemtype=\"https://schema.org/Offer\"><span itemprop=price content=\"{amount}\">\
         {price}</span><meta itemprop=priceCurrency content={currency}></p>\n<p class=stock>{stock}</p>\n\
         <p class=added>Added: <time datetime={iso}>{added}</time></p>\n<div class=description itemprop=description>\
         <h2>Description</h2><p>{description}</div>\n<table class=specs><caption>Details</caption>\n{specs}</table>\n\
         <dl><dt>Number</dt><dd>LL-{id:04}</dd><dt>Rating:</dt><dd>{rating} of 5</dd></dl>\n</div>\n\
         <aside><h4>You may like</h4>{like}</aside>",
        slug = product.category.to_lowercase(),
        category = product.category,
        title = escape(&product.title),
        amount = product.amount,
        currency = product.currency,
        price = escape(&product.price_text),
        iso = product.added,
        added = product.added_text,
        description = escape(&product.description),
        id = product.id,
        rating = product.rating,
        like = card(&products()[next]),
    );
    page(&escape(&product.title), &head, &body)
}

//! The same answers as scraper on every shared page, for two hundred selectors.

use crawlingo::dom::Document;
use crawlingo::schema::css;

use crate::harness::shared;

/// Where we differ from scraper on purpose, by selector.
const DIFFERENT: &[(&str, &str)] = &[(".article", QUIRKS), (".title", QUIRKS), (".price", QUIRKS)];

const QUIRKS: &str = "classes are matched without case on pages in quirks mode, as browsers do; scraper never does";

fn selectors() -> Vec<String> {
    let mut all: Vec<String> = [
        "*",
        "html",
        "body",
        "head",
        "title",
        "a",
        "a[href]",
        "a[href^=http]",
        "a[href$='.html']",
        "a[href*='?']",
        "p",
        "div",
        "span",
        "ul li",
        "ul > li",
        "ol > li",
        "table tr td",
        "table > tbody > tr",
        "tr:first-child td",
        "td:last-child",
        "th",
        "img[src]",
        "img[alt='']",
        "img:not([alt])",
        "script",
        "script[src]",
        "style",
        "link[rel=stylesheet]",
        "link[rel~=icon]",
        "meta[name]",
        "meta[property^='og:']",
        "meta[content]",
        "form",
        "form input",
        "input[type=text]",
        "input[type=hidden]",
        "input[type=HIDDEN i]",
        "button",
        "select option",
        "textarea",
        "label[for]",
        "h1",
        "h2",
        "h3",
        "h1, h2, h3",
        "h1 + p",
        "h2 ~ p",
        "div > div > div",
        "div div div div",
        "div p a",
        "div > p > a",
        "body > *",
        "body > div:first-child",
        "body *:only-child",
        "li:nth-child(2)",
        "li:nth-child(odd)",
        "li:nth-child(even)",
        "li:nth-child(3n+1)",
        "li:nth-last-child(1)",
        "p:nth-of-type(2)",
        "div:nth-of-type(2n)",
        "a:first-of-type",
        "a:last-of-type",
        "span:only-of-type",
        ":empty",
        "div:empty",
        ":root",
        "html:root",
        "p:not(.x)",
        "div:not([class])",
        "div:not([id]):not([class])",
        "a:not([href^='#'])",
        ":is(h1, h2)",
        ":is(ul, ol) > li",
        ":where(header, footer) a",
        "div:has(a)",
        "div:has(> a)",
        "li:has(ul)",
        "tr:has(th)",
        "p:has(img, a)",
        "section",
        "article",
        "nav a",
        "header",
        "footer",
        "main",
        "aside",
        "figure img",
        "iframe",
        "noscript",
        "svg",
        "svg path",
        "svg *",
        "[id]",
        "[class]",
        "[class~=active]",
        "[id|=main]",
        "[lang|=en]",
        "[lang]",
        "[title]",
        "[style]",
        "[data-id]",
        "[role=navigation]",
        "[role]",
        "[aria-label]",
        "[itemscope]",
        "[itemprop]",
        "[itemprop=name]",
        "[rel=nofollow]",
        "[target=_blank]",
        ".container",
        ".content",
        ".header",
        ".footer",
        ".nav",
        ".active",
        ".title",
        ".price",
        ".product",
        ".article",
        ".post",
        ".item",
        ".row",
        ".col",
        ".btn",
        ".button",
        ".menu",
        ".logo",
        ".left",
        ".right",
        ".clear",
        ".clearfix",
        ".date",
        ".author",
        ".image",
        "#header",
        "#footer",
        "#content",
        "#main",
        "#nav",
        "#menu",
        "#search",
        "#logo",
        "#wrapper",
        "#container",
        "#sidebar",
        "div.content p",
        "div#content a",
        ".content > *",
        "#main .title",
        "ul.menu > li > a",
        "a.active",
        "a.button[href]",
        "p + p",
        "p ~ p",
        "h2 + ul",
        "br",
        "hr",
        "br + br",
        "td + td",
        "td ~ td",
        "td > a",
        "td img",
        "center",
        "font",
        "b, strong",
        "i, em",
        "u",
        "small",
        "dl > dt",
        "dt + dd",
        "blockquote",
        "pre",
        "code",
        "abbr",
        "time",
        "time[datetime]",
        "video",
        "audio",
        "source",
        "canvas",
        "object",
        "embed",
        "map area",
        "caption",
        "colgroup col",
        "thead th",
        "tfoot",
        "fieldset legend",
        "optgroup",
        "option[selected]",
        "input[checked]",
        "a[href=''] ",
        "a[name]",
        "body[class]",
        "html[lang]",
        "div[class*=' ']",
        "[class^=col]",
        "[class$=s]",
        "[src*='//']",
        "template",
        "template *",
        "li:first-child:last-child",
        "div:nth-child(2n+3)",
        "*:nth-last-of-type(3)",
    ]
    .map(str::to_owned)
    .to_vec();
    // In every combination of a few tags, the combinators are walked in all directions.
    for left in ["div", "p", "li", "td"] {
        for combinator in [" ", " > ", " + ", " ~ "] {
            all.push(format!("{left}{combinator}a"));
        }
    }
    all
}

#[test]
fn scraper_finds_the_same_elements() {
    let selectors = selectors();
    assert!(selectors.len() >= 200, "{} selectors", selectors.len());
    let Some(pages) = shared().map(|shared| shared.join("pages")).filter(|pages| pages.is_dir()) else {
        println!("scraper_diff: skipped (set CRAWLINGO_SHARED to the folder that holds pages/)");
        return;
    };
    let parsed: Vec<_> = selectors
        .iter()
        .map(|text| {
            (text, css::parse(text).expect("ours takes it"), scraper::Selector::parse(text).expect("scraper takes it"))
        })
        .collect();
    let (mut compared, mut found, mut different) = (0, 0, Vec::new());
    for path in html_files(&pages) {
        let html = String::from_utf8_lossy(&std::fs::read(&path).expect("the page is readable")).into_owned();
        let (ours, theirs) = (Document::parse(&html), without_scripts(&html));
        for (text, our, their) in &parsed {
            let got: Vec<String> = ours.select(our).map(|element| element.raw_text()).collect();
            let wanted: Vec<String> = theirs.select(their).map(|element| element.text().collect()).collect();
            compared += 1;
            found += got.len();
            let known = DIFFERENT.iter().find(|(known, _)| known == text);
            if let (true, Some((_, reason))) = (got != wanted, known) {
                println!("  different: {text} on {}: {reason}", path.display());
            }
            if got != wanted && known.is_none() {
                different.push(format!("{text} on {}: {} and {}", path.display(), got.len(), wanted.len()));
            }
        }
    }
    println!("scraper_diff: {}/{compared} ({found} elements)", compared - different.len());
    assert!(found > 10_000, "the pages were hardly read: {found} elements");
    assert!(different.is_empty(), "{} differences:\n{}", different.len(), different.join("\n"));
}

/// scraper's document, parsed as with scripts turned off: by default it reads `<noscript>` as text, as a browser that runs
/// scripts does, and we do not.
fn without_scripts(html: &str) -> scraper::Html {
    use html5ever::tendril::TendrilSink;
    let options = html5ever::ParseOpts {
        tree_builder: html5ever::tree_builder::TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
        ..Default::default()
    };
    let sink = scraper::HtmlTreeSink::new(scraper::Html::new_document());
    html5ever::parse_document(sink, options).one(html)
}

fn html_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

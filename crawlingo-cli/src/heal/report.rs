//! The report: one HTML file without anything from elsewhere, which shows what pages held only as text.

use std::fmt::Write;
use std::path::Path;

use crawlingo::heal::{HealRow, Proposal, ProposalState, View};

const STYLE: &str = include_str!("report.css");
/// How many rows of history are shown, the newest first.
const ROWS: usize = 200;
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Writes the report. Everything that a page said is escaped.
pub(super) fn html(proposals: &[Proposal], history: &[HealRow], store: &Path) -> String {
    let mut out = String::with_capacity(16 << 10);
    let pending = proposals.iter().filter(|proposal| proposal.state == ProposalState::Pending).count();
    let bound = proposals.iter().filter(|proposal| proposal.found.bound).count();
    let _ = write!(
        out,
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Heals</title><style>{STYLE}</style><main><header><h1>Heals</h1>\
         <p>{} fields whose selectors no longer find what they found; {bound} were bound, {pending} wait for a decision. \
         A confidence is the probability of being right, not a similarity.</p></header>",
        proposals.len()
    );
    for proposal in proposals {
        card(proposal, store, &mut out);
    }
    if proposals.is_empty() {
        out.push_str(
            "<section class=card><p>Every selector matched, or nothing likely was found in its place.</p></section>",
        );
    }
    rows(history, &mut out);
    out.push_str("</main></html>\n");
    out
}

fn card(proposal: &Proposal, store: &Path, out: &mut String) {
    let Proposal { key, found, state, before, pages, .. } = proposal;
    let id = proposal.id();
    let percent = (found.confidence * 100.0).clamp(0.0, 100.0);
    let kind = match (state, found.bound) {
        (ProposalState::Pending, false) => "not bound",
        (state, _) => state.as_str(),
    };
    let class = if found.bound || state.is_in_use() { "sure" } else { "unsure" };
    let _ = write!(
        out,
        "<section class=\"card {class}\" id=\"{id}\"><h2>{}<span class=dot>.</span>{} <span class=\"badge {}\">{kind}</span>\
         <code class=id>{id}</code></h2><p class=site>{} · version {}</p>\
         <div class=meter title=\"the probability of being right\"><div class=bar style=\"width:{percent:.1}%\"></div>\
         <div class=line></div><b>{percent:.0} %</b></div>",
        escape(&key.schema),
        escape(&found.field),
        state.as_str(),
        escape(&key.site),
        key.version,
    );
    if let Some(reason) = &found.reason {
        let _ = write!(out, "<p class=reason>Not bound: {}.</p>", escape(reason));
    }
    let old = found.selectors.join("\n");
    let new = found.selector.as_deref().map_or("no selector finds just this".to_owned(), |new| format!("css {new:?}"));
    let _ = write!(
        out,
        "<div class=pair><figure><figcaption>before</figcaption><pre class=selector>{}</pre>{}</figure>\
         <figure><figcaption>now · {} {}</figcaption><pre class=selector>{}</pre>{}</figure></div>",
        escape(&old),
        before.as_ref().map_or("<p class=none>It was not looked at.</p>".to_owned(), view),
        found.count,
        if found.count == 1 { "element" } else { "elements, the first" },
        escape(&new),
        view(&found.after),
    );
    evidence(proposal, out);
    if !pages.is_empty() {
        out.push_str("<details><summary>found as surely on ");
        let _ = write!(out, "{} {}</summary><ul>", pages.len(), if pages.len() == 1 { "page" } else { "pages" });
        for page in pages {
            let _ = write!(out, "<li><code>{}</code></li>", escape(page));
        }
        out.push_str("</ul></details>");
    }
    if *state == ProposalState::Pending {
        let own = store != Path::new(super::DEFAULT_STORE);
        let at = if own { format!(" --store {}", escape(&store.display().to_string())) } else { String::new() };
        let _ = write!(
            out,
            "<p class=todo>Right? <code>crawlingo heal{at} approve {id}</code> Wrong? <code>crawlingo heal{at} reject {id}</code></p>"
        );
    }
    out.push_str("</section>");
}

fn evidence(proposal: &Proposal, out: &mut String) {
    let found = &proposal.found;
    if found.evidence.is_empty() && found.rivals.is_empty() {
        return;
    }
    out.push_str("<div class=pair><div><h3>What spoke for it</h3><table class=bars>");
    let most = found.evidence.iter().map(|part| part.weight).fold(f32::EPSILON, f32::max);
    for part in &found.evidence {
        let _ = write!(out, "<tr><td>{}</td>", escape(&part.says));
        if part.weight > 0.0 {
            let wide = part.weight / most * 100.0;
            let _ = write!(
                out,
                "<td><span class=weight style=\"width:{wide:.0}%\"></span></td><td class=number>+{:.2}</td>",
                part.weight
            );
        }
        out.push_str("</tr>");
    }
    out.push_str("</table></div><div><h3>What else was looked at</h3>");
    if found.rivals.is_empty() {
        out.push_str("<p class=none>Nothing.</p>");
    } else {
        out.push_str("<table><tr><th>element</th><th class=number>behind by</th></tr>");
        for rival in &found.rivals {
            let _ = write!(
                out,
                "<tr><td><code>{}</code></td><td class=number>{:.2}</td></tr>",
                escape(&rival.element),
                rival.behind
            );
        }
        out.push_str("</table>");
    }
    out.push_str("</div></div>");
}

fn rows(history: &[HealRow], out: &mut String) {
    if history.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<section class=card><details open><summary>History, the newest first ({})</summary><table><tr>",
        history.len()
    );
    for name in ["when", "site", "field", "outcome", "confidence", "proposed", "page"] {
        let _ = write!(out, "<th>{name}</th>");
    }
    out.push_str("</tr>");
    for row in history.iter().rev().take(ROWS) {
        let when =
            jiff::Timestamp::from_millisecond(row.at).map(|at| at.strftime("%F %T").to_string()).unwrap_or_default();
        let _ = write!(
            out,
            "<tr><td class=number>{when}</td><td>{}</td><td>{}.{}</td><td>{}</td><td class=number>{:.2}</td><td><code>{}</code></td><td>{}</td></tr>",
            escape(&row.key.site),
            escape(&row.key.schema),
            escape(&row.field),
            escape(&row.outcome),
            row.confidence,
            escape(row.selector.as_deref().unwrap_or_default()),
            escape(row.url.as_deref().unwrap_or_default()),
        );
    }
    out.push_str("</table></details></section>");
}

/// An element in its surroundings, as source with a line for each element.
fn view(view: &View) -> String {
    let mut out = String::new();
    if let Some(url) = &view.url {
        let _ = write!(out, "<p class=url>{}</p>", escape(url));
    }
    let (before, element, after) = view.parts();
    out.push_str("<pre class=source>");
    let mut writer = Source { depth: 0, last: Last::Text, out: &mut out };
    writer.part(before);
    writer.break_before(false);
    writer.out.push_str("<mark>");
    writer.last = Last::Text;
    writer.part(element);
    writer.out.push_str("</mark>");
    writer.part(after);
    out.push_str("</pre>");
    out
}

struct Source<'o> {
    depth: usize,
    last: Last,
    out: &'o mut String,
}

#[derive(PartialEq)]
enum Last {
    /// Or nothing yet.
    Text,
    Opened,
    Closed,
}

impl Source<'_> {
    fn part(&mut self, mut html: &str) {
        while let Some(at) = html.find('<') {
            self.text(&html[..at]);
            let rest = &html[at..];
            let end = rest.find('>').map_or(rest.len(), |end| end + 1);
            self.tag(&rest[..end]);
            html = &rest[end..];
        }
        self.text(html);
    }

    fn text(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.out.push_str(&escape(text));
            self.last = Last::Text;
        }
    }

    /// Elements stand on lines of their own, but for what is empty and beside text.
    fn break_before(&mut self, closes: bool) {
        if self.last == Last::Closed || (self.last == Last::Opened && !closes) {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n("  ", self.depth.min(20)));
        }
    }

    fn tag(&mut self, tag: &str) {
        let closes = tag.starts_with("</");
        if closes {
            self.depth = self.depth.saturating_sub(1);
        }
        self.break_before(closes);
        let _ = write!(self.out, "<span class=tag>{}</span>", escape(tag));
        let name = tag.trim_start_matches('<').split([' ', '>']).next().unwrap_or_default();
        let opens = !closes && !VOID.contains(&name) && !tag.starts_with("<!");
        self.depth += usize::from(opens);
        self.last = if opens { Last::Opened } else { Last::Closed };
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

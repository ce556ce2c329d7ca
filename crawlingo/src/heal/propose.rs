//! The new selector that a heal proposes: short, made of what a person wrote, and verified to find just what was healed.

use super::similarity::looks_hashed;
use crate::dom::{Element, Node};
use crawlingo_schema::css;

/// How many proposals are tried.
const MAX_TRIES: usize = 400;

/// A CSS selector that, in each of the scopes, finds just those of the targets that lie in it; `known` if that does.
pub(crate) fn propose(scopes: &[Node<'_>], targets: &[Element<'_>], known: Option<&str>) -> Option<String> {
    let first = *targets.first()?;
    if let Some(known) = known.filter(|known| finds_just(known, scopes, targets)) {
        return Some(known.to_owned());
    }
    let mut own = own_selectors(first);
    let mut tries: Vec<String> = own.clone();
    // A tag that is alone on one page may have company on the next; with a mark around it, it is worth something.
    own.push(first.tag().to_owned());
    for around in first.ancestors().take(5).take_while(|around| !scopes.contains(&around.node())) {
        for outer in own_selectors(around) {
            tries.extend(own.iter().map(|inner| format!("{outer} {inner}")));
        }
    }
    tries.push(first.tag().to_owned());
    if let Some(parent) = first.parent() {
        let nth = parent.children().filter(|child| child.tag() == first.tag()).position(|child| child == first)?;
        let tag = first.tag();
        for outer in own_selectors(parent).into_iter().chain([parent.tag().to_owned()]) {
            tries.push(format!("{outer} > {tag}:nth-of-type({})", nth + 1));
        }
    }
    tries.into_iter().take(MAX_TRIES).find(|selector| finds_just(selector, scopes, targets))
}

fn finds_just(selector: &str, scopes: &[Node<'_>], targets: &[Element<'_>]) -> bool {
    let Ok(selector) = css::parse(selector) else { return false };
    scopes.iter().all(|scope| {
        let wanted = targets.iter().filter(|target| scope.contains(target.node()));
        match scope.as_element() {
            Some(element) => element.select(&selector).eq(wanted.copied()),
            None => scope.document().select(&selector).eq(wanted.copied()),
        }
    })
}

/// Selectors of one element alone, the sturdiest first; a bare tag is none.
fn own_selectors(element: Element<'_>) -> Vec<String> {
    let tag = element.tag();
    let plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
            && !name.split(['-', '_']).any(looks_hashed)
    };
    let mut out = Vec::new();
    if let Some(id) = element.attr("id").filter(|id| plain(id)) {
        out.push(format!("#{id}"));
    }
    for name in ["itemprop", "data-testid", "data-test", "data-field", "name", "rel", "role"] {
        if let Some(value) = element.attr(name).filter(|value| plain(value)) {
            out.push(format!("{tag}[{name}={value}]"));
        }
    }
    let classes: Vec<&str> = element.classes().filter(|class| plain(class)).take(4).collect();
    out.extend(classes.iter().map(|class| format!("{tag}.{class}")));
    if classes.len() > 1 {
        out.push(format!("{tag}.{}", classes.join(".")));
    }
    // What a build hashed has a part before it that a person wrote.
    for class in element.classes().filter(|class| !plain(class)).take(4) {
        let written = class.find(['-', '_']).map(|at| &class[..=at]).filter(|part| part.len() > 3 && plain(part));
        out.extend(written.map(|part| format!("{tag}[class*={part}]")));
    }
    let telling = |name: &str| name.starts_with("data-") || matches!(name, "title" | "datetime" | "itemprop" | "alt");
    let present = element.attrs().map(|(name, _)| name).filter(|name| telling(name) && plain(name)).take(4);
    out.extend(present.map(|name| format!("{tag}[{name}]")));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Document;

    #[test]
    fn prefers_what_a_person_wrote_and_finds_just_the_targets() {
        let document = Document::parse(
            "<ul><li class='css1x2y3 row'><b>a</b><i>x</i><li class=row><b>b</b></ul><p><b id=one>c</b>",
        );
        let rows = document.css("li").expect("it parses");
        assert_eq!(propose(&[document.root()], &rows, None).as_deref(), Some("li.row"));
        let one = document.css("#one").expect("it parses");
        assert_eq!(propose(&[document.root()], &one, None).as_deref(), Some("#one"));
        let inner: Vec<_> = document.css("li b").expect("it parses");
        let scopes: Vec<_> = rows.iter().map(|row| row.node()).collect();
        assert_eq!(propose(&scopes, &inner, None).as_deref(), Some("b"), "inside of the records it is enough");
    }
}

//! CSS over a document: the `selectors` engine's view of an element, and selection in document order.

use std::fmt;

use crawlingo_schema::css::{self, CssSelector, Grammar, Ident, PseudoClass, Text};
use markup5ever::interface::QuirksMode;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::matching::{
    ElementSelectorFlags, MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, SelectorCaches,
    matches_selector,
};
use selectors::{Element as _, OpaqueElement};

use crate::Error;
use crate::dom::{Descendants, Document, DocumentKind, Element, Node, NodeKind};

/// An element as the `selectors` crate sees it. Private, so that no type of that crate is public.
#[derive(Clone, Copy)]
struct View<'a>(Element<'a>);

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a> View<'a> {
    fn node(self) -> Node<'a> {
        self.0.node()
    }

    /// An attribute of an HTML element that is there at all.
    fn has(self, name: &str) -> bool {
        self.0.attr(name).is_some()
    }

    fn is_one_of(self, tags: &[&str]) -> bool {
        self.0.is_html() && tags.contains(&self.0.tag())
    }

    fn input_type(self) -> &'a str {
        self.0.attr("type").unwrap_or("text")
    }

    fn is_input(self, types: &[&str]) -> bool {
        self.is_one_of(&["input"]) && types.iter().any(|wanted| self.input_type().eq_ignore_ascii_case(wanted))
    }

    /// Disabled itself, or by a `<fieldset>` around it (but not in its first `<legend>`), or by its `<optgroup>`.
    fn is_disabled(self) -> bool {
        if !self.is_one_of(&["button", "input", "select", "textarea", "optgroup", "option", "fieldset"]) {
            return false;
        }
        if self.has("disabled") {
            return true;
        }
        match self.0.tag() {
            "option" => {
                self.0.parent().is_some_and(|parent| parent.tag() == "optgroup" && parent.attr("disabled").is_some())
            }
            "optgroup" => false,
            _ => self.0.ancestors().any(|fieldset| {
                fieldset.tag() == "fieldset"
                    && fieldset.attr("disabled").is_some()
                    && !fieldset
                        .children()
                        .find(|child| child.tag() == "legend")
                        .is_some_and(|legend| legend.node().contains(self.node()))
            }),
        }
    }

    fn is_editable(self) -> bool {
        const UNWRITABLE: &[&str] =
            &["hidden", "submit", "button", "reset", "image", "checkbox", "radio", "file", "color", "range"];
        let field = self.is_one_of(&["textarea"]) || (self.is_one_of(&["input"]) && !self.is_input(UNWRITABLE));
        if field {
            return !self.has("readonly") && !self.is_disabled();
        }
        std::iter::once(self.0)
            .chain(self.0.ancestors())
            .find_map(|element| element.attr("contenteditable"))
            .is_some_and(|value| !value.eq_ignore_ascii_case("false"))
    }

    /// `:default`: what is chosen when the form is reset.
    fn is_default(self) -> bool {
        if self.is_input(&["checkbox", "radio"]) {
            return self.has("checked");
        }
        if self.is_one_of(&["option"]) {
            return self.has("selected");
        }
        let submits = |element: Element<'_>| {
            let view = View(element);
            view.is_input(&["submit", "image"])
                || (view.is_one_of(&["button"])
                    && element.attr("type").is_none_or(|kind| kind.eq_ignore_ascii_case("submit")))
        };
        submits(self.0)
            && self
                .0
                .ancestors()
                .find(|around| around.tag() == "form")
                .is_some_and(|form| form.descendants().find(|element| submits(*element)) == Some(self.0))
    }

    fn is_indeterminate(self) -> bool {
        if self.is_one_of(&["progress"]) {
            return !self.has("value");
        }
        if !self.is_input(&["radio"]) || self.has("checked") {
            return false;
        }
        // A radio button of a group in which none is chosen.
        let Some(name) = self.0.attr("name").filter(|name| !name.is_empty()) else { return true };
        let group = self
            .0
            .ancestors()
            .find(|around| around.tag() == "form")
            .map_or(self.node().document().root(), Element::node);
        !group.descendants().filter_map(Node::as_element).any(|other| {
            View(other).is_input(&["radio"]) && other.attr("name") == Some(name) && other.attr("checked").is_some()
        })
    }

    fn is_required(self) -> bool {
        self.takes_required() && self.has("required")
    }

    fn takes_required(self) -> bool {
        const WITHOUT: &[&str] = &["hidden", "range", "color", "submit", "image", "reset", "button"];
        self.is_one_of(&["select", "textarea"]) || (self.is_one_of(&["input"]) && !self.is_input(WITHOUT))
    }

    fn language(self) -> Option<&'a str> {
        std::iter::once(self.0)
            .chain(self.0.ancestors())
            .find_map(|element| element.attr("xml:lang").or_else(|| element.attr("lang")))
            .or_else(|| {
                let head = self.node().document().root_element()?.children().find(|child| child.tag() == "head")?;
                let meta = head.children().find(|meta| {
                    meta.tag() == "meta"
                        && meta.attr("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("content-language"))
                })?;
                meta.attr("content").filter(|content| !content.contains(','))
            })
    }

    fn direction(self) -> &'static str {
        let said = std::iter::once(self.0).chain(self.0.ancestors()).find_map(|element| element.attr("dir"));
        match said {
            Some(said) if said.eq_ignore_ascii_case("rtl") => "rtl",
            _ => "ltr",
        }
    }
}

/// RFC 4647, section 3.3.2: extended filtering.
fn language_matches(range: &str, tag: &str) -> bool {
    if range.is_empty() {
        return tag.is_empty();
    }
    let mut wanted = range.split('-');
    let mut parts = tag.split('-');
    let (Some(first), Some(part)) = (wanted.next(), parts.next()) else { return false };
    if part.is_empty() || (first != "*" && !first.eq_ignore_ascii_case(part)) {
        return false;
    }
    let mut parts = parts.peekable();
    for want in wanted.filter(|want| *want != "*") {
        loop {
            match parts.next() {
                None => return false,
                Some(part) if part.eq_ignore_ascii_case(want) => break,
                // A single letter begins an extension, which nothing may reach across.
                Some(part) if part.len() == 1 => return false,
                Some(_) => {}
            }
        }
    }
    true
}

impl selectors::Element for View<'_> {
    type Impl = Grammar;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.node().data())
    }

    fn parent_element(&self) -> Option<Self> {
        self.0.parent().map(Self)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.0.prev().map(Self)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.0.next().map(Self)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.0.children().next().map(Self)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.0.is_html()
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.0.tag() == name
    }

    fn has_namespace(&self, namespace: &str) -> bool {
        **self.0.namespace() == *namespace
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.0.same_name(other.0)
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Ident>,
        name: &Ident,
        operation: &AttrSelectorOperation<&Text>,
    ) -> bool {
        self.0.qualified_attrs().any(|(found, value)| {
            *found.local == *name.as_str()
                && match namespace {
                    NamespaceConstraint::Any => true,
                    NamespaceConstraint::Specific(url) => *found.ns == *url.as_str(),
                }
                && operation.eval_str(value)
        })
    }

    fn match_non_ts_pseudo_class(&self, class: &PseudoClass, _context: &mut MatchingContext<'_, Grammar>) -> bool {
        match class {
            PseudoClass::AnyLink => self.is_link(),
            PseudoClass::Checked => {
                (self.is_input(&["checkbox", "radio"]) && self.has("checked"))
                    || (self.is_one_of(&["option"]) && self.has("selected"))
            }
            PseudoClass::Disabled => self.is_disabled(),
            PseudoClass::Enabled => {
                self.is_one_of(&["button", "input", "select", "textarea", "optgroup", "option", "fieldset"])
                    && !self.is_disabled()
            }
            PseudoClass::Required => self.is_required(),
            PseudoClass::Optional => self.takes_required() && !self.is_required(),
            PseudoClass::ReadWrite => self.is_editable(),
            PseudoClass::ReadOnly => self.0.is_html() && !self.is_editable(),
            PseudoClass::Indeterminate => self.is_indeterminate(),
            PseudoClass::Default => self.is_default(),
            PseudoClass::PlaceholderShown => {
                const WITH: &[&str] = &["text", "search", "url", "tel", "email", "password", "number"];
                self.0.attr("placeholder").is_some()
                    && match self.0.tag() {
                        "textarea" => matches!(self.0.raw_text().as_str(), "" | "\n"),
                        "input" => self.is_input(WITH) && self.0.attr("value").unwrap_or_default().is_empty(),
                        _ => false,
                    }
            }
            PseudoClass::Defined => !self.0.is_html() || !self.0.tag().contains('-'),
            PseudoClass::Lang(ranges) => {
                let language = self.language();
                ranges.iter().any(|range| language.is_some_and(|language| language_matches(range, language)))
            }
            PseudoClass::Dir(direction) => self.0.is_html() && self.direction() == direction,
            PseudoClass::Contains(text) => contains(self.node().descendants().filter_map(Node::as_text), text),
            PseudoClass::ContainsOwn(text) => contains(self.node().children().filter_map(Node::as_text), text),
            _ => false,
        }
    }

    fn match_pseudo_element(
        &self,
        element: &<Grammar as selectors::parser::SelectorImpl>::PseudoElement,
        _context: &mut MatchingContext<'_, Grammar>,
    ) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.is_one_of(&["a", "area"]) && self.has("href")
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Ident, case: CaseSensitivity) -> bool {
        self.0.plain_attr("id").is_some_and(|found| case.eq(id.as_str().as_bytes(), found.as_bytes()))
    }

    fn has_class(&self, name: &Ident, case: CaseSensitivity) -> bool {
        let classes = self.0.plain_attr("class").unwrap_or_default();
        classes.split_ascii_whitespace().any(|class| case.eq(name.as_str().as_bytes(), class.as_bytes()))
    }

    fn has_custom_state(&self, _name: &Ident) -> bool {
        false
    }

    fn imported_part(&self, _name: &Ident) -> Option<Ident> {
        None
    }

    fn is_part(&self, _name: &Ident) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.node().children().all(|child| match child.kind() {
            NodeKind::Element => false,
            NodeKind::Text => child.as_text().is_none_or(str::is_empty),
            _ => true,
        })
    }

    fn is_root(&self) -> bool {
        self.node().parent().is_some_and(|parent| parent.kind() == NodeKind::Document)
    }

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}

/// Whether the texts, put together, contain the needle. Needles across text nodes are rare, and so is the copy.
fn contains<'a>(texts: impl Iterator<Item = &'a str>, needle: &str) -> bool {
    let mut all = String::new();
    for text in texts {
        if text.contains(needle) {
            return true;
        }
        all.push_str(text);
    }
    all.contains(needle)
}

/// Matches one selector against elements of one document.
struct Matcher<'s> {
    css: &'s CssSelector,
    scope: Option<OpaqueElement>,
    quirks: selectors::matching::QuirksMode,
    caches: SelectorCaches,
}

impl<'s> Matcher<'s> {
    fn new(css: &'s CssSelector, document: &Document, scope: Option<Element<'_>>) -> Self {
        let quirks = match document.quirks {
            _ if document.kind() == DocumentKind::Xml => selectors::matching::QuirksMode::NoQuirks,
            QuirksMode::Quirks => selectors::matching::QuirksMode::Quirks,
            QuirksMode::LimitedQuirks => selectors::matching::QuirksMode::LimitedQuirks,
            QuirksMode::NoQuirks => selectors::matching::QuirksMode::NoQuirks,
        };
        Self { css, scope: scope.map(|element| View(element).opaque()), quirks, caches: SelectorCaches::default() }
    }

    fn matches(&mut self, element: Element<'_>) -> bool {
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            self.quirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        context.scope_element = self.scope;
        let view = View(element);
        self.css.list().slice().iter().any(|selector| matches_selector(selector, 0, None, view, &mut context))
    }
}

/// The elements that a selector finds, in document order; made by [`Document::select`] and [`Element::select`].
pub struct Select<'s, 'a> {
    matcher: Matcher<'s>,
    walk: Descendants<'a>,
}

impl<'a> Iterator for Select<'_, 'a> {
    type Item = Element<'a>;

    fn next(&mut self) -> Option<Element<'a>> {
        let matcher = &mut self.matcher;
        self.walk.by_ref().filter_map(Node::as_element).find(|element| matcher.matches(*element))
    }
}

impl fmt::Debug for Select<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Select").field(&self.matcher.css.source()).finish()
    }
}

impl Document {
    /// The elements that a selector finds, in document order, one by one as they are asked for. The contents of
    /// templates are left out.
    pub fn select<'s, 'a>(&'a self, css: &'s CssSelector) -> Select<'s, 'a> {
        Select { matcher: Matcher::new(css, self, None), walk: self.root().descendants() }
    }

    /// The elements that a CSS selector finds. For a selector that is used often, parse it once and use
    /// [`select`](Self::select).
    ///
    /// ```
    /// let document = crawlingo::dom::Document::parse("<ul><li>a<li class=x>b</ul>");
    /// assert_eq!(document.css("li.x")?[0].raw_text(), "b");
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the selector does not parse.
    pub fn css(&self, selector: &str) -> Result<Vec<Element<'_>>, Error> {
        Ok(self.select(&css::parse(selector)?).collect())
    }
}

impl<'a> Element<'a> {
    /// The descendants that a selector finds, in document order. As with `querySelectorAll`, the selector is matched
    /// against the whole document; `:scope` is this element.
    pub fn select<'s>(self, css: &'s CssSelector) -> Select<'s, 'a> {
        let node = self.node();
        Select { matcher: Matcher::new(css, node.document(), Some(self)), walk: node.descendants() }
    }

    /// The descendants that a CSS selector finds.
    ///
    /// # Errors
    /// When the selector does not parse.
    pub fn css(self, selector: &str) -> Result<Vec<Element<'a>>, Error> {
        Ok(self.select(&css::parse(selector)?).collect())
    }

    /// Whether the element is one of those that the selector finds.
    pub fn matches(self, css: &CssSelector) -> bool {
        Matcher::new(css, self.node().document(), Some(self)).matches(self)
    }

    /// The nearest that matches, of the element itself and its ancestors.
    pub fn closest(self, css: &CssSelector) -> Option<Element<'a>> {
        let mut matcher = Matcher::new(css, self.node().document(), Some(self));
        std::iter::once(self).chain(self.ancestors()).find(|element| matcher.matches(*element))
    }
}

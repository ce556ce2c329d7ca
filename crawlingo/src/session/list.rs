//! The elements that a selector found on a page.

use crate::dom::Element;
use crawlingo_schema::Take;
use crawlingo_schema::css::CssSelector;

/// Elements in document order, and what the selector takes of each (`::text`, `::attr(name)`).
#[derive(Debug, Clone)]
pub struct ElementList<'a> {
    elements: Vec<Element<'a>>,
    take: Option<Take>,
}

impl<'a> ElementList<'a> {
    pub(super) fn new(elements: Vec<Element<'a>>, css: &CssSelector) -> Self {
        Self { elements, take: css.take().cloned() }
    }

    /// The first element.
    pub fn first(&self) -> Option<Element<'a>> {
        self.elements.first().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The elements.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Element<'a>> {
        self.elements.iter().copied()
    }

    fn take_of(&self, element: Element<'a>) -> Option<String> {
        match &self.take {
            None => Some(element.text()),
            Some(Take::OwnText) => Some(element.own_text()),
            Some(Take::Attr(name)) => element.attr(name).map(str::to_owned),
            Some(_) => None,
        }
    }

    /// What the selector takes of the first element that has it: its visible text, or what `::text` or `::attr()` says.
    pub fn get(&self) -> Option<String> {
        self.elements.iter().find_map(|element| self.take_of(*element))
    }

    /// What the selector takes of each element.
    pub fn get_all(&self) -> Vec<String> {
        self.elements.iter().filter_map(|element| self.take_of(*element)).collect()
    }

    /// An attribute of the first element that has it.
    pub fn attr(&self, name: &str) -> Option<&'a str> {
        self.elements.iter().find_map(|element| element.attr(name))
    }
}

impl<'a> IntoIterator for ElementList<'a> {
    type Item = Element<'a>;
    type IntoIter = std::vec::IntoIter<Element<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}

//! Markdown by htmd, from the serialised tree.

use std::sync::OnceLock;

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, HeadingStyle, LinkStyle, Options};

use super::{Document, Element};

/// How Markdown is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct MarkdownOptions {
    /// Links at the end of the document, numbered, instead of within the text.
    pub reference_links: bool,
    /// Images are left out.
    pub without_images: bool,
    /// Headings are underlined instead of begun with `#`.
    pub setext_headings: bool,
}

impl MarkdownOptions {
    /// Puts the links at the end of the document.
    #[must_use]
    pub fn reference_links(mut self, on: bool) -> Self {
        self.reference_links = on;
        self
    }

    /// Leaves images out.
    #[must_use]
    pub fn without_images(mut self, on: bool) -> Self {
        self.without_images = on;
        self
    }

    /// Underlines headings.
    #[must_use]
    pub fn setext_headings(mut self, on: bool) -> Self {
        self.setext_headings = on;
        self
    }

    fn converter(self) -> HtmlToMarkdown {
        let mut skip =
            vec!["script", "style", "template", "noscript", "head", "title", "meta", "link", "iframe", "object", "svg"];
        if self.without_images {
            skip.push("img");
        }
        HtmlToMarkdown::builder()
            .options(Options {
                heading_style: if self.setext_headings { HeadingStyle::Setex } else { HeadingStyle::Atx },
                link_style: if self.reference_links { LinkStyle::Referenced } else { LinkStyle::Inlined },
                bullet_list_marker: BulletListMarker::Dash,
                ul_bullet_spacing: 1,
                ol_number_spacing: 1,
                ..Options::default()
            })
            .skip_tags(skip)
            .build()
    }
}

fn convert(html: &str, options: MarkdownOptions) -> String {
    static DEFAULT: OnceLock<HtmlToMarkdown> = OnceLock::new();
    let converted = match options == MarkdownOptions::default() {
        true => DEFAULT.get_or_init(|| options.converter()).convert(html),
        false => options.converter().convert(html),
    };
    // It reads from memory; an I/O error cannot occur.
    converted.unwrap_or_default()
}

impl Element<'_> {
    /// The element as Markdown.
    ///
    /// ```
    /// let document = crawlingo::dom::Document::parse("<div><h2>Title</h2><p>Some <b>bold</b> text</div>");
    /// assert_eq!(document.css("div")?[0].markdown(), "## Title\n\nSome **bold** text");
    /// # Ok::<(), crawlingo::Error>(())
    /// ```
    pub fn markdown(self) -> String {
        self.markdown_with(MarkdownOptions::default())
    }

    /// The element as Markdown, with options.
    pub fn markdown_with(self, options: MarkdownOptions) -> String {
        convert(&self.outer_html(), options)
    }
}

impl Document {
    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        self.markdown_with(MarkdownOptions::default())
    }

    /// The page as Markdown, with options.
    pub fn markdown_with(&self, options: MarkdownOptions) -> String {
        convert(&self.html(), options)
    }
}

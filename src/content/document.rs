//! A page's text, taken apart into what stays words and what must be worked out.

use std::sync::Arc;

use crate::content::{Block, Expression, FrontMatter};
use crate::diag::{Source, Span};

/// A stretch of a page's body, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Ready HTML.
    Html(String),
    /// The inline value with this index in [`Document::inlines`].
    Inline {
        /// Index.
        index: usize,
        /// Whether it stands inside an attribute (an image's alternative text), where no markup fits.
        in_attribute: bool,
    },
    /// Where the claim with this index in [`Document::claims`] begins.
    ClaimStart(usize),
    /// Where it ends.
    ClaimEnd(usize),
    /// The block with this index in [`Document::blocks`]; stands between block elements.
    Block(usize),
    /// The address of the link with this index in [`Document::links`], inside `href="…"`.
    Link(usize),
    /// The address of the image with this index in [`Document::images`], inside `src="…"`.
    Image(usize),
    /// Interface words by key (the title of an alert: `alert-warning`).
    Message(String),
}

/// A heading, for tables of contents and anchors.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Anchor, unique on the page.
    pub id: String,
    /// Its words: only [`Piece::Html`] and [`Piece::Inline`], without links.
    pub pieces: Vec<Piece>,
    /// Where it stands.
    pub span: Span,
}

/// An inline value `{{ … }}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Inline {
    /// What is to be worked out.
    pub expression: Expression,
    /// The whole of it, braces included.
    pub span: Span,
    /// Whether it stands inside a link, where no second link fits.
    pub in_link: bool,
}

/// A claim `{% claim … %}…{% end %}`.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The condition.
    pub condition: Expression,
    /// Options after the condition, by name, in order (`expect = "refuted"`).
    pub options: Vec<(String, Expression)>,
    /// The opening tag.
    pub span: Span,
    /// The prose between the tags, as plain words without markup (inline values left out as `…`).
    pub prose: String,
    /// Whether it stands inside a link, where no second link fits.
    pub in_link: bool,
}

/// A link as the author wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The destination, unescaped.
    pub target: String,
    /// Where it stands.
    pub span: Span,
}

/// An image as the author wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Image {
    /// The destination, unescaped.
    pub target: String,
    /// Where it stands.
    pub span: Span,
}

/// A page in one language.
#[derive(Debug, Clone)]
pub struct Document {
    /// The Markdown file.
    pub source: Arc<Source>,
    /// What its front matter says.
    pub front: FrontMatter,
    /// The body.
    pub pieces: Vec<Piece>,
    /// Its headings in order.
    pub headings: Vec<Heading>,
    /// Its inline values.
    pub inlines: Vec<Inline>,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// Its links.
    pub links: Vec<Link>,
    /// Its images.
    pub images: Vec<Image>,
    /// Every anchor of the body (headings, footnotes), without those of figures.
    pub anchors: Vec<String>,
    /// The body's words without markup, for search, counts and descriptions.
    pub words: String,
    /// Digest of title, description and body, by which translations say what they translate:
    /// the first 16 hexadecimal digits of BLAKE3 over the parts, line ends as `\n`.
    pub digest: String,
}

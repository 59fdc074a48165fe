//! What stands above a page's text: TOML between `+++` or YAML between `---`.

use crate::diag::Span;

/// A page's front matter, as typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// Title (required).
    pub title: String,
    /// One or two sentences for lists, feeds and previews.
    pub description: Option<String>,
    /// Date of publication, `2026-11-30`.
    pub date: Option<String>,
    /// Date of the last change of substance.
    pub updated: Option<String>,
    /// Left out unless drafts are asked for.
    pub draft: bool,
    /// Last part of the address, instead of the file's name.
    pub slug: Option<String>,
    /// Place in its section: smaller first, then newer first.
    pub weight: Option<i64>,
    /// Tags.
    pub tags: Vec<String>,
    /// Authors.
    pub authors: Vec<String>,
    /// Earlier addresses that lead here, relative to the language's root.
    pub aliases: Vec<String>,
    /// Keys of the experiments it speaks of; the first is the default of blocks and expressions.
    pub experiments: Vec<String>,
    /// Digest of the original this translation was made from.
    pub translated_from: Option<String>,
    /// Name of the template instead of the default for its place.
    pub template: Option<String>,
    /// Inline values as headline figures: expressions with a label (`[[headline]]`), as text.
    pub headlines: Vec<Headline>,
    /// Where each known key stands, for error messages.
    pub spans: Vec<(String, Span)>,
    /// The whole front matter with its fences.
    pub span: Option<Span>,
}

/// A figure shown large above an article.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// An expression, as inside `{{ … }}`.
    pub value: String,
    /// What it is, in the page's language.
    pub label: String,
    /// Where the expression stands.
    pub span: Span,
}

//! Markdown to pieces: the prose as HTML, with places kept for values, claims, blocks and links.

use std::sync::Arc;

use super::digest::digest;
use super::document::{Document, Inline, Link, Piece};
use super::front_matter;
use super::place::text_within;
use super::scan::scan;
use super::writer::{Written, write};
use crate::diag::{Report, Source, Span};

/// What happens to HTML that stands in Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RawHtml {
    /// It is shown as text.
    #[default]
    Escape,
    /// Safe elements are kept, everything else is removed.
    Sanitize,
}

/// Reads a page. Faults go to the report, those of the body also when the front matter is broken;
/// `None` when nothing can be shown of it (its front matter can't be read).
pub fn read(source: &Arc<Source>, raw_html: RawHtml, report: &mut Report) -> Option<Document> {
    let front_matter::Read { front, body } = front_matter::read(source, report)?;
    let marked = scan(source, body..source.text.len(), report);
    let Written {
        pieces,
        headings,
        inlines,
        claims,
        blocks,
        links,
        images,
        anchors,
        words,
    } = write(source, marked, raw_html, false, report);
    let front = front?;
    let digest = digest(&front, &source.text[body..]);
    Some(Document {
        source: Arc::clone(source),
        front,
        pieces,
        headings,
        inlines,
        claims,
        blocks,
        links,
        images,
        anchors,
        words,
        digest,
    })
}

/// A small text with inline elements only: a caption, a summary, a description.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fragment {
    /// Its pieces: HTML, inline values (of `inlines`) and links (of `links`).
    pub pieces: Vec<Piece>,
    /// Its inline values.
    pub inlines: Vec<Inline>,
    /// Its links.
    pub links: Vec<Link>,
    /// Its words without markup, values left out as `…`.
    pub words: String,
}

/// Reads a text that stands at `place` as inline Markdown: paragraphs are joined, block elements
/// give only their words, raw HTML is shown as text, images and claims have no place.
///
/// Places of faults are exact where `text` stands under `place` as it reads (also within quotes);
/// a text with escapes is shown by itself, under its file's name.
pub fn fragment(text: &str, place: &Span, report: &mut Report) -> Fragment {
    let (source, range) = match text_within(place, text) {
        Some(span) => (span.source, span.range),
        None => (Source::new(place.source.path.clone(), text), 0..text.len()),
    };
    let marked = scan(&source, range, report);
    let written = write(&source, marked, RawHtml::Escape, true, report);
    let Written {
        mut pieces,
        inlines,
        links,
        words,
        ..
    } = written;
    pieces.retain(|piece| !matches!(piece, Piece::ClaimStart(_) | Piece::ClaimEnd(_)));
    Fragment {
        pieces,
        inlines,
        links,
        words,
    }
}

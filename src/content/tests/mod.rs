//! Tests of the whole room: pages in, pieces and faults out.

mod expressions;
mod front;
mod html;
mod places;
mod properties;

use std::fmt::Write as _;

use super::{Document, Piece, RawHtml, read};
use crate::diag::{Report, Source};

/// Reads a body under a minimal front matter.
fn page(body: &str, raw_html: RawHtml) -> (Document, Report) {
    let mut report = Report::new();
    let source = Source::new("page.md", format!("+++\ntitle = \"T\"\n+++\n{body}"));
    let document = read(&source, raw_html, &mut report).expect("a document");
    (document, report)
}

/// The pieces with marks that show what they are.
fn shown(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        let _ = match piece {
            Piece::Html(html) => write!(out, "{html}"),
            Piece::Inline {
                index,
                in_attribute: false,
            } => write!(out, "«{index}»"),
            Piece::Inline {
                index,
                in_attribute: true,
            } => write!(out, "«{index}@»"),
            Piece::ClaimStart(index) => write!(out, "«c{index}:»"),
            Piece::ClaimEnd(index) => write!(out, "«:c{index}»"),
            Piece::Block(index) => write!(out, "«block {index}»"),
            Piece::Link(index) => write!(out, "«link {index}»"),
            Piece::Image(index) => write!(out, "«image {index}»"),
            Piece::Message(key) => write!(out, "«{key}»"),
        };
    }
    out
}

/// Every fault as `code: text under the first place | text under the second …`.
fn faults(report: &Report) -> Vec<String> {
    report
        .sorted()
        .iter()
        .map(|diagnostic| {
            let places: Vec<&str> = diagnostic
                .labels
                .iter()
                .map(|label| label.span.text())
                .collect();
            format!("{}: {}", diagnostic.code, places.join(" | "))
        })
        .collect()
}

//! Markdown to pieces: the prose as HTML, with places kept for values, claims, blocks and links.

use std::sync::Arc;

use crate::content::Document;
use crate::diag::{Report, Source};

/// What happens to HTML that stands in Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RawHtml {
    /// It is shown as text.
    #[default]
    Escape,
    /// Safe elements are kept, everything else is removed.
    Sanitize,
}

/// Reads a page. Faults go to the report; `None` when nothing can be shown of it
/// (its front matter can't be read).
pub fn read(_source: &Arc<Source>, _raw_html: RawHtml, _report: &mut Report) -> Option<Document> {
    None
}

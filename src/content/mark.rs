//! Texts with marks in them: written, shown as they were typed, or put into attributes.

use std::sync::Arc;

use super::document::Piece;
use super::scan::{CLOSE, Meaning, OPEN};
use super::writer::Writer;

impl Writer<'_, '_> {
    pub(super) fn text(&mut self, text: &str) {
        if !text.as_bytes().contains(&0xEE) {
            self.plain(text);
            return;
        }
        let mut rest = text;
        while let Some((before, number, after)) = next_mark(rest) {
            self.plain(before);
            self.mark(number);
            rest = after;
        }
        self.plain(rest);
    }

    pub(super) fn plain(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.word(text);
        if self.in_image() {
            self.out.attribute(text);
        } else {
            self.out.text(text);
        }
        if let Some(heading) = &mut self.heading {
            heading.words.text(text);
        }
    }

    /// Writes what a mark stands for.
    fn mark(&mut self, number: usize) {
        let Some(mark) = self.marks.get(number) else {
            return;
        };
        self.placed[number] = true;
        match mark.meaning {
            Meaning::Inline(Some(index)) => {
                self.word("…");
                let in_attribute = self.in_image();
                self.done.inlines[index].in_link = self.links_open > 0;
                self.out.piece(Piece::Inline {
                    index,
                    in_attribute,
                });
                if let Some(heading) = &mut self.heading {
                    heading.words.piece(Piece::Inline {
                        index,
                        in_attribute: false,
                    });
                }
            }
            Meaning::ClaimStart(claim) => self.claim_start(claim, number, self.in_image()),
            Meaning::ClaimEnd => self.claim_end(number, self.in_image()),
            // Shown as it was typed; the fault was reported.
            Meaning::Inline(None) | Meaning::Refused => {
                let source = Arc::clone(self.source);
                self.plain(&source.text[mark.range.clone()]);
            }
        }
    }

    /// A text as it was before marks were put in: for code, where they mean nothing.
    pub(super) fn unmarked(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, number, after)) = next_mark(rest) {
            out.push_str(before);
            if let Some(mark) = self.marks.get(number) {
                self.placed[number] = true;
                out.push_str(&self.source.text[mark.range.clone()]);
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// Writes a text with marks into an attribute.
    pub(super) fn attribute(&mut self, text: &str) {
        let mut rest = text;
        while let Some((before, number, after)) = next_mark(rest) {
            self.out.attribute(before);
            if let Some(Meaning::Inline(Some(index))) = self.marks.get(number).map(|m| m.meaning) {
                self.placed[number] = true;
                self.out.piece(Piece::Inline {
                    index,
                    in_attribute: true,
                });
            }
            rest = after;
        }
        self.out.attribute(rest);
    }
}

/// The text before the first mark, its number, and the text after it.
pub(super) fn next_mark(text: &str) -> Option<(&str, usize, &str)> {
    let start = text.find(OPEN)?;
    let after = &text[start + OPEN.len_utf8()..];
    let end = after.find(CLOSE)?;
    let number = after[..end].parse().unwrap_or(usize::MAX);
    Some((&text[..start], number, &after[end + CLOSE.len_utf8()..]))
}

//! Places: from offsets in a text that was changed or taken apart back to the author's bytes.

use std::ops::Range;
use std::sync::Arc;

use crate::diag::{Source, Span};

/// Sorted pairs of an offset here and the offset there of the same character.
#[derive(Debug, Clone, Default)]
pub(super) struct Map {
    parts: Vec<Part>,
}

/// From `here` on, `length` bytes stand unchanged at `there`; bytes after them, up to the next
/// part, have no counterpart.
#[derive(Debug, Clone, Copy)]
struct Part {
    here: usize,
    there: usize,
    length: usize,
}

impl Map {
    /// Says that `length` bytes from `here` on are those from `there` on. Parts come in order.
    pub(super) fn push(&mut self, here: usize, there: usize, length: usize) {
        if let Some(last) = self.parts.last_mut()
            && last.here + last.length == here
            && last.there + last.length == there
        {
            last.length += length;
            return;
        }
        self.parts.push(Part {
            here,
            there,
            length,
        });
    }

    /// The original offset of the character that begins at `offset`.
    fn start(&self, offset: usize) -> usize {
        let next = self.parts.partition_point(|part| part.here <= offset);
        let Some(part) = next.checked_sub(1).map(|index| self.parts[index]) else {
            return self.parts.first().map_or(0, |part| part.there);
        };
        part.there + (offset - part.here).min(part.length)
    }

    /// The original offset just after the character that ends at `offset`.
    fn end(&self, offset: usize) -> usize {
        let next = self.parts.partition_point(|part| part.here < offset);
        let Some(part) = next.checked_sub(1).map(|index| self.parts[index]) else {
            return self.start(offset);
        };
        if offset - part.here <= part.length {
            return part.there + (offset - part.here);
        }
        // Inside something that was put in for other text: to the end of that text.
        self.parts
            .get(next)
            .map_or(part.there + part.length, |part| part.there)
    }

    /// The original offset after the last part.
    pub(super) fn last(&self) -> Option<usize> {
        self.parts.last().map(|part| part.there + part.length)
    }

    /// The original range.
    pub(super) fn range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.start(range.start);
        if range.is_empty() {
            start..start
        } else {
            start..self.end(range.end).max(start)
        }
    }
}

/// A text taken out of a source, without the marks of the lists and quotes around it.
#[derive(Debug)]
pub(super) struct Body {
    /// The text.
    pub(super) text: String,
    /// From its offsets to the source's.
    pub(super) map: Map,
    /// The source.
    pub(super) source: Arc<Source>,
}

impl Body {
    /// The place of a range of the text.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(&self.source, self.map.range(range))
    }
}

/// The place of a text within `place`, where it stands as it reads: usually between quotes.
pub(super) fn text_within(place: &Span, text: &str) -> Option<Span> {
    let at = place.text().find(text).filter(|_| !text.is_empty())?;
    Some(place.within(at..at + text.len()))
}

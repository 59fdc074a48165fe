//! Links and images: safe addresses only, those of the site left open for it to resolve.

use std::ops::Range;

use super::document::{Image, Link, Piece};
use super::mark::next_mark;
use super::target::{Target, encode, target};
use super::writer::Writer;
use crate::diag::{Code, Diagnostic, Span};

impl Writer<'_, '_> {
    /// The place of an address within a link or image, else all of it.
    fn address_span(&self, address: &str, range: &Range<usize>) -> Span {
        let text = &self.text[range.clone()];
        match text.rfind(address).filter(|_| !address.is_empty()) {
            Some(at) => self.span(range.start + at..range.start + at + address.len()),
            None => self.span(range.clone()),
        }
    }

    /// An address without marks; values have no place in it.
    fn address(&mut self, address: &str) -> String {
        let Some((before, number, after)) = next_mark(address) else {
            return address.to_owned();
        };
        if let Some(placed) = self.placed.get_mut(number) {
            *placed = true;
            let span = self.mark_span(number);
            self.report.push(
                Diagnostic::new(Code::BadExpression, "a value can't be part of an address")
                    .at(span, ""),
            );
        }
        let rest = self.address(after);
        format!("{before}{rest}")
    }

    pub(super) fn link(&mut self, address: &str, email: bool, title: &str, range: &Range<usize>) {
        let span = self.address_span(address, range);
        let mut address = self.address(address);
        if email {
            address.insert_str(0, "mailto:");
        }
        let kind = target(&address);
        if let Target::Unsafe(reason) = &kind {
            self.report.push(
                Diagnostic::new(Code::UnsafeLink, format!("a link is not safe: {reason}"))
                    .at(span, "")
                    .help("links begin with https:, http:, mailto: or tel:, or lead to a file of the site"),
            );
            return self.open("");
        }
        if self.in_image() || self.links_open > 0 {
            return self.open("");
        }
        self.out.html("<a href=\"");
        if let Target::Outside(address) = kind {
            encode(&address, self.out.buffer());
            self.out.html("\" rel=\"noopener");
        } else {
            self.out.piece(Piece::Link(self.done.links.len()));
            self.done.links.push(Link {
                target: address,
                span,
            });
        }
        self.title(title);
        self.out.html("\">");
        self.links_open += 1;
        self.open("</a>");
    }

    fn title(&mut self, title: &str) {
        if !title.is_empty() {
            self.out.html("\" title=\"");
            self.attribute(title);
        }
    }

    pub(super) fn image(&mut self, address: &str, title: &str, range: &Range<usize>) {
        if self.in_image() {
            // An image in another's alternative text: only its words count.
            self.images.push(true);
            return;
        }
        if self.inline_only {
            // A caption or summary has no place for it; its words stay.
            self.images.push(false);
            return;
        }
        let span = self.address_span(address, range);
        let address = self.address(address);
        let reason = match target(&address) {
            Target::Unsafe(reason) => Some(reason),
            Target::Outside(_) => {
                Some("it lies on another site, and pages work offline".to_owned())
            }
            Target::Inside if address.contains(':') => Some("it is no file".to_owned()),
            Target::Inside => None,
        };
        if let Some(reason) = reason {
            self.report.push(
                Diagnostic::new(
                    Code::UnsafeLink,
                    format!("an image can't be used: {reason}"),
                )
                .at(span, "")
                .help("put the image file beside the page and name it by its relative path"),
            );
            // Its words stay, as words.
            self.images.push(false);
            return;
        }
        self.out.html("<img src=\"");
        self.out.piece(Piece::Image(self.done.images.len()));
        self.done.images.push(Image {
            target: address,
            span,
        });
        self.out.html("\" alt=\"");
        title.clone_into(&mut self.image_title);
        self.images.push(true);
    }

    pub(super) fn end_image(&mut self) {
        if self.images.pop() == Some(true) && !self.in_image() {
            let title = std::mem::take(&mut self.image_title);
            self.title(&title);
            self.out.html("\" loading=\"lazy\">");
        }
    }
}

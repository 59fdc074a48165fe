//! Pieces in the making: HTML is gathered until something else comes.

use super::document::Piece;
use super::target::{escape, escape_attribute};

/// What has been written so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    pieces: Vec<Piece>,
    html: String,
}

impl Output {
    /// Adds ready HTML.
    pub(super) fn html(&mut self, html: &str) {
        self.html.push_str(html);
    }

    /// Adds a text between tags.
    pub(super) fn text(&mut self, text: &str) {
        escape(text, &mut self.html);
    }

    /// Adds a text inside an attribute.
    pub(super) fn attribute(&mut self, text: &str) {
        escape_attribute(text, &mut self.html);
    }

    /// The HTML being gathered, for those who write into it.
    pub(super) fn buffer(&mut self) -> &mut String {
        &mut self.html
    }

    /// Adds a piece that is no HTML.
    pub(super) fn piece(&mut self, piece: Piece) {
        self.flush();
        self.pieces.push(piece);
    }

    /// Adds other pieces.
    pub(super) fn pieces(&mut self, pieces: Vec<Piece>) {
        self.flush();
        self.pieces.extend(pieces);
    }

    /// Adds interface words by key.
    pub(super) fn message(&mut self, key: &str) {
        self.piece(Piece::Message(key.to_owned()));
    }

    /// Whether a new block would begin in the middle of a line.
    pub(super) fn mid_line(&self) -> bool {
        match self.html.chars().next_back() {
            Some(last) => last != '\n',
            None => !self.pieces.is_empty(),
        }
    }

    /// Everything written.
    pub(super) fn finish(mut self) -> Vec<Piece> {
        self.flush();
        self.pieces
    }

    fn flush(&mut self) {
        if !self.html.is_empty() {
            self.pieces
                .push(Piece::Html(std::mem::take(&mut self.html)));
        }
    }
}

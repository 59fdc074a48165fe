//! Fenced and indented code: blocks of data by their first word, else code with colours.

use std::sync::Arc;

use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::arguments;
use super::block::Kind;
use super::document::Piece;
use super::highlight::{highlight, is_language};
use super::kinds::KINDS;
use super::place::{Body, Map};
use super::writer::{Placed, Writer};
use crate::diag::{Code, Diagnostic, nearest};

impl Writer<'_, '_> {
    /// A code block; gives the index of the event after it.
    pub(super) fn code_block(&mut self, events: &[Placed<'_>], at: usize) -> usize {
        self.boundary();
        let mut body = Body {
            text: String::new(),
            map: Map::default(),
            source: Arc::clone(self.source),
        };
        let mut next = at + 1;
        while let Some((event, range)) = events.get(next) {
            next += 1;
            match event {
                Event::Text(text) => {
                    let text = self.unmarked(text);
                    let there = self.map().range(range.clone()).start;
                    body.map.push(body.text.len(), there, text.len());
                    body.text.push_str(&text);
                }
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        let (Event::Start(Tag::CodeBlock(kind)), range) = &events[at] else {
            return next;
        };
        let info = match kind {
            CodeBlockKind::Fenced(info) => self.unmarked(info),
            CodeBlockKind::Indented => String::new(),
        };
        let word = info.split([' ', '\t', ',']).next().unwrap_or_default();
        let kind: Option<&'static Kind> = KINDS.iter().find(|kind| kind.name == word);
        if let Some(kind) = kind
            && !self.inline_only
        {
            // An empty body still has a place: the line after the fence.
            let fence = self.line_span(range);
            let line = fence
                .text()
                .find('\n')
                .map_or(fence.range.end, |at| fence.range.start + at);
            body.map
                .push(body.text.len(), body.map.last().unwrap_or(line), 0);
            let block = arguments::read(kind, &body, fence, self.report);
            self.space();
            self.out.piece(Piece::Block(self.done.blocks.len()));
            self.done.blocks.push(block);
            return next;
        }
        self.misspelled(word, range.start);
        if self.inline_only {
            self.space();
            self.inline("<code>");
            self.plain(body.text.trim());
            self.inline("</code>");
            return next;
        }
        self.block("<pre class=\"code\" tabindex=\"0\"><code");
        if !word.is_empty() {
            self.out.html(" class=\"language-");
            self.out.attribute(word);
            self.out.html("\"");
        }
        self.out.html(">");
        self.out.html(&highlight(&body.text, word));
        self.out.html("</code></pre>\n");
        next
    }

    /// Warns about a word that looks like a block's name.
    fn misspelled(&mut self, word: &str, fence: usize) {
        if word.is_empty() || is_language(word) {
            return;
        }
        let Some(near) = nearest(word, KINDS.iter().map(|kind| kind.name)) else {
            return;
        };
        let line = &self.text[fence..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        let place = match line.find(word) {
            Some(at) => self.span(fence + at..fence + at + word.len()),
            None => self.span(fence..fence + line.len()),
        };
        self.report.push(
            Diagnostic::new(
                Code::MisspelledBlock,
                format!("`{word}` is no block and no language known here; it is shown as code"),
            )
            .at(place, "")
            .help(format!("did you mean `{near}`?")),
        );
    }
}

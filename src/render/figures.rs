//! A page's blocks: worked out, captioned and framed in their places.

use crate::content::{Piece, fragment};
use crate::figure::markup::escape;

use super::anchors::{figure_id, figure_number};
use super::blocks;
use super::body::Worker;
use super::frame::{self, Frame};
use super::statement::StatementKind;

impl Worker<'_, '_> {
    pub(super) fn block(&mut self, index: usize, html: &mut String) {
        let document = self.document;
        let block = &document.blocks[index];
        let Some(id) = figure_id(document, index) else {
            html.push_str(&self.ledger());
            return;
        };
        self.body.figures += 1;
        let caption = self.caption(index);
        let number = figure_number(document, index);
        if block.kind == "figure" {
            html.push_str(&self.image_figure(index, &id, number, &caption));
            return;
        }
        let worked = blocks::work(
            self.press.shelf,
            self.default(),
            self.language,
            block,
            self.report,
        );
        let Some(worked) = worked else { return };
        let said = &worked.figure.csv;
        self.state(StatementKind::Figure, &block.span, block.kind, said);
        let frame = Frame {
            id: &id,
            number,
            caption: &caption,
            address: self.place.address,
            experiment: &worked.experiment,
        };
        let framed = frame::frame(&worked.figure, &frame, self.language);
        html.push_str(&framed.html);
        self.body.files.extend(framed.files);
        self.body.experiments.insert(worked.experiment);
    }

    /// A block's caption as HTML, with its inline values worked out.
    pub(super) fn caption(&mut self, index: usize) -> String {
        let Some(given) = self.document.blocks[index].arguments.get("caption") else {
            return String::new();
        };
        let text = given.value.as_str().unwrap_or_default();
        let fragment = fragment(text, &given.value_span, self.report);
        let mut html = String::new();
        for piece in &fragment.pieces {
            match piece {
                Piece::Html(ready) => html.push_str(ready),
                Piece::Inline { index, .. } => {
                    let inline = &fragment.inlines[*index];
                    let mut evaluator = self.evaluator();
                    let Some(thing) = evaluator.evaluate(&inline.expression, self.report) else {
                        continue;
                    };
                    let shown = evaluator.show(&thing);
                    let number = self.body.values.len() + 1;
                    self.note_value(number, &shown, &inline.expression.span, &evaluator.evidence);
                    html.push_str(&self.value_html(number, &shown, inline.in_link));
                }
                Piece::Link(index) => {
                    let link = &fragment.links[*index];
                    let url = self.link(&link.target, &link.span);
                    html.push_str(&escape(&url));
                }
                _ => {}
            }
        }
        html
    }

    pub(super) fn image_figure(
        &mut self,
        index: usize,
        id: &str,
        number: usize,
        caption: &str,
    ) -> String {
        let block = &self.document.blocks[index];
        let (Some(src), Some(alt)) = (block.arguments.get("src"), block.arguments.text("alt"))
        else {
            return String::new();
        };
        let url = self.image(src.value.as_str().unwrap_or_default(), &src.value_span);
        let body = format!("<img src=\"{}\" alt=\"{}\">", escape(&url), escape(alt));
        let frame = Frame {
            id,
            number,
            caption,
            address: self.place.address,
            experiment: "",
        };
        frame::frame_image(&body, &frame, self.language)
    }
}

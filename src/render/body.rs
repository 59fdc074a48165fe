//! A document's pieces to the HTML of its body, with every value, claim and block worked out.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::{Document, Expression, Piece, anchor};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::figure::markup::escape;
use crate::site::address;
use crate::site::link;
use crate::text::{Lang, Language};

use super::Press;
use super::anchors::{anchors, is_anchor};
use super::claim::{self, Judged, Verdict};
use super::evaluate::Evaluator;
use super::resolve;
use super::statement::{Statement, StatementKind};
use super::view::{ClaimView, HeadingView, HeadlineView, ValueView};

/// A body, ready for its page.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// The markup.
    pub html: String,
    /// Headings of levels 2 and 3.
    pub headings: Vec<HeadingView>,
    /// The page's claims.
    pub claims: Vec<ClaimView>,
    /// The page's inline values.
    pub values: Vec<ValueView>,
    /// The large figures.
    pub headlines: Vec<HeadlineView>,
    /// Files that figures offer, by address.
    pub files: Vec<(String, Vec<u8>)>,
    /// Keys of the experiments it uses.
    pub experiments: BTreeSet<String>,
    /// What it says from data, if that is to be kept.
    pub statements: Vec<Statement>,
    /// How many figures it shows.
    pub figures: usize,
}

/// Who reads a document where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The language that links lead to (the interface's).
    pub lang: &'a Lang,
    /// The address of the page.
    pub address: &'a str,
}

/// Works out a document. Faults go to the report.
pub(super) fn work(
    press: &Press<'_>,
    document: &Document,
    language: &Language,
    place: Place<'_>,
    report: &mut Report,
) -> Body {
    Worker::new(press, document, language, place, report).finish()
}

/// A document being worked out.
pub(super) struct Worker<'a, 'r> {
    pub(super) press: &'a Press<'a>,
    pub(super) document: &'a Document,
    pub(super) language: &'a Language,
    pub(super) place: Place<'a>,
    pub(super) report: &'r mut Report,
    pub(super) body: Body,
    pub(super) values: Vec<Option<String>>,
    pub(super) judged: Vec<Option<Judged>>,
}

impl<'a, 'r> Worker<'a, 'r> {
    fn new(
        press: &'a Press<'a>,
        document: &'a Document,
        language: &'a Language,
        place: Place<'a>,
        report: &'r mut Report,
    ) -> Self {
        let mut worker = Self {
            press,
            document,
            language,
            place,
            report,
            body: Body::default(),
            values: Vec::new(),
            judged: Vec::new(),
        };
        worker.check_experiments();
        worker.check_anchors();
        worker.work_out_headlines();
        worker.work_out_values();
        worker.judge_claims();
        worker
    }

    /// The page's default experiment; whether it exists is checked once, for the whole page.
    pub(super) fn default(&self) -> Option<&'a str> {
        self.document.front.experiments.first().map(String::as_str)
    }

    fn check_experiments(&mut self) {
        for key in &self.document.front.experiments {
            let front = &self.document.front;
            let span = front
                .span_of_item("experiments", key)
                .or_else(|| front.span_of_item("experiment", key))
                .unwrap_or_else(|| crate::site::heading(self.document));
            if resolve::experiment(self.press.shelf, key, &span, self.report).is_some() {
                self.body.experiments.insert(key.clone());
            }
        }
    }

    fn check_anchors(&mut self) {
        for block in &self.document.blocks {
            let Some(given) = block.arguments.get("id") else {
                continue;
            };
            let anchor = given.value.as_str().unwrap_or_default();
            let span = given.value_span.clone();
            if !is_anchor(anchor) {
                self.report.push(
                    Diagnostic::new(Code::BadArgument, format!("`{anchor}` can't be an anchor"))
                        .at(span, "")
                        .help(
                            "an anchor has letters, digits, `-` and `_`, and begins with a letter",
                        ),
                );
            } else if anchor::is_taken(anchor) {
                self.report.push(
                    Diagnostic::new(
                        Code::DuplicateAnchor,
                        format!("every page has the anchor `{anchor}` already"),
                    )
                    .at(span, "")
                    .help("choose another anchor"),
                );
            }
        }
        let mut seen: BTreeMap<String, Option<Span>> = BTreeMap::new();
        for (anchor, span) in anchors(self.document) {
            let Some(earlier) = seen.insert(anchor.clone(), span.clone()) else {
                continue;
            };
            // A given anchor is the one to change, whichever comes first.
            let (place, other) = if span.is_some() {
                (span, earlier)
            } else {
                (earlier, None)
            };
            let place = place.unwrap_or_else(|| crate::site::heading(self.document));
            let mut fault = Diagnostic::new(
                Code::DuplicateAnchor,
                format!("two places of this page have the anchor `{anchor}`"),
            )
            .at(place, "again here");
            fault = match other {
                Some(other) => fault.at(other, "first here"),
                None => fault.note("the other one is made from a heading or a number"),
            };
            self.report
                .push(fault.help("give one of them another `id`"));
        }
    }

    pub(super) fn evaluator(&self) -> Evaluator<'a> {
        Evaluator::new(self.press.shelf, self.default(), self.language)
    }

    fn work_out_headlines(&mut self) {
        for headline in &self.document.front.headlines {
            let Some(expression) = Expression::parse(&headline.span, self.report) else {
                continue;
            };
            let mut evaluator = self.evaluator();
            if let Some(thing) = evaluator.evaluate(&expression, self.report) {
                let shown = evaluator.show(&thing);
                let number = self.body.values.len() + 1;
                let html = self.value_html(number, &shown, false);
                self.note_value(number, &shown, &headline.span, &evaluator.evidence);
                self.body.headlines.push(HeadlineView {
                    value_html: html,
                    label: headline.label.clone(),
                });
            }
        }
    }

    fn work_out_values(&mut self) {
        for inline in &self.document.inlines {
            let mut evaluator = self.evaluator();
            let thing = evaluator.evaluate(&inline.expression, self.report);
            let shown = thing.map(|thing| evaluator.show(&thing));
            if let Some(shown) = &shown {
                let number = self.body.values.len() + 1;
                self.note_value(number, shown, &inline.expression.span, &evaluator.evidence);
                self.note_experiments(&evaluator.evidence);
            }
            self.values.push(shown);
        }
    }

    fn judge_claims(&mut self) {
        for (index, claim) in self.document.claims.iter().enumerate() {
            let judged = claim::judge(self.evaluator(), claim, self.report);
            if let Some(judged) = &judged {
                self.note_experiments(&judged.evidence);
                let span = &claim.condition.span;
                self.state(
                    StatementKind::Claim,
                    span,
                    span.text(),
                    judged.verdict.key(),
                );
                let view = self.claim_view(index, judged);
                self.body.claims.push(view);
            }
            self.judged.push(judged);
        }
    }

    fn finish(mut self) -> Body {
        let mut html = String::with_capacity(
            self.document
                .pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Html(html) => html.len(),
                    _ => 120,
                })
                .sum(),
        );
        let document = self.document;
        for piece in &document.pieces {
            self.piece(piece, &mut html);
        }
        self.body.html = html;
        for heading in document
            .headings
            .iter()
            .filter(|heading| (2..=3).contains(&heading.level))
        {
            let mut words = String::new();
            for piece in &heading.pieces {
                match piece {
                    Piece::Html(html) => words.push_str(html),
                    Piece::Inline { index, .. } => {
                        let shown = self.values.get(*index).and_then(Option::as_deref);
                        words.push_str(&escape(shown.unwrap_or("…")));
                    }
                    _ => {}
                }
            }
            self.body.headings.push(HeadingView {
                level: heading.level,
                id: heading.id.clone(),
                html: words,
            });
        }
        self.body
    }

    fn piece(&mut self, piece: &Piece, html: &mut String) {
        match piece {
            Piece::Html(ready) => html.push_str(ready),
            Piece::Inline {
                index,
                in_attribute,
            } => {
                let Some(Some(shown)) = self.values.get(*index) else {
                    return;
                };
                let number = self.document.front.headlines.len() + index + 1;
                html.push_str(&if *in_attribute {
                    escape(shown)
                } else {
                    self.value_html(number, shown, self.document.inlines[*index].in_link)
                });
            }
            Piece::ClaimStart(index) => {
                if let Some(Some(judged)) = self.judged.get(*index) {
                    let quoted = if judged.expected == Verdict::Holds {
                        ""
                    } else {
                        " claim-quoted"
                    };
                    html.push_str(&format!(
                        "<span class=\"claim claim-{}{quoted}\" id=\"claim-{}\">",
                        judged.verdict.key(),
                        index + 1
                    ));
                }
            }
            Piece::ClaimEnd(index) => self.claim_end(*index, html),
            Piece::Block(index) => self.block(*index, html),
            Piece::Link(index) => {
                let link = &self.document.links[*index];
                let url = self.link(&link.target, &link.span);
                html.push_str(&escape(&url));
            }
            Piece::Image(index) => {
                let image = &self.document.images[*index];
                let url = self.image(&image.target, &image.span);
                html.push_str(&escape(&url));
            }
            Piece::Message(key) => html.push_str(&escape(self.language.message(key))),
        }
    }

    pub(super) fn value_html(&self, number: usize, shown: &str, in_link: bool) -> String {
        let shown = escape(shown);
        if in_link {
            return format!("<span class=\"value\" id=\"value-{number}\">{shown}</span>");
        }
        format!(
            "<a class=\"value\" id=\"value-{number}\" href=\"#value-{number}-source\">{shown}</a>"
        )
    }

    fn claim_end(&mut self, index: usize, html: &mut String) {
        let Some(Some(judged)) = self.judged.get(index) else {
            return;
        };
        if !self.document.claims[index].in_link {
            let mark = match judged.verdict {
                Verdict::Holds => "✓",
                Verdict::Refuted => "✗",
                Verdict::Undecided => "?",
            };
            html.push_str(&format!(
                "<a class=\"claim-mark\" href=\"#claim-{}-source\" aria-label=\"{}: {}\">{mark}</a>",
                index + 1,
                escape(self.language.message("claim")),
                escape(&self.verdict_label(judged))
            ));
        }
        html.push_str("</span>");
    }

    pub(super) fn link(&mut self, target: &str, span: &Span) -> String {
        let resolved = link::resolve(
            self.press.site,
            &self.document.source.path,
            target,
            |path| self.press.is_file(path),
        );
        match self.press.link(&resolved, self.place, self.document) {
            Ok(url) => url,
            Err(fault) => {
                self.report.push(fault.at(span.clone(), ""));
                "#".to_owned()
            }
        }
    }

    /// An image: the variant for the document's language (`name.de.svg`) where there is one.
    pub(super) fn image(&mut self, target: &str, span: &Span) -> String {
        let path = link::join(&self.document.source.path, target);
        let found = path.and_then(|path| {
            let localized = path
                .rsplit_once('.')
                .map(|(stem, ending)| format!("{stem}.{}.{ending}", self.language.lang()));
            [localized, Some(path)]
                .into_iter()
                .flatten()
                .find(|path| self.press.is_file(path))
        });
        match found {
            Some(path) => address::relative(self.place.address, &super::file_address(&path)),
            None => {
                self.report.push(
                    Diagnostic::new(Code::MissingImage, format!("there is no image `{target}`"))
                        .at(span.clone(), "")
                        .suggest(
                            target,
                            self.press
                                .neighbours(&self.document.source.path)
                                .iter()
                                .map(String::as_str),
                        ),
                );
                String::new()
            }
        }
    }
}

//! A document's pieces to the HTML of its body, with every value, claim and block worked out.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::{Document, Expression, Piece, anchor, fragment};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::figure::markup::escape;
use crate::site::address;
use crate::site::link;
use crate::text::{Argument, Lang, Language};

use super::Press;
use super::blocks;
use super::claim::{self, Judged, Verdict};
use super::evaluate::Evaluator;
use super::frame::{self, Frame};
use super::resolve;
use super::thing::Evidence;
use super::view::{ClaimView, HeadingView, HeadlineView, PlaceView, ValueView};

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

/// Every anchor that a document's page has, without working it out.
pub(super) fn anchors(document: &Document) -> Vec<(String, Option<Span>)> {
    let mut anchors: Vec<(String, Option<Span>)> = document
        .anchors
        .iter()
        .map(|anchor| (anchor.clone(), None))
        .collect();
    for (index, block) in document.blocks.iter().enumerate() {
        if let Some(id) = figure_id(document, index) {
            let given = block
                .arguments
                .get("id")
                .map(|given| given.value_span.clone());
            anchors.push((id, given));
        }
    }
    anchors.extend((1..=document.claims.len()).map(|number| (format!("claim-{number}"), None)));
    anchors
}

/// The anchor of a block's figure: its `id`, else its number; `None` for a ledger.
fn figure_id(document: &Document, index: usize) -> Option<String> {
    let block = &document.blocks[index];
    if block.kind == "claims" {
        return None;
    }
    // One that can't be an anchor is reported elsewhere; it has no place in markup.
    Some(
        match block.arguments.text("id").filter(|id| is_anchor(id)) {
            Some(id) => id.to_owned(),
            None => format!("figure-{}", figure_number(document, index)),
        },
    )
}

fn figure_number(document: &Document, index: usize) -> usize {
    document.blocks[..=index]
        .iter()
        .filter(|block| block.kind != "claims")
        .count()
}

struct Worker<'a, 'r> {
    press: &'a Press<'a>,
    document: &'a Document,
    language: &'a Language,
    place: Place<'a>,
    report: &'r mut Report,
    body: Body,
    values: Vec<Option<String>>,
    judged: Vec<Option<Judged>>,
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
    fn default(&self) -> Option<&'a str> {
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

    fn evaluator(&self) -> Evaluator<'a> {
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
                self.note_value(number, &shown, &headline.value, &evaluator.evidence);
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
                let written = inline.expression.span.text();
                self.note_value(number, shown, written, &evaluator.evidence);
                self.note_experiments(&evaluator.evidence);
            }
            self.values.push(shown);
        }
    }

    fn note_experiments(&mut self, evidence: &Evidence) {
        for (experiment, _) in &evidence.places {
            let key = &self.press.shelf.experiment(*experiment).definition.key;
            if !self.body.experiments.contains(key) {
                self.body.experiments.insert(key.clone());
            }
        }
    }

    fn note_value(&mut self, number: usize, shown: &str, written: &str, evidence: &Evidence) {
        self.body.values.push(ValueView {
            id: format!("value-{number}-source"),
            back_id: format!("value-{number}"),
            value: shown.to_owned(),
            expression: written.trim().to_owned(),
            detail: self.detail(evidence),
            places: self.places(evidence),
        });
    }

    /// Origin and number of samples, in words.
    fn detail(&self, evidence: &Evidence) -> String {
        let mut parts: Vec<String> = Vec::new();
        for &(experiment, run) in &evidence.runs {
            let origin = self.press.shelf.experiment(experiment).runs[run]
                .origin
                .key();
            let words = self.language.message(origin).to_owned();
            if !parts.contains(&words) {
                parts.push(words);
            }
        }
        match evidence.samples {
            None => {}
            Some((1, 1)) => parts.push(self.language.message("one-run").to_owned()),
            Some((low, high)) if low == high => parts.push(
                self.language
                    .message_with("n-samples", &[("n", Argument::Count(low as u64))]),
            ),
            Some((low, high)) => {
                let range = self.language.range(
                    &self.language.count(low as u64),
                    &self.language.count(high as u64),
                );
                parts.push(format!("n = {range}"));
            }
        }
        parts.join("; ")
    }

    fn places(&self, evidence: &Evidence) -> Vec<PlaceView> {
        evidence
            .places
            .iter()
            .map(|&(experiment, place)| {
                let experiment = self.press.shelf.experiment(experiment);
                let file = &experiment.files[place.file as usize].path;
                PlaceView {
                    label: resolve::place_label(experiment, place),
                    url: address::relative(self.place.address, file),
                }
            })
            .collect()
    }

    fn judge_claims(&mut self) {
        for (index, claim) in self.document.claims.iter().enumerate() {
            let judged = claim::judge(self.evaluator(), claim, self.report);
            if let Some(judged) = &judged {
                self.note_experiments(&judged.evidence);
                let view = self.claim_view(index, judged);
                self.body.claims.push(view);
            }
            self.judged.push(judged);
        }
    }

    fn claim_view(&self, index: usize, judged: &Judged) -> ClaimView {
        let claim = &self.document.claims[index];
        let mut finding = judged.finding.clone();
        let basis = if judged.as_printed {
            self.language.message("finding-printed").to_owned()
        } else {
            self.detail(&judged.evidence)
        };
        if !basis.is_empty() {
            finding = if finding.is_empty() {
                basis
            } else {
                format!("{finding}; {basis}")
            };
        }
        ClaimView {
            id: format!("claim-{}", index + 1),
            row_id: format!("claim-{}-source", index + 1),
            prose: self.claim_prose(index),
            page: None,
            condition: claim.condition.span.text().trim().to_owned(),
            verdict: judged.verdict.key(),
            verdict_label: self.verdict_label(judged),
            quoted: judged.expected != Verdict::Holds,
            finding,
            places: self.places(&judged.evidence),
        }
    }

    fn verdict_label(&self, judged: &Judged) -> String {
        let key = match (judged.expected, judged.verdict) {
            (Verdict::Refuted, Verdict::Refuted) => "quoted-refuted",
            (_, verdict) => verdict.key(),
        };
        self.language.message(key).to_owned()
    }

    /// A claim's words with its inline values in their places.
    fn claim_prose(&self, index: usize) -> String {
        let mut words = String::new();
        let mut inside = false;
        for piece in &self.document.pieces {
            match piece {
                Piece::ClaimStart(start) if *start == index => inside = true,
                Piece::ClaimEnd(end) if *end == index => break,
                Piece::Html(html) if inside => words.push_str(&without_tags(html)),
                Piece::Inline { index, .. } if inside => {
                    let shown = self.values.get(*index).and_then(Option::as_deref);
                    words.push_str(shown.unwrap_or("…"));
                }
                _ => {}
            }
        }
        words.split_whitespace().collect::<Vec<_>>().join(" ")
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

    fn value_html(&self, number: usize, shown: &str, in_link: bool) -> String {
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

    fn block(&mut self, index: usize, html: &mut String) {
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
    fn caption(&mut self, index: usize) -> String {
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
                    let written = inline.expression.span.text();
                    self.note_value(number, &shown, written, &evaluator.evidence);
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

    fn image_figure(&mut self, index: usize, id: &str, number: usize, caption: &str) -> String {
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

    /// The article's claims with their verdicts, in place.
    fn ledger(&self) -> String {
        let mut rows = String::new();
        for claim in &self.body.claims {
            rows.push_str(&format!(
                "<tr><td class=\"verdict-cell\"><span class=\"verdict verdict-{}{}\">{}</span></td>\
                 <td><a href=\"#{}\">{}</a></td><td>{}</td></tr>\n",
                claim.verdict,
                if claim.quoted { " verdict-quoted" } else { "" },
                escape(&claim.verdict_label),
                claim.id,
                escape(&claim.prose),
                escape(&claim.finding)
            ));
        }
        if rows.is_empty() {
            return format!("<p>{}</p>\n", escape(self.language.message("no-claims")));
        }
        let head = |key| escape(self.language.message(key));
        format!(
            "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"{}\">\
             <table class=\"ledger\"><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
             <th scope=\"col\">{}</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div>\n",
            head("claims"),
            head("verdict"),
            head("claim"),
            head("finding")
        )
    }

    fn link(&mut self, target: &str, span: &Span) -> String {
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
    fn image(&mut self, target: &str, span: &Span) -> String {
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

fn is_anchor(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
}

/// Words of our own HTML (tags dropped, the escapes that our writers use read back).
fn without_tags(html: &str) -> String {
    let mut words = String::with_capacity(html.len());
    let mut in_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            letter if !in_tag => words.push(letter),
            _ => {}
        }
    }
    for (escaped, plain) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ] {
        words = words.replace(escaped, plain);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_plain_names() {
        assert!(is_anchor("figure-1"));
        assert!(is_anchor("größe"));
        assert!(!is_anchor("1a"));
        assert!(!is_anchor("a\"b"));
        assert!(!is_anchor(""));
    }

    #[test]
    fn tags_are_dropped_and_escapes_read() {
        assert_eq!(
            without_tags("a <em>b</em> &amp;lt; &lt;c&gt;"),
            "a b &lt; <c>"
        );
    }
}

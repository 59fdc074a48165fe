//! What readers can open: the evidence behind a page's values, and its claims with their verdicts.

use crate::content::Piece;
use crate::diag::Span;
use crate::figure::markup::escape;
use crate::figure::method;
use crate::site::address;
use crate::text::Argument;

use super::body::Worker;
use super::claim::{Judged, Verdict};
use super::resolve;
use super::statement::{Statement, StatementKind};
use super::thing::Evidence;
use super::view::{ClaimView, PlaceView, ValueView};

impl Worker<'_, '_> {
    pub(super) fn note_experiments(&mut self, evidence: &Evidence) {
        for (experiment, _) in &evidence.places {
            let key = &self.press.shelf.experiment(*experiment).definition.key;
            if !self.body.experiments.contains(key) {
                self.body.experiments.insert(key.clone());
            }
        }
    }

    /// Keeps what the page says from data, if somebody asked for it.
    pub(super) fn state(&mut self, kind: StatementKind, place: &Span, written: &str, said: &str) {
        if self.press.order.keep_statements {
            self.body.statements.push(Statement {
                kind,
                place: place.clone(),
                written: written.trim().to_owned(),
                said: said.to_owned(),
            });
        }
    }

    pub(super) fn note_value(
        &mut self,
        number: usize,
        shown: &str,
        span: &Span,
        evidence: &Evidence,
    ) {
        self.state(StatementKind::Value, span, span.text(), shown);
        self.body.values.push(ValueView {
            id: format!("value-{number}-source"),
            back_id: format!("value-{number}"),
            value: shown.to_owned(),
            expression: span.text().trim().to_owned(),
            detail: self.detail(evidence),
            places: self.places(evidence),
        });
    }

    /// Origin and number of samples, in words.
    pub(super) fn detail(&self, evidence: &Evidence) -> String {
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
        if let Some(first) = evidence.paired.first() {
            let blocks = || evidence.paired.iter().map(|it| it.blocks);
            let (least, most) = (blocks().min(), blocks().max());
            let range = (least.unwrap_or(first.blocks), most.unwrap_or(first.blocks));
            let left_out = evidence.paired.iter().map(|it| it.left_out).sum();
            parts.push(self.language.message("paired").to_owned());
            parts.extend(method::shared_blocks(self.language, range, left_out));
        }
        parts.join("; ")
    }

    pub(super) fn places(&self, evidence: &Evidence) -> Vec<PlaceView> {
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

    pub(super) fn claim_view(&self, index: usize, judged: &Judged) -> ClaimView {
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

    pub(super) fn verdict_label(&self, judged: &Judged) -> String {
        let key = match (judged.expected, judged.verdict) {
            (Verdict::Refuted, Verdict::Refuted) => "quoted-refuted",
            (_, verdict) => verdict.key(),
        };
        self.language.message(key).to_owned()
    }

    /// A claim's words with its inline values in their places.
    pub(super) fn claim_prose(&self, index: usize) -> String {
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

    /// The article's claims with their verdicts, in place.
    pub(super) fn ledger(&self) -> String {
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
    fn tags_are_dropped_and_escapes_read() {
        assert_eq!(
            without_tags("a <em>b</em> &amp;lt; &lt;c&gt;"),
            "a b &lt; <c>"
        );
    }
}

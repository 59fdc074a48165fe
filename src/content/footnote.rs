//! Footnotes: numbered in the order of their references, gathered at the end, with ways back.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pulldown_cmark::{Event, Tag};

use super::document::Piece;
use super::writer::{Placed, Writer};

/// The footnotes of a text.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    /// Labels that have a text.
    defined: BTreeSet<String>,
    /// Number by label.
    numbers: BTreeMap<String, usize>,
    /// How many references each number has, from 1 on.
    references: Vec<usize>,
    /// Texts by label.
    texts: BTreeMap<String, Vec<Piece>>,
    /// Labels of the texts being written.
    open: Vec<String>,
}

impl Footnotes {
    /// Looks up which labels have a text.
    pub(super) fn new(events: &[Placed<'_>]) -> Self {
        let defined = events.iter().filter_map(|(event, _)| match event {
            Event::Start(Tag::FootnoteDefinition(label)) => Some(label.to_lowercase()),
            _ => None,
        });
        Self {
            defined: defined.collect(),
            ..Self::default()
        }
    }

    /// The number of a label, a new one if need be.
    fn number(&mut self, label: &str) -> usize {
        if let Some(&number) = self.numbers.get(label) {
            return number;
        }
        self.references.push(0);
        let number = self.references.len();
        self.numbers.insert(label.to_owned(), number);
        number
    }
}

/// The anchor of a footnote's reference.
fn reference(number: usize, count: usize) -> String {
    if count == 1 {
        format!("fn-{number}-ref")
    } else {
        format!("fn-{number}-ref-{count}")
    }
}

impl Writer<'_, '_> {
    pub(super) fn footnote_reference(&mut self, label: &str) {
        let key = label.to_lowercase();
        if !self.footnotes.defined.contains(&key) || self.inline_only {
            return self.text(&format!("[^{label}]"));
        }
        let number = self.footnotes.number(&key);
        if self.in_image() {
            return;
        }
        if self.links_open > 0 {
            // No link inside a link: the number alone.
            self.out
                .html(&format!("<sup class=\"footnote-reference\">{number}</sup>"));
            return;
        }
        self.footnotes.references[number - 1] += 1;
        let id = reference(number, self.footnotes.references[number - 1]);
        self.out.html(&format!(
            "<sup class=\"footnote-reference\"><a id=\"{id}\" href=\"#fn-{number}\" role=\"doc-noteref\" aria-label=\""
        ));
        self.out.message("footnote");
        self.out.html(&format!(" {number}\">{number}</a></sup>"));
    }

    pub(super) fn start_footnote(&mut self, label: &str) {
        self.footnotes.open.push(label.to_lowercase());
        self.aside.push(std::mem::take(&mut self.out));
    }

    pub(super) fn end_footnote(&mut self) {
        let outer = self.aside.pop().unwrap_or_default();
        let text = std::mem::replace(&mut self.out, outer).finish();
        let Some(label) = self.footnotes.open.pop() else {
            return;
        };
        if self.inline_only {
            return;
        }
        self.footnotes.texts.entry(label).or_insert(text);
    }

    /// Writes the footnotes at the end of the body; gives their anchors.
    pub(super) fn finish_footnotes(&mut self) -> Vec<String> {
        let mut footnotes = std::mem::take(&mut self.footnotes);
        if footnotes.texts.is_empty() {
            return Vec::new();
        }
        // A text that nothing refers to is still shown: nothing an author wrote is lost.
        for label in std::mem::take(&mut footnotes.defined) {
            footnotes.number(&label);
        }
        let mut labels: Vec<(usize, String)> = footnotes
            .numbers
            .into_iter()
            .map(|(label, number)| (number, label))
            .collect();
        labels.sort();
        let mut anchors = Vec::new();
        if self.out.mid_line() {
            self.out.html("\n");
        }
        self.out
            .html("<section class=\"footnotes\" role=\"doc-endnotes\" aria-label=\"");
        self.out.message("footnotes");
        self.out.html("\">\n<ol>\n");
        for (number, label) in labels {
            let text = footnotes.texts.remove(&label).unwrap_or_default();
            let references = footnotes.references[number - 1];
            anchors.push(format!("fn-{number}"));
            anchors.extend((1..=references).map(|count| reference(number, count)));
            self.out.html(&format!("<li id=\"fn-{number}\">\n"));
            self.footnote_text(text, number, references);
            self.out.html("</li>\n");
        }
        self.out.html("</ol>\n</section>\n");
        anchors
    }

    /// A footnote's text with the ways back at the end of its last paragraph.
    fn footnote_text(&mut self, mut text: Vec<Piece>, number: usize, references: usize) {
        const END: &str = "</p>\n";
        let in_paragraph = match text.last_mut() {
            Some(Piece::Html(html)) if html.ends_with(END) => {
                html.truncate(html.len() - END.len());
                true
            }
            _ => false,
        };
        self.out.pieces(text);
        if references > 0 && !in_paragraph {
            self.out.html("<p>");
        }
        for count in 1..=references {
            let back = reference(number, count);
            let gap = if count == 1 && !in_paragraph { "" } else { " " };
            self.out.html(&format!(
                "{gap}<a class=\"footnote-back\" role=\"doc-backlink\" href=\"#{back}\" aria-label=\""
            ));
            self.out.message("footnote-back");
            let mut end = format!(" {number}");
            if references > 1 {
                let _ = write!(end, "-{count}");
            }
            self.out.html(&end);
            self.out.html("\">↩");
            if references > 1 {
                self.out.html(&format!("<sup>{count}</sup>"));
            }
            self.out.html("</a>");
        }
        if in_paragraph || references > 0 {
            self.out.html(END);
        }
    }
}

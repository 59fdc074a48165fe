//! Writes Markdown events as HTML pieces: elements, texts, and the marks inside them.

use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, Parser, Tag};

use super::anchor::Anchors;
use super::block::Block;
use super::claim::{Claims, keep_whole};
use super::document::{Claim, Heading, Image, Inline, Link, Piece};
use super::element::OpenTable;
use super::footnote::Footnotes;
use super::mark::next_mark;
use super::markdown::RawHtml;
use super::output::Output;
use super::place::Map;
use super::scan::{Mark, Marked, Meaning, options};
use crate::diag::{Code, Diagnostic, Report, Source, Span};

/// A place in the events.
pub(super) type Placed<'a> = (Event<'a>, Range<usize>);

/// An element that is open.
#[derive(Debug)]
pub(super) struct Open {
    /// Unique among the elements of the text.
    pub(super) id: u32,
    /// The raw inline element it is; `None` for Markdown's own.
    pub(super) raw: Option<&'static str>,
    /// What it closes with.
    close: &'static str,
}

/// A heading that is being written.
#[derive(Debug)]
pub(super) struct OpenHeading {
    pub(super) level: u8,
    pub(super) id: String,
    pub(super) words: Output,
    pub(super) span: Span,
}

/// What the text of a page gives.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) pieces: Vec<Piece>,
    pub(super) headings: Vec<Heading>,
    pub(super) inlines: Vec<Inline>,
    pub(super) claims: Vec<Claim>,
    pub(super) blocks: Vec<Block>,
    pub(super) links: Vec<Link>,
    pub(super) images: Vec<Image>,
    pub(super) anchors: Vec<String>,
    pub(super) words: String,
}

/// Writes one text.
pub(super) struct Writer<'a, 'r> {
    pub(super) source: &'a Arc<Source>,
    pub(super) text: &'a str,
    map: &'a Map,
    pub(super) marks: &'a [Mark],
    pub(super) raw_html: RawHtml,
    /// Whether only inline elements are written (captions, summaries).
    pub(super) inline_only: bool,
    pub(super) report: &'r mut Report,
    pub(super) done: Written,
    pub(super) out: Output,
    /// Outputs set aside while a footnote is written.
    pub(super) aside: Vec<Output>,
    pub(super) heading: Option<OpenHeading>,
    pub(super) anchors: Anchors,
    pub(super) footnotes: Footnotes,
    pub(super) claims: Claims,
    pub(super) stack: Vec<Open>,
    next_id: u32,
    pub(super) links_open: usize,
    /// The images that are open, innermost last: whether their words go into an attribute.
    pub(super) images: Vec<bool>,
    pub(super) image_title: String,
    pub(super) placed: Vec<bool>,
    pub(super) table: OpenTable,
}

/// Writes a marked text.
pub(super) fn write(
    source: &Arc<Source>,
    marked: Marked<'_>,
    raw_html: RawHtml,
    inline_only: bool,
    report: &mut Report,
) -> Written {
    let Marked {
        text,
        map,
        marks,
        inlines,
        claims,
    } = marked;
    let events: Vec<Placed<'_>> = Parser::new_ext(&text, options())
        .into_offset_iter()
        .collect();
    let pairs = Claims::new(claims.len());
    let mut writer = Writer {
        source,
        text: &text,
        map: &map,
        marks: &marks,
        raw_html,
        inline_only,
        report,
        done: Written {
            inlines,
            claims,
            ..Written::default()
        },
        out: Output::default(),
        aside: Vec::new(),
        heading: None,
        anchors: Anchors::new(&events),
        footnotes: Footnotes::new(&events),
        claims: pairs,
        stack: Vec::new(),
        next_id: 1,
        links_open: 0,
        images: Vec::new(),
        image_title: String::new(),
        placed: vec![false; marks.len()],
        table: OpenTable::default(),
    };
    let mut at = 0;
    while at < events.len() {
        at = writer.event(&events, at);
    }
    writer.finish()
}

impl<'a> Writer<'a, '_> {
    /// The place in the source of a range of the parsed text.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, self.map.range(range))
    }

    /// The place of a mark.
    pub(super) fn mark_span(&self, number: usize) -> Span {
        Span::new(self.source, self.marks[number].range.clone())
    }

    /// The way back from the parsed text to the source.
    pub(super) fn map(&self) -> &'a Map {
        self.map
    }

    /// Writes one event, or one with everything inside it; gives the index of the next.
    fn event(&mut self, events: &[Placed<'_>], at: usize) -> usize {
        let (event, range) = &events[at];
        match event {
            Event::Start(Tag::CodeBlock(_)) => return self.code_block(events, at),
            Event::Start(Tag::HtmlBlock) => return self.html_block(events, at),
            Event::Start(tag) => self.start(tag, range, events, at),
            Event::End(tag) => self.end(*tag),
            Event::Text(text) => self.text(text),
            Event::Code(text) => self.code(text),
            Event::InlineHtml(html) => self.inline_html(html),
            Event::Html(html) => self.text(html),
            Event::FootnoteReference(label) => self.footnote_reference(label),
            Event::SoftBreak => {
                self.space();
                self.inline("\n");
            }
            Event::HardBreak => {
                self.space();
                if self.in_image() {
                    self.out.html(" ");
                } else {
                    self.out.html("<br>\n");
                    self.toc(" ");
                }
            }
            Event::Rule => {
                self.boundary();
                self.block("<hr>\n");
            }
            Event::TaskListMarker(checked) => self.task(*checked),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(text),
        }
        at + 1
    }

    /// Opens an element whose closing tag is `close`.
    pub(super) fn open(&mut self, close: &'static str) {
        self.next_id += 1;
        self.stack.push(Open {
            id: self.next_id,
            raw: None,
            close,
        });
    }

    /// Opens a raw inline element.
    pub(super) fn open_raw(&mut self, name: &'static str) {
        self.next_id += 1;
        self.stack.push(Open {
            id: self.next_id,
            raw: Some(name),
            close: "",
        });
    }

    /// The innermost open element.
    pub(super) fn container(&self) -> u32 {
        self.stack.last().map_or(0, |open| open.id)
    }

    /// Closes the innermost element of Markdown's own, and raw ones left open inside it.
    pub(super) fn close(&mut self) -> &'static str {
        while let Some(open) = self.stack.pop() {
            self.claim_container_ends(open.id);
            match open.raw {
                Some(name) => self.inline_tag(&format!("</{name}>")),
                None => return open.close,
            }
        }
        ""
    }

    /// Adds inline HTML to the body and to a heading's words.
    pub(super) fn inline(&mut self, html: &str) {
        self.out.html(html);
        self.toc(html);
    }

    /// Adds an inline tag, except inside attributes.
    pub(super) fn inline_tag(&mut self, html: &str) {
        if !self.in_image() {
            self.inline(html);
        }
    }

    /// Adds HTML to a heading's words only.
    fn toc(&mut self, html: &str) {
        if let Some(heading) = &mut self.heading {
            heading.words.html(html);
        }
    }

    /// Adds the start of a block element, or a blank where only inline elements are written.
    pub(super) fn block(&mut self, html: &str) {
        self.space();
        if self.inline_only {
            return;
        }
        if self.out.mid_line() {
            self.out.html("\n");
        }
        self.out.html(html);
    }

    /// Adds plain words for search and, inside a claim, for its prose.
    pub(super) fn word(&mut self, text: &str) {
        self.done.words.push_str(text);
        if let Some(claim) = self.claims.open() {
            self.done.claims[claim].prose.push_str(text);
        }
    }

    /// Separates words.
    pub(super) fn space(&mut self) {
        let gap = |text: &mut String| {
            if !text.is_empty() && !text.ends_with(' ') {
                text.push(' ');
            }
        };
        gap(&mut self.done.words);
        if let Some(claim) = self.claims.open() {
            gap(&mut self.done.claims[claim].prose);
        }
    }

    fn code(&mut self, text: &str) {
        let text = self.unmarked(text);
        self.inline_tag("<code>");
        self.plain(&text);
        self.inline_tag("</code>");
    }

    /// Whether words go into an image's alternative text.
    pub(super) fn in_image(&self) -> bool {
        self.images.contains(&true)
    }

    /// Completes the text: footnotes, claims, anchors, and marks that found no place.
    fn finish(mut self) -> Written {
        let notes = self.finish_footnotes();
        let whole = self.finish_claims();
        for (number, mark) in self.marks.iter().enumerate() {
            if !self.placed[number]
                && !matches!(mark.meaning, Meaning::Inline(None) | Meaning::Refused)
            {
                self.report.push(
                    Diagnostic::new(Code::BadExpression, "values and claims can't stand here")
                        .at(
                            self.mark_span(number),
                            "this part of the text is never shown",
                        )
                        .help("move it into the prose"),
                );
            }
        }
        let mut written = self.done;
        written.pieces = self.out.finish();
        written.anchors = self.anchors.finish();
        written.anchors.extend(notes);
        let length = written.words.trim_end().len();
        written.words.truncate(length);
        keep_whole(&mut written, &whole);
        written
    }
}

/// The words of some events, marks left out.
pub(super) fn plain_words<'e>(events: impl Iterator<Item = &'e Placed<'e>>) -> String {
    let mut out = String::new();
    for (event, _) in events {
        match event {
            Event::Text(text) | Event::Code(text) => {
                let mut rest = &**text;
                while let Some((before, _, after)) = next_mark(rest) {
                    out.push_str(before);
                    rest = after;
                }
                out.push_str(rest);
            }
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            Event::Start(Tag::TableCell) if !out.is_empty() => out.push_str(", "),
            _ => {}
        }
    }
    out.trim_matches([' ', ',']).to_owned()
}

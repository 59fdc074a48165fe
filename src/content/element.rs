//! Opens and closes the elements of Markdown.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd,
};

use super::document::Heading;
use super::output::Output;
use super::writer::{OpenHeading, Placed, Writer, plain_words};
use crate::diag::Span;

/// The table that is being written.
#[derive(Debug, Default)]
pub(super) struct OpenTable {
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    /// Names of the tables so far, and how many have each.
    labels: BTreeMap<String, usize>,
}

impl Writer<'_, '_> {
    pub(super) fn task(&mut self, checked: bool) {
        if self.inline_only {
            return;
        }
        let (state, key) = if checked {
            (" checked", "task-done")
        } else {
            ("", "task-open")
        };
        self.out.html(&format!(
            "<input type=\"checkbox\" disabled{state} aria-label=\""
        ));
        self.out.message(key);
        self.out.html("\"> ");
    }

    pub(super) fn start(
        &mut self,
        tag: &Tag<'_>,
        range: &Range<usize>,
        events: &[Placed<'_>],
        at: usize,
    ) {
        let inside = |end: TagEnd| {
            events[at + 1..]
                .iter()
                .take_while(move |(event, _)| *event != Event::End(end))
        };
        match tag {
            Tag::Emphasis => self.start_inline("<em>", "</em>"),
            Tag::Strong => self.start_inline("<strong>", "</strong>"),
            Tag::Strikethrough => self.start_inline("<del>", "</del>"),
            Tag::Superscript => self.start_inline("<sup>", "</sup>"),
            Tag::Subscript => self.start_inline("<sub>", "</sub>"),
            Tag::Link {
                link_type,
                dest_url,
                title,
                ..
            } => {
                let email = *link_type == LinkType::Email;
                self.link(dest_url, email, title, range);
            }
            Tag::Image {
                dest_url, title, ..
            } => self.image(dest_url, title, range),
            _ => {
                self.boundary();
                match tag {
                    Tag::Paragraph => self.start_block("<p>", "</p>\n"),
                    Tag::Heading {
                        level, id, classes, ..
                    } => {
                        let words = plain_words(inside(TagEnd::Heading(*level)));
                        self.start_heading(*level, id.as_deref(), classes, &words, range);
                    }
                    Tag::BlockQuote(kind) => self.start_quote(*kind),
                    Tag::List(None) => self.start_block("<ul>\n", "</ul>\n"),
                    Tag::List(Some(1)) => self.start_block("<ol>\n", "</ol>\n"),
                    Tag::List(Some(first)) => {
                        self.start_block(&format!("<ol start=\"{first}\">\n"), "</ol>\n");
                    }
                    Tag::Item => self.start_item(&events[at + 1..]),
                    Tag::FootnoteDefinition(label) => self.start_footnote(label),
                    Tag::DefinitionList => self.start_block("<dl>\n", "</dl>\n"),
                    Tag::DefinitionListTitle => self.start_block("<dt>", "</dt>\n"),
                    Tag::DefinitionListDefinition => self.start_block("<dd>", "</dd>\n"),
                    Tag::Table(alignments) => {
                        let label = plain_words(inside(TagEnd::TableHead));
                        self.start_table(alignments, &label);
                    }
                    Tag::TableHead => {
                        (self.table.in_head, self.table.column) = (true, 0);
                        self.start_block("<thead>\n<tr>", "</tr>\n</thead>\n");
                    }
                    Tag::TableRow => {
                        if std::mem::take(&mut self.table.in_head) {
                            self.block("<tbody>\n");
                        }
                        self.table.column = 0;
                        self.start_block("<tr>", "</tr>\n");
                    }
                    Tag::TableCell => {
                        let empty = matches!(events.get(at + 1), Some((Event::End(_), _)));
                        self.start_cell(empty);
                    }
                    _ => self.open(""),
                }
            }
        }
    }

    fn start_inline(&mut self, tag: &str, close: &'static str) {
        self.inline_tag(tag);
        self.open(close);
    }

    fn start_block(&mut self, tag: &str, close: &'static str) {
        self.block(tag);
        self.open(if self.inline_only { "" } else { close });
    }

    fn start_heading(
        &mut self,
        level: HeadingLevel,
        id: Option<&str>,
        classes: &[CowStr<'_>],
        words: &str,
        range: &Range<usize>,
    ) {
        if self.inline_only {
            self.open("");
            return;
        }
        let span = self.line_span(range);
        let id = self.anchors.heading(id, words, &span, self.report);
        let level = level as u8;
        self.block(&format!("<h{level} id=\""));
        self.out.attribute(&id);
        if !classes.is_empty() {
            self.out.html("\" class=\"");
            self.out.attribute(&classes.join(" "));
        }
        self.out.html("\">");
        self.heading = Some(OpenHeading {
            level,
            id,
            words: Output::default(),
            span,
        });
        self.open("");
    }

    /// A place without the line end at its end.
    pub(super) fn line_span(&self, range: &Range<usize>) -> Span {
        let length = self.text[range.clone()].trim_end().len();
        self.span(range.start..range.start + length)
    }

    fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        let name = match kind {
            None => return self.start_block("<blockquote>\n", "</blockquote>\n"),
            Some(BlockQuoteKind::Note) => "note",
            Some(BlockQuoteKind::Tip) => "tip",
            Some(BlockQuoteKind::Important) => "important",
            Some(BlockQuoteKind::Warning) => "warning",
            Some(BlockQuoteKind::Caution) => "caution",
        };
        let tag = format!("<blockquote class=\"markdown-alert-{name}\">\n");
        self.start_block(&tag, "</blockquote>\n");
        if !self.inline_only {
            self.out.html("<p class=\"alert-title\">");
            self.out.message(&format!("alert-{name}"));
            self.out.html("</p>\n");
        }
    }

    fn start_item(&mut self, inside: &[Placed<'_>]) {
        let task = inside
            .iter()
            .find(|(event, _)| !matches!(event, Event::Start(Tag::Paragraph)))
            .is_some_and(|(event, _)| matches!(event, Event::TaskListMarker(_)));
        self.start_block(if task { "<li class=\"task\">" } else { "<li>" }, "</li>\n");
    }

    fn start_table(&mut self, alignments: &[Alignment], label: &str) {
        self.table.alignments = alignments.to_vec();
        self.table.in_head = false;
        self.block("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
        if !self.inline_only {
            if label.is_empty() {
                self.out.message("table");
            } else {
                self.out.attribute(label);
            }
            // Regions of one page need different names.
            let same = self.table.labels.entry(label.to_owned()).or_insert(0);
            *same += 1;
            let same = *same;
            if same > 1 {
                self.out.html(&format!(" ({same})"));
            }
            self.out.html("\">\n<table>\n");
        }
        self.open(if self.inline_only {
            ""
        } else {
            "</table>\n</div>\n"
        });
    }

    fn start_cell(&mut self, empty: bool) {
        let class = match self.table.alignments.get(self.table.column) {
            Some(Alignment::Left) => " class=\"align-left\"",
            Some(Alignment::Center) => " class=\"align-center\"",
            Some(Alignment::Right) => " class=\"align-right\"",
            _ => "",
        };
        self.table.column += 1;
        self.space();
        if self.inline_only {
            self.open("");
        } else if self.table.in_head && !empty {
            self.out.html(&format!("<th scope=\"col\"{class}>"));
            self.open("</th>");
        } else {
            self.out.html(&format!("<td{class}>"));
            self.open("</td>");
        }
    }

    pub(super) fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::Image {
            self.end_image();
            return;
        }
        if tag == TagEnd::Table && !std::mem::take(&mut self.table.in_head) && !self.inline_only {
            self.out.html("</tbody>\n");
        }
        let close = self.close();
        match tag {
            TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Superscript
            | TagEnd::Subscript => self.inline_tag(close),
            TagEnd::Link => {
                if close == "</a>" {
                    self.links_open -= 1;
                    if !self.in_image() {
                        self.out.html(close);
                    }
                }
            }
            TagEnd::Heading(_) => {
                if let Some(OpenHeading {
                    level,
                    id,
                    words,
                    span,
                }) = self.heading.take()
                {
                    self.out.html(&format!("</h{level}>\n"));
                    let pieces = words.finish();
                    self.done.headings.push(Heading {
                        level,
                        id,
                        pieces,
                        span,
                    });
                }
                self.space();
            }
            TagEnd::FootnoteDefinition => self.end_footnote(),
            _ => {
                self.out.html(close);
                self.space();
            }
        }
    }
}

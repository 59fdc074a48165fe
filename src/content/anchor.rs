//! Anchors of headings: the author's own, else made from the words; unique on the page.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Tag};

use super::mark::next_mark;
use super::writer::Placed;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::text::fold::slug;

/// Anchors that begin so belong to footnotes.
const FOOTNOTES: &str = "fn-";

/// Anchors that pages give to their own parts.
const PARTS: [&str; 9] = [
    "articles-title",
    "content",
    "contents-title",
    "downloads-title",
    "evidence",
    "evidence-claims",
    "evidence-values",
    "experiments-title",
    "sources-title",
];

/// Whether a page gives this anchor to a part of its own: `content`, `value-3-source`. Figures by
/// number (`figure-2`) are left to whoever knows how many there are.
pub fn is_taken(anchor: &str) -> bool {
    let counted = |rest: &str| {
        let number = rest.strip_suffix("-source").unwrap_or(rest);
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    PARTS.contains(&anchor)
        || ["value-", "claim-"]
            .iter()
            .any(|kind| anchor.strip_prefix(kind).is_some_and(counted))
}

/// Whether a made anchor keeps out of the way of a part or of a figure.
fn keeps_clear(anchor: &str) -> bool {
    let figure = anchor.strip_prefix("figure-");
    !is_taken(anchor)
        && !figure
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|it| it.is_ascii_digit()))
}

/// The anchors given so far.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Those that authors wrote, known beforehand so that made ones keep out of their way.
    explicit: BTreeSet<String>,
    /// Those given, with the place of explicit ones.
    given: BTreeMap<String, Option<Span>>,
    /// How often each made one was asked for.
    counts: BTreeMap<String, usize>,
    order: Vec<String>,
}

impl Anchors {
    /// Looks up what authors wrote.
    pub(super) fn new(events: &[Placed<'_>]) -> Self {
        let explicit = events.iter().filter_map(|(event, _)| match event {
            Event::Start(Tag::Heading { id: Some(id), .. }) => Some(clean(id)),
            _ => None,
        });
        Self {
            explicit: explicit.collect(),
            ..Self::default()
        }
    }

    /// The anchor of a heading with the given words.
    pub(super) fn heading(
        &mut self,
        explicit: Option<&str>,
        words: &str,
        place: &Span,
        report: &mut Report,
    ) -> String {
        if let Some(id) = explicit.map(clean).filter(|id| !id.is_empty()) {
            if let Some(earlier) = self.given.get(&id) {
                let mut diagnostic = Diagnostic::new(
                    Code::DuplicateAnchor,
                    format!("the anchor `{id}` is given twice"),
                )
                .at(place.clone(), "again here");
                if let Some(earlier) = earlier {
                    diagnostic = diagnostic.at(earlier.clone(), "first here");
                }
                report.push(diagnostic);
            } else if id.starts_with(FOOTNOTES) {
                report.push(
                    Diagnostic::new(Code::DuplicateAnchor, "anchors `fn-…` belong to footnotes")
                        .at(place.clone(), "")
                        .help("choose another anchor"),
                );
            } else if is_taken(&id) {
                report.push(
                    Diagnostic::new(
                        Code::DuplicateAnchor,
                        format!("every page has the anchor `{id}` already"),
                    )
                    .at(place.clone(), "")
                    .help("choose another anchor"),
                );
            } else {
                return self.give(id, Some(place.clone()));
            }
        }
        let mut base = slug(words);
        if base.is_empty() || base.starts_with(FOOTNOTES) || !keeps_clear(&base) {
            base.insert_str(0, "section-");
        }
        let mut count = self.counts.get(&base).copied().unwrap_or(0);
        let id = loop {
            count += 1;
            let id = if count == 1 {
                base.clone()
            } else {
                format!("{base}-{count}")
            };
            if !self.given.contains_key(&id) && !self.explicit.contains(&id) {
                break id;
            }
        };
        self.counts.insert(base, count);
        self.give(id, None)
    }

    fn give(&mut self, id: String, place: Option<Span>) -> String {
        self.given.insert(id.clone(), place);
        self.order.push(id.clone());
        id
    }

    /// All of them, in order.
    pub(super) fn finish(self) -> Vec<String> {
        self.order
    }
}

/// An anchor without marks and blanks.
fn clean(id: &str) -> String {
    let mut out = String::new();
    let mut rest = id;
    while let Some((before, _, after)) = next_mark(rest) {
        out.push_str(before);
        rest = after;
    }
    out.push_str(rest);
    out.retain(|letter| !letter.is_whitespace() && !letter.is_control());
    out
}

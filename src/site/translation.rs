//! How each translation stands to its original.

use super::{Page, first_line};
use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report};
use crate::text::Lang;

/// The state of a page in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is the original.
    Original,
    /// It translates the original as it is now.
    Ok,
    /// It doesn't say which state of the original it translates.
    Unstamped,
    /// The original has changed since.
    Stale,
    /// There is none.
    Missing,
}

impl State {
    /// Message key of its word.
    pub fn key(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Ok => "ok",
            Self::Unstamped => "unstamped",
            Self::Stale => "stale",
            Self::Missing => "missing",
        }
    }
}

/// How a page stands in a language.
pub fn state(page: &Page, lang: &Lang) -> State {
    if *lang == page.original {
        return State::Original;
    }
    let Some(document) = page.documents.get(lang) else {
        return State::Missing;
    };
    let original = page
        .documents
        .get(&page.original)
        .map(|original| original.digest.as_str());
    match (document.front.translated_from.as_deref(), original) {
        (None, _) => State::Unstamped,
        (Some(stamp), Some(digest)) if stamp == digest => State::Ok,
        _ => State::Stale,
    }
}

/// Reports translations that are stale, unstamped, missing or orphaned.
pub(super) fn check(page: &Page, languages: &[Lang], report: &mut Report) {
    let Some(original) = page.documents.get(&page.original) else {
        return;
    };
    if let Some(stamp) = &original.front.translated_from {
        report.push(
            Diagnostic::new(Code::OrphanTranslation, "this translation has no original")
                .at(stamp_span(original), format!("it translates `{stamp}`"))
                .help(format!(
                    "add the original in `{}`, or remove the stamp",
                    languages[0]
                )),
        );
    }
    let mut missing = Vec::new();
    for lang in languages {
        match state(page, lang) {
            State::Original | State::Ok => {}
            State::Missing => missing.push(lang.tag()),
            State::Unstamped => {
                let document = &page.documents[lang];
                report.push(
                    Diagnostic::new(
                        Code::UnstampedTranslation,
                        "this translation doesn't say which state of the original it translates",
                    )
                    .at(first_line(document), "")
                    .help(stamp_help(document)),
                );
            }
            State::Stale => {
                let document = &page.documents[lang];
                report.push(
                    Diagnostic::new(
                        Code::StaleTranslation,
                        format!("the original changed since it was translated into `{lang}`"),
                    )
                    .at(stamp_span(document), "translated from this state")
                    .note(format!(
                        "`{}` is now at `{}`",
                        original.source.path, original.digest
                    ))
                    .help(stamp_help(document)),
                );
            }
        }
    }
    if !missing.is_empty() {
        report.push(
            Diagnostic::new(
                Code::MissingTranslation,
                format!("not translated into {}", missing.join(", ")),
            )
            .at(first_line(original), "readers get this text with a notice"),
        );
    }
}

fn stamp_help(document: &Document) -> String {
    format!(
        "when the translation is right, run `benchbook stamp {}`",
        document.source.path
    )
}

fn stamp_span(document: &Document) -> crate::diag::Span {
    document
        .front
        .spans
        .iter()
        .find(|(key, _)| key == "translated_from")
        .map_or_else(|| first_line(document), |(_, span)| span.clone())
}

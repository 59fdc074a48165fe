//! How each translation stands to its original.

use super::{Page, heading};
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
    let path = &original.source.path;
    if original.front.translated_from.is_some() {
        let suffix = format!(".{}.md", page.original);
        let wanted = path.strip_suffix(&suffix).map(|stem| format!("{stem}.md"));
        let wanted = wanted.filter(|_| page.original != languages[0]);
        let mut fault =
            Diagnostic::new(Code::OrphanTranslation, "this translation has no original").at(
                stamp_span(original),
                "the state of the original that it translates",
            );
        fault = match wanted {
            Some(wanted) => fault
                .help(format!(
                    "add the original as `{wanted}`, or remove the stamp"
                ))
                .may_follow_from(wanted),
            None => fault.help("remove the stamp: this text is the original"),
        };
        report.push(fault);
        return;
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
                    .at(heading(document), "")
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
        let fault = Diagnostic::new(
            Code::MissingTranslation,
            format!(
                "this page is not translated into `{}`",
                missing.join("`, `")
            ),
        )
        .at(heading(original), "readers get this text with a notice");
        // A translation that can't be read has been reported itself.
        let stem = path.strip_suffix(".md").unwrap_or(path);
        report.push(fault.may_follow_from(format!("{stem}.{}.md", missing[0])));
    }
}

fn stamp_help(document: &Document) -> String {
    format!(
        "when the translation is right, run `benchbook stamp {}`",
        document.source.path
    )
}

fn stamp_span(document: &Document) -> crate::diag::Span {
    let stamp = document.front.span_of("translated_from");
    stamp.map_or_else(|| heading(document), Clone::clone)
}

//! Whether translations state the same values and claims as their original.

use std::collections::BTreeMap;

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::site::Site;

/// Compares every translation with its original; differences go to the report.
pub(super) fn check(site: &Site, report: &mut Report) {
    for page in &site.pages {
        let Some(original) = page.documents.get(&page.original) else {
            continue;
        };
        for (lang, document) in &page.documents {
            if *lang != page.original {
                compare(original, document, report);
            }
        }
    }
}

fn compare(original: &Document, translation: &Document, report: &mut Report) {
    let (meant, said) = (statements(original), statements(translation));
    for kind in ["value", "claim"] {
        // What one has and the other lacks, in the order of the texts: most often one was changed.
        let mut extra = surplus(&said, &meant, kind).into_iter();
        let mut lacking = surplus(&meant, &said, kind).into_iter();
        loop {
            report.push(match (extra.next(), lacking.next()) {
                (Some(here), Some(there)) => Diagnostic::new(
                    Code::TranslationDiffers,
                    format!("this translation states another {kind} than its original"),
                )
                .at(here, "")
                .at(there, "the original"),
                (Some(here), None) => Diagnostic::new(
                    Code::TranslationDiffers,
                    format!("this translation states a {kind} that its original doesn't"),
                )
                .at(here, "")
                .note(format!("the original is `{}`", original.source.path)),
                (None, Some(there)) => Diagnostic::new(
                    Code::TranslationDiffers,
                    format!("this translation lacks a {kind} of its original"),
                )
                .at(crate::site::heading(translation), "")
                .at(there, "stated here"),
                (None, None) => break,
            });
        }
    }
}

type Statements = BTreeMap<(&'static str, String), Vec<Span>>;

/// The places of the statements that one document makes more often than the other.
fn surplus(one: &Statements, other: &Statements, kind: &str) -> Vec<Span> {
    let mut places: Vec<Span> = one
        .iter()
        .filter(|((of, _), _)| *of == kind)
        .flat_map(|(key, spans)| {
            spans
                .iter()
                .skip(other.get(key).map_or(0, Vec::len))
                .cloned()
        })
        .collect();
    places.sort_by_key(|span| span.range.start);
    places
}

/// Every value and claim of a document, in canonical form, with its places.
fn statements(document: &Document) -> Statements {
    let mut all = Statements::new();
    for inline in &document.inlines {
        let key = ("value", inline.expression.canonical());
        all.entry(key).or_default().push(inline.span.clone());
    }
    for claim in &document.claims {
        let mut text = claim.condition.canonical();
        for (name, value) in &claim.options {
            text.push_str(&format!(", {name}={}", value.canonical()));
        }
        all.entry(("claim", text))
            .or_default()
            .push(claim.span.clone());
    }
    all
}

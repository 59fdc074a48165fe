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
        let expected = statements(original);
        for (lang, document) in &page.documents {
            if *lang == page.original {
                continue;
            }
            let found = statements(document);
            for (kind, what) in found.keys() {
                let extra = found[&(*kind, what.clone())].len();
                let meant = expected.get(&(*kind, what.clone())).map_or(0, Vec::len);
                if extra > meant {
                    let span = found[&(*kind, what.clone())][meant].clone();
                    report.push(
                        Diagnostic::new(
                            Code::TranslationDiffers,
                            format!("this translation states a {kind} that its original doesn't"),
                        )
                        .at(span, "")
                        .note(format!("the original is `{}`", original.source.path)),
                    );
                }
            }
            for ((kind, what), spans) in &expected {
                let given = found.get(&(*kind, what.clone())).map_or(0, Vec::len);
                if given < spans.len() {
                    report.push(
                        Diagnostic::new(
                            Code::TranslationDiffers,
                            format!("this translation lacks a {kind} of its original"),
                        )
                        .at(crate::site::first_line(document), "")
                        .at(spans[given].clone(), "stated here"),
                    );
                }
            }
        }
    }
}

/// Every value and claim of a document, in canonical form, with its places.
fn statements(document: &Document) -> BTreeMap<(&'static str, String), Vec<Span>> {
    let mut all: BTreeMap<(&'static str, String), Vec<Span>> = BTreeMap::new();
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

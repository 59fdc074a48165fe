//! Places on pages: those a document has, and links to those of pages that the site makes by itself,
//! known only once these are rendered.

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::output::Artifacts;
use crate::site::address;
use crate::site::link::{self, Target};

use super::press::Press;

/// Reports links to places that a page of an experiment, or another made page, doesn't have.
pub(super) fn check(press: &Press<'_>, artifacts: &Artifacts, report: &mut Report) {
    for page in &press.site.pages {
        for (lang, document) in &page.documents {
            for link in document
                .links
                .iter()
                .filter(|link| link.target.contains('#'))
            {
                let path = &document.source.path;
                let target =
                    link::resolve(press.site, path, &link.target, |path| press.is_file(path));
                let (to, anchor) = match &target {
                    Target::Experiment {
                        key,
                        anchor: Some(anchor),
                    } => (address::of_experiment(key, lang), anchor),
                    Target::Generated {
                        name,
                        anchor: Some(anchor),
                    } => (address::of_generated(name, lang), anchor),
                    _ => continue,
                };
                // A page that isn't there has been reported, with the link to it.
                let Some(html) = artifacts
                    .get(&to)
                    .and_then(|html| std::str::from_utf8(html).ok())
                else {
                    continue;
                };
                let known = ids(html);
                if !known.contains(&&**anchor) {
                    let page = link.target.split('#').next().unwrap_or_default();
                    let message = format!("`{page}` has no place `{anchor}`");
                    report.push(
                        Diagnostic::new(Code::DeadAnchor, message)
                            .at(link.span.clone(), "")
                            .suggest(anchor, known),
                    );
                }
            }
        }
    }
}

/// The ids in a page of ours, in order; those that only scripts and labels use are left out.
fn ids(html: &str) -> Vec<&str> {
    let body = html.find("<main").map_or(html, |at| &html[at..]);
    body.split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|id| *id != "content" && !id.ends_with("-title"))
        .collect()
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
pub(super) fn figure_id(document: &Document, index: usize) -> Option<String> {
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

/// The number of a block's figure on its page, from one.
pub(super) fn figure_number(document: &Document, index: usize) -> usize {
    document.blocks[..=index]
        .iter()
        .filter(|block| block.kind != "claims")
        .count()
}

pub(super) fn is_anchor(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(char::is_alphabetic)
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
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
}

//! Places on pages: those a document has, and links to those of pages that the site makes by itself,
//! known only once these are rendered.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::site::link::{self, Target};
use crate::site::{Site, address};

/// Links to places on made pages, and the places that those pages turn out to have.
#[derive(Debug)]
pub(super) struct Anchors {
    links: Vec<Asked>,
    /// Ids by address, for the pages that links lead to.
    ids: BTreeMap<String, OnceLock<Vec<String>>>,
}

#[derive(Debug)]
struct Asked {
    /// The link as written.
    target: String,
    span: Span,
    address: String,
    anchor: String,
}

impl Anchors {
    /// The links of a site's pages to places on made pages.
    pub(super) fn asked_for(site: &Site) -> Self {
        let mut links = Vec::new();
        for page in &site.pages {
            for (lang, document) in &page.documents {
                for link in document
                    .links
                    .iter()
                    .filter(|link| link.target.contains('#'))
                {
                    // Only links to pages and files ask whether there is a file.
                    let path = &document.source.path;
                    let (address, anchor) = match link::resolve(site, path, &link.target, |_| false)
                    {
                        Target::Experiment {
                            key,
                            anchor: Some(anchor),
                        } => (address::of_experiment(&key, lang), anchor),
                        Target::Generated {
                            name,
                            anchor: Some(anchor),
                        } => (address::of_generated(&name, lang), anchor),
                        _ => continue,
                    };
                    links.push(Asked {
                        target: link.target.clone(),
                        span: link.span.clone(),
                        address,
                        anchor,
                    });
                }
            }
        }
        let addresses = links.iter().map(|link| link.address.clone());
        Self {
            ids: addresses.map(|to| (to, OnceLock::new())).collect(),
            links,
        }
    }

    /// Notes the places of a made page, if any link asks for them.
    pub(super) fn note(&self, address: &str, html: &str) {
        if let Some(known) = self.ids.get(address) {
            known.get_or_init(|| ids(html).into_iter().map(str::to_owned).collect());
        }
    }

    /// Reports links to places that a page of an experiment, or another made page, doesn't have.
    pub(super) fn check(&self, report: &mut Report) {
        for link in &self.links {
            // A page that isn't there has been reported, with the link to it.
            let Some(known) = self.ids.get(&link.address).and_then(OnceLock::get) else {
                continue;
            };
            if !known.contains(&link.anchor) {
                let page = link.target.split('#').next().unwrap_or_default();
                let message = format!("`{page}` has no place `{}`", link.anchor);
                report.push(
                    Diagnostic::new(Code::DeadAnchor, message)
                        .at(link.span.clone(), "")
                        .suggest(&link.anchor, known.iter().map(String::as_str)),
                );
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

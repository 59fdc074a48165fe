//! Links to places on pages that the site makes by itself: known only once those are rendered.

use std::collections::BTreeMap;
use std::sync::OnceLock;

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

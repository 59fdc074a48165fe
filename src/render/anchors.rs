//! Links to places on pages that the site makes by itself: known only once those are rendered.

use crate::diag::{Code, Diagnostic, Report};
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

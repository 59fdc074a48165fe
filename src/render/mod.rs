//! The one room where words meet numbers: blocks, inline values, claims, pages.

mod addresses;
mod anchors;
mod blocks;
mod body;
mod boundary;
mod cases;
mod claim;
mod evaluate;
mod evidence;
mod experiment;
mod feeds;
mod figures;
mod filters;
mod frame;
mod functions;
mod given;
mod lists;
mod operators;
mod page;
mod pair;
mod press;
mod reference;
mod resolve;
mod same_values;
pub mod shelf;
mod tags;
mod templates;
mod thing;
pub mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::diag::{Report, Source, Span};
use crate::output::Artifacts;
use crate::site::{Page, Site};
use crate::source::Files;
use crate::text::{Lang, Language, Localized};

pub use claim::Verdict;
use press::{Press, file_address};
use shelf::Shelf;
use templates::Templates;
use view::ClaimView;

/// What a site is rendered from.
#[derive(Debug)]
pub struct Order<'a> {
    /// Title by language.
    pub title: &'a Localized,
    /// Description by language.
    pub description: &'a Localized,
    /// Where the site will stand, if known.
    pub base_url: Option<&'a str>,
    /// Entries of the main menu: link target and where it is written.
    pub menu: &'a [(String, Span)],
    /// Whether experiments get pages.
    pub experiment_pages: bool,
    /// The site's pages.
    pub site: &'a Site,
    /// Its experiments.
    pub shelf: &'a Shelf<'a>,
    /// Its languages.
    pub languages: &'a BTreeMap<Lang, Arc<Language>>,
    /// Its files.
    pub files: &'a Files,
    /// The built-in theme: templates by name.
    pub templates: &'a [(String, Arc<Source>)],
    /// The built-in theme: static files by name.
    pub statics: &'a [(String, Vec<u8>)],
}

/// What was rendered, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pages in all languages.
    pub pages: usize,
    /// Figures in texts (fallback pages not counted again).
    pub figures: usize,
    /// Inline values in texts.
    pub values: usize,
    /// Claims by verdict: holds, refuted, undecided.
    pub claims: [usize; 3],
}

/// A page in a language, rendered.
struct Rendered {
    address: String,
    html: Option<String>,
    files: Vec<(String, Vec<u8>)>,
    claims: Vec<ClaimView>,
    experiments: Vec<String>,
    tally: Tally,
    report: Report,
}

/// Renders a whole site. Faults go to the report.
pub fn render(order: &Order<'_>, report: &mut Report) -> (Artifacts, Tally) {
    let by_tag: BTreeMap<String, Arc<Language>> = order
        .languages
        .iter()
        .map(|(lang, language)| (lang.tag().to_owned(), Arc::clone(language)))
        .collect();
    let templates = Templates::new(order.templates, order.files, &by_tag, report);
    let press = Press::new(order, &templates);
    addresses::take(&press, report);
    press.check_menu(report);
    same_values::check(order.site, report);
    let work: Vec<(&Page, &Lang)> = order
        .site
        .pages
        .iter()
        .flat_map(|page| order.site.languages.iter().map(move |lang| (page, lang)))
        .collect();
    let rendered: Vec<Rendered> = work
        .par_iter()
        .map(|(page, lang)| page::render(&press, page, lang))
        .collect();

    let mut artifacts = Artifacts::default();
    let mut tally = Tally::default();
    let mut uses = lists::Uses::default();
    for ((page, lang), rendered) in work.iter().zip(rendered) {
        report.absorb(rendered.report);
        tally.pages += 1;
        tally.figures += rendered.tally.figures;
        tally.values += rendered.tally.values;
        for (sum, count) in tally.claims.iter_mut().zip(rendered.tally.claims) {
            *sum += count;
        }
        if let Some(html) = rendered.html {
            artifacts.insert(rendered.address, html);
        }
        for (address, bytes) in rendered.files {
            artifacts.insert(address, bytes);
        }
        uses.note(page, lang, rendered.experiments, rendered.claims);
    }
    experiment::render(&press, &uses, &mut artifacts, &mut tally, report);
    lists::render(&press, &uses, &mut artifacts, &mut tally, report);
    reference::render(&press, &mut artifacts, &mut tally, report);
    feeds::render(&press, &mut artifacts, report);
    copy_files(&press, &mut artifacts);
    anchors::check(&press, &artifacts, report);
    addresses::withhold_unsafe(&mut artifacts, report);
    (artifacts, tally)
}

/// Result files, files beside pages and static files, as they are.
fn copy_files(press: &Press<'_>, artifacts: &mut Artifacts) {
    for (name, bytes) in press.order.statics {
        artifacts.insert(format!("static/{name}"), bytes.clone());
    }
    for folder in ["static", "content", "data"] {
        for (path, file) in press.order.files.below(folder) {
            if press.is_file(path) {
                artifacts.insert(file_address(path), file.bytes().to_vec());
            }
        }
    }
}

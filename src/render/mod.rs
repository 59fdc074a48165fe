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
mod stated;
mod statement;
mod tags;
mod templates;
mod thing;
pub mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::diag::{Report, Source, Span};
use crate::output::Door;
use crate::site::{Page, Site};
use crate::source::Files;
use crate::text::{Lang, Language, Localized};

pub use claim::Verdict;
use press::{Press, file_address};
use shelf::Shelf;
pub use statement::{Statement, StatementKind};
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
    /// Whether everything that pages say from data is kept for the one who asked.
    pub keep_statements: bool,
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

/// What a rendered page leaves behind for other pages.
struct Rendered {
    claims: Vec<ClaimView>,
    experiments: Vec<String>,
    statements: Vec<Statement>,
    tally: Tally,
}

/// Renders a whole site into the door. Faults go to the report. Answers how much it was, and what pages
/// say from data, in the order of pages, if that is to be kept.
pub fn render(order: &Order<'_>, door: &Door, report: &mut Report) -> (Tally, Vec<Statement>) {
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
    let rendered = in_parallel(&work, report, |(page, lang), report| {
        page::render(&press, page, lang, door, report)
    });

    let mut tally = Tally::default();
    let mut statements = Vec::new();
    let mut uses = lists::Uses::default();
    for ((page, lang), rendered) in work.iter().zip(rendered) {
        tally.pages += 1;
        tally.figures += rendered.tally.figures;
        tally.values += rendered.tally.values;
        for (sum, count) in tally.claims.iter_mut().zip(rendered.tally.claims) {
            *sum += count;
        }
        statements.extend(rendered.statements);
        uses.note(page, lang, rendered.experiments, rendered.claims);
    }
    tally.pages += experiment::render(&press, &uses, door, report);
    tally.pages += lists::render(&press, &uses, door, report);
    tally.pages += reference::render(&press, door, report);
    feeds::render(&press, door, report);
    copy_files(&press, door);
    press.anchors.check(report);
    addresses::report_withheld(door, report);
    (tally, statements)
}

/// Works on every item in parallel, each with a report of its own; all is put together in order.
fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    report: &mut Report,
    work: impl Fn(&T, &mut Report) -> R + Sync,
) -> Vec<R> {
    let worked: Vec<(R, Report)> = items
        .par_iter()
        .map(|item| {
            let mut report = Report::new();
            (work(item, &mut report), report)
        })
        .collect();
    let absorb = |(result, found)| {
        report.absorb(found);
        result
    };
    worked.into_iter().map(absorb).collect()
}

/// Result files, files beside pages and static files, as they are; a site's own come before the theme's.
fn copy_files(press: &Press<'_>, door: &Door) {
    for folder in ["static", "content", "data"] {
        for (path, file) in press.order.files.below(folder) {
            if press.is_file(path) {
                door.insert(file_address(path), file.bytes());
            }
        }
    }
    for (name, bytes) in press.order.statics {
        door.insert(format!("static/{name}"), bytes.as_slice());
    }
}

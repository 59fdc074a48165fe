//! From files to a finished site in memory: the whole flow, top to bottom.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::config::Config;
use crate::content::{self, Document};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::output::{Artifacts, Door};
use crate::render::shelf::Shelf;
use crate::render::{self, Tally};
use crate::site::{self, Site};
use crate::source::{self, Files};
use crate::text::{Catalogs, Lang, Language};
use crate::{data, theme};

pub use crate::render::{Statement, StatementKind};

/// What a build may be told beside the site's own settings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Overrides the base address in site.toml.
    pub base_url: Option<String>,
    /// Whether drafts are shown.
    pub drafts: bool,
    /// Whether everything that pages say from data is kept.
    pub keep_statements: bool,
}

/// A built site, with all that is to be said about it.
#[derive(Debug)]
pub struct Built {
    /// Every file of the output.
    pub artifacts: Artifacts,
    /// What was rendered, in numbers.
    pub tally: Tally,
    /// What pages say from data, if it was to be kept.
    pub statements: Vec<Statement>,
    /// How many faults were left out of the report because they may only follow from others in it.
    pub hidden: usize,
    /// How many experiments there are.
    pub experiments: usize,
    /// How many languages.
    pub languages: usize,
}

/// Builds a site in memory. Faults go to the report; what could be rendered is there all the same.
pub fn build(files: &Files, options: &Options, report: &mut Report) -> Built {
    build_through(Door::memory(), files, options, report)
}

/// Builds a site whose files go out at a door as they are rendered.
pub fn build_through(
    mut door: Door,
    files: &Files,
    options: &Options,
    report: &mut Report,
) -> Built {
    door.withhold(source::reserved);
    let config = read_config(files, report);
    let experiments = data::load(files, &config.languages, report);
    data::report_missing_labels(files, &experiments, &config.languages, report);
    let hidden = report.drop_consequences();
    let (site, languages) = read_pages(files, &config, options.drafts, report);
    let shelf = Shelf::new(&experiments);
    let menu: Vec<(String, Span)> = config
        .menu
        .iter()
        .map(|item| (item.target.clone(), item.span.clone()))
        .collect();
    let order = render::Order {
        title: &config.title,
        description: &config.description,
        base_url: options.base_url.as_deref().or(config.base_url.as_deref()),
        menu: &menu,
        experiment_pages: config.experiment_pages,
        site: &site,
        shelf: &shelf,
        languages: &languages,
        files,
        keep_statements: options.keep_statements,
        templates: theme::templates(),
        statics: theme::statics(),
    };
    let (tally, statements) = render::render(&order, &door, report);
    let hidden = hidden + report.drop_consequences();
    Built {
        artifacts: door.close(),
        tally,
        statements,
        hidden,
        experiments: experiments.len(),
        languages: config.languages.len(),
    }
}

/// A site's settings; the defaults hold where it has no `site.toml`.
pub fn read_config(files: &Files, report: &mut Report) -> Config {
    let source = match files.get("site.toml").and_then(|file| file.text()) {
        Some(source) => Arc::clone(source),
        None => Source::new("site.toml", ""),
    };
    Config::read(&source, report)
}

/// A site's pages, and the languages they are read in.
pub fn read_pages(
    files: &Files,
    config: &Config,
    drafts: bool,
    report: &mut Report,
) -> (Site, BTreeMap<Lang, Arc<Language>>) {
    let documents = read_documents(files, config, report);
    let site = site::assemble(documents, &config.languages, drafts, report);
    let catalogs = read_catalogs(files, report);
    report_missing_catalogs(config, &catalogs, report);
    let languages = config
        .languages
        .iter()
        .map(|lang| {
            (
                lang.clone(),
                Arc::new(Language::new(lang.clone(), &catalogs)),
            )
        })
        .collect();
    (site, languages)
}

/// A language without interface words speaks English to its readers; its author should know.
fn report_missing_catalogs(config: &Config, catalogs: &Catalogs, report: &mut Report) {
    for lang in &config.languages {
        let own = lang.ancestry();
        if !catalogs.languages().any(|known| own.contains(known)) {
            report.push(
                Diagnostic::new(
                    Code::MissingMessage,
                    format!("there is no catalog of interface words for `{lang}`"),
                )
                .in_file("site.toml")
                .note("its readers see English words around the text")
                .help(format!("add `templates/locale/{lang}.toml`")),
            );
        }
    }
}

/// Every page's text, read in parallel, in the order of their paths.
fn read_documents(files: &Files, config: &Config, report: &mut Report) -> Vec<Document> {
    let sources: Vec<&Arc<Source>> = files
        .below("content")
        .filter(|(path, _)| path.ends_with(".md"))
        .filter_map(|(_, file)| file.text())
        .collect();
    let read: Vec<(Option<Document>, Report)> = sources
        .into_par_iter()
        .map(|source| {
            let mut report = Report::new();
            (content::read(source, config.raw_html, &mut report), report)
        })
        .collect();
    let mut documents = Vec::new();
    for (document, found) in read {
        report.absorb(found);
        documents.extend(document);
    }
    documents
}

/// Interface words: the built-in catalogs with a site's own over them.
fn read_catalogs(files: &Files, report: &mut Report) -> Catalogs {
    let own: Vec<(Lang, Arc<Source>)> = files
        .below("templates/locale")
        .filter_map(|(path, file)| {
            let name = path.rsplit('/').next()?.strip_suffix(".toml")?;
            Some((Lang::parse(name)?, Arc::clone(file.text()?)))
        })
        .collect();
    Catalogs::load(&own, report)
}

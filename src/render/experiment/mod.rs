//! Experiments on pages of their own: what was measured, downloads, uses.

mod preview;
mod runs;
mod sheet;

use crate::diag::Report;
use crate::model::{Experiment, Run};
use crate::output::Door;
use crate::site::address;
use crate::text::{Argument, Digits, Lang, Language};

use super::in_parallel;
use super::lists::{self, Uses, generated_seat};
use super::page;
use super::press::{Press, Seat};
use super::view::{CardView, DownloadView, LinkView, PageView};

pub(super) use preview::preview;
use sheet::Sheet;

/// Renders the list of experiments and a page for each, in every language; returns how many pages
/// that were.
pub(super) fn render(press: &Press<'_>, uses: &Uses, door: &Door, report: &mut Report) -> usize {
    if !press.is_generated("experiments") {
        return 0;
    }
    let languages = &press.site.languages;
    let list = in_parallel(languages, report, |lang, report| {
        list(press, lang, door, report);
    });
    let pages: Vec<(usize, &Lang)> = (0..press.shelf.all().len())
        .flat_map(|index| languages.iter().map(move |lang| (index, lang)))
        .collect();
    in_parallel(&pages, report, |(index, lang), report| {
        one(press, *index, uses, lang, door, report);
    });
    list.len() + pages.len()
}

fn list(press: &Press<'_>, lang: &Lang, door: &Door, report: &mut Report) {
    let seat = generated_seat(press, lang, |lang| {
        address::of_generated("experiments", lang)
    });
    let view = PageView {
        kind: "experiments",
        title: press.language(lang).message("experiments").to_owned(),
        breadcrumbs: lists::home_crumb(press, &seat),
        experiments: cards(press, lang, &seat.address),
        ..PageView::default()
    };
    lists::put(press, &seat, "experiments.html", view, door, report);
}

/// All experiments as cards.
pub(super) fn cards(press: &Press<'_>, lang: &Lang, address: &str) -> Vec<CardView> {
    if !press.order.experiment_pages {
        return Vec::new();
    }
    (0..press.shelf.all().len())
        .map(|index| card(press, index, lang, address))
        .collect()
}

/// An experiment as a card.
pub(super) fn card(press: &Press<'_>, index: usize, lang: &Lang, address: &str) -> CardView {
    let language = press.language(lang);
    let experiment = press.shelf.experiment(index);
    let definition = &experiment.definition;
    let to = address::of_experiment(&definition.key, lang);
    let (origin, origin_label) = origin(language, experiment);
    CardView {
        title: definition.title.get(lang).to_owned(),
        description: definition.question.get(lang).to_owned(),
        url: address::relative(address, &to),
        date: None,
        detail: language.message_with(
            "cases-count",
            &[("n", Argument::Count(case_count(experiment)))],
        ),
        origin,
        origin_label,
        preview_html: preview(press, index, lang),
        lang: None,
    }
}

/// How many cases an experiment has: every combination of levels, measured or not.
fn case_count(experiment: &Experiment) -> u64 {
    let factors = &experiment.definition.factors;
    factors
        .iter()
        .map(|factor| factor.levels.len() as u64)
        .product()
}

/// Key and word of where an experiment's values come from; empty when that differs between runs.
fn origin(language: &Language, experiment: &Experiment) -> (String, String) {
    let mut origins: Vec<&str> = experiment.runs.iter().map(|run| run.origin.key()).collect();
    origins.dedup();
    match origins[..] {
        [origin] => (origin.to_owned(), language.message(origin).to_owned()),
        _ => (String::new(), String::new()),
    }
}

/// An experiment's page in a language.
fn one(
    press: &Press<'_>,
    index: usize,
    uses: &Uses,
    lang: &Lang,
    door: &Door,
    report: &mut Report,
) {
    let language = press.language(lang);
    let experiment = press.shelf.experiment(index);
    let definition = &experiment.definition;
    let seat = generated_seat(press, lang, |lang| {
        address::of_experiment(&definition.key, lang)
    });
    let mut crumbs = lists::home_crumb(press, &seat);
    crumbs.push(LinkView {
        title: language.message("experiments").to_owned(),
        url: address::relative(&seat.address, &address::of_generated("experiments", lang)),
        current: false,
    });
    let body = Sheet::new(press, index, lang, &seat).finish();
    for (address, bytes) in body.files {
        door.insert(address, bytes);
    }
    let (origin, origin_label) = origin(language, experiment);
    let using = uses.pages.get(&definition.key).into_iter().flatten();
    let cards = using
        .filter_map(|key| press.site.page(key))
        .map(|page| page::card(press, page, lang, &seat.address))
        .collect();
    let view = PageView {
        kind: "experiment",
        title: definition.title.get(lang).to_owned(),
        description: definition.question.get(lang).to_owned(),
        breadcrumbs: crumbs,
        body_html: body.html,
        headings: body.headings,
        cards,
        sources: page::sources(language, &[experiment]),
        downloads: downloads(press, experiment, language, &seat),
        origin,
        origin_label,
        json_ld: json_ld(press, experiment, lang, &seat),
        ..PageView::default()
    };
    lists::put(press, &seat, "experiment.html", view, door, report);
}

/// The paths of an experiment's result files, and of what its run folders tell of their runs.
fn result_files<'a>(press: &Press<'a>, experiment: &'a Experiment) -> Vec<&'a str> {
    let folder = format!("data/{}/runs", experiment.definition.key);
    let record = |run: &Run| {
        let (path, _) = press
            .order
            .files
            .entry(&format!("{folder}/{}/run.json", run.key))?;
        Some(path)
    };
    let read = experiment.files.iter().map(|source| &*source.path);
    read.chain(experiment.runs.iter().filter_map(record))
        .collect()
}

/// The result files, as they are.
fn downloads(
    press: &Press<'_>,
    experiment: &Experiment,
    language: &Language,
    seat: &Seat<'_>,
) -> Vec<DownloadView> {
    let folder = format!("data/{}/", experiment.definition.key);
    let view = |path: &str| {
        let bytes = press.order.files.get(path)?.bytes().len();
        Some(DownloadView {
            name: path.strip_prefix(&folder).unwrap_or(path).to_owned(),
            url: address::relative(&seat.address, path),
            size: language.size(bytes as f64, Digits::Significant(2)),
            description: String::new(),
        })
    };
    result_files(press, experiment)
        .into_iter()
        .filter_map(view)
        .collect()
}

/// Schema.org's description of the data, for search engines.
fn json_ld(press: &Press<'_>, experiment: &Experiment, lang: &Lang, seat: &Seat<'_>) -> String {
    let definition = &experiment.definition;
    let mut dataset = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "Dataset",
        "name": definition.title.get(lang),
        "description": definition.question.get(lang),
        "inLanguage": lang.tag(),
        "variableMeasured": definition
            .metrics
            .iter()
            .map(|metric| metric.label.get(lang))
            .collect::<Vec<_>>(),
    });
    if let Some(base) = press.order.base_url {
        dataset["url"] = format!("{base}{}", super::press::web_address(&seat.address)).into();
        let part = |path: &str| {
            serde_json::json!({
                "@type": "DataDownload",
                "contentUrl": format!("{base}{}", address::escape(path)),
            })
        };
        let paths = result_files(press, experiment).into_iter();
        dataset["distribution"] = paths.map(part).collect();
    }
    page::script_json(&dataset)
}

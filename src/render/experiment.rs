//! Experiments on pages of their own: every case, every sample, environment, downloads, uses.

use crate::analysis::Query;
use crate::diag::Report;
use crate::figure::chart::{self, ChartKind, ChartOrder, Scale};
use crate::figure::markup::escape;
use crate::figure::table::TableOrder;
use crate::figure::{Figure, Reader, environment, format, table};
use crate::model::{Experiment, Run};
use crate::output::Door;
use crate::site::address;
use crate::text::{Argument, Digits, Lang, Language};

use super::cases::combinations;
use super::frame::{Frame, frame};
use super::in_parallel;
use super::lists::{self, Uses, generated_seat};
use super::page;
use super::press::{Press, Seat};
use super::view::{CardView, DownloadView, HeadingView, LinkView, PageView};

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

/// A small picture of an experiment's first metric.
pub(super) fn preview(press: &Press<'_>, index: usize, lang: &Lang) -> String {
    press.preview(index, lang, || draw_preview(press, index, lang))
}

fn draw_preview(press: &Press<'_>, index: usize, lang: &Lang) -> String {
    let experiment = press.shelf.experiment(index);
    let Some(metric) = experiment
        .definition
        .metrics
        .iter()
        .position(|metric| metric.derived.is_none())
    else {
        return String::new();
    };
    let query = overview(
        experiment,
        metric,
        (!experiment.runs.is_empty()).then_some(0),
    );
    let reader = Reader {
        experiment,
        language: press.language(lang),
    };
    if too_many(experiment, &query).is_some() {
        return String::new();
    }
    match &*press.shelf.pivot(index, &query) {
        Ok(pivot) => chart::preview(reader, pivot),
        Err(_) => String::new(),
    }
}

/// The query that shows a metric over the first two factors; others are kept at their first level.
fn overview(experiment: &Experiment, metric: usize, run: Option<usize>) -> Query {
    let factors = &experiment.definition.factors;
    // A factor with numbers goes along the side, where a chart draws it along x.
    let mut order: Vec<usize> = (0..factors.len()).collect();
    order.sort_by_key(|&factor| !factors[factor].kind.is_numeric());
    Query {
        metric,
        rows: order.first().copied(),
        columns: order.get(1).copied(),
        only: order
            .get(2..)
            .unwrap_or_default()
            .iter()
            .map(|&factor| (factor, vec![0]))
            .collect(),
        run,
        ..Query::default()
    }
}

/// How many cases the tables of an overview would hold, when those are more than a page should.
fn too_many(experiment: &Experiment, base: &Query) -> Option<usize> {
    const MOST_CASES: usize = 20_000;
    const MOST_TABLES: usize = 200;
    let levels = |factor: usize| experiment.definition.factors[factor].levels.len();
    let product = |factors: &mut dyn Iterator<Item = usize>| {
        factors.map(levels).fold(1, usize::saturating_mul)
    };
    let tables = product(&mut base.only.iter().map(|(factor, _)| *factor));
    let cases = tables.saturating_mul(product(
        &mut [base.rows, base.columns].into_iter().flatten(),
    ));
    (cases > MOST_CASES || tables > MOST_TABLES).then_some(cases)
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

/// The result files and the definition, as they are.
fn downloads(
    press: &Press<'_>,
    experiment: &Experiment,
    language: &Language,
    seat: &Seat<'_>,
) -> Vec<DownloadView> {
    let folder = format!("data/{}/", experiment.definition.key);
    experiment
        .files
        .iter()
        .filter_map(|source| {
            let bytes = press.order.files.get(&source.path)?.bytes().len();
            Some(DownloadView {
                name: source
                    .path
                    .strip_prefix(&folder)
                    .unwrap_or(&source.path)
                    .to_owned(),
                url: address::relative(&seat.address, &source.path),
                size: language.size(bytes as f64, Digits::Significant(2)),
                description: String::new(),
            })
        })
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
        dataset["distribution"] = experiment
            .files
            .iter()
            .map(|file| {
                serde_json::json!({
                    "@type": "DataDownload",
                    "contentUrl": format!("{base}{}", address::escape(&file.path)),
                })
            })
            .collect();
    }
    page::script_json(&dataset)
}

/// An experiment's page being filled.
struct Sheet<'a> {
    press: &'a Press<'a>,
    index: usize,
    reader: Reader<'a>,
    lang: &'a Lang,
    address: &'a str,
    html: String,
    headings: Vec<HeadingView>,
    files: Vec<(String, Vec<u8>)>,
    figures: usize,
}

impl<'a> Sheet<'a> {
    fn new(press: &'a Press<'a>, index: usize, lang: &'a Lang, seat: &'a Seat<'a>) -> Self {
        let reader = Reader {
            experiment: press.shelf.experiment(index),
            language: press.language(lang),
        };
        Self {
            press,
            index,
            reader,
            lang,
            address: &seat.address,
            html: String::new(),
            headings: Vec::new(),
            files: Vec::new(),
            figures: 0,
        }
    }

    fn finish(mut self) -> Self {
        let definition = &self.reader.experiment.definition;
        let summary = definition.summary.get(self.lang);
        if !summary.is_empty() {
            self.html.push_str(&format!("<p>{}</p>\n", escape(summary)));
        }
        for run in 0..self.reader.experiment.runs.len() {
            for metric in 0..definition.metrics.len() {
                self.metric(run, metric);
            }
        }
        self.environment();
        self
    }

    fn heading(&mut self, id: String, words: &str) {
        let words = escape(words);
        self.html
            .push_str(&format!("<h2 id=\"{id}\">{words}</h2>\n"));
        self.headings.push(HeadingView {
            level: 2,
            id,
            html: words,
        });
    }

    /// A metric of a run: its cases as a table, or as one table for each case of further factors,
    /// and every sample where there are several.
    fn metric(&mut self, run: usize, metric: usize) {
        let experiment = self.reader.experiment;
        let definition = &experiment.definition;
        let used = experiment.observations.iter().any(|observation| {
            observation.run as usize == run && observation.metric as usize == metric
        });
        if !used {
            return;
        }
        let label = format::metric_label(self.reader, metric);
        let words = match experiment.runs.len() {
            1 => label.clone(),
            _ => format!("{label}: {}", self.run_name(&experiment.runs[run])),
        };
        let id = match experiment.runs.len() {
            1 => format!("metric-{}", definition.metrics[metric].key),
            _ => format!("metric-{}-{}", definition.metrics[metric].key, run + 1),
        };
        self.heading(id, &words);
        let description = definition.metrics[metric].description.get(self.lang);
        if !description.is_empty() {
            self.html
                .push_str(&format!("<p>{}</p>\n", escape(description)));
        }
        let base = overview(experiment, metric, Some(run));
        if let Some(cases) = too_many(experiment, &base) {
            let language = self.reader.language;
            let cases =
                language.message_with("cases-count", &[("n", Argument::Count(cases as u64))]);
            let words =
                language.message_with("too-many-cases", &[("cases", Argument::Text(&cases))]);
            self.html
                .push_str(&format!("<p class=\"notice\">{}</p>\n", escape(&words)));
            return;
        }
        let further: Vec<usize> = base.only.iter().map(|(factor, _)| *factor).collect();
        let levels = |factor: usize| (0..definition.factors[factor].levels.len()).collect();
        for pinned in combinations(&further, levels) {
            let mut query = base.clone();
            query.only = pinned
                .iter()
                .map(|&(factor, level)| (factor, vec![level]))
                .collect();
            query.only.sort();
            self.cases(&query, &pinned, &label);
        }
    }

    fn run_name(&self, run: &Run) -> String {
        format!(
            "{} ({})",
            run.key,
            self.reader.language.message(run.origin.key())
        )
    }

    fn cases(&mut self, query: &Query, pinned: &[(usize, usize)], label: &str) {
        // More dots than that can't be told apart and weigh megabytes; the files hold every sample.
        const MOST_DOTS: usize = 5_000;
        let worked = self.press.shelf.pivot(self.index, query);
        let Ok(pivot) = &*worked else { return };
        let several = pivot.cells.iter().any(|cell| cell.samples.len() > 1);
        let samples: usize = pivot.cells.iter().map(|cell| cell.samples.len()).sum();
        let order = TableOrder {
            mark_best: true,
            show_n: several,
            show_interval: several,
        };
        let mut caption = label.to_owned();
        for &(factor, level) in pinned {
            caption.push_str(&format!(
                "; {}: {}",
                format::factor_label(self.reader, factor),
                format::level(self.reader, factor, level)
            ));
        }
        self.figure(&table::table(self.reader, &[pivot], order), &caption);
        if several && samples <= MOST_DOTS {
            let order = ChartOrder {
                kind: ChartKind::Dot,
                x_scale: Scale::Auto,
                y_scale: Scale::Auto,
                from_zero: false,
            };
            self.figure(&chart::chart(self.reader, pivot, &order), &caption);
        }
    }

    fn environment(&mut self) {
        let experiment = self.reader.experiment;
        let silent = experiment
            .runs
            .iter()
            .all(|run| run.environment.facts.is_empty())
            && experiment.definition.settings.is_empty();
        if silent {
            return;
        }
        let words = self.reader.language.message("environment").to_owned();
        self.heading("environment".to_owned(), &words);
        let runs: Vec<usize> = (0..experiment.runs.len()).collect();
        let figure = environment::environment(self.reader, &runs);
        self.figure(&figure, &words);
    }

    fn figure(&mut self, figure: &Figure, caption: &str) {
        self.figures += 1;
        let id = format!("figure-{}", self.figures);
        let framed = frame(
            figure,
            &Frame {
                id: &id,
                number: self.figures,
                caption: &escape(caption),
                address: self.address,
                experiment: &self.reader.experiment.definition.key,
            },
            self.reader.language,
        );
        self.html.push_str(&framed.html);
        self.files.extend(framed.files);
    }
}

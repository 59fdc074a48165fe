//! What stands on an experiment's page: every case and every sample of each run, and the environment.

use crate::analysis::Query;
use crate::figure::chart::{self, ChartKind, ChartOrder, Scale};
use crate::figure::markup::escape;
use crate::figure::table::TableOrder;
use crate::figure::{Figure, Reader, drift, environment, format, reproduce, table};
use crate::model::Experiment;
use crate::text::{Argument, Lang};

use super::super::cases::combinations;
use super::super::frame::{Frame, frame};
use super::super::press::{Press, Seat};
use super::super::view::HeadingView;

/// The query that shows a metric over the first two factors; others are kept at their first level that
/// has a value.
pub(super) fn overview(experiment: &Experiment, metric: usize, run: Option<usize>) -> Query {
    let factors = &experiment.definition.factors;
    // A factor with numbers goes along the side, where a chart draws it along x.
    let mut order: Vec<usize> = (0..factors.len()).collect();
    order.sort_by_key(|&factor| !factors[factor].kind.is_numeric());
    let mut seen = experiment
        .observations
        .iter()
        .filter(|it| it.metric as usize == metric && run.is_none_or(|run| it.run as usize == run));
    let known = seen.find(|it| it.result.is_ok());
    let case = known.and_then(|it| experiment.cases.get(it.case as usize));
    let first = |factor: usize| case.map_or(0, |case| case[factor] as usize);
    Query {
        metric,
        rows: order.first().copied(),
        columns: order.get(1).copied(),
        only: order
            .get(2..)
            .unwrap_or_default()
            .iter()
            .map(|&factor| (factor, vec![first(factor)]))
            .collect(),
        run,
        ..Query::default()
    }
}

/// How many cases the tables of an overview would hold, when those are more than a page should.
pub(super) fn too_many(experiment: &Experiment, base: &Query) -> Option<usize> {
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

/// An experiment's page being filled.
pub(super) struct Sheet<'a> {
    press: &'a Press<'a>,
    index: usize,
    pub(super) reader: Reader<'a>,
    lang: &'a Lang,
    address: &'a str,
    pub(super) html: String,
    pub(super) headings: Vec<HeadingView>,
    pub(super) files: Vec<(String, Vec<u8>)>,
    figures: usize,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(
        press: &'a Press<'a>,
        index: usize,
        lang: &'a Lang,
        seat: &'a Seat<'a>,
    ) -> Self {
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

    pub(super) fn finish(mut self) -> Self {
        let definition = &self.reader.experiment.definition;
        let summary = definition.summary.get(self.lang);
        if !summary.is_empty() {
            self.html.push_str(&format!("<p>{}</p>\n", escape(summary)));
        }
        for run in 0..self.reader.experiment.runs.len() {
            self.head(run);
            for metric in 0..definition.metrics.len() {
                self.metric(run, metric);
            }
            self.watched(run);
        }
        self.repeat();
        self.environment();
        self
    }

    /// Whether there are several runs, so that each has a part of the page to itself.
    pub(super) fn has_several(&self) -> bool {
        self.reader.experiment.runs.len() > 1
    }

    /// The anchor of a part of a run.
    pub(super) fn id(&self, name: &str, run: usize) -> String {
        match self.has_several() {
            true => format!("{name}-{}", run + 1),
            false => name.to_owned(),
        }
    }

    /// The heading of a part of a run.
    pub(super) fn part(&mut self, name: &str, run: usize, words: &str) {
        let level = if self.has_several() { 3 } else { 2 };
        self.heading(level, self.id(name, run), words);
    }

    pub(super) fn heading(&mut self, level: u8, id: String, words: &str) {
        let words = escape(words);
        self.html
            .push_str(&format!("<h{level} id=\"{id}\">{words}</h{level}>\n"));
        self.headings.push(HeadingView {
            level,
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
        let name = format!("metric-{}", definition.metrics[metric].key);
        self.part(&name, run, &label);
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
        if definition.metrics[metric].derived.is_none()
            && let Some(figure) = drift::figure(self.reader, run, metric)
        {
            let words = [("metric", Argument::Text(&label))];
            let caption = self.reader.language.message_with("drift-caption", &words);
            self.figure(&figure, &caption);
        }
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

    fn repeat(&mut self) {
        if let Some(figure) = reproduce::figure(self.reader, None) {
            let words = self.reader.language.message("reproduce-title").to_owned();
            self.heading(2, "reproduce".to_owned(), &words);
            self.html.push_str(&figure.body);
        }
    }

    fn environment(&mut self) {
        let experiment = self.reader.experiment;
        let silent = experiment
            .runs
            .iter()
            .all(|run| run.environment.facts.is_empty() && run.effective.is_empty())
            && experiment.definition.settings.is_empty();
        if silent {
            return;
        }
        let words = self.reader.language.message("environment").to_owned();
        self.heading(2, "environment".to_owned(), &words);
        let runs: Vec<usize> = (0..experiment.runs.len()).collect();
        let figure = environment::environment(self.reader, &runs);
        self.figure(&figure, &words);
    }

    pub(super) fn figure(&mut self, figure: &Figure, caption: &str) {
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

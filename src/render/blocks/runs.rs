//! Blocks about runs: the environments they were made in, how to repeat them, what was watched meanwhile.

use std::collections::BTreeSet;

use crate::diag::{Code, Diagnostic, Report, Span};
use crate::figure::correlation::{CorrelationOrder, Quantity};
use crate::figure::history::Stage;
use crate::figure::{self, Figure};
use crate::model::Experiment;

use super::super::resolve::{self, Asked};
use super::desk::Desk;

impl Desk<'_> {
    pub(super) fn environment(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let mut named = self.texts("runs");
        named.extend(self.text("run"));
        let mut runs = Vec::new();
        for (key, span) in named {
            runs.push(resolve::run(experiment, key, span, report)?);
        }
        if runs.is_empty() {
            runs = (0..experiment.runs.len()).collect();
        }
        Some(figure::environment::environment(self.reader(index), &runs))
    }

    pub(super) fn reproduce(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let run = match self.text("run") {
            Some((key, span)) => Some(resolve::run(experiment, key, span, report)?),
            None => None,
        };
        let figure = figure::reproduce::figure(self.reader(index), run);
        if figure.is_none() {
            let key = &experiment.definition.key;
            report.push(
                Diagnostic::new(
                    Code::EmptyFigure,
                    format!("nothing tells how to repeat experiment `{key}`"),
                )
                .at(self.head(), "")
                .help(format!(
                    "say in `[run]` of `data/{key}/experiment.toml` how it is measured"
                ))
                .may_follow_from(resolve::folder(experiment)),
            );
        }
        figure
    }

    pub(super) fn timeline(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let run = self.run(index, report);
        let only = self.only(index, report);
        let (key, span) = self.text("series")?;
        let (run, only) = (run?, only?);
        let having = runs_with(experiment, &Quantity::Series(key.to_owned()));
        let run = self.watching(experiment, run, (key, span), &having, report)?;
        let figure = figure::timeline::figure(self.reader(index), run, key, &only);
        let figure = figure.map(|(figure, _)| figure);
        if figure.is_none() {
            report.push(self.nothing(
                experiment,
                "no measurement of these cases has several readings",
            ));
        }
        figure
    }

    pub(super) fn correlation(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let run = self.run(index, report);
        let only = self.only(index, report);
        let within = self.factor(index, "within", report);
        let (x, y) = (
            self.quantity(index, "x", report),
            self.quantity(index, "y", report),
        );
        let ((x, named), (y, _)) = (x?, y?);
        let (with_x, with_y) = (runs_with(experiment, &x), runs_with(experiment, &y));
        let having = with_x.intersection(&with_y).copied().collect();
        let (run, only, within) = (run?, only?, within?);
        let run = self.watching(experiment, run, named, &having, report)?;
        let order = CorrelationOrder {
            run,
            x,
            y,
            within,
            only,
        };
        let figure = figure::correlation::figure(self.reader(index), &order);
        if figure.is_none() {
            report.push(self.nothing(experiment, "no measurement of these cases has both figures"));
        }
        figure
    }

    pub(super) fn history(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let series = self.factor(index, "series", report);
        let asked = self.asked(index, self.text("metric"), report);
        let (series, asked) = (series?, asked?);
        let mut runs: Vec<(&str, usize)> = (experiment.runs.iter().enumerate())
            .filter_map(|(index, run)| Some((run.started.as_deref()?, index)))
            .collect();
        runs.sort_unstable();
        let own = experiment.observations.iter();
        let own = own.filter(|it| it.metric as usize == asked.metric && it.result.is_ok());
        let with: BTreeSet<usize> = own.map(|it| it.run as usize).collect();
        let mut stages = Vec::new();
        for (_, run) in runs.into_iter().filter(|(_, run)| with.contains(run)) {
            let asked = Asked {
                run: Some(run),
                ..asked.clone()
            };
            let pivot = self.pivot(&asked, None, series, report)?;
            stages.push(Stage { run, pivot });
        }
        let figure = figure::history::figure(self.reader(index), &stages);
        if figure.is_none() {
            report.push(
                self.nothing(
                    experiment,
                    "no run that tells when it began has this metric",
                )
                .help("the runner writes `started` into the `run.json` of every run"),
            );
        }
        figure
    }

    /// A metric or a series, by its key.
    fn quantity<'s>(
        &'s self,
        index: usize,
        name: &str,
        report: &mut Report,
    ) -> Option<(Quantity, (&'s str, &'s Span))> {
        let experiment = self.shelf.experiment(index);
        let (key, span) = self.text(name)?;
        if let Some((metric, _)) = experiment.definition.metric(key) {
            return Some((Quantity::Metric(metric), (key, span)));
        }
        let mut series = experiment.runs.iter().flat_map(|run| &run.series);
        if series.any(|it| it.key == key) {
            return Some((Quantity::Series(key.to_owned()), (key, span)));
        }
        let metrics = experiment.definition.metrics.iter().map(|it| &*it.key);
        let message = format!(
            "experiment `{}` has neither a metric nor a series `{key}`",
            experiment.definition.key
        );
        report.push(
            Diagnostic::new(Code::UnknownSeries, message)
                .at(span.narrowed(key), "")
                .suggest(key, metrics.chain(series_keys(experiment)))
                .may_follow_from(resolve::folder(experiment)),
        );
        None
    }

    /// The run that is named, else the only one that has what is asked for.
    fn watching(
        &self,
        experiment: &Experiment,
        named: Option<usize>,
        (key, span): (&str, &Span),
        having: &BTreeSet<usize>,
        report: &mut Report,
    ) -> Option<usize> {
        let having: Vec<usize> = (having.iter().copied())
            .filter(|run| named.is_none_or(|named| named == *run))
            .collect();
        let fault = match having[..] {
            [run] => return Some(run),
            [] => {
                let message = match named {
                    Some(run) => format!("run `{}` has no `{key}`", experiment.runs[run].key),
                    None => format!(
                        "no run of experiment `{}` has `{key}`",
                        experiment.definition.key
                    ),
                };
                Diagnostic::new(Code::UnknownSeries, message)
                    .at(span.narrowed(key), "")
                    .suggest(key, series_keys(experiment))
            }
            [first, second, ..] => {
                let [first, second] = [first, second].map(|run| &experiment.runs[run].key);
                let message =
                    format!("several runs have `{key}`, such as `{first}` and `{second}`");
                Diagnostic::new(Code::MixedRuns, message)
                    .at(self.head(), "")
                    .help(format!("say which: `run = \"{first}\"`"))
            }
        };
        report.push(fault.may_follow_from(resolve::folder(experiment)));
        None
    }

    fn nothing(&self, experiment: &Experiment, message: &str) -> Diagnostic {
        Diagnostic::new(Code::EmptyFigure, message)
            .at(self.head(), "")
            .may_follow_from(resolve::folder(experiment))
    }
}

/// The runs that have a figure for their measurements.
fn runs_with(experiment: &Experiment, quantity: &Quantity) -> BTreeSet<usize> {
    match quantity {
        Quantity::Series(key) => (experiment.runs.iter().enumerate())
            .filter(|(_, run)| run.series.iter().any(|it| it.key == *key))
            .map(|(index, _)| index)
            .collect(),
        Quantity::Metric(metric) => (experiment.observations.iter())
            .filter(|it| it.metric as usize == *metric)
            .filter(|it| {
                it.result
                    .as_ref()
                    .is_ok_and(|sample| sample.order.is_some())
            })
            .map(|it| it.run as usize)
            .collect(),
    }
}

/// The keys of all series that the runs have.
fn series_keys(experiment: &Experiment) -> impl Iterator<Item = &str> {
    let series = experiment.runs.iter().flat_map(|run| &run.series);
    let keys: BTreeSet<&str> = series.map(|it| &*it.key).collect();
    keys.into_iter()
}

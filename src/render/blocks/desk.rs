//! A block on the desk: its arguments read against the data it speaks of.

use crate::analysis::{Pivot, PivotError};
use crate::content::{Block, Given};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::figure::Reader;
use crate::figure::chart::Scale;
use crate::text::Language;

use super::super::resolve::{self, Asked, Asker, Literal};
use super::super::shelf::Shelf;

/// A block being worked out.
pub(super) struct Desk<'a> {
    pub(super) shelf: &'a Shelf<'a>,
    pub(super) default: Option<&'a str>,
    pub(super) language: &'a Language,
    pub(super) block: &'a Block,
}

impl<'a> Desk<'a> {
    pub(super) fn experiment(&self, report: &mut Report) -> Option<usize> {
        if self.block.rows.is_some() {
            return Some(0);
        }
        if let Some(given) = self.block.arguments.get("experiment") {
            let key = given.value.as_str()?;
            return resolve::experiment(self.shelf, key, &given.value_span, report)
                .map(|(index, _)| index);
        }
        match self.default {
            Some(key) => self.shelf.find(key),
            None => {
                report.push(
                    Diagnostic::new(
                        Code::NoExperiment,
                        "neither this block nor the page names an experiment",
                    )
                    .at(self.head(), "")
                    .help("add `experiment = \"…\"` here, or to the page's front matter"),
                );
                None
            }
        }
    }

    /// The first line of the block.
    pub(super) fn head(&self) -> Span {
        let text = self.block.span.text();
        let end = text.find(['\r', '\n']).unwrap_or(text.len());
        self.block.span.within(0..end)
    }

    pub(super) fn text(&self, name: &str) -> Option<(&'a str, &'a Span)> {
        let given = self.block.arguments.get(name)?;
        Some((given.value.as_str()?, &given.value_span))
    }

    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.block.arguments.get(name)?.value.as_bool()
    }

    /// A text or a list of texts.
    pub(super) fn texts(&self, name: &str) -> Vec<(&'a str, &'a Span)> {
        let Some(given) = self.block.arguments.get(name) else {
            return Vec::new();
        };
        match &given.value {
            toml::Value::Array(list) => list
                .iter()
                .filter_map(toml::Value::as_str)
                .map(|text| (text, &given.value_span))
                .collect(),
            one => one
                .as_str()
                .map(|text| (text, &given.value_span))
                .into_iter()
                .collect(),
        }
    }

    pub(super) fn factor(
        &self,
        index: usize,
        name: &str,
        report: &mut Report,
    ) -> Option<Option<usize>> {
        if self.block.rows.is_some() {
            return Some((name == "rows").then_some(0));
        }
        match self.text(name) {
            None => Some(None),
            Some((key, span)) => {
                resolve::factor(self.shelf.experiment(index), key, span, report).map(Some)
            }
        }
    }

    /// What the block asks, for a metric.
    pub(super) fn asked(
        &self,
        index: usize,
        metric: Option<(&str, &Span)>,
        report: &mut Report,
    ) -> Option<Asked<'a>> {
        let experiment = self.shelf.experiment(index);
        // All are looked at, so that the faults of all are shown.
        let metric = resolve::metric(experiment, metric, &self.head(), report);
        let run = self.run(index, report);
        let statistic = match self.text("statistic") {
            Some((name, span)) => resolve::statistic(name, span, report),
            None => Some(crate::analysis::Statistic::default()),
        };
        let only = self.only(index, report);
        Some(Asked {
            index,
            experiment,
            metric: metric?,
            only: only?,
            run: run?,
            statistic: statistic?,
        })
    }

    /// The run that the block names, if it names one.
    pub(super) fn run(&self, index: usize, report: &mut Report) -> Option<Option<usize>> {
        match self.text("run") {
            Some((key, span)) => {
                resolve::run(self.shelf.experiment(index), key, span, report).map(Some)
            }
            None => Some(None),
        }
    }

    /// The levels that the block allows.
    pub(super) fn only(
        &self,
        index: usize,
        report: &mut Report,
    ) -> Option<Vec<(usize, Vec<usize>)>> {
        match self.block.arguments.get("where") {
            Some(given) => self.allowed(index, given, report),
            None => Some(Vec::new()),
        }
    }

    /// `where = { factor = level, … }`.
    fn allowed(
        &self,
        index: usize,
        given: &Given,
        report: &mut Report,
    ) -> Option<Vec<(usize, Vec<usize>)>> {
        let experiment = self.shelf.experiment(index);
        let mut only = Vec::new();
        let mut whole = true;
        for (key, value) in given.value.as_table()? {
            let Some(factor) = resolve::factor(experiment, key, &given.value_span, report) else {
                whole = false;
                continue;
            };
            let Some(literal) = Literal::from_toml(value) else {
                report.push(
                    Diagnostic::new(
                        Code::BadArgument,
                        format!("`{key}` takes a level or levels"),
                    )
                    .at(given.value_span.clone(), ""),
                );
                whole = false;
                continue;
            };
            match resolve::levels(experiment, factor, &literal, &given.value_span, report) {
                Some(levels) => only.push((factor, levels)),
                None => whole = false,
            }
        }
        only.sort();
        whole.then_some(only)
    }

    pub(super) fn pivot(
        &self,
        asked: &Asked<'_>,
        rows: Option<usize>,
        columns: Option<usize>,
        report: &mut Report,
    ) -> Option<Pivot> {
        let worked = self.shelf.pivot(asked.index, &asked.query(rows, columns));
        let error = match &*worked {
            Ok(pivot) if pivot.cells.len() <= self.most_cells() => return Some(pivot.clone()),
            Ok(pivot) => &PivotError::TooLarge {
                rows: pivot.rows.levels.len(),
                columns: pivot.columns.levels.len(),
            },
            Err(error) => error,
        };
        report.push(resolve::pivot_fault(
            asked,
            error,
            &self.head(),
            Asker::Block,
        ));
        None
    }

    /// The most cells that the block shows: what a page can hold, and a picture.
    fn most_cells(&self) -> usize {
        match self.block.kind {
            "chart" => 5_000,
            _ => 100_000,
        }
    }

    pub(super) fn reader(&self, index: usize) -> Reader<'a> {
        Reader {
            experiment: self.shelf.experiment(index),
            language: self.language,
        }
    }

    pub(super) fn metrics(&self, name: &str) -> Vec<Option<(&'a str, &'a Span)>> {
        let named: Vec<_> = self.texts(name).into_iter().map(Some).collect();
        if named.is_empty() { vec![None] } else { named }
    }

    pub(super) fn scale(&self, name: &str) -> Scale {
        match self.text(name).map(|(scale, _)| scale) {
            Some("log") => Scale::Log,
            Some("linear") => Scale::Linear,
            _ => Scale::Auto,
        }
    }

    /// The two levels of a factor that `from` and `to` name.
    pub(super) fn sides(
        &self,
        index: usize,
        factor: usize,
        report: &mut Report,
    ) -> Option<Vec<Option<usize>>> {
        ["from", "to"]
            .into_iter()
            .map(|name| match self.block.arguments.get(name) {
                None => Some(None),
                Some(given) => {
                    let literal = Literal::from_toml(&given.value)?;
                    let experiment = self.shelf.experiment(index);
                    resolve::level(experiment, factor, &literal, &given.value_span, report)
                        .map(Some)
                }
            })
            .collect()
    }

    pub(super) fn run_named(&self, index: usize, name: &str, report: &mut Report) -> Option<usize> {
        let (key, span) = self.text(name)?;
        resolve::run(self.shelf.experiment(index), key, span, report)
    }
}

//! Blocks to figures: arguments resolved against the data, then handed to the figure room.

use crate::analysis::{Pivot, PivotError, compare};
use crate::content::{Block, Given};
use crate::data;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::figure::chart::{self, ChartKind, ChartOrder, Scale};
use crate::figure::compare::CompareRow;
use crate::figure::matrix::MatrixOrder;
use crate::figure::table::TableOrder;
use crate::figure::{self, Figure, Reader, format};
use crate::text::Language;

use super::boundary;
use super::cases::{Found, cells};
use super::resolve::{self, Asked, Asker, Literal};
use super::shelf::Shelf;

/// A figure with what its frame needs to know.
#[derive(Debug)]
pub(super) struct Worked {
    /// The figure.
    pub figure: Figure,
    /// Key of the experiment it shows.
    pub experiment: String,
}

/// Works out a block over the data. Faults go to the report.
pub(super) fn work(
    shelf: &Shelf<'_>,
    default: Option<&str>,
    language: &Language,
    block: &Block,
    report: &mut Report,
) -> Option<Worked> {
    if !block.whole {
        return None;
    }
    // Rows inside the block are an experiment of their own, on a shelf of their own.
    let own;
    let own_shelf;
    let mut desk = Desk {
        shelf,
        default,
        language,
        block,
    };
    if block.rows.is_some() {
        own = [data::inline::read(&block.row_lines, report)?];
        own_shelf = Shelf::new(&own);
        desk.shelf = &own_shelf;
    }
    let shelf = desk.shelf;
    let experiment = desk.experiment(report)?;
    let figure = match block.kind {
        "table" => desk.table(experiment, report),
        "chart" => desk.chart(experiment, report),
        "matrix" => desk.matrix(experiment, report),
        "compare" => desk.compare(experiment, report),
        "steps" => desk.steps(experiment, report),
        _ => desk.environment(experiment, report),
    }?;
    let experiment = shelf.experiment(experiment).definition.key.clone();
    Some(Worked { figure, experiment })
}

/// A block being worked out.
struct Desk<'a> {
    shelf: &'a Shelf<'a>,
    default: Option<&'a str>,
    language: &'a Language,
    block: &'a Block,
}

impl<'a> Desk<'a> {
    fn experiment(&self, report: &mut Report) -> Option<usize> {
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
    fn head(&self) -> Span {
        let text = self.block.span.text();
        let end = text.find(['\r', '\n']).unwrap_or(text.len());
        self.block.span.within(0..end)
    }

    fn text(&self, name: &str) -> Option<(&'a str, &'a Span)> {
        let given = self.block.arguments.get(name)?;
        Some((given.value.as_str()?, &given.value_span))
    }

    fn flag(&self, name: &str) -> Option<bool> {
        self.block.arguments.get(name)?.value.as_bool()
    }

    /// A text or a list of texts.
    fn texts(&self, name: &str) -> Vec<(&'a str, &'a Span)> {
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

    fn factor(&self, index: usize, name: &str, report: &mut Report) -> Option<Option<usize>> {
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
    fn asked(
        &self,
        index: usize,
        metric: Option<(&str, &Span)>,
        report: &mut Report,
    ) -> Option<Asked<'a>> {
        let experiment = self.shelf.experiment(index);
        // All are looked at, so that the faults of all are shown.
        let metric = resolve::metric(experiment, metric, &self.head(), report);
        let run = match self.text("run") {
            Some((key, span)) => resolve::run(experiment, key, span, report).map(Some),
            None => Some(None),
        };
        let statistic = match self.text("statistic") {
            Some((name, span)) => resolve::statistic(name, span, report),
            None => Some(crate::analysis::Statistic::default()),
        };
        let only = match self.block.arguments.get("where") {
            Some(given) => self.allowed(index, given, report),
            None => Some(Vec::new()),
        };
        Some(Asked {
            index,
            experiment,
            metric: metric?,
            only: only?,
            run: run?,
            statistic: statistic?,
        })
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

    fn pivot(
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

    fn reader(&self, index: usize) -> Reader<'a> {
        Reader {
            experiment: self.shelf.experiment(index),
            language: self.language,
        }
    }

    fn metrics(&self, name: &str) -> Vec<Option<(&'a str, &'a Span)>> {
        let named: Vec<_> = self.texts(name).into_iter().map(Some).collect();
        if named.is_empty() { vec![None] } else { named }
    }

    fn table(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let rows = self.factor(index, "rows", report);
        let columns = self.factor(index, "columns", report);
        let mut pivots = Vec::new();
        let head = self.head();
        let mut metrics = self.metrics("metric");
        if self.block.rows.is_some() {
            let all = &self.shelf.experiment(index).definition.metrics;
            metrics = all
                .iter()
                .map(|metric| Some((&*metric.key, &head)))
                .collect();
        }
        let asked: Vec<Option<Asked<'_>>> = metrics
            .into_iter()
            .map(|metric| self.asked(index, metric, report))
            .collect();
        let (rows, columns) = (rows??, columns?);
        for asked in asked {
            pivots.push(self.pivot(&asked?, Some(rows), columns, report)?);
        }
        let shown = self.texts("show");
        let order = TableOrder {
            mark_best: self.text("mark").is_none_or(|(mark, _)| mark == "best"),
            show_n: shown.iter().any(|(word, _)| *word == "n"),
            show_interval: shown.iter().any(|(word, _)| *word == "interval"),
        };
        let pivots: Vec<&Pivot> = pivots.iter().collect();
        Some(figure::table::table(self.reader(index), &pivots, order))
    }

    fn chart(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let kind = match self.text("kind")?.0 {
            "line" => ChartKind::Line,
            "bar" => ChartKind::Bar,
            "dot" => ChartKind::Dot,
            _ => ChartKind::Timeline,
        };
        let x = self.factor(index, "x", report);
        let series = self.factor(index, "series", report);
        let asked = self.asked(index, self.text("metric"), report);
        let (x, series) = (x?, series?);
        if x.is_none() && kind != ChartKind::Timeline {
            report.push(
                Diagnostic::new(
                    Code::MissingArgument,
                    "a chart needs a factor along its x axis",
                )
                .at(self.head(), "no `x` here"),
            );
            return None;
        }
        let pivot = self.pivot(&asked?, x, series, report)?;
        let order = ChartOrder {
            kind,
            x_scale: self.scale("x_scale"),
            y_scale: self.scale("y_scale"),
            from_zero: self.flag("from_zero").unwrap_or(false),
        };
        Some(chart::chart(self.reader(index), &pivot, &order))
    }

    fn scale(&self, name: &str) -> Scale {
        match self.text(name).map(|(scale, _)| scale) {
            Some("log") => Scale::Log,
            Some("linear") => Scale::Linear,
            _ => Scale::Auto,
        }
    }

    fn matrix(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let rows = self.factor(index, "rows", report);
        let columns = self.factor(index, "columns", report);
        let asked = self.asked(index, self.text("metric"), report);
        let (rows, columns, asked) = (rows??, columns??, asked?);
        let pivot = self.pivot(&asked, Some(rows), Some(columns), report)?;
        let boundary = match self.text("boundary") {
            Some(text) => Some(boundary::holds(
                asked.experiment,
                (rows, &pivot.rows.levels),
                (columns, &pivot.columns.levels),
                text,
                report,
            )?),
            None => None,
        };
        let order = MatrixOrder {
            scale: self.scale("scale"),
            mark_best: self.text("mark").is_none_or(|(mark, _)| mark == "best"),
            boundary,
            boundary_label: self
                .text("boundary_label")
                .or(self.text("boundary"))
                .map_or_else(String::new, |(label, _)| label.to_owned()),
        };
        Some(figure::matrix::matrix(self.reader(index), &pivot, &order))
    }

    /// The two levels of a factor that `from` and `to` name.
    fn sides(
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

    fn compare(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let experiment = self.shelf.experiment(index);
        let reader = self.reader(index);
        let factor = self.factor(index, "factor", report)?;
        let (from, to) = match factor {
            Some(factor) => {
                let sides = self.sides(index, factor, report)?;
                let [Some(from), Some(to)] = sides[..] else {
                    return None;
                };
                (from, to)
            }
            None => (
                self.run_named(index, "from", report)?,
                self.run_named(index, "to", report)?,
            ),
        };
        let head = self.head();
        let every = experiment.definition.metrics.iter();
        let mut named = self.metrics("metrics");
        if named == [None] {
            named = every
                .filter(|metric| metric.derived.is_none())
                .map(|metric| Some((&*metric.key, &head)))
                .collect();
        }
        let mut rows = Vec::new();
        for metric in named {
            let asked = self.asked(index, metric, report)?;
            let side = |end: usize, report: &mut Report| {
                let mut asked = asked.clone();
                match factor {
                    Some(factor) => asked.pin(factor, vec![end]),
                    None => asked.run = Some(end),
                }
                cells(self.shelf, &asked, &head, report)
            };
            let (old, new) = (side(from, report)?, side(to, report)?);
            rows.extend(self.compare_rows(&asked, factor, old, new));
        }
        compare::adjust(rows.iter_mut().filter_map(|row| row.comparison.as_mut()));
        let name = |end| match factor {
            Some(factor) => format::level(reader, factor, end),
            None => experiment.runs[end].key.clone(),
        };
        Some(figure::compare::compare(
            reader,
            &name(from),
            &name(to),
            &rows,
        ))
    }

    fn run_named(&self, index: usize, name: &str, report: &mut Report) -> Option<usize> {
        let (key, span) = self.text(name)?;
        resolve::run(self.shelf.experiment(index), key, span, report)
    }

    /// A row for each case that both sides share; it is named by the factors that are left open.
    fn compare_rows(
        &self,
        asked: &Asked<'_>,
        compared: Option<usize>,
        old: Vec<Found>,
        new: Vec<Found>,
    ) -> Vec<CompareRow> {
        let definition = &asked.experiment.definition;
        let metric = &definition.metrics[asked.metric];
        let reader = self.reader(asked.index);
        let row = |(old, new): (Found, Found)| {
            let mut label = vec![metric.label.get(self.language.lang()).to_owned()];
            for &(factor, level) in &old.levels {
                if Some(factor) != compared && asked.levels(factor).len() > 1 {
                    label.push(format::place(reader, factor, level));
                }
            }
            let (better, threshold, noise) =
                (metric.better, definition.threshold, definition.noise);
            CompareRow {
                label: label.join(", "),
                metric: asked.metric,
                comparison: compare::compare(&old.cell, &new.cell, better, threshold, noise),
                from: old.cell,
                to: new.cell,
            }
        };
        old.into_iter().zip(new).map(row).collect()
    }

    fn steps(&self, index: usize, report: &mut Report) -> Option<Figure> {
        let steps = self.factor(index, "steps", report);
        let factor = self.factor(index, "factor", report);
        let (steps, factor) = (steps??, factor??);
        let mut asked = self.asked(index, self.text("metric"), report)?;
        let sides: Vec<usize> = self
            .sides(index, factor, report)?
            .into_iter()
            .flatten()
            .collect();
        if sides.len() == 2 {
            asked.pin(factor, sides);
        }
        let pivot = self.pivot(&asked, Some(steps), Some(factor), report)?;
        Some(figure::steps::steps(self.reader(index), &pivot))
    }

    fn environment(&self, index: usize, report: &mut Report) -> Option<Figure> {
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
}

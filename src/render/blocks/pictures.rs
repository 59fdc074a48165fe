//! Blocks that are views of pivots: tables, charts, matrices, steps.

use crate::analysis::Pivot;
use crate::diag::{Code, Diagnostic, Report};
use crate::figure::chart::{self, ChartKind, ChartOrder};
use crate::figure::matrix::MatrixOrder;
use crate::figure::table::TableOrder;
use crate::figure::{self, Figure};

use super::super::boundary;
use super::super::resolve::Asked;
use super::desk::Desk;

impl Desk<'_> {
    pub(super) fn table(&self, index: usize, report: &mut Report) -> Option<Figure> {
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

    pub(super) fn chart(&self, index: usize, report: &mut Report) -> Option<Figure> {
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

    pub(super) fn matrix(&self, index: usize, report: &mut Report) -> Option<Figure> {
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

    pub(super) fn steps(&self, index: usize, report: &mut Report) -> Option<Figure> {
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
}

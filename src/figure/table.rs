//! A pivot as a table: levels down the side and along the top, or several metrics side by side.

use super::export::{csv, json};
use super::markup::{Markup, scroll};
use super::{Figure, Reader, format, method, words};
use crate::analysis::{Cell, Estimate, Pivot, best};
use crate::text::Digits;

/// What a table shows beside the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableOrder {
    /// Whether the best cells of each metric are marked.
    pub mark_best: bool,
    /// Whether each cell shows its count of samples.
    pub show_n: bool,
    /// Whether each cell shows its interval.
    pub show_interval: bool,
}

/// Lays out a table. Several pivots (same rows, one metric each) stand side by side.
pub fn table(reader: Reader<'_>, pivots: &[&Pivot], order: TableOrder) -> Figure {
    if pivots.is_empty() {
        return Figure::default();
    }
    Figure {
        body: body(reader, pivots, order),
        table: None,
        alternative: words::alternative(reader, pivots, "table"),
        csv: csv(reader, pivots),
        json: json(reader, pivots),
        method: method::of_pivots(reader, pivots),
    }
}

/// The table alone.
pub(crate) fn body(reader: Reader<'_>, pivots: &[&Pivot], order: TableOrder) -> String {
    let Some(first) = pivots.first() else {
        return String::new();
    };
    let titles: Vec<String> = pivots
        .iter()
        .map(|pivot| words::title(reader, pivot))
        .collect();
    let mut out = Markup::default();
    out.open("table", &[("class", "data")]);
    head(reader, pivots, &mut out);
    out.open("tbody", &[]);
    let marks: Vec<Marks> = pivots
        .iter()
        .map(|pivot| Marks::of(reader, pivot, order.mark_best))
        .collect();
    for row in 0..first.rows.levels.len() {
        out.open("tr", &[]);
        if let Some(factor) = first.rows.factor {
            let label = format::level(reader, factor, first.rows.levels[row]);
            out.element("th", &[("scope", "row")], &label);
        }
        for (pivot, marks) in pivots.iter().zip(&marks) {
            for column in 0..pivot.columns.levels.len() {
                let best = marks.at(row, column);
                let cell = pivot.cell(row, column);
                Td {
                    metric: pivot.query.metric,
                    cell,
                    best,
                    class: "",
                }
                .write(reader, order, &mut out);
            }
        }
        out.close();
    }
    scroll(&reader.language.list(&titles), &out.finish())
}

fn head(reader: Reader<'_>, pivots: &[&Pivot], out: &mut Markup) {
    let Some(first) = pivots.first() else { return };
    let grouped = pivots.iter().any(|pivot| pivot.columns.factor.is_some());
    out.open("thead", &[]).open("tr", &[]);
    if let Some(factor) = first.rows.factor {
        let rows = if grouped { "2" } else { "" };
        out.element(
            "th",
            &[("scope", "col"), ("rowspan", rows)],
            &format::factor_head(reader, factor),
        );
    }
    for pivot in pivots {
        let metric = format::metric_head(reader, pivot.query.metric);
        match pivot.columns.factor {
            Some(factor) => {
                let span = pivot.columns.levels.len().to_string();
                let by = format::factor_head(reader, factor);
                let attributes = [
                    ("scope", "colgroup"),
                    ("colspan", span.as_str()),
                    ("class", "group"),
                ];
                out.open("th", &attributes).text(&metric);
                out.text(" ")
                    .element("span", &[("class", "by")], &format!("({by})"))
                    .close();
            }
            None => {
                let rows = if grouped { "2" } else { "" };
                let attributes = [("scope", "col"), ("rowspan", rows), ("class", "number")];
                out.element("th", &attributes, &metric);
            }
        }
    }
    out.close();
    if grouped {
        out.open("tr", &[]);
        for pivot in pivots {
            let Some(factor) = pivot.columns.factor else {
                continue;
            };
            for level in &pivot.columns.levels {
                let label = format::level(reader, factor, *level);
                out.element("th", &[("scope", "col"), ("class", "number")], &label);
            }
        }
        out.close();
    }
    out.close();
}

/// Which cells of a pivot are marked as the best.
#[derive(Debug, Clone)]
pub(crate) struct Marks {
    best: Vec<usize>,
    columns: usize,
}

/// A cell's mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Not the best.
    None,
    /// The best, beyond the noise.
    Best,
    /// One of several that can't be told apart.
    AmongBest,
}

impl Marks {
    /// The best cells of a pivot, if they are wanted.
    pub(crate) fn of(reader: Reader<'_>, pivot: &Pivot, wanted: bool) -> Self {
        let columns = pivot.columns.levels.len().max(1);
        let cells: Vec<&Cell> = pivot.cells.iter().collect();
        let best = if wanted {
            best(reader.experiment, &cells, pivot.query.metric)
        } else {
            Vec::new()
        };
        Self { best, columns }
    }

    /// The mark of a place.
    pub(crate) fn at(&self, row: usize, column: usize) -> Mark {
        if self
            .best
            .binary_search(&(row * self.columns + column))
            .is_err()
        {
            Mark::None
        } else if self.best.len() == 1 {
            Mark::Best
        } else {
            Mark::AmongBest
        }
    }

    /// Whether anything is marked.
    pub(crate) fn any(&self) -> bool {
        !self.best.is_empty()
    }

    /// The words of the marks.
    pub(crate) fn words<'a>(&self, reader: Reader<'a>) -> &'a str {
        reader.words(if self.best.len() > 1 {
            "best-tied"
        } else {
            "best-mark"
        })
    }
}

/// A cell of a table.
pub(crate) struct Td<'a> {
    /// Index of the metric.
    pub(crate) metric: usize,
    /// What is known.
    pub(crate) cell: &'a Cell,
    /// Its mark.
    pub(crate) best: Mark,
    /// Further classes.
    pub(crate) class: &'a str,
}

impl Td<'_> {
    /// Writes the cell.
    pub(crate) fn write(&self, reader: Reader<'_>, order: TableOrder, out: &mut Markup) {
        match &self.cell.estimate {
            Ok(estimate) => self.write_value(reader, order, estimate, out),
            Err(missing) => {
                let reason = missing.reason.key();
                let class = format!("missing missing-{reason} {}", self.class);
                let words = format::missing(reader, missing);
                out.open("td", &[("class", class.trim_end()), ("title", &words)]);
                out.element(
                    "span",
                    &[("class", "reason")],
                    &format::reason(reader, missing.reason),
                );
                out.close();
            }
        }
    }

    fn write_value(
        &self,
        reader: Reader<'_>,
        order: TableOrder,
        estimate: &Estimate,
        out: &mut Markup,
    ) {
        let best = if self.best == Mark::None { "" } else { " best" };
        let class = format!("number{best} {}", self.class);
        let sort = words::middle(self.cell).map_or_else(String::new, super::export::number);
        out.open("td", &[("class", class.trim_end()), ("data-value", &sort)]);
        out.text(&format::bare_estimate(reader, self.metric, estimate));
        let word = match self.best {
            Mark::None => "",
            Mark::Best => "best-mark",
            Mark::AmongBest => "best-tied",
        };
        if !word.is_empty() {
            best_mark(reader.language.message(word), out);
        }
        let interval = format::interval(reader, self.metric, estimate);
        if let Some(interval) = interval.filter(|_| order.show_interval) {
            out.text(" ")
                .element("span", &[("class", "interval")], &format!("({interval})"));
        }
        if order.show_n {
            let n = reader.language.number(estimate.n as f64, Digits::Natural);
            out.text(" ")
                .element("span", &[("class", "n")], &format::n_equals(reader, &n));
        }
        out.close();
    }
}

/// The sign of a best cell, with its words for those who can't see it.
pub(crate) fn best_mark(words: &str, out: &mut Markup) {
    let attributes = [
        ("class", "best-mark"),
        ("role", "img"),
        ("aria-label", words),
        ("title", words),
    ];
    out.text(" ").element("span", &attributes, "★");
}

//! Two factors as a heat map: an HTML table whose cells are shaded on a scale that survives
//! colour blindness and grey print.

use std::collections::BTreeMap;

use super::chart::Scale;
use super::export::{csv, json};
use super::markup::{Markup, scroll};
use super::table::{Marks, TableOrder, Td};
use super::{Figure, Reader, format, method, words};
use crate::analysis::Pivot;
use crate::model::Value;
use crate::text::Argument::Text;
use crate::text::Direction;

/// How many shades there are.
const SHADES: usize = 9;

/// What a matrix shows beside the figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixOrder {
    /// Spacing of the shades.
    pub scale: Scale,
    /// Whether the best cells are marked.
    pub mark_best: bool,
    /// For each cell, row by row, whether an expression holds there; a line is drawn around that part.
    pub boundary: Option<Vec<bool>>,
    /// What the boundary means, in words, for the legend.
    pub boundary_label: String,
}

/// Lays out a matrix.
pub fn matrix(reader: Reader<'_>, pivot: &Pivot, order: &MatrixOrder) -> Figure {
    let marks = Marks::of(reader, pivot, order.mark_best);
    let shades = Shades::of(pivot, order.scale);
    let mut out = Markup::default();
    out.open("table", &[("class", "matrix")]);
    head(reader, pivot, &mut out);
    out.open("tbody", &[]);
    for (row, level) in pivot.rows.levels.iter().enumerate() {
        out.open("tr", &[]);
        if let Some(factor) = pivot.rows.factor {
            out.element(
                "th",
                &[("scope", "row")],
                &format::level(reader, factor, *level),
            );
        }
        for column in 0..pivot.columns.levels.len() {
            let cell = pivot.cell(row, column);
            let mut classes = Vec::new();
            if let (Some(value), Some(shades)) = (words::middle(cell), &shades) {
                classes.push(format!("heat heat-{}", shades.shade(value)));
            }
            classes.extend(
                edges(reader, pivot, order, row, column)
                    .into_iter()
                    .map(str::to_owned),
            );
            let td = Td {
                metric: pivot.query.metric,
                cell,
                best: marks.at(row, column),
                class: &classes.join(" "),
            };
            td.write(reader, TableOrder::default(), &mut out);
        }
        out.close();
    }
    let mut body = scroll(&words::title(reader, pivot), &out.finish());
    body.push_str(&legend(reader, pivot, order, shades.as_ref(), &marks));
    Figure {
        body,
        table: None,
        alternative: words::alternative(reader, &[pivot], "matrix"),
        csv: csv(reader, &[pivot]),
        json: json(reader, &[pivot]),
        method: method::of_pivots(reader, &[pivot]),
    }
}

fn head(reader: Reader<'_>, pivot: &Pivot, out: &mut Markup) {
    out.open("thead", &[]).open("tr", &[]);
    if let Some(factor) = pivot.rows.factor {
        let attributes = [("scope", "col"), ("rowspan", "2")];
        out.element("th", &attributes, &format::factor_head(reader, factor));
    }
    let span = pivot.columns.levels.len().to_string();
    let title = match pivot.columns.factor {
        Some(factor) => format::factor_head(reader, factor),
        None => format::metric_head(reader, pivot.query.metric),
    };
    let attributes = [
        ("scope", "colgroup"),
        ("colspan", span.as_str()),
        ("class", "group"),
    ];
    out.element("th", &attributes, &title)
        .close()
        .open("tr", &[]);
    for level in &pivot.columns.levels {
        let label = match pivot.columns.factor {
            Some(factor) => format::level(reader, factor, *level),
            None => String::new(),
        };
        out.element("th", &[("scope", "col")], &label);
    }
    out.close().close();
}

/// The shading of a pivot's values.
#[derive(Debug, Clone, Copy)]
struct Shades {
    low: f64,
    high: f64,
    log: bool,
}

impl Shades {
    fn of(pivot: &Pivot, scale: Scale) -> Option<Self> {
        let values = || pivot.cells.iter().filter_map(words::middle);
        let low = values().min_by(f64::total_cmp)?;
        let high = values().max_by(f64::total_cmp)?;
        let log = low > 0.0
            && match scale {
                Scale::Auto => high / low >= 20.0,
                Scale::Linear => false,
                Scale::Log => true,
            };
        Some(Self { low, high, log })
    }

    /// The shade of a value, 0 to 8; the middle one where all values are equal.
    fn shade(&self, value: f64) -> usize {
        let at = |value: f64| {
            if self.log {
                value.max(f64::MIN_POSITIVE).ln()
            } else {
                value
            }
        };
        let room = at(self.high) - at(self.low);
        if room <= 0.0 || !room.is_finite() {
            return SHADES / 2;
        }
        let share = (at(value) - at(self.low)) / room;
        ((share * SHADES as f64).floor().max(0.0) as usize).min(SHADES - 1)
    }
}

/// The sides on which a cell that is inside the boundary borders on one that is outside.
fn edges(
    reader: Reader<'_>,
    pivot: &Pivot,
    order: &MatrixOrder,
    row: usize,
    column: usize,
) -> Vec<&'static str> {
    let (rows, columns) = (pivot.rows.levels.len(), pivot.columns.levels.len());
    let Some(boundary) = order
        .boundary
        .as_ref()
        .filter(|it| it.len() == rows * columns)
    else {
        return Vec::new();
    };
    let inside = |row: usize, column: usize| boundary[row * columns + column];
    if !inside(row, column) {
        return Vec::new();
    }
    // The columns run with the language, sides on the screen don't.
    let (before, after) = match reader.language.direction() {
        Direction::LeftToRight => ("edge-left", "edge-right"),
        Direction::RightToLeft => ("edge-right", "edge-left"),
    };
    let sides = [
        (row > 0 && !inside(row - 1, column), "edge-top"),
        (column + 1 < columns && !inside(row, column + 1), after),
        (row + 1 < rows && !inside(row + 1, column), "edge-bottom"),
        (column > 0 && !inside(row, column - 1), before),
    ];
    sides
        .into_iter()
        .filter_map(|(edge, class)| edge.then_some(class))
        .collect()
}

fn legend(
    reader: Reader<'_>,
    pivot: &Pivot,
    order: &MatrixOrder,
    shades: Option<&Shades>,
    marks: &Marks,
) -> String {
    let mut out = Markup::default();
    out.open("ul", &[("class", "legend matrix-legend")]);
    if let Some(shades) = shades {
        let value = |value| format::value(reader, pivot.query.metric, Value::Exact(value));
        out.open("li", &[("class", "scale")]);
        out.element("span", &[("class", "low")], &value(shades.low))
            .text(" ");
        out.open("span", &[("class", "ramp"), ("aria-hidden", "true")]);
        for shade in 0..SHADES {
            out.element(
                "span",
                &[("class", &format!("swatch heat heat-{shade}"))],
                "",
            );
        }
        out.close()
            .text(" ")
            .element("span", &[("class", "high")], &value(shades.high));
        if shades.log {
            out.text(" ")
                .element("span", &[("class", "by")], reader.words("scale-log"));
        }
        out.close();
    }
    if marks.any() {
        out.open("li", &[]);
        out.element(
            "span",
            &[("class", "best-mark"), ("aria-hidden", "true")],
            "★",
        );
        out.text(" ").text(marks.words(reader)).close();
    }
    if order.boundary.is_some() && !order.boundary_label.is_empty() {
        let condition = [("condition", Text(&order.boundary_label))];
        let boundary = reader.language.message_with("boundary", &condition);
        out.open("li", &[]);
        out.element(
            "span",
            &[("class", "swatch boundary"), ("aria-hidden", "true")],
            "",
        );
        out.text(" ").text(&boundary).close();
    }
    let mut reasons: BTreeMap<String, (&str, u64)> = BTreeMap::new();
    for missing in pivot
        .cells
        .iter()
        .filter_map(|cell| cell.estimate.as_ref().err())
    {
        let words = format::missing(reader, missing);
        reasons.entry(words).or_insert((missing.reason.key(), 0)).1 += 1;
    }
    for (words, (reason, count)) in reasons {
        out.open("li", &[]);
        let class = format!("swatch missing missing-{reason}");
        out.element("span", &[("class", &class), ("aria-hidden", "true")], "");
        let count = reader
            .language
            .number(count as f64, crate::text::Digits::Natural);
        out.text(&format!(" {words} ({count})")).close();
    }
    out.finish()
}

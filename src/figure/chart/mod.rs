//! Charts as inline SVG: one file per kind, all drawn on our own canvas.
//!
//! Each chart is drawn twice, for wide and for narrow screens; the theme shows one of them.

mod bar;
mod canvas;
mod course;
mod dot;
mod frame;
mod layout;
mod legend;
mod letters;
mod line;
mod numerals;
mod palette;
mod picture;
mod preview;
mod sheet;
mod ticks;
mod timeline;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

pub use course::{Course, Panel, Spot, Strand, course};

use super::export::{csv, json};
use super::format::factor_label;
use super::markup::{escape, notice};
use super::table::{self, TableOrder};
use super::{Figure, Reader};
use super::{method, words};
use crate::analysis::Pivot;
use crate::text::Direction;
use legend::Swatch;
use picture::Picture;
use sheet::{LabelBox, Place, Sheet};
use timeline::Timeline;

/// The kind of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    /// Points joined by lines; numeric or ordered x.
    Line,
    /// Bars side by side, from zero; ranges as floating bars.
    Bar,
    /// Every sample as a dot with its median.
    Dot,
    /// Samples over the time since the run's start.
    Timeline,
}

impl ChartKind {
    /// The word of its class and of its message key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Bar => "bar",
            Self::Dot => "dot",
            Self::Timeline => "timeline",
        }
    }
}

/// How an axis is spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Logarithmic for numeric factors that span two orders or double from level to level, else linear.
    #[default]
    Auto,
    /// Even.
    Linear,
    /// Logarithmic.
    Log,
}

/// What a chart shows of a pivot: rows along x, a series for each column.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartOrder {
    /// The kind.
    pub kind: ChartKind,
    /// Spacing of x, for numeric factors.
    pub x_scale: Scale,
    /// Spacing of y.
    pub y_scale: Scale,
    /// Whether y begins at zero (bars always do on linear axes).
    pub from_zero: bool,
}

/// For which screens a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    Wide,
    Narrow,
}

impl Variant {
    const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    fn class(self) -> &'static str {
        match self {
            Self::Wide => "chart-wide",
            Self::Narrow => "chart-narrow",
        }
    }

    fn width(self) -> f64 {
        match self {
            Self::Wide => 720.0,
            Self::Narrow => 340.0,
        }
    }

    fn height(self) -> f64 {
        match self {
            Self::Wide => 360.0,
            Self::Narrow => 280.0,
        }
    }
}

/// A drawn chart.
#[derive(Debug, Clone)]
struct Drawing {
    /// The shapes.
    shapes: String,
    /// Width and height.
    size: Place,
    /// Whether a legend has to tell the series apart.
    legend: bool,
    /// Where words stand; for the tests that nothing overlaps.
    #[cfg_attr(not(test), expect(dead_code, reason = "what tests look at"))]
    boxes: Vec<LabelBox>,
}

impl Drawing {
    /// Draws on a new sheet; the drawing tells whether it needs a legend.
    fn new(reader: Reader<'_>, size: Place, draw: impl FnOnce(&Sheet<'_>) -> bool) -> Self {
        let mut shapes = String::new();
        let right_to_left = reader.language.direction() == Direction::RightToLeft;
        let sheet = Sheet::new(&mut shapes, size.0, size.1, right_to_left);
        let legend = draw(&sheet);
        let boxes = sheet.boxes();
        drop(sheet);
        Self {
            shapes,
            size,
            legend,
            boxes,
        }
    }

    /// The whole picture with its words for those who can't see it.
    fn svg(&self, reader: Reader<'_>, kind: &str, title: &str, description: &str) -> String {
        let (width, height) = self.size;
        let mut out = format!(
            "<svg class=\"chart chart-{}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-size=\"{}\" direction=\"{}\">",
            kind,
            letters::SIZE,
            reader.language.direction().attribute(),
        );
        let _ = write!(out, "<title>{}</title>", escape(title));
        if !description.is_empty() {
            let _ = write!(out, "<desc>{}</desc>", escape(description));
        }
        out.push_str(&self.shapes);
        out.push_str("</svg>");
        out
    }
}

/// Draws a chart.
pub fn chart(reader: Reader<'_>, pivot: &Pivot, order: &ChartOrder) -> Figure {
    let alternative = words::alternative(reader, &[pivot], order.kind.key());
    let mut method = method::of_pivots(reader, &[pivot]);
    if pivot.columns.levels.len() > palette::SERIES {
        method.push((
            reader.words("note").to_owned(),
            method::many_series(reader, pivot.columns.levels.len(), palette::SERIES),
        ));
    }
    let plain = TableOrder {
        mark_best: true,
        show_n: false,
        show_interval: true,
    };
    Figure {
        body: body(reader, pivot, order, &alternative),
        table: Some(table::body(reader, &[pivot], plain)),
        csv: csv(reader, &[pivot]),
        json: json(reader, &[pivot]),
        alternative,
        method,
    }
}

/// The picture in both variants, each with its legend.
fn body(reader: Reader<'_>, pivot: &Pivot, order: &ChartOrder, alternative: &str) -> String {
    let (drawings, names) = drawings(reader, pivot, order);
    of_pivot(reader, pivot, order.kind, alternative, &drawings, &names)
}

/// Lying bars side by side, whatever the names, for steps.
pub(super) fn lying_bars(reader: Reader<'_>, pivot: &Pivot, alternative: &str) -> String {
    let picture = Picture::new(reader, pivot);
    let order = ChartOrder {
        kind: ChartKind::Bar,
        x_scale: Scale::Linear,
        y_scale: Scale::Linear,
        from_zero: true,
    };
    let draw = |variant| Some((variant, bar::draw(reader, &picture, &order, variant, true)?));
    let drawings: Vec<_> = Variant::ALL.into_iter().filter_map(draw).collect();
    of_pivot(
        reader,
        pivot,
        order.kind,
        alternative,
        &drawings,
        &picture.names(),
    )
}

fn of_pivot(
    reader: Reader<'_>,
    pivot: &Pivot,
    kind: ChartKind,
    alternative: &str,
    drawings: &[(Variant, Drawing)],
    names: &[String],
) -> String {
    let series = pivot
        .columns
        .factor
        .map_or_else(String::new, |factor| factor_label(reader, factor));
    let group = Group {
        kind: kind.key(),
        title: &words::title(reader, pivot),
        series: &series,
        names,
        swatch: match kind {
            ChartKind::Bar => Swatch::Bar,
            ChartKind::Line => Swatch::Line,
            ChartKind::Dot | ChartKind::Timeline => Swatch::Point,
        },
        bare: true,
        alternative,
    };
    assembled(reader, &group, drawings)
}

/// What the drawings of a chart have in common.
struct Group<'a> {
    /// The word of their class.
    kind: &'a str,
    title: &'a str,
    /// What tells the series apart, and their names.
    series: &'a str,
    names: &'a [String],
    /// How a series is drawn.
    swatch: Swatch,
    /// Whether the legend doesn't say what tells the series apart.
    bare: bool,
    alternative: &'a str,
}

impl Group<'_> {
    fn legend(&self) -> String {
        legend::legend(self.series, self.names, self.swatch, self.bare)
    }
}

fn nothing(reader: Reader<'_>) -> String {
    notice(reader.words("alt-all-missing"))
}

fn assembled(reader: Reader<'_>, group: &Group<'_>, drawings: &[(Variant, Drawing)]) -> String {
    if drawings.is_empty() {
        return nothing(reader);
    }
    let mut out = String::new();
    for (variant, drawing) in drawings {
        let _ = write!(out, "<div class=\"{}\">", variant.class());
        if drawing.legend {
            out.push_str(&group.legend());
        }
        out.push_str(&drawing.svg(reader, group.kind, group.title, group.alternative));
        out.push_str("</div>");
    }
    out
}

/// The drawings by variant, and the names of the series; nothing when there are no values.
fn drawings(
    reader: Reader<'_>,
    pivot: &Pivot,
    order: &ChartOrder,
) -> (Vec<(Variant, Drawing)>, Vec<String>) {
    if order.kind == ChartKind::Timeline {
        let timeline = Timeline::new(reader, pivot);
        let draw = |variant| {
            timeline::draw(reader, pivot, &timeline, order, variant).map(|it| (variant, it))
        };
        let names = timeline
            .series
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        return (Variant::ALL.into_iter().filter_map(draw).collect(), names);
    }
    let picture = Picture::new(reader, pivot);
    let draw = |variant| {
        let drawing = match order.kind {
            ChartKind::Line => line::draw(reader, &picture, order, variant),
            ChartKind::Dot => dot::draw(reader, &picture, order, variant),
            ChartKind::Bar | ChartKind::Timeline => {
                bar::draw(reader, &picture, order, variant, false)
            }
        };
        drawing.map(|it| (variant, it))
    };
    let drawings = Variant::ALL.into_iter().filter_map(draw).collect();
    (drawings, picture.names())
}

/// A small picture of a pivot without axes or words, for cards; empty when nothing can be drawn.
pub fn preview(reader: Reader<'_>, pivot: &Pivot) -> String {
    preview::draw(&Picture::new(reader, pivot))
}

/// How many ticks an axis of values may have, best first.
const TARGETS: [usize; 5] = [6, 5, 4, 3, 2];

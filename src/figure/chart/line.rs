//! Points joined by lines, over numbers or ordered names.

use super::canvas::Anchor;
use super::frame::{Across, Frame, Order};
use super::letters::{LINE, SIZE, width};
use super::palette::{Role, dashes, series_class};
use super::picture::{Picture, Point, Row, Series};
use super::sheet::{Place, Sheet};
use super::ticks::{self, Axis, Span};
use super::{ChartOrder, Drawing, Variant};
use crate::figure::Reader;
use crate::figure::format::Notation;
use crate::model::Value;

/// Draws the lines.
pub(super) fn draw(
    reader: Reader<'_>,
    picture: &Picture,
    order: &ChartOrder,
    variant: Variant,
) -> Option<Drawing> {
    let span = picture.value_span(order.y_scale, order.from_zero, false)?;
    let labelled = ends_can_be_labelled(picture, variant.width());
    let widest = picture
        .series
        .iter()
        .map(|it| width(&it.label))
        .fold(0.0, f64::max);
    let across = match picture.spaced {
        Some(notation) => {
            let axes = || row_axes(reader, picture, notation, order);
            Across::Values(picture.row_axes.get_or_init(axes).clone())
        }
        None => Across::Names(picture.rows.iter().map(|row| row.label.clone()).collect()),
    };
    let layout = |labelled: bool| {
        Frame::upright(&Order {
            width: variant.width(),
            height: variant.height(),
            values: picture.value_axes(reader, span).to_vec(),
            value_title: picture.value_title.clone(),
            across: across.clone(),
            across_title: picture.rows_title.clone(),
            right: if labelled { widest + 16.0 } else { 8.0 },
            overhang: (0.0, 0.0),
        })
    };
    let mut frame = layout(labelled);
    let mut labels = if labelled {
        end_labels(picture, &frame)
    } else {
        None
    };
    if labelled && labels.is_none() {
        frame = layout(false);
        labels = None;
    }
    Some(Drawing::new(reader, frame.size, |sheet| {
        frame.draw(sheet);
        for (index, series) in picture.series.iter().enumerate() {
            sheet.open(series_class(index));
            draw_series(sheet, &frame, picture, series, index);
            if let Some(y) = labels.as_ref().and_then(|it| it.get(index)) {
                let place = (frame.right + 10.0, y + SIZE * 0.35);
                sheet.words(
                    place,
                    std::slice::from_ref(&series.label),
                    Anchor::Start,
                    "label",
                    "",
                );
            }
            sheet.close();
        }
        draw_missing(sheet, &frame, picture);
        picture.has_series() && labels.is_none()
    }))
}

/// Axes for the rows: ticks at the levels if they have room, else at round numbers.
fn row_axes(
    reader: Reader<'_>,
    picture: &Picture,
    notation: Notation,
    order: &ChartOrder,
) -> Vec<Axis> {
    let values: Vec<f64> = picture.rows.iter().map(|row| row.value).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log = picture.rows_log(order.x_scale);
    let (low, high) = if log {
        let room = (high / low).powf(0.03);
        (low / room, high * room)
    } else {
        (
            (high - low).mul_add(-0.03, low),
            (high - low).mul_add(0.03, high),
        )
    };
    let span = Span {
        low,
        high,
        log,
        zero: false,
        round: false,
    };
    let mut axes = ticks::axes(reader, notation, span, &[8, 6, 5, 4, 3, 2]);
    if picture.rows.len() <= 12
        && let Some(first) = axes.first()
    {
        let at_row = |row: &Row| (row.value, row.label.clone());
        let mut ticks: Vec<(f64, String)> = picture.rows.iter().map(at_row).collect();
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at_levels = Axis {
            ticks,
            power: 0,
            ..first.clone()
        };
        axes.insert(0, at_levels);
    }
    axes.retain(|axis| axis.ticks.len() > 1 || picture.rows.len() == 1);
    axes
}

/// Indices of the rows from left to right.
fn in_order(picture: &Picture) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..picture.rows.len()).collect();
    if picture.spaced.is_some() {
        rows.sort_by(|a, b| picture.rows[*a].value.total_cmp(&picture.rows[*b].value));
    }
    rows
}

fn across(picture: &Picture, row: usize) -> f64 {
    if picture.spaced.is_some() {
        picture.rows[row].value
    } else {
        row as f64
    }
}

/// The figure a line runs through; the middle of a range.
fn middle(point: &Point) -> Option<f64> {
    match point.value? {
        Value::Exact(value) | Value::Above(value) | Value::Below(value) => Some(value),
        Value::Range(low, high) => Some(f64::midpoint(low, high)),
    }
}

fn draw_series(sheet: &Sheet<'_>, frame: &Frame, picture: &Picture, series: &Series, index: usize) {
    let rows = in_order(picture);
    let place = |row: usize| {
        let value = middle(&series.points[row])?;
        Some(frame.place(across(picture, row), value))
    };
    // A gap in the data is a gap in the line.
    for stretch in rows.split(|row| middle(&series.points[*row]).is_none()) {
        let places: Vec<Place> = stretch.iter().filter_map(|row| place(*row)).collect();
        draw_band(sheet, frame, picture, series, stretch);
        if places.len() > 1 {
            sheet.line(&places, Role::Line, dashes(index));
        }
    }
    let whiskers = picture.series.len() * picture.rows.len() <= 30;
    for row in rows {
        let (Some(at), point) = (place(row), &series.points[row]) else {
            continue;
        };
        if whiskers {
            draw_reach(sheet, frame, across(picture, row), point);
        }
        sheet.point(at, index, &point.title);
        match point.value {
            Some(Value::Above(_)) => sheet.arrow((at.0, at.1 - 14.0), (0.0, -7.0)),
            Some(Value::Below(_)) => sheet.arrow((at.0, at.1 + 14.0), (0.0, 7.0)),
            _ => {}
        }
    }
}

fn reach(point: &Point) -> Option<(f64, f64)> {
    match point.value {
        Some(Value::Range(low, high)) => Some((low, high)),
        _ => point.interval,
    }
}

fn draw_reach(sheet: &Sheet<'_>, frame: &Frame, across: f64, point: &Point) {
    let Some((low, high)) = reach(point) else {
        return;
    };
    let (from, to) = (frame.place(across, low), frame.place(across, high));
    sheet.rule(from, to, Role::Whisker, "");
    for (x, y) in [from, to] {
        sheet.rule((x - 3.0, y), (x + 3.0, y), Role::Whisker, "");
    }
}

/// A band through the intervals of neighbouring points.
fn draw_band(sheet: &Sheet<'_>, frame: &Frame, picture: &Picture, series: &Series, rows: &[usize]) {
    for stretch in rows.split(|row| reach(&series.points[*row]).is_none()) {
        if stretch.len() < 2 {
            continue;
        }
        let end = |row: &usize, high: bool| {
            let (low, top) = reach(&series.points[*row])?;
            Some(frame.place(across(picture, *row), if high { top } else { low }))
        };
        let mut outline: Vec<Place> = stretch.iter().filter_map(|row| end(row, true)).collect();
        outline.extend(stretch.iter().rev().filter_map(|row| end(row, false)));
        sheet.area(&outline, Role::Area);
    }
}

/// A mark on the axis of rows for each place where values are missing.
fn draw_missing(sheet: &Sheet<'_>, frame: &Frame, picture: &Picture) {
    let mut open = false;
    for row in 0..picture.rows.len() {
        let titles: Vec<&str> = picture
            .series
            .iter()
            .filter(|series| series.points[row].value.is_none())
            .map(|series| series.points[row].title.as_str())
            .collect();
        if titles.is_empty() {
            continue;
        }
        if !open {
            sheet.open("missing-marks");
            open = true;
        }
        let (x, y) = frame.place(across(picture, row), frame.value.low);
        sheet.missing((x, y), &titles.join("\n"));
    }
    if open {
        sheet.close();
    }
}

fn ends_can_be_labelled(picture: &Picture, room: f64) -> bool {
    let Some(last) = in_order(picture).last().copied() else {
        return false;
    };
    let fits = |series: &Series| {
        !series.label.is_empty()
            && width(&series.label) <= room * 0.3
            && middle(&series.points[last]).is_some()
    };
    picture.has_series() && picture.series.len() <= 8 && picture.series.iter().all(fits)
}

/// Heights for the labels at the lines' ends, pushed apart; `None` when they would go astray.
fn end_labels(picture: &Picture, frame: &Frame) -> Option<Vec<f64>> {
    let last = in_order(picture).last().copied()?;
    let at = |series: &Series| {
        let value = middle(&series.points[last])?;
        Some(frame.place(across(picture, last), value).1)
    };
    let wanted: Vec<f64> = picture.series.iter().map(at).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]).then(a.cmp(b)));
    let mut heights = wanted.clone();
    // Downwards, then back up from the bottom: the usual two passes.
    let mut least = frame.top;
    for index in &order {
        heights[*index] = heights[*index].max(least);
        least = heights[*index] + LINE;
    }
    let mut most = frame.bottom;
    for index in order.iter().rev() {
        heights[*index] = heights[*index].min(most);
        most = heights[*index] - LINE;
    }
    let near = heights
        .iter()
        .zip(&wanted)
        .all(|(a, b)| (a - b).abs() <= LINE * 1.6);
    (near && most >= frame.top - LINE * 1.5).then_some(heights)
}

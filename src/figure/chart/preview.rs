//! A small picture for cards: shapes only.

use super::palette::{Role, dashes, series_class};
use super::picture::{Picture, Point};
use super::sheet::{Place, Sheet};
use crate::model::Value;

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 90.0;
const MARGIN: f64 = 6.0;

/// Draws lines over ordered numbers, bars over names.
pub(super) fn draw(picture: &Picture) -> String {
    let Some((low, high)) = picture.extent(false) else {
        return String::new();
    };
    let bars = picture.spaced.is_none() || picture.rows.len() < 3;
    let (low, high) = if bars {
        (low.min(0.0), high.max(0.0))
    } else {
        (low, high)
    };
    let room = if high > low {
        high - low
    } else {
        high.abs().max(1.0)
    };
    let low = if high > low { low } else { low - room / 2.0 };
    let height = move |value: f64| {
        let share = ((value - low) / room).clamp(0.0, 1.0);
        HEIGHT - MARGIN - share * (HEIGHT - 2.0 * MARGIN)
    };
    let mut shapes = String::new();
    let sheet = Sheet::new(&mut shapes, WIDTH, HEIGHT, false);
    if bars {
        draw_bars(&sheet, picture, &height);
    } else {
        draw_lines(&sheet, picture, &height);
    }
    drop(sheet);
    format!(
        "<svg class=\"preview\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" aria-hidden=\"true\" focusable=\"false\">{shapes}</svg>"
    )
}

fn middle(point: &Point) -> Option<f64> {
    match point.value? {
        Value::Exact(value) | Value::Above(value) | Value::Below(value) => Some(value),
        Value::Range(low, high) => Some(f64::midpoint(low, high)),
    }
}

fn draw_lines(sheet: &Sheet<'_>, picture: &Picture, height: &dyn Fn(f64) -> f64) {
    let log = picture.rows_log(super::Scale::Auto);
    let at = |value: f64| {
        if log {
            value.max(f64::MIN_POSITIVE).ln()
        } else {
            value
        }
    };
    let places: Vec<f64> = picture.rows.iter().map(|row| at(row.value)).collect();
    let low = places.iter().copied().fold(f64::INFINITY, f64::min);
    let high = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let across = |place: f64| {
        let share = if high > low {
            (place - low) / (high - low)
        } else {
            0.5
        };
        MARGIN + share * (WIDTH - 2.0 * MARGIN)
    };
    for (index, series) in picture.series.iter().enumerate() {
        sheet.open(series_class(index));
        let mut line: Vec<Place> = series
            .points
            .iter()
            .zip(&places)
            .filter_map(|(point, place)| Some((across(*place), height(middle(point)?))))
            .collect();
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        if line.len() > 1 {
            sheet.line(&line, Role::Line, dashes(index));
        }
        if line.len() <= 12 {
            line.iter().for_each(|place| sheet.point(*place, index, ""));
        }
        sheet.close();
    }
}

fn draw_bars(sheet: &Sheet<'_>, picture: &Picture, height: &dyn Fn(f64) -> f64) {
    let slot = (WIDTH - 2.0 * MARGIN) / picture.rows.len().max(1) as f64;
    let lane = (slot * 0.8 / picture.series.len().max(1) as f64).min(40.0);
    let all = lane * picture.series.len() as f64;
    for (index, series) in picture.series.iter().enumerate() {
        sheet.open(series_class(index));
        for (row, point) in series.points.iter().enumerate() {
            let Some(value) = point.value else { continue };
            let (from, to) = match value {
                Value::Range(low, high) => (low, high),
                Value::Exact(value) | Value::Above(value) | Value::Below(value) => (0.0, value),
            };
            let middle = MARGIN + (row as f64 + 0.5) * slot;
            let left = middle - all / 2.0 + index as f64 * lane;
            let corners = [(left, height(from)), (left + lane * 0.9, height(to))];
            sheet.rectangle(corners, Role::Bar, "");
        }
        sheet.close();
    }
}

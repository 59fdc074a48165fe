//! Every sample as a dot, with the estimate and its interval.

use super::frame::{Across, Frame, Order};
use super::palette::{Role, series_class};
use super::picture::{Picture, Point};
use super::sheet::Sheet;
use super::{ChartOrder, Drawing, Variant};
use crate::figure::Reader;
use crate::model::Value;

/// Height of the lane of one series in one row.
const LANE: f64 = 18.0;

/// Draws the dots: a lane for each series in each row, values from left to right.
pub(super) fn draw(
    reader: Reader<'_>,
    picture: &Picture,
    order: &ChartOrder,
    variant: Variant,
) -> Option<Drawing> {
    let span = picture.value_span(order.y_scale, order.from_zero, true)?;
    let frame = Frame::lying(&Order {
        width: variant.width(),
        height: picture.series.len() as f64 * LANE + 10.0,
        values: picture.value_axes(reader, span).to_vec(),
        value_title: picture.value_title.clone(),
        across: Across::Names(picture.rows.iter().map(|row| row.label.clone()).collect()),
        across_title: picture.rows_title.clone(),
        right: 10.0,
        overhang: (6.0, 0.0),
    });
    Some(Drawing::new(reader, frame.size, |sheet| {
        frame.draw(sheet);
        draw_rows(sheet, &frame, picture.rows.len());
        let count = picture.series.len() as f64;
        for (index, series) in picture.series.iter().enumerate() {
            sheet.open(series_class(index));
            for (row, point) in series.points.iter().enumerate() {
                let lane = (index as f64 - (count - 1.0) / 2.0) * LANE;
                draw_point(sheet, &frame, row as f64, lane, index, point);
            }
            sheet.close();
        }
        picture.has_series()
    }))
}

/// Thin lines between the rows.
fn draw_rows(sheet: &Sheet<'_>, frame: &Frame, rows: usize) {
    sheet.open("grid");
    for row in 1..rows {
        let y = frame.top + row as f64 * frame.slot();
        sheet.rule((0.0, y), (frame.right, y), Role::Grid, "");
    }
    sheet.close();
}

fn draw_point(sheet: &Sheet<'_>, frame: &Frame, row: f64, lane: f64, series: usize, point: &Point) {
    let place = |value: f64| {
        let (x, y) = frame.place(row, value);
        (x, y + lane)
    };
    let Some(value) = point.value else {
        sheet.missing(place(frame.base()), &point.title);
        return;
    };
    if let Some((low, high)) = point.interval {
        sheet.rule(place(low), place(high), Role::Whisker, "");
    }
    match value {
        Value::Range(low, high) => {
            sheet.rule(place(low), place(high), Role::Whisker, &point.title);
            sheet.point(place(low), series, &point.title);
            sheet.point(place(high), series, &point.title);
        }
        Value::Above(bound) | Value::Below(bound) => {
            let step = if matches!(value, Value::Above(_)) {
                7.0
            } else {
                -7.0
            };
            let (x, y) = place(bound);
            sheet.point((x, y), series, &point.title);
            sheet.arrow((x + 2.0 * step, y), (step, 0.0));
        }
        Value::Exact(value) if point.samples.len() < 2 => {
            sheet.point(place(value), series, &point.title);
        }
        Value::Exact(value) => {
            for (index, sample) in point.samples.iter().enumerate() {
                // Equal samples would hide each other: they step aside in a fixed pattern.
                let aside = ((index * 7) % 5) as f64 * 1.5 - 3.0;
                let (x, y) = place(*sample);
                sheet.dot((x, y + aside), "");
            }
            let (x, y) = place(value);
            sheet.rule((x, y - 7.0), (x, y + 7.0), Role::Median, &point.title);
        }
    }
}

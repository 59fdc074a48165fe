//! Bars side by side, from zero; ranges float, bounds carry an arrow.

use super::canvas::Anchor;
use super::frame::{Across, Frame, Order};
use super::layout::names_fit;
use super::letters::{LINE, SIZE, width};
use super::palette::{Role, series_class};
use super::picture::{Picture, Point};
use super::sheet::{LabelBox, Place, Sheet};
use super::{ChartOrder, Drawing, Scale, Variant};
use crate::figure::Reader;
use crate::model::Value;

/// Thickness of a lying bar.
const THICK: f64 = 16.0;
/// Distance of a label from its bar.
const GAP: f64 = 5.0;
/// Reach of an arrowhead.
const ARROW: f64 = 7.0;

/// Draws the bars: upright if their names have room, unless they shall lie.
pub(super) fn draw(
    reader: Reader<'_>,
    picture: &Picture,
    order: &ChartOrder,
    variant: Variant,
    lying: bool,
) -> Option<Drawing> {
    let log = order.y_scale == Scale::Log;
    let scale = if log { Scale::Log } else { Scale::Linear };
    let span = picture.value_span(scale, true, false)?;
    let names: Vec<String> = picture.rows.iter().map(|row| row.label.clone()).collect();
    let slot = (variant.width() - 60.0) / names.len().max(1) as f64;
    let thickness = slot * 0.8 / picture.series.len().max(1) as f64;
    let lying = lying || !names_fit(&names, slot, 2) || thickness < 9.0;
    let labels = labels(picture, lying, thickness, variant.width() * 0.3);
    let room = |low_side: bool| {
        let all = picture
            .points()
            .flat_map(|point| label_sides(point, labels));
        all.filter(|(low, _)| *low == low_side)
            .map(|(_, text)| width(&text))
            .fold(0.0, f64::max)
    };
    let (low_room, high_room) = (room(true), room(false));
    let frame_order = Order {
        width: variant.width(),
        height: if lying {
            picture.series.len() as f64 * (THICK + 2.0) + 10.0
        } else {
            variant.height()
        },
        values: picture.value_axes(reader, span).to_vec(),
        value_title: picture.value_title.clone(),
        across: Across::Names(names),
        across_title: picture.rows_title.clone(),
        right: if lying && high_room > 0.0 {
            high_room + GAP + ARROW
        } else {
            4.0
        },
        overhang: match (lying, low_room > 0.0, high_room > 0.0) {
            (true, true, _) => (low_room + GAP + ARROW, 0.0),
            (true, false, _) => (0.0, 0.0),
            (false, low, high) => (if low { LINE } else { 0.0 }, if high { LINE } else { 0.0 }),
        },
    };
    let frame = if lying {
        Frame::lying(&frame_order)
    } else {
        Frame::upright(&frame_order)
    };
    Some(Drawing::new(reader, frame.size, |sheet| {
        frame.draw(sheet);
        let bars = Bars {
            sheet,
            frame: &frame,
            series: picture.series.len(),
        };
        for (index, series) in picture.series.iter().enumerate() {
            sheet.open(series_class(index));
            for (row, point) in series.points.iter().enumerate() {
                bars.bar(row, index, point);
            }
            sheet.close();
        }
        sheet.open("bar-labels");
        for (index, series) in picture.series.iter().enumerate() {
            for (row, point) in series.points.iter().enumerate() {
                bars.words(row, index, point, labels);
            }
        }
        sheet.close();
        picture.has_series()
    }))
}

/// Which labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Labels {
    All,
    RangesOnly,
    None,
}

/// Labels are written where all of them fit: a few would look like a choice.
fn labels(picture: &Picture, lying: bool, thickness: f64, most: f64) -> Labels {
    let widest = picture
        .points()
        .filter(|point| point.value.is_some())
        .map(|point| width(&point.short))
        .fold(0.0, f64::max);
    if widest > most {
        Labels::None
    } else if lying || widest <= thickness + 4.0 {
        Labels::All
    } else if picture.series.len() == 1 {
        Labels::RangesOnly
    } else {
        Labels::None
    }
}

/// The labels of a point: whether on the side of low values, and the text.
fn label_sides(point: &Point, labels: Labels) -> Vec<(bool, String)> {
    match (point.value, labels) {
        (None, _) | (_, Labels::None) => Vec::new(),
        (Some(Value::Range(..)), _) => {
            let (low, high) = point.ends.clone().unwrap_or_default();
            vec![(true, low), (false, high)]
        }
        (_, Labels::RangesOnly) => Vec::new(),
        (Some(Value::Exact(value) | Value::Above(value) | Value::Below(value)), Labels::All) => {
            vec![(value < 0.0, point.short.clone())]
        }
    }
}

struct Bars<'a, 'b> {
    sheet: &'a Sheet<'b>,
    frame: &'a Frame,
    series: usize,
}

impl Bars<'_, '_> {
    /// Thickness of a bar and the distance of its middle from the row's.
    fn lane(&self, series: usize) -> (f64, f64) {
        let slot = self.frame.slot();
        let count = self.series as f64;
        let lane = if self.frame.lying {
            THICK + 2.0
        } else {
            (slot * 0.8 / count).min(64.0)
        };
        let thick = if self.frame.lying {
            THICK
        } else {
            lane - (lane * 0.1).min(2.0)
        };
        (thick, (series as f64 - (count - 1.0) / 2.0) * lane)
    }

    fn shift(&self, (x, y): Place, across: f64, along: f64) -> Place {
        if self.frame.lying {
            (x + along, y + across)
        } else {
            (x + across, y - along)
        }
    }

    fn ends(&self, row: usize, value: Value) -> (Place, Place) {
        let (from, to) = match value {
            Value::Range(low, high) => (low, high),
            Value::Exact(value) | Value::Above(value) | Value::Below(value) => {
                (self.frame.base(), value)
            }
        };
        (
            self.frame.place(row as f64, from),
            self.frame.place(row as f64, to),
        )
    }

    fn bar(&self, row: usize, series: usize, point: &Point) {
        let (thick, lane) = self.lane(series);
        let Some(value) = point.value else { return };
        let (from, to) = self.ends(row, value);
        let corners = [
            self.shift(from, lane - thick / 2.0, 0.0),
            self.shift(to, lane + thick / 2.0, 0.0),
        ];
        self.sheet.rectangle(corners, Role::Bar, &point.title);
        let step = match value {
            Value::Above(_) => ARROW,
            Value::Below(_) => -ARROW,
            _ => return,
        };
        let tip = self.shift(to, lane, step);
        let origin = self.shift(to, lane, 0.0);
        self.sheet.arrow(tip, (tip.0 - origin.0, tip.1 - origin.1));
    }

    /// What stands beside a bar: interval, labels, or the mark of a missing value.
    fn words(&self, row: usize, series: usize, point: &Point, labels: Labels) {
        let (_, lane) = self.lane(series);
        let Some(value) = point.value else {
            self.missing(row, lane, point);
            return;
        };
        let mut clear = 0.0;
        if let Some((low, high)) = point.interval {
            let from = self.shift(self.frame.place(row as f64, low), lane, 0.0);
            let to = self.shift(self.frame.place(row as f64, high), lane, 0.0);
            self.sheet.rule(from, to, Role::Whisker, "");
            let (_, end) = self.ends(row, value);
            clear = if self.frame.lying {
                to.0 - end.0
            } else {
                end.1 - to.1
            };
        }
        let (from, to) = self.ends(row, value);
        for (low_side, text) in label_sides(point, labels) {
            let arrow = if matches!(value, Value::Above(_) | Value::Below(_)) {
                ARROW
            } else {
                0.0
            };
            let end = if low_side && matches!(value, Value::Range(..)) {
                from
            } else {
                to
            };
            self.label(
                self.shift(end, lane, 0.0),
                low_side,
                clear.max(0.0) + arrow,
                text,
            );
        }
    }

    fn label(&self, (x, y): Place, low_side: bool, clear: f64, text: String) {
        let (place, anchor) = match (self.frame.lying, low_side) {
            (true, false) => ((x + clear + GAP, y + SIZE * 0.35), Anchor::Start),
            (true, true) => ((x - clear - GAP, y + SIZE * 0.35), Anchor::End),
            (false, false) => ((x, y - clear - GAP), Anchor::Middle),
            (false, true) => ((x, y + clear + SIZE * 0.8 + GAP), Anchor::Middle),
        };
        let lines = [text];
        if self
            .sheet
            .is_free(&LabelBox::of(&lines, place.0, place.1, anchor))
        {
            self.sheet.words(place, &lines, anchor, "label", "");
        }
    }

    fn missing(&self, row: usize, lane: f64, point: &Point) {
        let base = self.frame.place(row as f64, self.frame.base());
        let place = self.shift(base, lane, 9.0);
        self.sheet.missing(place, &point.title);
        if !self.frame.lying {
            return;
        }
        // To the right of the mark, or to its left where that is taken.
        let lines = [point.short.clone()];
        for (step, anchor) in [(9.0, Anchor::Start), (-9.0, Anchor::End)] {
            let at = (place.0 + step, place.1 + SIZE * 0.35);
            if self
                .sheet
                .is_free(&LabelBox::of(&lines, at.0, at.1, anchor))
            {
                self.sheet
                    .words(at, &lines, anchor, "label missing-label", "");
                break;
            }
        }
    }
}

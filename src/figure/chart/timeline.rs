//! Samples over the time since their run began.

use super::frame::{Across, Frame, Order};
use super::palette::series_class;
use super::ticks::{self, Span};
use super::{ChartOrder, Drawing, Scale, TARGETS, Variant};
use crate::analysis::{Pivot, observations};
use crate::figure::format::Notation;
use crate::figure::{Reader, format};
use crate::model::{Observation, Value};

/// Samples of the series of a pivot with their place in time.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    /// A name and samples for each column: time, value, words.
    pub series: Vec<(String, Vec<Moment>)>,
    /// Whether places are seconds; else they are places in the run's order.
    pub timed: bool,
}

/// A sample with its place in time.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    at: f64,
    value: f64,
    title: String,
}

impl Timeline {
    /// Finds the samples that a pivot's query selects.
    pub(super) fn new(reader: Reader<'_>, pivot: &Pivot) -> Self {
        let chosen = observations(reader.experiment, &pivot.query);
        let at = |it: &Observation| it.result.as_ref().ok().and_then(|sample| sample.at);
        let timed = chosen.iter().any(|it| at(it).is_some());
        let mut series: Vec<(String, Vec<Moment>)> = (pivot.columns.levels.iter())
            .map(|level| {
                let label = pivot
                    .columns
                    .factor
                    .map(|factor| format::level(reader, factor, *level));
                (label.unwrap_or_default(), Vec::new())
            })
            .collect();
        for (order, observation) in chosen.into_iter().enumerate() {
            let Ok(sample) = &observation.result else {
                continue;
            };
            let Value::Exact(value) = sample.value else {
                continue;
            };
            let place = if timed {
                sample.at
            } else {
                Some(sample.order.map_or(order as f64, f64::from))
            };
            let (Some(at), Some(column)) = (place, column(reader, pivot, observation)) else {
                continue;
            };
            if at.is_finite() && value.is_finite() {
                let title = title(reader, pivot, observation, value);
                series[column].1.push(Moment { at, value, title });
            }
        }
        for (_, moments) in &mut series {
            moments.sort_by(|a, b| a.at.total_cmp(&b.at));
        }
        Self { series, timed }
    }
}

fn levels<'a>(reader: Reader<'a>, observation: &Observation) -> &'a [u32] {
    reader
        .experiment
        .cases
        .get(observation.case as usize)
        .map_or(&[], |case| case)
}

fn column(reader: Reader<'_>, pivot: &Pivot, observation: &Observation) -> Option<usize> {
    let Some(factor) = pivot.columns.factor else {
        return Some(0);
    };
    let level = *levels(reader, observation).get(factor)? as usize;
    pivot.columns.levels.iter().position(|it| *it == level)
}

fn title(reader: Reader<'_>, pivot: &Pivot, observation: &Observation, value: f64) -> String {
    let case = levels(reader, observation);
    let names: Vec<String> = [pivot.columns.factor, pivot.rows.factor]
        .into_iter()
        .flatten()
        .filter_map(|factor| Some(format::level(reader, factor, *case.get(factor)? as usize)))
        .collect();
    let value = format::value(reader, pivot.query.metric, Value::Exact(value));
    if names.is_empty() {
        value
    } else {
        format!("{}: {value}", names.join(", "))
    }
}

/// Draws the samples.
pub(super) fn draw(
    reader: Reader<'_>,
    pivot: &Pivot,
    timeline: &Timeline,
    order: &ChartOrder,
    variant: Variant,
) -> Option<Drawing> {
    let moments = || timeline.series.iter().flat_map(|(_, moments)| moments);
    let reach = |of: fn(&Moment) -> f64| {
        let low = moments().map(of).fold(f64::INFINITY, f64::min);
        let high = moments().map(of).fold(f64::NEG_INFINITY, f64::max);
        (low <= high).then_some((low, high))
    };
    let (low, high) = reach(|it| it.value)?;
    let (start, end) = reach(|it| it.at)?;
    let log = match order.y_scale {
        Scale::Log => true,
        Scale::Linear => false,
        Scale::Auto => low > 0.0 && high / low >= 100.0,
    };
    let notation = if timeline.timed {
        Notation::Duration
    } else {
        Notation::Number(1.0)
    };
    let room = ((end - start) * 0.02).max(1e-9);
    let time = Span {
        low: (start - room).max(0f64.min(start)),
        high: end + room,
        log: false,
        zero: false,
        round: false,
    };
    let metric = reader.metric(pivot.query.metric);
    let span = Span {
        low,
        high,
        log,
        zero: order.from_zero,
        round: true,
    };
    let frame = Frame::upright(&Order {
        width: variant.width(),
        height: variant.height(),
        values: ticks::axes(reader, format::notation(metric), span, &TARGETS),
        value_title: format::metric_head(reader, pivot.query.metric),
        across: Across::Values(ticks::axes(reader, notation, time, &[8, 6, 4, 3, 2])),
        across_title: reader
            .words(if timeline.timed {
                "time-axis"
            } else {
                "figure-order"
            })
            .to_owned(),
        right: 8.0,
        overhang: (0.0, 0.0),
    });
    Some(Drawing::new(reader, frame.size, |sheet| {
        frame.draw(sheet);
        for (index, (_, moments)) in timeline.series.iter().enumerate() {
            sheet.open(series_class(index));
            for moment in moments {
                sheet.point(frame.place(moment.at, moment.value), index, &moment.title);
            }
            sheet.close();
        }
        timeline.series.len() > 1
    }))
}

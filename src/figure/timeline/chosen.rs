//! The readings that a timeline shows: of each case those of one trial, with what limits them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Reader;
use super::super::cases::Cases;
use super::LIMITS;
use super::plots::{Plot, plots};
use crate::analysis::trial::step_factor;
use crate::analysis::{Trial, summary, thinned};
use crate::model::{Reading, Series};

/// Of each line so many stretches of time keep their extremes: on a plot of its own, and on small ones.
const STRETCHES: [usize; 2] = [100, 60];
/// A limit further away than so many times the largest reading would press the lines together.
const FAR: f64 = 2.0;
/// Up to so many plots stand side by side.
const MOST_PLOTS: usize = 12;

/// A line: the readings of one trial.
pub(super) struct Line<'a> {
    pub(super) trial: &'a Trial,
    /// Seconds since the trial's first reading, and the figure.
    pub(super) readings: Vec<(f64, f64)>,
    pub(super) limit: Vec<(f64, f64)>,
    /// What stands out among all readings, before they are thinned.
    pub(super) found: Extremes,
}

/// Everything that is shown.
pub(super) struct Shown<'a> {
    /// The lines, by their cases.
    pub(super) lines: Vec<Line<'a>>,
    pub(super) cases: Cases,
    /// The plots, whose lines are indices.
    pub(super) plots: Vec<Plot>,
    /// Cases that have no place left.
    pub(super) left_out: usize,
    /// Whether a limit is so far away that it isn't drawn.
    pub(super) far: bool,
}

/// The readings of a series in the trials that were chosen; nothing where none of them has any.
pub(super) fn shown<'a>(
    reader: Reader<'_>,
    run: usize,
    key: &str,
    chosen: &[&'a Trial],
) -> Option<Shown<'a>> {
    let watched = &reader.experiment.runs.get(run)?.series;
    let limit = LIMITS.iter().find(|(of, _)| *of == key);
    let mut found: BTreeMap<u32, [Option<&Series>; 2]> = BTreeMap::new();
    let mut starts: BTreeMap<u32, f64> = BTreeMap::new();
    for series in watched {
        // The clock of a trial begins with its first reading, of whatever series.
        let first = series
            .readings
            .iter()
            .map(|it| it.at)
            .fold(f64::INFINITY, f64::min);
        let start = starts.entry(series.order).or_insert(first);
        *start = start.min(first);
        if series.key == key {
            found.entry(series.order).or_default()[0] = Some(series);
        } else if limit.is_some_and(|(_, limit)| series.key == *limit) {
            found.entry(series.order).or_default()[1] = Some(series);
        }
    }
    let places = |readings: &[Reading], start: f64| -> Vec<(f64, f64)> {
        let finite = |it: &&Reading| it.at.is_finite() && it.value.is_finite();
        let kept = readings.iter().filter(finite);
        kept.map(|it| (it.at - start, it.value)).collect()
    };
    let line = |trial: &&'a Trial| {
        let [own, limit] = found.get(&trial.order)?;
        let start = *starts.get(&trial.order)?;
        let readings = places(&own.as_ref()?.readings, start);
        Some(Line {
            trial,
            found: extremes(&readings)?,
            readings,
            limit: limit.map_or_else(Vec::new, |limit| places(&limit.readings, start)),
        })
    };
    let mut lines: Vec<Line<'_>> = chosen.iter().filter_map(line).collect();
    // Single readings have no course.
    if lines.iter().all(|line| line.readings.len() < 2) {
        return None;
    }
    let levels = lines.iter().map(|line| &*line.trial.levels);
    let cases = Cases::new(levels, step_factor(reader.experiment));
    let mut plots = plots(reader, &cases, &lines);
    plots.truncate(MOST_PLOTS);
    let left_out = keep_drawn(&mut lines, &mut plots);
    let highest = |points: &[(f64, f64)]| points.iter().map(|it| it.1).fold(0.0, f64::max);
    let top = lines.iter().map(|it| it.found.high).fold(0.0, f64::max);
    let mut far = false;
    let stretches = STRETCHES[usize::from(plots.len() > 1)];
    for line in &mut lines {
        line.readings = thinned(&line.readings, stretches);
        if highest(&line.limit) > FAR * top {
            far = true;
            line.limit.clear();
        }
        line.limit = thinned(&bends(&line.limit), stretches);
    }
    Some(Shown {
        lines,
        cases,
        plots,
        left_out,
        far,
    })
}

/// Leaves out lines that are on no plot; answers how many.
fn keep_drawn(lines: &mut Vec<Line<'_>>, plots: &mut [Plot]) -> usize {
    let drawn: BTreeSet<usize> = plots.iter().flat_map(|plot| &plot.lines).copied().collect();
    let places: BTreeMap<usize, usize> = drawn.iter().copied().zip(0..).collect();
    let before = lines.len();
    let mut index = 0..;
    lines.retain(|_| index.next().is_some_and(|index| drawn.contains(&index)));
    for line in plots.iter_mut().flat_map(|plot| &mut plot.lines) {
        *line = places.get(line).copied().unwrap_or_default();
    }
    before - lines.len()
}

/// A line without the points between two of the same value.
fn bends(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let level = |place: usize| {
        let around = place
            .checked_sub(1)
            .and_then(|before| Some((points.get(before)?.1, points.get(place + 1)?.1)));
        around == Some((points[place].1, points[place].1))
    };
    let kept = (0..points.len()).filter(|place| !level(*place));
    kept.map(|place| points[place]).collect()
}

/// The readings that stand out: smallest, median, largest, and when that was first.
pub(super) struct Extremes {
    pub(super) low: f64,
    pub(super) middle: f64,
    pub(super) high: f64,
    pub(super) at: f64,
    /// When the last reading was.
    pub(super) end: f64,
}

fn extremes(readings: &[(f64, f64)]) -> Option<Extremes> {
    let values: Vec<f64> = readings.iter().map(|it| it.1).collect();
    let order = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0));
    let highest = readings.iter().max_by(order)?;
    Some(Extremes {
        low: values.iter().copied().fold(f64::INFINITY, f64::min),
        middle: summary::median(&values)?,
        high: highest.1,
        at: highest.0,
        end: readings.last()?.0,
    })
}

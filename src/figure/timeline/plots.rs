//! How the lines of a timeline are spread over plots, so that each can be followed.

use std::collections::BTreeMap;

use super::super::cases::Cases;
use super::super::chart::{Course, Panel, Spot, Strand};
use super::super::format::Notation;
use super::super::series::Named;
use super::super::{Reader, format};
use super::chosen::{Line, Shown};

/// Up to so many lines share a plot, whatever they are.
const FEW: usize = 5;
/// Up to so many share one if they can't be spread.
const MOST_LINES: usize = 8;
/// Lines that are so many times as long as others press those to the side.
const UNEVEN: f64 = 4.0;
/// Lines that are so many times as high as others press those to the ground.
const FLAT: f64 = 10.0;

/// Lines that share a plot, and its title; that of the only one is empty.
pub(super) struct Plot {
    pub(super) title: String,
    /// Indices of lines.
    pub(super) lines: Vec<usize>,
}

/// Spreads lines over plots: all on one, else by the levels of a factor, else each on its own.
pub(super) fn plots(reader: Reader<'_>, cases: &Cases, lines: &[Line<'_>]) -> Vec<Plot> {
    let all = || {
        vec![Plot {
            title: String::new(),
            lines: (0..lines.len()).collect(),
        }]
    };
    let spread = match along(reader, cases) {
        _ if lines.len() <= FEW => all(),
        Some(factor) => spread(reader, cases, factor, lines),
        None if lines.len() <= MOST_LINES => all(),
        None => each(reader, cases, lines),
    };
    let uneven = |plot: &Plot| {
        let own = || plot.lines.iter().map(|line| &lines[*line]);
        is_uneven(own().map(|it| it.found.end), UNEVEN)
            || is_uneven(own().map(|it| it.found.high), FLAT)
    };
    if spread.iter().any(uneven) {
        return each(reader, cases, lines);
    }
    spread
}

/// Whether some figures are more than so many times others; zeros say nothing.
fn is_uneven(figures: impl Iterator<Item = f64>, times: f64) -> bool {
    let positive = figures.filter(|it| *it > 0.0);
    let ends = positive.fold((f64::INFINITY, 0.0_f64), |(least, most), it| {
        (least.min(it), most.max(it))
    });
    ends.1 > times * ends.0
}

/// The factor whose levels are the lines of every plot.
fn along(reader: Reader<'_>, cases: &Cases) -> Option<usize> {
    let levels = |factor: &usize| reader.factor(*factor).levels.len();
    let varying = cases.varying().iter().copied();
    let fitting = varying.filter(|factor| levels(factor) <= MOST_LINES);
    let most = fitting.max_by_key(|factor| (levels(factor), std::cmp::Reverse(*factor)));
    most.filter(|_| cases.varying().len() > 1)
}

fn each(reader: Reader<'_>, cases: &Cases, lines: &[Line<'_>]) -> Vec<Plot> {
    let plot = |(index, line)| Plot {
        title: title(reader, cases, line),
        lines: vec![index],
    };
    lines.iter().enumerate().map(plot).collect()
}

/// A plot for each case of the factors beside the one that the lines of a plot differ in.
fn spread(reader: Reader<'_>, cases: &Cases, factor: usize, lines: &[Line<'_>]) -> Vec<Plot> {
    let rest = cases.without(factor);
    let mut plots: BTreeMap<Vec<u32>, Plot> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let mut key = line.trial.levels.to_vec();
        key[factor] = 0;
        let plot = plots.entry(key).or_insert_with(|| Plot {
            title: title(reader, &rest, line),
            lines: Vec::new(),
        });
        plot.lines.push(index);
    }
    plots.into_values().collect()
}

fn title(reader: Reader<'_>, cases: &Cases, line: &Line<'_>) -> String {
    match cases.varying() {
        [factor] => {
            let level = line.trial.levels.get(*factor).copied().unwrap_or_default();
            format::place(reader, *factor, level as usize)
        }
        _ => cases.name(reader, &line.trial.levels),
    }
}

/// The picture of all plots.
pub(super) fn course(reader: Reader<'_>, named: &Named, title: &str, shown: &Shown<'_>) -> Course {
    let alone = shown.plots.iter().all(|plot| plot.lines.len() == 1);
    let along = match shown.plots.len() {
        1 => None,
        _ => along(reader, &shown.cases).filter(|_| !alone),
    };
    let (label, names): (String, Vec<String>) = match along {
        _ if alone => Default::default(),
        None => {
            let lines = shown.lines.iter();
            let names = lines.map(|line| shown.cases.name(reader, &line.trial.levels));
            (shown.cases.title(reader), names.collect())
        }
        Some(factor) => {
            let levels = 0..reader.factor(factor).levels.len();
            let names = levels.map(|level| format::level(reader, factor, level));
            (format::factor_label(reader, factor), names.collect())
        }
    };
    let series = |index: usize| match along {
        _ if alone => 0,
        None => index,
        Some(factor) => shown.lines[index].trial.levels[factor] as usize,
    };
    let panel = |plot: &Plot| Panel {
        title: plot.title.clone(),
        strands: (plot.lines.iter())
            .map(|index| strand(series(*index), &shown.lines[*index]))
            .collect(),
    };
    Course {
        kind: "timeline",
        title: title.to_owned(),
        series: (label, names),
        panels: shown.plots.iter().map(panel).collect(),
        joined: true,
        dotted: false,
        values: (named.head.clone(), named.notation),
        across: (reader.words("trial-time").to_owned(), Notation::Duration),
        apart: differ(shown, |line| line.found.end, UNEVEN),
        own_values: differ(shown, |line| line.found.high, FLAT),
        whole: false,
        whole_values: named.is_count() && shown.lines.iter().all(are_whole),
        from_zero: true,
        across_from_zero: true,
        borders: Vec::new(),
    }
}

/// Whether something was counted at each reading: half a connection is never seen.
fn are_whole(line: &Line<'_>) -> bool {
    line.readings.iter().all(|(_, value)| value.fract() == 0.0)
}

/// Whether the plots differ so much in the highest of a figure that each has its own axis for it.
fn differ(shown: &Shown<'_>, figure: impl Fn(&Line<'_>) -> f64, times: f64) -> bool {
    let highest = |plot: &Plot| {
        let lines = plot.lines.iter().map(|it| figure(&shown.lines[*it]));
        lines.fold(0.0, f64::max)
    };
    is_uneven(shown.plots.iter().map(highest), times)
}

fn strand(series: usize, line: &Line<'_>) -> Strand {
    let spot = |&(across, value): &(f64, f64)| Spot {
        across,
        value,
        title: String::new(),
        reach: None,
    };
    Strand {
        series,
        points: line.readings.iter().map(spot).collect(),
        limit: line.limit.clone(),
    }
}

//! One place of a pivot: what many observations of the same case say together.

use super::interval::{self, Interval};
use super::summary::{Samples, mean_of, quantile_of_sorted};
use super::{Method, Statistic};
use crate::model::{Experiment, Missing, MissingReason, Place, Value};

/// What is known of one case (or of the cases a query folds into one place).
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The estimate, or why there is none.
    pub estimate: Result<Estimate, Missing>,
    /// Every sample with an exact value, in file order, in base units.
    pub samples: Vec<f64>,
    /// The block of each sample, beside `samples`; empty where one is unknown.
    pub blocks: Box<[u32]>,
    /// Where the values stand, in file order: beside `samples` one by one, unless there are ranges
    /// or bounds too. Without values, where their absence is stated.
    pub places: Vec<Place>,
    /// Index of the run the values come from, if there are any.
    pub run: Option<usize>,
}

/// A figure with what is known of its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure in base units of the metric; a range or bound only when the data hold one.
    pub value: Value,
    /// 95 % interval; `None` when fewer than three samples exist, for extremes (their spread can't
    /// be told from the samples), and for ranges and bounds, which are their own interval.
    pub interval: Option<Interval>,
    /// Number of samples.
    pub n: usize,
}

impl Cell {
    /// A case without any row.
    pub(super) fn missing(reason: MissingReason) -> Self {
        Self {
            estimate: Err(Missing::new(reason)),
            samples: Vec::new(),
            blocks: Box::default(),
            places: Vec::new(),
            run: None,
        }
    }

    /// Folds observations, given by their numbers in file order: values beat missing replicates, the
    /// first reason stands for all; without any, the definition says why.
    pub(super) fn fold(experiment: &Experiment, members: &[u32], statistic: Statistic) -> Self {
        let observations = || {
            members
                .iter()
                .map(|&it| &experiment.observations[it as usize])
        };
        let Some(first) = observations().next() else {
            return Self::missing(experiment.definition.missing);
        };
        let mut samples = Vec::with_capacity(members.len());
        let mut places = Vec::with_capacity(members.len());
        let mut blocks = Vec::new();
        let mut open = Vec::new();
        let mut run = None;
        for observation in observations() {
            let Ok(sample) = &observation.result else {
                continue;
            };
            places.push(observation.place);
            run.get_or_insert(observation.run as usize);
            match sample.value {
                Value::Exact(figure) => {
                    samples.push(figure);
                    blocks.extend(sample.block);
                }
                value => open.push(value),
            }
        }
        if let (true, Err(missing)) = (places.is_empty(), &first.result) {
            places.extend(observations().map(|it| it.place));
            return Self {
                estimate: Err(missing.clone()),
                samples,
                blocks: Box::default(),
                places,
                run,
            };
        }
        if blocks.len() < samples.len() {
            blocks = Vec::new();
        }
        let estimate = estimate(&samples, &open, statistic);
        Self {
            estimate: estimate.ok_or(Missing::new(MissingReason::Timeout)),
            samples,
            blocks: blocks.into_boxed_slice(),
            places,
            run,
        }
    }
}

/// The estimate that exact samples, ranges and bounds allow; `None` when bounds on both sides leave
/// everything open.
fn estimate(exact: &[f64], open: &[Value], statistic: Statistic) -> Option<Estimate> {
    match (exact, open) {
        (_, []) => {}
        ([], &[value]) => {
            let n = 1;
            return Some(Estimate {
                value,
                interval: None,
                n,
            });
        }
        _ => return hull(exact, open, statistic),
    }
    let samples = Samples::new(exact)?;
    let interval = match statistic {
        Statistic::Median => interval::of_median(&samples),
        Statistic::Mean => interval::of_mean(&samples),
        Statistic::Min | Statistic::Max => None,
    };
    Some(Estimate {
        value: Value::Exact(samples.statistic(statistic)),
        interval,
        n: samples.len(),
    })
}

/// The tightest value that holds the statistic, whatever the figures behind ranges and bounds are.
///
/// Every statistic here rises with each of its samples, so its smallest and largest possible values
/// are those of all lower and of all upper ends. A median of nine runs with one timeout is therefore
/// exact, and only a majority of timeouts leaves it open upwards.
fn hull(exact: &[f64], open: &[Value], statistic: Statistic) -> Option<Estimate> {
    let n = exact.len() + open.len();
    let both = exact
        .iter()
        .map(|&figure| Value::Exact(figure))
        .chain(open.iter().copied());
    let (mut lows, mut highs): (Vec<f64>, Vec<f64>) = both.map(ends).unzip();
    lows.sort_unstable_by(f64::total_cmp);
    highs.sort_unstable_by(f64::total_cmp);
    let (low, high) = (of_sorted(&lows, statistic), of_sorted(&highs, statistic));
    let value = match (low.is_finite(), high.is_finite()) {
        (true, true) if low == high => Value::Exact(low),
        (true, true) => Value::Range(low, high),
        (true, false) => Value::Above(low),
        (false, true) => Value::Below(high),
        (false, false) => return None,
    };
    let interval = match (value, statistic) {
        (Value::Exact(_), Statistic::Median) if n >= 5 => {
            let (low, high) = (interval::bootstrap(&lows).0, interval::bootstrap(&highs).1);
            let known = low.is_finite() && high.is_finite();
            known.then_some(Interval {
                low,
                high,
                method: Method::Bootstrap,
            })
        }
        _ => None,
    };
    Some(Estimate { value, interval, n })
}

/// The lowest and the highest figure that a value allows.
pub(super) fn ends(value: Value) -> (f64, f64) {
    match value {
        Value::Exact(figure) => (figure, figure),
        Value::Range(low, high) => (low.min(high), low.max(high)),
        Value::Above(low) => (low, f64::INFINITY),
        Value::Below(high) => (f64::NEG_INFINITY, high),
    }
}

/// A statistic of ascending values that may be infinite at one end.
fn of_sorted(sorted: &[f64], statistic: Statistic) -> f64 {
    match statistic {
        Statistic::Median => quantile_of_sorted(sorted, 0.5),
        Statistic::Mean => mean_of(sorted),
        Statistic::Min => sorted[0],
        Statistic::Max => sorted[sorted.len() - 1],
    }
}

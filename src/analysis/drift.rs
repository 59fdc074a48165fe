//! Whether a run drifts: later measurements against earlier ones of the same case.

use std::collections::BTreeMap;

use super::correlation::{Association, spearman_within};
use super::summary::median;
use super::trial::{Trial, trials};
use crate::model::Experiment;

/// How a metric went over the order of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Drift {
    /// The trials in their order.
    pub moments: Vec<Moment>,
    /// Whether deviations are shares of the case's median; else they are differences from it, because
    /// a value isn't positive.
    pub relative: bool,
    /// How deviations go with the order, within each case; `None` where no case was measured twice.
    pub association: Option<Association>,
    /// How the cases were ordered.
    pub order: Sequence,
}

/// One trial and how far it is from the others of its case.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The trial.
    pub trial: Trial,
    /// Its figure; none where it has one for each of several steps.
    pub value: Option<f64>,
    /// How far it is from the median of its case; over several steps, their mean.
    pub deviation: f64,
}

/// How the cases of the blocks of a run stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sequence {
    /// Not in the same order in every block.
    Drawn,
    /// In the same order in every block.
    Fixed,
    /// It isn't known, or there is only one block or case.
    Unknown,
}

/// Looks for a drift of a metric over a run. `None` where no value has a place in the order.
///
/// Values are compared with those of the same case only, so that what the cases do plays no part; the
/// blocks of a randomised plan then spread whatever changes in time over all cases alike.
pub fn drift(experiment: &Experiment, run: usize, metric: usize) -> Option<Drift> {
    let mut trials: Vec<Trial> = trials(experiment, run, &[]).into_values().collect();
    for trial in &mut trials {
        trial.values.retain(|(_, it, _)| *it as usize == metric);
    }
    trials.retain(|trial| !trial.values.is_empty());
    let mut by_case: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (case, _, value) in trials.iter().flat_map(|trial| &trial.values) {
        by_case.entry(*case).or_default().push(*value);
    }
    let relative = by_case.values().flatten().all(|value| *value > 0.0);
    let middles: BTreeMap<u32, f64> = by_case
        .iter()
        .filter_map(|(case, values)| Some((*case, median(values)?)))
        .collect();
    let deviation = |(case, _, value): &(u32, u32, f64)| {
        let middle = middles.get(case).copied().unwrap_or(*value);
        if relative {
            value / middle - 1.0
        } else {
            value - middle
        }
    };
    let moment = |trial: Trial| {
        let deviations: f64 = trial.values.iter().map(deviation).sum();
        Moment {
            value: match trial.values[..] {
                [(.., value)] => Some(value),
                _ => None,
            },
            deviation: deviations / trial.values.len() as f64,
            trial,
        }
    };
    let moments: Vec<Moment> = trials.into_iter().map(moment).collect();
    if moments.is_empty() {
        return None;
    }
    let cases = cases(&moments);
    let order: Vec<f64> = moments.iter().map(|it| f64::from(it.trial.order)).collect();
    let away: Vec<f64> = moments.iter().map(|it| it.deviation).collect();
    Some(Drift {
        association: spearman_within(&order, &away, &cases),
        order: sequence(&moments, &cases),
        relative,
        moments,
    })
}

/// The number of each moment's case.
fn cases(moments: &[Moment]) -> Vec<usize> {
    let mut known: BTreeMap<&[u32], usize> = BTreeMap::new();
    let mut numbers = Vec::with_capacity(moments.len());
    for moment in moments {
        let next = known.len();
        numbers.push(*known.entry(&moment.trial.levels).or_insert(next));
    }
    numbers
}

/// Whether the blocks hold their cases in one order.
fn sequence(moments: &[Moment], cases: &[usize]) -> Sequence {
    let mut blocks: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (moment, case) in moments.iter().zip(cases) {
        let Some(block) = moment.trial.block else {
            return Sequence::Unknown;
        };
        blocks.entry(block).or_default().push(*case);
    }
    let first: BTreeMap<usize, usize> = match blocks.pop_first() {
        Some((_, first)) if first.len() > 1 => first.into_iter().zip(0..).collect(),
        _ => return Sequence::Unknown,
    };
    if blocks.is_empty() {
        return Sequence::Unknown;
    }
    // A failed trial leaves a gap: what two blocks share has to stand in the same order.
    let agrees = |block: &Vec<usize>| block.iter().filter_map(|case| first.get(case)).is_sorted();
    if blocks.values().all(agrees) {
        Sequence::Fixed
    } else {
        Sequence::Drawn
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{experiment, observe};
    use super::*;
    use crate::model::{Direction, Value};

    /// Blocks of three cases; each block is an order of cases and a factor for its values.
    fn run(blocks: &[([u32; 3], f64)]) -> Experiment {
        let mut it = experiment(&[3], Direction::Higher);
        for (block, (cases, factor)) in blocks.iter().enumerate() {
            for (place, case) in cases.iter().enumerate() {
                let value = 100.0 * f64::from(case + 1) * factor;
                observe(&mut it, &[*case], 0, Ok(Value::Exact(value)));
                let sample = it.observations.last_mut().unwrap().result.as_mut().unwrap();
                sample.block = Some(block as u32);
                sample.order = Some((block * 3 + place) as u32);
            }
        }
        it
    }

    #[test]
    fn what_cases_do_is_no_drift() {
        let it = run(&[
            ([0, 1, 2], 1.00),
            ([2, 0, 1], 1.02),
            ([1, 0, 2], 0.99),
            ([0, 2, 1], 1.01),
        ]);
        let found = drift(&it, 0, 0).unwrap();
        assert!(found.relative && found.order == Sequence::Drawn);
        assert_eq!(found.moments.len(), 12);
        let association = found.association.unwrap();
        assert!(association.low < 0.0 && association.high > 0.0);
        assert!(found.moments.iter().all(|it| it.deviation.abs() < 0.03));
    }

    #[test]
    fn a_drift_shows_within_every_case() {
        let it = run(&[
            ([0, 1, 2], 1.0),
            ([0, 1, 2], 0.9),
            ([0, 1, 2], 0.8),
            ([0, 1, 2], 0.7),
        ]);
        let found = drift(&it, 0, 0).unwrap();
        assert_eq!(found.order, Sequence::Fixed);
        let association = found.association.unwrap();
        assert!(association.rho < -0.99 && association.high < 0.0);
        assert_eq!(association.n, 12);
    }

    #[test]
    fn one_block_shows_no_drift() {
        let found = drift(&run(&[([0, 1, 2], 1.0)]), 0, 0).unwrap();
        assert_eq!((found.association, found.order), (None, Sequence::Unknown));
        assert_eq!(drift(&run(&[]), 0, 0), None);
        assert_eq!(drift(&run(&[([0, 1, 2], 1.0)]), 0, 5), None);
    }

    #[test]
    fn values_that_are_not_positive_are_told_by_difference() {
        let it = run(&[([0, 1, 2], 1.0), ([0, 1, 2], 0.0), ([0, 1, 2], -1.0)]);
        let found = drift(&it, 0, 0).unwrap();
        assert!(!found.relative);
        assert_eq!(found.moments[2].deviation, 300.0);
    }
}

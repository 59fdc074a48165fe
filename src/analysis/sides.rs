//! Two runs, or two levels of one factor, side by side in every case that both have.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::{Comparison, adjust, compare};
use super::{Cell, PivotError, Statistic};
use crate::model::{Experiment, MissingReason};

/// One side of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// Index of the run; `None` takes all, which must then not meet in one case.
    pub run: Option<usize>,
    /// The level of the factor that is compared: index of the factor, index of the level.
    pub level: Option<(usize, usize)>,
}

/// A metric in a case that both sides have.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// The levels of the case; that of the compared factor is the old side's.
    pub levels: Box<[u32]>,
    /// Index of the metric.
    pub metric: usize,
    /// The old side.
    pub from: Cell,
    /// The new side.
    pub to: Cell,
    /// What the comparison says, held against chance together with all others; `None` where a side has
    /// no comparable value.
    pub comparison: Option<Comparison>,
}

impl Shared {
    /// Whether the new side has no value since it failed, or was given up, where the old one has one.
    pub fn is_lost(&self) -> bool {
        let lost = [MissingReason::Failed, MissingReason::Timeout];
        let missing = self.to.estimate.as_ref().err();
        self.from.estimate.is_ok() && missing.is_some_and(|it| lost.contains(&it.reason))
    }
}

/// Everything that two sides share.
#[derive(Debug, Clone, PartialEq)]
pub struct Sides {
    /// By metric, then by case.
    pub rows: Vec<Shared>,
    /// How many cases only the old and only the new side has, of any of the metrics.
    pub alone: [usize; 2],
}

/// Place among the metrics, levels of the case.
type CaseOfMetric = (usize, Box<[u32]>);

/// Compares every shared case in some metrics, median by median, as one family.
///
/// # Errors
/// When a side leaves its run open and several runs meet in a case.
pub fn side_by_side(
    experiment: &Experiment,
    [from, to]: [Side; 2],
    metrics: &[usize],
    threshold: f64,
) -> Result<Sides, PivotError> {
    let mut found: BTreeMap<CaseOfMetric, [Vec<u32>; 2]> = BTreeMap::new();
    for (number, observation) in (0_u32..).zip(&experiment.observations) {
        let metric = observation.metric as usize;
        let Some(place) = metrics.iter().position(|it| *it == metric) else {
            continue;
        };
        let case = &experiment.cases[observation.case as usize];
        for (index, side) in [from, to].into_iter().enumerate() {
            let is_run = side.run.is_none_or(|run| run == observation.run as usize);
            let is_level = side
                .level
                .is_none_or(|(factor, level)| case[factor] as usize == level);
            if !(is_run && is_level) {
                continue;
            }
            let mut case = case.clone();
            if let Some((factor, level)) = from.level {
                case[factor] = level as u32;
            }
            found.entry((place, case)).or_default()[index].push(number);
        }
    }
    let mut rows = Vec::new();
    let mut alone: [BTreeSet<Box<[u32]>>; 2] = Default::default();
    for ((place, levels), members) in found {
        for members in &members {
            one_run(experiment, members)?;
        }
        let one_sided = members.iter().position(Vec::is_empty);
        if let Some(empty) = one_sided {
            alone[1 - empty].insert(levels);
            continue;
        }
        let metric = metrics[place];
        let [from, to] = members.map(|members| Cell::fold(experiment, &members, Statistic::Median));
        let better = experiment.definition.metrics[metric].better;
        rows.push(Shared {
            levels,
            metric,
            comparison: compare(&from, &to, better, threshold, experiment.definition.noise),
            from,
            to,
        });
    }
    adjust(rows.iter_mut().filter_map(|row| row.comparison.as_mut()));
    Ok(Sides {
        rows,
        alone: alone.map(|cases| cases.len()),
    })
}

/// Values of several runs are never pooled; a gap of one is filled by a value of another.
fn one_run(experiment: &Experiment, members: &[u32]) -> Result<(), PivotError> {
    let observations = members
        .iter()
        .map(|&it| &experiment.observations[it as usize]);
    let runs: BTreeSet<usize> = observations
        .filter(|it| it.result.is_ok())
        .map(|it| it.run as usize)
        .collect();
    if runs.len() < 2 {
        return Ok(());
    }
    Err(PivotError::MixedRuns {
        runs: runs.into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::super::fixture::{experiment, observe};
    use super::*;
    use crate::model::{Direction, Value};

    fn run(run: usize) -> Side {
        Side {
            run: Some(run),
            level: None,
        }
    }

    fn filled() -> Experiment {
        let mut it = experiment(&[3, 2], Direction::Lower);
        for (case, run, values) in [
            ([0, 0], 0, &[100.0, 101.0, 102.0, 99.0, 100.0][..]),
            ([0, 0], 1, &[150.0, 151.0, 152.0, 149.0, 150.0]),
            ([1, 0], 0, &[10.0, 10.1, 9.9, 10.0, 10.05]),
            ([1, 0], 1, &[10.0, 10.1, 9.9, 10.0, 10.05]),
            ([2, 1], 0, &[5.0]),
            ([0, 1], 1, &[5.0]),
            ([1, 1], 0, &[7.0]),
        ] {
            for value in values {
                observe(&mut it, &case, run, Ok(Value::Exact(*value)));
            }
        }
        observe(&mut it, &[1, 1], 1, Err(MissingReason::Failed));
        it
    }

    #[test]
    fn runs_meet_in_the_cases_they_share() {
        let it = filled();
        let sides = side_by_side(&it, [run(0), run(1)], &[0], 0.05).unwrap();
        let said: Vec<(&[u32], Option<Verdict>, bool)> = sides
            .rows
            .iter()
            .map(|row| {
                let verdict = row.comparison.map(|it| it.verdict);
                (&*row.levels, verdict, row.is_lost())
            })
            .collect();
        assert_eq!(
            said,
            [
                (&[0, 0][..], Some(Verdict::Worse), false),
                (&[1, 0], Some(Verdict::Same), false),
                (&[1, 1], None, true),
            ]
        );
        assert_eq!(sides.alone, [1, 1]);
        // The smaller of two p values counts twice (Holm).
        let row = &sides.rows[0];
        let alone = compare(&row.from, &row.to, Direction::Lower, 0.05, 0.05).unwrap();
        let p = row.comparison.unwrap().p.unwrap();
        assert!((p / alone.p.unwrap() - 2.0).abs() < 1e-9, "{p}");
        let back = side_by_side(&it, [run(1), run(0)], &[0], 0.05).unwrap();
        assert_eq!(back.rows[0].comparison.unwrap().verdict, Verdict::Better);
        assert!(!back.rows[2].is_lost());
    }

    #[test]
    fn levels_meet_in_the_rest_of_the_case() {
        let it = filled();
        let side = |run, level| Side {
            run,
            level: Some((0, level)),
        };
        let sides = side_by_side(&it, [side(Some(0), 0), side(Some(0), 1)], &[0], 0.05).unwrap();
        assert_eq!(sides.rows.len(), 1);
        assert_eq!(*sides.rows[0].levels, [0, 0]);
        assert_eq!(sides.rows[0].from.samples.len(), 5);
        assert_eq!(sides.rows[0].to.samples[0], 10.0);
        assert_eq!(sides.alone, [0, 1]);
        let open = side_by_side(&it, [side(None, 0), side(None, 1)], &[0], 0.05);
        assert_eq!(open, Err(PivotError::MixedRuns { runs: vec![0, 1] }));
        assert!(
            side_by_side(&it, [run(0), run(1)], &[], 0.05)
                .unwrap()
                .rows
                .is_empty()
        );
    }
}

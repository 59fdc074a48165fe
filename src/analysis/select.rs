//! Which observations a query selects, and in which cell each belongs.

use std::collections::BTreeSet;

use super::{Axis, PivotError, Query};
use crate::model::{Experiment, Observation};

/// No place: the case isn't selected.
const NOWHERE: u32 = u32::MAX;

/// A query held against an experiment.
pub(super) struct Selection<'a, 'q> {
    experiment: &'a Experiment,
    query: &'q Query,
    /// By factor and level: whether `only` allows it. Empty where all are allowed.
    allowed: Vec<Vec<bool>>,
}

impl<'a, 'q> Selection<'a, 'q> {
    pub(super) fn new(experiment: &'a Experiment, query: &'q Query) -> Self {
        let factors = &experiment.definition.factors;
        let mut allowed = vec![Vec::new(); factors.len()];
        for (factor, levels) in &query.only {
            if let Some(allowed) = allowed.get_mut(*factor) {
                let known = factors[*factor].levels.len();
                *allowed = (0..known).map(|level| levels.contains(&level)).collect();
            }
        }
        Self {
            experiment,
            query,
            allowed,
        }
    }

    /// The places along one side.
    pub(super) fn axis(&self, factor: Option<usize>) -> Axis {
        let Some(index) = factor else {
            return Axis {
                factor,
                levels: vec![0],
            };
        };
        let known = self
            .experiment
            .definition
            .factors
            .get(index)
            .map_or(0, |it| it.levels.len());
        let only = self.query.only.iter().find(|(factor, _)| *factor == index);
        let mut seen = BTreeSet::new();
        let levels = match only {
            Some((_, levels)) => {
                let levels = levels.iter().copied();
                levels
                    .filter(|&level| level < known && seen.insert(level))
                    .collect()
            }
            None => (0..known).collect(),
        };
        Axis { factor, levels }
    }

    /// By case: its cell, or [`NOWHERE`].
    pub(super) fn slots(&self, rows: &Axis, columns: &Axis) -> Vec<u32> {
        let (along_rows, along_columns) = (self.positions(rows), self.positions(columns));
        let width = columns.levels.len() as u32;
        let place = |axis: &Axis, positions: &[u32], case: &[u32]| match axis.factor {
            None => Some(0),
            Some(factor) => {
                let level = *case.get(factor)? as usize;
                positions
                    .get(level)
                    .copied()
                    .filter(|&position| position != NOWHERE)
            }
        };
        let slot = |case: &[u32]| {
            if !self.allows(case) {
                return None;
            }
            let row = place(rows, &along_rows, case)?;
            Some(row * width + place(columns, &along_columns, case)?)
        };
        self.experiment
            .cases
            .iter()
            .map(|case| slot(case).unwrap_or(NOWHERE))
            .collect()
    }

    /// By level: its position on an axis.
    fn positions(&self, axis: &Axis) -> Vec<u32> {
        let factor = axis
            .factor
            .and_then(|index| self.experiment.definition.factors.get(index));
        let mut positions = vec![NOWHERE; factor.map_or(0, |factor| factor.levels.len())];
        for (position, &level) in axis.levels.iter().enumerate() {
            if let Some(place) = positions.get_mut(level) {
                *place = position as u32;
            }
        }
        positions
    }

    /// Whether `only` allows a case.
    fn allows(&self, case: &[u32]) -> bool {
        self.allowed.iter().zip(case).all(|(allowed, &level)| {
            allowed.is_empty() || allowed.get(level as usize).copied().unwrap_or(false)
        })
    }

    /// Observations of the metric in the run, whatever their case.
    fn candidates(&self) -> impl Iterator<Item = (u32, &'a Observation)> + use<'a> {
        let metric = u32::try_from(self.query.metric).unwrap_or(NOWHERE);
        let run = self
            .query
            .run
            .map(|run| u32::try_from(run).unwrap_or(NOWHERE));
        let numbered = (0_u32..).zip(&self.experiment.observations);
        numbered.filter(move |(_, observation)| {
            observation.metric == metric && run.is_none_or(|run| observation.run == run)
        })
    }

    /// Observations that the query selects, numbered, in file order.
    pub(super) fn observations(&self) -> impl Iterator<Item = (u32, &'a Observation)> + use<'a> {
        let cases: Vec<bool> = self
            .experiment
            .cases
            .iter()
            .map(|case| self.allows(case))
            .collect();
        self.candidates()
            .filter(move |(_, it)| cases.get(it.case as usize).copied().unwrap_or(false))
    }

    /// Sorts the observations into cells; `None` when the metric has none in the run at all.
    pub(super) fn group(&self, slots: &[u32], size: usize) -> Option<Grouped> {
        let mut any = false;
        let mut starts = vec![0_u32; size + 1];
        let mut picked = Vec::new();
        for (index, observation) in self.candidates() {
            any = true;
            let slot = slots
                .get(observation.case as usize)
                .copied()
                .unwrap_or(NOWHERE);
            if slot != NOWHERE {
                picked.push((slot, index));
                starts[slot as usize + 1] += 1;
            }
        }
        for slot in 0..size {
            starts[slot + 1] += starts[slot];
        }
        let mut next = starts.clone();
        let mut members = vec![0_u32; picked.len()];
        for (slot, index) in picked {
            let place = &mut next[slot as usize];
            members[*place as usize] = index;
            *place += 1;
        }
        any.then_some(Grouped { starts, members })
    }

    /// Faults the first factor, in declared order, of which several levels meet in a cell.
    pub(super) fn one_case_each(
        &self,
        slots: &[u32],
        grouped: &Grouped,
        size: usize,
    ) -> Result<(), PivotError> {
        let cases = &self.experiment.cases;
        let mut used = vec![false; cases.len()];
        for &index in &grouped.members {
            used[self.experiment.observations[index as usize].case as usize] = true;
        }
        let shown = [self.query.rows, self.query.columns];
        for factor in 0..self.experiment.definition.factors.len() {
            let single = self.allowed[factor]
                .iter()
                .filter(|&&allowed| allowed)
                .count()
                == 1;
            if single || shown.contains(&Some(factor)) {
                continue;
            }
            let mut first = vec![NOWHERE; size];
            let mut meeting = BTreeSet::new();
            for ((case, &slot), _) in cases
                .iter()
                .zip(slots)
                .zip(&used)
                .filter(|(_, used)| **used)
            {
                let Some(&level) = case.get(factor) else {
                    continue;
                };
                let first = &mut first[slot as usize];
                if *first == NOWHERE {
                    *first = level;
                } else if *first != level {
                    meeting.extend([*first as usize, level as usize]);
                }
            }
            if !meeting.is_empty() {
                return Err(PivotError::Ambiguous {
                    factor,
                    levels: meeting.into_iter().collect(),
                });
            }
        }
        Ok(())
    }
}

/// Indices of observations by cell: those of cell `c` are `members[starts[c]..starts[c + 1]]`.
pub(super) struct Grouped {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Grouped {
    /// The observations of one cell, in file order.
    pub(super) fn of(&self, slot: usize) -> &[u32] {
        &self.members[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    /// Faults the runs whose values meet in a cell.
    pub(super) fn one_run_each(&self, experiment: &Experiment) -> Result<(), PivotError> {
        let mut meeting = BTreeSet::new();
        for slot in 0..self.starts.len() - 1 {
            let observations = self
                .of(slot)
                .iter()
                .map(|&index| &experiment.observations[index as usize]);
            let mut runs = observations
                .filter(|it| it.result.is_ok())
                .map(|it| it.run as usize);
            let Some(first) = runs.next() else { continue };
            for run in runs.filter(|&run| run != first) {
                meeting.extend([first, run]);
            }
        }
        if meeting.is_empty() {
            return Ok(());
        }
        Err(PivotError::MixedRuns {
            runs: meeting.into_iter().collect(),
        })
    }
}

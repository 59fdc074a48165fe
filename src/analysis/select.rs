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
        let mut used = vec![false; slots.len()];
        let mut runs = Meeting::new(size);
        for (index, observation) in self.candidates() {
            any = true;
            let case = observation.case as usize;
            let slot = slots.get(case).copied().unwrap_or(NOWHERE);
            if slot == NOWHERE {
                continue;
            }
            picked.push((slot, index));
            starts[slot as usize + 1] += 1;
            used[case] = true;
            if observation.result.is_ok() {
                runs.enter(slot, observation.run);
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
        any.then_some(Grouped {
            starts,
            members,
            used,
            runs,
        })
    }

    /// Faults the first factor, in declared order, of which several levels meet in a cell; then runs
    /// whose values do.
    pub(super) fn one_each(
        &self,
        slots: &[u32],
        grouped: Grouped,
        size: usize,
    ) -> Result<Grouped, PivotError> {
        let shown = [self.query.rows, self.query.columns];
        for (factor, allowed) in self.allowed.iter().enumerate() {
            let single = allowed.iter().filter(|&&allowed| allowed).count() == 1;
            if single || shown.contains(&Some(factor)) {
                continue;
            }
            let mut meeting = Meeting::new(size);
            for (case, levels) in self.experiment.cases.iter().enumerate() {
                if let (true, Some(&level)) = (grouped.used[case], levels.get(factor)) {
                    meeting.enter(slots[case], level);
                }
            }
            if !meeting.together.is_empty() {
                let levels = meeting.together.into_iter().collect();
                return Err(PivotError::Ambiguous { factor, levels });
            }
        }
        if !grouped.runs.together.is_empty() {
            let runs = grouped.runs.together.into_iter().collect();
            return Err(PivotError::MixedRuns { runs });
        }
        Ok(grouped)
    }
}

/// Who meets whom in a cell.
struct Meeting {
    /// By cell: who came first.
    first: Vec<u32>,
    /// All who met another.
    together: BTreeSet<usize>,
}

impl Meeting {
    fn new(size: usize) -> Self {
        Self {
            first: vec![NOWHERE; size],
            together: BTreeSet::new(),
        }
    }

    fn enter(&mut self, slot: u32, who: u32) {
        let first = &mut self.first[slot as usize];
        if *first == NOWHERE {
            *first = who;
        } else if *first != who {
            self.together.extend([*first as usize, who as usize]);
        }
    }
}

/// Indices of observations by cell: those of cell `c` are `members[starts[c]..starts[c + 1]]`.
pub(super) struct Grouped {
    starts: Vec<u32>,
    members: Vec<u32>,
    /// By case: whether it has a selected observation.
    used: Vec<bool>,
    /// Runs whose values meet.
    runs: Meeting,
}

impl Grouped {
    /// The observations of one cell, in file order.
    pub(super) fn of(&self, slot: usize) -> &[u32] {
        &self.members[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

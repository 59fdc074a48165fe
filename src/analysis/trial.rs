//! The trials of a run: one measurement of one case each, as far as their place in the order is known.

use std::collections::BTreeMap;

use crate::model::{Experiment, Value};

/// One measurement of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Zero-based place in the run's order.
    pub order: u32,
    /// Index of the level of each factor; 0 for the factor of steps, so that all trials of a case have
    /// the same.
    pub levels: Box<[u32]>,
    /// Zero-based repetition of its case.
    pub replicate: u32,
    /// Zero-based block of the plan.
    pub block: Option<u32>,
    /// Seconds since the run's start.
    pub at: Option<f64>,
    /// What was measured: index of the case (one for each step), index of the metric, exact value.
    pub values: Vec<(u32, u32, f64)>,
}

impl Trial {
    /// The sum of a metric over its steps; without steps, the value.
    pub fn total(&self, metric: usize) -> Option<f64> {
        let values = self
            .values
            .iter()
            .filter(|(_, it, _)| *it as usize == metric);
        let values: Vec<f64> = values.map(|(.., value)| *value).collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }
}

/// The factor whose levels are steps of one case, not cases of their own.
pub fn step_factor(experiment: &Experiment) -> Option<usize> {
    experiment.definition.procedure.as_ref()?.steps
}

/// The trials of a run that gave values, by their place in its order: of the levels that `only` allows
/// by factor, of steps too. Those that failed, and values without a place, such as published ones, are
/// left out.
pub fn trials(
    experiment: &Experiment,
    run: usize,
    only: &[(usize, Vec<usize>)],
) -> BTreeMap<u32, Trial> {
    let allows = |case: &[u32]| {
        let level = |factor: usize| case.get(factor).map(|level| *level as usize);
        let mut wanted = only.iter();
        wanted.all(|(factor, levels)| level(*factor).is_none_or(|level| levels.contains(&level)))
    };
    let steps = step_factor(experiment);
    let mut trials: BTreeMap<u32, Trial> = BTreeMap::new();
    for observation in &experiment.observations {
        let Ok(sample) = &observation.result else {
            continue;
        };
        let (Some(order), Value::Exact(value)) = (sample.order, sample.value) else {
            continue;
        };
        let Some(levels) = experiment.cases.get(observation.case as usize) else {
            continue;
        };
        if observation.run as usize != run || !value.is_finite() || !allows(levels) {
            continue;
        }
        let mut levels = levels.clone();
        if let Some(step) = steps.and_then(|factor| levels.get_mut(factor)) {
            *step = 0;
        }
        let trial = trials.entry(order).or_insert_with(|| Trial {
            order,
            levels,
            replicate: observation.replicate,
            block: sample.block,
            at: sample.at,
            values: Vec::new(),
        });
        trial
            .values
            .push((observation.case, observation.metric, value));
    }
    trials
}

/// Of every case, in the order of their levels, the trial whose figure is the median of the case's
/// trials (the lower of two, the earlier of equals). Trials without the metric say nothing.
pub fn typical<'a>(trials: impl IntoIterator<Item = &'a Trial>, metric: usize) -> Vec<&'a Trial> {
    let mut cases: BTreeMap<&[u32], Vec<(f64, &Trial)>> = BTreeMap::new();
    for trial in trials {
        if let Some(total) = trial.total(metric) {
            cases.entry(&trial.levels).or_default().push((total, trial));
        }
    }
    let middle = |mut own: Vec<(f64, &'a Trial)>| {
        own.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.order.cmp(&b.1.order)));
        own.get((own.len() - 1) / 2).map(|(_, trial)| *trial)
    };
    cases.into_values().filter_map(middle).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{experiment, observe};
    use super::*;
    use crate::model::{Direction, MissingReason};

    fn measured(values: &[(u32, f64)]) -> Experiment {
        let mut it = experiment(&[2], Direction::Higher);
        for (order, &(level, value)) in values.iter().enumerate() {
            observe(&mut it, &[level], 0, Ok(Value::Exact(value)));
            if let Some(Ok(sample)) = it.observations.last_mut().map(|it| it.result.as_mut()) {
                sample.order = Some(order as u32);
            }
        }
        it
    }

    #[test]
    fn the_typical_trial_is_the_lower_median() {
        let it = measured(&[(0, 4.0), (1, 9.0), (0, 2.0), (1, 9.0), (0, 3.0), (0, 8.0)]);
        let all = trials(&it, 0, &[]);
        assert_eq!(all.len(), 6);
        let chosen: Vec<u32> = typical(all.values(), 0)
            .iter()
            .map(|trial| trial.order)
            .collect();
        assert_eq!(chosen, [4, 1]);
        assert_eq!(typical(all.values(), 7), Vec::<&Trial>::new());
    }

    #[test]
    fn what_has_no_place_is_no_trial() {
        let mut it = measured(&[(0, 4.0)]);
        observe(&mut it, &[1], 0, Ok(Value::Exact(5.0)));
        it.observations[1].result.as_mut().unwrap().order = None;
        observe(&mut it, &[1], 0, Err(MissingReason::Failed));
        assert_eq!(trials(&it, 0, &[]).len(), 1);
        assert!(trials(&it, 3, &[]).is_empty());
    }
}

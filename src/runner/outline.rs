//! What a plan comes to, before it is run: numbers, disk, time, and the first trials.

use crate::model::Order;

use super::arrange;
use super::engine::Apply;
use super::estimate::Prediction;
use super::plan::{Plan, Shard, Trial};

/// What a plan comes to.
#[derive(Debug, Clone)]
pub struct Outline {
    /// Key of the experiment.
    pub experiment: String,
    /// Name of the engine.
    pub engine: &'static str,
    /// Name of the workload.
    pub workload: &'static str,
    /// The factors with their levels that are measured; steps are left out.
    pub factors: Vec<(String, Vec<String>)>,
    /// How many cases there are.
    pub cases: usize,
    /// How often each is measured, in all shards together.
    pub repetitions: u32,
    /// How many trials there are in this shard.
    pub trials: usize,
    /// How often the engine is started: once a trial, and once more for data that are kept for others.
    pub starts: usize,
    /// How often data are built.
    pub builds: usize,
    /// How often, from one trial to the next, a setting changes that needs a restart or new data.
    pub changes: usize,
    /// Bytes on the disk, roughly, where the workload can say.
    pub disk: Option<f64>,
    /// How long it will take.
    pub prediction: Prediction,
    /// How the cases of a block are ordered.
    pub order: Order,
    /// Seed of the order and of all generated data.
    pub seed: u64,
    /// The part of the plan, if it is one of several.
    pub shard: Option<Shard>,
    /// The first trials with factors and levels of their cases.
    pub first: Vec<(Trial, Vec<(String, String)>)>,
    /// What else a person should know, in sentences.
    pub notes: Vec<String>,
    /// The command that makes such a run.
    pub command: String,
}

/// How many trials are listed.
const LISTED: usize = 12;

impl Plan<'_> {
    /// What it comes to, given how long trials of some cases took: case, seconds.
    pub fn describe(&self, seen: &[(u32, f64)]) -> Outline {
        let (builds, kept) = self.builds();
        Outline {
            experiment: self.definition.key.clone(),
            engine: self.engine.name(),
            workload: self.workload.name(),
            factors: self.measured_levels(),
            cases: self.cases.len(),
            repetitions: self.repetitions,
            trials: self.trials.len(),
            starts: self.trials.len() + kept.len(),
            builds,
            changes: self.changes(),
            disk: self.disk(&kept),
            prediction: self.predict(seen),
            order: self.order,
            seed: self.seed,
            shard: self.wishes.shard,
            first: self
                .trials
                .iter()
                .take(LISTED)
                .map(|trial| (*trial, self.named(trial.case)))
                .collect(),
            notes: self.notes(),
            command: self.command(),
        }
    }

    /// What a person should know beside the numbers, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(shard) = self.wishes.shard
            && shard.of > self.repetitions
        {
            let plural = if self.repetitions == 1 { "" } else { "s" };
            notes.push(format!(
                "{} block{plural} for {} parts: those beyond the last block have nothing to do",
                self.repetitions, shard.of
            ));
        }
        if let Some(fit) = self.fitted {
            if fit.kept < fit.asked {
                notes.push(format!(
                    "{} of {} repetitions fit into the budget",
                    fit.kept, fit.asked
                ));
            }
            if !fit.fits {
                notes.push(
                    "even so it may take longer than the budget: the run then ends with trials left"
                        .to_owned(),
                );
            }
        }
        notes
    }

    fn measured_levels(&self) -> Vec<(String, Vec<String>)> {
        let factors = self.definition.factors.iter().enumerate();
        factors
            .filter(|(index, _)| self.procedure.steps != Some(*index))
            .map(|(index, factor)| {
                let mut levels: Vec<u32> = self.cases.iter().map(|case| case[index]).collect();
                levels.sort_unstable();
                levels.dedup();
                let keys = levels
                    .into_iter()
                    .filter_map(|level| factor.levels.get(level as usize))
                    .map(|level| level.key.clone());
                (factor.key.clone(), keys.collect())
            })
            .collect()
    }

    /// How many different data the trials begin with, and a case of each that several begin with.
    fn builds(&self) -> (usize, Vec<u32>) {
        if self.trials.is_empty() || !self.workload.builds_data() {
            return (0, Vec::new());
        }
        let parameters = self
            .parameters
            .iter()
            .filter(|(parameter, _)| parameter.shapes_data)
            .filter_map(|(_, given)| *given);
        let settings = self
            .settings
            .iter()
            .copied()
            .filter(|setting| self.engine.apply(&setting.name) == Apply::Rebuild);
        let factors: Vec<usize> = parameters
            .chain(settings)
            .flat_map(|it| it.value.factors())
            .collect();
        let data = arrange::groups(&self.cases, &factors);
        let blocks = self.trials.len() / self.cases.len().max(1);
        let shared = data.iter().filter(|cases| cases.len() * blocks > 1);
        let kept = shared.filter_map(|cases| cases.first().copied()).collect();
        (data.len(), kept)
    }

    fn changes(&self) -> usize {
        let factors = self.grouping();
        let differs = |pair: &&[Trial]| {
            let [before, after] = [pair[0], pair[1]].map(|trial| self.levels(trial.case));
            factors
                .iter()
                .any(|&factor| before[factor] != after[factor])
        };
        self.trials.windows(2).filter(differs).count()
    }

    /// The largest trial, and beside it the data that are kept for others.
    fn disk(&self, kept: &[u32]) -> Option<f64> {
        let given = self.parameters.iter().filter_map(|(_, given)| *given);
        let factors: Vec<usize> = given.flat_map(|given| given.value.factors()).collect();
        let of_case = |case: u32| self.workload.disk(&self.parameters(case));
        let mut largest = 0.0_f64;
        for cases in arrange::groups(&self.cases, &factors) {
            largest = largest.max(of_case(cases.first().copied()?)?);
        }
        let kept: Option<Vec<f64>> = kept.iter().map(|&case| of_case(case)).collect();
        Some(largest + kept?.iter().sum::<f64>())
    }
}

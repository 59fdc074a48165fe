//! How long a run will take: from what was seen, else from what the workload is told to do.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::data::record::SampleRow;

use super::arrange;
use super::plan::Plan;
use super::workload::ParameterKind;

/// A length of time that is expected, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The likeliest length.
    pub seconds: f64,
    /// If every trial goes as fast as the fastest.
    pub low: f64,
    /// If every trial goes as slowly as the slowest.
    pub high: f64,
    /// What this is taken from.
    pub basis: Basis,
}

/// What a prediction is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// So many trials that were run before, on this machine or another.
    Seen(u32),
    /// The rest before each trial and the lengths of time that the workload is told to work, with
    /// [`OVERHEAD`] for all else.
    Parameters,
    /// Only the time limit, since nothing says how long the work takes.
    Limit,
}

/// Seconds that starting, building data, checking and stopping take besides the work of a trial: at
/// least, likely, and at most, as long as nothing better is known.
pub const OVERHEAD: [f64; 3] = [0.0, 1.0, 5.0];

/// A prediction is never closer than this share, below and above.
const LEAST_SPREAD: f64 = 0.1;

/// What became of the repetitions under a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// How many were asked for.
    pub asked: u32,
    /// How many are left; at least one.
    pub kept: u32,
    /// How long one repetition of every case is expected to take.
    pub block: Prediction,
    /// Whether what is left is expected to fit. Where it isn't, the run ends when the time is over, and
    /// says what is left to do.
    pub fits: bool,
}

impl Plan<'_> {
    /// How long all trials will take, given how long trials of some cases took: case, seconds.
    pub fn predict(&self, seen: &[(u32, f64)]) -> Prediction {
        Pace::new(self, seen).rest()
    }

    /// Drops repetitions until the run is expected to take no longer than the budget. Every shard of a
    /// plan drops the same, as long as it knows the same. Where nothing but time limits is known,
    /// nothing is dropped: a running [`Pace`] then tells when to end.
    pub fn fit(&mut self, budget: Duration, seen: &[(u32, f64)]) -> Fit {
        let asked = self.repetitions;
        let block = Pace::new(self, seen).block();
        let shards = self.wishes.shard.map_or(1, |shard| shard.of);
        if block.basis != Basis::Limit {
            // The fullest shard decides for all.
            let blocks = (budget.as_secs_f64() / block.seconds).clamp(1.0, f64::from(u32::MAX));
            let most = (blocks as u32).saturating_mul(shards);
            if most < asked {
                self.repetitions = most;
                self.wishes.repetitions = Some(most);
                self.arrange();
            }
        }
        let blocks = self.repetitions.div_ceil(shards);
        Fit {
            asked,
            kept: self.repetitions,
            block,
            fits: block.seconds * f64::from(blocks) <= budget.as_secs_f64(),
        }
    }

    /// How long trials took in a run of this experiment, by its `samples.csv`: case, seconds. A trial
    /// lasts until the next one begins; those before a gap in the order are left out.
    pub fn seen(&self, rows: &[SampleRow]) -> Vec<(u32, f64)> {
        let numbers: BTreeMap<&[u32], u32> =
            self.cases.iter().map(|case| &**case).zip(0..).collect();
        let mut starts: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
        for row in rows {
            let mut levels = row.levels.clone();
            if let Some(level) = self.procedure.steps.and_then(|steps| levels.get_mut(steps)) {
                *level = 0;
            }
            if let (Some(order), Some(at), Some(&case)) = (row.order, row.at, numbers.get(&*levels))
            {
                starts.insert(order, (at, case));
            }
        }
        let longest = self.procedure.settle + self.procedure.timeout + 10.0 * OVERHEAD[2];
        starts
            .iter()
            .zip(starts.iter().skip(1))
            .filter(|((order, _), (next, _))| **order + 1 == **next)
            .map(|((_, (at, case)), (_, (next, _)))| (*case, next - at))
            // A run that was gone on with has a pause within it.
            .filter(|(_, seconds)| *seconds > 0.0 && *seconds <= longest)
            .collect()
    }

    /// What is expected of each case before any is seen: at least, likely, at most.
    fn expected(&self) -> (Vec<[f64; 3]>, Basis) {
        let procedure = self.procedure;
        let lengths: Vec<_> = self
            .parameters
            .iter()
            .filter(|(parameter, _)| parameter.kind == ParameterKind::Duration)
            .collect();
        if lengths.is_empty() {
            let settle = procedure.settle;
            let high = settle + procedure.timeout + OVERHEAD[2];
            return (vec![[settle, high, high]; self.cases.len()], Basis::Limit);
        }
        let factors: Vec<usize> = lengths
            .iter()
            .filter_map(|(_, given)| *given)
            .flat_map(|given| given.value.factors())
            .collect();
        let mut expected = vec![[0.0; 3]; self.cases.len()];
        for group in arrange::groups(&self.cases, &factors) {
            let parameters = self.parameters(group.first().copied().unwrap_or_default());
            let work: f64 = lengths
                .iter()
                .map(|(parameter, _)| parameters.number(parameter.name))
                .sum();
            for case in group {
                expected[case as usize] =
                    OVERHEAD.map(|overhead| procedure.settle + work + overhead);
            }
        }
        (expected, Basis::Parameters)
    }
}

/// How fast a run goes on: what is left, from what was seen so far. Every question is answered at once,
/// however long the plan is.
#[derive(Debug, Clone)]
pub struct Pace {
    cases: Vec<CasePace>,
    basis: Basis,
    /// Sums over the cases that were seen, weighed by how often each is left, and once each.
    seen_left: [f64; 3],
    seen_once: [f64; 3],
    /// Sums of what was expected of the others.
    unseen_left: [f64; 3],
    unseen_once: [f64; 3],
    /// What was seen in all, and what had been expected of it.
    seen: Observed,
    /// Seen seconds by expected ones, as those who weren't seen are scaled: least, of all, most.
    scale: Observed,
}

#[derive(Debug, Clone)]
struct CasePace {
    expected: [f64; 3],
    seen: Observed,
    left: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Observed {
    count: u32,
    sum: f64,
    low: f64,
    high: f64,
}

impl Observed {
    fn add(&mut self, seconds: f64) {
        self.low = if self.count == 0 {
            seconds
        } else {
            self.low.min(seconds)
        };
        self.high = self.high.max(seconds);
        self.sum += seconds;
        self.count += 1;
    }

    /// Least, mean, most.
    fn spread(self) -> [f64; 3] {
        [self.low, self.sum / f64::from(self.count.max(1)), self.high]
    }
}

impl Pace {
    /// The pace of a plan before its first trial, given how long trials of some cases took elsewhere:
    /// case, seconds.
    pub fn new(plan: &Plan<'_>, seen: &[(u32, f64)]) -> Self {
        let (expected, basis) = plan.expected();
        let mut cases: Vec<CasePace> = expected
            .into_iter()
            .map(|expected| CasePace {
                expected,
                seen: Observed::default(),
                left: 0,
            })
            .collect();
        for trial in &plan.trials {
            cases[trial.case as usize].left += 1;
        }
        let mut pace = Self {
            cases,
            basis,
            seen_left: [0.0; 3],
            seen_once: [0.0; 3],
            unseen_left: [0.0; 3],
            unseen_once: [0.0; 3],
            seen: Observed::default(),
            scale: Observed::default(),
        };
        for index in 0..pace.cases.len() {
            pace.weigh(index, 1.0);
        }
        for &(case, seconds) in seen {
            pace.observe(case, seconds, 0);
        }
        pace
    }

    /// Takes note that a trial of a case took so many seconds, rest before it included.
    pub fn saw(&mut self, case: u32, seconds: f64) {
        self.observe(case, seconds, 1);
    }

    /// How long the trials that are left will take.
    pub fn rest(&self) -> Prediction {
        self.prediction(self.seen_left, self.unseen_left)
    }

    /// How long a block of every case will take.
    pub fn block(&self) -> Prediction {
        self.prediction(self.seen_once, self.unseen_once)
    }

    /// Whether a further block of every case is expected to end within this time. Before anything is
    /// known, it is.
    pub fn fits(&self, left: Duration) -> bool {
        let block = self.block();
        block.basis == Basis::Limit || block.seconds <= left.as_secs_f64()
    }

    fn observe(&mut self, case: u32, seconds: f64, done: u32) {
        let index = case as usize;
        if index >= self.cases.len() || !seconds.is_finite() || seconds < 0.0 {
            return;
        }
        self.weigh(index, -1.0);
        let case = &mut self.cases[index];
        case.seen.add(seconds);
        case.left = case.left.saturating_sub(done);
        let likely = case.expected[1];
        self.weigh(index, 1.0);
        self.seen.add(seconds);
        if likely > 0.0 {
            self.scale.add(seconds / likely);
        }
    }

    /// Adds a case to the sums it belongs to, or takes it out.
    fn weigh(&mut self, index: usize, sign: f64) {
        let case = &self.cases[index];
        let (left, once, seconds) = if case.seen.count > 0 {
            (&mut self.seen_left, &mut self.seen_once, case.seen.spread())
        } else {
            (&mut self.unseen_left, &mut self.unseen_once, case.expected)
        };
        for (place, seconds) in seconds.into_iter().enumerate() {
            left[place] += sign * seconds * f64::from(case.left);
            once[place] += sign * seconds;
        }
    }

    fn prediction(&self, seen: [f64; 3], unseen: [f64; 3]) -> Prediction {
        // What wasn't seen is expected to be off by as much as what was.
        let unseen = match self.scale.count {
            0 => unseen,
            _ => self.scale.spread().map(|scale| scale * unseen[1]),
        };
        let basis = match self.seen.count {
            0 => self.basis,
            count => Basis::Seen(count),
        };
        let [low, seconds, high] = [0, 1, 2].map(|place| (seen[place] + unseen[place]).max(0.0));
        Prediction {
            seconds,
            low: low.min(seconds * (1.0 - LEAST_SPREAD)),
            high: high.max(seconds * (1.0 + LEAST_SPREAD)),
            basis,
        }
    }
}

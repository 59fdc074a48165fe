//! How long a run will take: from what was seen, else from what the workload is told to do.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::data::record::SampleRow;

use super::arrange;
use super::plan::Plan;

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
    /// The rest before each trial and the time that the workload is told to work, with
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
        let fit = Fit {
            asked,
            kept: self.repetitions,
            block,
            fits: block.seconds * f64::from(blocks) <= budget.as_secs_f64(),
        };
        self.fitted = Some(fit);
        fit
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
        let given = self.parameters.iter().filter_map(|(_, given)| *given);
        let factors: Vec<usize> = given.flat_map(|given| given.value.factors()).collect();
        let mut expected = vec![[0.0; 3]; self.cases.len()];
        for group in arrange::groups(&self.cases, &factors) {
            let parameters = self.parameters(group.first().copied().unwrap_or_default());
            let Some(work) = self.workload.seconds(&parameters) else {
                let settle = procedure.settle;
                let high = settle + procedure.timeout + OVERHEAD[2];
                return (vec![[settle, high, high]; self.cases.len()], Basis::Limit);
            };
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
        let [mut low, seconds, mut high] =
            [0, 1, 2].map(|place| (seen[place] + unseen[place]).max(0.0));
        if basis != Basis::Limit {
            low = low.min(seconds * (1.0 - LEAST_SPREAD));
            high = high.max(seconds * (1.0 + LEAST_SPREAD));
        }
        Prediction {
            seconds,
            low,
            high,
            basis,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{RUN, definition, planned};
    use super::super::plan::{Shard, Wishes};
    use super::*;
    use crate::model::MissingReason;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-9 * right.abs()
    }

    /// Six cases that work for 10 s after 2 s of rest, five times.
    fn run() -> String {
        RUN.replace("[run]", "[run]\nsettle = 2\ntimeout = 60")
    }

    #[test]
    fn parameters_tell_until_something_is_seen() {
        let definition = definition(&run());
        let plan = planned(&definition, &Wishes::default());
        let expected = plan.predict(&[]);
        assert_eq!(expected.basis, Basis::Parameters);
        assert!(near(expected.seconds, 30.0 * 13.0));
        assert!(near(expected.high, 30.0 * 17.0));
        // The likely less a tenth is less than rest and work together.
        assert!(near(expected.low, 30.0 * 13.0 * 0.9));
    }

    #[test]
    fn what_was_seen_goes_before_what_was_expected() {
        let definition = definition(&run());
        let plan = planned(&definition, &Wishes::default());
        let seen = [(0, 20.0), (0, 30.0), (1, 13.0)];
        let found = plan.predict(&seen);
        assert_eq!(found.basis, Basis::Seen(3));
        // Cases 0 and 1 as they were seen, the other four as much off what was expected (13 s) as those.
        let others = |seconds: f64| 20.0 * seconds;
        assert!(near(found.seconds, 5.0 * 25.0 + 5.0 * 13.0 + others(21.0)));
        assert!(near(found.low, 5.0 * 20.0 + 5.0 * 13.0 + others(13.0)));
        assert!(near(found.high, 5.0 * 30.0 + 5.0 * 13.0 + others(30.0)));
    }

    #[test]
    fn pace_counts_down_to_nothing() {
        let definition = definition(&run());
        let plan = planned(&definition, &Wishes::default());
        let mut pace = Pace::new(&plan, &[]);
        for trial in &plan.trials {
            assert!(pace.rest().seconds > 0.0);
            pace.saw(trial.case, 4.0 + f64::from(trial.case));
        }
        let rest = pace.rest();
        assert!(rest.high < 1e-9, "{rest:?}");
        assert!(near(
            pace.block().seconds,
            4.0 + 5.0 + 6.0 + 7.0 + 8.0 + 9.0
        ));
        assert!(pace.fits(Duration::from_secs(40)));
        assert!(!pace.fits(Duration::from_secs(38)));
    }

    #[test]
    fn budgets_drop_repetitions_never_cases() {
        let definition = definition(&run());
        let fit = |budget, shard| {
            let wishes = Wishes {
                shard,
                ..Wishes::default()
            };
            let mut plan = planned(&definition, &wishes);
            let fit = plan.fit(Duration::from_secs(budget), &[]);
            assert_eq!(plan.record(0).repetitions, fit.kept);
            (fit.kept, plan.trials.len(), fit.fits)
        };
        // A block takes 78 s.
        assert_eq!(fit(390, None), (5, 30, true));
        assert_eq!(fit(389, None), (4, 24, true));
        assert_eq!(fit(100, None), (1, 6, true));
        assert_eq!(fit(10, None), (1, 6, false));
        // Two shards run their blocks at the same time: two blocks in the first, one in the second.
        let shard = |part| Some(Shard { part, of: 2 });
        assert_eq!(fit(160, shard(1)), (4, 12, true));
        assert_eq!(fit(160, shard(2)), (4, 12, true));
        assert_eq!(fit(80, shard(2)), (2, 6, true));
    }

    #[test]
    fn trials_last_until_the_next_one() {
        let definition = definition(&run());
        let plan = planned(&definition, &Wishes::default());
        let row = |order, case: [u32; 3], at| SampleRow {
            levels: case.to_vec(),
            values: vec![None, None],
            replicate: 0,
            block: Some(0),
            order: Some(order),
            at: Some(at),
            status: Some(MissingReason::Failed),
            note: String::new(),
        };
        let rows = [
            row(0, [1, 0, 0], 0.0),
            row(0, [1, 0, 1], 0.0),
            row(1, [0, 1, 0], 3.0),
            row(2, [2, 0, 0], 10.0),
            // A gap, then a pause too long for a trial.
            row(4, [2, 1, 0], 90.0),
            row(5, [1, 1, 0], 900.0),
        ];
        assert_eq!(plan.seen(&rows), [(2, 3.0), (1, 7.0)]);
    }

    #[test]
    fn without_any_knowledge_only_the_limit_holds() {
        // A limit among the parameters, such as that of `scribble`, is no length of the work.
        let run = run().replace("\"scribble\"", "\"sketch\"");
        let definition = definition(&run);
        let mut plan = planned(&definition, &Wishes::default());
        let expected = plan.predict(&[]);
        assert_eq!(expected.basis, Basis::Limit);
        assert!(near(expected.low, 60.0) && near(expected.high, 30.0 * 67.0));
        assert_eq!(plan.fit(Duration::from_secs(60), &[]).kept, 5);
        assert!(Pace::new(&plan, &[]).fits(Duration::ZERO));
    }
}

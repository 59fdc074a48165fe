//! Two cells of one run, compared within its blocks.
//!
//! A block holds every case once, so whatever made a block slow made all of its cases slow, and the ratio
//! within it is free of that (a randomised complete block design: Fisher 1935, "The design of
//! experiments", chapter IV). Two independent samples would take the blocks' differences for noise.

use super::distribution::student_quantile;
use super::interval::bootstrap;
use super::ratio::Found;
use super::significance::{MeanTest, signed_rank, student};
use super::summary::{at_rank, mean_of};
use super::{Cell, Interval, Method, Statistic};

/// The blocks that a comparison is within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paired {
    /// How many blocks have a sample of both cells.
    pub blocks: usize,
    /// How many samples, of both cells together, have no counterpart in their block and are left out.
    pub left_out: usize,
}

/// With so many blocks in common, those that only one cell has are left out.
const ENOUGH: usize = 5;

/// Compares two cells within blocks; `None` unless both come from the same run, each has one exact and
/// positive sample in each of its blocks, and they share five blocks, or all of three or four.
pub(super) fn find(from: &Cell, to: &Cell, statistic: Statistic) -> Option<Found> {
    let pairs = Pairs::new(from, to)?;
    match statistic {
        Statistic::Mean => pairs.of_means(),
        _ if pairs.paired.blocks < ENOUGH => pairs.of_few(),
        _ => pairs.of_medians(),
    }
}

struct Pairs {
    /// Both samples of each shared block, in the order of the blocks.
    samples: Vec<[f64; 2]>,
    paired: Paired,
}

impl Pairs {
    fn new(from: &Cell, to: &Cell) -> Option<Self> {
        if from.run.is_none() || from.run != to.run {
            return None;
        }
        let [from, to] = [by_block(from)?, by_block(to)?];
        let mut later = to.iter().peekable();
        let mut samples = Vec::with_capacity(from.len().min(to.len()));
        for (block, before) in &from {
            while later.next_if(|(other, _)| other < block).is_some() {}
            if let Some((_, after)) = later.next_if(|(other, _)| other == block) {
                samples.push([*before, *after]);
            }
        }
        let blocks = samples.len();
        let left_out = from.len() + to.len() - 2 * blocks;
        let enough = blocks >= ENOUGH || (blocks >= 3 && left_out == 0);
        enough.then_some(Self {
            samples,
            paired: Paired { blocks, left_out },
        })
    }

    /// The logarithms of the ratios within blocks, `to / from`, ascending. As differences, so that turning
    /// a ratio round does no more than turn their signs.
    fn logarithms(&self) -> Vec<f64> {
        let ratios = self.samples.iter().map(|[from, to]| to.ln() - from.ln());
        let mut logarithms: Vec<f64> = ratios.collect();
        logarithms.sort_unstable_by(f64::total_cmp);
        logarithms
    }

    /// The median ratio with the bootstrap interval of a median, both on logarithms. The p value is twice the
    /// smaller one of a rank test and Student's test (Bonferroni), for the reasons of the unpaired rule:
    /// ranks withstand outliers, but five blocks can't bring them below 0.06.
    fn of_medians(&self) -> Option<Found> {
        let logarithms = self.logarithms();
        let (low, high) = bootstrap(&logarithms);
        let test = student(&logarithms)?;
        // Ranks must not tell apart what only rounding does.
        let rounded: Vec<f64> = logarithms.iter().map(|it| (it * 1e12).round()).collect();
        let p = (2.0 * signed_rank(&rounded)?.p.min(test.p)).min(1.0);
        let ends = (low.exp(), high.exp());
        self.found(
            middle(&logarithms),
            ends,
            Method::PairedBootstrap,
            (p, test),
        )
    }

    /// The median ratio with Student's interval of the mean logarithm.
    fn of_few(&self) -> Option<Found> {
        let logarithms = self.logarithms();
        let test = student(&logarithms)?;
        let (low, high) = test.interval();
        let ends = (low.exp(), high.exp());
        let method = Method::PairedStudentLog;
        self.found(middle(&logarithms), ends, method, (test.p, test))
    }

    /// The ratio of the means with the standard error of a ratio estimator (Cochran 1977, "Sampling
    /// techniques", 6.3), on its logarithm: s/√n of `to / mean − from / mean`. Student's test of the
    /// differences. Unlike ratios, means weigh slow blocks more.
    fn of_means(&self) -> Option<Found> {
        let side = |index: usize| -> Vec<f64> { self.samples.iter().map(|it| it[index]).collect() };
        let (before, after) = (mean_of(&side(0)), mean_of(&side(1)));
        let of_pairs =
            |of: &dyn Fn(&[f64; 2]) -> f64| -> Vec<f64> { self.samples.iter().map(of).collect() };
        let mut error = student(&of_pairs(&|[from, to]| to / after - from / before))?;
        error.difference = after.ln() - before.ln();
        let (low, high) = error.interval();
        let p = student(&of_pairs(&|[from, to]| to - from))?.p;
        let spread = student(&self.logarithms())?;
        let ends = (low.exp(), high.exp());
        self.found(after / before, ends, Method::PairedStudent, (p, spread))
    }

    /// The smallest relative difference is exp((t₀.₉₇₅ + t₀.₈) · s/√n) − 1, with the standard deviation s of the
    /// logarithms (after Bloom 1995, "Minimum detectable effects").
    fn found(
        &self,
        ratio: f64,
        (low, high): (f64, f64),
        method: Method,
        (p, spread): (f64, MeanTest),
    ) -> Option<Found> {
        let factor =
            student_quantile(0.975, spread.freedom) + student_quantile(0.8, spread.freedom);
        Some(Found {
            ratio,
            interval: Interval { low, high, method },
            p: Some(p),
            paired: Some((self.paired, (factor * spread.error).exp_m1())),
        })
    }
}

/// The median of ascending logarithms, as a ratio.
fn middle(logarithms: &[f64]) -> f64 {
    at_rank(logarithms, (logarithms.len() + 1) as f64 / 2.0).exp()
}

/// The samples of a cell by block; `None` unless each is positive and alone in its block.
fn by_block(cell: &Cell) -> Option<Vec<(u32, f64)>> {
    if cell.blocks.is_empty() || cell.blocks.len() != cell.samples.len() {
        return None;
    }
    let pairs = cell.blocks.iter().copied();
    let mut samples: Vec<(u32, f64)> = pairs.zip(cell.samples.iter().copied()).collect();
    samples.sort_unstable_by_key(|(block, _)| *block);
    let alone = samples.windows(2).all(|pair| pair[0].0 != pair[1].0);
    let positive = samples.iter().all(|(_, it)| it.is_finite() && *it > 0.0);
    (alone && positive).then_some(samples)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::distribution::normal_quantile;
    use super::super::fixture::{experiment, observe};
    use super::super::{Comparison, Query, compare, pivot};
    use super::*;
    use crate::model::{Direction, MissingReason, Value};

    /// Two cases of one run, each with its samples by block; `None` failed.
    fn cells(sides: [&[Option<f64>]; 2], statistic: Statistic) -> [Cell; 2] {
        let mut it = experiment(&[2], Direction::Lower);
        for (case, samples) in (0_u32..).zip(sides) {
            for (block, sample) in (0_u32..).zip(samples) {
                let result = sample.map(Value::Exact).ok_or(MissingReason::Failed);
                observe(&mut it, &[case], 0, result);
                if let Some(Ok(sample)) = it.observations.last_mut().map(|it| &mut it.result) {
                    sample.block = Some(block);
                }
            }
        }
        let query = Query {
            rows: Some(0),
            statistic,
            ..Query::default()
        };
        let mut cells = pivot(&it, &query).unwrap().cells;
        let to = cells.remove(1);
        [cells.remove(0), to]
    }

    fn medians(from: &[f64], to: &[f64]) -> [Cell; 2] {
        let some = |samples: &[f64]| samples.iter().copied().map(Some).collect::<Vec<_>>();
        cells([&some(from), &some(to)], Statistic::Median)
    }

    fn compared([from, to]: &[Cell; 2]) -> Option<Comparison> {
        compare(from, to, Direction::Lower, 0.05, 0.05)
    }

    fn without_blocks(mut cells: [Cell; 2]) -> [Cell; 2] {
        for cell in &mut cells {
            cell.blocks = Box::default();
        }
        cells
    }

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-9 * right.abs()
    }

    const SLOW: [f64; 6] = [10.0, 40.0, 20.0, 5.0, 80.0, 11.0];

    #[test]
    fn what_blocks_share_is_no_noise() {
        let by = [1.2, 1.25, 1.22, 1.19, 1.3, 1.21];
        let slower: Vec<f64> = SLOW.iter().zip(by).map(|(it, by)| it * by).collect();
        let pair = medians(&SLOW, &slower);
        let found = compared(&pair).unwrap();
        assert!(near(found.ratio, (1.21_f64 * 1.22).sqrt()));
        assert_eq!(found.verdict, super::super::Verdict::Worse);
        assert_eq!(found.interval.method, Method::PairedBootstrap);
        assert_eq!(
            found.paired,
            Some(Paired {
                blocks: 6,
                left_out: 0
            })
        );
        // Twice Student's, which is smaller than 2 / 2⁶ of the ranks.
        let logarithms = by.map(f64::ln);
        let test = student(&logarithms).unwrap();
        assert!(near(found.p.unwrap(), 2.0 * test.p));
        let unpaired = compared(&without_blocks(pair)).unwrap();
        assert_eq!(unpaired.verdict, super::super::Verdict::Undecided);
        assert_eq!(
            (unpaired.paired, unpaired.interval.method),
            (None, Method::Bootstrap)
        );
    }

    #[test]
    fn three_and_four_blocks_use_student() {
        let found = compared(&medians(&[1.0, 10.0, 100.0], &[2.0, 22.0, 190.0])).unwrap();
        assert_eq!(found.interval.method, Method::PairedStudentLog);
        assert!(near(found.ratio, 2.0));
        let test = student(&[2.0_f64, 2.2, 1.9].map(f64::ln)).unwrap();
        let (low, high) = test.interval();
        assert!(near(found.interval.low, low.exp()) && near(found.interval.high, high.exp()));
        assert!(near(found.p.unwrap(), test.p));
        // t₀.₉₇₅ and t₀.₈ for two degrees of freedom.
        let least = ((4.302_652_729_7 + 1.060_660_171_8) * test.error).exp_m1();
        assert!(near(found.detectable.unwrap(), least));
    }

    #[test]
    fn blocks_of_one_side_are_left_out_if_five_remain() {
        let all = SLOW.map(Some);
        let mut gap = SLOW.map(|it| Some(it * 2.0));
        gap[1] = None;
        let found = compared(&cells([&all, &gap], Statistic::Median)).unwrap();
        let expected = Paired {
            blocks: 5,
            left_out: 1,
        };
        assert!(near(found.ratio, 2.0) && found.n == 5);
        assert_eq!(found.paired, Some(expected));
        gap[2] = None;
        let found = compared(&cells([&all, &gap], Statistic::Median)).unwrap();
        assert_eq!(found.paired, None);
        // A gap of both sides is none.
        let found = compared(&cells([&gap, &gap], Statistic::Median)).unwrap();
        assert_eq!(
            found.paired.map(|it| (it.blocks, it.left_out)),
            Some((4, 0))
        );
    }

    #[test]
    fn what_is_no_pair_is_compared_as_before() {
        let [from, to] = medians(&SLOW, &SLOW.map(|it| it * 1.1));
        let unpaired = compared(&without_blocks([from.clone(), to.clone()])).unwrap();
        let mut other_run = to.clone();
        other_run.run = Some(1);
        let mut twice = to.clone();
        twice.blocks[1] = 0;
        for other in [other_run, twice] {
            assert_eq!(compared(&[from.clone(), other]), Some(unpaired));
        }
        let negative = medians(&[1.0, 2.0, 3.0, 4.0, -1.0], &[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(compared(&negative), compared(&without_blocks(negative)));
    }

    #[test]
    fn means_are_those_printed() {
        let slower = SLOW.map(|it| Some(it * 1.5 + 1.0));
        let pair = cells([&SLOW.map(Some), &slower], Statistic::Mean);
        let found = compared(&pair).unwrap();
        let means = pair.map(|cell| mean_of(&cell.samples));
        assert!(near(found.ratio, means[1] / means[0]));
        assert_eq!(found.interval.method, Method::PairedStudent);
        assert!(found.interval.low > 1.4 && found.interval.high < 1.7);
        assert!(near(
            found.interval.low * found.interval.high,
            found.ratio.powi(2)
        ));
    }

    #[test]
    fn intervals_and_tests_err_as_often_as_they_say() {
        let mut seed = 5_u64;
        let mut draw = |spread: f64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let share = ((seed >> 11) as f64 + 0.5) / 2_f64.powi(53);
            (spread * normal_quantile(share)).exp()
        };
        for count in [3, 4, 5, 6, 8, 12] {
            let (mut held, mut found) = (0, 0);
            for _ in 0..600 {
                let [mut from, mut to] = [Vec::new(), Vec::new()];
                for _ in 0..count {
                    let block = draw(1.0);
                    from.push(block * draw(0.1));
                    to.push(block * draw(0.1));
                }
                let comparison = compared(&medians(&from, &to)).unwrap();
                held += usize::from(comparison.interval.contains(1.0));
                found += usize::from(comparison.p.unwrap() <= 0.05);
            }
            assert!((552..600).contains(&held), "{count}: {held} of 600 hold 1");
            assert!(found <= 43, "{count}: {found} of 600 are found");
        }
    }

    proptest! {
        #[test]
        fn turning_round_turns_the_ratio(
            pairs in prop::collection::vec((1.0..100.0, 1.0..100.0), 3..20),
        ) {
            let (from, to): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let there = compared(&medians(&from, &to)).unwrap();
            let back = compared(&medians(&to, &from)).unwrap();
            prop_assert!(near(there.ratio * back.ratio, 1.0));
            prop_assert!(near(there.interval.low * back.interval.high, 1.0));
            prop_assert!(near(there.interval.high * back.interval.low, 1.0));
            prop_assert!((there.p.unwrap() - back.p.unwrap()).abs() < 1e-9);
            prop_assert!(near(there.detectable.unwrap(), back.detectable.unwrap()));
            prop_assert!(there.interval.contains(there.ratio));
        }

        #[test]
        fn a_slow_block_changes_nothing(
            blocks in prop::collection::vec((1.0..100.0, 1.0..100.0, 0.01..100.0), 3..20),
        ) {
            let side = |of: &dyn Fn(&(f64, f64, f64)) -> f64| blocks.iter().map(of).collect::<Vec<f64>>();
            let plain = compared(&medians(&side(&|it| it.0), &side(&|it| it.1))).unwrap();
            let scaled = medians(&side(&|it| it.0 * it.2), &side(&|it| it.1 * it.2));
            let scaled = compared(&scaled).unwrap();
            prop_assert!(near(plain.ratio, scaled.ratio));
            prop_assert!(near(plain.interval.low, scaled.interval.low));
            prop_assert!(near(plain.interval.high, scaled.interval.high));
            prop_assert!((plain.p.unwrap() - scaled.p.unwrap()).abs() < 1e-9);
        }
    }
}

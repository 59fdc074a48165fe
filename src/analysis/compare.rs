//! Two cells side by side: ratio, interval, verdict.

use super::distribution::student_quantile;
use super::ratio::{self, Found};
use super::significance::holm;
use super::summary::{Samples, variance_of};
use super::{Cell, Interval, Paired};
use crate::model::Direction;

/// What a comparison says, seen from the metric's better direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The new one is better beyond the threshold.
    Better,
    /// The new one is worse beyond the threshold.
    Worse,
    /// The difference is smaller than the threshold.
    Same,
    /// The data can't tell.
    Undecided,
}

impl Verdict {
    /// The message key of its word.
    pub fn key(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Undecided => "undecided",
        }
    }

    /// The verdict on a ratio with its interval.
    ///
    /// Better or worse when the interval excludes 1 and the ratio differs from 1 by the threshold or
    /// more. Same when the whole interval lies within 1 ± threshold. Undecided otherwise, and always
    /// for a real difference in a metric that has no better side.
    pub fn of(ratio: f64, low: f64, high: f64, better: Direction, threshold: f64) -> Self {
        // One part in 10¹² for decimal thresholds that binary fractions miss.
        let (slack, threshold) = (1e-12, threshold.max(0.0));
        let differs = low > 1.0 || high < 1.0;
        if differs && (ratio - 1.0).abs() >= threshold - slack {
            return match better {
                Direction::Neither => Self::Undecided,
                Direction::Higher if ratio > 1.0 => Self::Better,
                Direction::Lower if ratio < 1.0 => Self::Better,
                Direction::Higher | Direction::Lower => Self::Worse,
            };
        }
        if low >= 1.0 - threshold - slack && high <= 1.0 + threshold + slack {
            return Self::Same;
        }
        Self::Undecided
    }
}

/// The result of comparing two cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// `to / from`; where a side is a range or bound, the middle of what is possible, or its finite end.
    /// Within blocks, the median of their ratios, which needn't be the ratio of the two medians.
    pub ratio: f64,
    /// 95 % interval of the ratio; its method is `Assumed` where either side has fewer than three
    /// samples. The high end is infinite, or the low end 0, where a side is a bound.
    pub interval: Interval,
    /// The verdict, before adjustment for the family.
    pub verdict: Verdict,
    /// Smallest relative difference this many samples could show (80 % power, two-sided 5 %), if known.
    pub detectable: Option<f64>,
    /// Samples on the poorer side; within blocks, how many these are.
    pub n: usize,
    /// The blocks that it was found within, if it was.
    pub paired: Option<Paired>,
    /// Two-sided p value; `None` where either side has fewer than three samples. Adjusted once the
    /// comparison has been through [`adjust`].
    pub p: Option<f64>,
}

/// Compares two cells; `None` when either has no value, or when a ratio has no meaning because a
/// value, or what its interval allows for `from`, isn't positive.
///
/// Two cells of the same run are compared within its blocks, where each has one exact sample in each: the
/// median of the ratios within blocks with the interval of a median from five blocks on, and Student's on
/// logarithms with three or four. Blocks that only one side has are left out if five remain.
///
/// Else, from five samples on both sides, the interval holds the percentiles of the bootstrapped ratio of
/// medians. With three or four it is Welch's on logarithms. With fewer, each side is taken with its own
/// interval or ± `noise`, worst against worst. Ranges and bounds are taken at their ends, which
/// decides only what is beyond doubt. Means are compared by Welch's interval of the log ratio (delta
/// method); extremes like single runs.
pub fn compare(
    from: &Cell,
    to: &Cell,
    better: Direction,
    threshold: f64,
    noise: f64,
) -> Option<Comparison> {
    let estimates = [from.estimate.as_ref().ok()?, to.estimate.as_ref().ok()?];
    let Found {
        ratio,
        interval,
        p,
        paired,
    } = ratio::find(from, to, noise)?;
    if !(ratio.is_finite() && ratio > 0.0) {
        return None;
    }
    let interval = Interval {
        low: interval.low.min(ratio),
        high: interval.high.max(ratio),
        method: interval.method,
    };
    Some(Comparison {
        ratio,
        interval,
        verdict: Verdict::of(ratio, interval.low, interval.high, better, threshold),
        detectable: match paired {
            Some((_, least)) => Some(least),
            None => detectable(&from.samples, &to.samples),
        },
        n: match paired {
            Some((paired, _)) => paired.blocks,
            None => estimates[0].n.min(estimates[1].n),
        },
        paired: paired.map(|(paired, _)| paired),
        p,
    })
}

/// Holds a family of comparisons against chance: p values are adjusted by Holm's method, and a better
/// or worse one whose adjusted p exceeds 5 % becomes undecided. Comparisons without p value (single
/// runs against an assumed noise, stated ranges) make no statistical claim and stay as they are.
pub fn adjust<'a>(family: impl IntoIterator<Item = &'a mut Comparison>) {
    let mut tested: Vec<&mut Comparison> = family.into_iter().filter(|it| it.p.is_some()).collect();
    let p: Vec<f64> = tested.iter().filter_map(|it| it.p).collect();
    for (comparison, p) in tested.iter_mut().zip(holm(&p)) {
        comparison.p = Some(p);
        if p > 0.05 && matches!(comparison.verdict, Verdict::Better | Verdict::Worse) {
            comparison.verdict = Verdict::Undecided;
        }
    }
}

/// The smallest relative difference that so many samples with such a spread show in four of five
/// attempts: exp((t₀.₉₇₅ + t₀.₈) · s · √(1/m + 1/n)) − 1, with the pooled standard deviation s of
/// logarithms (after Bloom 1995, "Minimum detectable effects"). `None` for fewer than two samples on
/// a side, or one that isn't positive.
pub fn detectable(from: &[f64], to: &[f64]) -> Option<f64> {
    let logs = [
        Samples::new(from)?.logarithms()?,
        Samples::new(to)?.logarithms()?,
    ];
    let (m, n) = (from.len() as f64, to.len() as f64);
    let freedom = m + n - 2.0;
    let squares = variance_of(&logs[0])? * (m - 1.0) + variance_of(&logs[1])? * (n - 1.0);
    let error = (squares / freedom * (1.0 / m + 1.0 / n)).sqrt();
    let factor = student_quantile(0.975, freedom) + student_quantile(0.8, freedom);
    Some((factor * error).exp_m1())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{experiment, observe};
    use super::super::{Method, Query, Statistic, pivot};
    use super::*;
    use crate::model::{MissingReason, Value};

    fn cell(values: &[Value], statistic: Statistic) -> Cell {
        let mut it = experiment(&[1], Direction::Higher);
        for &value in values {
            observe(&mut it, &[0], 0, Ok(value));
        }
        if values.is_empty() {
            observe(&mut it, &[0], 0, Err(MissingReason::Failed));
        }
        let query = Query {
            statistic,
            ..Query::default()
        };
        pivot(&it, &query).unwrap().cells.remove(0)
    }

    fn exact(samples: &[f64]) -> Cell {
        cell(
            &samples
                .iter()
                .copied()
                .map(Value::Exact)
                .collect::<Vec<_>>(),
            Statistic::Median,
        )
    }

    fn higher(from: &Cell, to: &Cell) -> Option<Comparison> {
        compare(from, to, Direction::Higher, 0.05, 0.05)
    }

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-9 * right.abs()
    }

    #[test]
    fn single_runs_are_taken_with_their_noise() {
        let found = higher(&exact(&[100.0]), &exact(&[120.0])).unwrap();
        assert!(near(found.ratio, 1.2));
        assert!(near(found.interval.low, 114.0 / 105.0) && near(found.interval.high, 126.0 / 95.0));
        assert_eq!(
            (found.interval.method, found.verdict),
            (Method::Assumed, Verdict::Better)
        );
        assert_eq!((found.n, found.p, found.detectable), (1, None, None));
        let verdict = |to: f64, better| {
            compare(&exact(&[100.0]), &exact(&[to]), better, 0.05, 0.05)
                .unwrap()
                .verdict
        };
        assert_eq!(verdict(120.0, Direction::Lower), Verdict::Worse);
        assert_eq!(verdict(120.0, Direction::Neither), Verdict::Undecided);
        assert_eq!(verdict(108.0, Direction::Higher), Verdict::Undecided);
        let quiet = compare(
            &exact(&[100.0]),
            &exact(&[101.0]),
            Direction::Higher,
            0.05,
            0.01,
        );
        assert_eq!(quiet.unwrap().verdict, Verdict::Same);
    }

    #[test]
    fn verdicts_need_both_the_interval_and_the_threshold() {
        let verdict = |ratio, low, high| Verdict::of(ratio, low, high, Direction::Lower, 0.05);
        assert_eq!(verdict(0.90, 0.85, 0.99), Verdict::Better);
        assert_eq!(verdict(0.90, 0.85, 1.01), Verdict::Undecided);
        assert_eq!(verdict(0.97, 0.96, 0.99), Verdict::Same);
        assert_eq!(verdict(0.97, 0.94, 0.99), Verdict::Undecided);
        assert_eq!(verdict(1.05, 1.01, 1.09), Verdict::Worse);
        assert_eq!(verdict(1.00, 0.95, 1.05), Verdict::Same);
    }

    #[test]
    fn three_runs_use_welch_on_logarithms() {
        let (from, to) = ([100.0, 102.0, 98.0], [150.0, 149.0, 154.0]);
        let found = higher(&exact(&from), &exact(&to)).unwrap();
        assert_eq!(
            (found.interval.method, found.verdict),
            (Method::StudentLog, Verdict::Better)
        );
        // scipy: ttest_ind of the logarithms with equal_var=False.
        assert!(
            near(found.interval.low, 1.4466936541144748)
                && near(found.interval.high, 1.5761761710038213)
        );
        assert!(near(found.p.unwrap(), 1.3346172027710432e-05));
        // scipy: exp((t.ppf(.975, 4) + t.ppf(.8, 4)) * pooled sd * sqrt(2/3)) - 1.
        assert!(near(found.detectable.unwrap(), 0.058623869155802755));
    }

    #[test]
    fn five_runs_use_the_bootstrap() {
        let found = higher(
            &exact(&[100.0, 101.0, 99.0, 100.5, 250.0]),
            &exact(&[80.0, 81.0, 79.0, 80.5, 80.2]),
        )
        .unwrap();
        assert_eq!(
            (found.interval.method, found.verdict),
            (Method::Bootstrap, Verdict::Worse)
        );
        assert!(near(found.ratio, 80.2 / 100.5) && near(found.p.unwrap(), 4.0 / 252.0));
    }

    #[test]
    fn ranges_and_bounds_decide_only_what_is_beyond_doubt() {
        let bound = cell(&[Value::Above(600.0)], Statistic::Median);
        let lower = |from: &Cell, to: &Cell| compare(from, to, Direction::Lower, 0.05, 0.05);
        let slower = lower(&exact(&[300.0]), &bound).unwrap();
        assert_eq!(
            (slower.verdict, slower.interval.method),
            (Verdict::Worse, Method::Assumed)
        );
        assert!(near(slower.ratio, 600.0 / 315.0) && slower.interval.high == f64::INFINITY);
        assert_eq!(
            lower(&bound, &exact(&[300.0])).unwrap().verdict,
            Verdict::Better
        );
        assert_eq!(
            lower(&exact(&[700.0]), &bound).unwrap().verdict,
            Verdict::Undecided
        );
        assert_eq!(lower(&bound, &bound).unwrap().verdict, Verdict::Undecided);
        let ranges = [Value::Range(10.0, 20.0), Value::Range(30.0, 40.0)];
        let [from, to] = ranges.map(|range| cell(&[range], Statistic::Median));
        let found = higher(&from, &to).unwrap();
        assert_eq!((found.interval.low, found.interval.high), (1.5, 4.0));
        assert_eq!(
            (found.verdict, found.interval.method),
            (Verdict::Better, Method::Stated)
        );
        let around_zero = cell(&[Value::Range(-0.02, 0.17)], Statistic::Median);
        assert_eq!(higher(&around_zero, &to), None);
    }

    #[test]
    fn what_has_no_ratio_has_no_comparison() {
        assert_eq!(higher(&exact(&[0.0]), &exact(&[1.0])), None);
        assert_eq!(higher(&exact(&[1.0]), &exact(&[-1.0])), None);
        assert_eq!(higher(&exact(&[]), &exact(&[1.0])), None);
        assert_eq!(
            higher(&exact(&[-9.0, 1.0, 1.0]), &exact(&[1.0, 1.0, 1.0])),
            None
        );
    }

    #[test]
    fn means_and_extremes_are_compared_as_such() {
        let samples = |by: f64| [90.0, 100.0, 130.0].map(|it| Value::Exact(it * by));
        let compared = |statistic| {
            higher(
                &cell(&samples(1.0), statistic),
                &cell(&samples(2.0), statistic),
            )
        };
        let means = compared(Statistic::Mean).unwrap();
        assert!(near(means.ratio, 2.0) && means.interval.method == Method::Student);
        assert!(near(means.interval.low * means.interval.high, 4.0));
        assert_eq!(
            compared(Statistic::Max).unwrap().interval.method,
            Method::Assumed
        );
    }

    #[test]
    fn families_are_held_against_chance() {
        let base = higher(&exact(&[1.0]), &exact(&[2.0])).unwrap();
        let mut family = [Some(0.02), Some(0.03), Some(0.9), None].map(|p| Comparison {
            p,
            verdict: Verdict::Better,
            ..base
        });
        adjust(&mut family);
        assert_eq!(
            family.map(|it| it.verdict),
            [
                Verdict::Undecided,
                Verdict::Undecided,
                Verdict::Undecided,
                Verdict::Better
            ]
        );
        assert!(near(family[0].p.unwrap(), 0.06));
        let mut alone = [Comparison {
            p: Some(0.02),
            ..base
        }];
        adjust(&mut alone);
        assert_eq!(alone[0].verdict, Verdict::Better);
    }

    proptest! {
        #[test]
        fn turning_round_turns_the_ratio(
            from in prop::collection::vec(1.0..100.0, 1..9),
            to in prop::collection::vec(1.0..100.0, 1..9),
        ) {
            let there = higher(&exact(&from), &exact(&to)).unwrap();
            let back = higher(&exact(&to), &exact(&from)).unwrap();
            prop_assert!(near(there.ratio * back.ratio, 1.0));
            prop_assert!(near(there.interval.low * back.interval.high, 1.0));
            prop_assert!(there.interval.contains(there.ratio));
            prop_assert!((there.p.unwrap_or(0.0) - back.p.unwrap_or(0.0)).abs() < 1e-12);
        }

        #[test]
        fn no_values_panic(
            from in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 0..9),
            to in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 0..9),
        ) {
            let _ = higher(&exact(&from), &exact(&to));
        }
    }
}

//! Two cells side by side: ratio, interval, verdict.

use super::cell::ends;
use super::distribution::{incomplete_beta, student_quantile};
use super::significance::{holm, mann_whitney, welch};
use super::summary::{Samples, at_rank, variance_of};
use super::{Cell, Estimate, Interval, Method, Statistic};
use crate::model::{Direction, Value};

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
    pub ratio: f64,
    /// 95 % interval of the ratio; its method is `Assumed` where either side has fewer than three
    /// samples. The high end is infinite, or the low end 0, where a side is a bound.
    pub interval: Interval,
    /// The verdict, before adjustment for the family.
    pub verdict: Verdict,
    /// Smallest relative difference this many samples could show (80 % power, two-sided 5 %), if known.
    pub detectable: Option<f64>,
    /// Samples on the poorer side.
    pub n: usize,
    /// Two-sided p value; `None` where either side has fewer than three samples. Adjusted once the
    /// comparison has been through [`adjust`].
    pub p: Option<f64>,
}

/// Compares two cells; `None` when either has no value, or when a ratio has no meaning because a
/// value, or what its interval allows for `from`, isn't positive.
///
/// From five samples on both sides, the interval holds the percentiles of the bootstrapped ratio of
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
    let exact = estimates.map(|it| matches!(it.value, Value::Exact(_)));
    let repeated = Repeated::new(from, to);
    let found = match &repeated {
        Some(repeated) => repeated.ratio(),
        None if exact == [true, true] => None,
        None => Some(stated(estimates, noise)?),
    };
    let (ratio, interval, p) = match found {
        Some(found) => found,
        None => combined(estimates, noise)?,
    };
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
        detectable: detectable(&from.samples, &to.samples),
        n: estimates[0].n.min(estimates[1].n),
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

/// What each way of comparing finds: ratio, interval, p value.
type Found = (f64, Interval, Option<f64>);

/// Two cells with three or more exact samples each.
struct Repeated {
    from: Samples,
    to: Samples,
    ratio: f64,
    statistic: Statistic,
}

impl Repeated {
    fn new(from: &Cell, to: &Cell) -> Option<Self> {
        let side = |cell: &Cell| {
            let estimate = cell.estimate.as_ref().ok()?;
            let Value::Exact(figure) = estimate.value else {
                return None;
            };
            let samples = Samples::new(&cell.samples)?;
            // A median may be exact although some of its samples are bounds.
            let all = samples.len() == estimate.n && estimate.n >= 3 && figure > 0.0;
            all.then_some((figure, samples))
        };
        let (before, from) = side(from)?;
        let (after, to) = side(to)?;
        // A cell doesn't say which statistic it shows, but its samples do.
        let shows =
            |statistic| from.statistic(statistic) == before && to.statistic(statistic) == after;
        let known = [Statistic::Median, Statistic::Mean];
        let statistic = known.into_iter().find(|&it| shows(it))?;
        let ratio = after / before;
        Some(Self {
            from,
            to,
            ratio,
            statistic,
        })
    }

    fn ratio(&self) -> Option<Found> {
        match self.statistic {
            Statistic::Mean => self.of_means(),
            _ if self.fewest() < 5 => self.of_few(),
            _ => self.of_medians(),
        }
    }

    fn fewest(&self) -> usize {
        self.from.len().min(self.to.len())
    }

    /// Welch's interval of the difference of logarithms.
    fn of_few(&self) -> Option<Found> {
        let test = welch(&self.from.logarithms()?, &self.to.logarithms()?)?;
        let (low, high) = test.interval();
        Some((
            self.ratio,
            within(low.exp(), high.exp(), Method::StudentLog),
            Some(test.p),
        ))
    }

    /// Percentiles of the bootstrapped ratio. The p value is twice the smaller one of a rank test and
    /// Welch's test on logarithms (Bonferroni): ranks withstand outliers, but five against five runs
    /// can't bring them below 0.008, too much for a family of seven; logarithms have no such floor.
    fn of_medians(&self) -> Option<Found> {
        let (low, high) = resampled_ratio(self.from.sorted(), self.to.sorted())?;
        let ranks = mann_whitney(self.from.sorted(), self.to.sorted())?.p;
        let p = match (self.from.logarithms(), self.to.logarithms()) {
            (Some(from), Some(to)) => (2.0 * ranks.min(welch(&from, &to)?.p)).min(1.0),
            _ => ranks,
        };
        Some((self.ratio, within(low, high, Method::Bootstrap), Some(p)))
    }

    /// Welch's interval with the relative standard errors of both means.
    fn of_means(&self) -> Option<Found> {
        let relative = |samples: &Samples| -> Vec<f64> {
            let mean = samples.mean();
            samples
                .sorted()
                .iter()
                .map(|sample| sample / mean)
                .collect()
        };
        let mut test = welch(&relative(&self.from), &relative(&self.to))?;
        test.difference = self.ratio.ln();
        let (low, high) = test.interval();
        let p = welch(self.from.sorted(), self.to.sorted())?.p;
        Some((
            self.ratio,
            within(low.exp(), high.exp(), Method::Student),
            Some(p),
        ))
    }
}

fn within(low: f64, high: f64, method: Method) -> Interval {
    Interval { low, high, method }
}

/// The 2.5 % and 97.5 % percentiles of the ratio of two resampled medians, `to / from`, from the exact
/// distributions of both (see [`super::interval`]); `None` if a resampled median of `from` may not be
/// positive. True coverage is 95 to 98 % for 5 to 30 normal, exponential or Cauchy samples a side.
fn resampled_ratio(from: &[f64], to: &[f64]) -> Option<(f64, f64)> {
    let (from, to) = (resampled_median(from), resampled_median(to));
    if from.iter().any(|&(median, _)| median <= 0.0) {
        return None;
    }
    let pairs = from
        .iter()
        .flat_map(|before| to.iter().map(move |after| (before, after)));
    let mut ratios: Vec<(f64, f64)> = pairs
        .map(|(before, after)| (after.0 / before.0, after.1 * before.1))
        .collect();
    ratios.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
    let percentile = |ratios: &mut dyn Iterator<Item = &(f64, f64)>| {
        let mut sum = 0.0;
        let mut inner = ratios.skip_while(|(_, weight)| {
            sum += weight;
            sum < 0.025
        });
        inner.next().map(|(ratio, _)| *ratio)
    };
    Some((
        percentile(&mut ratios.iter())?,
        percentile(&mut ratios.iter().rev())?,
    ))
}

/// The values that a resampled median takes, with their probabilities. Many samples are taken in
/// blocks of neighbours, and those further than seven standard deviations from the middle left out.
fn resampled_median(sorted: &[f64]) -> Vec<(f64, f64)> {
    let count = sorted.len();
    let all = count as f64;
    let half = (3.5 * all.sqrt()).ceil() as usize;
    let (first, last) = (
        (count / 2).saturating_sub(half),
        (count / 2 + half).min(count),
    );
    let block = (last - first).div_ceil(128);
    let shape = (all + 1.0) / 2.0;
    let below = |rank: usize| incomplete_beta(shape, shape, rank as f64 / all);
    let starts = (first..last).step_by(block);
    let weighted = starts.map(|start| {
        let end = (start + block).min(last);
        let middle = (start + 1 + end) as f64 / 2.0;
        (at_rank(sorted, middle), below(end) - below(start))
    });
    weighted.collect()
}

/// Worst against worst, each side with its interval or ± noise; for positive figures.
fn combined(estimates: [&Estimate; 2], noise: f64) -> Option<Found> {
    let [from, to] = estimates.map(|estimate| side(estimate, noise));
    let method = match estimates.map(|it| it.interval) {
        [Some(known), Some(_)] => known.method,
        _ => Method::Assumed,
    };
    let [Value::Exact(before), Value::Exact(after)] = estimates.map(|it| it.value) else {
        return None;
    };
    if from.0 <= 0.0 || before <= 0.0 || after <= 0.0 {
        return None;
    }
    let interval = within(
        to.0 / if to.0 < 0.0 { from.0 } else { from.1 },
        to.1 / from.0,
        method,
    );
    Some((after / before, interval, None))
}

/// Where a side is a range or bound: from the ends. A figure below a bound is taken as positive.
fn stated(estimates: [&Estimate; 2], noise: f64) -> Option<Found> {
    let [from, to] = estimates.map(|estimate| {
        let (low, high) = side(estimate, noise);
        (if low == f64::NEG_INFINITY { 0.0 } else { low }, high)
    });
    let open = |side: (f64, f64)| side.0 < 0.0 || side.1 <= 0.0;
    if open(from) || open(to) {
        return None;
    }
    let low = to.0 / from.1;
    let high = if from.0 > 0.0 {
        to.1 / from.0
    } else {
        f64::INFINITY
    };
    let ratio = match (low > 0.0, high.is_finite()) {
        (true, true) => (low * high).sqrt(),
        (true, false) => low,
        (false, true) => high,
        (false, false) => 1.0,
    };
    Some((ratio, within(low, high, Method::Stated), None))
}

/// What an estimate allows.
fn side(estimate: &Estimate, noise: f64) -> (f64, f64) {
    match (estimate.interval, estimate.value) {
        (Some(interval), _) => (interval.low, interval.high),
        (None, Value::Exact(figure)) => {
            (figure - noise * figure.abs(), figure + noise * figure.abs())
        }
        (None, value) => ends(value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{experiment, observe};
    use super::super::{Query, pivot};
    use super::*;
    use crate::model::MissingReason;

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
            (Verdict::Worse, Method::Stated)
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
        assert_eq!(found.verdict, Verdict::Better);
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

    #[test]
    fn intervals_of_equal_medians_hold_one_as_often_as_they_say() {
        let mut seed = 1_u64;
        let mut draw = |count: usize| -> Vec<f64> {
            let next = |_| {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let share = ((seed >> 11) as f64 + 0.5) / 2_f64.powi(53);
                (0.1 * super::super::distribution::normal_quantile(share)).exp()
            };
            let mut samples: Vec<f64> = (0..count).map(next).collect();
            samples.sort_by(f64::total_cmp);
            samples
        };
        for count in [5, 7, 10] {
            let holds = |(low, high): (f64, f64)| low <= 1.0 && high >= 1.0;
            let held = (0..600)
                .filter(|_| holds(resampled_ratio(&draw(count), &draw(count)).unwrap()))
                .count();
            assert!((558..600).contains(&held), "{count}: {held} of 600");
        }
    }

    #[test]
    fn many_samples_are_taken_in_blocks() {
        let samples: Vec<f64> = (0..100_001).map(|it| 1e6 + f64::from(it)).collect();
        let weights: f64 = resampled_median(&samples).iter().map(|it| it.1).sum();
        assert!((weights - 1.0).abs() < 1e-9);
        let (low, high) = resampled_ratio(&samples, &samples).unwrap();
        // Each median has the standard error 100 001 / (2 √100 001) = 158 in 1.05 × 10⁶.
        let expected = 1.96 * 2_f64.sqrt() * 158.1 / 1.05e6;
        assert!((high - 1.0 - expected).abs() < 0.05 * expected);
        assert!((1.0 - low - expected).abs() < 0.05 * expected);
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

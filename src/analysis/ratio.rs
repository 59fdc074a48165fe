//! The ways to find the ratio of two cells, by what is known of them.

use super::cell::ends;
use super::distribution::incomplete_beta;
use super::paired::{self, Paired};
use super::significance::{mann_whitney, welch};
use super::summary::{Samples, at_rank};
use super::{Cell, Estimate, Interval, Method, Statistic};
use crate::model::Value;

/// What each way of comparing finds.
pub(super) struct Found {
    /// `to / from`.
    pub(super) ratio: f64,
    /// Its 95 % interval.
    pub(super) interval: Interval,
    /// Two-sided p value, where there are repetitions.
    pub(super) p: Option<f64>,
    /// The blocks that it was found within, and the smallest relative difference that these could show.
    pub(super) paired: Option<(Paired, f64)>,
}

/// The ratio of two cells by the best way that their samples allow (see [`super::compare::compare`]).
pub(super) fn find(from: &Cell, to: &Cell, noise: f64) -> Option<Found> {
    let estimates = [from.estimate.as_ref().ok()?, to.estimate.as_ref().ok()?];
    let repeated = Repeated::new(from, to).and_then(|repeated| {
        let paired = paired::find(from, to, repeated.statistic);
        paired.or_else(|| repeated.ratio())
    });
    match estimates.map(|it| it.value) {
        [Value::Exact(before), Value::Exact(after)] => {
            repeated.or_else(|| combined(estimates, after / before, noise))
        }
        _ => stated(estimates, noise),
    }
}

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
        self.found(low.exp(), high.exp(), Method::StudentLog, test.p)
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
        self.found(low, high, Method::Bootstrap, p)
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
        self.found(low.exp(), high.exp(), Method::Student, p)
    }

    fn found(&self, low: f64, high: f64, method: Method, p: f64) -> Option<Found> {
        Some(Found {
            ratio: self.ratio,
            interval: Interval { low, high, method },
            p: Some(p),
            paired: None,
        })
    }
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
    // From both ends inwards alike, so that turning the ratio round turns its interval.
    let percentile = |inwards: &mut dyn Iterator<Item = &(f64, f64)>| {
        let mut sum = 0.0;
        let mut inner = inwards.skip_while(|(_, weight)| {
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

/// The values that a resampled median takes, ascending, with their probabilities. Many samples are taken in
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
fn combined(estimates: [&Estimate; 2], ratio: f64, noise: f64) -> Option<Found> {
    let [from, to] = estimates.map(|estimate| side(estimate, noise));
    if from.0 <= 0.0 || ratio <= 0.0 {
        return None;
    }
    let method = match estimates.map(|it| it.interval) {
        [Some(known), Some(_)] => known.method,
        _ => Method::Assumed,
    };
    let interval = Interval {
        low: to.0 / if to.0 < 0.0 { from.0 } else { from.1 },
        high: to.1 / from.0,
        method,
    };
    Some(untested(ratio, interval))
}

/// Where a side is a range or bound: from the ends. A figure below a bound is taken as positive.
fn stated(estimates: [&Estimate; 2], noise: f64) -> Option<Found> {
    let [from, to] = estimates.map(|estimate| {
        let (low, high) = side(estimate, noise);
        (if low == f64::NEG_INFINITY { 0.0 } else { low }, high)
    });
    if [from, to].iter().any(|side| side.0 < 0.0 || side.1 <= 0.0) {
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
    let assumed = |it: &&Estimate| matches!(it.value, Value::Exact(_)) && it.interval.is_none();
    let method = match estimates.iter().any(assumed) {
        true => Method::Assumed,
        false => Method::Stated,
    };
    Some(untested(ratio, Interval { low, high, method }))
}

fn untested(ratio: f64, interval: Interval) -> Found {
    Found {
        ratio,
        interval,
        p: None,
        paired: None,
    }
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
    use super::super::distribution::normal_quantile;
    use super::*;

    #[test]
    fn intervals_of_equal_medians_hold_one_as_often_as_they_say() {
        let mut seed = 1_u64;
        let mut draw = |count: usize| -> Vec<f64> {
            let next = |_| {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let share = ((seed >> 11) as f64 + 0.5) / 2_f64.powi(53);
                (0.1 * normal_quantile(share)).exp()
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
}

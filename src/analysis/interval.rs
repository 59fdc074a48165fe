//! 95 % intervals for a median or a mean, by sample size.
//!
//! The interval of a median from five samples on is the percentile bootstrap, computed instead of
//! drawn. Resampling a median only ever picks order statistics, and how often it picks which one
//! depends on the number of samples alone: P(resampled median ≤ k-th smallest) = I(k/n) of the beta
//! distribution with both shapes (n + 1)/2 (Efron 1979, "Bootstrap methods"; for even n the weights
//! of Harrell and Davis 1982, "A new distribution-free quantile estimator"). So the percentiles need
//! no random numbers, no seed and no two thousand resamples; between order statistics they are
//! interpolated. True coverage for normal, log-normal, exponential and Cauchy samples is 94 % at n = 5
//! and 96 to 98 % from 6 to 50. The BCa variant is not used: its acceleration rests on the jackknife,
//! which is inconsistent for a median.

use std::sync::LazyLock;

use super::distribution::{beta_quantile, student_quantile};
use super::summary::{Samples, at_rank, mean_of, variance_of};

/// How an interval was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Percentiles of resampled medians, computed exactly.
    Bootstrap,
    /// Student's t on logarithms.
    StudentLog,
    /// Student's t on the values themselves: for means, and where a sample isn't positive.
    Student,
    /// Percentiles of resampled medians of the ratios within blocks.
    PairedBootstrap,
    /// Student's t on the logarithms of the ratios within blocks.
    PairedStudentLog,
    /// Student's t on what is left within blocks of a ratio of means.
    PairedStudent,
    /// The stated relative noise of the experiment, for want of repetitions.
    Assumed,
    /// The ends that the data state themselves (a range, a timeout's limit).
    Stated,
}

/// An interval with its method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end, in the unit of the samples.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How it was found.
    pub method: Method,
}

impl Interval {
    /// An interval stretched, if need be, to hold the figure it belongs to.
    fn around(figure: f64, low: f64, high: f64, method: Method) -> Self {
        Self {
            low: low.min(figure),
            high: high.max(figure),
            method,
        }
    }

    /// Whether a value lies in it, ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The interval of the median: bootstrap from five samples on, Student's t on logarithms for three
/// and four (on the values if one isn't positive), `None` below.
pub fn of_median(samples: &Samples) -> Option<Interval> {
    let median = samples.median();
    match samples.len() {
        0..3 => None,
        3 | 4 => Some(match samples.logarithms() {
            Some(logs) => {
                let (low, high) = student(&logs)?;
                Interval::around(median, low.exp(), high.exp(), Method::StudentLog)
            }
            None => {
                let (low, high) = student(samples.sorted())?;
                Interval::around(median, low, high, Method::Student)
            }
        }),
        _ => {
            let (low, high) = bootstrap(samples.sorted());
            Some(Interval::around(median, low, high, Method::Bootstrap))
        }
    }
}

/// The interval of the mean by Student's t; `None` below three samples.
pub fn of_mean(samples: &Samples) -> Option<Interval> {
    if samples.len() < 3 {
        return None;
    }
    let (low, high) = student(samples.sorted())?;
    Some(Interval::around(samples.mean(), low, high, Method::Student))
}

/// Mean ± t · s/√n.
fn student(values: &[f64]) -> Option<(f64, f64)> {
    let error = (variance_of(values)? / values.len() as f64).sqrt();
    let margin = known(&STUDENT, values.len(), student_factor) * error;
    let mean = mean_of(values);
    Some((mean - margin, mean + margin))
}

/// The 2.5 % and 97.5 % percentiles of the resampled median of ascending values.
pub(super) fn bootstrap(sorted: &[f64]) -> (f64, f64) {
    let count = sorted.len() as f64;
    let rank = count * known(&BOOTSTRAP, sorted.len(), bootstrap_share);
    (at_rank(sorted, rank), at_rank(sorted, count + 1.0 - rank))
}

/// t of 97.5 % for so many samples.
fn student_factor(count: usize) -> f64 {
    student_quantile(0.975, count as f64 - 1.0)
}

/// Where among so many samples the resampled median has its 2.5 % percentile, as a share of them.
fn bootstrap_share(count: usize) -> f64 {
    let shape = (count as f64 + 1.0) / 2.0;
    beta_quantile(0.025, shape, shape)
}

/// Constants by number of samples: every cell of a large table asks for the same few.
type Table = LazyLock<Vec<f64>>;
static STUDENT: Table = LazyLock::new(|| table(student_factor));
static BOOTSTRAP: Table = LazyLock::new(|| table(bootstrap_share));

fn table(compute: fn(usize) -> f64) -> Vec<f64> {
    (0..=64)
        .map(|count| if count < 2 { f64::NAN } else { compute(count) })
        .collect()
}

fn known(table: &Table, count: usize, compute: fn(usize) -> f64) -> f64 {
    let known = table.get(count).copied();
    known.unwrap_or_else(|| compute(count))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::LN_10;

    use proptest::prelude::*;

    use super::*;

    fn interval(samples: &[f64]) -> Option<Interval> {
        of_median(&Samples::new(samples).unwrap())
    }

    #[test]
    fn five_samples_span_all_and_ten_leave_out_the_ends() {
        let five = interval(&[3.0, 1.0, 2.0, 5.0, 4.0]).unwrap();
        assert_eq!(
            (five.low, five.high, five.method),
            (1.0, 5.0, Method::Bootstrap)
        );
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        let ten = interval(&ten).unwrap();
        // The 2.5 % point of Beta(5.5, 5.5) is 0.223 528 670 25.
        assert!(
            (ten.low - 2.235_286_702_5).abs() < 1e-9 && (ten.high - 8.764_713_297_5).abs() < 1e-9
        );
    }

    #[test]
    fn exact_percentiles_agree_with_drawn_ones() {
        let samples: Vec<f64> = (0..41).map(|index| f64::from(index * index)).collect();
        let mut seed = 7_u64;
        let mut draw = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            samples[(seed >> 33) as usize % samples.len()]
        };
        let mut medians: Vec<f64> = (0..4000)
            .map(|_| {
                let mut resample: Vec<f64> = (0..41).map(|_| draw()).collect();
                resample.sort_by(f64::total_cmp);
                resample[20]
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        let exact = interval(&samples).unwrap();
        // Drawn percentiles jump from one order statistic to the next; ours lie at most one away.
        let place = |value: f64| value.sqrt();
        assert!((place(exact.low) - place(medians[99])).abs() <= 1.0);
        assert!((place(exact.high) - place(medians[3899])).abs() <= 1.0);
    }

    #[test]
    fn few_samples_use_student_and_fewer_have_none() {
        let three = interval(&[1.0, 10.0, 100.0]).unwrap();
        // ln: mean 2.302585, s = 2.302585, margin 4.302653 · s / √3 = 5.719938.
        assert_eq!(three.method, Method::StudentLog);
        assert!((three.low.ln() - (LN_10 - 5.719_938_5)).abs() < 1e-6);
        assert!((three.high.ln() - (LN_10 + 5.719_938_5)).abs() < 1e-6);
        let four = interval(&[-1.0, 0.0, 1.0, 2.0]).unwrap();
        assert_eq!(four.method, Method::Student);
        // s = 1.290994, margin 3.182446 · s / 2.
        assert!((four.high - (0.5 + 2.054_260_3)).abs() < 1e-6);
        assert_eq!(interval(&[1.0, 2.0]), None);
    }

    proptest! {
        #[test]
        fn holds_the_middle_and_scales(samples in prop::collection::vec(1e-3..1e6, 3..60)) {
            let known = Samples::new(&samples).unwrap();
            let one = of_median(&known).unwrap();
            prop_assert!(one.contains(known.median()));
            prop_assert!(of_mean(&known).unwrap().contains(known.mean()));
            let doubled: Vec<f64> = samples.iter().map(|sample| sample * 2.0).collect();
            let two = interval(&doubled).unwrap();
            prop_assert!((two.low - 2.0 * one.low).abs() <= 1e-9 * two.low);
            prop_assert!((two.high - 2.0 * one.high).abs() <= 1e-9 * two.high);
        }

        #[test]
        fn never_panics(samples in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 1..20)) {
            if let Some(known) = Samples::new(&samples) {
                let _ = (of_median(&known), of_mean(&known));
            }
        }
    }
}

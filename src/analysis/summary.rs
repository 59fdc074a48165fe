//! Middle and spread of samples.

use super::Statistic;

/// Samples that exist and are finite, in ascending order: never empty, never NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    sorted: Vec<f64>,
}

impl Samples {
    /// Takes samples in any order; `None` when there are none or one isn't finite.
    pub fn new(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || samples.iter().any(|sample| !sample.is_finite()) {
            return None;
        }
        let mut sorted = samples.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(Self { sorted })
    }

    /// In ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// How many there are: at least one.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The smallest.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The largest.
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// The figure that a statistic makes of them.
    pub fn statistic(&self, statistic: Statistic) -> f64 {
        match statistic {
            Statistic::Median => self.median(),
            Statistic::Mean => self.mean(),
            Statistic::Min => self.min(),
            Statistic::Max => self.max(),
        }
    }

    /// The median; an even count gives the mean of the middle two.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Quantile of type R-7 (Hyndman and Fan 1996, "Sample quantiles in statistical packages"):
    /// linear between order statistics, the default of R, NumPy and spreadsheets.
    pub fn quantile(&self, share: f64) -> f64 {
        quantile_of_sorted(&self.sorted, share)
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> f64 {
        mean_of(&self.sorted).clamp(self.min(), self.max())
    }

    /// The geometric mean; `None` when a sample isn't positive.
    pub fn geometric_mean(&self) -> Option<f64> {
        let logs = self.logarithms()?;
        Some(mean_of(&logs).exp().clamp(self.min(), self.max()))
    }

    /// The mean of what is left after cutting `share` of the samples (rounded down) off each end;
    /// from one half on, the median.
    pub fn trimmed_mean(&self, share: f64) -> f64 {
        let cut = (share.clamp(0.0, 0.5) * self.len() as f64).floor() as usize;
        match self.sorted.get(cut..self.len() - cut) {
            Some(rest) if !rest.is_empty() => mean_of(rest).clamp(rest[0], rest[rest.len() - 1]),
            _ => self.median(),
        }
    }

    /// The unbiased variance, in two passes; `None` for a single sample.
    pub fn variance(&self) -> Option<f64> {
        variance_of(&self.sorted)
    }

    /// The square root of the variance; `None` for a single sample.
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Median absolute deviation from the median, as it is: times 1.4826 it estimates the standard
    /// deviation of normal samples.
    pub fn median_absolute_deviation(&self) -> f64 {
        let middle = self.median();
        let mut away: Vec<f64> = self
            .sorted
            .iter()
            .map(|sample| (sample - middle).abs())
            .collect();
        away.sort_unstable_by(f64::total_cmp);
        quantile_of_sorted(&away, 0.5)
    }

    /// Natural logarithms, ascending; `None` when a sample isn't positive.
    pub fn logarithms(&self) -> Option<Vec<f64>> {
        (self.min() > 0.0).then(|| self.sorted.iter().map(|sample| sample.ln()).collect())
    }
}

/// The median; `None` for no samples. Even counts give the mean of the middle two.
pub fn median(samples: &[f64]) -> Option<f64> {
    quantile(samples, 0.5)
}

/// Quantile of type R-7 (Hyndman and Fan 1996): linear between order statistics.
pub fn quantile(samples: &[f64], share: f64) -> Option<f64> {
    Some(Samples::new(samples)?.quantile(share))
}

/// How far a sample stands from the others. Flagged, drawn, never dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlier {
    /// Within the fences.
    No,
    /// More than 1.5 interquartile ranges outside the quartiles.
    Mild,
    /// More than 3 interquartile ranges outside the quartiles.
    Far,
}

/// Tukey's fences (Tukey 1977, "Exploratory data analysis"), in the order of the samples. Fewer than
/// five samples have no outliers: their quartiles say too little.
pub fn outliers(samples: &[f64]) -> Vec<Outlier> {
    let known = Samples::new(samples).filter(|known| known.len() >= 5);
    let Some(known) = known else {
        return vec![Outlier::No; samples.len()];
    };
    let (low, high) = (known.quantile(0.25), known.quantile(0.75));
    let range = high - low;
    let outside =
        |sample: f64, times: f64| sample < low - times * range || sample > high + times * range;
    let flag = |&sample: &f64| match sample {
        _ if outside(sample, 3.0) => Outlier::Far,
        _ if outside(sample, 1.5) => Outlier::Mild,
        _ => Outlier::No,
    };
    samples.iter().map(flag).collect()
}

/// R-7 on ascending values, which may be infinite but not NaN. Not for empty slices.
pub(super) fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    at_rank(
        sorted,
        1.0 + share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64,
    )
}

/// The value at a one-based, possibly fractional rank, kept within the first and the last.
pub(super) fn at_rank(sorted: &[f64], rank: f64) -> f64 {
    let at = (rank - 1.0).clamp(0.0, (sorted.len() - 1) as f64);
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    between(low, high, at.fract())
}

/// The point at `share` of the way from `low` up to `high`; an infinite end wins.
fn between(low: f64, high: f64, share: f64) -> f64 {
    if share == 0.0 || low == high || low == f64::NEG_INFINITY {
        return low;
    }
    let width = high - low;
    if width.is_finite() || high == f64::INFINITY {
        (low + width * share).min(high)
    } else {
        low * (1.0 - share) + high * share
    }
}

/// The arithmetic mean of values that exist.
pub(super) fn mean_of(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let sum: f64 = values.iter().sum();
    if sum.is_finite() {
        sum / count
    } else {
        values.iter().map(|value| value / count).sum()
    }
}

/// The unbiased variance; `None` for fewer than two values.
pub(super) fn variance_of(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean_of(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(squares / (values.len() - 1) as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-12 * left.abs().max(right.abs()).max(1e-300)
    }

    #[test]
    fn quantiles_agree_with_numpy_and_r() {
        let samples = [10.0, 2.0, 1.0, 4.0, 3.0];
        for (share, expected) in [(0.1, 1.4), (0.25, 2.0), (0.5, 3.0), (0.9, 7.6)] {
            assert!(
                near(quantile(&samples, share).unwrap(), expected),
                "{share}"
            );
        }
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn spread_agrees_with_textbook_figures() {
        let samples = Samples::new(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!(near(samples.mean(), 5.0));
        assert!(near(samples.variance().unwrap(), 32.0 / 7.0));
        let samples = Samples::new(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]).unwrap();
        assert!(near(samples.median_absolute_deviation(), 1.0));
        assert!(near(samples.trimmed_mean(0.2), 3.0));
        assert!(near(samples.trimmed_mean(0.5), 2.0));
        let samples = Samples::new(&[1.0, 10.0, 100.0]).unwrap();
        assert!(near(samples.geometric_mean().unwrap(), 10.0));
        assert_eq!(Samples::new(&[0.0, 1.0]).unwrap().geometric_mean(), None);
        assert_eq!(Samples::new(&[3.0]).unwrap().variance(), None);
    }

    #[test]
    fn outliers_are_flagged_in_place() {
        let flags = outliers(&[10.0, 11.0, 100.0, 12.0, 13.0, 17.5, 11.5]);
        assert_eq!(flags[2], Outlier::Far);
        assert_eq!(flags.iter().filter(|&&flag| flag != Outlier::No).count(), 1);
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 99.0]), vec![Outlier::No; 4]);
        let flags = outliers(&[1.0, 2.0, 3.0, 4.0, 5.0, 9.0]);
        assert_eq!(flags[5], Outlier::Mild);
    }

    #[test]
    fn infinite_ends_win_between_ranks() {
        let infinity = f64::INFINITY;
        assert_eq!(quantile_of_sorted(&[-infinity, 1.0], 0.5), -infinity);
        assert_eq!(quantile_of_sorted(&[1.0, infinity], 0.5), infinity);
        assert_eq!(
            quantile_of_sorted(&[1.0, infinity, infinity], 0.75),
            infinity
        );
        assert!(quantile_of_sorted(&[-f64::MAX, f64::MAX], 0.5).is_finite());
    }

    fn some_samples() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-1e6..1e6, 1..40)
    }

    proptest! {
        #[test]
        fn every_middle_lies_among_the_samples(samples in some_samples(), share in 0.0..=1.0) {
            let known = Samples::new(&samples).unwrap();
            let inside = known.min()..=known.max();
            for middle in [known.median(), known.mean(), known.quantile(share), known.trimmed_mean(share)] {
                prop_assert!(inside.contains(&middle));
            }
        }

        #[test]
        fn order_does_not_matter(samples in some_samples()) {
            let mut turned = samples.clone();
            turned.reverse();
            prop_assert_eq!(Samples::new(&samples), Samples::new(&turned));
        }

        #[test]
        fn summaries_scale_with_the_samples(samples in some_samples()) {
            let doubled: Vec<f64> = samples.iter().map(|sample| sample * 2.0).collect();
            let (one, two) = (Samples::new(&samples).unwrap(), Samples::new(&doubled).unwrap());
            prop_assert_eq!(one.median() * 2.0, two.median());
            prop_assert_eq!(one.mean() * 2.0, two.mean());
            prop_assert_eq!(one.median_absolute_deviation() * 2.0, two.median_absolute_deviation());
        }
    }
}

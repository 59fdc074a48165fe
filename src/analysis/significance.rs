//! Tests of a difference, and what a family of them may claim.

use super::distribution::{normal_cdf, student_quantile, student_two_sided};
use super::summary::{mean_of, variance_of};

/// The outcome of a rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankTest {
    /// How often a value of the first group exceeds one of the second; ties count one half.
    pub u: f64,
    /// Two-sided p value.
    pub p: f64,
    /// Whether p counts every arrangement, or approximates by the normal distribution.
    pub exact: bool,
}

/// Groups up to this size have exact p values: C(40, 20) arrangements still count exactly in `f64`.
const EXACT: usize = 20;

/// The test of Mann and Whitney (1947, "On a test of whether one of two random variables is
/// stochastically larger than the other"), two-sided.
///
/// Exact for groups of up to 20 without ties; else the normal approximation with the variance
/// corrected for ties (Lehmann 1975, "Nonparametrics", 1.2) and for continuity. `None` for an empty
/// group or a NaN.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Option<RankTest> {
    let values: Vec<f64> = first.iter().chain(second).copied().collect();
    if first.is_empty() || second.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let (ranks, ties) = ranks(&values);
    let (m, n) = (first.len() as f64, second.len() as f64);
    let u = ranks[..first.len()].iter().sum::<f64>() - m * (m + 1.0) / 2.0;
    let less = u.min(m * n - u);
    let exact = ties == 0.0 && first.len().max(second.len()) <= EXACT;
    let p = if exact {
        let counts = arrangements(first.len(), second.len());
        let all: f64 = counts.iter().sum();
        2.0 * counts.iter().take(less as usize + 1).sum::<f64>() / all
    } else {
        let all = m + n;
        let variance = m * n / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
        if variance > 0.0 {
            let z = (m * n / 2.0 - less - 0.5).max(0.0) / variance.sqrt();
            2.0 * normal_cdf(-z)
        } else {
            1.0
        }
    };
    Some(RankTest {
        u,
        p: p.min(1.0),
        exact,
    })
}

/// In how many of all arrangements of `m` and `n` untied values U is 0, 1, 2 …: the coefficients of
/// the Gaussian binomial ∏ (1 − qⁿ⁺ⁱ) / (1 − qⁱ), i = 1 … m.
fn arrangements(m: usize, n: usize) -> Vec<f64> {
    let mut counts = vec![0.0; m * n + 1];
    counts[0] = 1.0;
    for i in 1..=m {
        for u in (n + i..counts.len()).rev() {
            counts[u] -= counts[u - n - i];
        }
        for u in i..counts.len() {
            counts[u] += counts[u - i];
        }
    }
    counts
}

/// Ranks from one, ties at their mean rank, and Σ(t³ − t) over groups of t ties. Not for NaN.
pub(super) fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let (mut ties, mut before) = (0.0, 0.0);
    for group in order.chunk_by(|&left, &right| values[left] == values[right]) {
        let count = group.len() as f64;
        for &index in group {
            ranks[index] = before + (count + 1.0) / 2.0;
        }
        ties += count.powi(3) - count;
        before += count;
    }
    (ranks, ties)
}

/// The outcome of a test of two means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanTest {
    /// Mean of the second group less that of the first.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: f64,
    /// Degrees of freedom.
    pub freedom: f64,
    /// Two-sided p value.
    pub p: f64,
}

impl MeanTest {
    /// The 95 % interval of the difference.
    pub fn interval(&self) -> (f64, f64) {
        let margin = if self.error > 0.0 {
            student_quantile(0.975, self.freedom) * self.error
        } else {
            0.0
        };
        (self.difference - margin, self.difference + margin)
    }
}

/// Welch's test of two means with unequal variances, degrees of freedom by Satterthwaite
/// (Welch 1947, "The generalization of 'Student's' problem when several different population
/// variances are involved"). `None` for fewer than two values in a group.
pub fn welch(first: &[f64], second: &[f64]) -> Option<MeanTest> {
    let (m, n) = (first.len() as f64, second.len() as f64);
    let (a, b) = (variance_of(first)? / m, variance_of(second)? / n);
    let difference = mean_of(second) - mean_of(first);
    let error = (a + b).sqrt();
    let freedom = (a + b).powi(2) / (a * a / (m - 1.0) + b * b / (n - 1.0));
    let freedom = if freedom.is_finite() {
        freedom
    } else {
        m + n - 2.0
    };
    let p = match (error > 0.0, difference == 0.0) {
        (true, _) => student_two_sided(difference / error, freedom),
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    Some(MeanTest {
        difference,
        error,
        freedom,
        p,
    })
}

/// Adjusts the p values of a family so that the chance of one false finding among all stays below
/// the level they are held against, in the order given (Holm 1979, "A simple sequentially rejective
/// multiple test procedure").
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&left, &right| p[left].total_cmp(&p[right]));
    let mut adjusted = vec![1.0; p.len()];
    let mut most = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        most = most.max((p.len() - place) as f64 * p[index]).min(1.0);
        adjusted[index] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() <= 1e-10 * right.abs()
    }

    #[test]
    fn mann_whitney_agrees_with_hollander_and_wolfe() {
        // Permeability of the placenta, Hollander and Wolfe 1973, p. 69: W = 35, two-sided p = 0.2544.
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let early = [1.15, 0.88, 0.90, 0.74, 1.21];
        let test = mann_whitney(&at_term, &early).unwrap();
        assert!(test.exact && test.u == 35.0 && near(test.p, 0.254_412_254_412_254_4));
        let turned = mann_whitney(&early, &at_term).unwrap();
        assert!(turned.u == 15.0 && near(turned.p, test.p));
    }

    #[test]
    fn mann_whitney_with_ties_agrees_with_scipy() {
        let test =
            mann_whitney(&[1.0, 2.0, 2.0, 3.0, 5.0, 5.0], &[2.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        assert!(!test.exact && test.u == 7.0 && near(test.p, 0.163_045_055_854_237_34));
        assert_eq!(mann_whitney(&[1.0], &[1.0]).unwrap().p, 1.0);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn arrangements_count_all() {
        assert_eq!(arrangements(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
        assert_eq!(arrangements(20, 20).iter().sum::<f64>(), 137_846_528_820.0);
        // Two separated groups of five: 2 / C(10, 5).
        let test = mann_whitney(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]).unwrap();
        assert!(near(test.p, 2.0 / 252.0));
    }

    #[test]
    fn welch_agrees_with_r_on_the_sleep_data() {
        // Student's sleep data as in R's `t.test(extra ~ group)`: t = -1.8608, df = 17.776, p = 0.07939.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let test = welch(&first, &second).unwrap();
        assert!(near(test.freedom, 17.776_473_516_178_488));
        assert!(near(test.p, 0.079_394_140_187_358_3));
        let (low, high) = test.interval();
        assert!(near(low, -0.205_483_230_721_711_37) && near(high, 3.365_483_230_721_711));
    }

    #[test]
    fn welch_without_spread_is_certain() {
        assert_eq!(welch(&[1.0, 1.0], &[1.0, 1.0]).unwrap().p, 1.0);
        assert_eq!(welch(&[1.0, 1.0], &[2.0, 2.0]).unwrap().p, 0.0);
        assert_eq!(welch(&[1.0], &[2.0, 2.0]), None);
    }

    #[test]
    fn holm_steps_down() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!(near(*found, expected), "{adjusted:?}");
        }
        assert!(holm(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn holm_keeps_order_and_never_lowers(p in prop::collection::vec(0.0..=1.0, 0..20)) {
            let adjusted = holm(&p);
            for (index, &one) in p.iter().enumerate() {
                prop_assert!(adjusted[index] >= one && adjusted[index] <= 1.0);
                for (other, &two) in p.iter().enumerate() {
                    prop_assert!(one > two || adjusted[index] <= adjusted[other]);
                }
            }
        }

        #[test]
        fn tests_are_symmetric(
            first in prop::collection::vec(0.0..100.0, 2..12),
            second in prop::collection::vec(0.0..100.0, 2..12),
        ) {
            let ranks = [mann_whitney(&first, &second).unwrap(), mann_whitney(&second, &first).unwrap()];
            prop_assert!((ranks[0].p - ranks[1].p).abs() < 1e-12);
            prop_assert!((0.0..=1.0).contains(&ranks[0].p));
            let means = [welch(&first, &second).unwrap(), welch(&second, &first).unwrap()];
            prop_assert!((means[0].p - means[1].p).abs() < 1e-12);
        }
    }
}

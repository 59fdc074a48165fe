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

/// The outcome of a signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRankTest {
    /// Sum of the ranks of the positive differences.
    pub w: f64,
    /// Two-sided p value.
    pub p: f64,
    /// Whether p counts every choice of signs, or approximates by the normal distribution.
    pub exact: bool,
}

/// Up to so many differences have exact p values.
const EXACT_SIGNS: usize = 50;

/// The signed-rank test of paired differences (Wilcoxon 1945, "Individual comparisons by ranking
/// methods"), two-sided.
///
/// Zeros are ranked with the others and then left out (Pratt 1959, "Remarks on zeros and ties in the
/// Wilcoxon signed rank procedures"); ties share their mean rank. For up to 50 differences p counts all
/// choices of signs for the ranks as they are, so it is exact with ties and zeros too; else the normal
/// approximation with the variance of these ranks and corrected for continuity. `None` for no
/// differences or a NaN.
pub fn signed_rank(differences: &[f64]) -> Option<SignedRankTest> {
    if differences.is_empty() || differences.iter().any(|it| it.is_nan()) {
        return None;
    }
    let sizes: Vec<f64> = differences.iter().map(|it| it.abs()).collect();
    let (ranks, _) = ranks(&sizes);
    let signed = || ranks.iter().zip(differences).filter(|it| *it.1 != 0.0);
    let all: f64 = signed().map(|(rank, _)| rank).sum();
    let w: f64 = signed().filter(|it| *it.1 > 0.0).map(|it| it.0).sum();
    let less = w.min(all - w);
    let exact = differences.len() <= EXACT_SIGNS;
    let p = if exact {
        // Twice a mean rank is whole.
        let doubled: Vec<usize> = signed().map(|(rank, _)| (2.0 * rank) as usize).collect();
        let chances = sign_chances(&doubled);
        let up_to = (2.0 * less) as usize;
        2.0 * chances.iter().take(up_to + 1).sum::<f64>()
    } else {
        let variance = signed().map(|(rank, _)| rank * rank).sum::<f64>() / 4.0;
        if variance > 0.0 {
            let z = (all / 2.0 - less - 0.5).max(0.0) / variance.sqrt();
            2.0 * normal_cdf(-z)
        } else {
            1.0
        }
    };
    Some(SignedRankTest {
        w,
        p: p.min(1.0),
        exact,
    })
}

/// How likely each sum of ranks is when each is taken or left by the toss of a coin.
fn sign_chances(ranks: &[usize]) -> Vec<f64> {
    let mut chances = vec![0.0; ranks.iter().sum::<usize>() + 1];
    chances[0] = 1.0;
    for &rank in ranks {
        for sum in (0..chances.len()).rev() {
            let taken = sum.checked_sub(rank).map_or(0.0, |it| chances[it]);
            chances[sum] = (chances[sum] + taken) / 2.0;
        }
    }
    chances
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

/// Student's test of paired differences (Student 1908, "The probable error of a mean"). `None` for fewer than
/// two.
pub fn student(differences: &[f64]) -> Option<MeanTest> {
    let count = differences.len() as f64;
    let (difference, freedom) = (mean_of(differences), count - 1.0);
    let error = (variance_of(differences)? / count).sqrt();
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
    #[expect(clippy::approx_constant, reason = "3.14 was measured")]
    fn signed_ranks_agree_with_published_values() {
        // Depression before and after a tranquilizer, Hollander and Wolfe 1973, p. 29: V = 40, one-sided
        // p = 0.01953.
        let first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let pairs = first.iter().zip(second);
        let differences: Vec<f64> = pairs.map(|(first, second)| first - second).collect();
        let test = signed_rank(&differences).unwrap();
        assert!(test.exact && test.w == 40.0 && near(test.p, 20.0 / 512.0));
        // Darwin's maize, as in SciPy's `wilcoxon`: the smaller sum is 24, two-sided p = 0.04125976562.
        let maize = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75];
        let test = signed_rank(&maize.map(f64::from)).unwrap();
        assert!(test.w == 96.0 && near(test.p, 0.041_259_765_625));
        // Six of one sign: 2 / 2⁶.
        let test = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert!(near(test.p, 2.0 / 64.0));
    }

    #[test]
    fn signed_ranks_count_ties_and_zeros() {
        // Ranks 1.5, 1.5, 3 with the last one negative: of eight choices of signs, five give 3 or less
        // (0, 1.5 twice, 3 twice), so twice that is more than one.
        let test = signed_rank(&[1.0, 1.0, -2.0]).unwrap();
        assert!(test.exact && test.w == 3.0 && test.p == 1.0);
        // Ranks 1 and 2.5 twice once the zero has taken rank 1: none left, 2 / 2³.
        let test = signed_rank(&[0.0, 3.0, 3.0, 5.0]).unwrap();
        assert!(test.w == 2.5 + 2.5 + 4.0 && near(test.p, 0.25));
        assert_eq!(signed_rank(&[0.0, 0.0]).unwrap().p, 1.0);
        assert_eq!(signed_rank(&[]), None);
        // From 51 on by the normal distribution: (867 − 663 − ½) / √(51 · 52 · 103 / 24).
        let many = |count: i32| -> Vec<f64> {
            let signed = |it: i32| f64::from(if it % 3 == 0 { -it } else { it });
            (1..=count).map(signed).collect()
        };
        let [exact, normal] = [50, 51].map(|count| signed_rank(&many(count)).unwrap());
        assert!(exact.exact && exact.w == 867.0 && near(exact.p, 0.02616696817119646));
        assert!(
            !normal.exact && normal.w == 867.0 && (normal.p - 0.05645580536770219).abs() < 1e-9
        );
    }

    #[test]
    fn student_agrees_with_r_on_the_sleep_data() {
        // Student 1908, as in R's `t.test(extra ~ group, paired = TRUE)`: t = -4.0621, df = 9, p = 0.002833.
        let hours = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let test = student(&hours).unwrap();
        assert!(test.freedom == 9.0 && (test.difference / test.error - 4.0621).abs() < 5e-5);
        assert!((test.p - 0.002_833).abs() < 5e-7);
        let (low, high) = test.interval();
        assert!((low - 0.700_114_2).abs() < 5e-8 && (high - 2.459_885_8).abs() < 5e-8);
        assert_eq!(student(&[1.0, 1.0]).unwrap().p, 0.0);
        assert_eq!(student(&[1.0]), None);
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

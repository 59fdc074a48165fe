//! How two series go together: rank correlation, its interval, and the trend in words.

use super::distribution::normal_quantile;
use super::significance::ranks;
use super::summary::median;

/// A rank correlation. It says that two things go together, not that one makes the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Association {
    /// Spearman's ρ, from −1 to 1.
    pub rho: f64,
    /// Lower end of its 95 % interval; −1 where too few pairs allow none.
    pub low: f64,
    /// Upper end; 1 where too few pairs allow none.
    pub high: f64,
    /// Number of pairs.
    pub n: usize,
}

/// Spearman's rank correlation (1904, "The proof and measurement of association between two things"),
/// ties at their mean rank. `None` for fewer than three pairs, series of different length, a NaN, or a
/// series that is constant.
///
/// The interval is Fisher's with the variance (1 + ρ²/2)/(n − 3) (Bonett and Wright 2000, "Sample size
/// requirements for estimating Pearson, Kendall and Spearman correlations").
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Association> {
    spearman_within(x, y, &vec![0; x.len()])
}

/// Rank correlation within groups: pairs are ranked inside their group only, as shares of the group's
/// size, and the deviations from each group's middle are pooled. What differs between groups, such as
/// the load that drives both series, plays no part (after Taylor 1987, "Kendall's and Spearman's
/// correlation coefficients in the presence of a blocking variable"). Each group beyond the first
/// costs one degree of freedom; groups of one pair say nothing. `None` as for [`spearman`].
pub fn spearman_within(x: &[f64], y: &[f64], groups: &[usize]) -> Option<Association> {
    let nan = x.iter().chain(y).any(|value| value.is_nan());
    if x.len() != y.len() || x.len() != groups.len() || nan {
        return None;
    }
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by_key(|&index| groups[index]);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    let (mut n, mut strata) = (0, 0);
    for group in order.chunk_by(|&left, &right| groups[left] == groups[right]) {
        if group.len() < 2 {
            continue;
        }
        let centred = |values: &[f64]| -> Vec<f64> {
            let (ranks, _) = ranks(&group.iter().map(|&index| values[index]).collect::<Vec<_>>());
            let count = group.len() as f64;
            ranks
                .iter()
                .map(|rank| (rank - (count + 1.0) / 2.0) / count)
                .collect()
        };
        for (left, right) in centred(x).iter().zip(centred(y)) {
            xx += left * left;
            yy += right * right;
            xy += left * right;
        }
        n += group.len();
        strata += 1;
    }
    if n < 3 || xx == 0.0 || yy == 0.0 {
        return None;
    }
    let rho = (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0);
    let (low, high) = fisher(rho, (n + 1 - strata) as f64);
    Some(Association { rho, low, high, n })
}

/// Fisher's interval of a rank correlation over so many pairs.
fn fisher(rho: f64, pairs: f64) -> (f64, f64) {
    if pairs <= 3.0 {
        return (-1.0, 1.0);
    }
    let margin = normal_quantile(0.975) * ((1.0 + rho * rho / 2.0) / (pairs - 3.0)).sqrt();
    // A perfect correlation would have no interval at all: step back by half a pair.
    let centre = rho.clamp(-1.0 + 0.5 / pairs, 1.0 - 0.5 / pairs).atanh();
    (
        (centre - margin).tanh().min(rho),
        (centre + margin).tanh().max(rho),
    )
}

/// Which way a series goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// It rises.
    Rising,
    /// It falls.
    Falling,
    /// Neither.
    None,
}

/// How nearly monotone a series must be to have a trend.
const MONOTONE: f64 = 0.8;

/// Whether `y` rises or falls with `x`: rank correlation of at least 0.8 either way, and the values
/// at both ends of `x` (medians, where several share an end) further apart than `noise` (a fraction)
/// around both of them. Fewer than three different x have no trend.
pub fn trend(x: &[f64], y: &[f64], noise: f64) -> Trend {
    let Some(found) = spearman(x, y) else {
        return Trend::None;
    };
    let first = x.iter().copied().fold(f64::INFINITY, f64::min);
    let last = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !x.iter().any(|&x| x > first && x < last) {
        return Trend::None;
    }
    let at = |place: f64| {
        let here = x.iter().zip(y).filter(|(x, _)| **x == place);
        median(&here.map(|(_, y)| *y).collect::<Vec<_>>())
    };
    let (Some(start), Some(end)) = (at(first), at(last)) else {
        return Trend::None;
    };
    let clear = |less: f64, more: f64| more - less > noise * (less.abs() + more.abs());
    if found.rho >= MONOTONE && clear(start, end) {
        Trend::Rising
    } else if found.rho <= -MONOTONE && clear(end, start) {
        Trend::Falling
    } else {
        Trend::None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn agrees_with_published_examples() {
        // Hollander and Wolfe 1973, p. 187 (R's `cor.test`): ρ = 0.6.
        let x = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1];
        let y = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8];
        let found = spearman(&x, &y).unwrap();
        assert!((found.rho - 0.6).abs() < 1e-12 && found.n == 9);
        // tanh(atanh 0.6 ± 1.959964 · √(1.18 / 6)).
        assert!(
            (found.low - -0.17424406977828497).abs() < 1e-9
                && (found.high - 0.9157978790133389).abs() < 1e-9
        );
        // With ties, by scipy.
        let tied = spearman(&[1.0, 2.0, 2.0, 4.0, 5.0], &[3.0, 1.0, 4.0, 4.0, 9.0]).unwrap();
        assert!((tied.rho - 0.763_157_894_736_842_1).abs() < 1e-12);
        assert_eq!(spearman(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[1.0, 2.0], &[1.0, 2.0]), None);
    }

    #[test]
    fn groups_hide_what_drives_both() {
        // Within each load the waits fall with throughput; across loads both rise.
        let x = [1.0, 2.0, 3.0, 11.0, 12.0, 13.0, 21.0, 22.0, 23.0];
        let y = [3.0, 2.0, 1.0, 13.0, 12.0, 11.0, 23.0, 22.0, 21.0];
        let loads = [0, 0, 0, 1, 1, 1, 2, 2, 2];
        assert!(spearman(&x, &y).unwrap().rho > 0.7);
        let within = spearman_within(&x, &y, &loads).unwrap();
        assert_eq!((within.rho, within.n), (-1.0, 9));
        assert!(within.low == -1.0 && within.high < -0.4);
        assert_eq!(spearman_within(&x, &y, &[0, 1, 2, 3, 4, 5, 6, 7, 8]), None);
    }

    #[test]
    fn trends_need_order_and_distance() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(trend(&x, &[10.0, 12.0, 15.0, 20.0], 0.05), Trend::Rising);
        assert_eq!(trend(&x, &[20.0, 12.0, 13.0, 9.0], 0.05), Trend::Falling);
        assert_eq!(trend(&x, &[10.0, 10.1, 10.2, 10.3], 0.05), Trend::None);
        assert_eq!(trend(&x, &[10.0, 20.0, 9.0, 20.0], 0.05), Trend::None);
        assert_eq!(
            trend(&[1.0, 1.0, 2.0, 2.0], &[1.0, 1.0, 9.0, 9.0], 0.05),
            Trend::None
        );
        assert_eq!(trend(&[], &[], 0.05), Trend::None);
    }

    proptest! {
        #[test]
        fn bounded_and_symmetric(pairs in prop::collection::vec((-9_i8..9, -9_i8..9), 3..30)) {
            let (x, y): (Vec<f64>, Vec<f64>) =
                pairs.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).unzip();
            let (there, back) = (spearman(&x, &y), spearman(&y, &x));
            prop_assert_eq!(there.is_some(), back.is_some());
            if let (Some(there), Some(back)) = (there, back) {
                prop_assert!((there.rho - back.rho).abs() < 1e-12);
                prop_assert!(-1.0 <= there.low && there.low <= there.rho);
                prop_assert!(there.rho <= there.high && there.high <= 1.0);
                let negative: Vec<f64> = y.iter().map(|y| -y).collect();
                prop_assert!((spearman(&x, &negative).unwrap().rho + there.rho).abs() < 1e-12);
            }
        }
    }
}

//! Fewer readings that still show every extreme.

/// Readings (place, value) in ascending order of place, thinned: of each of `stretches` equal stretches
/// the smallest and the largest, besides the first and the last of all. As few as these stay whole.
/// A minimum–maximum reduction (Jugel et al. 2014, "M4"): a line through the result looks like the line
/// through all, as long as a stretch is no wider than the line.
pub fn thinned(readings: &[(f64, f64)], stretches: usize) -> Vec<(f64, f64)> {
    let stretches = stretches.max(1);
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
        return Vec::new();
    };
    let length = last.0 - first.0;
    if readings.len() <= 2 * stretches + 2 || length.is_nan() || length <= 0.0 {
        return readings.to_vec();
    }
    let stretch = |place: f64| {
        let share = (place - first.0) / length * stretches as f64;
        (share as usize).min(stretches - 1)
    };
    let mut kept = Vec::with_capacity(2 * stretches + 2);
    for group in readings.chunk_by(|a, b| stretch(a.0) == stretch(b.0)) {
        let numbered = || group.iter().enumerate();
        let lowest = numbered().min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let highest = numbered().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let mut ends: Vec<usize> = [lowest, highest]
            .into_iter()
            .flatten()
            .map(|it| it.0)
            .collect();
        ends.sort_unstable();
        ends.dedup();
        kept.extend(ends.into_iter().map(|place| group[place]));
    }
    if kept.first() != Some(first) {
        kept.insert(0, *first);
    }
    if kept.last() != Some(last) {
        kept.push(*last);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_single_peak_stays() {
        let mut readings: Vec<(f64, f64)> = (0..10_000).map(|at| (f64::from(at), 1.0)).collect();
        readings[7_321].1 = 99.0;
        let kept = thinned(&readings, 50);
        assert!(kept.len() <= 102 && kept.contains(&(7_321.0, 99.0)));
        assert_eq!(thinned(&readings[..7], 3), readings[..7]);
        assert_eq!(thinned(&[], 3), []);
    }

    proptest! {
        #[test]
        fn order_ends_and_extremes_stay(
            steps in prop::collection::vec((0.0..3.0_f64, -9.0..9.0_f64), 1..400),
            stretches in 1_usize..40,
        ) {
            let mut at = 0.0;
            let readings: Vec<(f64, f64)> = steps
                .into_iter()
                .map(|(step, value)| { at += step; (at, value) })
                .collect();
            let kept = thinned(&readings, stretches);
            let low = |of: &[(f64, f64)]| of.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
            let high = |of: &[(f64, f64)]| of.iter().map(|it| it.1).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(kept.len() <= 2 * stretches + 2 || kept.len() == readings.len());
            prop_assert_eq!((low(&kept), high(&kept)), (low(&readings), high(&readings)));
            prop_assert_eq!((kept.first(), kept.last()), (readings.first(), readings.last()));
            prop_assert!(kept.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        }
    }
}

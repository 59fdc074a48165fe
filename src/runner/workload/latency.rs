//! How long operations took: a histogram of fixed relative width, so that any number of them fits.

use std::time::Duration;

/// Each doubling of time is divided into 2⁸ parts, so a part is at most 1/256 of its time wide, and
/// its middle at most 0.2 % away from any time within it.
const BITS: u32 = 8;

/// A histogram of times, from a nanosecond to centuries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Latencies {
    counts: Vec<u64>,
    total: u64,
}

impl Latencies {
    /// Adds a time.
    pub(super) fn add(&mut self, time: Duration) {
        let place = place(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += 1;
        self.total += 1;
    }

    /// Adds all times of another.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (own, more) in self.counts.iter_mut().zip(&other.counts) {
            *own += more;
        }
        self.total += other.total;
    }

    /// The time within which this share of all operations was done, in seconds: the one of rank
    /// ⌈share × n⌉ in ascending order (nearest rank, nothing interpolated), as the middle of its part
    /// of the histogram. `None` if there were no operations.
    pub(super) fn percentile(&self, share: f64) -> Option<f64> {
        let rank = ((share * self.total as f64).ceil() as u64).clamp(1, self.total.max(1));
        let mut below = 0;
        let at = self.counts.iter().position(|count| {
            below += count;
            below >= rank
        })?;
        Some(middle(at) / 1e9)
    }
}

/// The part of the histogram that a time in nanoseconds belongs to. Times below 2⁸ ns have one each.
fn place(time: u64) -> usize {
    let shift = time.checked_ilog2().unwrap_or(0).saturating_sub(BITS);
    let within = (time >> shift) as usize;
    ((shift as usize) << BITS) + within
}

/// The middle of a part, in nanoseconds.
fn middle(place: usize) -> f64 {
    let shift = (place >> BITS).saturating_sub(1);
    let within = place - (shift << BITS);
    let width = 2_f64.powi(shift as i32);
    (within as f64 + 0.5) * width - 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::random::Random;

    #[test]
    fn every_time_is_near_the_middle_of_its_part() {
        for time in (0..70_000).chain((20..64).flat_map(|bit| {
            let power = 1_u64 << bit;
            [power - 1, power, power + power / 3, u64::MAX]
        })) {
            let middle = middle(place(time));
            let error = (middle - time as f64).abs();
            assert!(error <= time as f64 / 512.0 + 1e-6, "{time}: {middle}");
        }
        let places: Vec<usize> = (0..100_000).map(place).collect();
        assert!(places.is_sorted_by(|a, b| a == b || a + 1 == *b));
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut random = Random::new(1, "latency", 0);
        let mut times: Vec<u64> = (0..9_999)
            .map(|_| (random.share() * 20.0).exp() as u64)
            .collect();
        let (mut left, mut right) = (Latencies::default(), Latencies::default());
        for (at, &time) in times.iter().enumerate() {
            let half = if at % 3 == 0 { &mut left } else { &mut right };
            half.add(Duration::from_nanos(time));
        }
        left.merge(&right);
        times.sort_unstable();
        for (share, rank) in [
            (0.0, 1),
            (0.5, 5_000),
            (0.95, 9_500),
            (0.99, 9_900),
            (1.0, 9_999),
        ] {
            let exact = times[rank - 1] as f64 / 1e9;
            let told = left.percentile(share).expect("there are times");
            assert!((told / exact - 1.0).abs() <= 1.0 / 512.0 + 1e-9, "{share}");
        }
        assert_eq!(Latencies::default().percentile(0.5), None);
    }
}

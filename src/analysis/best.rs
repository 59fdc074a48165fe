//! Which cells share the best place.

use super::Cell;
use super::cell::ends;
use crate::model::{Direction, Experiment, Value};

/// Which cells share the best place: those whose interval (or assumed ± `noise` for fewer than three
/// samples) overlaps the best cell's. Empty when the metric has no direction.
///
/// A range or bound is best only when all of it lies beyond every other cell. Where one could be the
/// best or not, nobody knows which cell is, and the answer is empty.
pub fn best(experiment: &Experiment, cells: &[&Cell], metric: usize) -> Vec<usize> {
    extreme(experiment, cells, metric, 1.0)
}

/// Which cells share the last place, by the same rule.
pub fn worst(experiment: &Experiment, cells: &[&Cell], metric: usize) -> Vec<usize> {
    extreme(experiment, cells, metric, -1.0)
}

fn extreme(experiment: &Experiment, cells: &[&Cell], metric: usize, side: f64) -> Vec<usize> {
    let definition = &experiment.definition;
    let sign = match definition.metrics.get(metric).map(|metric| metric.better) {
        Some(Direction::Higher) => side,
        Some(Direction::Lower) => -side,
        Some(Direction::Neither) | None => return Vec::new(),
    };
    let contenders: Vec<Contender> = cells
        .iter()
        .enumerate()
        .filter_map(|(index, cell)| Contender::new(index, cell, definition.noise, sign))
        .collect();
    rank(&contenders)
}

/// A cell with its interval, turned so that more is better.
struct Contender {
    index: usize,
    exact: bool,
    figure: f64,
    low: f64,
    high: f64,
}

impl Contender {
    fn new(index: usize, cell: &Cell, noise: f64, sign: f64) -> Option<Self> {
        let estimate = cell.estimate.as_ref().ok()?;
        let (mut low, mut high) = ends(estimate.value);
        let exact = matches!(estimate.value, Value::Exact(_));
        let figure = low;
        if let Some(interval) = estimate.interval {
            (low, high) = (interval.low, interval.high);
        } else if exact {
            (low, high) = (figure - noise * figure.abs(), figure + noise * figure.abs());
        }
        let (low, high) = if sign < 0.0 {
            (-high, -low)
        } else {
            (low, high)
        };
        Some(Self {
            index,
            exact,
            figure: sign * figure,
            low,
            high,
        })
    }
}

/// The best of contenders, ties included, in their order.
fn rank(contenders: &[Contender]) -> Vec<usize> {
    let exact = contenders.iter().filter(|it| it.exact);
    let leader = exact.max_by(|left, right| {
        left.figure
            .total_cmp(&right.figure)
            .then(right.index.cmp(&left.index))
    });
    let open = contenders.iter().filter(|it| !it.exact);
    let ahead = open.max_by(|left, right| left.low.total_cmp(&right.low));
    if let Some(ahead) = ahead {
        let others = contenders.iter().filter(|it| it.index != ahead.index);
        if others.fold(f64::NEG_INFINITY, |most, it| most.max(it.high)) < ahead.low {
            return vec![ahead.index];
        }
    }
    let Some(leader) = leader else {
        return Vec::new();
    };
    if contenders
        .iter()
        .any(|it| !it.exact && it.high >= leader.low)
    {
        return Vec::new();
    }
    let tied = contenders.iter().filter(|it| it.high >= leader.low);
    tied.map(|it| it.index).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{experiment, observe};
    use super::super::{Query, pivot};
    use super::*;
    use crate::model::MissingReason;

    fn best_of(better: Direction, values: &[&[Value]]) -> Vec<usize> {
        ends_of(better, values).0
    }

    fn ends_of(better: Direction, values: &[&[Value]]) -> (Vec<usize>, Vec<usize>) {
        let mut it = experiment(&[values.len()], better);
        for (level, values) in values.iter().enumerate() {
            for &value in *values {
                observe(&mut it, &[level as u32], 0, Ok(value));
            }
            observe(&mut it, &[level as u32], 0, Err(MissingReason::Failed));
        }
        let pivot = pivot(
            &it,
            &Query {
                rows: Some(0),
                ..Query::default()
            },
        )
        .unwrap();
        let cells: Vec<&Cell> = pivot.cells.iter().collect();
        (best(&it, &cells, 0), worst(&it, &cells, 0))
    }

    fn exact(value: f64) -> [Value; 1] {
        [Value::Exact(value)]
    }

    #[test]
    fn single_runs_tie_within_noise() {
        let values: [&[Value]; 4] = [&exact(100.0), &exact(95.0), &exact(80.0), &[]];
        assert_eq!(best_of(Direction::Higher, &values), [0, 1]);
        assert_eq!(best_of(Direction::Lower, &values), [2]);
        assert_eq!(best_of(Direction::Neither, &values), Vec::<usize>::new());
        let shares: [&[Value]; 2] = [&exact(-0.2), &exact(-0.5)];
        assert_eq!(best_of(Direction::Lower, &shares), [1]);
    }

    #[test]
    fn the_worst_are_the_best_the_other_way() {
        let values: [&[Value]; 3] = [&exact(100.0), &exact(95.0), &[Value::Above(200.0)]];
        assert_eq!(ends_of(Direction::Lower, &values), (vec![0, 1], vec![2]));
    }

    #[test]
    fn repetitions_replace_the_assumed_noise() {
        let tight = [100.0, 100.1, 100.2, 100.1, 100.0].map(Value::Exact);
        let below = [99.0, 99.1, 99.2, 99.1, 99.0].map(Value::Exact);
        assert_eq!(best_of(Direction::Higher, &[&tight, &below]), [0]);
        assert_eq!(best_of(Direction::Higher, &[&tight, &exact(99.0)]), [0, 1]);
    }

    #[test]
    fn bounds_win_only_when_clear() {
        let slow = [Value::Above(600.0)];
        assert_eq!(best_of(Direction::Lower, &[&exact(300.0), &slow]), [0]);
        assert_eq!(best_of(Direction::Higher, &[&exact(300.0), &slow]), [1]);
        assert_eq!(
            best_of(Direction::Higher, &[&exact(700.0), &slow]),
            Vec::<usize>::new()
        );
        let ranges: [&[Value]; 2] = [&[Value::Range(1.0, 2.0)], &[Value::Range(3.0, 4.0)]];
        assert_eq!(best_of(Direction::Higher, &ranges), [1]);
        let ranges: [&[Value]; 2] = [&[Value::Range(1.0, 3.5)], &[Value::Range(3.0, 4.0)]];
        assert_eq!(best_of(Direction::Higher, &ranges), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn the_extreme_is_always_among_the_best(values in prop::collection::vec(1.0..1e3, 1..12)) {
            let exact: Vec<[Value; 1]> = values.iter().map(|&value| [Value::Exact(value)]).collect();
            let refs: Vec<&[Value]> = exact.iter().map(<[Value; 1]>::as_slice).collect();
            let found = best_of(Direction::Higher, &refs);
            let most = values.iter().copied().fold(0.0, f64::max);
            prop_assert!(found.iter().any(|&index| values[index] == most));
            prop_assert!(found.is_sorted());
        }
    }
}

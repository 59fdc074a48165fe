//! Axes of values: where they begin and end, and where their ticks stand.

use super::numerals::{power, written};
use crate::figure::Reader;
use crate::figure::format::Notation;

/// An axis of values with its ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether it is logarithmic; both ends are positive then.
    pub log: bool,
    /// Where ticks stand, ascending, and what is written there.
    pub ticks: Vec<(f64, String)>,
    /// Power of ten by which the written numbers were divided; 0 as a rule.
    pub power: i32,
}

impl Axis {
    /// A value's place in the axis' own even spacing.
    pub(super) fn at(&self, value: f64) -> f64 {
        if self.log {
            value.max(f64::MIN_POSITIVE).log10()
        } else {
            value
        }
    }

    /// A value's place as a share of the axis' length.
    pub(super) fn share(&self, value: f64) -> f64 {
        let (low, high) = (self.at(self.low), self.at(self.high));
        if high > low {
            (self.at(value) - low) / (high - low)
        } else {
            0.5
        }
    }
}

/// What an axis has to cover and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// Smallest value on it.
    pub low: f64,
    /// Largest value on it.
    pub high: f64,
    /// Whether it shall be logarithmic, if it can.
    pub log: bool,
    /// Whether it shall begin (or end) at zero; not for logarithmic axes.
    pub zero: bool,
    /// Whether its ends shall be ticks; else they are the span itself.
    pub round: bool,
}

/// Lays out axes to choose from, one for each number of ticks that would be welcome; numbers that
/// lead to the same ticks give one axis.
pub(super) fn axes(
    reader: Reader<'_>,
    notation: Notation,
    span: Span,
    targets: &[usize],
) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    for target in targets {
        let (mut axis, step) = bare_axis(notation, span, *target);
        let same = |known: &Axis| {
            known.ticks.len() == axis.ticks.len()
                && known.ticks.iter().zip(&axis.ticks).all(|(a, b)| a.0 == b.0)
        };
        if axes.last().is_some_and(same) {
            continue;
        }
        for (tick, words) in &mut axis.ticks {
            *words = written(reader, notation, *tick, step, axis.power);
        }
        axes.push(axis);
    }
    axes
}

/// An axis whose ticks aren't written yet, and their even distance.
fn bare_axis(notation: Notation, span: Span, target: usize) -> (Axis, Option<f64>) {
    let log = span.log && span.low > 0.0;
    let (mut low, mut high) = widened(span, log);
    let candidates = if log {
        logarithmic(low, high, notation, target.max(2))
    } else {
        linear(low, high, notation, target.max(2))
    };
    if span.round {
        low = candidates.first().copied().unwrap_or(low).min(low);
        high = candidates.last().copied().unwrap_or(high).max(high);
    }
    let slack = (high - low) * 1e-9;
    let inside: Vec<f64> = candidates
        .iter()
        .copied()
        .filter(|tick| *tick >= low - slack && *tick <= high + slack)
        .collect();
    let power = power(notation, &inside);
    let distances = candidates.windows(2).map(|pair| pair[1] - pair[0]);
    let step = (!log).then(|| distances.fold(f64::INFINITY, f64::min));
    let ticks = inside
        .into_iter()
        .map(|tick| (tick, String::new()))
        .collect();
    (
        Axis {
            low,
            high,
            log,
            ticks,
            power,
        },
        step,
    )
}

/// The span with zero, if wanted, and never empty.
fn widened(span: Span, log: bool) -> (f64, f64) {
    let (mut low, mut high) = (span.low.min(span.high), span.high.max(span.low));
    if span.zero && !log {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    if high - low <= high.abs().max(low.abs()) * 1e-9 {
        if log {
            (low, high) = (low / 1.5, high * 1.5);
        } else {
            let room = if high == 0.0 { 1.0 } else { high.abs() * 0.1 };
            (low, high) = (low - room, high + room);
        }
    }
    (low, high)
}

const TIMES: [f64; 22] = [
    1.0,
    2.0,
    5.0,
    10.0,
    15.0,
    30.0,
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
    7200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    432_000.0,
    864_000.0,
    1_728_000.0,
];

/// The smallest step of the notation's kind that is at least this long.
fn nice_step(least: f64, notation: Notation) -> f64 {
    match notation {
        Notation::Duration if least > 0.5 => TIMES
            .into_iter()
            .find(|step| *step >= least)
            .unwrap_or_else(|| decimal_step(least)),
        Notation::Size if least >= 1.0 => least.log2().ceil().exp2(),
        Notation::Number(scale) => decimal_step(least / scale) * scale,
        _ => decimal_step(least),
    }
}

fn decimal_step(least: f64) -> f64 {
    let decade = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|step| step * decade)
        .into_iter()
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(decade * 10.0)
}

/// Even ticks from below the low end to above the high end.
fn linear(low: f64, high: f64, notation: Notation, target: usize) -> Vec<f64> {
    let step = nice_step((high - low) / target as f64, notation);
    if !step.is_normal() {
        return vec![low, high];
    }
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil();
    let count = (last - first).clamp(1.0, 100.0) as usize;
    // Multiples, not sums: no error piles up. The plain zero keeps "-0" away.
    (0..=count)
        .map(|index| (first + index as f64) * step + 0.0)
        .collect()
}

/// Ticks at even factors, from below the low end to above the high end.
fn logarithmic(low: f64, high: f64, notation: Notation, target: usize) -> Vec<f64> {
    let all = match notation {
        Notation::Size => powers(low, high, 2.0, 1.0),
        Notation::Duration => times(low, high),
        Notation::Percent => one_two_five(low, high, 0.01),
        Notation::Number(scale) => one_two_five(low, high, scale),
    };
    if all.len() <= target + 2 {
        return all;
    }
    let decades = match notation {
        Notation::Number(scale) => powers(low, high, 10.0, scale),
        Notation::Percent => powers(low, high, 10.0, 0.01),
        _ => all,
    };
    let stride = decades.len().div_ceil(target + 1).max(1);
    let mut kept: Vec<f64> = decades.iter().copied().step_by(stride).collect();
    if let (Some(last), Some(kept_last)) = (decades.last(), kept.last().copied())
        && kept_last < high
    {
        kept.push(*last);
        // The last one stands where the axis ends; its neighbour leaves if it is too near.
        if kept.len() > 2 && decades.len() % stride != 1 % stride {
            kept.remove(kept.len() - 2);
        }
    }
    kept
}

fn powers(low: f64, high: f64, base: f64, unit: f64) -> Vec<f64> {
    let first = ((low / unit).log10() / base.log10() + 1e-9).floor() as i32;
    let last = ((high / unit).log10() / base.log10() - 1e-9).ceil() as i32;
    (first..=last.max(first + 1))
        .map(|power| base.powi(power) * unit)
        .collect()
}

fn one_two_five(low: f64, high: f64, unit: f64) -> Vec<f64> {
    let steps: Vec<f64> = powers(low, high, 10.0, unit)
        .into_iter()
        .flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * decade))
        .collect();
    around(&steps, low, high)
}

fn times(low: f64, high: f64) -> Vec<f64> {
    let mut steps = Vec::new();
    if low < 1.0 {
        steps.extend(
            one_two_five(low, 1.0, 1.0)
                .into_iter()
                .filter(|step| *step < 0.9),
        );
    }
    steps.extend(TIMES);
    if high > 1_728_000.0 {
        steps.extend(
            powers(3_456_000.0, high, 2.0, 1_728_000.0)
                .into_iter()
                .skip(1),
        );
    }
    around(&steps, low, high)
}

/// The steps from the last one at or below the low end to the first at or above the high end.
fn around(steps: &[f64], low: f64, high: f64) -> Vec<f64> {
    let slack = 1e-9;
    let first = steps
        .iter()
        .rposition(|step| *step <= low * (1.0 + slack))
        .unwrap_or(0);
    let last = steps
        .iter()
        .position(|step| *step >= high * (1.0 - slack))
        .unwrap_or(steps.len().saturating_sub(1));
    steps
        .get(first..=last.max(first))
        .map(<[f64]>::to_vec)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_suit_what_they_count() {
        let plain = Notation::Number(1.0);
        assert_eq!(
            linear(284.0, 392.0, plain, 6),
            [280.0, 300.0, 320.0, 340.0, 360.0, 380.0, 400.0]
        );
        assert_eq!(
            linear(0.0, 1300.0, Notation::Duration, 5),
            [0.0, 300.0, 600.0, 900.0, 1200.0, 1500.0]
        );
        assert_eq!(
            linear(-0.02, 0.17, Notation::Percent, 5),
            [-0.05, 0.0, 0.05, 0.1, 0.15, 0.2].map(|tick: f64| (tick * 20.0).round() * 0.05)
        );
        assert_eq!(logarithmic(5e8, 1e10, Notation::Size, 8)[0], 268_435_456.0);
        assert_eq!(
            logarithmic(3.0, 700.0, plain, 9),
            [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]
        );
        assert_eq!(
            logarithmic(3.0, 700.0, plain, 4),
            [1.0, 10.0, 100.0, 1000.0]
        );
    }

    #[test]
    fn ends_always_enclose_the_span() {
        for exponent in -12..15 {
            for notation in [
                Notation::Number(1.0),
                Notation::Duration,
                Notation::Size,
                Notation::Percent,
            ] {
                let unit = 10f64.powi(exponent);
                for (low, high) in [(1.3, 8.9), (1.0, 1.0001), (0.9, 950.0)] {
                    let (low, high) = (low * unit, high * unit);
                    for ticks in [
                        linear(low, high, notation, 5),
                        logarithmic(low, high, notation, 5),
                    ] {
                        assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{ticks:?}");
                        assert!(ticks.len() < 15, "{notation:?} {low} {high} {ticks:?}");
                    }
                }
            }
        }
    }
}

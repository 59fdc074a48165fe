//! Figures with what they may be instead, and what can be stated about them.
//!
//! Interval arithmetic (Moore 1966, "Interval analysis") takes each operand anew, so that `a / a` is
//! not exactly 1. A ratio of two cells therefore starts from [`Comparison`], which knows both sides.

use std::ops::{Add, Mul, Neg, Sub};

use super::cell::ends;
use super::{Cell, Comparison, Estimate, Method, Truth};
use crate::model::Value;

/// A figure and the interval it may lie in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uncertain {
    /// The figure as shown: within the interval, and finite unless arithmetic overflowed.
    pub value: f64,
    /// The least it may be; may be −∞.
    pub low: f64,
    /// The most it may be; may be ∞.
    pub high: f64,
    /// Whether the interval comes from repetitions, or from ends the data state, or there is none to
    /// come from (an exact number). False as soon as an assumed noise takes part.
    pub known: bool,
}

impl Uncertain {
    /// An exact number: a count, a literal, a figure as printed.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
            known: true,
        }
    }

    /// An estimate with its own interval, or ± `noise` (a fraction) for want of one. A range or bound
    /// is what the data say it is; its value is the middle or the finite end.
    pub fn from_estimate(estimate: &Estimate, noise: f64) -> Self {
        let (low, high) = ends(estimate.value);
        let value = match estimate.value {
            Value::Exact(figure) | Value::Above(figure) | Value::Below(figure) => figure,
            Value::Range(..) => f64::midpoint(low, high),
        };
        let exact = matches!(estimate.value, Value::Exact(_));
        match estimate.interval {
            Some(interval) => Self::new(
                value,
                interval.low,
                interval.high,
                interval.method != Method::Assumed,
            ),
            None if exact => {
                let margin = noise.abs() * value.abs();
                Self::new(value, value - margin, value + margin, false)
            }
            None => Self::new(value, low, high, true),
        }
    }

    /// The figure of a cell; `None` when it has none.
    pub fn from_cell(cell: &Cell, noise: f64) -> Option<Self> {
        let estimate = cell.estimate.as_ref().ok()?;
        Some(Self::from_estimate(estimate, noise))
    }

    /// The ratio `to / from` of a comparison.
    pub fn from_comparison(comparison: &Comparison) -> Self {
        let interval = comparison.interval;
        let known = interval.method != Method::Assumed;
        Self::new(comparison.ratio, interval.low, interval.high, known)
    }

    /// Ends that arithmetic left undefined are open; the value always lies between them.
    fn new(value: f64, low: f64, high: f64, known: bool) -> Self {
        let low = if low.is_nan() { f64::NEG_INFINITY } else { low };
        let high = if high.is_nan() { f64::INFINITY } else { high };
        Self {
            value,
            low: low.min(value),
            high: high.max(value),
            known,
        }
    }

    /// Whether it can only be what it is.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// The same figure without its uncertainty, for statements about figures as printed.
    #[must_use]
    pub fn as_printed(&self) -> Self {
        Self::exact(self.value)
    }

    /// The quotient; `None` when the divisor may be zero.
    pub fn divide(self, divisor: Self) -> Option<Self> {
        if divisor.low <= 0.0 && divisor.high >= 0.0 {
            return None;
        }
        // Open end over open end may be anything of its sign; the finite ends give the rest.
        let quotient = |left: f64, right: f64| match left / right {
            nan if nan.is_nan() => left.signum() * right.signum() * f64::INFINITY,
            quotient => quotient,
        };
        let (low, high) = hull([self.low, self.high], [divisor.low, divisor.high], quotient);
        Some(Self::new(
            self.value / divisor.value,
            low,
            high,
            self.known && divisor.known,
        ))
    }

    /// The amount without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        if self.low >= 0.0 {
            self
        } else if self.high <= 0.0 {
            -self
        } else {
            Self::new(self.value.abs(), 0.0, self.high.max(-self.low), self.known)
        }
    }

    /// The smaller of two.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self::new(
            self.value.min(other.value),
            self.low.min(other.low),
            self.high.min(other.high),
            self.known && other.known,
        )
    }

    /// The larger of two.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        -(-self).min(-other)
    }

    /// Whether it is less than another.
    pub fn less(&self, other: &Self) -> Truth {
        Truth::decide(self.high < other.low, self.low >= other.high)
    }

    /// Whether it is at most another.
    pub fn at_most(&self, other: &Self) -> Truth {
        Truth::decide(self.high <= other.low, self.low > other.high)
    }

    /// Whether it equals another: true only for exact figures (to one part in 10⁹, for what binary
    /// arithmetic does to decimals), false when the two can't meet.
    pub fn equal(&self, other: &Self) -> Truth {
        let slack = 1e-9 * self.value.abs().max(other.value.abs());
        let apart = self.low > other.high + slack || self.high < other.low - slack;
        Truth::decide(self.is_exact() && other.is_exact() && !apart, apart)
    }

    /// Whether it rounds to a literal written with so many decimal places: 1.59 stands for 1.585 to
    /// 1.595, both ends included, since rounding habits differ there.
    pub fn equal_at(&self, literal: f64, places: u32) -> Truth {
        let half = 0.5 * 10_f64.powi(-i32::try_from(places).unwrap_or(i32::MAX));
        self.lies_within(literal - half, literal + half)
    }

    /// Whether it differs from another by at most `share` of that other (0.05 is 5 %).
    pub fn equal_within(&self, other: &Self, share: f64) -> Truth {
        let apart = (*self - *other).abs();
        let allowed = other.abs() * Self::exact(share.abs());
        if other.is_exact() {
            return self.lies_within(other.value - allowed.value, other.value + allowed.value);
        }
        apart.at_most(&allowed)
    }

    /// Whether it lies between two bounds, ends included, to one part in 10¹².
    fn lies_within(&self, low: f64, high: f64) -> Truth {
        let slack = 1e-12 * low.abs().max(high.abs());
        let (low, high) = (low - slack, high + slack);
        Truth::decide(
            self.low >= low && self.high <= high,
            self.high < low || self.low > high,
        )
    }
}

/// The least and the most of an operation over the four pairs of ends.
fn hull(left: [f64; 2], right: [f64; 2], operation: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let ends = left.map(|left| right.map(|right| operation(left, right)));
    let ends = ends.as_flattened().iter().copied();
    (
        ends.clone().fold(f64::INFINITY, f64::min),
        ends.fold(f64::NEG_INFINITY, f64::max),
    )
}

impl Add for Uncertain {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(
            self.value + other.value,
            self.low + other.low,
            self.high + other.high,
            self.known && other.known,
        )
    }
}

impl Neg for Uncertain {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            value: -self.value,
            low: -self.high,
            high: -self.low,
            known: self.known,
        }
    }
}

impl Sub for Uncertain {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Uncertain {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // Zero times an open end is zero: the end itself is never reached.
        let product = |left: f64, right: f64| {
            if left == 0.0 || right == 0.0 {
                0.0
            } else {
                left * right
            }
        };
        let (low, high) = hull([self.low, self.high], [other.low, other.high], product);
        Self::new(
            self.value * other.value,
            low,
            high,
            self.known && other.known,
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Interval;
    use super::*;

    fn between(low: f64, high: f64) -> Uncertain {
        Uncertain::new(f64::midpoint(low, high), low, high, true)
    }

    fn single(value: f64) -> Uncertain {
        let estimate = Estimate {
            value: Value::Exact(value),
            interval: None,
            n: 1,
        };
        Uncertain::from_estimate(&estimate, 0.05)
    }

    #[test]
    fn estimates_bring_their_interval_or_the_noise() {
        let one = single(-100.0);
        assert_eq!((one.low, one.high, one.known), (-105.0, -95.0, false));
        let interval = Interval {
            low: 9.0,
            high: 12.0,
            method: Method::Bootstrap,
        };
        let many = Estimate {
            value: Value::Exact(10.0),
            interval: Some(interval),
            n: 5,
        };
        let many = Uncertain::from_estimate(&many, 0.05);
        assert_eq!((many.low, many.high, many.known), (9.0, 12.0, true));
        assert!(!(many + one).known && (many + Uncertain::exact(1.0)).known);
        let bound = Estimate {
            value: Value::Above(600.0),
            interval: None,
            n: 1,
        };
        let bound = Uncertain::from_estimate(&bound, 0.05);
        assert_eq!(
            (bound.value, bound.low, bound.high),
            (600.0, 600.0, f64::INFINITY)
        );
        assert_eq!(Uncertain::exact(599.0).less(&bound), Truth::True);
        assert_eq!(bound.less(&Uncertain::exact(700.0)), Truth::Unknown);
    }

    #[test]
    fn open_ends_stay_open_and_never_turn_nan() {
        let above = Uncertain::new(2.0, 2.0, f64::INFINITY, true);
        let ratio = Uncertain::exact(10.0).divide(above).unwrap();
        assert_eq!((ratio.low, ratio.high), (0.0, 5.0));
        let both = above.divide(above).unwrap();
        assert_eq!((both.low, both.high), (0.0, f64::INFINITY));
        let gone = above - above;
        assert_eq!((gone.low, gone.high), (f64::NEG_INFINITY, f64::INFINITY));
        let nothing = Uncertain::exact(0.0) * above;
        assert_eq!((nothing.low, nothing.high), (0.0, 0.0));
        assert_eq!(above.divide(between(-1.0, 1.0)), None);
        assert_eq!(above.divide(Uncertain::exact(0.0)), None);
    }

    #[test]
    fn literals_hold_at_the_precision_written() {
        let exact = Uncertain::exact;
        assert_eq!(exact(1.585).equal_at(1.59, 2), Truth::True);
        assert_eq!(exact(1.595).equal_at(1.59, 2), Truth::True);
        assert_eq!(exact(1.5951).equal_at(1.59, 2), Truth::False);
        assert_eq!(exact(391.5).equal_at(392.0, 0), Truth::True);
        assert_eq!(between(1.586, 1.594).equal_at(1.59, 2), Truth::True);
        assert_eq!(single(1.59).equal_at(1.59, 2), Truth::Unknown);
        assert_eq!(single(1.59).equal_at(3.0, 0), Truth::False);
        assert_eq!(exact(0.1 + 0.2).equal(&exact(0.3)), Truth::True);
        assert_eq!(exact(0.3).equal(&exact(0.4)), Truth::False);
        assert_eq!(single(0.3).equal(&exact(0.3)), Truth::Unknown);
    }

    #[test]
    fn tolerance_is_a_share_of_the_other() {
        let exact = Uncertain::exact;
        assert_eq!(exact(105.0).equal_within(&exact(100.0), 0.05), Truth::True);
        assert_eq!(exact(106.0).equal_within(&exact(100.0), 0.05), Truth::False);
        assert_eq!(single(100.0).equal_within(&exact(100.0), 0.05), Truth::True);
        assert_eq!(
            single(101.0).equal_within(&exact(100.0), 0.05),
            Truth::Unknown
        );
        assert_eq!(
            exact(200.0).equal_within(&single(100.0), 0.05),
            Truth::False
        );
        assert_eq!(exact(-98.0).equal_within(&exact(-100.0), 0.05), Truth::True);
    }

    /// An interval and a point in it.
    fn some() -> impl Strategy<Value = (Uncertain, f64)> {
        (-100.0..100.0, 0.0..50.0, 0.0..=1.0).prop_map(|(low, width, at): (f64, f64, f64)| {
            (
                between(low, low + width),
                (low + width * at).clamp(low, low + width),
            )
        })
    }

    proptest! {
        #[test]
        fn results_hold_what_any_figures_give((a, x) in some(), (b, y) in some()) {
            let holds = |result: Uncertain, figure: f64| {
                result.low <= figure && figure <= result.high
                    && result.low <= result.value && result.value <= result.high
            };
            prop_assert!(holds(a + b, x + y));
            prop_assert!(holds(a - b, x - y));
            prop_assert!(holds(a * b, x * y));
            prop_assert!(holds(a.abs(), x.abs()));
            prop_assert!(holds(a.min(b), x.min(y)) && holds(a.max(b), x.max(y)));
            match a.divide(b) {
                Some(ratio) => prop_assert!(holds(ratio, x / y)),
                None => prop_assert!(b.low <= 0.0 && b.high >= 0.0),
            }
        }

        #[test]
        fn decided_statements_hold_for_any_figures((a, x) in some(), (b, y) in some(), share in 0.0..0.5) {
            let agrees = |truth: Truth, holds: bool| truth == Truth::Unknown || truth == holds.into();
            prop_assert!(agrees(a.less(&b), x < y));
            prop_assert!(agrees(a.at_most(&b), x <= y));
            prop_assert_eq!(a.less(&b), !b.at_most(&a));
            prop_assert!(agrees(a.equal_at(y, 0), (x - y).abs() <= 0.5));
            prop_assert!(agrees(a.equal_within(&b, share), (x - y).abs() <= share * y.abs()));
        }

        #[test]
        fn nothing_turns_nan(ends in prop::collection::vec(prop::num::f64::ANY, 4)) {
            prop_assume!(ends.iter().all(|end| end.is_finite()));
            let a = between(ends[0].min(ends[1]), ends[0].max(ends[1]));
            let b = between(ends[2].min(ends[3]), ends[2].max(ends[3]));
            for result in [Some(a + b), Some(a - b), Some(a * b), a.divide(b)].into_iter().flatten() {
                prop_assert!(!result.low.is_nan() && !result.high.is_nan());
            }
        }
    }
}

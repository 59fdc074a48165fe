//! Floating-point values as the decimal digits a reader sees.

use fixed_decimal::{Decimal, FloatPrecision, Sign, SignedRoundingMode, UnsignedRoundingMode};

use super::Digits;

/// Significant digits that a double keeps through a few calculations.
const RELIABLE: u8 = 15;
/// Significant digits of a [`Digits::Natural`] fraction.
const NATURAL: i16 = 6;

/// The decimal digits of a finite value without the noise of binary fractions; `None` for others.
pub(super) fn exact(value: f64) -> Option<Decimal> {
    let precision = if value.abs() < 1e15 {
        FloatPrecision::SignificantDigits(RELIABLE)
    } else {
        FloatPrecision::RoundTrip
    };
    let mut decimal = Decimal::try_from_f64(value, precision).ok()?;
    decimal.trim_end();
    Some(decimal)
}

/// Cuts to the digits wished for; halves go away from zero, as people round.
pub(super) fn rounded(mut decimal: Decimal, digits: Digits) -> Decimal {
    match digits {
        Digits::Natural => {
            if decimal.nonzero_magnitude_end() < 0 {
                round_significant(&mut decimal, NATURAL);
                decimal.trim_end();
            }
        }
        Digits::Places(places) => {
            let position = -i16::from(places);
            round(&mut decimal, position);
            decimal.pad_end(position);
        }
        Digits::Significant(count) => {
            let position = round_significant(&mut decimal, i16::from(count.max(1)));
            decimal.pad_end(position);
        }
    }
    if *decimal.magnitude_range().start() > 0 {
        decimal.pad_end(0);
    }
    // Moving the point (percent, milliseconds) leaves zeros before the number.
    decimal.trim_start();
    if decimal.is_zero() {
        decimal.sign = Sign::None;
    }
    decimal
}

/// Rounds to significant digits, never above the ones; gives the position of the last digit.
fn round_significant(decimal: &mut Decimal, count: i16) -> i16 {
    if decimal.is_zero() {
        return 0;
    }
    let position = |decimal: &Decimal| {
        decimal
            .nonzero_magnitude_start()
            .saturating_sub(count - 1)
            .min(0)
    };
    let before = position(decimal);
    round(decimal, before);
    // 9.996 becomes 10.00, which has a digit too many.
    let after = position(decimal).max(before);
    round(decimal, after);
    after
}

fn round(decimal: &mut Decimal, position: i16) {
    let mode = SignedRoundingMode::Unsigned(UnsignedRoundingMode::HalfExpand);
    decimal.round_with_mode(position, mode);
}

/// The value of decimal digits.
pub(super) fn value(decimal: &Decimal) -> f64 {
    decimal.to_string().parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(value: f64, digits: Digits) -> String {
        rounded(exact(value).expect("finite"), digits).to_string()
    }

    #[test]
    fn natural_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (17029.0, "17029"),
            (0.1 + 0.2, "0.3"),
            (335.272, "335.272"),
            (12571.012, "12571"),
            (1_234_567.5, "1234568"),
            (1.0 / 3.0, "0.333333"),
            (0.000_000_123_456_789, "0.000000123457"),
            (999_999.96, "1000000"),
            (2_999.999_999_999_999_5, "3000"),
            (-1.5, "-1.5"),
            (1e21, "1000000000000000000000"),
            (20.0, "20"),
        ] {
            assert_eq!(shown(value, Digits::Natural), text);
        }
    }

    #[test]
    fn fixed_places() {
        assert_eq!(shown(1.005, Digits::Places(2)), "1.01");
        assert_eq!(shown(28.499_999_999_999_996, Digits::Places(0)), "29");
        assert_eq!(shown(2.5, Digits::Places(0)), "3");
        assert_eq!(shown(20.0, Digits::Places(1)), "20.0");
        assert_eq!(shown(-0.04, Digits::Places(1)), "0.0");
        assert_eq!(shown(0.0, Digits::Places(2)), "0.00");
    }

    #[test]
    fn significant_digits() {
        assert_eq!(shown(123.456, Digits::Significant(4)), "123.5");
        assert_eq!(shown(123_456.0, Digits::Significant(2)), "123456");
        assert_eq!(shown(9.996, Digits::Significant(3)), "10.0");
        assert_eq!(shown(0.012_34, Digits::Significant(2)), "0.012");
        assert_eq!(shown(1.5, Digits::Significant(3)), "1.50");
        assert_eq!(shown(0.0, Digits::Significant(3)), "0");
    }

    proptest! {
        #[test]
        fn never_panics(value: f64, places: u8) {
            if let Some(decimal) = exact(value) {
                for digits in [Digits::Natural, Digits::Places(places), Digits::Significant(places)] {
                    let _ = rounded(decimal.clone(), digits);
                }
            } else {
                prop_assert!(!value.is_finite());
            }
        }
    }
}

//! How the ticks of an axis are written.

use crate::figure::Reader;
use crate::figure::format::Notation;
use crate::text::Digits;

/// Most letters of a tick.
const LONGEST: usize = 16;

/// Very large and very small numbers are written in thousands of thousands.
pub(super) fn power(notation: Notation, ticks: &[f64]) -> i32 {
    let Notation::Number(scale) = notation else {
        return 0;
    };
    let largest = ticks
        .iter()
        .map(|tick| (tick / scale).abs())
        .fold(0.0, f64::max);
    if largest == 0.0 || (1e-3..1e7).contains(&largest) {
        return 0;
    }
    let thousands = (largest.log10() / 3.0 + 1e-9).floor() as i32;
    thousands * 3
}

/// A tick in the reader's language; `step` is the even distance of ticks, if there is one.
pub(super) fn written(
    reader: Reader<'_>,
    notation: Notation,
    tick: f64,
    step: Option<f64>,
    power: i32,
) -> String {
    let language = reader.language;
    let places = |unit: f64| match step {
        Some(step) => {
            let orders = (step / unit).log10();
            // 2.5 never occurs: steps are 1, 2 or 5 of a decade.
            Digits::Places((-(orders + 1e-9).floor()).clamp(0.0, 12.0) as u8)
        }
        None => Digits::Natural,
    };
    let words = match notation {
        Notation::Duration => language.duration(clean(tick), Digits::Natural),
        Notation::Size => language.size(clean(tick), Digits::Natural),
        Notation::Percent => language.percent(clean(tick), places(0.01)),
        Notation::Number(scale) => {
            let unit = scale * 10f64.powi(power);
            language.number(clean(tick / unit), places(unit))
        }
    };
    if words.chars().count() <= LONGEST {
        return words;
    }
    // Beyond what the notation was made for: a plain power of ten, of percent or base units.
    let unit = if notation == Notation::Percent {
        0.01
    } else {
        1.0
    };
    let exponent = (tick / unit).abs().log10().floor();
    let mantissa = clean(tick / unit / 10f64.powf(exponent));
    let number = language.number(mantissa, Digits::Significant(2));
    format!("{number}{}", power_words(exponent as i32))
}

/// A number without the dust of its computation.
fn clean(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// `×10⁹`, for the title of an axis whose numbers were divided.
pub(super) fn power_words(power: i32) -> String {
    let raised: String = power
        .to_string()
        .chars()
        .map(|letter| match letter {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
        })
        .collect();
    format!("×10{raised}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_raised() {
        assert_eq!(power_words(-9), "×10⁻⁹");
        assert_eq!(power_words(12), "×10¹²");
    }

    #[test]
    fn only_numbers_out_of_hand_are_divided() {
        let plain = Notation::Number(1.0);
        assert_eq!(power(plain, &[0.0, 5e6]), 0);
        assert_eq!(power(plain, &[0.0, 2e9]), 9);
        assert_eq!(power(plain, &[0.0, 4e-5]), -6);
        assert_eq!(power(Notation::Size, &[0.0, 2e12]), 0);
    }
}

//! Figures with units: times in parts, sizes in multiples, numbers before symbols.

use fixed_decimal::{Decimal, FloatPrecision};

use super::unit::catalog_word;
use super::{Digits, Language, Unit, number};

/// Parts of a second, smallest first: word, and how many powers of ten it lies below the second.
const PARTS_OF_SECOND: [(&str, i16); 3] = [("ns", 9), ("us", 6), ("ms", 3)];

/// Binary multiples, each 1024 times the one before.
const SIZES: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];

impl Language {
    /// A length of time in the parts that suit it: `4 h 7 min`, `1 min 29.74 s`, `12.5 ms`.
    ///
    /// `digits` are those of the seconds, or of the milliseconds below one second; times of an hour
    /// and more are shown to the minute, of a day and more to the hour.
    pub fn duration(&self, seconds: f64, digits: Digits) -> String {
        let Some(exact) = number::exact(seconds.abs()) else {
            return self.number(seconds, digits);
        };
        let text = if seconds.abs() < 1.0 && seconds != 0.0 {
            self.short_duration(&exact, digits)
        } else {
            self.long_duration(exact, digits)
        };
        if seconds < 0.0 {
            format!("−{text}")
        } else {
            text
        }
    }

    fn short_duration(&self, exact: &Decimal, digits: Digits) -> String {
        for (word, power) in PARTS_OF_SECOND {
            let mut parts = exact.clone();
            parts.multiply_pow10(power);
            let shown = number::rounded(parts, digits);
            if number::value(&shown) < 1000.0 {
                return self.with_word(&shown, word);
            }
        }
        self.long_duration(exact.clone(), digits)
    }

    fn long_duration(&self, exact: Decimal, digits: Digits) -> String {
        let seconds = number::value(&exact);
        let shown = number::rounded(exact, digits);
        let total = number::value(&shown);
        if total < 60.0 {
            return self.with_word(&shown, "s");
        }
        if total < 3600.0 {
            let minutes = (total / 60.0).floor();
            let last = *shown.magnitude_range().start();
            let rest =
                Decimal::try_from_f64(total - minutes * 60.0, FloatPrecision::Magnitude(last));
            let rest = rest.ok().filter(|rest| last < 0 || !rest.is_zero());
            return self.two_parts(minutes, "min", rest, "s");
        }
        let minutes = (seconds / 60.0).round();
        if minutes < 1440.0 {
            return self.whole_parts(minutes, 60.0, "h", "min");
        }
        self.whole_parts((seconds / 3600.0).round(), 24.0, "d", "h")
    }

    fn whole_parts(&self, total: f64, ratio: f64, large: &str, small: &str) -> String {
        let rest = number::exact(total % ratio).filter(|rest| !rest.is_zero());
        self.two_parts((total / ratio).floor(), large, rest, small)
    }

    fn two_parts(&self, first: f64, large: &str, rest: Option<Decimal>, small: &str) -> String {
        let first = match number::exact(first) {
            Some(first) => self.with_word(&number::rounded(first, Digits::Natural), large),
            None => self.number(first, Digits::Natural),
        };
        match rest {
            None => first,
            Some(rest) => {
                let rest = self.with_word(&rest, small);
                self.pattern("duration-parts", &[("first", &first), ("second", &rest)])
            }
        }
    }

    /// An amount of data in binary multiples: `858.31 MiB`, `96 MiB`, `1.7 TiB`.
    ///
    /// With [`Digits::Natural`] a multiple is chosen that needs no long fraction, if there is one
    /// (`1,100 MiB` rather than `1.07422 GiB`).
    pub fn size(&self, bytes: f64, digits: Digits) -> String {
        let mut step = 0;
        let mut scaled = bytes;
        while step + 1 < SIZES.len() && rounds_to_next(scaled, digits) {
            step += 1;
            scaled /= 1024.0;
        }
        let is_long = (scaled * 100.0).fract() != 0.0;
        let below = scaled * 1024.0;
        if digits == Digits::Natural
            && step > 0
            && is_long
            && below.fract() == 0.0
            && below.abs() < 10_000.0
        {
            step -= 1;
            scaled = below;
        }
        match number::exact(scaled) {
            Some(exact) => self.with_word(&number::rounded(exact, digits), SIZES[step]),
            None => self.number(scaled, digits),
        }
    }

    /// A value in base units shown in a unit: number, non-breaking blank, symbol or name.
    pub fn quantity(&self, value: f64, unit: &Unit, digits: Digits) -> String {
        match &*unit.symbol {
            "" => self.number(value, digits),
            "duration" => self.duration(value, digits),
            "size" => self.size(value, digits),
            "%" => self.percent(value, digits),
            "×" => self.times(value, digits),
            symbol => match number::exact(unit.from_base(value)) {
                Some(exact) => self.with_word(&number::rounded(exact, digits), symbol),
                None => self.number(value, digits),
            },
        }
    }

    /// The same with a plus or minus sign before it (zero has none).
    pub fn signed_quantity(&self, value: f64, unit: &Unit, digits: Digits) -> String {
        let text = self.quantity(value, unit, digits);
        let is_positive = value > 0.0 && text != self.quantity(0.0, unit, digits);
        if is_positive {
            format!("+{text}")
        } else {
            text
        }
    }

    /// A ready number before an author's own word for its unit.
    pub fn with_unit(&self, number: &str, unit: &str) -> String {
        self.pattern("quantity", &[("number", number), ("unit", unit)])
    }

    /// The unit's symbol alone, for axis titles and table heads; empty for counts, and for units
    /// whose values carry their own (`duration`, `size`).
    pub fn unit(&self, unit: &Unit) -> String {
        match &*unit.symbol {
            "" | "duration" | "size" | "×" => String::new(),
            // A round number of them: `points`, `баллов`.
            symbol => self.word(symbol, &Decimal::from(100u8)),
        }
    }

    fn with_word(&self, shown: &Decimal, symbol: &str) -> String {
        self.with_unit(&self.decimal(shown), &self.word(symbol, shown))
    }

    /// A unit's symbol or name in this language, as it stands beside a number.
    fn word(&self, symbol: &str, beside: &Decimal) -> String {
        let key = format!("unit-{}", catalog_word(symbol));
        if let Some(word) = self.form(&key, beside) {
            return word.to_owned();
        }
        match symbol.rsplit_once('/') {
            Some((above, below)) => {
                let below = self.word(below, &Decimal::from(1u8));
                self.pattern(
                    "per",
                    &[("above", &self.word(above, beside)), ("below", &below)],
                )
            }
            None => symbol.to_owned(),
        }
    }
}

/// Whether a number of one multiple is shown as one or more of the next.
fn rounds_to_next(scaled: f64, digits: Digits) -> bool {
    number::exact(scaled.abs())
        .is_some_and(|exact| number::value(&number::rounded(exact, digits)) >= 1024.0)
}

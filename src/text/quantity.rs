//! Figures as people and tools write them: `512M`, `1 min 29.74 s`, `3m6.355s`, `1:29.74`, `PT4H7M`.

use super::{Dimension, Unit};

/// What `kB`, `MB`, `GB` and `TB` mean. Bare letters (`512M`) are always powers of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SizeConvention {
    /// Powers of 1000, as the standard has it.
    #[default]
    Decimal,
    /// Powers of 1024, as database engines mean it (`innodb_log_file_size = 96MB`).
    Binary,
}

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// The decimal sign: `.` or `,`.
    pub decimal: char,
    /// What `MB` means.
    pub sizes: SizeConvention,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            decimal: '.',
            sizes: SizeConvention::Decimal,
        }
    }
}

/// A figure that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    /// Its value in base units of the expected unit; always finite.
    pub value: f64,
    /// Whether a number was torn by a blank (`3m6. 355s`), which was overlooked.
    pub stray_blank: bool,
}

/// Why a text is no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuantityFault {
    /// It doesn't begin with a number.
    NotANumber,
    /// It is `nan` or infinite, or too large for a number.
    NotFinite,
    /// A comma stands where a point is expected, or groups digits (`0,15`, `1,234`).
    DecimalComma,
    /// Its unit measures something else.
    WrongDimension {
        /// What its own unit measures.
        found: Dimension,
    },
    /// It begins with a number, and what follows can't be understood.
    Unreadable,
}

/// Reads a figure in base units of `unit`; a bare number is in `unit` itself. `MB` is a power of
/// 1000; see [`read_quantity`] for the other convention and for what was overlooked.
pub fn parse_quantity(text: &str, unit: &Unit, decimal: char) -> Result<f64, QuantityFault> {
    let reading = Reading {
        decimal,
        ..Reading::default()
    };
    read_quantity(text, unit, reading).map(|quantity| quantity.value)
}

/// Reads a figure: a bare number in `unit`, a number with its own unit, parts of a time
/// (`4 h 7 min`), a clock (`1:02:03`), or an ISO 8601 duration.
pub fn read_quantity(text: &str, unit: &Unit, reading: Reading) -> Result<Quantity, QuantityFault> {
    let text = text.trim();
    let (negative, rest) = split_sign(text);
    if is_not_finite(rest) {
        return Err(QuantityFault::NotFinite);
    }
    let mut reader = Reader {
        rest,
        decimal: reading.decimal,
        stray_blank: false,
    };
    let found = if rest.starts_with('P') && rest[1..].contains(|c: char| c.is_ascii_digit()) {
        Found {
            value: reader.iso_duration()?,
            dimension: Some(Dimension::Duration),
        }
    } else {
        reader.parts(unit, reading.sizes)?
    };
    let value = match found.dimension {
        None => unit.to_base(found.value),
        Some(dimension) if dimension == unit.dimension => found.value,
        Some(found) => return Err(QuantityFault::WrongDimension { found }),
    };
    if !value.is_finite() {
        return Err(QuantityFault::NotFinite);
    }
    let value = if negative { -value } else { value };
    Ok(Quantity {
        value,
        stray_blank: reader.stray_blank,
    })
}

/// A value with the dimension its own unit gave it: in base units then, else bare.
struct Found {
    value: f64,
    dimension: Option<Dimension>,
}

fn split_sign(text: &str) -> (bool, &str) {
    if let Some(rest) = text.strip_prefix(['-', '−']) {
        (true, rest.trim_start())
    } else {
        (false, text.strip_prefix('+').map_or(text, str::trim_start))
    }
}

fn is_not_finite(text: &str) -> bool {
    ["nan", "inf", "infinity", "∞"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
}

struct Reader<'a> {
    rest: &'a str,
    decimal: char,
    stray_blank: bool,
}

/// A number as written.
struct Number {
    value: f64,
    whole: bool,
}

impl<'a> Reader<'a> {
    /// Everything but ISO durations: `number`, `number unit`, `number unit number unit …`, clocks.
    fn parts(&mut self, unit: &Unit, sizes: SizeConvention) -> Result<Found, QuantityFault> {
        let first = self.number(QuantityFault::NotANumber)?;
        if self.rest.starts_with(':') {
            return self.clock(first, 0.0);
        }
        self.blanks();
        if self.rest.is_empty() {
            return Ok(Found {
                value: first.value,
                dimension: None,
            });
        }
        let word = self.word()?;
        self.blanks();
        let (dimension, scale) = unit_of(word, unit, sizes).ok_or(QuantityFault::Unreadable)?;
        let first_value = scale.to_base(first.value);
        if self.rest.is_empty() {
            return Ok(Found {
                value: first_value,
                dimension: Some(dimension),
            });
        }
        if dimension != Dimension::Duration || !first.whole {
            return Err(QuantityFault::Unreadable);
        }
        self.further_parts(first_value, scale.scale)
    }

    /// The parts of a time after the first, each smaller than the one before.
    fn further_parts(&mut self, first: f64, first_scale: f64) -> Result<Found, QuantityFault> {
        let (mut total, mut last_scale, mut whole) = (first, first_scale, true);
        while !self.rest.is_empty() {
            let number = self.number(QuantityFault::Unreadable)?;
            if self.rest.starts_with(':') {
                // `1 d 02:03:04.5`
                return if last_scale == DAY {
                    self.clock(number, total)
                } else {
                    Err(QuantityFault::Unreadable)
                };
            }
            self.blanks();
            let scale = time_scale(self.word()?).ok_or(QuantityFault::Unreadable)?;
            self.blanks();
            if scale.scale >= last_scale || !whole {
                return Err(QuantityFault::Unreadable);
            }
            total += scale.to_base(number.value);
            (last_scale, whole) = (scale.scale, number.whole);
        }
        Ok(Found {
            value: total,
            dimension: Some(Dimension::Duration),
        })
    }

    /// `minutes:seconds` or `hours:minutes:seconds`, its first number read already.
    fn clock(&mut self, first: Number, days: f64) -> Result<Found, QuantityFault> {
        let mut fields = vec![first];
        while let Some(rest) = self.rest.strip_prefix(':') {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            self.rest = rest;
            let number = self.number(QuantityFault::Unreadable)?;
            if digits != 2 || number.value >= 60.0 {
                return Err(QuantityFault::Unreadable);
            }
            fields.push(number);
        }
        let all_but_last = &fields[..fields.len() - 1];
        if !self.rest.is_empty() || fields.len() > 3 || !all_but_last.iter().all(|it| it.whole) {
            return Err(QuantityFault::Unreadable);
        }
        let seconds = fields
            .iter()
            .fold(0.0, |sum, field| sum * 60.0 + field.value);
        Ok(Found {
            value: days + seconds,
            dimension: Some(Dimension::Duration),
        })
    }

    /// `P1DT2H3M4.5S`, `PT4H7M`, `P2W`; years and months have no fixed length.
    fn iso_duration(&mut self) -> Result<f64, QuantityFault> {
        let text = self.rest.strip_prefix('P').unwrap_or(self.rest);
        let (date, time) = text
            .split_once('T')
            .map_or((text, None), |(d, t)| (d, Some(t)));
        if time == Some("") {
            return Err(QuantityFault::Unreadable);
        }
        let mut total = 0.0;
        // A fraction may only stand in the last part of all, with a point or a comma.
        let mut whole = true;
        for (text, units) in [
            (date, &[('W', 604_800.0), ('D', DAY)][..]),
            (
                time.unwrap_or(""),
                &[('H', 3600.0), ('M', 60.0), ('S', 1.0)][..],
            ),
        ] {
            self.rest = text;
            let mut units = units.iter();
            while !self.rest.is_empty() {
                let comma = self.rest.find(|c: char| !c.is_ascii_digit());
                self.decimal = if comma.is_some_and(|at| self.rest[at..].starts_with(',')) {
                    ','
                } else {
                    '.'
                };
                let number = self.number(QuantityFault::Unreadable)?;
                let mut letters = self.rest.chars();
                let letter = letters.next().ok_or(QuantityFault::Unreadable)?;
                self.rest = letters.as_str();
                let &(_, scale) = units
                    .find(|(it, _)| *it == letter)
                    .ok_or(QuantityFault::Unreadable)?;
                if !whole {
                    return Err(QuantityFault::Unreadable);
                }
                whole = number.whole;
                total += number.value * scale;
            }
        }
        Ok(total)
    }

    /// A number without sign; `fault` is what its absence means.
    fn number(&mut self, fault: QuantityFault) -> Result<Number, QuantityFault> {
        let mut digits = String::new();
        self.digits(&mut digits);
        if digits.is_empty() && !self.rest.starts_with(self.decimal) {
            return Err(fault);
        }
        let whole_part = digits.len();
        if let Some(rest) = self.rest.strip_prefix(self.decimal) {
            digits.push('.');
            self.rest = rest;
            let unblanked = rest.trim_start();
            if unblanked.len() < rest.len() && unblanked.starts_with(|c: char| c.is_ascii_digit()) {
                self.rest = unblanked;
                self.stray_blank = true;
            }
            self.digits(&mut digits);
        }
        if digits == "." {
            return Err(fault);
        }
        if self.rest.starts_with(',') {
            return Err(QuantityFault::DecimalComma);
        }
        let mut whole = digits.len() == whole_part;
        if let Some((exponent, rest)) = exponent(self.rest) {
            digits.push('e');
            digits.push_str(exponent);
            self.rest = rest;
            whole = false;
        }
        let value: f64 = digits.parse().map_err(|_| QuantityFault::Unreadable)?;
        if value.is_finite() {
            Ok(Number { value, whole })
        } else {
            Err(QuantityFault::NotFinite)
        }
    }

    fn digits(&mut self, into: &mut String) {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        into.push_str(&self.rest[..self.rest.len() - rest.len()]);
        self.rest = rest;
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// The letters of a unit, up to the next blank or digit.
    fn word(&mut self) -> Result<&'a str, QuantityFault> {
        let is_end = |c: char| c.is_whitespace() || c.is_ascii_digit() || c == ',' || c == ':';
        let (word, rest) = self
            .rest
            .split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        if word.is_empty() {
            Err(QuantityFault::Unreadable)
        } else {
            Ok(word)
        }
    }
}

/// The exponent after an `e`, sign included, and what follows it.
fn exponent(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix(['e', 'E'])?;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < digits.len()).then(|| text.split_at(text.len() - rest.len()))
}

const DAY: f64 = 86_400.0;

/// A unit by its word in a cell, where more spellings are usual than in a definition.
fn unit_of(word: &str, expected: &Unit, sizes: SizeConvention) -> Option<(Dimension, Unit)> {
    // The author's own word comes first, whatever else it may mean.
    if word == expected.symbol {
        return Some((expected.dimension.clone(), expected.clone()));
    }
    let unit = if expected.dimension == Dimension::Duration {
        time_scale(word)
    } else {
        None
    };
    let unit = unit
        .or_else(|| size_scale(word, sizes))
        .or_else(|| time_scale(word));
    let unit = match unit {
        Some(unit) => unit,
        None => Unit::parse(word)?,
    };
    Some((unit.dimension.clone(), unit))
}

fn time_scale(word: &str) -> Option<Unit> {
    let symbol = match word {
        "m" | "mins" | "minute" | "minutes" => "min",
        "secs" | "second" | "seconds" => "s",
        "hr" | "hrs" | "hour" | "hours" => "h",
        "day" | "days" => "d",
        other => other,
    };
    Unit::parse(symbol).filter(|unit| unit.dimension == Dimension::Duration && symbol != "duration")
}

fn size_scale(word: &str, sizes: SizeConvention) -> Option<Unit> {
    if matches!(word, "b" | "byte" | "bytes" | "Bytes") {
        return Unit::parse("B");
    }
    let mut letters = word.chars();
    let power = match letters.next()?.to_ascii_uppercase() {
        'K' => 1,
        'M' => 2,
        'G' => 3,
        'T' => 4,
        _ => return None,
    };
    let base: f64 = match letters.as_str() {
        "" | "i" | "iB" | "ib" => 1024.0,
        "B" | "b" => match sizes {
            SizeConvention::Decimal => 1000.0,
            SizeConvention::Binary => 1024.0,
        },
        _ => return None,
    };
    Some(Unit {
        symbol: word.to_owned(),
        dimension: Dimension::Bytes,
        scale: base.powi(power),
    })
}

#[cfg(test)]
mod tests;

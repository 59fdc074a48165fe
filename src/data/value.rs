//! A cell's text as a value: a figure, a range `a..b`, or a bound `> x`, `< x`.

use crate::diag::Code;
use crate::model::Value;
use crate::text::{Dimension, Unit};

/// Why a text is no value, ready to become a diagnostic once its place is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValueFault {
    /// Which kind of fault.
    pub(super) code: Code,
    /// What is wrong.
    pub(super) message: String,
    /// How to mend it.
    pub(super) help: Option<String>,
}

impl ValueFault {
    fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Reads a cell of a metric with this unit; the value comes back in base units.
pub(super) fn read(text: &str, unit: &Unit, decimal: char) -> Result<Value, ValueFault> {
    let text = text.trim();
    if let Some(bound) = text.strip_prefix('>') {
        return Ok(Value::Above(quantity(bound, unit, decimal)?));
    }
    if let Some(bound) = text.strip_prefix('<') {
        return Ok(Value::Below(quantity(bound, unit, decimal)?));
    }
    match text.split_once("..") {
        Some((low, high)) => range(low, high, unit, decimal),
        None => Ok(Value::Exact(quantity(text, unit, decimal)?)),
    }
}

fn range(low: &str, high: &str, unit: &Unit, decimal: char) -> Result<Value, ValueFault> {
    let high = high.trim();
    let end = quantity(high, unit, decimal)?;
    let number = |letter: char| letter.is_ascii_digit() || matches!(letter, '+' | '-' | '.' | ',');
    let bare = low.trim().chars().all(number);
    // `7..16 %`: the unit stands once, behind the second number.
    let suffix = high.trim_start_matches(number).trim();
    let start = if bare && !suffix.is_empty() {
        quantity(&format!("{} {suffix}", low.trim()), unit, decimal)?
    } else {
        quantity(low, unit, decimal)?
    };
    if start > end {
        return Err(ValueFault::new(Code::BadQuantity, "the range runs from high to low")
            .help("write the smaller number first: `-2..17`"));
    }
    Ok(Value::Range(start, end))
}

/// Reads one figure, with or without a unit of its own, into base units of `unit`.
pub(super) fn quantity(text: &str, unit: &Unit, decimal: char) -> Result<f64, ValueFault> {
    let text = text.trim();
    let number = match plain(text, decimal) {
        Some(number) => number * unit.scale,
        None => spelled(text, unit, decimal)?,
    };
    if !number.is_finite() {
        return Err(not_finite(text));
    }
    if number < 0.0 && matches!(unit.dimension, Dimension::Duration | Dimension::Bytes) {
        let what = if unit.dimension == Dimension::Bytes { "size" } else { "duration" };
        return Err(ValueFault::new(Code::BadQuantity, format!("a {what} can't be negative")));
    }
    Ok(number)
}

/// The quick way, taken by nearly every cell: digits with the right decimal sign and nothing else.
fn plain(text: &str, decimal: char) -> Option<f64> {
    let mut swap = false;
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'+' | b'-' | b'e' | b'E' => {}
            b'.' if decimal == '.' => {}
            b',' if decimal == ',' => swap = true,
            _ => return None,
        }
    }
    if swap { text.replace(',', ".").parse().ok() } else { text.parse().ok() }
}

fn not_finite(text: &str) -> ValueFault {
    ValueFault::new(Code::BadNumber, format!("`{text}` is not a finite number"))
}

fn spelled(text: &str, unit: &Unit, decimal: char) -> Result<f64, ValueFault> {
    let lower = text.trim_start_matches(['+', '-']).to_lowercase();
    if matches!(&*lower, "nan" | "inf" | "infinity") {
        return Err(not_finite(text).help(
            "say why there is no value: a reason such as `failed`, or a word listed under `missing`",
        ));
    }
    if decimal == '.' && text.contains(',') && plain(text, ',').is_some() {
        return Err(ValueFault::new(
            Code::DecimalComma,
            format!("`{text}` has a comma where a decimal point is expected"),
        )
        .help("if the file writes decimal commas, add `decimal = \",\"` to its [[files]] entry")
        .help_too());
    }
    provisional(text, unit, decimal)
}

impl ValueFault {
    fn help_too(self) -> Self {
        self
    }
}

// Until the text room's quantities are there: a number and one unit.
fn provisional(text: &str, unit: &Unit, decimal: char) -> Result<f64, ValueFault> {
    let end = text
        .find(|letter: char| {
            !(letter.is_ascii_digit() || letter == decimal || letter == '-' || letter == '+')
        })
        .unwrap_or(text.len());
    let number = plain(&text[..end], decimal);
    let Some(number) = number else {
        return Err(ValueFault::new(Code::BadNumber, format!("`{text}` is not a number")));
    };
    let suffix = text[end..].trim();
    let own = match suffix {
        "K" | "KiB" => Some((Dimension::Bytes, 1024.0)),
        "M" => Some((Dimension::Bytes, 1_048_576.0)),
        "G" | "GiB" => Some((Dimension::Bytes, 1_073_741_824.0)),
        _ => Unit::parse(suffix).map(|unit| (unit.dimension, unit.scale)),
    };
    match own {
        Some((dimension, scale)) if dimension == unit.dimension => Ok(number * scale),
        Some(_) => Err(ValueFault::new(Code::WrongUnit, format!("`{suffix}` doesn't fit"))),
        None => Err(ValueFault::new(Code::BadQuantity, format!("`{text}` can't be read"))),
    }
}

/// Writes a value in base units so that it reads back as the same value.
pub(super) fn write(value: Value) -> String {
    match value {
        Value::Exact(number) => number.to_string(),
        Value::Range(low, high) => format!("{low}..{high}"),
        Value::Above(bound) => format!("> {bound}"),
        Value::Below(bound) => format!("< {bound}"),
    }
}

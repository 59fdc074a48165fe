//! A cell's text as a value: a figure, a range `a..b`, or a bound `> x`, `< x`.

use crate::diag::Code;
use crate::model::Value;
use crate::text::{Dimension, QuantityFault, Reading, Unit, read_quantity};

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
        Self {
            code,
            message: message.into(),
            help: None,
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A value that was read, in base units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Read {
    /// The value.
    pub(super) value: Value,
    /// Whether a number was torn by a blank (`3m6. 355s`), which was overlooked.
    pub(super) stray_blank: bool,
}

/// Reads a cell of a metric with this unit.
pub(super) fn read(text: &str, unit: &Unit, reading: Reading) -> Result<Read, ValueFault> {
    let text = text.trim();
    if let Some(bound) = text.strip_prefix('>') {
        return figure(bound, unit, reading).map(|it| it.with(Value::Above));
    }
    if let Some(bound) = text.strip_prefix('<') {
        return figure(bound, unit, reading).map(|it| it.with(Value::Below));
    }
    match text.split_once("..") {
        Some((low, high)) => range(low, high, unit, reading),
        None => figure(text, unit, reading).map(|it| it.with(Value::Exact)),
    }
}

fn range(low: &str, high: &str, unit: &Unit, reading: Reading) -> Result<Read, ValueFault> {
    let (low, high) = (low.trim(), high.trim());
    let number =
        |letter: char| letter.is_ascii_digit() || matches!(letter, '+' | '-' | '−' | '.' | ',');
    let suffix = high.trim_start_matches(number).trim();
    let end = figure(high, unit, reading)?;
    // `7..16 %`: the unit stands once, behind the second number.
    let start = if low.chars().all(number) && !suffix.is_empty() {
        figure(&format!("{low} {suffix}"), unit, reading)?
    } else {
        figure(low, unit, reading)?
    };
    if start.number > end.number {
        return Err(
            ValueFault::new(Code::BadQuantity, "the range runs from high to low")
                .help("write the smaller number first: `-2..17`"),
        );
    }
    Ok(Read {
        value: Value::Range(start.number, end.number),
        stray_blank: start.stray_blank || end.stray_blank,
    })
}

struct Figure {
    number: f64,
    stray_blank: bool,
}

impl Figure {
    fn with(self, kind: impl FnOnce(f64) -> Value) -> Read {
        Read {
            value: kind(self.number),
            stray_blank: self.stray_blank,
        }
    }
}

/// Reads one figure, with or without a unit of its own, into base units of `unit`.
pub(super) fn quantity(text: &str, unit: &Unit, reading: Reading) -> Result<f64, ValueFault> {
    figure(text, unit, reading).map(|figure| figure.number)
}

fn figure(text: &str, unit: &Unit, reading: Reading) -> Result<Figure, ValueFault> {
    let text = text.trim();
    let figure = match plain(text, reading.decimal) {
        Some(number) => Figure {
            number: unit.to_base(number),
            stray_blank: false,
        },
        None => {
            let read = read_quantity(text, unit, reading)
                .map_err(|fault| explain(&fault, text, unit, reading))?;
            Figure {
                number: read.value,
                stray_blank: read.stray_blank,
            }
        }
    };
    if !figure.number.is_finite() {
        return Err(explain(&QuantityFault::NotFinite, text, unit, reading));
    }
    if figure.number < 0.0 && matches!(unit.dimension, Dimension::Duration | Dimension::Bytes) {
        let what = if unit.dimension == Dimension::Bytes {
            "size"
        } else {
            "duration"
        };
        return Err(ValueFault::new(
            Code::BadQuantity,
            format!("a {what} can't be negative"),
        ));
    }
    Ok(figure)
}

/// The quick way, taken by nearly every cell: digits with a decimal point and nothing else.
fn plain(text: &str, decimal: char) -> Option<f64> {
    let quick =
        |byte: u8| byte.is_ascii_digit() || byte == b'-' || (byte == b'.' && decimal == '.');
    let number: f64 = text.bytes().all(quick).then(|| text.parse().ok())??;
    number.is_finite().then_some(number)
}

fn explain(fault: &QuantityFault, text: &str, unit: &Unit, reading: Reading) -> ValueFault {
    let needed = match &*unit.symbol {
        "" => "a plain number".to_owned(),
        symbol => format!("`{symbol}`"),
    };
    match fault {
        QuantityFault::NotANumber => {
            let fault = ValueFault::new(Code::BadNumber, format!("`{text}` is not a number"));
            fault.help("for a case without value, write its reason (`not-run`, `failed`, …) or declare the word: `missing = { \"n/a\" = \"not-run\" }`")
        }
        QuantityFault::NotFinite => {
            let fault =
                ValueFault::new(Code::BadNumber, format!("`{text}` is not a finite number"));
            fault.help("for a case without value, write its reason: `failed`, `timeout`, …")
        }
        QuantityFault::DecimalComma => {
            let fault = ValueFault::new(
                Code::DecimalComma,
                format!("`{text}` has a comma where a decimal point is expected"),
            );
            fault.help("if the file writes decimal commas, add `decimal = \",\"` to its entry; signs between thousands can't be read")
        }
        QuantityFault::WrongDimension { .. } => ValueFault::new(
            Code::WrongUnit,
            format!("the unit of `{text}` measures something else; {needed} is needed"),
        ),
        QuantityFault::Unreadable => {
            let fault = ValueFault::new(Code::BadQuantity, format!("`{text}` can't be read"));
            if reading.decimal == ',' && text.contains('.') {
                return fault.help("the file's entry says `decimal = \",\"`, and here is a point");
            }
            fault.help(format!("a number, perhaps with its unit, is needed ({needed}), such as `1 min 29.74 s` or `512M`"))
        }
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

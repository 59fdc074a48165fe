//! Values of a workload's parameters: read, and held against their kind and range.

use crate::diag::{Code, suggestion};
use crate::text::{Dimension, QuantityFault, Reading, SizeConvention, Unit, read_quantity};

use super::workload::{Parameter, ParameterKind};

/// A value that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Read {
    /// In base units.
    Number(f64),
    /// One of the words of a choice.
    Word(String),
}

/// Why a value can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    /// Which kind of fault.
    pub(super) code: Code,
    /// What is wrong, to follow on the name of the parameter.
    pub(super) message: String,
    /// What would be right.
    pub(super) help: Option<String>,
}

/// The unit in which bare numbers stand.
fn unit(kind: ParameterKind) -> Unit {
    let (symbol, dimension) = match kind {
        ParameterKind::Bytes => ("B", Dimension::Bytes),
        ParameterKind::Duration => ("s", Dimension::Duration),
        ParameterKind::Share => ("", Dimension::Share),
        ParameterKind::Count(..) | ParameterKind::Choice(_) => ("", Dimension::Count),
    };
    Unit {
        symbol: symbol.to_owned(),
        dimension,
        scale: 1.0,
    }
}

/// What the values of a kind are, in words.
pub(super) fn kind(kind: ParameterKind) -> String {
    match kind {
        ParameterKind::Count(low, high) if high == u64::MAX => {
            format!("a whole number from {low}")
        }
        ParameterKind::Count(low, high) => format!("a whole number from {low} to {high}"),
        ParameterKind::Bytes => "an amount of data such as `64 MiB`".to_owned(),
        ParameterKind::Duration => "a length of time such as `10 s`".to_owned(),
        ParameterKind::Share => "a share from 0 to 1, or `0 %` to `100 %`".to_owned(),
        ParameterKind::Choice(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("one of {}", words.join(", "))
        }
    }
}

/// Reads a value of a parameter.
pub(super) fn read(
    parameter: &Parameter,
    text: &str,
    sizes: SizeConvention,
) -> Result<Read, Refused> {
    if let ParameterKind::Choice(words) = parameter.kind {
        if words.contains(&text) {
            return Ok(Read::Word(text.to_owned()));
        }
        return Err(Refused {
            code: Code::BadDefinition,
            message: format!("can't be `{text}`"),
            help: suggestion(text, words.iter().copied()),
        });
    }
    let refused = |code, message: String| {
        Err(Refused {
            code,
            message,
            help: Some(format!("it takes {}", kind(parameter.kind))),
        })
    };
    let reading = Reading {
        decimal: '.',
        sizes,
    };
    let value = match read_quantity(text, &unit(parameter.kind), reading) {
        Ok(quantity) => quantity.value,
        Err(QuantityFault::WrongDimension { .. }) => {
            return refused(Code::WrongUnit, format!("has the wrong unit in `{text}`"));
        }
        Err(_) => return refused(Code::BadQuantity, format!("can't be `{text}`")),
    };
    let fits = match parameter.kind {
        // Beyond 2⁵³ not every whole number is one of these.
        ParameterKind::Count(low, high) => {
            value.fract() == 0.0
                && value <= (1_u64 << 53) as f64
                && (low as f64..=high as f64).contains(&value)
        }
        ParameterKind::Share => (0.0..=1.0).contains(&value),
        _ => value >= 0.0,
    };
    if fits {
        Ok(Read::Number(value))
    } else {
        refused(Code::BadDefinition, format!("can't be `{text}`"))
    }
}

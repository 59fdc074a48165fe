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
            help: Some(format!("it takes {}", parameter.kind.words())),
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

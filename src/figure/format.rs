//! How a figure is written for a reader: the one place where values meet a language.

use super::Reader;
use crate::analysis::Estimate;
use crate::model::{Missing, Value};

/// The label of a level: its name, or its value formatted (`512 MiB`, `1,500`).
pub fn level(_reader: Reader<'_>, _factor: usize, _level: usize) -> String {
    String::new()
}

/// A value of a metric with its unit (`5 min 35.272 s`, `390 points`, `+7–16 %`, `> 600 s`).
pub fn value(_reader: Reader<'_>, _metric: usize, _value: Value) -> String {
    String::new()
}

/// The same without the unit, for columns whose head states it; compound units keep theirs.
pub fn bare_value(_reader: Reader<'_>, _metric: usize, _value: Value) -> String {
    String::new()
}

/// An estimate with digits that follow its uncertainty.
pub fn estimate(_reader: Reader<'_>, _metric: usize, _estimate: &Estimate) -> String {
    String::new()
}

/// A metric's name with its unit, for heads and axes (`Points`, `Load time, s`).
pub fn metric_head(_reader: Reader<'_>, _metric: usize) -> String {
    String::new()
}

/// Why a value is missing, in a word or two (`not published`).
pub fn missing(_reader: Reader<'_>, _missing: &Missing) -> String {
    String::new()
}

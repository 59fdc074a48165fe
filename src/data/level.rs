//! Levels found by what cells say, and collected where the definition lists none.

use std::collections::{BTreeMap, HashMap};

use super::hash::Quick;
use super::value::{self, ValueFault};
use crate::diag::Code;
use crate::model::{Definition, Factor, Level, LevelValue};
use crate::text::{Localized, Reading};

/// The number a text means on a numeric factor's axis.
pub(super) fn number(factor: &Factor, text: &str, reading: Reading) -> Result<f64, ValueFault> {
    value::quantity(text, &factor.axis_unit(), reading)
}

/// Why a text names no level.
#[derive(Debug)]
pub(super) enum LevelFault {
    /// The factor declares its levels, and this is none of them.
    Unknown,
    /// It can't be read as a number at all.
    Unreadable(ValueFault),
}

/// A definition whose levels are looked up and collected.
pub(super) struct Axes<'a> {
    /// The definition.
    pub(super) definition: &'a mut Definition,
    /// The levels of each of its factors.
    pub(super) levels: &'a mut [Levels],
}

impl Axes<'_> {
    /// The index of the level of a factor that `text` means.
    pub(super) fn find(
        &mut self,
        factor: usize,
        text: &str,
        reading: Reading,
    ) -> Result<u32, LevelFault> {
        self.levels[factor].find(&mut self.definition.factors[factor], text, reading)
    }

    /// A factor.
    pub(super) fn factor(&self, index: usize) -> &Factor {
        &self.definition.factors[index]
    }
}

/// The levels of one factor, found without going through them: there may be a hundred thousand.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// By key, by another spelling, and by whatever else was found to mean a level.
    names: HashMap<Box<str>, u32, Quick>,
    /// By value, in an order that a range can be taken of.
    numbers: BTreeMap<u64, u32>,
}

impl Index {
    /// The index of the levels a factor has.
    pub(super) fn new(factor: &Factor) -> Self {
        let mut index = Self::default();
        for (number, level) in factor.levels.iter().enumerate() {
            index.add(level, number as u32);
            for alias in &level.aliases {
                index.name(alias, number as u32);
            }
        }
        index
    }

    /// Adds the level with this number.
    pub(super) fn add(&mut self, level: &Level, number: u32) {
        self.name(&level.key, number);
        if let LevelValue::Number(value) = level.value {
            self.numbers.entry(ordered(value)).or_insert(number);
        }
    }

    /// Adds another name of the level with this number.
    pub(super) fn name(&mut self, name: &str, number: u32) {
        self.names.entry(name.into()).or_insert(number);
    }

    /// The level that a text means, as [`Factor::level`] has it.
    pub(super) fn find(&self, factor: &Factor, text: &str) -> Option<usize> {
        let by_value = || factor.kind.is_numeric().then(|| factor.level(text))?;
        self.named(text)
            .map(|number| number as usize)
            .or_else(by_value)
    }

    /// The level of this name.
    pub(super) fn named(&self, text: &str) -> Option<u32> {
        self.names.get(text).copied()
    }

    /// The level at a value, as [`Factor::level_at`] has it.
    pub(super) fn at(&self, factor: &Factor, value: f64) -> Option<u32> {
        let reach = 2e-12 * value.abs();
        let near = self
            .numbers
            .range(ordered(value - reach)..=ordered(value + reach));
        near.filter(|(_, number)| factor.levels[**number as usize].is_at(value))
            .map(|(_, number)| *number)
            .min()
    }
}

/// The bits of a number, turned so that they order as numbers do; both zeros are one.
fn ordered(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// The levels of one factor while files are read.
#[derive(Debug)]
pub(super) struct Levels {
    /// Whether the files say which levels there are.
    open: bool,
    index: Index,
}

impl Levels {
    /// The levels of `factor`; without declared ones they are collected.
    pub(super) fn new(factor: &Factor) -> Self {
        Self {
            open: factor.levels.is_empty(),
            index: Index::new(factor),
        }
    }

    /// The index of the level that `text` means.
    fn find(
        &mut self,
        factor: &mut Factor,
        text: &str,
        reading: Reading,
    ) -> Result<u32, LevelFault> {
        if let Some(number) = self.index.named(text) {
            return Ok(number);
        }
        let number = self.search(factor, text, reading)?;
        self.index.names.insert(text.into(), number);
        Ok(number)
    }

    fn search(
        &mut self,
        factor: &mut Factor,
        text: &str,
        reading: Reading,
    ) -> Result<u32, LevelFault> {
        let value = if factor.kind.is_numeric() {
            match number(factor, text, reading) {
                Ok(number) => match self.index.at(factor, number) {
                    Some(index) => return Ok(index),
                    None => LevelValue::Number(number),
                },
                Err(fault) if self.open || fault.code != Code::BadNumber => {
                    return Err(LevelFault::Unreadable(fault));
                }
                Err(_) => LevelValue::Name,
            }
        } else {
            LevelValue::Name
        };
        if !self.open {
            return Err(LevelFault::Unknown);
        }
        let label = match value {
            LevelValue::Name => Localized::new(text),
            LevelValue::Number(_) => Localized::default(),
        };
        let level = Level {
            key: text.to_owned(),
            aliases: Vec::new(),
            label,
            value,
        };
        let number = factor.levels.len() as u32;
        self.index.add(&level, number);
        factor.levels.push(level);
        Ok(number)
    }

    /// Puts collected numbers in ascending order; gives the new index of each old one, if any moved.
    pub(super) fn settle(&self, factor: &mut Factor) -> Option<Vec<u32>> {
        if !self.open || !factor.kind.is_numeric() {
            return None;
        }
        let value = |level: &Level| match level.value {
            LevelValue::Number(number) => number,
            LevelValue::Name => f64::INFINITY,
        };
        let mut order: Vec<usize> = (0..factor.levels.len()).collect();
        order.sort_by(|&a, &b| value(&factor.levels[a]).total_cmp(&value(&factor.levels[b])));
        let mut new_index = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            new_index[old] = new as u32;
        }
        factor.levels.sort_by(|a, b| value(a).total_cmp(&value(b)));
        Some(new_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order_as_bits() {
        let numbers = [
            f64::NEG_INFINITY,
            -1e308,
            -1.0,
            -5e-324,
            0.0,
            5e-324,
            1.0,
            1e308,
            f64::INFINITY,
        ];
        for pair in numbers.windows(2) {
            assert!(ordered(pair[0]) < ordered(pair[1]), "{pair:?}");
        }
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}

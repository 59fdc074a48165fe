//! Levels found by what cells say, and collected where the definition lists none.

use std::collections::HashMap;

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

/// The levels of one factor while files are read.
#[derive(Debug)]
pub(super) struct Levels {
    /// Whether the files say which levels there are.
    open: bool,
    seen: HashMap<Box<str>, u32, Quick>,
}

impl Levels {
    /// The levels of `factor`; without declared ones they are collected.
    pub(super) fn new(factor: &Factor) -> Self {
        Self {
            open: factor.levels.is_empty(),
            seen: HashMap::default(),
        }
    }

    /// The index of the level that `text` means.
    fn find(
        &mut self,
        factor: &mut Factor,
        text: &str,
        reading: Reading,
    ) -> Result<u32, LevelFault> {
        if let Some(&index) = self.seen.get(text) {
            return Ok(index);
        }
        let index = self.search(factor, text, reading)?;
        self.seen.insert(text.into(), index);
        Ok(index)
    }

    fn search(&self, factor: &mut Factor, text: &str, reading: Reading) -> Result<u32, LevelFault> {
        let named = |factor: &Factor| {
            factor.levels.iter().position(|level| {
                level.key == text || level.aliases.iter().any(|alias| alias == text)
            })
        };
        if let Some(index) = named(factor) {
            return Ok(index as u32);
        }
        let value = if factor.kind.is_numeric() {
            match number(factor, text, reading) {
                Ok(number) => match factor.level_at(number) {
                    Some(index) => return Ok(index as u32),
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
        factor.levels.push(Level {
            key: text.to_owned(),
            aliases: Vec::new(),
            label,
            value,
        });
        Ok((factor.levels.len() - 1) as u32)
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

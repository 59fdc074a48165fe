//! Cases by name: the levels of the factors in which they differ.

use std::collections::BTreeSet;

use super::{Reader, format};

/// How some cases are told apart.
#[derive(Debug, Clone, Default)]
pub struct Cases {
    /// Indices of the factors in which they differ.
    varying: Vec<usize>,
}

impl Cases {
    /// Looks in which factors cases differ; one that is no part of a case can be left out.
    pub fn new<'a>(cases: impl IntoIterator<Item = &'a [u32]>, except: Option<usize>) -> Self {
        let mut seen: Vec<BTreeSet<u32>> = Vec::new();
        for case in cases {
            seen.resize(seen.len().max(case.len()), BTreeSet::new());
            for (levels, level) in seen.iter_mut().zip(case) {
                levels.insert(*level);
            }
        }
        let varying = seen.iter().enumerate();
        Self {
            varying: varying
                .filter(|(factor, levels)| levels.len() > 1 && Some(*factor) != except)
                .map(|(factor, _)| factor)
                .collect(),
        }
    }

    /// The factors in which they differ.
    pub fn varying(&self) -> &[usize] {
        &self.varying
    }

    /// The same without a factor.
    pub fn without(&self, factor: usize) -> Self {
        let others = self.varying.iter().filter(|it| **it != factor);
        Self {
            varying: others.copied().collect(),
        }
    }

    /// What tells them apart: the name of the one factor, or `Case`.
    pub fn title(&self, reader: Reader<'_>) -> String {
        match self.varying[..] {
            [factor] => format::factor_head(reader, factor),
            _ => reader.words("case").to_owned(),
        }
    }

    /// The name of a case; the name of the whole where there is only one.
    pub fn name(&self, reader: Reader<'_>, case: &[u32]) -> String {
        let level = |factor: &usize| Some((*factor, *case.get(*factor)? as usize));
        let levels: Vec<(usize, usize)> = self.varying.iter().filter_map(level).collect();
        match levels[..] {
            [(factor, level)] => format::level(reader, factor, level),
            _ => {
                let place = |&(factor, level)| format::place(reader, factor, level);
                levels.iter().map(place).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

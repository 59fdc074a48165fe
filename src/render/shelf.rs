//! The experiments at hand, with every pivot worked out once however many figures show it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::analysis::{Pivot, PivotError, Query, pivot};
use crate::model::Experiment;

type Worked = Arc<Result<Pivot, PivotError>>;

/// All experiments of a site.
#[derive(Debug)]
pub struct Shelf<'a> {
    experiments: &'a [Experiment],
    by_key: BTreeMap<&'a str, usize>,
    pivots: Vec<Mutex<BTreeMap<Query, Worked>>>,
}

impl<'a> Shelf<'a> {
    /// Puts experiments on the shelf.
    pub fn new(experiments: &'a [Experiment]) -> Self {
        let keys = experiments
            .iter()
            .map(|experiment| experiment.definition.key.as_str());
        Self {
            experiments,
            by_key: keys.enumerate().map(|(index, key)| (key, index)).collect(),
            pivots: experiments.iter().map(|_| Mutex::default()).collect(),
        }
    }

    /// All of them, in the order of their keys.
    pub fn all(&self) -> &'a [Experiment] {
        self.experiments
    }

    /// The one at an index.
    pub fn experiment(&self, index: usize) -> &'a Experiment {
        &self.experiments[index]
    }

    /// The index of the one with this key.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// Every key.
    pub fn keys(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.by_key.keys().copied()
    }

    /// The answer to a query; worked out at the first asking.
    pub fn pivot(&self, experiment: usize, query: &Query) -> Worked {
        let mut pivots = self.pivots[experiment]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = pivots.get(query) {
            return Arc::clone(known);
        }
        let worked = Arc::new(pivot::pivot(&self.experiments[experiment], query));
        pivots.insert(query.clone(), Arc::clone(&worked));
        worked
    }
}

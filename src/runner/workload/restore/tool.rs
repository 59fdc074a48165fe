//! Restoring with the engine's own tool: whether there is one, and what its steps are to the workload.

use super::super::super::engine::{Backup, Index, Instance};
use super::super::super::fault::Fault;

/// How long a restore took, as far as its parts can be told.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Times {
    /// All that is no index: tables, rows, primary keys. Not known unless each index is.
    pub(super) data: Option<f64>,
    /// The indexes in the order in which they were built.
    pub(super) indexes: Vec<(&'static str, f64)>,
    /// The whole.
    pub(super) total: f64,
}

impl Times {
    /// Takes the steps of a tool for the workload's, which belong to its indexes or else to the data, so that
    /// they add up to the whole. Time of an index that the tool doesn't tell apart is in one of its other
    /// steps, so what was taken by the data isn't known then.
    pub(super) fn of_tool(steps: &[(String, f64)], indexes: &'static [Index]) -> Self {
        let mut times = Self {
            data: None,
            indexes: Vec::new(),
            total: 0.0,
        };
        let mut data = 0.0;
        for (name, seconds) in steps {
            times.total += seconds;
            let known = indexes.iter().find(|it| it.name.eq_ignore_ascii_case(name));
            let Some(index) = known else {
                data += seconds;
                continue;
            };
            match times.indexes.iter_mut().find(|it| it.0 == index.name) {
                Some((_, before)) => *before += seconds,
                None => times.indexes.push((index.name, *seconds)),
            }
        }
        times.data = (times.indexes.len() == indexes.len()).then_some(data);
        times
    }

    /// All indexes together, if each is known.
    pub(super) fn all_indexes(&self) -> Option<f64> {
        self.data.map(|data| self.total - data)
    }
}

/// The tool of an engine.
pub(super) fn find(instance: &dyn Instance) -> Result<&dyn Backup, Fault> {
    let none = || {
        Fault::unsupported(format!(
            "{} has no backup tool of its own whose steps can be timed: say `tool = \"sql\"`",
            instance.version()
        ))
    };
    instance.backup().ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::super::INDEXES;
    use super::*;

    fn steps(told: &[(&str, f64)]) -> Vec<(String, f64)> {
        let owned = told.iter().map(|(name, took)| ((*name).to_owned(), *took));
        owned.collect()
    }

    #[test]
    fn what_is_no_index_of_the_workload_belongs_to_the_data() {
        let told = steps(&[
            ("data", 4.0),
            ("rdb$primary1", 1.0),
            ("orders_day", 0.25),
            ("ORDERS_CUSTOMER", 0.5),
            ("end", 0.25),
        ]);
        let times = Times::of_tool(&told, &INDEXES[..2]);
        let expected = Times {
            data: Some(5.25),
            indexes: vec![("orders_day", 0.25), ("orders_customer", 0.5)],
            total: 6.0,
        };
        assert_eq!(times, expected);
        assert_eq!(times.all_indexes(), Some(0.75));
        // The same steps, where fewer indexes were asked for.
        let times = Times::of_tool(&told, &[]);
        assert_eq!((times.data, times.total), (Some(6.0), 6.0));
        assert_eq!(times.all_indexes(), Some(0.0));
    }

    #[test]
    fn with_an_index_untold_only_the_whole_is_known() {
        let told = steps(&[("data", 4.0), ("orders_day", 0.5), ("orders_day", 0.25)]);
        let times = Times::of_tool(&told, &INDEXES[..2]);
        assert_eq!(times.indexes, [("orders_day", 0.75)]);
        assert_eq!((times.data, times.all_indexes()), (None, None));
        assert_eq!(times.total, 4.75);
    }
}

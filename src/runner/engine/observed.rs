//! What an engine counted of itself while it was measured, and what connections waited for.

use crate::model::Factor;

use super::super::workload::Outcome;

/// What an engine tells of itself after a measurement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observed {
    /// Results by name, of those that the engine lists, in base units.
    pub values: Vec<(&'static str, f64)>,
    /// What connections were found waiting for, where that was watched.
    pub waits: Option<Waits>,
}

/// How often connections were found waiting, and for what.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Waits {
    /// How many times all connections were looked at.
    pub looks: u64,
    /// Kind of wait, name of the event, how many connections were found so in all looks together.
    pub events: Vec<(String, String, u64)>,
}

/// Average number of connections that were found waiting so.
pub const WAITS: Outcome = Outcome {
    name: "waits",
    unit: "",
    meaning: "How many working connections were found so on average, whenever all were looked at. Without steps: \
              how many worked at all.",
};

/// The same as a share of all connections that worked.
pub const WAIT_SHARE: Outcome = Outcome {
    name: "wait_share",
    unit: "%",
    meaning: "The same as a share of all connections that were found working. For an experiment whose steps are \
              kinds of waits (`IO`), events (`WALWrite`) or both (`IO:WALWrite`), with `all` for all of them \
              and all other results, and `other` for those that no step names.",
};

/// The step that holds everything.
const ALL: &str = "all";
/// The step that holds what no other names.
const OTHER: &str = "other";

impl Waits {
    /// Results of all waits together.
    pub fn totals(&self) -> Vec<(String, f64)> {
        self.results(|_, _| true)
    }

    /// Results of each step that a factor has levels for, beside those of `values`, which belong to all.
    pub fn steps(
        &self,
        factor: &Factor,
        values: &[(String, f64)],
    ) -> Vec<(String, Vec<(String, f64)>)> {
        let names = |key: &str, kind: &str, event: &str| {
            key == kind || key == event || key.split_once(':') == Some((kind, event))
        };
        let is_named = |kind: &str, event: &str| {
            let mut keys = factor.levels.iter().map(|level| &*level.key);
            keys.any(|key| names(key, kind, event))
        };
        let steps = factor.levels.iter().map(|level| {
            let key = &*level.key;
            let results = match key {
                ALL => [values, &self.totals()].concat(),
                OTHER => self.results(|kind, event| !is_named(kind, event)),
                _ => self.results(|kind, event| names(key, kind, event)),
            };
            (key.to_owned(), results)
        });
        steps.collect()
    }

    fn results(&self, counts: impl Fn(&str, &str) -> bool) -> Vec<(String, f64)> {
        let sum = |counts: &dyn Fn(&str, &str) -> bool| {
            let events = self.events.iter();
            let found = events.filter(|(kind, event, _)| counts(kind, event));
            found.map(|(_, _, count)| *count as f64).sum::<f64>()
        };
        let (found, all) = (sum(&counts), sum(&|_, _| true));
        let mut results = Vec::new();
        if self.looks > 0 {
            results.push((WAITS.name.to_owned(), found / self.looks as f64));
        }
        if all > 0.0 {
            results.push((WAIT_SHARE.name.to_owned(), found / all));
        }
        results
    }
}

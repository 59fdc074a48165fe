//! What happens in a run, told to whoever listens. Nothing is printed within the measuring loop.

use std::path::Path;
use std::time::Duration;

use super::fault::Fault;

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run begins, or goes on after `done` trials.
    Begins {
        /// Key of the experiment.
        experiment: &'a str,
        /// The run's folder.
        folder: &'a Path,
        /// How many trials it holds in all.
        trials: usize,
        /// How many of them were finished before.
        done: usize,
    },
    /// Something worth knowing, in one sentence.
    Notes(&'a str),
    /// A trial begins.
    TrialBegins {
        /// Zero-based place in the run's order.
        order: u32,
        /// Zero-based block.
        block: u32,
        /// Factor and level of its case.
        case: &'a [(String, String)],
    },
    /// A trial gave its values and they are on disk: name of the metric, value, unit.
    TrialEnds {
        /// Zero-based place in the run's order.
        order: u32,
        /// How long the whole trial took.
        took: Duration,
        /// Metric, value in base units, the unit's symbol.
        values: &'a [(String, f64, String)],
    },
    /// A trial gave no value, and that is on disk.
    TrialFails {
        /// Zero-based place in the run's order.
        order: u32,
        /// How long the whole trial took.
        took: Duration,
        /// Why.
        fault: &'a Fault,
    },
    /// The run ends.
    Ends {
        /// How many trials have values.
        measured: usize,
        /// How many failed, were given up or can't be done here.
        failed: usize,
        /// How many are left for another time.
        left: usize,
        /// Why any are left, if they are.
        reason: Option<&'a str>,
    },
}

/// Somebody who wants to know.
pub trait Listener {
    /// Is told of an event.
    fn hear(&mut self, event: &Event<'_>);
}

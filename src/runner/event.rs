//! What happens in a run, told to whoever listens. Nothing is printed within the measuring loop.

use std::path::Path;
use std::time::Duration;

use super::estimate::Prediction;
use super::fault::Fault;
use crate::model::Metric;

/// Something that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run begins, or goes on after `done` trials.
    Begins {
        /// Key of the experiment.
        experiment: &'a str,
        /// Name of the engine.
        engine: &'a str,
        /// Name of the workload.
        workload: &'a str,
        /// The run's folder.
        folder: &'a Path,
        /// How many cases it measures.
        cases: usize,
        /// How many blocks of them it holds.
        blocks: usize,
        /// How many trials it holds in all.
        trials: usize,
        /// How many of them were finished before.
        done: usize,
        /// How long the others are expected to take.
        expected: Prediction,
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
        /// How many trials were finished before it.
        done: usize,
        /// How long it and those after it are expected to take.
        expected: Prediction,
    },
    /// A trial gave its values and they are on disk.
    TrialEnds {
        /// Zero-based place in the run's order.
        order: u32,
        /// How long the whole trial took.
        took: Duration,
        /// What it gave.
        values: &'a [Figure<'a>],
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
        /// The run's folder.
        folder: &'a Path,
    },
}

/// A value that a trial gave.
#[derive(Debug, Clone, Copy)]
pub struct Figure<'a> {
    /// The metric.
    pub metric: &'a Metric,
    /// The step that gave it, for a case with steps.
    pub step: Option<&'a str>,
    /// In base units of the metric.
    pub value: f64,
}

/// Somebody who wants to know.
pub trait Listener {
    /// Is told of an event.
    fn hear(&mut self, event: &Event<'_>);
}

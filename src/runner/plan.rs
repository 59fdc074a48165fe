//! The plan of a run: which cases, how often, in which order.

use std::time::Duration;

use crate::model::{Definition, Order, Procedure};

use super::engine::Engine;
use super::workload::Workload;

/// What a person asks of a run beyond what its definition says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// Another engine than the definition's.
    pub engine: Option<String>,
    /// The definition's values for a short trial.
    pub quick: bool,
    /// How often each case is measured.
    pub repetitions: Option<u32>,
    /// How long the run may take; repetitions are dropped before cases.
    pub budget: Option<Duration>,
    /// How the cases of a block are ordered.
    pub order: Option<Order>,
    /// Seed of the order and of all generated data.
    pub seed: Option<u64>,
    /// Only cases with one of the levels named for a factor: factor, level, as written.
    pub only: Vec<(String, String)>,
    /// Only some of the blocks.
    pub shard: Option<Shard>,
}

/// One of several parts of a plan: whole blocks, dealt out in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
}

/// What a run is going to do. The same definition and wishes give the same plan on any machine.
pub struct Plan<'a> {
    /// The experiment.
    pub definition: &'a Definition,
    /// How it is run.
    pub procedure: &'a Procedure,
    /// What is measured.
    pub engine: &'static dyn Engine,
    /// What it is made to do.
    pub workload: &'static dyn Workload,
    /// What was asked for, complete: nothing that has a default is left open.
    pub wishes: Wishes,
    /// How often each case is measured.
    pub repetitions: u32,
    /// How the cases of a block are ordered.
    pub order: Order,
    /// Seed of the order and of all generated data.
    pub seed: u64,
    /// The cases: index of the level of each factor; that of steps is always 0.
    pub cases: Vec<Box<[u32]>>,
    /// The trials, in the order in which they are run.
    pub trials: Vec<Trial>,
}

/// One measurement of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Zero-based place in the whole plan's order, of all shards.
    pub order: u32,
    /// Zero-based block, which is the number of the repetition too.
    pub block: u32,
    /// Index of the case.
    pub case: u32,
}

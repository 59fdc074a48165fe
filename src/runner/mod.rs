//! Measures: plans the trials of an experiment, runs workloads on engines, and records what they gave.
//!
//! The runner shares nothing with the site but [`crate::model`] and the files of [`crate::data`]. It
//! records and does not judge: samples are stored raw, and no statistics are computed here.

mod arrange;
pub mod clock;
mod data_keys;
pub mod disk;
pub mod engine;
pub mod estimate;
pub mod event;
pub mod execute;
pub mod fault;
mod fill;
mod fingerprint;
#[cfg(test)]
mod fixture;
pub mod folder;
pub mod history;
pub mod ignored;
pub mod inputs;
pub mod journal;
pub mod left;
mod logs;
#[cfg(test)]
mod made;
pub mod merge;
mod neutral;
pub mod outline;
mod parameter;
pub mod plan;
mod plan_check;
pub mod plan_record;
#[cfg(test)]
mod plan_tests;
pub mod power;
pub mod probe;
pub mod process;
pub mod random;
pub mod redact;
pub mod results;
mod revive;
pub mod run_record;
pub mod sampler;
pub mod scratch;
pub mod session;
pub mod shard;
pub mod stop;
mod tree;
pub mod watch;
mod wish;
pub mod workload;

//! Measures: plans the trials of an experiment, runs workloads on engines, and records what they gave.
//!
//! The runner shares nothing with the site but [`crate::model`] and the files of [`crate::data`]. It
//! records and does not judge: samples are stored raw, and no statistics are computed here.

mod arrange;
mod fill;
mod fingerprint;
#[cfg(test)]
mod fixture;
mod parameter;
#[cfg(test)]
mod plan_tests;
mod wish;

pub mod engine;
pub mod estimate;
pub mod event;
pub mod fault;
pub mod outline;
pub mod plan;
pub mod plan_record;
pub mod random;
pub mod shard;
pub mod stop;
pub mod watch;
pub mod workload;

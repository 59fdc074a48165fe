//! Measures: plans the trials of an experiment, runs workloads on engines, and records what they gave.
//!
//! The runner shares nothing with the site but [`crate::model`] and the files of [`crate::data`]. It
//! records and does not judge: samples are stored raw, and no statistics are computed here.

pub mod engine;
pub mod event;
pub mod fault;
#[cfg(test)]
mod made;
pub mod plan;
pub mod power;
pub mod probe;
pub mod random;
pub mod redact;
pub mod sampler;
pub mod stop;
mod tree;
pub mod watch;
pub mod workload;

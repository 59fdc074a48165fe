//! The nouns of measurement: experiment, factor, case, metric, sample, run, environment.

mod experiment;
mod sample;

pub use experiment::{
    Definition, Derived, Direction, Environment, Experiment, Factor, FactorKind, Level, LevelValue,
    Metric, Run, Setting, SourceNote,
};
pub use sample::{Missing, MissingReason, Observation, Origin, Place, Sample, Value};

//! The nouns of measurement: experiment, factor, case, metric, sample, run, environment.

mod experiment;
mod procedure;
mod sample;
mod watched;

pub use experiment::{
    Definition, Derived, Direction, Environment, Experiment, Factor, FactorKind, Level, LevelValue,
    Metric, Run, Setting, SourceNote,
};
pub use procedure::{
    Assignment, CommandLine, CommandResults, Commands, Fill, Hole, Named, Order, Procedure, Quick,
    SYSTEM_TIME, Template, USER_TIME, WALL_TIME, Watching,
};
pub use sample::{Missing, MissingReason, Observation, Origin, Place, Sample, Value};
pub use watched::{LOOKED_AT, Reading, SERIES, Series, SettingInEffect};

//! The environment of a run, its fixed settings, or the difference of two environments.

use super::{Figure, Reader};

/// Lays out the environments of the runs with these indices, and the experiment's fixed settings;
/// with two or more runs, facts that differ come first and are marked.
pub fn environment(_reader: Reader<'_>, _runs: &[usize]) -> Figure {
    Figure::default()
}

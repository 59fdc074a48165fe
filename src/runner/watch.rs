//! What can be watched while a case is measured: the table of series, and who reads them.

use super::fault::Fault;

/// A reader of one or more series.
pub trait Watch: Send {
    /// Whether it can tell a series, so that who wants one alone needs not read all.
    fn tells(&self, _series: &str) -> bool {
        true
    }

    /// Reads now; each figure in base units of its series goes to `out` under the series' key. A
    /// series that can't be read this time is left out.
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault>;
}

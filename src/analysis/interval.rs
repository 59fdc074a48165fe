//! 95 % intervals for a median, by sample size.

/// How an interval was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Percentiles of resampled medians, fixed seed.
    Bootstrap,
    /// Student's t on logarithms.
    StudentLog,
    /// The stated relative noise of the experiment, for want of repetitions.
    Assumed,
}

/// An interval with its method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end, in the unit of the samples.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How it was found.
    pub method: Method,
}

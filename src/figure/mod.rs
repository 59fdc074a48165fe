//! Orders and pivots to figures: tables, matrices, comparisons, charts, and their words.
//!
//! Every figure is a function from values to a [`Figure`]; captions, tabs and numbering are added
//! in [`crate::render`]. Whatever comes from data or labels is escaped here.

pub mod cases;
pub mod chart;
pub mod compare;
pub mod correlation;
pub mod drift;
pub mod environment;
mod export;
pub mod format;
pub mod history;
pub mod markup;
pub mod matrix;
pub(crate) mod method;
pub mod reproduce;
mod series;
pub mod settings;
pub mod steps;
pub mod table;
pub mod timeline;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod gallery;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod tests;

pub use export::fields;

use crate::model::Experiment;
use crate::text::Language;

/// Whose figures, for whom.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    /// The experiment shown.
    pub experiment: &'a Experiment,
    /// The reader's language.
    pub language: &'a Language,
}

/// A figure, ready to be framed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// The picture or table itself, as HTML that stands on its own.
    pub body: String,
    /// The same data as an HTML table, for figures that are pictures.
    pub table: Option<String>,
    /// What the figure shows, in words, for those who can't see it. Plain text.
    pub alternative: String,
    /// The shown data as CSV: language-neutral keys, base units stated in the header, points.
    pub csv: String,
    /// The shown data as JSON: the same with n, interval, missing reasons and places.
    pub json: String,
    /// How it was measured: pairs of name and text (n, statistic, interval, run). Plain text.
    pub method: Vec<(String, String)>,
}

//! benchbook: performance-tuning results as a checked, multilingual, offline site.
//!
//! Two wings meet in one room. The word wing ([`content`], [`site`]) knows Markdown, languages and
//! links; the number wing ([`model`], [`data`], [`analysis`], [`figure`]) knows experiments and
//! pictures; only [`render`] knows both. [`pipeline`] is the whole flow on one page.

pub mod analysis;
pub mod cli;
pub mod config;
pub mod content;
pub mod data;
pub mod diag;
pub mod figure;
pub mod model;
pub mod output;
pub mod pipeline;
pub mod render;
pub mod runner;
pub mod site;
pub mod source;
pub mod text;
pub mod theme;

//! Result files, read and written here: definitions, plain tables, foreign formats, run folders.

mod check;
mod collect;
mod commands;
mod definition;
mod delimited;
mod derive;
mod entry;
mod factor;
mod faults;
mod format;
mod gather;
mod gbak;
mod hash;
pub mod import;
pub mod inline;
pub mod join;
mod json;
mod level;
mod loading;
mod mapping;
mod metric;
pub mod observed;
mod overlay;
mod pattern;
mod procedure;
mod readings;
mod receipt;
pub mod record;
mod rows;
mod run;
mod section;
mod sketch;
mod template;
#[cfg(test)]
mod tests;
mod time;
mod value;
mod words;

pub use loading::{Loaded, definition, load, load_with_receipts};
pub use overlay::report_missing_labels;
pub use pattern::Pattern;
pub use readings::{gbak_steps, readings};
pub use receipt::{FileReceipt, Receipt, Remark};

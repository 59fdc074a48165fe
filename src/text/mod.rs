//! Languages: tags, interface words, plurals, numbers, dates and units as each reader writes them.
//! The only room that knows ICU.

pub mod fold;
pub mod lang;
pub mod language;
pub mod message;
pub mod unit;

pub use lang::{Direction, Lang, Localized};
pub use language::{Argument, Digits, Language};
pub use message::Catalogs;
pub use unit::{Dimension, Unit};

//! Languages: tags, interface words, plurals, numbers, dates and units as each reader writes them.
//! The only room that knows ICU.

pub mod fold;
mod icu;
pub mod lang;
pub mod language;
pub mod letter;
pub mod message;
mod number;
mod pattern;
pub mod quantity;
mod shape;
pub mod unit;

pub use lang::{Direction, Lang, Localized};
pub use language::{Argument, Digits, Language};
pub use message::Catalogs;
pub use quantity::{
    Quantity, QuantityFault, Reading, SizeConvention, parse_quantity, read_quantity,
};
pub use unit::{Dimension, Unit};

//! Markdown to documents: front matter, prose in pieces, blocks, inline values, claims, links.
//!
//! Knows languages and places, but no experiment: what a block or expression means is decided in
//! [`crate::render`].

pub mod anchor;
mod arguments;
pub mod block;
mod claim;
pub mod digest;
pub mod document;
mod element;
pub mod expression;
mod fence;
mod footnote;
mod front_keys;
pub mod front_matter;
pub mod functions;
pub mod highlight;
pub mod kinds;
mod link;
mod mark;
pub mod markdown;
mod output;
mod parser;
mod place;
mod raw;
mod reserved;
mod scan;
mod syntax;
mod target;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod writer;

pub use block::{Argument, Arguments, Block, Given, Kind, Type};
pub use digest::{digest, set_translated_from};
pub use document::{Claim, Document, Heading, Image, Inline, Link, Piece};
pub use expression::{Binary, Expression, Node, Unary};
pub use front_matter::{FrontMatter, Headline};
pub use functions::{COMMON_PARAMETERS, FILTERS, FUNCTIONS, Function, Parameter};
pub use kinds::{COMMON_ARGUMENTS, KINDS};
pub use markdown::{Fragment, RawHtml, fragment, read};

//! Markdown to documents: front matter, prose in pieces, blocks, inline values, claims, links.
//!
//! Knows languages and places, but no experiment: what a block or expression means is decided in
//! [`crate::render`].

pub mod block;
pub mod document;
pub mod expression;
pub mod front_matter;
pub mod highlight;
pub mod markdown;

pub use block::{Argument, Arguments, Block, KINDS, Kind};
pub use document::{Claim, Document, Heading, Image, Inline, Link, Piece};
pub use expression::{Expression, Node};
pub use front_matter::FrontMatter;

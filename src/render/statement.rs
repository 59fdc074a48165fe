//! What pages say from data, for those who compare two states of a site.

use crate::diag::Span;

/// One thing that a page says from data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it stands in the page's text.
    pub place: Span,
    /// As it is written there: an expression, the condition of a claim, the kind of a block.
    pub written: String,
    /// What readers see: a value, a verdict, a figure's data as CSV.
    pub said: String,
}

/// What a page can say from data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementKind {
    /// An inline value, or a headline figure.
    Value,
    /// A claim.
    Claim,
    /// A figure.
    Figure,
}

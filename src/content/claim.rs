//! Pairs the beginnings and ends of claims: both in one element, none inside another.

use super::document::{Claim, Piece};
use super::writer::{Writer, Written};
use crate::diag::{Code, Diagnostic, Report, Span};

/// A claim whose end hasn't come yet.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// Its index; `None` when its condition couldn't be read.
    claim: Option<usize>,
    /// Number of its mark.
    mark: usize,
    /// The element it began in.
    container: u32,
}

/// The claims of a text.
#[derive(Debug)]
pub(super) struct Claims {
    open: Option<Open>,
    /// Claims begun inside the open one; their ends close nothing.
    nested: usize,
    /// Mark of a claim whose element ended first.
    orphan: Option<usize>,
    /// Which ones have both ends.
    whole: Vec<bool>,
}

impl Claims {
    /// None of `count` claims has been met.
    pub(super) fn new(count: usize) -> Self {
        Self {
            open: None,
            nested: 0,
            orphan: None,
            whole: vec![false; count],
        }
    }

    /// The claim whose prose is being written.
    pub(super) fn open(&self) -> Option<usize> {
        self.open?.claim
    }

    /// Gives up the open claim: its element ends, or a block begins inside it.
    fn give_up(&mut self) {
        if let Some(open) = self.open.take() {
            self.orphan = Some(open.mark);
            self.nested = 0;
        }
    }
}

fn unclosed(start: Span, end: Option<Span>, report: &mut Report) {
    let mut diagnostic = Diagnostic::new(
        Code::UnclosedClaim,
        if end.is_some() {
            "a claim begins and ends in different places of the text's structure"
        } else {
            "a claim has no end in its paragraph"
        },
    )
    .at(start, "begins here");
    if let Some(end) = end {
        diagnostic = diagnostic.at(end, "ends here");
    }
    report.push(
        diagnostic.help("put {% end %} into the same paragraph, cell or emphasis as {% claim … %}"),
    );
}

impl Writer<'_, '_> {
    /// A claim begins.
    pub(super) fn claim_start(&mut self, claim: Option<usize>, mark: usize, in_attribute: bool) {
        let place = self.mark_span(mark);
        if in_attribute {
            self.report.push(
                Diagnostic::new(
                    Code::BadExpression,
                    "a claim can't stand in an image's text",
                )
                .at(place, "")
                .help("put it into the prose around the image"),
            );
            return;
        }
        if let Some(outer) = self.claims.open {
            self.claims.nested += 1;
            let outer = self.mark_span(outer.mark);
            self.report.push(
                Diagnostic::new(Code::UnclosedClaim, "a claim begins inside another")
                    .at(place, "begins here")
                    .at(outer, "this one isn't closed yet")
                    .help("close the first with {% end %}, or join the conditions with `and`"),
            );
            return;
        }
        if let Some(orphan) = self.claims.orphan.take() {
            unclosed(self.mark_span(orphan), None, self.report);
        }
        self.claims.open = Some(Open {
            claim,
            mark,
            container: self.container(),
        });
        if let Some(claim) = claim {
            self.done.claims[claim].in_link = self.links_open > 0;
            self.out.piece(Piece::ClaimStart(claim));
        }
    }

    /// A claim ends.
    pub(super) fn claim_end(&mut self, mark: usize, in_attribute: bool) {
        if in_attribute {
            return;
        }
        if self.claims.open.is_some() && self.claims.nested > 0 {
            self.claims.nested -= 1;
            return;
        }
        let place = self.mark_span(mark);
        if let Some(open) = self.claims.open.take() {
            if open.container != self.container() {
                unclosed(self.mark_span(open.mark), Some(place), self.report);
            } else if let Some(claim) = open.claim {
                self.claims.whole[claim] = true;
                self.out.piece(Piece::ClaimEnd(claim));
            }
        } else if let Some(orphan) = self.claims.orphan.take() {
            unclosed(self.mark_span(orphan), Some(place), self.report);
        } else {
            self.report.push(
                Diagnostic::new(Code::StrayEnd, "an end has no claim before it")
                    .at(place, "")
                    .help("begin the claim with {% claim … %} in the same paragraph"),
            );
        }
    }

    /// The element with this number ends.
    pub(super) fn claim_container_ends(&mut self, id: u32) {
        if self.claims.open.is_some_and(|open| open.container == id) {
            self.claims.give_up();
        }
    }

    /// A block element begins.
    pub(super) fn boundary(&mut self) {
        self.claims.give_up();
    }

    /// The text ends: reports what is left open and drops claims that aren't whole.
    pub(super) fn finish_claims(&mut self) -> Vec<bool> {
        self.claims.give_up();
        if let Some(orphan) = self.claims.orphan.take() {
            unclosed(self.mark_span(orphan), None, self.report);
        }
        std::mem::take(&mut self.claims.whole)
    }
}

/// Leaves only the claims that are whole, under new indices.
pub(super) fn keep_whole(written: &mut Written, whole: &[bool]) {
    for claim in &mut written.claims {
        trim(claim);
    }
    if whole.iter().all(|&whole| whole) {
        return;
    }
    let mut next = 0;
    let indices: Vec<Option<usize>> = whole
        .iter()
        .map(|&whole| {
            next += usize::from(whole);
            whole.then(|| next - 1)
        })
        .collect();
    let mut keep = whole.iter();
    written
        .claims
        .retain(|_| keep.next().copied().unwrap_or(false));
    written.pieces.retain_mut(|piece| match piece {
        Piece::ClaimStart(claim) | Piece::ClaimEnd(claim) => match indices[*claim] {
            Some(index) => {
                *claim = index;
                true
            }
            None => false,
        },
        _ => true,
    });
}

fn trim(claim: &mut Claim) {
    let length = claim.prose.trim_end().len();
    claim.prose.truncate(length);
    let start = claim.prose.len() - claim.prose.trim_start().len();
    claim.prose.drain(..start);
}

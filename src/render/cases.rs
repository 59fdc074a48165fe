//! The cases that a question leaves open, each with its cell.

use super::resolve::{self, Asked, Asker};
use super::shelf::Shelf;
use crate::analysis::Cell;
use crate::diag::{Code, Diagnostic, Report, Span};

/// The most cases an expression goes through, and the most pivots it has worked out for them.
const MOST_CASES: usize = 1_000_000;
const MOST_PIVOTS: usize = 2_000;

/// One cell with the level of every factor it is pinned to, by factor.
pub(super) struct Found {
    pub(super) levels: Vec<(usize, usize)>,
    pub(super) cell: Cell,
}

/// The cells that match: one for each combination of levels that is left open.
pub(super) fn cells(
    shelf: &Shelf<'_>,
    asked: &Asked<'_>,
    span: &Span,
    report: &mut Report,
) -> Option<Vec<Found>> {
    let factors = asked.experiment.definition.factors.len();
    let open: Vec<usize> = (0..factors)
        .filter(|&factor| asked.levels(factor).len() > 1)
        .collect();
    let (rows, columns) = (open.first().copied(), open.get(1).copied());
    let further = open.get(2..).unwrap_or_default();
    let count = |factors: &[usize]| {
        let levels = factors.iter().map(|&factor| asked.levels(factor).len());
        levels.fold(1, usize::saturating_mul)
    };
    if count(&open) > MOST_CASES || count(further) > MOST_PIVOTS {
        report.push(
            Diagnostic::new(
                Code::TooManyLevels,
                format!("{} cases are too many to go through", count(&open)),
            )
            .at(span.clone(), "")
            .help("name the level of a factor"),
        );
        return None;
    }
    let mut found = Vec::new();
    for pinned in combinations(further, |factor| asked.levels(factor)) {
        let mut asked = asked.clone();
        for &(factor, level) in &pinned {
            asked.pin(factor, vec![level]);
        }
        let worked = shelf.pivot(asked.index, &asked.query(rows, columns));
        let pivot = match &*worked {
            Ok(pivot) => pivot,
            Err(error) => {
                report.push(resolve::pivot_fault(&asked, error, span, Asker::Function));
                return None;
            }
        };
        let closed: Vec<(usize, usize)> = (0..factors)
            .filter(|factor| !open.contains(factor))
            .filter_map(|factor| Some((factor, *asked.levels(factor).first()?)))
            .collect();
        for (row, &row_level) in pivot.rows.levels.iter().enumerate() {
            for (column, &column_level) in pivot.columns.levels.iter().enumerate() {
                let mut levels = closed.clone();
                levels.extend(pinned.iter().copied());
                levels.extend(rows.map(|factor| (factor, row_level)));
                levels.extend(columns.map(|factor| (factor, column_level)));
                levels.sort_unstable();
                let cell = pivot.cell(row, column).clone();
                found.push(Found { levels, cell });
            }
        }
    }
    Some(found)
}

/// Every combination of levels of some factors; one empty combination of none.
pub(super) fn combinations(
    factors: &[usize],
    levels: impl Fn(usize) -> Vec<usize>,
) -> Vec<Vec<(usize, usize)>> {
    let mut all = vec![Vec::new()];
    for &factor in factors {
        let levels = levels(factor);
        all = all
            .iter()
            .flat_map(|before: &Vec<(usize, usize)>| {
                levels.iter().map(move |&level| {
                    let mut next = before.clone();
                    next.push((factor, level));
                    next
                })
            })
            .collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_hold_every_pair_once() {
        let all = combinations(&[3, 5], |factor| (0..factor).collect());
        assert_eq!(all.len(), 15);
        assert_eq!(all[0], [(3, 0), (5, 0)]);
        assert_eq!(combinations(&[], |_| vec![1]), [vec![]]);
    }
}

//! How the data of a figure differ between two states.

use std::collections::{BTreeMap, BTreeSet};

use crate::figure::fields;

/// How a figure's data differ.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FigureChange {
    /// Cells that both have, with other contents; in the order of the new figure.
    pub(super) cells: Vec<CellChange>,
    /// How many rows only the spread or the number of samples differs in.
    pub(super) spread: usize,
    /// How many rows are new.
    pub(super) added: usize,
    /// How many rows are gone.
    pub(super) removed: usize,
}

/// A cell with other contents.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellChange {
    /// The row: its levels or name.
    pub(super) row: String,
    /// The column's head.
    pub(super) column: String,
    pub(super) before: String,
    pub(super) after: String,
}

impl FigureChange {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What is said of a column: nothing of what places it was read from, less of its spread.
#[derive(PartialEq)]
enum Column {
    Value,
    Spread,
    Place,
}

fn column(head: &str) -> Column {
    let ends = |words: &[&str]| words.iter().any(|word| head.ends_with(word));
    if ends(&[" places"]) || head == "places" {
        Column::Place
    } else if ends(&[" n", " low", " high"]) || ["n", "low", "high"].contains(&head) {
        Column::Spread
    } else {
        Column::Value
    }
}

/// A row by its name, and which of those of the same name it is.
type Rows<'a> = BTreeMap<(String, usize), &'a [String]>;

/// How many columns name a row: those before the first measured one, which the number of its samples
/// follows; else those that hold no number.
fn naming(head: &[String], row: &[String]) -> usize {
    let counted = |pair: &[String]| pair[1].ends_with(" n");
    let measured = head.windows(2).position(counted);
    measured.unwrap_or_else(|| {
        let is_name = |cell: &&String| cell.parse::<f64>().is_err() && !cell.is_empty();
        row.iter().take_while(is_name).count().max(1)
    })
}

fn rows<'a>(head: &[String], lines: &'a [Vec<String>]) -> (Vec<(String, usize)>, Rows<'a>) {
    let mut alike: BTreeMap<String, usize> = BTreeMap::new();
    let mut order = Vec::new();
    let mut rows = Rows::new();
    for line in lines {
        let named = naming(head, line).min(line.len());
        let name = line[..named].join(" · ");
        let number = alike.entry(name.clone()).or_default();
        order.push((name.clone(), *number));
        rows.insert((name, *number), line);
        *number += 1;
    }
    (order, rows)
}

/// Compares the data of two figures, as CSV.
pub(super) fn compare(before: &str, after: &str) -> FigureChange {
    let (before, after) = (fields(before), fields(after));
    let (Some((old_head, old)), Some((head, new))) = (before.split_first(), after.split_first())
    else {
        return FigureChange {
            added: after.len(),
            removed: before.len(),
            ..FigureChange::default()
        };
    };
    let (_, old_rows) = rows(old_head, old);
    let (order, new_rows) = rows(head, new);
    let mut change = FigureChange::default();
    let places: BTreeMap<&str, usize> = old_head.iter().map(String::as_str).zip(0..).collect();
    for key in &order {
        let row = new_rows[key];
        let Some(old) = old_rows.get(key) else {
            change.added += 1;
            continue;
        };
        let mut is_spread = false;
        let cells = change.cells.len();
        for (name, cell) in head.iter().zip(row) {
            let was = places.get(name.as_str()).and_then(|at| old.get(*at));
            let was = was.map_or("", String::as_str);
            if was == cell {
                continue;
            }
            match column(name) {
                Column::Place => {}
                Column::Spread => is_spread = true,
                Column::Value => change.cells.push(CellChange {
                    row: key.0.clone(),
                    column: name.clone(),
                    before: was.to_owned(),
                    after: cell.clone(),
                }),
            }
        }
        change.spread += usize::from(is_spread && change.cells.len() == cells);
    }
    let kept: BTreeSet<&(String, usize)> = order.iter().collect();
    change.removed = old_rows.keys().filter(|key| !kept.contains(key)).count();
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "mode,cache,speed [1/s],speed n,speed low,speed missing,speed places\n\
        wal,1,10,5,9,,a.csv:2\nwal,2,20,5,19,,a.csv:3\ndelete,1,,,,failed,a.csv:4\n";

    #[test]
    fn rows_are_found_by_their_levels() {
        let after = "mode,cache,speed [1/s],speed n,speed low,speed missing,speed places\n\
            delete,1,7,5,6,,a.csv:4\nwal,2,20,6,19,,a.csv:9\nwal,3,30,5,29,,a.csv:5\n";
        let found = compare(BEFORE, after);
        let cells: Vec<[&str; 4]> = found
            .cells
            .iter()
            .map(|it| [&*it.row, &it.column, &it.before, &it.after])
            .collect();
        assert_eq!(
            cells,
            [
                ["delete · 1", "speed [1/s]", "", "7"],
                ["delete · 1", "speed missing", "failed", ""],
            ]
        );
        assert_eq!((found.spread, found.added, found.removed), (1, 1, 1));
    }

    #[test]
    fn places_are_no_difference() {
        let moved = BEFORE.replace("a.csv:2", "a.csv:7");
        assert!(compare(BEFORE, &moved).is_empty());
        assert!(!compare(BEFORE, "").is_empty());
        assert!(compare("", "").is_empty());
    }
}

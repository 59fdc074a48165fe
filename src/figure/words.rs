//! What a figure says, in words: titles and alternative texts.

use std::collections::BTreeMap;

use super::{Reader, format};
use crate::analysis::{Cell, Pivot, best};
use crate::model::{Direction, FactorKind, Value};
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// Most series whose course is told.
const TOLD: usize = 6;
/// Most names in a list.
const NAMED: usize = 6;

/// What a pivot shows (`Points by page buffers and architecture`).
pub(crate) fn title(reader: Reader<'_>, pivot: &Pivot) -> String {
    let metric = format::metric_label(reader, pivot.query.metric);
    let names: Vec<String> = [pivot.rows.factor, pivot.columns.factor]
        .into_iter()
        .flatten()
        .map(|factor| format::factor_label(reader, factor))
        .collect();
    if names.is_empty() {
        return metric;
    }
    let factors = reader.language.list(&names);
    let arguments = [("metric", Text(&metric)), ("factors", Text(&factors))];
    reader.language.message_with("figure-by", &arguments)
}

/// The alternative text of a figure that states a finding: what kind of picture it is, of what, and that.
pub(crate) fn of_kind(reader: Reader<'_>, kind_key: &str, what: &str, finding: &str) -> String {
    let kind = reader.language.message(kind_key);
    let arguments = [("kind", Text(kind)), ("what", Text(what))];
    let said = reader.language.message_with("figure-is", &arguments);
    format!("{said} {finding}")
}

/// The alternative text of a figure of one or more pivots: what it is, smallest, largest, best,
/// course, and what is missing.
pub(crate) fn alternative(reader: Reader<'_>, pivots: &[&Pivot], kind_key: &str) -> String {
    let titles: Vec<String> = pivots.iter().map(|pivot| title(reader, pivot)).collect();
    let what = reader.language.list(&titles);
    let kind = reader
        .language
        .message(&format!("kind-{kind_key}"))
        .to_owned();
    let mut sentences = vec![
        reader
            .language
            .message_with("figure-is", &[("kind", Text(&kind)), ("what", Text(&what))]),
    ];
    let steps = kind_key == "steps";
    for pivot in pivots {
        let seen = seen(pivot);
        if pivots.len() > 1 {
            sentences.push(format!(
                "{}:",
                format::metric_label(reader, pivot.query.metric)
            ));
        }
        extremes(reader, pivot, &seen, !steps, &mut sentences);
        if pivots.len() == 1 && !steps && all_exact(pivot) {
            courses(reader, pivot, &mut sentences);
        }
        sentences.extend(missing(reader, &pivot.cells));
    }
    sentences.join(" ")
}

/// The values of a pivot with their places.
struct Seen {
    row: usize,
    column: usize,
    value: f64,
}

fn seen(pivot: &Pivot) -> Vec<Seen> {
    let columns = pivot.columns.levels.len().max(1);
    let value = |(index, cell): (usize, &Cell)| {
        let value = middle(cell)?;
        Some(Seen {
            row: index / columns,
            column: index % columns,
            value,
        })
    };
    pivot.cells.iter().enumerate().filter_map(value).collect()
}

/// Whether no cell holds a range or bound, so that values have an order.
fn all_exact(pivot: &Pivot) -> bool {
    let known = pivot
        .cells
        .iter()
        .filter_map(|cell| cell.estimate.as_ref().ok());
    known
        .into_iter()
        .all(|estimate| matches!(estimate.value, Value::Exact(_)))
}

/// A cell's figure; the middle of a range, the bound of a bound.
pub(crate) fn middle(cell: &Cell) -> Option<f64> {
    let value = match cell.estimate.as_ref().ok()?.value {
        Value::Exact(value) | Value::Above(value) | Value::Below(value) => value,
        Value::Range(low, high) => f64::midpoint(low, high),
    };
    value.is_finite().then_some(value)
}

fn place(reader: Reader<'_>, pivot: &Pivot, row: usize, column: usize) -> String {
    let mut names = Vec::new();
    if let Some(factor) = pivot.columns.factor {
        names.push(format::place(reader, factor, pivot.columns.levels[column]));
    }
    if let Some(factor) = pivot.rows.factor {
        names.push(format::place(reader, factor, pivot.rows.levels[row]));
    }
    names.join(", ")
}

fn shown(reader: Reader<'_>, pivot: &Pivot, row: usize, column: usize) -> String {
    match &pivot.cell(row, column).estimate {
        Ok(estimate) => format::estimate(reader, pivot.query.metric, estimate),
        Err(missing) => format::missing(reader, missing),
    }
}

fn extremes(
    reader: Reader<'_>,
    pivot: &Pivot,
    seen: &[Seen],
    with_best: bool,
    sentences: &mut Vec<String>,
) {
    let say = |key: &str, it: &Seen| said(reader, pivot, key, it.row, it.column);
    let smallest = seen.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    let largest = seen.iter().max_by(|a, b| a.value.total_cmp(&b.value));
    let (Some(smallest), Some(largest)) = (smallest, largest) else {
        sentences.push(reader.words("alt-all-missing").to_owned());
        return;
    };
    if seen.len() == 1 {
        sentences.push(say("alt-only", smallest));
        return;
    }
    if !all_exact(pivot) {
        // Ranges and bounds have no order; each is told by itself.
        let each = seen.iter().map(|it| {
            let at = place(reader, pivot, it.row, it.column);
            format!("{at}: {}", shown(reader, pivot, it.row, it.column))
        });
        sentences.push(format!("{}.", each.collect::<Vec<_>>().join("; ")));
        return;
    }
    if smallest.value == largest.value {
        let value = shown(reader, pivot, smallest.row, smallest.column);
        sentences.push(
            reader
                .language
                .message_with("alt-all-equal", &[("value", Text(&value))]),
        );
        return;
    }
    sentences.push(say("alt-smallest", smallest));
    sentences.push(say("alt-largest", largest));
    if with_best {
        sentences.extend(best_sentence(reader, pivot, seen.len()));
    }
}

/// A sentence of a value and its place.
fn said(reader: Reader<'_>, pivot: &Pivot, key: &str, row: usize, column: usize) -> String {
    let (value, at) = (
        shown(reader, pivot, row, column),
        place(reader, pivot, row, column),
    );
    if at.is_empty() {
        return format!("{value}.");
    }
    reader
        .language
        .message_with(key, &[("value", Text(&value)), ("place", Text(&at))])
}

fn best_sentence(reader: Reader<'_>, pivot: &Pivot, count: usize) -> Option<String> {
    let cells: Vec<&Cell> = pivot.cells.iter().collect();
    let mut best = best(reader.experiment, &cells, pivot.query.metric);
    if best.is_empty() {
        return None;
    }
    if best.len() == count {
        return Some(reader.words("alt-none-better").to_owned());
    }
    let columns = pivot.columns.levels.len().max(1);
    if let [only] = best.as_slice() {
        return Some(said(
            reader,
            pivot,
            "alt-best",
            only / columns,
            only % columns,
        ));
    }
    best.sort_by(|a, b| distance(reader, pivot, *a).total_cmp(&distance(reader, pivot, *b)));
    let name = |index: &usize| {
        let (row, column) = (index / columns, index % columns);
        format!(
            "{} ({})",
            place(reader, pivot, row, column),
            shown(reader, pivot, row, column)
        )
    };
    let places = shortened(reader, best.iter().map(name).collect());
    Some(
        reader
            .language
            .message_with("alt-among-best", &[("places", Text(&places))]),
    )
}

/// How far a cell is from being the best; smaller is better.
fn distance(reader: Reader<'_>, pivot: &Pivot, index: usize) -> f64 {
    let value = middle(&pivot.cells[index]).unwrap_or_default();
    match reader.metric(pivot.query.metric).better {
        Direction::Higher => -value,
        Direction::Lower | Direction::Neither => value,
    }
}

/// A list of at most [`NAMED`] names.
fn shortened(reader: Reader<'_>, mut names: Vec<String>) -> String {
    if names.len() > NAMED {
        let more = names.len() - NAMED + 1;
        names.truncate(NAMED - 1);
        names.push(
            reader
                .language
                .message_with("figure-more", &[("n", Count(more as u64))]),
        );
    }
    reader.language.list(&names)
}

/// How each series runs along its rows, where these have an order.
fn courses(reader: Reader<'_>, pivot: &Pivot, sentences: &mut Vec<String>) {
    let ordered = pivot
        .rows
        .factor
        .is_some_and(|factor| reader.factor(factor).kind != FactorKind::Nominal);
    if !ordered || pivot.columns.levels.len() > TOLD {
        return;
    }
    for column in 0..pivot.columns.levels.len() {
        let values: Vec<(usize, f64)> = (0..pivot.rows.levels.len())
            .filter_map(|row| Some((row, middle(pivot.cell(row, column))?)))
            .collect();
        if values.len() < 3 {
            continue;
        }
        let series = match pivot.columns.factor {
            Some(factor) => format::level(reader, factor, pivot.columns.levels[column]),
            None => format::metric_label(reader, pivot.query.metric),
        };
        sentences.push(course(reader, pivot, column, &series, &values));
    }
}

fn course(
    reader: Reader<'_>,
    pivot: &Pivot,
    column: usize,
    series: &str,
    values: &[(usize, f64)],
) -> String {
    let turns = turns(values, reader.experiment.definition.noise);
    let key = match turns.as_slice() {
        [] | [_] => "alt-trend-flat",
        [a, b] if b.1 > a.1 => "alt-trend-rising",
        [_, _] => "alt-trend-falling",
        [a, b, _] if b.1 > a.1 => "alt-trend-peak",
        [_, _, _] => "alt-trend-valley",
        _ => "alt-trend-none",
    };
    let say = |row: usize| {
        let at = pivot.rows.factor.map_or_else(String::new, |it| {
            format::level(reader, it, pivot.rows.levels[row])
        });
        format!("{} ({at})", shown(reader, pivot, row, column))
    };
    let by_value = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    let ends = if turns.len() < 2 || turns.len() > 3 {
        // Level or without direction: what it stays between.
        (
            values.iter().min_by(by_value),
            values.iter().max_by(by_value),
        )
    } else {
        (values.first(), values.last())
    };
    let (first, last) = (ends.0.map_or(0, |it| it.0), ends.1.map_or(0, |it| it.0));
    let turn = turns.get(1).map_or(first, |turn| turn.0);
    let (first, turn, last) = (say(first), say(turn), say(last));
    reader.language.message_with(
        key,
        &[
            ("series", Text(series)),
            ("first", Text(&first)),
            ("turn", Text(&turn)),
            ("last", Text(&last)),
        ],
    )
}

/// The first value, the values where the course turns by more than the noise, and the last of the
/// course; one value when it never leaves the noise.
fn turns(values: &[(usize, f64)], noise: f64) -> Vec<(usize, f64)> {
    let Some(first) = values.first().copied() else {
        return Vec::new();
    };
    let differs = |a: f64, b: f64| (a - b).abs() > noise * a.abs().max(b.abs());
    let mut turns = vec![first];
    let mut extreme = first;
    let mut rising: Option<bool> = None;
    for value in values.iter().copied().skip(1) {
        match rising {
            None if differs(value.1, first.1) => {
                rising = Some(value.1 > first.1);
                extreme = value;
            }
            None => {}
            Some(up) if (value.1 > extreme.1) == up => extreme = value,
            Some(up) if differs(value.1, extreme.1) => {
                turns.push(extreme);
                extreme = value;
                rising = Some(!up);
            }
            Some(_) => {}
        }
    }
    if rising.is_some() {
        turns.push(extreme);
    }
    turns
}

/// How many values are missing and why; nothing when none is.
pub(crate) fn missing<'a>(
    reader: Reader<'_>,
    cells: impl IntoIterator<Item = &'a Cell>,
) -> Option<String> {
    // Reasons, each with its notes and how often they occur.
    let mut reasons: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let mut total = 0;
    for cell in cells {
        total += 1;
        if let Err(missing) = &cell.estimate {
            let reason = format::reason(reader, missing.reason);
            let note = format::note(reader, missing);
            *reasons.entry(reason).or_default().entry(note).or_default() += 1;
        }
    }
    let count: u64 = reasons.values().flat_map(BTreeMap::values).sum();
    if count == 0 {
        return None;
    }
    let counted = |words: &str, count: u64, always: bool| match count {
        1 if !always => words.to_owned(),
        count => format!(
            "{words} ({})",
            reader.language.number(count as f64, Digits::Natural)
        ),
    };
    let several = reasons.len() > 1;
    let names = reasons
        .into_iter()
        .map(|(reason, notes)| {
            let bare = notes.keys().all(String::is_empty);
            let count = notes.values().sum();
            if bare && !several {
                return reason;
            }
            if bare {
                return counted(&reason, count, true);
            }
            let notes: Vec<String> = notes
                .iter()
                .filter(|(note, _)| !note.is_empty())
                .map(|(note, count)| counted(note, *count, false))
                .collect();
            format!("{reason} ({})", notes.join("; "))
        })
        .collect();
    let reasons = shortened(reader, names);
    let arguments = [
        ("n", Count(count)),
        ("total", Count(total)),
        ("reasons", Text(&reasons)),
    ];
    Some(
        reader
            .language
            .message_with("alt-missing-reasons", &arguments),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(values: &[f64]) -> Vec<f64> {
        let values: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
        turns(&values, 0.05)
            .into_iter()
            .map(|(_, value)| value)
            .collect()
    }

    #[test]
    fn only_turns_beyond_the_noise_count() {
        assert_eq!(shape(&[100.0, 101.0, 99.0]), [100.0]);
        assert_eq!(shape(&[100.0, 150.0, 149.0, 200.0]), [100.0, 200.0]);
        assert_eq!(shape(&[100.0, 150.0, 90.0]), [100.0, 150.0, 90.0]);
        assert_eq!(
            shape(&[372.0, 359.0, 386.0, 387.0, 392.0, 284.0]),
            [372.0, 392.0, 284.0]
        );
        assert_eq!(shape(&[]), [0.0; 0]);
    }
}

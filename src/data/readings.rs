//! Named results in what a measured program printed or wrote, by the formats of result files.

use std::sync::Arc;

use super::entry::Entry;
use super::format::{self, Cell, Content, FORMATS, Input};
use super::receipt::Receipt;
use super::value;
use crate::diag::{Report, Severity, Source};
use crate::model::{Origin, Value};
use crate::text::{Dimension, Reading, SizeConvention, Unit};

/// Finds results in a text of the given format: each of `wanted` (name of a column, symbol of the unit
/// in which its bare numbers stand) that has a value, in base units.
///
/// Each name has one value: rows may complement one another (lines of progress, then a summary), but a
/// result that several rows give is refused, for nothing here may decide whether the last one, the mean
/// or the sum is meant. Of gbak's log there are the totals.
///
/// # Errors
/// In one sentence, when the text can't be read in the format, when a value is no exact number or in
/// another unit, when a result has several values, or when there is none at all.
pub fn readings(
    format: &str,
    source: &Arc<Source>,
    wanted: &[(String, String)],
) -> Result<Vec<(String, f64)>, String> {
    if FORMATS.iter().all(|known| known.name != format) {
        return Err(format!("there is no format `{format}`"));
    }
    let entry = Entry {
        format: Some(format.to_owned()),
        delimiter: None,
        ..Entry::of_run("", Origin::Measured, source, SizeConvention::Decimal)
    };
    let input = Input {
        source,
        entry: &entry,
        native: false,
    };
    let mut report = Report::new();
    let table = format::read(&input, &mut Receipt::new(&source.path), &mut report);
    let faults = report.sorted();
    if let Some(fault) = faults.iter().find(|it| it.severity == Severity::Error) {
        let line = fault.labels.first().map(|label| label.span.line_column().0);
        let line = line.map_or_else(String::new, |line| format!(", line {line}"));
        return Err(format!("{}{line}", fault.message));
    }
    let table = table.unwrap_or_default();
    let reading = Reading {
        decimal: table.decimal.unwrap_or('.'),
        ..Reading::default()
    };
    let mut results = Vec::new();
    for (name, symbol) in wanted {
        let Some(column) = table.columns.iter().position(|it| it.name == *name) else {
            continue;
        };
        let unit = Unit::parse(symbol).unwrap_or_else(Unit::none);
        if let Some(own) = &table.columns[column].unit
            && !fits(own, &unit)
        {
            return Err(format!(
                "`{name}` is given in `{}`, and `{symbol}` is needed",
                own.symbol
            ));
        }
        let own = table.columns[column].unit.as_ref().unwrap_or(&unit);
        let mut found = None;
        for (row, line) in table.cells.chunks(table.columns.len()).zip(&table.lines) {
            let place = |message: String| format!("`{name}` in line {line}: {message}");
            let Some(number) = number(&row[column], own, reading).map_err(place)? else {
                continue;
            };
            if found.replace(number).is_some() {
                return Err(format!(
                    "`{name}` has several values, the second in line {line}; a command gives each result once"
                ));
            }
        }
        results.extend(found.map(|number| (name.clone(), number)));
    }
    if results.is_empty() {
        let wanted: Vec<&str> = wanted.iter().map(|(name, _)| &**name).collect();
        let there: Vec<&str> = table.columns.iter().map(|it| &*it.name).take(20).collect();
        return Err(format!(
            "there is no value of `{}`; there are `{}`",
            wanted.join("`, `"),
            there.join("`, `")
        ));
    }
    Ok(results)
}

/// The steps of gbak's verbose log with their seconds, in order, and the seconds of the whole: each step's own
/// time, which stands on the line after the one that announces it.
///
/// # Errors
/// In one sentence, when there is no step in it, a step lacks its time, or gbak reported an error.
pub fn gbak_steps(source: &Arc<Source>) -> Result<(Vec<(String, f64)>, f64), String> {
    let entry = |steps| Entry {
        format: Some("gbak".to_owned()),
        steps,
        ..Entry::of_run("", Origin::Measured, source, SizeConvention::Decimal)
    };
    let (by_step, of_all) = (entry(Some(0)), entry(None));
    let steps = gbak_cells(source, &by_step)?;
    let whole = gbak_cells(source, &of_all)?;
    let seconds = |row: &[Cell<'_>], column: usize| match &row[column].content {
        Content::Number(number) => Ok(*number),
        Content::Missing(told) => Err(told.text.clone()),
        _ => Err("gbak's log has no times: it was made without `-st td`".to_owned()),
    };
    let name = |row: &[Cell<'_>]| match &row[0].content {
        Content::Text(name) => name.to_string(),
        _ => String::new(),
    };
    let total = whole.first().ok_or("gbak's log is empty")?;
    let steps = steps.iter().map(|row| Ok((name(row), seconds(row, 2)?)));
    Ok((steps.collect::<Result<_, String>>()?, seconds(total, 1)?))
}

/// The rows of a log of gbak: name, time, delta, reads, writes.
fn gbak_cells<'a>(source: &'a Arc<Source>, entry: &'a Entry) -> Result<Vec<Vec<Cell<'a>>>, String> {
    let input = Input {
        source,
        entry,
        native: false,
    };
    let mut report = Report::new();
    let table = format::read(&input, &mut Receipt::new(&source.path), &mut report);
    let faults = report.sorted();
    if let Some(fault) = faults.iter().find(|it| it.severity == Severity::Error) {
        return Err(fault.message.clone());
    }
    let table = table.unwrap_or_default();
    let width = table.columns.len().max(1);
    let mut cells = table.cells.into_iter();
    let rows = std::iter::from_fn(|| {
        let row: Vec<Cell<'_>> = cells.by_ref().take(width).collect();
        (row.len() == width).then_some(row)
    });
    Ok(rows.collect())
}

/// The number in a cell; none in an empty one.
fn number(cell: &Cell<'_>, unit: &Unit, reading: Reading) -> Result<Option<f64>, String> {
    match &cell.content {
        Content::Absent => Ok(None),
        Content::Number(number) => Ok(Some(*number)),
        Content::Missing(told) => Err(told.text.clone()),
        Content::Text(text) if text.trim().is_empty() => Ok(None),
        Content::Text(text) => match value::read(text, unit, reading) {
            Ok(value::Read {
                value: Value::Exact(number),
                ..
            }) => Ok(Some(number)),
            Ok(_) => Err(format!("`{text}` is no exact number")),
            Err(fault) => Err(fault.message),
        },
    }
}

/// Whether figures of a unit that a format fixes can become results in another.
fn fits(given: &Unit, wanted: &Unit) -> bool {
    given.dimension == wanted.dimension
        || matches!(
            (&given.dimension, &wanted.dimension),
            (Dimension::Count, Dimension::Named(_))
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, text: &str) -> Result<Vec<(String, f64)>, String> {
        let wanted = [
            ("tps", "ops/s"),
            ("wait", "ms"),
            ("real", "s"),
            ("max_rss", "MiB"),
        ];
        let wanted = wanted.map(|(name, unit)| (name.to_owned(), unit.to_owned()));
        readings(format, &Source::new("output", text), &wanted)
    }

    fn found(format: &str, text: &str) -> Vec<(String, f64)> {
        read(format, text).expect("results")
    }

    fn pairs(pairs: &[(&str, f64)]) -> Vec<(String, f64)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect()
    }

    #[test]
    fn results_in_base_units() {
        // Bare numbers stand in the unit that is wanted, others in their own.
        let both = pairs(&[("tps", 812.5), ("wait", 0.0125)]);
        assert_eq!(found("csv", "name,tps,wait\nx y,812.5,12.5\n"), both);
        assert_eq!(found("csv", "tps;wait\n812.5;12500 us\n"), both);
        assert_eq!(found("tsv", "wait\ttps\n12.5\t812.5\n"), both);
        assert_eq!(
            found("json", r#"[{"tps": 812.5, "wait": "12.5 ms", "n": "x"}]"#),
            both
        );
        assert_eq!(found("json", r#"{"tps": 812.5, "wait": 12.5}"#), both);
        assert_eq!(found("jsonl", "{\"tps\": 812.5}\n{\"wait\": 12.5}\n"), both);
        let time = "real\t1m2.500s\nuser\t0m0.1s\nsys\t0m0.1s\n";
        assert_eq!(found("time", time), pairs(&[("real", 62.5)]));
    }

    #[test]
    fn what_cannot_be_used_is_told_in_a_sentence() {
        for (format, text, said) in [
            (
                "csv",
                "tps\n1\n2\n",
                "`tps` has several values, the second in line 3",
            ),
            (
                "csv",
                "tps\nmany\n",
                "`tps` in line 2: `many` is not a number",
            ),
            ("csv", "tps\n1..2\n", "no exact number"),
            ("csv", "wait\n5 MiB\n", "measures something else"),
            (
                "csv",
                "speed,time\n1,2\n",
                "there is no value of `tps`, `wait`, `real`, `max_rss`; there are `speed`, `time`",
            ),
            ("csv", "tps\n\n", "there is no value"),
            ("csv", "tps,x\n1\n", "1 cell"),
            ("json", "{\"tps\": ", "no JSON"),
            ("json", "no JSON at all", "no JSON"),
            ("json", "", "empty"),
            ("time", "nothing of the kind", "line 1"),
            ("jsn", "{}", "there is no format `jsn`"),
        ] {
            let fault = read(format, text).expect_err(text);
            assert!(fault.contains(said), "{format} {text:?}: {fault}");
            assert!(!fault.contains('\n'), "{fault}");
        }
    }
}

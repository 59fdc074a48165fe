//! A definition to begin with, drawn from what a result file holds.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::definition::{ARGUMENTS, COLUMNS};
use super::format::{Cell, Column, Content, Table};
use crate::text::{Reading, Unit, read_quantity};

/// More names than this are no levels but remarks.
const MOST_LEVELS: usize = 50;

/// What a column seems to be.
enum Guess {
    Name(Vec<String>),
    Number,
    Metric(String),
}

/// A definition whose factors and metrics are the columns of a table. Columns of names are factors;
/// of those of numbers, the ones whose values come back are factors, the others metrics.
pub(super) fn of(table: &Table<'_>, title: &str) -> String {
    let width = table.columns.len().max(1);
    let columns = table.columns.iter().enumerate();
    let guesses: Vec<(&Column, Guess)> = columns
        .filter(|(_, column)| !COLUMNS.contains(&&*column.name))
        .filter_map(|(index, column)| {
            let cells: Vec<&Cell<'_>> = table.cells.iter().skip(index).step_by(width).collect();
            Some((column, guess(column, &cells, table.of_tool)?))
        })
        .collect();
    let mut text = format!("title = {}\nquestion = \"…?\"\n", quoted(title));
    let mut seen = BTreeSet::new();
    let mut renamed = Vec::new();
    let mut keys = Vec::new();
    for (column, _) in &guesses {
        let mut key = key(&column.name);
        while ARGUMENTS.contains(&&*key) || COLUMNS.contains(&&*key) || !seen.insert(key.clone()) {
            key.push_str("_x");
        }
        if key != column.name {
            renamed.push(format!("{} = {}", quoted(&column.name), quoted(&key)));
        }
        keys.push(key);
    }
    for ((column, guess), key) in guesses.iter().zip(&keys) {
        let label = quoted(&column.name);
        let _ = match guess {
            Guess::Metric(_) => continue,
            Guess::Number => write!(
                text,
                "\n[factors.{key}]\nlabel = {label}\nkind = \"number\"\n"
            ),
            Guess::Name(levels) => {
                let levels: Vec<String> = levels.iter().map(|level| quoted(level)).collect();
                let levels = levels.join(", ");
                write!(
                    text,
                    "\n[factors.{key}]\nlabel = {label}\nlevels = [{levels}]\n"
                )
            }
        };
    }
    for ((column, guess), key) in guesses.iter().zip(&keys) {
        let Guess::Metric(unit) = guess else { continue };
        let (label, unit) = (quoted(&column.name), quoted(unit));
        let _ = write!(
            text,
            "\n[metrics.{key}]\nlabel = {label}\nunit = {unit}\nbetter = \"higher\" # or \"lower\"\n"
        );
    }
    if !renamed.is_empty() {
        let _ = write!(
            text,
            "\n# to be said in a file given with `--map`:\n# columns = {{ {} }}\n",
            renamed.join(", ")
        );
    }
    text
}

fn guess(column: &Column, cells: &[&Cell<'_>], of_tool: bool) -> Option<Guess> {
    let unit = column.unit.as_ref().map(|unit| unit.symbol.clone());
    if of_tool {
        return (column.name != "step").then(|| Guess::Metric(unit.unwrap_or_default()));
    }
    let texts: Vec<&str> = cells
        .iter()
        .filter_map(|cell| match &cell.content {
            Content::Text(text) if !text.is_empty() => Some(&**text),
            _ => None,
        })
        .collect();
    let first = texts.first()?;
    let mut distinct: Vec<&str> = Vec::new();
    let mut known = BTreeSet::new();
    for text in &texts {
        if known.insert(*text) {
            distinct.push(text);
        }
    }
    // A word behind the first number is the unit, unless the numbers are times or sizes in parts.
    let word = first.trim_start_matches(|letter: char| !letter.is_alphabetic() && letter != '%');
    let unit = ["", word, "s", "B"].into_iter().find(|symbol| {
        let unit = Unit::parse(symbol);
        let reads = |text: &&str| {
            let unit = unit.as_ref();
            unit.is_some_and(|unit| read_quantity(text, unit, Reading::default()).is_ok())
        };
        texts.iter().all(reads)
    });
    if let Some(unit) = unit {
        return Some(if distinct.len() * 2 <= texts.len() {
            Guess::Number
        } else {
            Guess::Metric(unit.to_owned())
        });
    }
    let levels = distinct.into_iter().map(ToOwned::to_owned).collect();
    (known.len() <= MOST_LEVELS).then_some(Guess::Name(levels))
}

/// A column's name as a key.
fn key(name: &str) -> String {
    let plain = |letter: char| match letter.to_ascii_lowercase() {
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => '_',
    };
    let key: String = name.chars().map(plain).collect();
    let key = key.trim_matches('_').to_owned();
    match key.chars().next() {
        Some(first) if first.is_ascii_lowercase() => key,
        _ => format!("x_{key}").trim_end_matches('_').to_owned(),
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

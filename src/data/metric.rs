//! `[metrics.*]`: what was measured, and what follows from it.

use super::definition::{check_key, choose, localized, twice};
use super::factor::parse_unit;
use super::section::{Document, Section, Word};
use crate::diag::{Code, Diagnostic};
use crate::model::{Definition, Derived, Direction, Metric};
use crate::text::{Dimension, Localized, Unit};

/// Reads every metric, in written order; the factors must have been read before.
pub(super) fn read(
    document: &Document<'_>,
    metrics: &Section<'_, '_, '_>,
    definition: &Definition,
) -> Vec<Metric> {
    let mut all: Vec<Metric> = Vec::new();
    let mut formulas: Vec<(usize, Word)> = Vec::new();
    for (key, item) in metrics.free() {
        let Some(section) = metrics.open(&key.text, &key.range, item) else {
            continue;
        };
        check_key(document, "metric", &key);
        if definition.factor(&key.text).is_some() {
            twice(document, "name", &key.text, &key.range);
        }
        let (metric, formula) = metric(document, &key, section);
        formulas.extend(formula.map(|formula| (all.len(), formula)));
        all.push(metric);
    }
    for (index, formula) in &formulas {
        all[*index].derived = derived(document, formula, &all, definition);
    }
    for (index, formula) in &formulas {
        if is_circular(&all, *index) {
            let key = all[*index].key.clone();
            document.fault(
                &formula.range,
                format!("`{key}` is derived from itself"),
                "",
                |it| it,
            );
            all[*index].derived = None;
        }
    }
    for (index, formula) in &formulas {
        check_dimension(document, formula, &all[*index], &all, definition);
    }
    all
}

fn metric(
    document: &Document<'_>,
    key: &Word,
    mut section: Section<'_, '_, '_>,
) -> (Metric, Option<Word>) {
    let label = section.required("label");
    let description = localized(section.text("description"));
    let unit = section
        .text("unit")
        .and_then(|word| parse_unit(document, &word));
    let unit_label = localized(section.text("unit_label"));
    let better = section.text("better").and_then(|word| {
        let direction = match &*word.text {
            "higher" => Some(Direction::Higher),
            "lower" => Some(Direction::Lower),
            _ => None,
        };
        choose(
            document,
            &word,
            "direction",
            direction,
            &["higher", "lower"],
        )
    });
    let digits = section.number("digits").and_then(|(number, range)| {
        if number.fract() == 0.0 && (0.0..=12.0).contains(&number) {
            return Some(number as u8);
        }
        document.fault(
            &range,
            "`digits` is a whole number from 0 to 12",
            "",
            |fault| fault,
        );
        None
    });
    let formula = section.text("derived");
    section.finish();
    let metric = Metric {
        key: key.text.clone(),
        label: Localized::new(label.map_or_else(|| key.text.clone(), |word| word.text)),
        description,
        unit: unit.unwrap_or_else(Unit::none),
        unit_label,
        better: better.unwrap_or(Direction::Neither),
        digits,
        derived: None,
        span: document.span(key.range.clone()),
    };
    (metric, formula)
}

fn derived(
    document: &Document<'_>,
    formula: &Word,
    metrics: &[Metric],
    definition: &Definition,
) -> Option<Derived> {
    let Some((numerator, denominator)) = formula.text.split_once('/') else {
        document.fault(
            &formula.range,
            "a derived metric is one metric over another",
            "",
            |fault| fault.help("write `derived = \"load_time / data_size\"`"),
        );
        return None;
    };
    let (numerator, denominator) = (numerator.trim(), denominator.trim());
    let is_metric = |name: &str| metrics.iter().any(|metric| metric.key == name);
    let mut known: Vec<&str> = metrics.iter().map(|metric| &*metric.key).collect();
    let mut fine = true;
    if !is_metric(numerator) {
        fine = false;
        unknown(document, formula, numerator, "metric", &known);
    }
    let factors = definition.factors.iter();
    known.extend(
        factors
            .clone()
            .filter(|it| it.kind.is_numeric())
            .map(|factor| &*factor.key),
    );
    if !is_metric(denominator) {
        match factors.clone().find(|factor| factor.key == denominator) {
            Some(factor) if factor.kind.is_numeric() => {}
            Some(_) => {
                fine = false;
                document.fault(
                    &formula.range,
                    format!("the levels of `{denominator}` are names, and nothing can be divided by a name"),
                    "",
                    |fault| fault,
                );
            }
            None => {
                fine = false;
                unknown(
                    document,
                    formula,
                    denominator,
                    "metric or numeric factor",
                    &known,
                );
            }
        }
    }
    fine.then(|| Derived {
        numerator: numerator.to_owned(),
        denominator: denominator.to_owned(),
    })
}

fn unknown(document: &Document<'_>, formula: &Word, name: &str, what: &str, known: &[&str]) {
    // Point at the name inside the quotes, where the text has no escapes that would shift it.
    let range = document.source().text[formula.range.clone()]
        .find(name)
        .map_or_else(
            || formula.range.clone(),
            |at| formula.range.start + at..formula.range.start + at + name.len(),
        );
    document.fault(
        &range,
        format!("there is no {what} `{name}`"),
        "",
        |fault| fault.suggest(name, known.iter().copied()),
    );
}

fn is_circular(metrics: &[Metric], start: usize) -> bool {
    let find = |key: &str| metrics.iter().position(|metric| metric.key == key);
    let mut open = vec![start];
    let mut seen = vec![false; metrics.len()];
    while let Some(index) = open.pop() {
        let Some(derived) = &metrics[index].derived else {
            continue;
        };
        for part in [&derived.numerator, &derived.denominator]
            .into_iter()
            .filter_map(|it| find(it))
        {
            if part == start {
                return true;
            }
            if !seen[part] {
                seen[part] = true;
                open.push(part);
            }
        }
    }
    false
}

/// Refuses a declared unit that measures something else than the quotient does. Counted things are
/// the author's own words and are not judged.
fn check_dimension(
    document: &Document<'_>,
    formula: &Word,
    metric: &Metric,
    metrics: &[Metric],
    definition: &Definition,
) {
    let Some(derived) = &metric.derived else {
        return;
    };
    let dimension = |key: &str| match metrics.iter().find(|metric| metric.key == key) {
        Some(metric) => Some(metric.unit.dimension.clone()),
        None => definition
            .factor(key)
            .map(|(_, factor)| factor.axis_unit().dimension),
    };
    let (Some(above), Some(below)) = (
        dimension(&derived.numerator),
        dimension(&derived.denominator),
    ) else {
        return;
    };
    let declared = &metric.unit.dimension;
    if [&above, &below, declared].into_iter().any(is_counted) {
        return;
    }
    let fits = match declared {
        Dimension::Count | Dimension::Share => above == below,
        Dimension::Per(upper, lower) => **upper == above && **lower == below,
        other => *other == above && matches!(below, Dimension::Count | Dimension::Share),
    };
    if !fits {
        document.push(
            Diagnostic::new(
                Code::WrongUnit,
                format!("the unit `{}` doesn't fit `{}`", metric.unit.symbol, formula.text),
            )
            .at(document.span(formula.range.clone()), "")
            .help("a duration over a size has a unit such as `s/MiB`; two of one kind give a plain number, `unit = \"\"`"),
        );
    }
}

fn is_counted(dimension: &Dimension) -> bool {
    match dimension {
        Dimension::Named(_) => true,
        Dimension::Per(above, below) => is_counted(above) || is_counted(below),
        _ => false,
    }
}

//! The functions of expressions that look at cells, settings and facts.

use crate::analysis::{Cell, Uncertain};
use crate::content::FUNCTIONS;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::{Direction, Value};

use super::cases::{self, Found};
use super::evaluate::Evaluator;
use super::given::{Arguments, Given, asked, bad_argument};
use super::pair::pair;
use super::resolve::{self, Asked, Asker};
use super::stated::{fact, level, setting};
use super::thing::{Form, Number, Thing};

/// The names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|function| function.name)
}

/// Calls a function.
pub(super) fn call(
    evaluator: &mut Evaluator<'_>,
    (name, name_span): &(String, Span),
    arguments: &Arguments,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    if !names().any(|known| known == name) {
        report.push(
            Diagnostic::new(
                Code::UnknownFunction,
                format!("there is no function `{name}`"),
            )
            .at(name_span.clone(), "")
            .suggest(name, names()),
        );
        return None;
    }
    let given = Given::read(evaluator, arguments, report)?;
    match name.as_str() {
        "setting" => setting(evaluator, &given, span, report),
        "fact" => fact(evaluator, &given, span, report),
        _ => over_cells(evaluator, name, &given, span, report),
    }
}

/// The functions that look at cells.
fn over_cells(
    evaluator: &mut Evaluator<'_>,
    name: &str,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let pairwise = matches!(name, "change" | "difference" | "ratio" | "speedup");
    let mut reserved = vec!["metric", "experiment", "run", "statistic"];
    if pairwise {
        reserved.extend(["from", "to", "factor"]);
    }
    if name == "count" {
        reserved.extend(["above", "below"]);
    }
    if name == "level" {
        return level(evaluator, given, span, report);
    }
    let asked = asked(evaluator, given, &reserved, span, report)?;
    if pairwise {
        return pair(evaluator, name, &asked, given, span, report);
    }
    match name {
        "value" => value(evaluator, &asked, span, report),
        "best" | "worst" => extreme(evaluator, name == "best", &asked, span, report),
        "range" => range(evaluator, &asked, span, report),
        "sum" | "mean" => total(evaluator, name == "mean", &asked, span, report),
        _ => tally(evaluator, name, &asked, given, span, report),
    }
}

/// A cell's value as a number; notes what was used.
pub(super) fn number_of(
    evaluator: &mut Evaluator<'_>,
    asked: &Asked<'_>,
    cell: &Cell,
) -> Option<Number> {
    let estimate = cell.estimate.as_ref().ok()?;
    let uncertain = match estimate.value {
        // A range or bound as printed is still a range or bound.
        Value::Exact(value) if evaluator.as_printed => Uncertain::exact(value),
        _ => Uncertain::from_estimate(estimate, asked.experiment.definition.noise),
    };
    note(evaluator, asked, cell);
    let form = Form::Metric {
        experiment: asked.index,
        metric: asked.metric,
        value: Some(estimate.value),
        bare: false,
    };
    Some(Number::new(uncertain, form))
}

fn note(evaluator: &mut Evaluator<'_>, asked: &Asked<'_>, cell: &Cell) {
    for &place in &cell.places {
        evaluator.evidence.place(asked.index, place);
    }
    // Nobody knows how many runs stand behind a range or bound.
    if let Ok(estimate) = &cell.estimate
        && matches!(estimate.value, Value::Exact(_))
    {
        evaluator.evidence.count(estimate.n);
    }
    if let Some(run) = cell.run
        && !evaluator.evidence.runs.contains(&(asked.index, run))
    {
        evaluator.evidence.runs.push((asked.index, run));
    }
}

pub(super) fn missing_fault(asked: &Asked<'_>, found: &Found, span: &Span) -> Diagnostic {
    let definition = &asked.experiment.definition;
    let case: Vec<String> = found
        .levels
        .iter()
        .map(|&(factor, level)| {
            let factor = &definition.factors[factor];
            format!("{} = {}", factor.key, factor.levels[level].key)
        })
        .collect();
    let reason = match &found.cell.estimate {
        Err(missing) => missing.reason.key(),
        Ok(_) => "no exact value",
    };
    let mut fault = Diagnostic::new(
        Code::MissingValue,
        format!(
            "`{}` has no value here: {reason}",
            definition.metrics[asked.metric].key
        ),
    )
    .at(span.clone(), case.join(", "))
    .may_follow_from(resolve::folder(asked.experiment));
    if let Some(&place) = found.cell.places.first() {
        fault = fault.at(
            resolve::line_of(asked.experiment, place),
            "it would stand here",
        );
    }
    fault
}

fn value(
    evaluator: &mut Evaluator<'_>,
    asked: &Asked<'_>,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let worked = evaluator.shelf.pivot(asked.index, &asked.query(None, None));
    let cell = match &*worked {
        Ok(pivot) => pivot.cell(0, 0).clone(),
        Err(error) => {
            report.push(resolve::pivot_fault(asked, error, span, Asker::Function));
            return None;
        }
    };
    match number_of(evaluator, asked, &cell) {
        Some(number) => Some(Thing::Number(number)),
        None => {
            let found = Found {
                levels: pinned(asked),
                cell,
            };
            report.push(missing_fault(asked, &found, span));
            None
        }
    }
}

pub(super) fn pinned(asked: &Asked<'_>) -> Vec<(usize, usize)> {
    asked
        .only
        .iter()
        .filter_map(|(factor, levels)| match levels[..] {
            [level] => Some((*factor, level)),
            _ => None,
        })
        .collect()
}

fn extreme(
    evaluator: &mut Evaluator<'_>,
    best: bool,
    asked: &Asked<'_>,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let metric = &asked.experiment.definition.metrics[asked.metric];
    let highest = match metric.better {
        Direction::Higher => best,
        Direction::Lower => !best,
        Direction::Neither => {
            report.push(
                bad_argument(
                    span,
                    &format!("metric `{}` has no better direction", metric.key),
                )
                .help("add `better = \"higher\"` or `better = \"lower\"` to its definition"),
            );
            return None;
        }
    };
    let found = exact_cells(evaluator, asked, span, report)?;
    let (cell, _) = found.into_iter().reduce(|a, b| {
        let ahead = if highest { b.1 > a.1 } else { b.1 < a.1 };
        if ahead { b } else { a }
    })?;
    let number = number_of(evaluator, asked, &cell.cell)?;
    Some(Thing::Found {
        number,
        experiment: asked.index,
        levels: cell.levels,
    })
}

/// The matching cells that have an exact value, with it; a fault when there is none.
fn exact_cells(
    evaluator: &mut Evaluator<'_>,
    asked: &Asked<'_>,
    span: &Span,
    report: &mut Report,
) -> Option<Vec<(Found, f64)>> {
    let all = cases::cells(evaluator.shelf, asked, span, report)?;
    let exact: Vec<(Found, f64)> = all
        .into_iter()
        .filter_map(|found| match found.cell.estimate.as_ref().ok()?.value {
            Value::Exact(value) => Some((found, value)),
            _ => None,
        })
        .collect();
    if exact.is_empty() {
        report.push(
            Diagnostic::new(
                Code::MissingValue,
                "none of the matching cases has an exact value",
            )
            .at(span.clone(), "")
            .may_follow_from(resolve::folder(asked.experiment)),
        );
        return None;
    }
    Some(exact)
}

fn range(
    evaluator: &mut Evaluator<'_>,
    asked: &Asked<'_>,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let all = cases::cells(evaluator.shelf, asked, span, report)?;
    let mut numbers: Vec<Number> = Vec::new();
    for found in &all {
        let Some(number) = number_of(evaluator, asked, &found.cell) else {
            continue;
        };
        match found.cell.estimate.as_ref().map(|estimate| estimate.value) {
            // A published range has two ends of its own.
            Ok(Value::Range(low, high)) => {
                for end in [low, high] {
                    let mut number = number.clone();
                    number.uncertain = Uncertain::exact(end);
                    if let Form::Metric { value, .. } = &mut number.form {
                        *value = Some(Value::Exact(end));
                    }
                    numbers.push(number);
                }
            }
            Ok(Value::Exact(_)) => numbers.push(number),
            _ => {}
        }
    }
    numbers.sort_by(|a, b| a.uncertain.value.total_cmp(&b.uncertain.value));
    let (Some(low), Some(high)) = (numbers.first(), numbers.last()) else {
        report.push(
            Diagnostic::new(Code::MissingValue, "none of the matching cases has a value")
                .at(span.clone(), "")
                .may_follow_from(resolve::folder(asked.experiment)),
        );
        return None;
    };
    Some(Thing::Range {
        low: low.clone(),
        high: high.clone(),
    })
}

fn total(
    evaluator: &mut Evaluator<'_>,
    mean: bool,
    asked: &Asked<'_>,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let found = exact_cells(evaluator, asked, span, report)?;
    let count = found.len();
    let mut sum = Uncertain::exact(0.0);
    for (found, _) in &found {
        sum = sum + number_of(evaluator, asked, &found.cell)?.uncertain;
    }
    if mean {
        sum = sum.divide(Uncertain::exact(count as f64))?;
    }
    let form = Form::Metric {
        experiment: asked.index,
        metric: asked.metric,
        value: None,
        bare: false,
    };
    Some(Thing::Number(Number::new(sum, form)))
}

/// `count`, `missing` and `cases`.
fn tally(
    evaluator: &mut Evaluator<'_>,
    name: &str,
    asked: &Asked<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let scale = asked.experiment.definition.metrics[asked.metric].unit.scale;
    let above = given
        .number("above", report)
        .ok()?
        .map(|bound| bound * scale);
    let below = given
        .number("below", report)
        .ok()?
        .map(|bound| bound * scale);
    let all = cases::cells(evaluator.shelf, asked, span, report)?;
    let bounded = above.is_some() || below.is_some();
    let counted = all.iter().filter(|found| match &found.cell.estimate {
        Err(_) => name != "count",
        Ok(_) if name == "missing" => false,
        Ok(estimate) => match estimate.value {
            Value::Exact(value) => {
                above.is_none_or(|bound| value > bound) && below.is_none_or(|bound| value < bound)
            }
            _ => !bounded,
        },
    });
    let counted: Vec<&Found> = counted.collect();
    for found in &counted {
        note(evaluator, asked, &found.cell);
    }
    Some(Thing::Number(Number::plain(counted.len() as f64)))
}

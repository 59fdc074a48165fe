//! The functions and filters of expressions, over the data.

use crate::analysis::{Cell, Uncertain, compare};
use crate::content::{Expression, FILTERS, FUNCTIONS};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::{Direction, Value};
use crate::text::Unit;

use super::cases::{self, Found};
use super::evaluate::Evaluator;
use super::resolve::{self, Asked, Asker, Literal};
use super::thing::{Form, Number, Thing};

type Arguments = [(Option<(String, Span)>, Expression)];

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

/// Arguments as plain values, with their places.
struct Given {
    items: Vec<(String, Literal, Span, Span)>,
    first: Option<(Literal, Span)>,
}

impl Given {
    fn read(
        evaluator: &mut Evaluator<'_>,
        arguments: &Arguments,
        report: &mut Report,
    ) -> Option<Self> {
        let mut given = Self {
            items: Vec::new(),
            first: None,
        };
        let mut whole = true;
        for (name, value) in arguments {
            // What an argument's own expression used is evidence too, and stays recorded.
            let Some(literal) = evaluator.literal(value, report) else {
                whole = false;
                continue;
            };
            match name {
                Some((name, span)) => {
                    given
                        .items
                        .push((name.clone(), literal, span.clone(), value.span.clone()));
                }
                None => given.first = Some((literal, value.span.clone())),
            }
        }
        whole.then_some(given)
    }

    fn get(&self, name: &str) -> Option<(&Literal, &Span)> {
        let (_, literal, _, span) = self.items.iter().find(|(known, ..)| known == name)?;
        Some((literal, span))
    }

    fn text(&self, name: &str, report: &mut Report) -> Result<Option<(&str, &Span)>, ()> {
        match self.get(name) {
            None => Ok(None),
            Some((Literal::Text(text), span)) => Ok(Some((text, span))),
            Some((_, span)) => {
                report.push(bad_argument(
                    span,
                    &format!("`{name}` takes a text in quotes"),
                ));
                Err(())
            }
        }
    }

    fn number(&self, name: &str, report: &mut Report) -> Result<Option<f64>, ()> {
        match self.get(name) {
            None => Ok(None),
            Some((Literal::Number(number), _)) => Ok(Some(*number)),
            Some((_, span)) => {
                report.push(bad_argument(span, &format!("`{name}` takes a number")));
                Err(())
            }
        }
    }
}

fn bad_argument(span: &Span, message: &str) -> Diagnostic {
    Diagnostic::new(Code::BadArgument, message).at(span.clone(), "")
}

fn no_experiment(span: &Span) -> Diagnostic {
    Diagnostic::new(Code::NoExperiment, "no experiment is named here")
        .at(span.clone(), "")
        .help("add `experiment = \"…\"` here, or to the page's front matter")
}

/// The experiment that a function means.
fn experiment_of(
    evaluator: &Evaluator<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<usize> {
    match given.text("experiment", report).ok()? {
        Some((key, place)) => {
            resolve::experiment(evaluator.shelf, key, place, report).map(|(index, _)| index)
        }
        None => match evaluator.default {
            // The front matter's experiment is looked up when the page is read; a wrong one was
            // reported there.
            Some(key) => evaluator.shelf.find(key),
            None => {
                report.push(no_experiment(span));
                None
            }
        },
    }
}

/// Metric, levels and run that a function asks for.
fn asked<'a>(
    evaluator: &Evaluator<'a>,
    given: &Given,
    reserved: &[&str],
    span: &Span,
    report: &mut Report,
) -> Option<Asked<'a>> {
    let index = experiment_of(evaluator, given, span, report)?;
    let experiment = evaluator.shelf.experiment(index);
    if let Some((_, place)) = &given.first {
        report.push(
            bad_argument(place, "this argument needs a name")
                .help("levels are named by their factor, such as `architecture = \"Classic\"`"),
        );
        return None;
    }
    let named = given.text("metric", report).ok()?;
    let metric = resolve::metric(experiment, named, span, report);
    let run = match given.text("run", report).ok()? {
        Some((key, place)) => Some(resolve::run(experiment, key, place, report)?),
        None => None,
    };
    let statistic = match given.text("statistic", report).ok()? {
        Some((name, place)) => resolve::statistic(name, place, report)?,
        None => crate::analysis::Statistic::default(),
    };
    let mut only = Vec::new();
    let mut whole = true;
    for (name, literal, name_span, value_span) in &given.items {
        if reserved.contains(&name.as_str()) {
            continue;
        }
        let factors = &experiment.definition.factors;
        let Some(factor) = factors.iter().position(|factor| factor.key == *name) else {
            let known = factors
                .iter()
                .map(|factor| factor.key.as_str())
                .chain(reserved.iter().copied());
            report.push(
                Diagnostic::new(
                    Code::UnknownArgument,
                    format!(
                        "`{name}` is neither an argument nor a factor of `{}`",
                        experiment.definition.key
                    ),
                )
                .at(name_span.clone(), "")
                .may_follow_from(&*experiment.definition.source.path)
                .suggest(name, known),
            );
            whole = false;
            continue;
        };
        match resolve::levels(experiment, factor, literal, value_span, report) {
            Some(levels) => only.push((factor, levels)),
            None => whole = false,
        }
    }
    only.sort();
    whole.then_some(())?;
    Some(Asked {
        index,
        experiment,
        metric: metric?,
        only,
        run,
        statistic,
    })
}

/// A cell's value as a number; notes what was used.
fn number_of(evaluator: &mut Evaluator<'_>, asked: &Asked<'_>, cell: &Cell) -> Option<Number> {
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
    if let Ok(estimate) = &cell.estimate {
        evaluator.evidence.count(estimate.n);
    }
    if let Some(run) = cell.run
        && !evaluator.evidence.runs.contains(&(asked.index, run))
    {
        evaluator.evidence.runs.push((asked.index, run));
    }
}

fn missing_fault(asked: &Asked<'_>, found: &Found, span: &Span) -> Diagnostic {
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

fn pinned(asked: &Asked<'_>) -> Vec<(usize, usize)> {
    asked
        .only
        .iter()
        .filter_map(|(factor, levels)| match levels[..] {
            [level] => Some((*factor, level)),
            _ => None,
        })
        .collect()
}

/// `from` and `to`: the two levels of one factor that a comparison is between.
fn sides(
    asked: &Asked<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<(usize, usize, usize)> {
    let definition = &asked.experiment.definition;
    let mut ends = Vec::new();
    for name in ["from", "to"] {
        match given.get(name) {
            Some(end) => ends.push(end),
            None => {
                report.push(
                    Diagnostic::new(Code::MissingArgument, format!("`{name}` is missing"))
                        .at(span.clone(), "")
                        .help("`from` and `to` name two levels of one factor"),
                );
            }
        }
    }
    let [(from, from_span), (to, to_span)] = ends[..] else {
        return None;
    };
    let factor = match given.text("factor", report).ok()? {
        Some((key, place)) => resolve::factor(asked.experiment, key, place, report)?,
        None => {
            let has = |literal: &Literal, factor: usize| {
                resolve::find_level(&definition.factors[factor], literal).is_some()
            };
            let open = (0..definition.factors.len())
                .filter(|factor| !asked.only.iter().any(|(pinned, _)| pinned == factor));
            let both: Vec<usize> = open
                .clone()
                .filter(|&factor| has(from, factor) && has(to, factor))
                .collect();
            match both[..] {
                [factor] => factor,
                [] => {
                    // The factor that has one of them is most likely the one that was meant.
                    let near = open
                        .clone()
                        .find(|&factor| has(from, factor) || has(to, factor))
                        .or_else(|| open.clone().next());
                    let Some(near) = near else {
                        report.push(bad_argument(span, "no factor is left to compare levels of"));
                        return None;
                    };
                    near
                }
                _ => {
                    let names: Vec<String> = both
                        .iter()
                        .map(|&factor| format!("`{}`", definition.factors[factor].key))
                        .collect();
                    report.push(
                        bad_argument(span, "several factors have both levels")
                            .help(format!("add `factor = …`: {}", names.join(", "))),
                    );
                    return None;
                }
            }
        }
    };
    let from = resolve::level(asked.experiment, factor, from, from_span, report);
    let to = resolve::level(asked.experiment, factor, to, to_span, report);
    Some((factor, from?, to?))
}

fn pair(
    evaluator: &mut Evaluator<'_>,
    name: &str,
    asked: &Asked<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let (factor, from, to) = sides(asked, given, span, report)?;
    let mut ends = Vec::new();
    for level in [from, to] {
        let mut asked = asked.clone();
        asked.pin(factor, vec![level]);
        let worked = evaluator.shelf.pivot(asked.index, &asked.query(None, None));
        let cell = match &*worked {
            Ok(pivot) => pivot.cell(0, 0).clone(),
            Err(error) => {
                report.push(resolve::pivot_fault(&asked, error, span, Asker::Function));
                return None;
            }
        };
        let Some(number) = number_of(evaluator, &asked, &cell) else {
            let found = Found {
                levels: pinned(&asked),
                cell,
            };
            report.push(missing_fault(&asked, &found, span));
            return None;
        };
        ends.push((number, cell));
    }
    let (to, from) = (ends.pop()?, ends.pop()?);
    if name == "difference" {
        let form = Form::Metric {
            experiment: asked.index,
            metric: asked.metric,
            value: None,
            bare: false,
        };
        return Some(Thing::Number(Number::new(
            to.0.uncertain - from.0.uncertain,
            form,
        )));
    }
    let definition = &asked.experiment.definition;
    let better = definition.metrics[asked.metric].better;
    let ratio = if evaluator.as_printed {
        to.0.uncertain.divide(from.0.uncertain)
    } else {
        compare::compare(
            &from.1,
            &to.1,
            better,
            definition.threshold,
            definition.noise,
        )
        .map(|comparison| Uncertain::from_comparison(&comparison))
        .or_else(|| to.0.uncertain.divide(from.0.uncertain))
    };
    let Some(ratio) = ratio.filter(|ratio| ratio.value.is_finite()) else {
        report.push(
            Diagnostic::new(
                Code::DivisionByZero,
                "the figure compared with is zero, or may be",
            )
            .at(span.clone(), ""),
        );
        return None;
    };
    let (uncertain, form) = match name {
        "change" => (
            ratio - Uncertain::exact(1.0),
            Form::Percent { signed: true },
        ),
        "speedup" if better == Direction::Lower => {
            (Uncertain::exact(1.0).divide(ratio)?, Form::Times)
        }
        "speedup" => (ratio, Form::Times),
        _ => (ratio, Form::Plain),
    };
    Some(Thing::Number(Number::new(uncertain, form)))
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

fn level(
    evaluator: &mut Evaluator<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let index = experiment_of(evaluator, given, span, report)?;
    let experiment = evaluator.shelf.experiment(index);
    let mut named = given.items.iter().filter(|(name, ..)| name != "experiment");
    let (Some((name, literal, name_span, value_span)), None) = (named.next(), named.next()) else {
        report.push(
            Diagnostic::new(
                Code::MissingArgument,
                "`level` takes one factor and its level",
            )
            .at(span.clone(), "")
            .help("such as `level(plan = \"balanced\")`"),
        );
        return None;
    };
    let factor = resolve::factor(experiment, name, name_span, report)?;
    let level = resolve::level(experiment, factor, literal, value_span, report)?;
    Some(Thing::Level {
        experiment: index,
        factor,
        level,
    })
}

/// The one text argument of `setting` and `fact`, with or without its name.
fn key_argument<'g>(
    given: &'g Given,
    function: &str,
    span: &Span,
    report: &mut Report,
) -> Option<(&'g str, &'g Span)> {
    let found = match &given.first {
        Some((literal, span)) => Some((literal, span)),
        None => given.get("name"),
    };
    match found {
        Some((Literal::Text(text), span)) => Some((text, span)),
        _ => {
            report.push(
                Diagnostic::new(Code::MissingArgument, format!("`{function}` takes a name"))
                    .at(span.clone(), "")
                    .help(format!("such as `{function}(\"…\")`")),
            );
            None
        }
    }
}

fn setting(
    evaluator: &mut Evaluator<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let (name, place) = key_argument(given, "setting", span, report)?;
    let index = experiment_of(evaluator, given, span, report)?;
    let definition = &evaluator.shelf.experiment(index).definition;
    match definition.setting(name) {
        Some(setting) => Some(Thing::Setting {
            value: setting.value.clone(),
            default: setting.default.clone(),
        }),
        None => {
            report.push(
                Diagnostic::new(
                    Code::UnknownSetting,
                    format!("experiment `{}` has no setting `{name}`", definition.key),
                )
                .at(place.clone(), "")
                .may_follow_from(&*definition.source.path)
                .suggest(
                    name,
                    definition
                        .settings
                        .iter()
                        .map(|setting| setting.key.as_str()),
                ),
            );
            None
        }
    }
}

fn fact(
    evaluator: &mut Evaluator<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let (name, place) = key_argument(given, "fact", span, report)?;
    let index = experiment_of(evaluator, given, span, report)?;
    let experiment = evaluator.shelf.experiment(index);
    let mut facts = experiment
        .runs
        .iter()
        .flat_map(|run| &run.environment.facts);
    if let Some((_, text)) = facts.clone().find(|(key, _)| key == name) {
        return Some(Thing::Text(text.get(evaluator.language.lang()).to_owned()));
    }
    report.push(
        Diagnostic::new(
            Code::UnknownSetting,
            format!(
                "the environment of `{}` says nothing of `{name}`",
                experiment.definition.key
            ),
        )
        .at(place.clone(), "")
        .suggest(name, facts.by_ref().map(|(key, _)| key.as_str())),
    );
    None
}

/// Applies a filter.
pub(super) fn filter(
    evaluator: &mut Evaluator<'_>,
    thing: Thing,
    (name, name_span): &(String, Span),
    arguments: &Arguments,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let Some(table) = FILTERS.iter().find(|filter| filter.name == *name) else {
        report.push(
            Diagnostic::new(Code::UnknownFilter, format!("there is no filter `{name}`"))
                .at(name_span.clone(), "")
                .suggest(name, FILTERS.iter().map(|filter| filter.name)),
        );
        return None;
    };
    let given = Given::read(evaluator, arguments, report)?;
    for (argument, _, argument_span, _) in &given.items {
        let known = table.parameters.iter().map(|parameter| parameter.name);
        if !known.clone().any(|name| name == argument) {
            report.push(
                Diagnostic::new(
                    Code::UnknownArgument,
                    format!("filter `{name}` has no argument `{argument}`"),
                )
                .at(argument_span.clone(), "")
                .suggest(argument, known),
            );
            return None;
        }
    }
    if name == "date" {
        return match thing {
            Thing::Text(text) => Some(Thing::Text(evaluator.language.date(&text))),
            other => {
                report.push(bad_argument(span, &format!("{} is no date", other.kind())));
                None
            }
        };
    }
    // A range is filtered at both ends.
    if let Thing::Range { low, high } = thing {
        return Some(Thing::Range {
            low: filter_number(low, name, &given, span, report)?,
            high: filter_number(high, name, &given, span, report)?,
        });
    }
    let number = evaluator.as_number(thing, span, report)?;
    filter_number(number, name, &given, span, report).map(Thing::Number)
}

fn filter_number(
    mut number: Number,
    name: &str,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Number> {
    if let Some(digits) = given.number("digits", report).ok()? {
        if !(0.0..=12.0).contains(&digits) || digits.fract() != 0.0 {
            report.push(bad_argument(span, "`digits` goes from 0 to 12"));
            return None;
        }
        number.digits = Some(digits as u8);
    }
    match name {
        "number" => {
            if let Form::Metric { bare, .. } = &mut number.form {
                *bare = true;
            } else {
                number.form = Form::Plain;
            }
        }
        "percent" => {
            let signed = matches!(number.form, Form::Percent { signed: true });
            let signed = match given.get("sign") {
                Some((Literal::Flag(flag), _)) => *flag,
                _ => signed,
            };
            number.form = Form::Percent { signed };
        }
        "times" => number.form = Form::Times,
        "duration" => number.form = Form::Duration,
        "size" => number.form = Form::Size,
        "bare" => {
            if let Form::Metric { bare, .. } = &mut number.form {
                *bare = true;
            }
        }
        "abs" => {
            number.uncertain = number.uncertain.abs();
            match &mut number.form {
                Form::Metric { value, .. } => {
                    *value = value.map(absolute);
                }
                Form::Percent { signed } => *signed = false,
                _ => {}
            }
        }
        "round" => {
            let places = i32::from(number.digits.unwrap_or(0));
            let unit = 10f64.powi(places);
            number.uncertain = Uncertain::exact((number.uncertain.value * unit).round() / unit);
            if let Form::Metric { value, .. } = &mut number.form {
                *value = None;
            }
        }
        _ => {
            let Some((Literal::Text(symbol), place)) = given.get("u").or(given.get("unit")) else {
                report.push(
                    Diagnostic::new(Code::MissingArgument, "`unit` takes a unit")
                        .at(span.clone(), "")
                        .help("such as `| unit(u = \"MiB\")`"),
                );
                return None;
            };
            match Unit::parse(symbol) {
                Some(unit) => number.form = Form::Unit(unit),
                None => {
                    report.push(
                        Diagnostic::new(Code::BadQuantity, format!("`{symbol}` is no unit"))
                            .at(place.clone(), ""),
                    );
                    return None;
                }
            }
        }
    }
    Some(number)
}

/// A value without its sign; a range or bound that spans zero has no such value and stays.
fn absolute(value: Value) -> Value {
    match value {
        Value::Exact(value) => Value::Exact(value.abs()),
        Value::Range(low, high) if high <= 0.0 => Value::Range(-high, -low),
        Value::Below(bound) if bound <= 0.0 => Value::Above(-bound),
        other => other,
    }
}

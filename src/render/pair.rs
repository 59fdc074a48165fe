//! The functions that put two levels side by side: change, difference, ratio and speed-up.

use crate::analysis::{Uncertain, compare};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::Direction;

use super::cases::Found;
use super::evaluate::Evaluator;
use super::functions::{missing_fault, number_of, pinned};
use super::given::{Given, bad_argument};
use super::resolve::{self, Asked, Asker, Literal};
use super::thing::{Form, Number, Thing};

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

pub(super) fn pair(
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
    let (threshold, noise) = (definition.threshold, definition.noise);
    let comparison = compare::compare(&from.1, &to.1, better, threshold, noise);
    let paired = comparison.and_then(|it| it.paired);
    evaluator.evidence.paired.extend(paired);
    let ratio = comparison.map(|it| Uncertain::from_comparison(&it));
    let ratio = match (evaluator.as_printed, paired) {
        (false, _) => ratio.or_else(|| to.0.uncertain.divide(from.0.uncertain)),
        // What is printed is the ratio within blocks.
        (true, Some(_)) => ratio.map(|it| it.as_printed()),
        (true, None) => to.0.uncertain.divide(from.0.uncertain),
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

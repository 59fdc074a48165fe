//! What is given to a function or filter: its arguments as plain values, and the cells they ask for.

use crate::content::Expression;
use crate::diag::{Code, Diagnostic, Report, Span};

use super::evaluate::Evaluator;
use super::resolve::{self, Asked, Literal};

/// Arguments as an expression's tree holds them.
pub(super) type Arguments = [(Option<(String, Span)>, Expression)];

/// Arguments as plain values, with their places.
pub(super) struct Given {
    pub(super) items: Vec<(String, Literal, Span, Span)>,
    pub(super) first: Option<(Literal, Span)>,
}

impl Given {
    pub(super) fn read(
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

    pub(super) fn get(&self, name: &str) -> Option<(&Literal, &Span)> {
        let (_, literal, _, span) = self.items.iter().find(|(known, ..)| known == name)?;
        Some((literal, span))
    }

    pub(super) fn text(
        &self,
        name: &str,
        report: &mut Report,
    ) -> Result<Option<(&str, &Span)>, ()> {
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

    pub(super) fn number(&self, name: &str, report: &mut Report) -> Result<Option<f64>, ()> {
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

pub(super) fn bad_argument(span: &Span, message: &str) -> Diagnostic {
    Diagnostic::new(Code::BadArgument, message).at(span.clone(), "")
}

pub(super) fn no_experiment(span: &Span) -> Diagnostic {
    Diagnostic::new(Code::NoExperiment, "no experiment is named here")
        .at(span.clone(), "")
        .help("add `experiment = \"…\"` here, or to the page's front matter")
}

/// The experiment that a function means.
pub(super) fn experiment_of(
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
pub(super) fn asked<'a>(
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

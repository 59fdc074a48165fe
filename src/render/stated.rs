//! The functions of expressions that look up what is stated: levels, settings and facts.

use crate::diag::{Code, Diagnostic, Report, Span};
use crate::figure::environment;
use crate::model::Run;

use super::evaluate::Evaluator;
use super::given::{Given, experiment_of};
use super::resolve::{self, Literal, folder};
use super::thing::Thing;

pub(super) fn level(
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

pub(super) fn setting(
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

pub(super) fn fact(
    evaluator: &mut Evaluator<'_>,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let (name, place) = key_argument(given, "fact", span, report)?;
    let index = experiment_of(evaluator, given, span, report)?;
    let experiment = evaluator.shelf.experiment(index);
    let run = match given.text("run", report).ok()? {
        Some((key, place)) => Some(resolve::run(experiment, key, place, report)?),
        None => None,
    };
    let runs = (experiment.runs.iter().enumerate())
        .filter(|(index, _)| run.is_none_or(|run| run == *index))
        .map(|(_, run)| run);
    let lang = evaluator.language.lang();
    let known: Vec<(&Run, &str)> = runs
        .clone()
        .filter_map(|run| Some((run, run.environment.get(name)?.get(lang))))
        .collect();
    if let [(first, text), rest @ ..] = &known[..] {
        let Some((other, _)) = rest.iter().find(|(_, other)| other != text) else {
            let words = environment::fact_words(evaluator.language, text);
            return Some(Thing::Text(words.to_owned()));
        };
        let message = format!(
            "the runs `{}` and `{}` differ in `{name}`",
            first.key, other.key
        );
        let help = format!("say which: `run = \"{}\"`", first.key);
        let fault = Diagnostic::new(Code::MixedRuns, message).at(span.clone(), "");
        report.push(fault.help(help).may_follow_from(folder(experiment)));
        return None;
    }
    let facts = runs.flat_map(|run| &run.environment.facts);
    report.push(
        Diagnostic::new(
            Code::UnknownSetting,
            format!(
                "the environment of `{}` says nothing of `{name}`",
                experiment.definition.key
            ),
        )
        .at(place.clone(), "")
        .suggest(name, facts.map(|(key, _)| key.as_str())),
    );
    None
}

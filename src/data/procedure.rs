//! `[run]`: how the runner gets samples of every case.

use std::ops::Range;

use super::definition::{choose, twice};
use super::entry::factor;
use super::section::{self, Document, Item, Section, Word};
use super::template::{Home, Templates};
use super::{commands, value};
use crate::diag::{Code, Diagnostic, Severity};
use crate::model::{
    Assignment, CommandResults, Definition, Named, Order, Procedure, Quick, Watching,
};
use crate::text::{Dimension, Reading, Unit};

/// The engine and the workload that run programs.
const COMMAND: &str = "command";
/// More repetitions than anyone waits for.
const REPETITIONS: u64 = 100_000;
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

/// Reads `[run]`; factors and metrics must have been read before. Faults go to the report and what
/// can be used is kept; `None` when it doesn't say what to run.
pub(super) fn read(
    document: &Document<'_>,
    mut section: Section<'_, '_, '_>,
    definition: &Definition,
) -> Option<Procedure> {
    let span = document.span(section.range().clone());
    let engine = section.required("engine");
    let command_engine = engine.as_ref().is_some_and(|word| word.text == COMMAND);
    let workload = if command_engine && section.look("workload").is_none() {
        engine.clone()
    } else {
        section.required("workload")
    };
    let repetitions = section.whole("repetitions", 1, REPETITIONS).unwrap_or(5) as u32;
    let order = section.text("order").and_then(|word| {
        let known = Order::ALL.map(Order::key);
        choose(document, &word, "order", Order::parse(&word.text), &known)
    });
    let seed = section.whole("seed", 0, i64::MAX as u64).unwrap_or(1);
    let timeout = duration(document, &mut section, "timeout", (0.001, 30.0 * DAY));
    let settle = duration(document, &mut section, "settle", (0.0, DAY));
    let steps = section.text("steps");
    let steps = steps.and_then(|word| factor(document, definition, &word));
    let templates = Templates::new(document, definition, steps);
    let settings = assignments(&mut section, "settings", &templates);
    let parameters = assignments(&mut section, "parameters", &templates);
    let power = section.text("power");
    let power = power.map(|word| templates.read(&word, Home::Value));
    let watch = watching(document, &mut section);
    let quick = quick(document, &mut section, definition, &templates);
    let is_command = command_engine || workload.as_ref().is_some_and(|word| word.text == COMMAND);
    let results = results(document, &mut section, definition);
    let commands = section.section("command");
    let commands = match (commands, is_command) {
        (Some(commands), true) => commands::read(
            document,
            commands,
            definition,
            results.as_deref(),
            &templates,
        ),
        (None, false) => None,
        (Some(commands), false) => {
            let message = "there are programs to run, but neither engine nor workload runs any";
            document.fault(commands.range(), message, "", |fault| {
                fault.help("write `workload = \"command\"`, or leave `[run.command]` out")
            });
            None
        }
        (None, true) => {
            let message = "`command` is missing in `run`: the programs to run aren't told";
            document.fault(section.range(), message, "", |fault| {
                fault.help("add a table `[run.command]` with `measure = \"…\"`")
            });
            return None;
        }
    };
    section.finish();
    require_levels(document, definition, &span.range);
    warn_of_unused(document, definition, &templates, steps, &span.range);
    if is_command && commands.is_none() {
        return None;
    }
    let results = by_results(
        document,
        definition,
        results,
        &span.range,
        commands.as_ref().map(|it| &it.results),
    );
    Some(Procedure {
        engine: named(document, &engine?),
        workload: named(document, &workload?),
        span,
        repetitions,
        order: order.unwrap_or(Order::Random),
        seed,
        timeout: timeout.unwrap_or(300.0),
        settle: settle.unwrap_or(0.0),
        settings,
        parameters,
        results,
        steps,
        watch,
        power,
        commands,
        quick,
    })
}

/// A word of the document for the model.
pub(super) fn named(document: &Document<'_>, word: &Word) -> Named {
    Named {
        name: word.text.clone(),
        span: document.span(word.range.clone()),
    }
}

/// A length of time in seconds: a text with its unit, or a number.
fn duration(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    key: &'static str,
    (low, high): (f64, f64),
) -> Option<f64> {
    let word = section.plain(key)?;
    let unit = Unit::parse("s").unwrap_or_else(Unit::none);
    let seconds = value::quantity(&word.text, &unit, Reading::default());
    let message = match seconds {
        Ok(seconds) if (low..=high).contains(&seconds) => return Some(seconds),
        Ok(_) => format!(
            "`{key}` is a time from {} to {}",
            in_words(low),
            in_words(high)
        ),
        Err(_) => format!("`{}` is no length of time", word.text),
    };
    document.push(
        Diagnostic::new(Code::BadQuantity, message)
            .at(document.span(word.range), "")
            .help("write a text with a unit, such as `\"90 s\"` or `\"5 min\"`, or a number of seconds"),
    );
    None
}

fn in_words(seconds: f64) -> String {
    match seconds {
        0.0 => "0".to_owned(),
        _ if seconds >= DAY => format!("{} d", seconds / DAY),
        _ if seconds >= HOUR => format!("{} h", seconds / HOUR),
        _ => format!("{} ms", seconds * 1000.0),
    }
}

/// Names and the values they are given.
fn assignments(
    section: &mut Section<'_, '_, '_>,
    key: &'static str,
    templates: &Templates<'_, '_>,
) -> Vec<Assignment> {
    let pairs = section.pairs(key).into_iter();
    pairs
        .map(|(name, value)| Assignment {
            span: templates.span(&name.range),
            name: name.text,
            value: templates.read(&value, Home::Value),
        })
        .collect()
}

fn watching(document: &Document<'_>, section: &mut Section<'_, '_, '_>) -> Watching {
    let mut watching = Watching {
        every: 0.1,
        series: Vec::new(),
        off: false,
    };
    if let Some(mut section) = section.section("watch") {
        let every = duration(document, &mut section, "every", (0.001, HOUR));
        watching.every = every.unwrap_or(watching.every);
        let series = section.words("series");
        watching.series = series.iter().map(|word| named(document, word)).collect();
        watching.off = section.flag("off").unwrap_or(false);
        section.finish();
    }
    watching
}

fn quick(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    definition: &Definition,
    templates: &Templates<'_, '_>,
) -> Quick {
    let Some(mut section) = section.section("quick") else {
        return Quick::default();
    };
    let repetitions = section.whole("repetitions", 1, REPETITIONS);
    let settings = assignments(&mut section, "settings", templates);
    let parameters = assignments(&mut section, "parameters", templates);
    let mut levels = Vec::new();
    if let Some(section) = section.section("levels") {
        for (key, item) in section.free() {
            let Some(factor) = factor(document, definition, &key) else {
                continue;
            };
            if let Some(kept) = kept_levels(document, &section, definition, factor, &key, item) {
                levels.push((factor, kept));
            }
        }
    }
    section.finish();
    Quick {
        repetitions: repetitions.map(|number| number as u32),
        settings,
        parameters,
        levels,
    }
}

/// The levels that a short trial keeps of a factor.
fn kept_levels(
    document: &Document<'_>,
    section: &Section<'_, '_, '_>,
    definition: &Definition,
    factor: usize,
    key: &Word,
    item: &Item<'_>,
) -> Option<Vec<usize>> {
    let Some(items) = item.get_ref().as_array() else {
        section.wrong_kind(&key.text, item, "a list of levels");
        return None;
    };
    let factor = &definition.factors[factor];
    let mut kept = Vec::new();
    for item in items {
        let Some(word) = section::scalar(item) else {
            section.wrong_kind(&key.text, item, "a text or number");
            continue;
        };
        match factor.level(&word.text) {
            Some(level) if kept.contains(&level) => {
                twice(document, "level", &word.text, &word.range);
            }
            Some(level) => kept.push(level),
            None => {
                let known = factor.levels.iter().map(|level| &*level.key);
                let message = format!("`{}` is no level of `{}`", word.text, factor.key);
                let fault = Diagnostic::new(Code::UnknownLevel, message)
                    .at(document.span(word.range.clone()), "")
                    .at(factor.span.clone(), "its levels are declared here");
                document.push(fault.suggest(&word.text, known));
            }
        }
    }
    if items.is_empty() {
        document.fault(
            &item.span(),
            "no level is left",
            "this list is empty",
            |it| it,
        );
    }
    (!kept.is_empty()).then_some(kept)
}

/// What `[run.results]` says: name of a result, metric; `None` when it isn't there.
fn results(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    definition: &Definition,
) -> Option<Vec<(Word, usize)>> {
    section.look("results")?;
    let mut results: Vec<(Word, usize)> = Vec::new();
    for (name, metric) in section.pairs("results") {
        let Some((index, found)) = definition.metric(&metric.text) else {
            let measured = definition.metrics.iter().filter(|it| it.derived.is_none());
            let message = format!("there is no metric `{}`", metric.text);
            let fault = Diagnostic::new(Code::UnknownMetric, message)
                .at(document.span(metric.range.clone()), "");
            document.push(fault.suggest(&metric.text, measured.map(|it| &*it.key)));
            continue;
        };
        if found.derived.is_some() {
            let message = format!("`{}` is derived; it can't be measured", metric.text);
            document.fault(&metric.range, message, "", |it| it);
        } else if results.iter().any(|(_, there)| *there == index) {
            let message = format!("the metric `{}` has another result already", metric.text);
            document.fault(&metric.range, message, "", |it| it);
        } else {
            results.push((name, index));
        }
    }
    Some(results)
}

/// Which metric each result becomes. Without words about it, results become the metrics of their names.
fn by_results(
    document: &Document<'_>,
    definition: &Definition,
    written: Option<Vec<(Word, usize)>>,
    run: &Range<usize>,
    given: Option<&CommandResults>,
) -> Vec<(Named, usize)> {
    let is_time = |name: &str| given.is_some_and(|given| given.is_time(name));
    let given: Option<Vec<&str>> = match given {
        // Patterns of which none could be read were reported.
        Some(CommandResults::Patterns(patterns)) if patterns.is_empty() => None,
        given => given.and_then(CommandResults::names),
    };
    let is_given = |name: &str| given.as_ref().is_none_or(|given| given.contains(&name));
    let Some(written) = written else {
        let measured = definition.metrics.iter().enumerate();
        let measured = measured.filter(|(_, it)| it.derived.is_none() && is_given(&it.key));
        let named: Vec<(Named, usize)> = measured
            .map(|(index, metric)| {
                let word = Word {
                    text: metric.key.clone(),
                    range: run.clone(),
                };
                (named(document, &word), index)
            })
            .collect();
        if named.is_empty() {
            let names = given.unwrap_or_default().join("`, `");
            let message = format!("no metric is named as the result `{names}`");
            document.fault(run, message, "", |fault| {
                fault.help("say which metric it becomes, in `results = { RESULT = \"METRIC\" }`")
            });
        }
        return named;
    };
    let mut results = Vec::new();
    for (name, metric) in written {
        if is_given(&name.text) {
            results.push((named(document, &name), metric));
        } else {
            let message = format!("the command gives no result `{}`", name.text);
            let known = given.clone().unwrap_or_default();
            document.fault(&name.range, message, "", |fault| {
                fault.suggest(&name.text, known)
            });
        }
    }
    for (name, metric) in &results {
        let metric = &definition.metrics[*metric];
        let takes_time = matches!(metric.unit.dimension, Dimension::Duration);
        if is_time(&name.name) && !takes_time {
            let message = format!("`{}` is a time, and `{}` isn't", name.name, metric.key);
            let fault = Diagnostic::new(Code::WrongUnit, message).at(name.span.clone(), "");
            document.push(fault.at(metric.span.clone(), "declared here"));
        }
    }
    results
}

/// Reports factors without declared levels: nobody could say which cases there are.
fn require_levels(document: &Document<'_>, definition: &Definition, run: &Range<usize>) {
    // Those of names were reported where they are declared.
    let factors = definition.factors.iter();
    for factor in factors.filter(|factor| factor.levels.is_empty() && factor.kind.is_numeric()) {
        document.push(
            Diagnostic::new(
                Code::BadDefinition,
                format!("the factor `{}` has no levels to run", factor.key),
            )
            .at(factor.span.clone(), "")
            .at(document.span(run.clone()), "to be run as this says")
            .help("list them in `levels = […]`"),
        );
    }
}

/// Warns of factors that nothing depends on: all their levels would be measured alike.
fn warn_of_unused(
    document: &Document<'_>,
    definition: &Definition,
    templates: &Templates<'_, '_>,
    steps: Option<usize>,
    run: &Range<usize>,
) {
    for index in templates.unused().filter(|index| Some(*index) != steps) {
        let key = &definition.factors[index].key;
        let mut fault = Diagnostic::new(
            Code::BadDefinition,
            format!(
                "nothing here depends on the factor `{key}`: all its levels would be measured alike"
            ),
        )
        .at(document.span(run.clone()), "")
        .help(format!("name it as `{{{key}}}` where it matters"));
        fault.severity = Severity::Warning;
        document.push(fault);
    }
}

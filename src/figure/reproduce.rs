//! How to repeat an experiment: the command, what it needs, how much it measures.

use std::collections::BTreeSet;

use serde_json::json;

use super::export::pretty;
use super::markup::Markup;
use super::{Figure, Reader, format};
use crate::analysis::trial::{step_factor, trials};
use crate::analysis::{Sequence, drift};
use crate::model::{Order, Origin, Procedure, Run};
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// Shows the command of a run, or of the latest measured one, else of the definition; nothing where
/// neither tells one.
pub fn figure(reader: Reader<'_>, run: Option<usize>) -> Option<Figure> {
    let definition = &reader.experiment.definition;
    let runs = &reader.experiment.runs;
    let run = run.or_else(|| latest(runs));
    let own = run.and_then(|run| runs[run].command.clone());
    let procedure = definition.procedure.as_ref();
    let plain = format!("benchbook run {}", quoted(&definition.key));
    let command = own.or_else(|| procedure.map(|_| plain.clone()))?;
    let quick = procedure
        .filter(|it| has_quick(it))
        .map(|_| format!("{plain} --quick"));
    let mut facts = Vec::new();
    if let Some(procedure) = procedure {
        facts.push(("reproduce-needed", needed(reader, procedure)));
        facts.push(("fact-workload", procedure.workload.name.clone()));
    }
    facts.extend(amount(reader, run, procedure).map(|amount| ("reproduce-amount", amount)));
    facts.extend(
        run.and_then(|run| took(reader, run))
            .map(|took| ("reproduce-took", took)),
    );
    let say = reader.words("reproduce-say");
    let mut body = Markup::default();
    body.element("p", &[], say);
    body.open("pre", &[("class", "command")])
        .element("code", &[], &command)
        .close();
    if let Some(quick) = &quick {
        body.element("p", &[], reader.words("reproduce-quick"));
        body.open("pre", &[("class", "command")])
            .element("code", &[], quick)
            .close();
    }
    body.open("dl", &[("class", "facts")]);
    for (key, value) in &facts {
        body.open("div", &[])
            .element("dt", &[], reader.words(key))
            .element("dd", &[], value)
            .close();
    }
    body.close();
    let told = facts
        .iter()
        .map(|(key, value)| format!("{}: {value}.", reader.words(key)));
    let told: Vec<String> = told.collect();
    Some(Figure {
        body: body.finish(),
        alternative: format!("{say} {command}. {}", told.join(" ")),
        json: pretty(&json!({
            "experiment": definition.key,
            "run": run.map(|run| &runs[run].key),
            "command": command,
            "quick": quick,
        })),
        ..Figure::default()
    })
}

/// The measured run that tells its command and began last; a short trial is none to repeat.
fn latest(runs: &[Run]) -> Option<usize> {
    let telling = runs.iter().enumerate();
    let telling = telling.filter(|(_, run)| run.origin == Origin::Measured && is_whole(run));
    let last = telling.max_by_key(|(index, run)| (run.started.clone(), *index))?;
    Some(last.0)
}

fn is_whole(run: &Run) -> bool {
    let command = run.command.as_deref();
    command.is_some_and(|command| !command.split(' ').any(|word| word == "--quick"))
}

/// A word as a shell takes it for one.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._/-".contains(letter);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn has_quick(procedure: &Procedure) -> bool {
    let quick = &procedure.quick;
    quick.repetitions.is_some()
        || !quick.settings.is_empty()
        || !quick.parameters.is_empty()
        || !quick.levels.is_empty()
}

/// What has to be there: the engine, in words where the catalogs know it.
fn needed(reader: Reader<'_>, procedure: &Procedure) -> String {
    let engine = &procedure.engine.name;
    let key = format!("engine-needs-{engine}");
    if reader.language.known(&key).is_none() {
        return engine.clone();
    }
    let programs = reader.language.list(&programs(procedure));
    reader
        .language
        .message_with(&key, &[("programs", Text(&programs))])
}

/// The programs that the `command` workload calls, each once.
fn programs(procedure: &Procedure) -> Vec<String> {
    let Some(commands) = &procedure.commands else {
        return Vec::new();
    };
    let lines = commands
        .setup
        .iter()
        .chain([&commands.measure])
        .chain(&commands.teardown);
    let mut programs: Vec<String> = Vec::new();
    for line in lines {
        let program = match line.words.first() {
            _ if line.shell => "sh",
            Some(word) => &word.text,
            None => continue,
        };
        if !programs.iter().any(|known| known == program) {
            programs.push(program.to_owned());
        }
    }
    programs
}

/// Cases times repetitions: of a run as it was, else as the definition plans it.
fn amount(reader: Reader<'_>, run: Option<usize>, procedure: Option<&Procedure>) -> Option<String> {
    let steps = step_factor(reader.experiment);
    let (cases, repetitions) = match (run, procedure) {
        (Some(run), _) => {
            let trials = trials(reader.experiment, run, &[]);
            let cases: BTreeSet<&[u32]> = trials.values().map(|trial| &*trial.levels).collect();
            let most = trials.values().map(|trial| trial.replicate).max()?;
            (cases.len() as u64, u64::from(most) + 1)
        }
        (None, Some(procedure)) => {
            let factors = reader.experiment.definition.factors.iter().enumerate();
            let levels = factors.filter(|(factor, _)| Some(*factor) != steps);
            let levels = levels.map(|(_, factor)| factor.levels.len() as u64);
            let cases = levels.fold(1, u64::saturating_mul);
            (cases, u64::from(procedure.repetitions))
        }
        (None, None) => return None,
    };
    let count = |key: &str, n: u64| reader.language.message_with(key, &[("n", Count(n))]);
    let total = cases.saturating_mul(repetitions);
    let mut words = format!(
        "{} × {} = {}",
        count("cases-count", cases),
        count("repetitions-count", repetitions),
        count("measurements-count", total),
    );
    if let Some(order) = order(reader, run, procedure) {
        let key = format!("order-{}", order.key());
        words.push_str(&format!("; {}", reader.language.message(&key)));
    }
    Some(words)
}

/// How the cases of the blocks are ordered: of a run as it was, else as the definition plans it.
fn order(reader: Reader<'_>, run: Option<usize>, procedure: Option<&Procedure>) -> Option<Order> {
    let Some(run) = run else {
        return Some(procedure?.order);
    };
    let metrics = 0..reader.experiment.definition.metrics.len();
    let mut found = metrics.filter_map(|metric| drift(reader.experiment, run, metric));
    match (found.next()?.order, procedure.map(|it| it.order)) {
        (Sequence::Fixed, _) => Some(Order::Fixed),
        (Sequence::Drawn, Some(Order::Grouped)) => Some(Order::Grouped),
        (Sequence::Drawn, _) => Some(Order::Random),
        (Sequence::Unknown, _) => None,
    }
}

/// About how long a run took, and when.
fn took(reader: Reader<'_>, run: usize) -> Option<String> {
    let own = &reader.experiment.runs[run];
    let samples = reader.experiment.observations.iter();
    let samples = samples.filter(|it| it.run as usize == run);
    let begun = samples.filter_map(|it| it.result.as_ref().ok()?.at);
    let read = own
        .series
        .iter()
        .flat_map(|it| &it.readings)
        .map(|it| it.at);
    let last = begun
        .chain(read)
        .filter(|at| at.is_finite())
        .fold(0.0, f64::max);
    if last <= 0.0 {
        return None;
    }
    let duration = reader.language.duration(last, Digits::Significant(2));
    let name = format::run(reader, run);
    let arguments = [("duration", Text(&duration)), ("run", Text(&name))];
    Some(
        reader
            .language
            .message_with("reproduce-duration", &arguments),
    )
}

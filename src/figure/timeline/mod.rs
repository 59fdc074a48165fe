//! What was watched while cases were measured: a series over the time within the trials, a line a case.

mod chosen;
mod plots;
mod told;

use super::chart;
use super::markup::notice;
use super::series;
use super::{Figure, Reader, format};
use crate::analysis::{Trial, trials, typical};
use crate::text::Argument::Text;

/// Series, each with the one that shows how far it may go.
const LIMITS: [(&str, &str); 1] = [("checkpoint_age", "checkpoint_limit")];

/// Series of the machine, whatever is measured on it.
const MACHINE: [&str; 6] = [
    "cpu",
    "cpu_stolen",
    "disk_read",
    "disk_written",
    "memory",
    "frequency",
];

/// The series that a run has, each once, in the order in which they were first seen; those that limit
/// another are shown with it.
pub fn keys(reader: Reader<'_>, run: usize) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    let Some(run) = reader.experiment.runs.get(run) else {
        return keys;
    };
    for series in &run.series {
        if !keys.contains(&series.key.as_str()) {
            keys.push(&series.key);
        }
    }
    let shown = |key: &&str| {
        let of = LIMITS.iter().find(|(_, limit)| limit == key);
        of.is_none_or(|(of, _)| !keys.contains(of))
    };
    keys.iter().copied().filter(shown).collect()
}

/// The name of a series.
pub fn label(reader: Reader<'_>, key: &str) -> String {
    series::label(reader, key)
}

/// Whether a series tells of the machine, not of what is measured on it.
pub fn is_of_machine(key: &str) -> bool {
    MACHINE.contains(&key)
}

/// What a series stood at throughout a run, in words; `None` for one that changed.
pub fn steady(reader: Reader<'_>, run: usize, key: &str) -> Option<String> {
    let own = reader.experiment.runs.get(run)?.series.iter();
    let mut values = own
        .filter(|it| it.key == key)
        .flat_map(|it| &it.readings)
        .map(|it| it.value);
    let first = values.next()?;
    values.all(|value| value == first).then(|| match first {
        0.0 => reader.language.count(0),
        value => series::named(reader, key).value(reader, value),
    })
}

/// Shows a series of a run over the time within its trials: of each case that `only` allows, the trial
/// whose first metric is the median of the case; and the name of the series with the levels that all lines
/// share. Nothing where no trial of theirs has readings.
pub fn figure(
    reader: Reader<'_>,
    run: usize,
    key: &str,
    only: &[(usize, Vec<usize>)],
) -> Option<(Figure, String)> {
    let all = trials(reader.experiment, run, only);
    let metrics = &reader.experiment.definition.metrics;
    let metric = (0..metrics.len()).find(|metric| {
        let measured = |trial: &Trial| trial.total(*metric).is_some();
        metrics[*metric].derived.is_none() && all.values().any(measured)
    })?;
    let chosen = typical(all.values(), metric);
    let shown = chosen::shown(reader, run, key, &chosen)?;
    let named = series::named(reader, key);
    let title = (reader.language).message_with("timeline-title", &[("series", Text(&named.label))]);
    let alternative = told::alternative(reader, &named, &title, &shown);
    let course = plots::course(reader, &named, &title, &shown);
    let mut body = chart::course(reader, &course, &alternative);
    if shown.left_out > 0 {
        body.push_str(&notice(&told::left_out(reader, &shown)));
    }
    let held = told::held(reader, &all, &shown);
    let mut caption = named.label.clone();
    for words in &held {
        caption.push_str(&format!("; {words}"));
    }
    let chosen_by = format::metric_label(reader, metric);
    let figure = Figure {
        body,
        table: Some(told::table(reader, &named, &shown)),
        csv: told::csv(reader, key, &shown),
        json: told::as_json(reader, run, key, &shown),
        method: told::method(reader, run, [key, &chosen_by], &shown, &held),
        alternative,
    };
    Some((figure, caption))
}

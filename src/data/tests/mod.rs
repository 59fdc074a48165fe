//! Whole experiments read from texts, as the rest of the house sees them.

mod definitions;
mod faults;
mod formats;
mod import;
mod observed;
mod procedures;
mod properties;
mod published;
mod runs;
mod tables;

use crate::diag::{Code, Format, Report, Source, render};
use crate::model::{Experiment, Missing, Observation, Sample, Value};
use crate::source::{File, Files};
use crate::text::Lang;

/// A definition with two factors and two metrics.
pub(super) const SMALL: &str = r#"title = "Small"
question = "How fast?"
[factors.threads]
label = "Threads"
kind = "number"
[factors.plan]
label = "Plan"
kind = "nominal"
levels = ["balanced", "high-performance"]
aliases = { "Ausbalanciert" = "balanced" }
[metrics.speed]
label = "Speed"
unit = "ops/s"
better = "higher"
[metrics.wait]
label = "Wait"
unit = "ms"
better = "lower"
"#;

/// Reads an experiment `e` with the given definition and files.
pub(super) fn load(definition: &str, files: &[(&str, &str)]) -> (Experiment, Report) {
    let (experiment, report) = try_load(definition, files);
    (experiment.expect("an experiment"), report)
}

/// The same, where nothing may come of it.
pub(super) fn try_load(definition: &str, files: &[(&str, &str)]) -> (Option<Experiment>, Report) {
    let mut site = Files::default();
    let mut add = |path: String, text: &str| {
        site.insert(path.clone(), File::Text(Source::new(path, text)));
    };
    add("data/e/experiment.toml".into(), definition);
    for (path, text) in files {
        add(format!("data/e/{path}"), text);
    }
    let languages = ["en", "de"].map(|tag| Lang::parse(tag).expect("a tag"));
    let mut report = Report::new();
    let mut all = super::load(&site, &languages, &mut report);
    (all.pop(), report)
}

/// Reads an experiment that must have no fault.
pub(super) fn load_clean(definition: &str, files: &[(&str, &str)]) -> Experiment {
    let (experiment, report) = load(definition, files);
    assert_eq!(shown(&report), "");
    experiment
}

/// A report as people see it.
pub(super) fn shown(report: &Report) -> String {
    render(report, Format::Human { colour: false })
}

/// Each fault's kind and the text under its first label.
pub(super) fn faults(report: &Report) -> Vec<(Code, String)> {
    let under = |labels: &[crate::diag::Label]| {
        labels
            .first()
            .map_or_else(String::new, |label| label.span.text().to_owned())
    };
    let all = report.sorted().into_iter();
    all.map(|fault| (fault.code, under(&fault.labels)))
        .collect()
}

/// The observations of a metric in the case with these levels.
pub(super) fn observations<'e>(
    experiment: &'e Experiment,
    metric: &str,
    levels: &[&str],
) -> Vec<&'e Observation> {
    let definition = &experiment.definition;
    let (metric, _) = definition.metric(metric).expect("a metric");
    let wanted: Vec<u32> = definition
        .factors
        .iter()
        .zip(levels)
        .map(|(factor, level)| factor.level(level).expect("a level") as u32)
        .collect();
    let all = experiment.observations.iter();
    all.filter(|it| it.metric as usize == metric)
        .filter(|it| *experiment.cases[it.case as usize] == *wanted)
        .collect()
}

/// The only result of a metric in the case with these levels.
pub(super) fn result<'e>(
    experiment: &'e Experiment,
    metric: &str,
    levels: &[&str],
) -> &'e Result<Sample, Missing> {
    let found = observations(experiment, metric, levels);
    assert_eq!(found.len(), 1, "observations of {metric} at {levels:?}");
    &found[0].result
}

/// The only value of a metric in the case with these levels.
pub(super) fn value(experiment: &Experiment, metric: &str, levels: &[&str]) -> Value {
    result(experiment, metric, levels)
        .as_ref()
        .expect("a value")
        .value
}

/// The only exact value.
pub(super) fn exact(experiment: &Experiment, metric: &str, levels: &[&str]) -> f64 {
    match value(experiment, metric, levels) {
        Value::Exact(number) => number,
        other => panic!("{other:?} is not exact"),
    }
}

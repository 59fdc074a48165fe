//! `benchbook workloads`: what can be written into `[run]`: workloads, and what engines add.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::amounts::{Side, columns, wrapped};
use super::print;
use crate::diag::suggestion;
use crate::runner::engine::{Availability, ENGINES, Engine};
use crate::runner::workload::{Outcome, Parameter, ParameterKind, WORKLOADS, Workload};

/// Columns of a page.
const WIDTH: usize = 80;

/// What is said after the flags.
const AFTER: &str = "\
Their names go into `engine` and `workload` of the table [run] of experiment.toml, parameters into [run.parameters], \
and results into [run.results].";

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(super) struct Flags {
    /// Only these workloads or engines; all of both unless given
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How it is told
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A page for a terminal
    Human,
    /// One JSON object a line
    Json,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let known = || {
        let engines = ENGINES.iter().map(|it| it.name());
        WORKLOADS.iter().map(|it| it.name()).chain(engines)
    };
    for name in &flags.names {
        if !known().any(|it| it == name) {
            let help = suggestion(name, known());
            let help = help.map_or_else(String::new, |help| format!(": {help}"));
            bail!("there is no workload or engine `{name}`{help}");
        }
    }
    let is_wanted =
        |name: &str| flags.names.is_empty() || flags.names.iter().any(|wanted| wanted == name);
    let workloads = WORKLOADS.iter().filter(|it| is_wanted(it.name()));
    let workloads: Vec<&dyn Workload> = workloads.copied().collect();
    let engines = ENGINES.iter().filter(|it| is_wanted(it.name()));
    let engines: Vec<AboutEngine> = engines.map(|it| AboutEngine::of(*it)).collect();
    print(&match flags.format {
        Format::Human => page(&engines, &workloads),
        Format::Json => lines(&engines, &workloads)?,
    })
}

/// What is told of an engine.
struct AboutEngine {
    name: &'static str,
    availability: Availability,
    results: &'static [Outcome],
}

impl AboutEngine {
    fn of(engine: &dyn Engine) -> Self {
        Self {
            name: engine.name(),
            availability: engine.probe(),
            results: engine.results(),
        }
    }
}

/// Everything for people.
fn page(engines: &[AboutEngine], workloads: &[&dyn Workload]) -> String {
    let mut parts = Vec::new();
    if !engines.is_empty() {
        let rows: Vec<Vec<String>> = engines
            .iter()
            .map(|engine| {
                let here = match &engine.availability {
                    Availability::Ready(version) => version.clone(),
                    Availability::Missing { what, .. } => format!("not here: {what}"),
                };
                vec![engine.name.to_owned(), here]
            })
            .collect();
        let table = columns(&rows, &[Side::Left, Side::Left], 2);
        parts.push(format!("Engines\n{table}"));
    }
    parts.extend(workloads.iter().map(|it| about(*it)));
    let counting = engines.iter().filter(|it| !it.results.is_empty());
    parts.extend(counting.map(about_engine));
    parts.join("\n")
}

/// Adds text of several lines.
fn add(out: &mut String, indent: usize, text: &str) {
    for line in wrapped(text, WIDTH - indent) {
        out.push_str(&format!("{:indent$}{line}\n", ""));
    }
}

/// What an engine counts.
fn about_engine(engine: &AboutEngine) -> String {
    let mut out = format!("Engine {}\n", engine.name);
    add(&mut out, 2, "Results beside those of a workload:");
    add_results(&mut out, engine.results);
    out
}

fn add_results(out: &mut String, results: &[Outcome]) {
    for result in results {
        let unit = match result.unit {
            "" => "plain numbers",
            unit => unit,
        };
        add(out, 4, &format!("{} ({unit})", result.name));
        add(out, 6, result.meaning);
    }
}

/// A workload with its parameters and results.
fn about(workload: &dyn Workload) -> String {
    let mut out = format!("Workload {}\n", workload.name());
    add(&mut out, 2, workload.meaning());
    if !workload.parameters().is_empty() {
        add(&mut out, 2, "Parameters:");
    }
    for Parameter {
        name,
        kind,
        default,
        meaning,
        ..
    } in workload.parameters()
    {
        let values = kind.words();
        add(&mut out, 4, &format!("{name} = {default} ({values})"));
        add(&mut out, 6, meaning);
    }
    add(&mut out, 2, "Results:");
    add_results(&mut out, workload.results());
    out
}

/// Everything for tools.
fn lines(engines: &[AboutEngine], workloads: &[&dyn Workload]) -> anyhow::Result<String> {
    let engines = engines.iter().map(|engine| {
        let (version, missing) = match &engine.availability {
            Availability::Ready(version) => (Some(version.as_str()), None),
            Availability::Missing { what, .. } => (None, Some(what.as_str())),
        };
        Line::Engine {
            name: engine.name,
            version,
            missing,
            results: engine.results.iter().map(Into::into).collect(),
        }
    });
    let workloads = workloads.iter().map(|it| Line::Workload {
        name: it.name(),
        meaning: it.meaning(),
        parameters: it.parameters().iter().map(Into::into).collect(),
        results: it.results().iter().map(Into::into).collect(),
    });
    let mut out = String::new();
    for line in engines.chain(workloads) {
        out.push_str(&serde_json::to_string(&line)?);
        out.push('\n');
    }
    Ok(out)
}

/// A line for tools.
#[derive(Debug, Serialize)]
#[serde(tag = "about", rename_all = "kebab-case")]
enum Line<'a> {
    Engine {
        name: &'a str,
        /// Its version, where it can be used.
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<&'a str>,
        /// What is missing, where it can't.
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<&'a str>,
        /// What it adds to those of a workload.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        results: Vec<ResultLine>,
    },
    Workload {
        name: &'a str,
        meaning: &'a str,
        parameters: Vec<ParameterLine>,
        results: Vec<ResultLine>,
    },
}

#[derive(Debug, Serialize)]
struct ParameterLine {
    name: &'static str,
    default: &'static str,
    #[serde(flatten)]
    kind: KindLine,
    /// What it takes, in words.
    values: String,
    /// Whether data built with another value are other data.
    shapes_data: bool,
    meaning: &'static str,
}

/// What the values of a parameter are.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum KindLine {
    Count { least: u64, most: u64 },
    Bytes,
    Duration,
    Share,
    Choice { words: &'static [&'static str] },
}

#[derive(Debug, Serialize)]
struct ResultLine {
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
}

impl From<&Outcome> for ResultLine {
    fn from(outcome: &Outcome) -> Self {
        Self {
            name: outcome.name,
            unit: outcome.unit,
            meaning: outcome.meaning,
        }
    }
}

impl From<&Parameter> for ParameterLine {
    fn from(parameter: &Parameter) -> Self {
        Self {
            name: parameter.name,
            default: parameter.default,
            kind: match parameter.kind {
                ParameterKind::Count(least, most) => KindLine::Count { least, most },
                ParameterKind::Bytes => KindLine::Bytes,
                ParameterKind::Duration => KindLine::Duration,
                ParameterKind::Share => KindLine::Share,
                ParameterKind::Choice(words) => KindLine::Choice { words },
            },
            values: parameter.kind.words(),
            shapes_data: parameter.shapes_data,
            meaning: parameter.meaning,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::amounts::wide;
    use super::*;

    const COUNTED: Outcome = Outcome {
        name: "stings",
        unit: "1/s",
        meaning: "How often it stung.",
    };

    fn engines() -> Vec<AboutEngine> {
        let missing = Availability::Missing {
            what: "no server".into(),
            help: "Install one.".into(),
        };
        let about = |name, availability, results| AboutEngine {
            name,
            availability,
            results,
        };
        vec![
            about("a", Availability::Ready("A 1".into()), &[]),
            about("bee", missing, &[COUNTED]),
        ]
    }

    #[test]
    fn everything_of_the_tables_is_told_in_eighty_columns() {
        let page = page(&engines(), WORKLOADS);
        assert!(
            page.starts_with("Engines\n  a    A 1\n  bee  not here: no server\n\nWorkload "),
            "{page}"
        );
        assert!(
            page.ends_with(
                "\nEngine bee\n  Results beside those of a workload:\n    stings (1/s)\n      \
                 How often it stung.\n"
            ),
            "{page}"
        );
        assert!(!page.contains("Engine a\n"), "it counts nothing");
        for line in page.lines() {
            assert!(wide(line) <= WIDTH, "{line}");
        }
        // However its words are wrapped.
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        for workload in WORKLOADS {
            let mut expected = vec![
                format!("Workload {} ", workload.name()),
                workload.meaning().to_owned(),
            ];
            for it in workload.parameters() {
                let values = it.kind.words();
                expected.push(format!("{} = {} ({values})", it.name, it.default));
                expected.push(it.meaning.to_owned());
            }
            for it in workload.results() {
                expected.push(format!("{} (", it.name));
                expected.push(it.meaning.to_owned());
            }
            for text in expected {
                assert!(page.contains(&text), "{text:?} isn't in {page}");
            }
        }
    }

    #[test]
    fn tools_get_a_line_for_each() {
        let text = lines(&engines(), WORKLOADS).expect("lines");
        let all: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("an object"))
            .collect();
        assert_eq!(all.len(), 2 + WORKLOADS.len());
        assert_eq!(
            all[..2],
            [
                serde_json::json!({"about": "engine", "name": "a", "version": "A 1"}),
                serde_json::json!({"about": "engine", "name": "bee", "missing": "no server", "results":
                    [{"name": "stings", "unit": "1/s", "meaning": "How often it stung."}]}),
            ]
        );
        for (line, workload) in all[2..].iter().zip(WORKLOADS) {
            assert_eq!(line["about"], "workload");
            assert_eq!(line["name"], workload.name());
            let parameters = line["parameters"].as_array().expect("a list");
            assert_eq!(parameters.len(), workload.parameters().len());
            for (told, parameter) in parameters.iter().zip(workload.parameters()) {
                assert_eq!(told["name"], parameter.name);
                assert_eq!(told["default"], parameter.default);
                if let ParameterKind::Count(least, _) = parameter.kind {
                    assert_eq!(
                        (&told["kind"], &told["least"]),
                        (&"count".into(), &least.into())
                    );
                }
            }
            let results = line["results"].as_array().expect("a list");
            assert_eq!(results.len(), workload.results().len());
        }
    }
}

//! `benchbook workloads`: what can be written into `[run]`.

use std::process::ExitCode;

use anyhow::bail;
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::amounts::{Side, columns, wrapped};
use super::print;
use crate::diag::suggestion;
use crate::runner::engine::{Availability, ENGINES};
use crate::runner::workload::{Parameter, ParameterKind, WORKLOADS, Workload};

/// Columns of a page.
const WIDTH: usize = 80;

/// What is said after the flags.
const AFTER: &str = "\
Their names go into `engine` and `workload` of the table [run] of experiment.toml, parameters into [run.parameters], \
and results into [run.results].";

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub(super) struct Flags {
    /// Only these workloads; all workloads and engines unless given
    #[arg(value_name = "WORKLOAD")]
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
    for name in &flags.names {
        if WORKLOADS.iter().all(|it| it.name() != name) {
            let help = suggestion(name, WORKLOADS.iter().map(|it| it.name()));
            let help = help.map_or_else(String::new, |help| format!(": {help}"));
            bail!("there is no workload `{name}`{help}");
        }
    }
    let is_wanted = |it: &&&dyn Workload| {
        flags.names.is_empty() || flags.names.iter().any(|name| name == it.name())
    };
    let workloads: Vec<&dyn Workload> = WORKLOADS.iter().filter(is_wanted).copied().collect();
    let engines: Vec<(&str, Availability)> = match flags.names.is_empty() {
        true => ENGINES.iter().map(|it| (it.name(), it.probe())).collect(),
        false => Vec::new(),
    };
    print(&match flags.format {
        Format::Human => page(&engines, &workloads),
        Format::Json => lines(&engines, &workloads)?,
    })
}

/// Everything for people.
fn page(engines: &[(&str, Availability)], workloads: &[&dyn Workload]) -> String {
    let mut parts = Vec::new();
    if !engines.is_empty() {
        let rows: Vec<Vec<String>> = engines
            .iter()
            .map(|(name, availability)| {
                let here = match availability {
                    Availability::Ready(version) => version.clone(),
                    Availability::Missing { what, .. } => format!("not here: {what}"),
                };
                vec![(*name).to_owned(), here]
            })
            .collect();
        let table = columns(&rows, &[Side::Left, Side::Left], 2);
        parts.push(format!("Engines\n{table}"));
    }
    parts.extend(workloads.iter().map(|it| about(*it)));
    parts.join("\n")
}

/// A workload with its parameters and results.
fn about(workload: &dyn Workload) -> String {
    let mut out = format!("Workload {}\n", workload.name());
    let mut add = |indent: usize, text: &str| {
        for line in wrapped(text, WIDTH - indent) {
            out.push_str(&format!("{:indent$}{line}\n", ""));
        }
    };
    add(2, workload.meaning());
    if !workload.parameters().is_empty() {
        add(2, "Parameters:");
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
        add(4, &format!("{name} = {default} ({values})"));
        add(6, meaning);
    }
    add(2, "Results:");
    for result in workload.results() {
        let unit = match result.unit {
            "" => "plain numbers",
            unit => unit,
        };
        add(4, &format!("{} ({unit})", result.name));
        add(6, result.meaning);
    }
    out
}

/// Everything for tools.
fn lines(engines: &[(&str, Availability)], workloads: &[&dyn Workload]) -> anyhow::Result<String> {
    let engines = engines.iter().map(|(name, availability)| {
        let (version, missing) = match availability {
            Availability::Ready(version) => (Some(version.as_str()), None),
            Availability::Missing { what, .. } => (None, Some(what.as_str())),
        };
        Line::Engine {
            name,
            version,
            missing,
        }
    });
    let workloads = workloads.iter().map(|it| Line::Workload {
        name: it.name(),
        meaning: it.meaning(),
        parameters: it.parameters().iter().map(Into::into).collect(),
        results: it
            .results()
            .iter()
            .map(|it| ResultLine {
                name: it.name,
                unit: it.unit,
                meaning: it.meaning,
            })
            .collect(),
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

    fn engines() -> Vec<(&'static str, Availability)> {
        let missing = Availability::Missing {
            what: "no server".into(),
            help: "Install one.".into(),
        };
        vec![("a", Availability::Ready("A 1".into())), ("bee", missing)]
    }

    #[test]
    fn everything_of_the_tables_is_told_in_eighty_columns() {
        let page = page(&engines(), WORKLOADS);
        assert!(
            page.starts_with("Engines\n  a    A 1\n  bee  not here: no server\n\nWorkload "),
            "{page}"
        );
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
                serde_json::json!({"about": "engine", "name": "bee", "missing": "no server"}),
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

//! An engine and a workload to plan with: they have tables, and nothing of theirs is ever run.

use super::engine::{Apply, Availability, Engine, Instance, Requested, Start};
use super::fault::Fault;
use super::plan::{Plan, Wishes};
use super::workload::{Load, Outcome, Parameter, ParameterKind, Parameters, Task, Workload};
use crate::diag::{Format, Report, Source, render};
use crate::model::Definition;
use crate::source::{File, Files};

/// By its name.
pub(super) struct Paper(pub(super) &'static str);

impl Engine for Paper {
    fn name(&self) -> &'static str {
        self.0
    }

    fn probe(&self) -> Availability {
        Availability::Ready("paper".to_owned())
    }

    fn apply(&self, setting: &str) -> Apply {
        match setting {
            "page_size" => Apply::Rebuild,
            "synchronous" => Apply::Dynamic,
            _ => Apply::Restart,
        }
    }

    fn refuse(&self, asked: &Requested, elsewhere: bool) -> Option<String> {
        match (&*asked.name, &*asked.value) {
            ("cash_size", _) => {
                Some("there is no `cash_size`: did you mean `cache_size`?".to_owned())
            }
            ("synchronous", "delete") if self.0 == "strict" && !elsewhere => {
                Some("`synchronous` can't be `delete`".to_owned())
            }
            _ => None,
        }
    }

    fn start(&self, _: &Start<'_>) -> Result<Box<dyn Instance>, Fault> {
        Err(Fault::unsupported("paper doesn't start"))
    }
}

/// By its name.
pub(super) struct Scribble(pub(super) &'static str);

impl Workload for Scribble {
    fn name(&self) -> &'static str {
        self.0
    }

    fn meaning(&self) -> &'static str {
        "Scribbles."
    }

    fn parameters(&self) -> &'static [Parameter] {
        const fn parameter(
            name: &'static str,
            kind: ParameterKind,
            default: &'static str,
            shapes_data: bool,
        ) -> Parameter {
            Parameter {
                name,
                kind,
                default,
                shapes_data,
                meaning: "",
            }
        }
        const {
            &[
                parameter("connections", ParameterKind::Count(1, 100), "4", false),
                parameter("size", ParameterKind::Bytes, "1 MiB", true),
                parameter("duration", ParameterKind::Duration, "10 s", false),
                parameter("limit", ParameterKind::Duration, "1 h", false),
                parameter("share", ParameterKind::Share, "0.5", false),
                parameter(
                    "keys",
                    ParameterKind::Choice(&["random", "sequential"]),
                    "random",
                    true,
                ),
            ]
        }
    }

    fn results(&self) -> &'static [Outcome] {
        &[
            Outcome {
                name: "throughput",
                unit: "1/s",
                meaning: "",
            },
            Outcome {
                name: "latency",
                unit: "s",
                meaning: "",
            },
        ]
    }

    fn disk(&self, parameters: &Parameters) -> Option<f64> {
        Some(3.0 * parameters.number("size"))
    }

    fn seconds(&self, parameters: &Parameters) -> Option<f64> {
        (self.0 == "scribble").then(|| parameters.number("duration"))
    }

    fn prepare(&self, _: &Task<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn load<'a>(&self, _: &'a Task<'a>) -> Box<dyn Load + 'a> {
        unreachable!("plans load nothing")
    }
}

/// Three factors and two metrics, with what `[run]` says.
pub(super) fn definition(run: &str) -> Definition {
    let text = format!(
        r#"title = "T"
question = "Q"
[factors.cache]
label = "Cache"
kind = "bytes"
levels = ["1 MiB", "2 MiB", "3 MiB"]
[factors.mode]
label = "Mode"
levels = ["wal", "delete"]
[factors.step]
label = "Step"
levels = ["first", "second"]
[metrics.throughput]
label = "Throughput"
unit = "ops/s"
[metrics.latency]
label = "Latency"
unit = "ms"
{run}"#
    );
    let path = "data/made/experiment.toml";
    let mut files = Files::default();
    files.insert(path, File::Text(Source::new(path, text)));
    let mut report = Report::new();
    let found = crate::data::definition("made", &files, &mut report);
    assert!(!report.has_errors(), "{}", shown(&report));
    found.expect("a definition")
}

/// `[run]` that names every factor.
pub(super) const RUN: &str = r#"[run]
engine = "paper"
workload = "scribble"
steps = "step"
[run.settings]
cache_size = "{cache.value}"
synchronous = "{mode}"
"#;

pub(super) fn plan<'a>(
    definition: &'a Definition,
    wishes: &Wishes,
    report: &mut Report,
) -> Option<Plan<'a>> {
    Plan::among(
        &[&Paper("paper"), &Paper("strict"), &Paper("command")],
        &[
            &Scribble("scribble"),
            &Scribble("sketch"),
            &Scribble("command"),
        ],
        definition,
        wishes,
        report,
    )
}

/// A plan without faults.
pub(super) fn planned<'a>(definition: &'a Definition, wishes: &Wishes) -> Plan<'a> {
    let mut report = Report::new();
    let plan = plan(definition, wishes, &mut report);
    plan.unwrap_or_else(|| panic!("{}", shown(&report)))
}

pub(super) fn shown(report: &Report) -> String {
    render(report, Format::Human { colour: false })
}

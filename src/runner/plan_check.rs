//! Holds what a plan asks for against what there is, before anything runs.

use std::collections::BTreeSet;

use crate::diag::{Code, Diagnostic, Report, Severity};
use crate::model::{Assignment, Named, Procedure};
use crate::text::{Dimension, Unit};

use super::arrange;
use super::engine::{ENGINES, Engine, Requested};
use super::parameter;
use super::plan::{Plan, unknown};
use super::wish::{Wishes, flag};
use super::workload::{Outcome, Parameter, WORKLOADS, Workload};

/// The engine and the workload that run programs.
const COMMAND: &str = "command";

impl Plan<'_> {
    /// Holds everything that is known before the first trial against what can be used. Placeholders
    /// were checked where the definition was read.
    pub(super) fn check(&self, report: &mut Report) {
        for (parameter, given) in &self.parameters {
            if let Some(given) = given {
                self.check_parameter(parameter, given, report);
            }
        }
        for setting in &self.settings {
            self.check_setting(setting, report);
        }
        self.check_results(report);
    }

    /// Holds every value of a setting against what the engine knows, and tells of one that is only taken
    /// on trust.
    fn check_setting(&self, setting: &Assignment, report: &mut Report) {
        let factors: Vec<usize> = setting.value.factors().collect();
        let mut told = BTreeSet::new();
        for case in arrange::groups(&self.cases, &factors) {
            let Some(levels) = case.first().map(|&case| self.levels(case)) else {
                continue;
            };
            let asked = Requested {
                name: setting.name.clone(),
                value: self.filled(&setting.value, levels, None),
            };
            // A name that is wrong is so with every value.
            if let Some(why) = self.engine.refuse(&asked, self.wishes.elsewhere)
                && told.insert(why.clone())
            {
                report.push(Diagnostic::new(Code::BadDefinition, why).at(setting.span.clone(), ""));
            }
        }
        if let Some(commands) = &self.procedure.commands
            && commands
                .read_back
                .iter()
                .all(|(name, _)| *name != setting.name)
        {
            let message = format!(
                "nothing reads `{}` back: whether it takes effect isn't known",
                setting.name
            );
            let mut fault =
                Diagnostic::new(Code::BadDefinition, message).at(setting.span.clone(), "");
            fault.severity = Severity::Warning;
            report.push(fault.help(format!(
                "say what prints its value: `read_back = {{ {} = \"…\" }}` in `[run.command]`",
                setting.name
            )));
        }
    }

    /// Reads every value that a parameter takes; as many as the factors it depends on have levels.
    fn check_parameter(&self, parameter: &Parameter, given: &Assignment, report: &mut Report) {
        let factors: Vec<usize> = given.value.factors().collect();
        for case in arrange::groups(&self.cases, &factors) {
            let Some(levels) = case.first().map(|&case| self.levels(case)) else {
                continue;
            };
            let text = self.filled(&given.value, levels, None);
            if let Err(refused) = parameter::read(parameter, &text, self.definition.sizes) {
                let message = format!("`{}` {}", parameter.name, refused.message);
                let mut fault =
                    Diagnostic::new(refused.code, message).at(given.value.span.clone(), "");
                if let Some(help) = refused.help {
                    fault = fault.help(help);
                }
                report.push(fault);
            }
        }
    }

    fn check_results(&self, report: &mut Report) {
        let names = self.result_names();
        let names = names.as_deref();
        for (result, metric) in &self.procedure.results {
            let is_known = names.is_none_or(|names| names.contains(&&*result.name));
            if is_known {
                self.check_unit(result, *metric, report);
            } else if self.is_written(result) {
                let what = format!("result of `{}` named", self.workload.name());
                let span = result.span.clone();
                let known = names.unwrap_or_default().iter().copied();
                let fault = unknown(&what, &result.name, span, known);
                report.push(match giver(&result.name) {
                    Some(help) => fault.help(help),
                    None => fault,
                });
            } else if !self.results().is_empty() {
                self.warn_of_metric(*metric, names.unwrap_or_default(), report);
            }
        }
        if self.results().is_empty() {
            let names = names.unwrap_or_default().join("`, `");
            report.push(
                Diagnostic::new(Code::BadDefinition, "no result of the workload is a metric")
                    .at(self.procedure.workload.span.clone(), "")
                    .help(format!(
                        "its results are `{names}`: name a metric so, or say in `[run.results]` \
                         which metric each becomes"
                    )),
            );
        }
    }

    /// Whether a result was named by a person; else every metric stands for one of its own name.
    fn is_written(&self, result: &Named) -> bool {
        result.span != self.procedure.span
    }

    fn check_unit(&self, result: &Named, metric: usize, report: &mut Report) {
        let commands = self.procedure.commands.as_ref();
        if commands.is_some_and(|it| !it.results.is_time(&result.name)) {
            // What a program prints comes in the unit of its metric.
            return;
        }
        let outcome = self.outcomes().find(|it| it.name == result.name);
        let metric = &self.definition.metrics[metric];
        let Some(unit) = outcome.and_then(|it| Unit::parse(it.unit)) else {
            return;
        };
        if is_measure(&unit.dimension, &metric.unit.dimension) {
            return;
        }
        let message = format!(
            "`{}` comes in {}, and `{}` is in {}",
            result.name,
            shown(&unit),
            metric.key,
            shown(&metric.unit)
        );
        let mut fault = Diagnostic::new(Code::WrongUnit, message).at(metric.span.clone(), "");
        if self.is_written(result) {
            fault = fault.at(result.span.clone(), "");
        }
        report.push(fault);
    }

    fn warn_of_metric(&self, metric: usize, names: &[&str], report: &mut Report) {
        let metric = &self.definition.metrics[metric];
        let mut fault = Diagnostic::new(
            Code::BadDefinition,
            format!(
                "`{}` gives no result named as the metric `{}`, which stays without values",
                self.workload.name(),
                metric.key
            ),
        )
        .at(metric.span.clone(), "");
        fault = match giver(&metric.key) {
            Some(help) => fault.help(help),
            None => (fault.suggest(&metric.key, names.iter().copied()))
                .help("say which result becomes which metric in `[run.results]`"),
        };
        fault.severity = Severity::Warning;
        report.push(fault);
    }
}

/// Which other engines or workloads give a result of this name, if any does.
fn giver(name: &str) -> Option<String> {
    let gives = |results: &[Outcome]| results.iter().any(|it| it.name == name);
    let engines = ENGINES.iter().filter(|it| gives(it.results()));
    let engines = engines.map(|it| format!("the engine `{}`", it.name()));
    let workloads = WORKLOADS.iter().filter(|it| gives(it.results()));
    let workloads = workloads.map(|it| format!("the workload `{}`", it.name()));
    let givers: Vec<String> = engines.chain(workloads).collect();
    (!givers.is_empty()).then(|| format!("`{name}` is a result of {}", givers.join(", ")))
}

fn shown(unit: &Unit) -> String {
    match &*unit.symbol {
        "" => "plain numbers".to_owned(),
        symbol => format!("`{symbol}`"),
    }
}

/// Whether a metric can take on a result: what is plainly counted may get a name (`1/s`, `ops/s`).
fn is_measure(result: &Dimension, metric: &Dimension) -> bool {
    match (result, metric) {
        (Dimension::Count, Dimension::Named(_)) => true,
        (Dimension::Per(above, below), Dimension::Per(metric_above, metric_below)) => {
            is_measure(above, metric_above) && is_measure(below, metric_below)
        }
        _ => result == metric,
    }
}

/// Refuses an engine that runs programs with work that needs a database, and the other way round.
pub(super) fn check_pair(
    engine: &dyn Engine,
    workload: &dyn Workload,
    procedure: &Procedure,
    wishes: &Wishes,
    report: &mut Report,
) {
    let [is_engine, is_workload] = [engine.name(), workload.name()].map(|name| name == COMMAND);
    if is_engine == is_workload {
        return;
    }
    let (message, help) = if is_engine {
        (
            format!(
                "the engine `command` runs programs, and `{}` needs a database",
                workload.name()
            ),
            "write `workload = \"command\"` with a table `[run.command]`, or another engine",
        )
    } else {
        (
            format!(
                "the workload `command` runs programs, and `{}` runs none",
                engine.name()
            ),
            "write `engine = \"command\"`; the programs of `[run.command]` may start a database",
        )
    };
    let mut fault = Diagnostic::new(Code::BadDefinition, message);
    fault = match &wishes.engine {
        Some(name) => fault
            .at(flag("--engine", name), "")
            .at(procedure.workload.span.clone(), ""),
        None => fault
            .at(procedure.engine.span.clone(), "")
            .at(procedure.workload.span.clone(), ""),
    };
    report.push(fault.help(help));
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{definition, shown as told};
    use super::super::wish::Wishes;
    use super::*;

    /// What is told of a plan for update-only on the embedded engine with these metrics.
    fn check(metrics: &str, results: &str) -> String {
        let definition = definition(&format!(
            "{metrics}\n[run]\nengine = \"sqlite\"\nworkload = \"update-only\"\n{results}\n\
             [run.settings]\ncache_size = \"{{cache}} {{mode}} {{step}}\""
        ));
        let mut report = Report::new();
        Plan::new(&definition, &Wishes::default(), &mut report);
        told(&report)
    }

    #[cfg(feature = "engine-postgres")]
    #[test]
    fn who_gives_a_result_is_told() {
        let hot_share = "[metrics.hot_share]\nlabel = \"H\"\nunit = \"%\"";
        let known = "`hot_share` is a result of the engine `postgres`";
        let told = check(hot_share, "");
        assert!(
            told.contains("gives no result named as the metric `hot_share`"),
            "{told}"
        );
        assert!(told.contains(known), "{told}");
        let told = check(hot_share, "results = { hot_share = \"hot_share\" }");
        assert!(told.contains("there is no result"), "{told}");
        assert!(told.contains(known), "{told}");
    }

    #[test]
    fn results_of_other_workloads_are_told() {
        let told = check("[metrics.load_time]\nlabel = \"L\"\nunit = \"s\"", "");
        let known = "`load_time` is a result of the workload `bulk-load`";
        assert!(told.contains(known), "{told}");
    }
}

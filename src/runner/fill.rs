//! What a case asks for: templates filled with its levels, and checked before anything runs.

use std::path::Path;

use crate::diag::{Code, Diagnostic, Report, Severity};
use crate::model::{Assignment, CommandLine, CommandResults, Fill, LevelValue, Named, Template};
use crate::text::{Dimension, Unit};

use super::engine::{Apply, Requested};
use super::parameter::{self, Read};
use super::plan::{Plan, Trial, unknown};
use super::workload::command::Command;
use super::workload::{FilledCommand, FilledCommands, Parameter, Parameters, Workload as _};

/// Where a command is to work.
struct Places<'a> {
    scratch: &'a Path,
    output: &'a Path,
    block: u32,
}

impl<'a> Plan<'a> {
    /// The settings that a case asks for.
    pub fn requested(&self, case: u32) -> Vec<Requested> {
        let levels = self.levels(case);
        self.settings
            .iter()
            .map(|setting| Requested {
                name: setting.name.clone(),
                value: self.filled(&setting.value, levels, None),
            })
            .collect()
    }

    /// The parameters of a case, complete and in base units.
    pub fn parameters(&self, case: u32) -> Parameters {
        let levels = self.levels(case);
        let mut parameters = Parameters::default();
        for (parameter, given) in &self.parameters {
            let text = self.parameter_text(parameter, *given, levels);
            let name = parameter.name.to_owned();
            match parameter::read(parameter, &text, self.definition.sizes) {
                Ok(Read::Number(value)) => drop(parameters.numbers.insert(name, value)),
                Ok(Read::Word(word)) => drop(parameters.words.insert(name, word)),
                // Every value was read when the run was planned.
                Err(_) => {}
            }
        }
        parameters
    }

    /// The programs of the `command` workload for a trial.
    pub fn commands(
        &self,
        case: u32,
        trial: &Trial,
        scratch: &Path,
        output: &Path,
        log: &Path,
    ) -> Option<FilledCommands> {
        let commands = self.procedure.commands.as_ref()?;
        let levels = self.levels(case);
        let places = Places {
            scratch,
            output,
            block: trial.block,
        };
        let fill = |line: &CommandLine| FilledCommand {
            words: line
                .words
                .iter()
                .map(|word| self.filled(word, levels, Some(&places)))
                .collect(),
            shell: line.shell,
        };
        Some(FilledCommands {
            setup: commands.setup.iter().map(fill).collect(),
            measure: fill(&commands.measure),
            teardown: commands.teardown.iter().map(fill).collect(),
            version: commands.version.as_ref().map(fill),
            read_back: commands
                .read_back
                .iter()
                .map(|(setting, line)| (setting.clone(), fill(line)))
                .collect(),
            results: commands.results.clone(),
            scratch: scratch.to_owned(),
            output: output.to_owned(),
            log: log.to_owned(),
        })
    }

    /// The power plan that a case asks for.
    pub fn power(&self, case: u32) -> Option<String> {
        let power = self.procedure.power.as_ref()?;
        Some(self.filled(power, self.levels(case), None))
    }

    /// Cases with the same key begin with the same data: workload, seed, the parameters that shape
    /// data, and the settings that only data built anew take on.
    pub fn data_key(&self, case: u32) -> String {
        let levels = self.levels(case);
        let mut parts = vec![self.workload.name().to_owned(), self.seed.to_string()];
        for (parameter, given) in &self.parameters {
            if parameter.shapes_data {
                let text = self.parameter_text(parameter, *given, levels);
                parts.push(format!("{}={text}", parameter.name));
            }
        }
        for setting in &self.settings {
            if self.engine.apply(&setting.name) == Apply::Rebuild {
                let value = self.filled(&setting.value, levels, None);
                parts.push(format!("{}={value}", setting.name));
            }
        }
        parts.join("\n")
    }

    /// The factors of a case with their levels; steps are left out.
    pub fn named(&self, case: u32) -> Vec<(String, String)> {
        let levels = self.levels(case);
        self.definition
            .factors
            .iter()
            .zip(levels)
            .enumerate()
            .filter(|(index, _)| self.procedure.steps != Some(*index))
            .filter_map(|(_, (factor, &level))| {
                let level = factor.levels.get(level as usize)?;
                Some((factor.key.clone(), level.key.clone()))
            })
            .collect()
    }

    /// The metric that each result becomes: name of the result, index of the metric.
    pub fn results(&self) -> Vec<(String, usize)> {
        let known = self.result_names();
        let is_given = |name: &str| known.as_ref().is_none_or(|known| known.contains(&name));
        let named = self.procedure.results.iter();
        named
            .filter(|(result, _)| is_given(&result.name))
            .map(|(result, metric)| (result.name.clone(), *metric))
            .collect()
    }

    /// The names of the results, where they are known beforehand.
    fn result_names(&self) -> Option<Vec<&str>> {
        match self.procedure.commands.as_ref().map(|it| &it.results) {
            Some(CommandResults::WallTime) => {
                Some(Command.results().iter().map(|it| it.name).collect())
            }
            Some(CommandResults::Patterns(patterns)) => {
                Some(patterns.iter().map(|(name, ..)| &**name).collect())
            }
            Some(CommandResults::Format(..)) => None,
            None => Some(self.workload.results().iter().map(|it| it.name).collect()),
        }
    }

    pub(super) fn levels(&self, case: u32) -> &[u32] {
        self.cases.get(case as usize).map_or(&[], |levels| levels)
    }

    pub(super) fn parameter_text(
        &self,
        parameter: &Parameter,
        given: Option<&Assignment>,
        levels: &[u32],
    ) -> String {
        given.map_or_else(
            || parameter.default.to_owned(),
            |given| self.filled(&given.value, levels, None),
        )
    }

    fn filled(&self, template: &Template, levels: &[u32], places: Option<&Places<'_>>) -> String {
        let level = |factor: usize| {
            let level = levels.get(factor).copied().unwrap_or_default();
            self.definition
                .factors
                .get(factor)?
                .levels
                .get(level as usize)
        };
        template.fill(|fill| match fill {
            Fill::Level(factor) => level(*factor).map_or_else(String::new, |it| it.key.clone()),
            Fill::Number(factor) => match level(*factor).map(|it| it.value) {
                Some(LevelValue::Number(number)) => number.to_string(),
                Some(LevelValue::Name) | None => String::new(),
            },
            Fill::Known("seed") => self.seed.to_string(),
            Fill::Known(known) => places.map_or_else(String::new, |places| match *known {
                "scratch" => places.scratch.display().to_string(),
                "output" => places.output.display().to_string(),
                _ => places.block.to_string(),
            }),
            Fill::Brace(brace) => brace.to_string(),
        })
    }

    /// The workload's parameters, each with what is said of it.
    pub(super) fn named_parameters(
        &self,
        given: &[&'a Assignment],
        report: &mut Report,
    ) -> Vec<(&'static Parameter, Option<&'a Assignment>)> {
        let table = self.workload.parameters();
        for assignment in given {
            if !table.iter().any(|it| it.name == assignment.name) {
                let what = format!("parameter of `{}` named", self.workload.name());
                let known = table.iter().map(|it| it.name);
                report.push(unknown(
                    &what,
                    &assignment.name,
                    assignment.span.clone(),
                    known,
                ));
            }
        }
        table
            .iter()
            .map(|parameter| {
                let found = given.iter().find(|it| it.name == parameter.name);
                (parameter, found.copied())
            })
            .collect()
    }

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
        self.check_pair(report);
        self.check_results(report);
    }

    /// Asks the engine about every value that a setting takes, before anything is started.
    fn check_setting(&self, setting: &Assignment, report: &mut Report) {
        let factors: Vec<usize> = setting.value.factors().collect();
        for case in super::arrange::groups(&self.cases, &factors) {
            let Some(levels) = case.first().map(|&case| self.levels(case)) else {
                continue;
            };
            let asked = Requested {
                name: setting.name.clone(),
                value: self.filled(&setting.value, levels, None),
            };
            if let Some(why) = self.engine.refuse(&asked) {
                let fault = Diagnostic::new(Code::BadDefinition, why);
                report.push(fault.at(setting.span.clone(), ""));
            }
        }
    }

    /// A program has no tables that another workload could use.
    fn check_pair(&self, report: &mut Report) {
        const COMMAND: &str = "command";
        let [engine, workload] = [self.engine.name(), self.workload.name()];
        if engine == COMMAND && workload != COMMAND {
            let message = format!("the workload `{workload}` can't run on the engine `{engine}`");
            report.push(
                Diagnostic::new(Code::BadDefinition, message)
                    .at(self.procedure.workload.span.clone(), "")
                    .help("say `workload = \"command\"`, or name another engine"),
            );
        }
    }

    /// Reads every value that a parameter takes; as many as the factors it depends on have levels.
    fn check_parameter(&self, parameter: &Parameter, given: &Assignment, report: &mut Report) {
        let factors: Vec<usize> = given.value.factors().collect();
        for case in super::arrange::groups(&self.cases, &factors) {
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
                report.push(unknown(&what, &result.name, span, known));
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
        let outcome = self
            .workload
            .results()
            .iter()
            .find(|it| it.name == result.name);
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
        .at(metric.span.clone(), "")
        .suggest(&metric.key, names.iter().copied())
        .help("say which result becomes which metric in `[run.results]`");
        fault.severity = Severity::Warning;
        report.push(fault);
    }
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

//! What a case asks for: templates filled with its levels.

use std::path::Path;

use crate::diag::Report;
use crate::model::{Assignment, CommandLine, Fill, LevelValue, Template};

use super::engine::{Apply, Requested};
use super::parameter::{self, Read};
use super::plan::{Plan, Trial, unknown};
use super::workload::{FilledCommand, FilledCommands, Outcome, Parameter, Parameters};

/// Where a command is to work.
pub(super) struct Places<'a> {
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
    pub(super) fn result_names(&self) -> Option<Vec<&str>> {
        match &self.procedure.commands {
            Some(commands) => commands.results.names(),
            None => Some(self.outcomes().map(|it| it.name).collect()),
        }
    }

    /// The results of the workload and of the engine, but for those of programs.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = &'static Outcome> {
        self.workload.results().iter().chain(self.engine.results())
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

    pub(super) fn filled(
        &self,
        template: &Template,
        levels: &[u32],
        places: Option<&Places<'_>>,
    ) -> String {
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
}

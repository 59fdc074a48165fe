//! What decides a run's trials, by names as `experiment.toml` has them: so that it can be told what changed.

use std::collections::BTreeMap;

use crate::model::{CommandLine, CommandResults};

use super::plan::Plan;
use super::redact;

/// Everything that decides what a trial is, in words, by the names that it has in `experiment.toml`.
pub type Inputs = BTreeMap<String, String>;

/// Up to so many changes are told.
const TOLD: usize = 5;

impl Plan<'_> {
    /// What decides its trials. Whatever changes the [fingerprint](Plan::fingerprint) changes this too, but for
    /// changes of the program itself.
    pub fn inputs(&self) -> Inputs {
        let procedure = self.procedure;
        let mut all = Inputs::new();
        // Programs may be told where to find a server.
        let mut add = |name: String, text: &str| drop(all.insert(name, redact::text(text)));
        add("run.engine".to_owned(), self.engine.name());
        add("run.workload".to_owned(), self.workload.name());
        add("run.order".to_owned(), self.order.key());
        add("run.seed".to_owned(), &self.seed.to_string());
        add("run.repetitions".to_owned(), &self.repetitions.to_string());
        add(
            "run.timeout".to_owned(),
            &format!("{} s", procedure.timeout),
        );
        add("run.settle".to_owned(), &format!("{} s", procedure.settle));
        add(
            "sizes".to_owned(),
            &format!("{:?}", self.definition.sizes).to_lowercase(),
        );
        for (index, factor) in self.definition.factors.iter().enumerate() {
            let (key, kind) = (&factor.key, format!("{:?}", factor.kind).to_lowercase());
            let levels: Vec<&str> = factor.levels.iter().map(|it| &*it.key).collect();
            add(format!("factors.{key}.kind"), &kind);
            add(format!("factors.{key}.levels"), &levels.join(", "));
            if procedure.steps == Some(index) {
                add("run.steps".to_owned(), key);
                continue;
            }
            let is_measured = |level: &usize| {
                let mut own = self.cases.iter().filter_map(|case| case.get(index));
                own.any(|it| *it as usize == *level)
            };
            let measured: Vec<&str> = (0..levels.len())
                .filter(is_measured)
                .map(|it| levels[it])
                .collect();
            if measured.len() < levels.len() {
                add(
                    format!("factors.{key}, measured levels"),
                    &measured.join(", "),
                );
            }
        }
        for setting in &self.settings {
            add(
                format!("run.settings.{}", setting.name),
                &setting.value.text,
            );
        }
        for (parameter, given) in &self.parameters {
            let text = given.map_or(parameter.default, |given| &given.value.text);
            add(format!("run.parameters.{}", parameter.name), text);
        }
        for (result, metric) in self.results() {
            add(
                format!("run.results.{result}"),
                &self.definition.metrics[metric].key,
            );
        }
        if let Some(power) = &procedure.power {
            add("run.power".to_owned(), &power.text);
        }
        if let Some(commands) = &procedure.commands {
            let words = |line: &CommandLine| {
                let words: Vec<&str> = line.words.iter().map(|word| &*word.text).collect();
                let shell = if line.shell { "sh -c " } else { "" };
                format!("{shell}{}", words.join(" "))
            };
            let several = |lines: &[CommandLine]| {
                let lines: Vec<String> = lines.iter().map(words).collect();
                lines.join("; ")
            };
            add("run.command.setup".to_owned(), &several(&commands.setup));
            add("run.command.measure".to_owned(), &words(&commands.measure));
            add(
                "run.command.teardown".to_owned(),
                &several(&commands.teardown),
            );
            for (setting, line) in &commands.read_back {
                add(format!("run.command.read_back.{setting}"), &words(line));
            }
            match &commands.results {
                CommandResults::WallTime => {}
                CommandResults::Format(format, units) => {
                    add("run.command.format".to_owned(), &format.name);
                    for (result, unit) in units {
                        add(format!("run.command.units.{result}"), unit);
                    }
                }
                CommandResults::Patterns(patterns) => {
                    for (name, pattern, unit) in patterns {
                        let text = format!("{} [{unit}]", pattern.name);
                        add(format!("run.command.patterns.{name}"), &text);
                    }
                }
            }
        }
        all
    }
}

/// What is no longer as it was, in words: what is found now, and what was before.
pub fn changes(before: &Inputs, now: &Inputs) -> Vec<String> {
    let names = before
        .keys()
        .chain(now.keys().filter(|it| !before.contains_key(*it)));
    let changed = names.filter(|name| before.get(*name) != now.get(*name));
    let mut told: Vec<String> = changed
        .map(|name| match (before.get(name), now.get(name)) {
            (Some(before), Some(now)) => format!("`{name}` is `{now}`, and was `{before}`"),
            (Some(before), None) => format!("`{name}` is gone, and was `{before}`"),
            (None, now) => {
                let now = now.map_or("", String::as_str);
                format!("`{name}` is `{now}`, and wasn't there")
            }
        })
        .collect();
    let more = told.len().saturating_sub(TOLD);
    told.truncate(TOLD);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    told
}

/// Changes as the end of a sentence; nothing where there are none.
pub fn listed(changes: &[String]) -> String {
    match changes {
        [] => String::new(),
        _ => format!(": {}", changes.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(all: &[(&str, &str)]) -> Inputs {
        let all = all
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        all.collect()
    }

    #[test]
    fn changes_are_told_by_name() {
        let before = inputs(&[("run.seed", "1"), ("run.settings.a", "x"), ("same", "")]);
        let now = inputs(&[("run.seed", "2"), ("run.settings.b", "y"), ("same", "")]);
        let told = [
            "`run.seed` is `2`, and was `1`",
            "`run.settings.a` is gone, and was `x`",
            "`run.settings.b` is `y`, and wasn't there",
        ];
        assert_eq!(changes(&before, &now), told);
        assert!(changes(&now, &now).is_empty());
        let many: Vec<String> = (0..9).map(|it| it.to_string()).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|it| (&**it, "")).collect();
        let told = changes(&Inputs::new(), &inputs(&many));
        assert_eq!((told.len(), &*told[5]), (6, "4 more"));
    }
}

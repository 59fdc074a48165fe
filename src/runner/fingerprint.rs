//! What tells plans apart: a digest of everything that decides what a trial is, and the command that
//! repeats a run.

use std::borrow::Cow;

use crate::model::{CommandLine, CommandResults, Commands};

use super::plan::Plan;

impl Plan<'_> {
    /// A digest of everything that decides what a trial is and where it stands in the whole plan. The
    /// parts of one plan share it, and a run can be gone on with only while it stays the same.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        // Each text with its length before it, so that no two lists of texts run into the same bytes.
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        let procedure = self.procedure;
        for text in [
            "1",
            &self.definition.key,
            self.engine.name(),
            self.workload.name(),
            self.order.key(),
            &self.seed.to_string(),
            &self.repetitions.to_string(),
            &procedure.timeout.to_string(),
            &procedure.settle.to_string(),
            &format!("{:?}", self.definition.sizes),
        ] {
            add(text);
        }
        for factor in &self.definition.factors {
            add("factor");
            add(&factor.key);
            for level in &factor.levels {
                add(&level.key);
                add(&format!("{:?}", level.value));
            }
        }
        add(&format!("{:?}", procedure.steps));
        for setting in &self.settings {
            add("setting");
            add(&setting.name);
            add(&setting.value.text);
        }
        for (parameter, given) in &self.parameters {
            add("parameter");
            add(parameter.name);
            add(given.map_or(parameter.default, |given| &given.value.text));
        }
        for (result, metric) in self.results() {
            add("result");
            add(&result);
            add(&self.definition.metrics[metric].key);
        }
        if let Some(power) = &procedure.power {
            add("power");
            add(&power.text);
        }
        if let Some(commands) = &procedure.commands {
            add_commands(commands, &mut add);
        }
        add("cases");
        for case in &self.cases {
            for level in case {
                hasher.update(&level.to_le_bytes());
            }
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The command line that makes such a run: what differs from the definition is said.
    pub fn command(&self) -> String {
        let procedure = self.procedure;
        let mut words = vec!["benchbook".to_owned(), "run".to_owned()];
        words.push(self.definition.key.clone());
        let mut flag = |name: &str, value: &str| {
            words.push(name.to_owned());
            words.push(value.to_owned());
        };
        if self.engine.name() != procedure.engine.name {
            flag("--engine", self.engine.name());
        }
        let quick = self.wishes.quick.then_some(&procedure.quick);
        let usual = quick
            .and_then(|quick| quick.repetitions)
            .unwrap_or(procedure.repetitions);
        if self.repetitions != usual {
            flag("--repetitions", &self.repetitions.to_string());
        }
        if self.order != procedure.order {
            flag("--order", self.order.key());
        }
        if self.seed != procedure.seed {
            flag("--seed", &self.seed.to_string());
        }
        for (factor, level) in &self.wishes.only {
            flag("--only", &format!("{factor}={level}"));
        }
        if let Some(shard) = self.wishes.shard {
            flag("--shard", &shard.to_string());
        }
        if quick.is_some() {
            words.push("--quick".to_owned());
        }
        line(&words)
    }
}

/// A command line of these words.
pub(super) fn line(words: &[String]) -> String {
    let quoted: Vec<Cow<'_, str>> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

/// A word as a shell takes it, quoted only where it has to be.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:=,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    // Only a text with a NUL can't be quoted, and no argument holds one.
    shlex::try_quote(word).unwrap_or_default()
}

fn add_commands(commands: &Commands, add: &mut impl FnMut(&str)) {
    let mut line = |what: &str, line: &CommandLine| {
        add(what);
        add(&line.shell.to_string());
        for word in &line.words {
            add(&word.text);
        }
    };
    for it in &commands.setup {
        line("setup", it);
    }
    line("measure", &commands.measure);
    for it in &commands.teardown {
        line("teardown", it);
    }
    for (setting, it) in &commands.read_back {
        line(setting, it);
    }
    match &commands.results {
        CommandResults::WallTime => add("wall time"),
        CommandResults::Format(format, units) => {
            add(&format.name);
            for (result, unit) in units {
                add(result);
                add(unit);
            }
        }
        CommandResults::Patterns(patterns) => {
            for (name, pattern, unit) in patterns {
                add(name);
                add(&pattern.name);
                add(unit);
            }
        }
    }
}

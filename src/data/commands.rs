//! `[run.command]`: the programs of a run, and how their results are found.

use std::ops::Range;

use super::factor::parse_unit;
use super::format;
use super::pattern::Pattern;
use super::procedure::named;
use super::section::{self, Document, Item, Section, Word};
use super::template::{Home, Templates};
use crate::diag::{Code, Diagnostic};
use crate::model::{CommandLine, CommandResults, Commands, Definition, Metric, Template};
use crate::text::{Dimension, Unit};

/// Words that only a shell makes something of.
const SHELL_WORDS: [&str; 12] = [
    "|", "||", "&", "&&", ";", ">", ">>", "<", "<<", "2>", "2>&1", ">&2",
];

/// Reads the programs; `None` when there is none to measure.
pub(super) fn read<'d, 'r>(
    document: &'d Document<'r>,
    mut section: Section<'_, '_, '_>,
    definition: &Definition,
    results: Option<&[(Word, usize)]>,
    templates: &Templates<'d, 'r>,
) -> Option<Commands> {
    let reader = Reader {
        document,
        templates,
        shell: section.flag("shell").unwrap_or(false),
    };
    let setup = reader.several(&mut section, "setup");
    if !section.has("measure") {
        let _ = section.required("measure");
    }
    let measure = reader.one(&mut section, "measure");
    let teardown = reader.several(&mut section, "teardown");
    let version = reader.one(&mut section, "version");
    let mut read_back = Vec::new();
    if let Some(table) = section.section("read_back") {
        for (setting, item) in table.free() {
            if let Some(command) = reader.command(&table, &setting.text, item) {
                read_back.push((setting.text, command));
            }
        }
    }
    let metric = |result: &str| match results {
        None => definition.metric(result).map(|(_, metric)| metric),
        Some(results) => results
            .iter()
            .find(|(name, _)| name.text == result)
            .map(|(_, metric)| &definition.metrics[*metric]),
    };
    let patterns = patterns(document, &mut section, &metric);
    let format = section.text("format").and_then(|word| {
        let known: Vec<&str> = format::FORMATS.iter().map(|format| format.name).collect();
        if known.contains(&&*word.text) {
            return Some(word);
        }
        let message = format!("there is no format `{}`", word.text);
        let fault = Diagnostic::new(Code::UnknownFormat, message);
        let fault = fault.at(document.span(word.range), "");
        document.push(fault.suggest(&word.text, known));
        None
    });
    let results = match (format, patterns) {
        (None, None) => CommandResults::WallTime,
        (None, Some(patterns)) => CommandResults::Patterns(patterns),
        (Some(word), other) => {
            if other.is_some() {
                let message = "results are found by a format or by patterns, not by both";
                document.fault(&word.range, message, "", |it| it);
            }
            let measured = definition.metrics.iter().filter(|it| it.derived.is_none());
            let unit = |metric: &Metric| metric.unit.symbol.clone();
            let units = match results {
                None => measured.map(|it| (it.key.clone(), unit(it))).collect(),
                Some(results) => results
                    .iter()
                    .map(|(name, metric)| (name.text.clone(), unit(&definition.metrics[*metric])))
                    .collect(),
            };
            CommandResults::Format(named(document, &word), units)
        }
    };
    section.finish();
    Some(Commands {
        setup,
        measure: measure?,
        teardown,
        version,
        read_back,
        results,
    })
}

struct Reader<'a, 'd, 'r> {
    document: &'d Document<'r>,
    templates: &'a Templates<'d, 'r>,
    shell: bool,
}

impl Reader<'_, '_, '_> {
    /// A list of commands; one text is one command.
    fn several(&self, section: &mut Section<'_, '_, '_>, key: &'static str) -> Vec<CommandLine> {
        let Some(item) = section.look(key) else {
            return Vec::new();
        };
        let items = match item.get_ref().as_array() {
            Some(items) => items.iter().collect(),
            None => vec![item],
        };
        let command = |item: &&Item<'_>| self.command(section, key, item);
        let commands: Vec<CommandLine> = items.iter().filter_map(command).collect();
        let first = |command: &CommandLine| command.words.first().map(|word| word.text.clone());
        let argument = items
            .iter()
            .zip(commands.iter().map(first))
            .find_map(|(item, word)| {
                word.filter(|word| word.starts_with('-'))
                    .map(|word| (item, word))
            });
        if let Some((item, word)) = argument {
            self.document.fault(
                &item.span(),
                format!("`{word}` is no program"),
                "",
                |fault| {
                    fault.help(format!("`{key}` is a list of commands; a command as a list of words stands in a list of its own: `[[\"mkdir\", \"-p\", \"x\"]]`"))
                },
            );
        }
        commands
    }

    fn one(&self, section: &mut Section<'_, '_, '_>, key: &'static str) -> Option<CommandLine> {
        let item = section.look(key)?;
        self.command(section, key, item)
    }

    /// A command: a list of words, or one text.
    fn command(
        &self,
        section: &Section<'_, '_, '_>,
        key: &str,
        item: &Item<'_>,
    ) -> Option<CommandLine> {
        let words = match item.get_ref().as_array() {
            Some(_) if self.shell => {
                self.document.fault(
                    &item.span(),
                    "a shell is given one text, not a list of words",
                    "",
                    |fault| {
                        fault.help("write the command as one text, or leave `shell = true` out")
                    },
                );
                return None;
            }
            Some(items) => self.listed(section, key, items)?,
            None => match section::word(item) {
                None => {
                    section.wrong_kind(key, item, "a text or a list of words");
                    return None;
                }
                Some(word) if self.shell => vec![self.templates.read(&word, Home::Command)],
                Some(word) => self.split(&word)?,
            },
        };
        if words.first().is_none_or(|word| word.text.trim().is_empty()) {
            let message = "a command needs a program";
            self.document
                .fault(&item.span(), message, "there is none", |it| it);
            return None;
        }
        Some(CommandLine {
            words,
            shell: self.shell,
        })
    }

    fn listed(
        &self,
        section: &Section<'_, '_, '_>,
        key: &str,
        items: &[Item<'_>],
    ) -> Option<Vec<Template>> {
        let mut words = Vec::new();
        for item in items {
            let Some(word) = section::scalar(item) else {
                section.wrong_kind(key, item, "a text or number");
                return None;
            };
            words.push(self.templates.read(&word, Home::Command));
        }
        Some(words)
    }

    /// Splits a text as a shell would, but does nothing else that a shell does.
    fn split(&self, word: &Word) -> Option<Vec<Template>> {
        let Some(words) = shlex::split(&word.text) else {
            let message = "a quote isn't closed, or nothing follows the last backslash";
            self.document.fault(&word.range, message, "", |fault| {
                fault.help("or write the command as a list of words: `[\"program\", \"argument\"]`")
            });
            return None;
        };
        if let Some(sign) = words.iter().find(|word| SHELL_WORDS.contains(&&***word)) {
            let range = self.place(&word.range, sign);
            let message = format!("no shell reads this: `{sign}` would be an argument");
            self.document.fault(&range, message, "", |fault| {
                fault.help("add `shell = true` to give the text to a shell, or write a list of words to pass the sign itself")
            });
        }
        let part = |text: &String| self.templates.part(text, &word.range, Home::Command);
        Some(words.iter().map(part).collect())
    }

    /// Where a sign stands between blanks.
    fn place(&self, range: &Range<usize>, sign: &str) -> Range<usize> {
        let span = self.document.span(range.clone());
        let at = span.text().find(&format!(" {sign} "));
        at.map_or_else(
            || range.clone(),
            |at| {
                let start = range.start + at + 1;
                start..start + sign.len()
            },
        )
    }
}

/// Results by regular expressions; `None` when none are given.
fn patterns<'m>(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    metric: &impl Fn(&str) -> Option<&'m Metric>,
) -> Option<Vec<(String, crate::model::Named, String)>> {
    let table = section.section("patterns")?;
    let mut patterns = Vec::new();
    for (name, item) in table.free() {
        let (pattern, unit) = match section::word(item) {
            Some(word) => (Some(word), None),
            None => {
                let Some(mut section) = table.open(&name.text, &name.range, item) else {
                    continue;
                };
                let pattern = section.required("pattern");
                let unit = section.text("unit");
                section.finish();
                (pattern, unit)
            }
        };
        let Some(pattern) = pattern else {
            continue;
        };
        check_pattern(document, &pattern);
        let Some(metric) = metric(&name.text) else {
            let message = format!("the result `{}` becomes no metric", name.text);
            document.fault(&name.range, message, "", |fault| {
                fault.help(format!(
                    "say which in `[run.results]`: `{} = \"METRIC\"`",
                    name.text
                ))
            });
            continue;
        };
        let own = metric.unit.symbol.clone();
        let unit = match unit {
            None => own,
            Some(word) => match parse_unit(document, &word) {
                None => own,
                Some(unit) if fits(&unit, &metric.unit) => unit.symbol,
                Some(unit) => {
                    let message = format!(
                        "`{}` measures something else than the metric `{}`, whose unit is `{own}`",
                        unit.symbol, metric.key
                    );
                    document.push(
                        Diagnostic::new(Code::WrongUnit, message)
                            .at(document.span(word.range), "")
                            .at(metric.span.clone(), "declared here"),
                    );
                    own
                }
            },
        };
        patterns.push((name.text, named(document, &pattern), unit));
    }
    if patterns.is_empty() && table.free().next().is_none() {
        let message = "no pattern is given";
        document.fault(table.range(), message, "this table is empty", |it| it);
    }
    Some(patterns)
}

/// Whether numbers of a unit can go into a metric with another one.
fn fits(unit: &Unit, wanted: &Unit) -> bool {
    let counted = |it: &Unit| matches!(it.dimension, Dimension::Named(_) | Dimension::Count);
    unit.dimension == wanted.dimension || (counted(unit) && counted(wanted))
}

/// Reports an expression that can't be read, or that doesn't say which part of it is the number.
fn check_pattern(document: &Document<'_>, pattern: &Word) {
    let Err(message) = Pattern::parse(&pattern.text) else {
        return;
    };
    document.fault(&pattern.range, message, "", |fault| {
        fault.help(
            "put parentheses around the number: `tps = ([0-9.]+)`; others are written `(?:…)`",
        )
    });
}

//! Texts with `{placeholders}`, which are filled for each case of a run.

use std::cell::Cell;
use std::ops::Range;

use super::section::{Document, Word};
use crate::diag::{Code, Diagnostic, Span};
use crate::model::{Definition, Fill, Hole, Template};

/// Where a text with placeholders stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// In a value, which is the same in every block.
    Value,
    /// In a command, which may also name files and the block.
    Command,
}

/// Reads texts with placeholders, and remembers which factors they name.
pub(super) struct Templates<'d, 'r> {
    document: &'d Document<'r>,
    definition: &'d Definition,
    /// The factor whose levels are steps within a case, so that no case has one of them.
    steps: Option<usize>,
    fine: Cell<bool>,
    used: Vec<Cell<bool>>,
}

/// What is said wherever a brace can have been meant as itself.
const BRACES: &str = "for braces themselves, write `{{` and `}}`";

impl<'d, 'r> Templates<'d, 'r> {
    pub(super) fn new(
        document: &'d Document<'r>,
        definition: &'d Definition,
        steps: Option<usize>,
    ) -> Self {
        Self {
            document,
            definition,
            steps,
            fine: Cell::new(true),
            used: definition
                .factors
                .iter()
                .map(|_| Cell::new(false))
                .collect(),
        }
    }

    /// A stretch of the document.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        self.document.span(range.clone())
    }

    /// The factors that no placeholder names; none of them once a placeholder couldn't be read.
    pub(super) fn unused(&self) -> impl Iterator<Item = usize> + '_ {
        let used = self.used.iter().enumerate();
        used.filter(|(_, used)| self.fine.get() && !used.get())
            .map(|(factor, _)| factor)
    }

    /// Reads a text that stands as it is in the document.
    pub(super) fn read(&self, word: &Word, home: Home) -> Template {
        self.part(&word.text, &word.range, home)
    }

    /// Reads a text that is (a part of) what stands at `range`. What can't be read is reported and
    /// stays as it is written.
    pub(super) fn part(&self, text: &str, range: &Range<usize>, home: Home) -> Template {
        let mut holes = Vec::new();
        let mut at = 0;
        while let Some(next) = text[at..].find(['{', '}']) {
            let start = at + next;
            let rest = &text[start..];
            if rest.starts_with("{{") || rest.starts_with("}}") {
                let brace = if rest.starts_with('{') { '{' } else { '}' };
                at = start + 2;
                holes.push(Hole {
                    range: start..at,
                    fill: Fill::Brace(brace),
                });
                continue;
            }
            if rest.starts_with('}') {
                self.brace(range, rest, "this brace closes nothing");
                at = start + 1;
                continue;
            }
            let end = rest[1..].find(['{', '}']).map(|end| end + 1);
            let Some(end) = end.filter(|&end| rest[end..].starts_with('}')) else {
                self.brace(range, rest, "this brace isn't closed");
                at = start + 1;
                continue;
            };
            at = start + end + 1;
            if let Some(fill) = self.fill(&rest[1..end], range, home) {
                holes.push(Hole {
                    range: start..at,
                    fill,
                });
            }
        }
        Template {
            text: text.to_owned(),
            span: self.document.span(range.clone()),
            holes,
        }
    }

    /// What the name in a placeholder stands for.
    fn fill(&self, name: &str, range: &Range<usize>, home: Home) -> Option<Fill> {
        let known = Template::KNOWN.into_iter().find(|known| *known == name);
        let whole = format!("{{{name}}}");
        let fault = |message: String, say: &dyn Fn(Diagnostic) -> Diagnostic| {
            self.fault(range, &whole, Code::BadDefinition, message, say);
            None
        };
        if let Some(known) = known {
            if self.definition.factor(known).is_some() {
                return fault(
                    format!("`{whole}` is both a factor and what the runner calls so"),
                    &|it| it.help("give the factor another key"),
                );
            }
            if home == Home::Value && known != "seed" {
                return fault(format!("`{whole}` is known in commands only"), &|it| it);
            }
            return Some(Fill::Known(known));
        }
        let (key, part) = name
            .split_once('.')
            .map_or((name, None), |(key, part)| (key, Some(part)));
        let Some((index, factor)) = self.definition.factor(key) else {
            let factors = self.definition.factors.iter().map(|factor| &*factor.key);
            let values = Template::KNOWN.iter().copied();
            let values = values.filter(|known| home == Home::Command || *known == "seed");
            let names: Vec<&str> = factors.chain(values).collect();
            self.fault(
                range,
                &whole,
                Code::UnknownFactor,
                format!("there is no factor `{key}`"),
                |it| it.suggest(key, names.iter().copied()).help(BRACES),
            );
            return None;
        };
        if self.steps == Some(index) {
            return fault(
                format!(
                    "the levels of `{key}` are steps within a case, so no case has one of them"
                ),
                &|it| it,
            );
        }
        self.used[index].set(true);
        match part {
            None => Some(Fill::Level(index)),
            Some("value") if factor.kind.is_numeric() => Some(Fill::Number(index)),
            Some("value") => fault(
                format!("the levels of `{key}` are names and have no value"),
                &|it| {
                    it.help(format!("write `{{{key}}}` for the name, or declare the factor with `kind = \"number\"`, `\"bytes\"` or `\"duration\"`"))
                },
            ),
            Some(part) => fault(format!("a level has no `{part}`"), &|it| {
                it.help(format!(
                    "write `{{{key}}}` for the level as it is declared, `{{{key}.value}}` for its number in base units"
                ))
            }),
        }
    }

    /// Reports the brace with which `rest`, the end of what stands at `range`, begins.
    fn brace(&self, range: &Range<usize>, rest: &str, message: &str) {
        self.fine.set(false);
        let span = self.document.span(range.clone());
        let at = span.text().find(rest);
        let span = at.map_or_else(|| span.clone(), |at| span.within(at..at + 1));
        let fault = Diagnostic::new(Code::BadDefinition, message);
        self.document.push(fault.at(span, "").help(BRACES));
    }

    /// Reports a fault at `part` of what stands at `range`.
    fn fault(
        &self,
        range: &Range<usize>,
        part: &str,
        code: Code,
        message: impl Into<String>,
        say: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        self.fine.set(false);
        let span = self.document.span(range.clone());
        // A text with escapes, or one that was split, may not stand there as it is.
        let place = span.text().find(part).map(|at| at..at + part.len());
        let span = place.map_or_else(|| span.clone(), |place| span.within(place));
        self.document
            .push(say(Diagnostic::new(code, message).at(span, "")));
    }
}

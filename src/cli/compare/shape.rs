//! A comparison, and how its parts are written whatever the format.

use std::collections::BTreeMap;

use crate::analysis::{Cell, Comparison, Interval, Method, Shared, Side, Sides, Verdict};
use crate::figure::{Reader, format};
use crate::model::{Direction, Experiment, Missing, Run, SettingInEffect};
use crate::text::{Digits, Language};

/// Everything that is to be shown.
#[derive(Clone, Copy)]
pub(super) struct Compared<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) language: &'a Language,
    pub(super) names: &'a [String; 2],
    pub(super) sides: &'a [Side; 2],
    pub(super) found: &'a Sides,
    pub(super) threshold: f64,
}

/// A fact that isn't the same on both sides.
pub(super) struct Difference {
    pub(super) key: String,
    pub(super) values: [Option<String>; 2],
}

/// How many rows have which verdict, in the order better, worse, same, undecided, failed, nothing to
/// compare.
pub(super) type Counts = [usize; 6];

impl<'a> Compared<'a> {
    pub(super) fn reader(&self) -> Reader<'a> {
        Reader {
            experiment: self.experiment,
            language: self.language,
        }
    }

    /// The case's levels, those that all rows share and that of the compared factor left out.
    pub(super) fn case(&self, row: &Shared) -> String {
        let rows = &self.found.rows;
        let compared = self.sides[0].level.map(|(factor, _)| factor);
        let levels: Vec<String> = (0..row.levels.len())
            .filter(|factor| Some(*factor) != compared)
            .filter(|&factor| {
                rows.iter()
                    .any(|it| it.levels[factor] != row.levels[factor])
            })
            .map(|factor| format::level(self.reader(), factor, row.levels[factor] as usize))
            .collect();
        if levels.is_empty() {
            return "all".to_owned();
        }
        plain(&levels.join(" · "))
    }

    /// The factors whose levels tell the cases apart, in the order in which [`Self::case`] has them.
    pub(super) fn case_head(&self) -> String {
        let rows = &self.found.rows;
        let compared = self.sides[0].level.map(|(factor, _)| factor);
        let factors = 0..self.experiment.definition.factors.len();
        let labels: Vec<String> = factors
            .filter(|factor| Some(*factor) != compared)
            .filter(|&factor| {
                rows.iter()
                    .any(|it| it.levels[factor] != rows[0].levels[factor])
            })
            .map(|factor| format::factor_label(self.reader(), factor))
            .collect();
        if labels.is_empty() {
            return "Case".to_owned();
        }
        plain(&labels.join(" · "))
    }

    /// What a metric is called, its unit, and which way it is better.
    pub(super) fn metric(&self, metric: usize) -> String {
        let head = plain(&format::metric_head(self.reader(), metric));
        match self.experiment.definition.metrics[metric].better {
            Direction::Higher => format!("{head} (higher is better)"),
            Direction::Lower => format!("{head} (lower is better)"),
            Direction::Neither => head,
        }
    }

    /// What the sides are called above their columns.
    pub(super) fn heads(&self) -> [String; 2] {
        let head = |name: &String| match self.sides[0].level {
            Some(_) => name
                .split_once('=')
                .map_or(name.as_str(), |(_, level)| level)
                .to_owned(),
            None => name.clone(),
        };
        self.names.each_ref().map(head)
    }

    /// A side's value in the unit that [`Self::metric`] states, or why there is none.
    pub(super) fn value(&self, metric: usize, cell: &Cell) -> String {
        plain(&match &cell.estimate {
            Ok(estimate) => format::bare_estimate(self.reader(), metric, estimate),
            // What else is known of it stands below, see [`Self::lost`].
            Err(missing) => format::missing(self.reader(), &Missing::new(missing.reason)),
        })
    }

    /// The verdict in a word or two, with what the samples couldn't show.
    pub(super) fn verdict(&self, row: &Shared) -> String {
        let Some(comparison) = &row.comparison else {
            let is_lost = row.is_lost();
            return if is_lost { "failed" } else { "–" }.to_owned();
        };
        match comparison.detectable {
            Some(least) if comparison.verdict == Verdict::Undecided => {
                let least = plain(&self.language.percent(least, Digits::Places(0)));
                format!("undecided (n = {}, shows from {least})", comparison.n)
            }
            _ if comparison.n < 3 && comparison.verdict == Verdict::Undecided => {
                format!("undecided (n = {})", comparison.n)
            }
            _ => comparison.verdict.key().to_owned(),
        }
    }

    /// What both sides' runs don't share: what they were made with, and facts about machine, system and engine.
    pub(super) fn differences(&self) -> Vec<Difference> {
        let [Some(from), Some(to)] = self.sides.map(|side| side.run) else {
            return Vec::new();
        };
        if from == to {
            return Vec::new();
        }
        let runs = [from, to].map(|run| &self.experiment.runs[run]);
        let facts = runs.map(|run| {
            let facts = run.environment.facts.iter();
            let lang = self.language.lang();
            facts
                .map(|(key, value)| (key.as_str(), value.get(lang)))
                .collect()
        });
        let mut differences = differing(&facts);
        // What cases set differs from case to case, and so does what the engine told in the first one.
        let is_set = |name: &str| {
            let mut settings = runs.iter().flat_map(|run| &run.settings);
            settings.any(|setting| setting.name == name)
        };
        let told = runs.map(|run| {
            let told = run.effective.iter().filter(|(name, _)| !is_set(name));
            told.map(|(name, value)| (name.as_str(), value.as_str()))
                .collect()
        });
        differences.extend(differing(&told));
        differences.extend(self.settings(runs));
        let set: Vec<String> = (differences.iter())
            .map(|it| format!("run.settings.{}", it.key))
            .collect();
        let told = runs.map(decisive);
        let given = differing(&told).into_iter().filter(|it| {
            // An older run that doesn't tell what it was made with differs in nothing that is known.
            let is_known = |run: &Run| run.inputs.iter().any(|(key, _)| *key == FULLY_TOLD);
            let both = it.values.iter().all(Option::is_some);
            (both || runs.iter().all(|run| is_known(run))) && !set.contains(&it.key)
        });
        let given = given.map(|it| Difference {
            values: it
                .values
                .map(|it| Some(it.unwrap_or_else(|| "not set".to_owned()))),
            ..it
        });
        differences.splice(0..0, given.collect::<Vec<_>>());
        let origins = runs.map(|run| run.origin.key().to_owned());
        if origins[0] != origins[1] {
            differences.insert(
                0,
                Difference {
                    key: "origin".to_owned(),
                    values: origins.map(Some),
                },
            );
        }
        differences
    }

    /// Settings of cases that both runs have and that took effect in two ways; the first such case of each.
    fn settings(&self, runs: [&'a Run; 2]) -> Vec<Difference> {
        let key = |it: &'a SettingInEffect| (&*it.levels, &*it.name);
        let others: BTreeMap<_, _> = runs[1].settings.iter().map(|it| (key(it), it)).collect();
        let mut differences: Vec<Difference> = Vec::new();
        for from in &runs[0].settings {
            let Some(to) = others.get(&key(from)) else {
                continue;
            };
            let value = |it: &SettingInEffect| {
                let value = it.effective.as_ref().unwrap_or(&it.requested);
                value.to_owned()
            };
            let values = [value(from), value(to)];
            if values[0] != values[1] && !differences.iter().any(|it| it.key == from.name) {
                differences.push(Difference {
                    key: from.name.clone(),
                    values: values.map(Some),
                });
            }
        }
        differences
    }

    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for row in &self.found.rows {
            let place = match row.comparison.map(|it| it.verdict) {
                Some(Verdict::Better) => 0,
                Some(Verdict::Worse) => 1,
                Some(Verdict::Same) => 2,
                Some(Verdict::Undecided) => 3,
                None if row.is_lost() => 4,
                None => 5,
            };
            counts[place] += 1;
        }
        counts
    }

    /// The counts in words: those that are more than nothing.
    pub(super) fn summary(&self) -> String {
        let words = [
            "better",
            "worse",
            "the same",
            "undecided",
            "failed",
            "without a comparison",
        ];
        let parts: Vec<String> = self
            .counts()
            .iter()
            .zip(words)
            .filter(|(count, _)| **count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        parts.join(", ")
    }

    /// Cases that only one side has, in a sentence; none if there are none.
    pub(super) fn alone(&self) -> Option<String> {
        let parts: Vec<String> = self
            .found
            .alone
            .iter()
            .zip(self.names)
            .filter(|(count, _)| **count > 0)
            .map(|(count, name)| {
                let plural = if *count == 1 { "" } else { "s" };
                format!("{count} case{plural} only in {name}")
            })
            .collect();
        (!parts.is_empty()).then(|| format!("not compared: {}", parts.join(", ")))
    }

    /// What is known of cases that failed in B only: case, why.
    pub(super) fn lost(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for row in self.found.rows.iter().filter(|row| row.is_lost()) {
            if let Err(missing) = &row.to.estimate {
                let why = plain(&format::missing(self.reader(), missing));
                let line = (self.case(row), why);
                if !all.contains(&line) {
                    all.push(line);
                }
            }
        }
        all
    }

    /// How verdicts were found.
    pub(super) fn method(&self) -> String {
        let percent = plain(&self.language.percent(self.threshold, Digits::Natural));
        let tested = self.found.rows.iter().filter_map(|row| row.comparison?.p);
        let family = match tested.count() {
            0 | 1 => String::new(),
            count => format!(", {count} comparisons held against chance together (Holm)"),
        };
        let found = self.paired().unwrap_or_else(|| "medians".to_owned());
        format!("{found}; differences from {percent} matter{family}")
    }

    /// What was compared within blocks, if anything was.
    fn paired(&self) -> Option<String> {
        let comparisons = || self.found.rows.iter().filter_map(|row| row.comparison);
        let paired = || comparisons().filter_map(|it| it.paired);
        let (least, most) = (
            paired().map(|it| it.blocks).min()?,
            paired().map(|it| it.blocks).max()?,
        );
        let blocks = match least == most {
            true => least.to_string(),
            false => format!("{least}–{most}"),
        };
        let (some, all) = (paired().count(), comparisons().count());
        let which = match some == all {
            true => String::new(),
            false => format!("{some} of {all} "),
        };
        let left_out = match paired().map(|it| it.left_out).sum::<usize>() {
            0 => String::new(),
            1 => ", 1 value without a counterpart in its block left out".to_owned(),
            count => format!(", {count} values without a counterpart in their block left out"),
        };
        Some(format!(
            "{which}compared within {blocks} blocks{left_out} (the median of their ratios, which need not be the \
             ratio of the medians shown)"
        ))
    }
}

/// The keys that don't have the same value on both sides, in the order of mention.
/// A key that only runs have which tell all that they were made with.
const FULLY_TOLD: &str = "run.timeout";

/// What a run was made with, so that its values may be others: neither which cases it has nor how often each
/// was measured, nor what its results are called.
fn decisive(run: &Run) -> Vec<(&str, &str)> {
    let passed = ["factors.", "run.results.", "run.repetitions", "run.steps"];
    let inputs = run.inputs.iter();
    inputs
        .filter(|(key, _)| !passed.iter().any(|it| key.starts_with(it)))
        .map(|(key, text)| (&**key, &**text))
        .collect()
}

fn differing(sides: &[Vec<(&str, &str)>; 2]) -> Vec<Difference> {
    let value = |side: usize, key: &str| {
        let found = sides[side].iter().find(|(it, _)| *it == key)?;
        Some(found.1.to_owned())
    };
    let mut differences: Vec<Difference> = Vec::new();
    for (key, _) in sides.iter().flatten() {
        let values = [0, 1].map(|side| value(side, key));
        if values[0] != values[1] && !differences.iter().any(|it| it.key == *key) {
            differences.push(Difference {
                key: (*key).to_owned(),
                values,
            });
        }
    }
    differences
}

/// A ratio with four digits at most.
pub(super) fn ratio(ratio: f64) -> String {
    let places = match ratio {
        _ if !ratio.is_finite() => return "∞".to_owned(),
        _ if ratio < 10.0 => 3,
        _ if ratio < 100.0 => 2,
        _ if ratio < 1000.0 => 1,
        _ => 0,
    };
    format!("{ratio:.places$}")
}

/// An interval of ratios.
pub(super) fn interval(interval: Interval) -> String {
    format!("{}–{}", ratio(interval.low), ratio(interval.high))
}

/// The name of a way to find an interval.
pub(super) fn method(method: Method) -> &'static str {
    match method {
        Method::Bootstrap => "bootstrap",
        Method::StudentLog => "student-log",
        Method::Student => "student",
        Method::PairedBootstrap => "paired-bootstrap",
        Method::PairedStudentLog => "paired-student-log",
        Method::PairedStudent => "paired-student",
        Method::Assumed => "assumed",
        Method::Stated => "stated",
    }
}

/// A mark after the interval of a comparison that rests on an assumed spread.
pub(super) fn assumed(comparison: &Comparison) -> &'static str {
    match comparison.interval.method {
        Method::Assumed => "*",
        _ => "",
    }
}

/// A text without the blanks that only matter on pages.
pub(super) fn plain(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}'], " ")
}

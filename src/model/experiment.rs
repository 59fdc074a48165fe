//! An experiment: its question, what was varied, what was measured, and its runs.

use std::sync::Arc;

use super::{MissingReason, Observation, Origin, Procedure, Series, SettingInEffect};
use crate::diag::{Source, Span};
use crate::text::{Localized, SizeConvention, Unit, parse_quantity};

/// An experiment with everything that was observed in it.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// What was asked and varied.
    pub definition: Definition,
    /// The runs, in the order of their keys.
    pub runs: Vec<Run>,
    /// The cases that occur, each once: the index of the level of each factor, in the order of
    /// the definition's factors.
    pub cases: Vec<Box<[u32]>>,
    /// Every observation of every run, in file order.
    pub observations: Vec<Observation>,
    /// The result files, indexed by [`super::Place::file`].
    pub files: Vec<Arc<Source>>,
}

/// What an experiment asks, varies, measures and keeps fixed.
#[derive(Debug, Clone)]
pub struct Definition {
    /// The folder's name below `data/`, joined with `/`: the key in every block and expression.
    pub key: String,
    /// Short name.
    pub title: Localized,
    /// The question asked, one sentence.
    pub question: Localized,
    /// A paragraph that introduces it (may be empty).
    pub summary: Localized,
    /// The text of `experiment.toml`.
    pub source: Arc<Source>,
    /// What was varied, in declared order.
    pub factors: Vec<Factor>,
    /// What was measured, in declared order.
    pub metrics: Vec<Metric>,
    /// What was kept fixed, in declared order.
    pub settings: Vec<Setting>,
    /// Where the figures come from.
    pub sources: Vec<SourceNote>,
    /// Names of facts that the interface has no words for, by their keys, in declared order.
    pub environment_labels: Vec<(String, Localized)>,
    /// What `MB` means in its files and levels: powers of 1000, or of 1024 as many engines mean it.
    pub sizes: SizeConvention,
    /// Why a case without any row has no value.
    pub missing: MissingReason,
    /// Relative spread assumed for a figure of one run, as a fraction (0.05 is 5 %).
    pub noise: f64,
    /// Smallest relative difference that matters in practice, as a fraction.
    pub threshold: f64,
    /// How it is run, if benchbook can run it.
    pub procedure: Option<Procedure>,
}

impl Definition {
    /// The factor with this key, with its index.
    pub fn factor(&self, key: &str) -> Option<(usize, &Factor)> {
        self.factors
            .iter()
            .enumerate()
            .find(|(_, factor)| factor.key == key)
    }

    /// The metric with this key, with its index.
    pub fn metric(&self, key: &str) -> Option<(usize, &Metric)> {
        self.metrics
            .iter()
            .enumerate()
            .find(|(_, metric)| metric.key == key)
    }

    /// The fixed setting with this key.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }
}

/// How the levels of a factor relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactorKind {
    /// Names without order.
    Nominal,
    /// Names in the declared order.
    Ordinal,
    /// Numbers, with an optional unit.
    Number,
    /// Amounts of data, in bytes.
    Bytes,
    /// Lengths of time, in seconds.
    Duration,
}

impl FactorKind {
    /// Whether levels have a place on a numeric axis.
    pub fn is_numeric(self) -> bool {
        matches!(self, Self::Number | Self::Bytes | Self::Duration)
    }
}

/// A thing varied on purpose.
#[derive(Debug, Clone)]
pub struct Factor {
    /// Language-neutral key.
    pub key: String,
    /// Name shown to readers.
    pub label: Localized,
    /// What it is (may be empty).
    pub description: Localized,
    /// How its levels relate.
    pub kind: FactorKind,
    /// Unit of a number factor.
    pub unit: Option<Unit>,
    /// Its values: declared order for names, ascending for numbers.
    pub levels: Vec<Level>,
    /// Where it is declared.
    pub span: Span,
}

impl Factor {
    /// The level that a text means: by key, by another spelling, or by value (`1024M` is `1G`).
    pub fn level(&self, text: &str) -> Option<usize> {
        let named = self
            .levels
            .iter()
            .position(|level| level.key == text || level.aliases.iter().any(|alias| alias == text));
        named.or_else(|| {
            let numeric = self.kind.is_numeric();
            let number = numeric.then(|| parse_quantity(text, &self.axis_unit(), '.').ok())??;
            self.level_at(number)
        })
    }

    /// The unit in which bare numbers of a numeric factor stand; levels are kept in its base units.
    pub fn axis_unit(&self) -> Unit {
        let symbol = match (&self.unit, self.kind) {
            (Some(unit), _) => return unit.clone(),
            (None, FactorKind::Bytes) => "B",
            (None, FactorKind::Duration) => "s",
            (None, _) => "",
        };
        Unit::parse(symbol).unwrap_or_else(Unit::none)
    }

    /// The level with a numeric value, compared to within one part in 10¹².
    pub fn level_at(&self, value: f64) -> Option<usize> {
        self.levels.iter().position(|level| level.is_at(value))
    }
}

impl Level {
    /// Whether it has a value that is this number, to within one part in 10¹².
    pub fn is_at(&self, value: f64) -> bool {
        match self.value {
            LevelValue::Name => false,
            LevelValue::Number(number) => {
                (number - value).abs() <= 1e-12 * number.abs().max(value.abs())
            }
        }
    }
}

/// One value of a factor.
#[derive(Debug, Clone)]
pub struct Level {
    /// As written in the definition or in the first file that has it.
    pub key: String,
    /// Other spellings in result files and expressions.
    pub aliases: Vec<String>,
    /// Name shown to readers; empty for numbers, which are formatted instead.
    pub label: Localized,
    /// Its place on a numeric axis, in base units, if it has one.
    pub value: LevelValue,
}

/// A level's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LevelValue {
    /// Only a name.
    Name,
    /// A finite number in base units of [`Factor::axis_unit`] (bytes, seconds, or as it stands).
    Number(f64),
}

/// Which way a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither.
    Neither,
}

/// A thing measured.
#[derive(Debug, Clone)]
pub struct Metric {
    /// Language-neutral key.
    pub key: String,
    /// Name shown to readers.
    pub label: Localized,
    /// What it is (may be empty).
    pub description: Localized,
    /// Its unit; samples are kept in base units of its dimension.
    pub unit: Unit,
    /// The unit's name where it is the author's own (`points`) and translated.
    pub unit_label: Localized,
    /// Which way it is better.
    pub better: Direction,
    /// Decimal places to show, where the author fixed them.
    pub digits: Option<u8>,
    /// How it follows from other metrics, if it isn't measured itself.
    pub derived: Option<Derived>,
    /// Where it is declared.
    pub span: Span,
}

/// A metric computed as `numerator / denominator` from another metric and a metric or a numeric factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// Key of the metric above the line.
    pub numerator: String,
    /// Key of the metric or numeric factor below it.
    pub denominator: String,
}

/// A thing kept fixed, as it stood in every case.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Name as the engine spells it (`LockHashSlots`).
    pub key: String,
    /// Its value as text (`30011`, `7 MB`).
    pub value: String,
    /// The engine's default as text, if known.
    pub default: Option<String>,
    /// Why it was set so (may be empty).
    pub note: Localized,
}

/// A publication that figures come from.
#[derive(Debug, Clone)]
pub struct SourceNote {
    /// Key by which files name it.
    pub key: String,
    /// Title of the work, in its own language.
    pub title: String,
    /// Authors, as they sign.
    pub authors: Vec<String>,
    /// Date of publication, `2014`, `2014-07` or `2014-07-14`.
    pub date: Option<String>,
    /// Address, if it has a lasting one.
    pub url: Option<String>,
    /// Tag of the language it is written in.
    pub language: Option<String>,
    /// A remark (may be empty).
    pub note: Localized,
}

/// One execution of the experiment, or one publication of its figures.
#[derive(Debug, Clone)]
pub struct Run {
    /// Key: folder name below `runs/`, or the name given in the definition.
    pub key: String,
    /// Where its values come from.
    pub origin: Origin,
    /// When it began, as an ISO 8601 text.
    pub started: Option<String>,
    /// The environment it was made in.
    pub environment: Environment,
    /// Every setting that the engine told of when it began, by the engine's names.
    pub effective: Vec<(String, String)>,
    /// Key of the [`SourceNote`] it was taken from.
    pub source: Option<String>,
    /// The command that makes such a run.
    pub command: Option<String>,
    /// What decided its trials, by the names that it has in a definition, as far as that was written down.
    pub inputs: Vec<(String, String)>,
    /// What was watched, in the order of trials.
    pub series: Vec<Series>,
    /// Seconds between two readings that were asked for.
    pub watched_every: Option<f64>,
    /// Settings as they took effect, case by case.
    pub settings: Vec<SettingInEffect>,
}

/// The machine, system and engine of a run: named facts, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Pairs of key (`cpu`, `engine`; language-neutral) and value in words.
    pub facts: Vec<(String, Localized)>,
}

impl Environment {
    /// The fact with this key.
    pub fn get(&self, key: &str) -> Option<&Localized> {
        self.facts
            .iter()
            .find(|(there, _)| there == key)
            .map(|(_, value)| value)
    }

    /// The fact with this key, to be translated.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Localized> {
        self.facts
            .iter_mut()
            .find(|(there, _)| there == key)
            .map(|(_, value)| value)
    }
}

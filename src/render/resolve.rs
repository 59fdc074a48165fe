//! Names an author wrote to the things they mean, with the nearest name where there is none.

use crate::analysis::{PivotError, Query, Statistic};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::{Experiment, Factor, FactorKind, Place};
use crate::text::Unit;
use crate::text::quantity::parse_quantity;

use super::shelf::Shelf;

/// A plain value as written: in a block's argument or in a function's.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// Several.
    List(Vec<Literal>),
}

impl Literal {
    /// The value as an author would write it.
    pub(super) fn show(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(list) => list.iter().map(Self::show).collect::<Vec<_>>().join(", "),
        }
    }

    /// Reads a TOML value; `None` for tables and dates.
    pub(super) fn from_toml(value: &toml::Value) -> Option<Self> {
        Some(match value {
            toml::Value::String(text) => Self::Text(text.clone()),
            toml::Value::Integer(number) => Self::Number(*number as f64),
            toml::Value::Float(number) => Self::Number(*number),
            toml::Value::Boolean(flag) => Self::Flag(*flag),
            toml::Value::Array(list) => {
                Self::List(list.iter().map(Self::from_toml).collect::<Option<_>>()?)
            }
            toml::Value::Table(_) | toml::Value::Datetime(_) => return None,
        })
    }
}

/// What a block or function asks of which experiment.
#[derive(Debug, Clone)]
pub(super) struct Asked<'a> {
    /// Index on the shelf.
    pub index: usize,
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Index of the metric.
    pub metric: usize,
    /// Allowed levels by factor, as for [`Query::only`].
    pub only: Vec<(usize, Vec<usize>)>,
    /// Index of the run, if one was named.
    pub run: Option<usize>,
    /// What a cell shows of its samples.
    pub statistic: Statistic,
}

impl Asked<'_> {
    /// Allows only these levels of a factor (besides what was allowed before).
    pub(super) fn pin(&mut self, factor: usize, levels: Vec<usize>) {
        self.only.retain(|(other, _)| *other != factor);
        self.only.push((factor, levels));
        self.only.sort();
    }

    /// The query with these factors as rows and columns.
    pub(super) fn query(&self, rows: Option<usize>, columns: Option<usize>) -> Query {
        Query {
            metric: self.metric,
            rows,
            columns,
            only: self.only.clone(),
            run: self.run,
            statistic: self.statistic,
        }
    }

    /// The levels of a factor that are allowed.
    pub(super) fn levels(&self, factor: usize) -> Vec<usize> {
        match self.only.iter().find(|(other, _)| *other == factor) {
            Some((_, levels)) => levels.clone(),
            None => (0..self.experiment.definition.factors[factor].levels.len()).collect(),
        }
    }
}

/// The experiment with this key.
pub(super) fn experiment<'a>(
    shelf: &Shelf<'a>,
    key: &str,
    span: &Span,
    report: &mut Report,
) -> Option<(usize, &'a Experiment)> {
    if let Some(index) = shelf.find(key) {
        return Some((index, shelf.experiment(index)));
    }
    report.push(
        Diagnostic::new(
            Code::UnknownExperiment,
            format!("there is no experiment `{key}`"),
        )
        .at(span.clone(), "")
        .suggest(key, shelf.keys())
        .may_follow_from(format!("data/{key}")),
    );
    None
}

/// The factor with this key.
pub(super) fn factor(
    experiment: &Experiment,
    key: &str,
    span: &Span,
    report: &mut Report,
) -> Option<usize> {
    let definition = &experiment.definition;
    if let Some((index, _)) = definition.factor(key) {
        return Some(index);
    }
    report.push(
        Diagnostic::new(
            Code::UnknownFactor,
            format!("experiment `{}` has no factor `{key}`", definition.key),
        )
        .at(span.narrowed(key), "")
        .may_follow_from(&*definition.source.path)
        .suggest(
            key,
            definition.factors.iter().map(|factor| factor.key.as_str()),
        ),
    );
    None
}

/// The metric with this key; without a key the only one that is measured.
pub(super) fn metric(
    experiment: &Experiment,
    key: Option<(&str, &Span)>,
    whole: &Span,
    report: &mut Report,
) -> Option<usize> {
    let definition = &experiment.definition;
    let names = || definition.metrics.iter().map(|metric| metric.key.as_str());
    if let Some((key, span)) = key {
        let found = definition.metric(key).map(|(index, _)| index);
        if found.is_none() {
            report.push(
                Diagnostic::new(
                    Code::UnknownMetric,
                    format!("experiment `{}` has no metric `{key}`", definition.key),
                )
                .at(span.narrowed(key), "")
                .may_follow_from(&*definition.source.path)
                .suggest(key, names()),
            );
        }
        return found;
    }
    let mut measured =
        (0..definition.metrics.len()).filter(|&index| definition.metrics[index].derived.is_none());
    match (measured.next(), measured.next()) {
        (Some(only), None) => Some(only),
        (first, _) => {
            let mut fault = Diagnostic::new(
                Code::MissingArgument,
                format!(
                    "experiment `{}` has several metrics: name one",
                    definition.key
                ),
            )
            .at(whole.clone(), "no `metric` here")
            .may_follow_from(&*definition.source.path);
            if first.is_some() {
                let names: Vec<String> = names().map(|name| format!("`{name}`")).collect();
                fault = fault.help(format!("add `metric = …`: {}", names.join(", ")));
            }
            report.push(fault);
            None
        }
    }
}

/// The run with this key.
pub(super) fn run(
    experiment: &Experiment,
    key: &str,
    span: &Span,
    report: &mut Report,
) -> Option<usize> {
    let found = experiment.runs.iter().position(|run| run.key == key);
    if found.is_none() {
        report.push(
            Diagnostic::new(
                Code::UnknownRun,
                format!(
                    "experiment `{}` has no run `{key}`",
                    experiment.definition.key
                ),
            )
            .at(span.clone(), "")
            .suggest(key, experiment.runs.iter().map(|run| run.key.as_str()))
            .may_follow_from(folder(experiment)),
        );
    }
    found
}

/// The statistic with this name.
pub(super) fn statistic(name: &str, span: &Span, report: &mut Report) -> Option<Statistic> {
    const NAMES: [(&str, Statistic); 4] = [
        ("median", Statistic::Median),
        ("mean", Statistic::Mean),
        ("min", Statistic::Min),
        ("max", Statistic::Max),
    ];
    let found = NAMES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, statistic)| statistic);
    if found.is_none() {
        report.push(
            Diagnostic::new(Code::BadArgument, format!("there is no statistic `{name}`"))
                .at(span.clone(), "")
                .suggest(name, NAMES.iter().map(|&(name, _)| name)),
        );
    }
    found
}

/// The levels that a literal names: one, or several in the order given.
pub(super) fn levels(
    experiment: &Experiment,
    factor: usize,
    literal: &Literal,
    span: &Span,
    report: &mut Report,
) -> Option<Vec<usize>> {
    match literal {
        Literal::List(list) => {
            let mut found = Vec::new();
            let mut whole = true;
            for item in list {
                match level(experiment, factor, item, span, report) {
                    Some(level) if found.contains(&level) => {}
                    Some(level) => found.push(level),
                    None => whole = false,
                }
            }
            whole.then_some(found)
        }
        one => level(experiment, factor, one, span, report).map(|level| vec![level]),
    }
}

/// The level that a literal names, by key, other spelling or value.
pub(super) fn level(
    experiment: &Experiment,
    factor: usize,
    literal: &Literal,
    span: &Span,
    report: &mut Report,
) -> Option<usize> {
    let definition = &experiment.definition.factors[factor];
    let found = find_level(definition, literal);
    if found.is_none() {
        let given = literal.show();
        let place = span.narrowed(&given);
        report.push(
            Diagnostic::new(
                Code::UnknownLevel,
                format!("factor `{}` has no level `{given}`", definition.key),
            )
            .at(place, "")
            .at(definition.span.clone(), "the factor is declared here")
            .may_follow_from(folder(experiment))
            .suggest(
                &given,
                definition.levels.iter().map(|level| level.key.as_str()),
            ),
        );
    }
    found
}

/// The level that a literal names, if the factor has it.
pub(super) fn find_level(factor: &Factor, literal: &Literal) -> Option<usize> {
    match literal {
        Literal::Text(text) => factor.level(text).or_else(|| {
            let unit = match factor.kind {
                FactorKind::Nominal | FactorKind::Ordinal => return None,
                FactorKind::Bytes => Unit::parse("size")?,
                FactorKind::Duration => Unit::parse("duration")?,
                FactorKind::Number => factor.unit.clone().unwrap_or_else(Unit::none),
            };
            let value = parse_quantity(text, &unit, '.').ok()?;
            // Levels of number factors are kept in the factor's own unit.
            let scale = if factor.kind == FactorKind::Number {
                unit.scale
            } else {
                1.0
            };
            factor.level_at(value / scale)
        }),
        Literal::Number(number) => factor
            .level(&number.to_string())
            .or_else(|| factor.level_at(*number)),
        Literal::Flag(flag) => factor.level(&flag.to_string()),
        Literal::List(_) => None,
    }
}

/// The folder of an experiment's files: faults there may be the cause of others elsewhere.
pub(super) fn folder(experiment: &Experiment) -> String {
    format!("data/{}", experiment.definition.key)
}

/// What an author can write to choose: arguments of a function, or keys of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A function in an expression.
    Function,
    /// A block.
    Block,
}

/// Says why a query has no answer.
pub(super) fn pivot_fault(
    asked: &Asked<'_>,
    error: &PivotError,
    span: &Span,
    asker: Asker,
) -> Diagnostic {
    let definition = &asked.experiment.definition;
    let fault = match error {
        PivotError::Ambiguous { factor, levels } => {
            let factor = &definition.factors[*factor];
            let names: Vec<String> = levels
                .iter()
                .map(|&level| format!("`{}`", factor.levels[level].key))
                .collect();
            let example = levels
                .first()
                .map_or("…", |&level| factor.levels[level].key.as_str());
            let example = match factor.kind {
                FactorKind::Number => format!("{} = {example}", factor.key),
                _ => format!("{} = \"{example}\"", factor.key),
            };
            let (label, help) = match asker {
                Asker::Function => (
                    "one value is needed here",
                    format!("say which: `{example}`"),
                ),
                Asker::Block => (
                    "each place in this figure shows one value",
                    format!(
                        "choose one with `where = {{ {example} }}`, or show `{}` too",
                        factor.key
                    ),
                ),
            };
            let mut fault = Diagnostic::new(
                Code::AmbiguousValue,
                format!(
                    "{} values match; they differ in `{}`: {}",
                    levels.len(),
                    factor.key,
                    names.join(", ")
                ),
            )
            .at(span.clone(), label);
            for (place, level) in ambiguous_places(asked, factor, levels) {
                fault = fault.at(
                    line_of(asked.experiment, place),
                    format!("`{}` = `{level}`", factor.key),
                );
            }
            fault.help(help)
        }
        PivotError::MixedRuns { runs } => {
            let names: Vec<String> = runs
                .iter()
                .map(|&run| format!("`{}`", asked.experiment.runs[run].key))
                .collect();
            Diagnostic::new(
                Code::MixedRuns,
                format!(
                    "values of several runs would be pooled: {}",
                    names.join(", ")
                ),
            )
            .at(span.clone(), "")
            .help(format!(
                "say which: `run = {}`",
                names.first().map_or("…", String::as_str).replace('`', "\"")
            ))
        }
        PivotError::TooLarge { rows, columns } => Diagnostic::new(
            Code::TooManyLevels,
            format!("{rows} rows of {columns} columns are more than anyone can read"),
        )
        .at(span.clone(), "")
        .help("choose some levels with `where`"),
        PivotError::Empty => Diagnostic::new(
            Code::EmptyFigure,
            format!("this selects no case of experiment `{}`", definition.key),
        )
        .at(span.clone(), "")
        .help(format!(
            "the levels asked for leave no case with a row for `{}`: ask for fewer at once",
            definition.metrics[asked.metric].key
        )),
    };
    fault.may_follow_from(folder(asked.experiment))
}

/// A place in a result file for each of the first levels that a query mixes up.
fn ambiguous_places<'a>(
    asked: &Asked<'_>,
    factor: &'a Factor,
    levels: &[usize],
) -> Vec<(Place, &'a str)> {
    const SHOWN: usize = 2;
    let definition = &asked.experiment.definition;
    let Some((index, _)) = definition.factor(&factor.key) else {
        return Vec::new();
    };
    let matches = |case: &[u32]| {
        asked
            .only
            .iter()
            .all(|(factor, levels)| levels.contains(&(case[*factor] as usize)))
    };
    levels
        .iter()
        .take(SHOWN)
        .filter_map(|&level| {
            let observation = asked.experiment.observations.iter().find(|observation| {
                let case = &asked.experiment.cases[observation.case as usize];
                observation.metric as usize == asked.metric
                    && case[index] as usize == level
                    && matches(case)
            })?;
            Some((observation.place, factor.levels[level].key.as_str()))
        })
        .collect()
}

/// The line of a result file that a place names.
pub(super) fn line_of(experiment: &Experiment, place: Place) -> Span {
    Span::line(&experiment.files[place.file as usize], place.line as usize)
}

/// A place as readers see it: file name and line.
pub(super) fn place_label(experiment: &Experiment, place: Place) -> String {
    let path = &experiment.files[place.file as usize].path;
    let folder = format!("data/{}/", experiment.definition.key);
    format!(
        "{}:{}",
        path.strip_prefix(&folder).unwrap_or(path),
        place.line
    )
}

//! `benchbook compare`: two runs or two levels, as a table, as text for a pull request, or as a gate.

mod human;
mod json;
mod markdown;
mod operand;
mod shape;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::{FAULTS, print};
use crate::analysis::{Verdict, side_by_side};
use crate::diag::Report;
use crate::text::{Catalogs, Dimension, Lang, Language, Unit, parse_quantity};

use shape::Compared;

#[derive(Debug, Args)]
#[command(after_help = "\
A and B are two runs of one experiment (run folders, wherever they lie, or the names of runs with \
--experiment), or two levels of one factor, as in `journal_mode=DELETE journal_mode=WAL`. Every metric \
is compared in every case that both have. B is better or worse when the 95% interval of the ratio B/A \
excludes 1, the difference is at least the threshold, and it holds against chance in the whole family of \
comparisons (Holm); undecided where the data can't tell: then the smallest difference that so many \
samples can show is given.

  benchbook compare data/page-cache/runs/before data/page-cache/runs/after --fail-on worse
  benchbook compare journal_mode=DELETE journal_mode=WAL --experiment page-cache

Exit codes: 0 compared, 1 something is worse and --fail-on says so, 2 could not run.")]
pub(super) struct Flags {
    /// The old side: a run folder, the name of a run, or factor=level
    #[arg(value_name = "A")]
    from: String,
    /// The new side
    #[arg(value_name = "B")]
    to: String,
    /// The site's folder [default: the one that the runs lie in, else the current folder]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// The experiment; needed where A and B don't tell
    #[arg(long, value_name = "KEY")]
    experiment: Option<String>,
    /// The run whose levels are compared
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Only this metric; may be given several times
    #[arg(long, value_name = "KEY")]
    metric: Vec<String>,
    /// Smallest difference that matters, such as 5% [default: the experiment's own]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    threshold: Option<f64>,
    /// How the comparison is shown
    #[arg(long, value_enum, default_value_t = FormatFlag::Human)]
    format: FormatFlag,
    /// Exit with 1 if a case is worse in B, or failed there and not in A
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Option<FailOn>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    /// Tables for a terminal
    Human,
    /// Text for a pull request
    Markdown,
    /// One JSON object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A verdict is worse
    Worse,
}

/// A share as people write it: `5%`, `5 %`, `0.05`.
fn share(text: &str) -> Result<f64, String> {
    let unit = Unit {
        symbol: String::new(),
        dimension: Dimension::Share,
        scale: 1.0,
    };
    parse_quantity(text, &unit, '.')
        .ok()
        .filter(|share| (0.0..=10.0).contains(share))
        .ok_or_else(|| "a share is needed, such as `5%` or `0.05`".to_owned())
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let question = operand::read(flags)?;
    let definition = &question.experiment.definition;
    let mut metrics = Vec::new();
    for key in &flags.metric {
        let Some((index, _)) = definition.metric(key) else {
            let known = definition.metrics.iter().map(|metric| &*metric.key);
            anyhow::bail!(
                "there is no metric `{key}`{}",
                operand::suggested(key, known)
            );
        };
        metrics.push(index);
    }
    if metrics.is_empty() {
        metrics = (0..definition.metrics.len()).collect();
    }
    let threshold = flags.threshold.unwrap_or(definition.threshold);
    let sides = side_by_side(&question.experiment, question.sides, &metrics, threshold);
    let sides = sides.map_err(|error| operand::mixed(&question.experiment, &error))?;
    anyhow::ensure!(
        !sides.rows.is_empty(),
        "`{}` and `{}` share no case with a value",
        question.names[0],
        question.names[1]
    );
    let language = Language::new(Lang::english(), &Catalogs::load(&[], &mut Report::new()));
    let compared = Compared {
        experiment: &question.experiment,
        language: &language,
        names: &question.names,
        sides: &question.sides,
        found: &sides,
        threshold,
    };
    let text = match flags.format {
        FormatFlag::Human => human::text(&compared, operand::width()),
        FormatFlag::Markdown => markdown::text(&compared),
        FormatFlag::Json => json::text(&compared),
    };
    print(&text)?;
    let is_worse = sides.rows.iter().any(|row| {
        row.is_lost()
            || row
                .comparison
                .is_some_and(|it| it.verdict == Verdict::Worse)
    });
    Ok(match flags.fail_on {
        Some(FailOn::Worse) if is_worse => ExitCode::from(FAULTS),
        _ => ExitCode::SUCCESS,
    })
}

//! `benchbook diff`: which numbers and verdicts on which pages differ between two states of a site.

mod changes;
mod figure;
mod git;
mod show;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use super::{FAULTS, print, read_site};
use crate::diag::Report;
use crate::output::Door;
use crate::pipeline::{self, Options, Statement};

#[derive(Debug, Args)]
#[command(after_help = "\
A and B are folders of sites, or `git:REV` for a state of the site in its Git repository: a commit, a \
branch, a tag. Both are built in memory. Told are the inline values and figures that readers would see \
differently, claims with another verdict, and what only one side has. Texts without numbers, the pages of \
experiments and lists are passed over.

  benchbook diff git:main
  benchbook diff git:v1.0 git:HEAD --format markdown
  benchbook diff ../before . --fail-on change

Exit codes: 0 done, 1 something differs and --fail-on says so, 2 could not run.")]
pub(super) struct Flags {
    /// The old state: a site's folder, or git:REV
    #[arg(value_name = "A")]
    from: String,
    /// The new state [default: the site's folder as it stands]
    #[arg(value_name = "B")]
    to: Option<String>,
    /// The site's folder, for `git:REV` and as the default of B
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// Look at drafts too
    #[arg(long)]
    drafts: bool,
    /// How differences are shown
    #[arg(long, value_enum, default_value_t = FormatFlag::Human)]
    format: FormatFlag,
    /// Exit with 1 if anything differs
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Option<FailOn>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    /// Page by page, for a terminal
    Human,
    /// Text for a pull request
    Markdown,
    /// One JSON object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A number or a verdict
    Change,
}

/// A state of the site, built.
struct State {
    /// What it is called.
    name: String,
    statements: Vec<Statement>,
    /// How many faults keep it from being published; what rests on them is missing.
    faults: usize,
}

impl State {
    fn read(flags: &Flags, name: &str) -> anyhow::Result<Self> {
        let mut report = Report::new();
        let files = match name.strip_prefix("git:") {
            Some(revision) => git::read(&flags.root, revision, &mut report)
                .with_context(|| format!("`{name}` can't be read"))?,
            None => read_site(Path::new(name), &mut report)?,
        };
        let options = Options {
            drafts: flags.drafts,
            keep_statements: true,
            ..Options::default()
        };
        let built = pipeline::build_through(Door::nowhere(), &files, &options, &mut report);
        Ok(Self {
            name: name.to_owned(),
            statements: built.statements,
            faults: report.count(crate::diag::Severity::Error),
        })
    }
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let to = match &flags.to {
        Some(to) => to.clone(),
        None => super::shown(&flags.root),
    };
    let states = [State::read(flags, &flags.from)?, State::read(flags, &to)?];
    for state in &states {
        if state.faults > 0 {
            let faults = super::amounts::count(state.faults, "fault");
            anstream::eprintln!(
                "note: `{}` isn't fit to publish ({faults}): see `benchbook check`",
                state.name
            );
        }
    }
    let changes = changes::find(&states[0].statements, &states[1].statements);
    let names = [&*states[0].name, &*states[1].name];
    let text = match flags.format {
        FormatFlag::Human => show::human(names, &changes),
        FormatFlag::Markdown => show::markdown(names, &changes),
        FormatFlag::Json => show::json(names, &changes),
    };
    print(&text)?;
    Ok(match flags.fail_on {
        Some(FailOn::Change) if !changes.is_empty() => ExitCode::from(FAULTS),
        _ => ExitCode::SUCCESS,
    })
}

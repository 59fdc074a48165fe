//! Talks to people: verbs, flags, what is printed, and the exit code.

mod amounts;
mod build;
mod check;
mod compare;
mod diff;
mod doctor;
mod import;
mod init;
mod merge;
mod plan_text;
mod run;
mod stamp;
mod workloads;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::diag::{self, Report, Severity};

/// Exit code when faults were found.
const FAULTS: u8 = 1;
/// Exit code when the command could not do its work.
const COULD_NOT_RUN: u8 = 2;

/// Turns benchmark results and Markdown into a multilingual, checked, offline site.
#[derive(Debug, Parser)]
#[command(
    name = "benchbook",
    version,
    about,
    after_help = "Exit codes: 0 fine, 1 faults found, 2 could not run."
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a new small site that builds at once
    Init(init::Flags),
    /// Render the site
    Build(build::Flags),
    /// Build without writing: data, claims, links, anchors, translations
    Check(check::Flags),
    /// Measure the cases of experiments, or go on with a run
    Run(run::Flags),
    /// Read a foreign result file into a run folder
    Import(import::Flags),
    /// List engines and workloads, with what can be set about them and what they give
    Workloads(workloads::Flags),
    /// Tell what can be measured here, and what would disturb it
    Doctor(doctor::Flags),
    /// Record that translations match their originals
    Stamp(stamp::Flags),
    /// Compare two runs, or two levels of a factor
    Compare(compare::Flags),
    /// Tell which numbers on which pages differ between two states of a site
    Diff(diff::Flags),
    /// Join the run folders of a plan's parts into one
    Merge(merge::Flags),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Flags of every verb that reads a site.
#[derive(Debug, Clone, Args)]
struct SiteFlags {
    /// The site's folder
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// Show drafts
    #[arg(long)]
    drafts: bool,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// How many threads to use; as many as there are processors unless given
    #[arg(long, value_name = "N", env = "BENCHBOOK_JOBS", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// How faults are shown
    #[arg(long, value_enum, default_value_t = FormatFlag::Human)]
    format: FormatFlag,
    /// Where the site will stand, such as https://example.org/
    #[arg(long, value_name = "URL", value_parser = crate::config::base_url)]
    base_url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    /// Excerpts with carets
    Human,
    /// One JSON object a line
    Json,
    /// GitHub workflow commands
    Github,
}

/// Runs the program on the process's own arguments.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too, and are no failure. A closed pipe is no matter.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { COULD_NOT_RUN } else { 0 });
        }
    };
    let outcome = match cli.verb {
        Verb::Init(flags) => init::run(&flags),
        Verb::Build(flags) => build::run(&flags),
        Verb::Check(flags) => check::run(&flags),
        Verb::Run(flags) => run::run(&flags),
        Verb::Import(flags) => import::run(&flags),
        Verb::Workloads(flags) => workloads::run(&flags),
        Verb::Doctor(flags) => doctor::run(&flags),
        Verb::Stamp(flags) => stamp::run(&flags),
        Verb::Compare(flags) => compare::run(&flags),
        Verb::Diff(flags) => diff::run(&flags),
        Verb::Merge(flags) => merge::run(&flags),
        Verb::Completions { shell } => completions(shell),
        Verb::Man => man(),
    };
    outcome.unwrap_or_else(|error| {
        anstream::eprintln!("benchbook: {error:#}");
        ExitCode::from(COULD_NOT_RUN)
    })
}

fn completions(shell: clap_complete::Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "benchbook", &mut script);
    print(&String::from_utf8_lossy(&script))
}

fn man() -> anyhow::Result<ExitCode> {
    let mut page = Vec::new();
    let command = Cli::command();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for verb in command.get_subcommands() {
        let name = format!("benchbook-{}", verb.get_name());
        clap_mangen::Man::new(verb.clone().name(name)).render(&mut page)?;
    }
    print(&String::from_utf8_lossy(&page))
}

/// Prints a text; a reader that closed the pipe has seen enough.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    use std::io::Write as _;
    match anstream::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Reads the files of the site in a folder.
fn read_site(root: &Path, report: &mut Report) -> anyhow::Result<crate::source::Files> {
    let is_site = ["site.toml", "content", "data"]
        .iter()
        .any(|part| root.join(part).exists());
    anyhow::ensure!(
        is_site,
        "`{}` is no site: it has neither site.toml nor content/ nor data/\n\
         make one with `benchbook init DIR`, or name another folder with `--root`",
        root.display()
    );
    crate::source::read(root, report)
        .map_err(|error| anyhow::anyhow!("cannot read the site in `{}`: {error}", root.display()))
}

impl SiteFlags {
    /// Reads the site's files.
    fn read(&self, report: &mut Report) -> anyhow::Result<crate::source::Files> {
        if let Some(jobs) = self.jobs {
            // Set once, before anything runs in parallel; a second call would be a programming error.
            let _ = rayon::ThreadPoolBuilder::new()
                .num_threads(usize::from(jobs))
                .build_global();
        }
        read_site(&self.root, report)
    }

    fn options(&self) -> crate::pipeline::Options {
        crate::pipeline::Options {
            base_url: self.base_url.clone(),
            drafts: self.drafts,
            keep_statements: false,
        }
    }

    /// Shows a report without its notes, which are told by [`Self::show`], for people; tools get all.
    fn show_faults(&self, report: &mut Report) -> bool {
        if self.format != FormatFlag::Human {
            return self.show(report);
        }
        if self.strict {
            report.make_strict();
        }
        self.show(&mut report.without_notes())
    }

    /// Shows a report and says whether it allows publishing.
    fn show(&self, report: &mut Report) -> bool {
        if self.strict {
            report.make_strict();
        }
        let format = match self.format {
            FormatFlag::Human => diag::Format::Human {
                colour: std::io::stderr().is_terminal(),
            },
            FormatFlag::Json => diag::Format::Json,
            FormatFlag::Github => diag::Format::GitHub,
        };
        let text = diag::render(report, format);
        match self.format {
            FormatFlag::Human => anstream::eprint!("{text}"),
            // Tools read faults from standard output.
            _ => drop(print(&text)),
        }
        !report.has_errors()
    }

    /// A line that says how many faults there are; empty for none.
    fn count(report: &Report) -> String {
        let mut parts = Vec::new();
        for severity in [Severity::Error, Severity::Warning, Severity::Note] {
            let count = report.count(severity);
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                parts.push(format!("{count} {}{plural}", severity.name()));
            }
        }
        parts.join(", ")
    }
}

/// What was built, in one sentence.
fn summary(built: &crate::pipeline::Built) -> String {
    let tally = built.tally;
    let [holds, refuted, undecided] = tally.claims;
    let plural =
        |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let claims = holds + refuted + undecided;
    let verdicts = match claims {
        0 => String::new(),
        _ => format!(" ({holds} hold, {refuted} refuted, {undecided} undecided)"),
    };
    format!(
        "{} in {}, {}, {}, {}, {}{verdicts}",
        plural(tally.pages, "page"),
        plural(built.languages, "language"),
        plural(built.experiments, "experiment"),
        plural(tally.figures, "figure"),
        plural(tally.values, "value"),
        plural(claims, "claim"),
    )
}

/// How many faults aren't shown because those that are may be their cause; empty for none.
fn hidden(built: &crate::pipeline::Built) -> String {
    match built.hidden {
        0 => String::new(),
        1 => " (1 more that may follow from them is not shown)".to_owned(),
        many => format!(" ({many} more that may follow from them are not shown)"),
    }
}

/// A path as people write it.
fn shown(path: &Path) -> String {
    path.display().to_string()
}

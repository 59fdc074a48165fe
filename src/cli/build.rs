//! `benchbook build`: renders the site and swaps it in whole.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{FAULTS, FormatFlag, SiteFlags, hidden, shown, summary};
use crate::diag::{Code, Diagnostic, Report, Severity};
use crate::output::{Door, WriteError};
use crate::pipeline;

#[derive(Debug, Args)]
pub(super) struct Flags {
    #[command(flatten)]
    site: SiteFlags,
    /// The output folder [default: public, in the site's folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let mut report = Report::new();
    let files = flags.site.read(&mut report)?;
    let folder = flags
        .out
        .clone()
        .unwrap_or_else(|| flags.site.root.join("public"));
    let door = match Door::folder(&folder, &flags.site.root) {
        Ok(door) => door,
        Err(error @ (WriteError::Foreign(_) | WriteError::Sources(_))) => {
            report.push(
                Diagnostic::new(Code::ForeignFolder, error.to_string())
                    .in_file(shown(&folder))
                    .help("choose an empty or new folder with `--out`"),
            );
            flags.site.show(&mut report);
            anstream::eprintln!("benchbook: nothing was written");
            return Ok(ExitCode::from(FAULTS));
        }
        Err(error) => return Err(error.into()),
    };
    let built = pipeline::build_through(door, &files, &flags.site.options(), &mut report);
    let publishable = flags.site.show_faults(&mut report);
    let count = SiteFlags::count(&report);
    if !publishable {
        let hidden = hidden(&built);
        anstream::eprintln!("benchbook: {count}{hidden}; nothing was written");
        return Ok(ExitCode::from(FAULTS));
    }
    let summary = summary(&built);
    let written = built.artifacts.publish()?;
    if flags.site.format == FormatFlag::Human {
        anstream::eprintln!(
            "{}{}\n{} written, {} unchanged, {} removed in {}",
            summary,
            if count.is_empty() {
                String::new()
            } else {
                format!(
                    "; {count}{}",
                    if report.count(Severity::Note) > 0 {
                        " (`check` tells)"
                    } else {
                        ""
                    }
                )
            },
            written.changed,
            written.unchanged,
            written.removed,
            shown(&folder)
        );
    }
    Ok(ExitCode::SUCCESS)
}

//! `benchbook check`: a build that writes nothing.

use std::process::ExitCode;

use clap::Args;

use super::{FAULTS, FormatFlag, SiteFlags, hidden, summary};
use crate::diag::Report;
use crate::output::Door;
use crate::pipeline;

#[derive(Debug, Args)]
pub(super) struct Flags {
    #[command(flatten)]
    site: SiteFlags,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let mut report = Report::new();
    let files = flags.site.read(&mut report)?;
    let built =
        pipeline::build_through(Door::nowhere(), &files, &flags.site.options(), &mut report);
    let publishable = flags.site.show(&mut report);
    if flags.site.format == FormatFlag::Human {
        let count = SiteFlags::count(&report);
        let verdict = if publishable {
            "fine"
        } else {
            "not fit to publish"
        };
        anstream::eprintln!(
            "{}: {verdict}{}{}",
            summary(&built),
            if count.is_empty() {
                String::new()
            } else {
                format!("; {count}")
            },
            hidden(&built)
        );
    }
    Ok(if publishable {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAULTS)
    })
}

//! From the names of experiments to plans.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::super::{COULD_NOT_RUN, print, read_site};
use super::ending::say;
use super::flags::Flags;
use super::server;
use crate::data;
use crate::diag::{self, Report};
use crate::model::Definition;
use crate::runner::engine::{Availability, Server};
use crate::runner::history;
use crate::runner::plan::{Plan, Wishes};
use crate::source::{self, Files};

/// How long trials took before: case, seconds.
pub(super) type Seen = Vec<(u32, f64)>;

/// The definition of an experiment.
pub(super) fn definition(
    root: &Path,
    name: &str,
    report: &mut Report,
) -> anyhow::Result<Option<Definition>> {
    let key = key(root, name);
    let path = format!("data/{key}/experiment.toml");
    let mut files = Files::default();
    match source::read_file(&root.join(&path), &path, report) {
        Ok(file) => files.insert(path, file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // What else there is, for a suggestion.
            files = read_site(root, &mut Report::new())?;
        }
        Err(error) => {
            let path = root.join(&path);
            return Err(error).with_context(|| format!("cannot read `{}`", path.display()));
        }
    }
    Ok(data::definition(&key, &files, report))
}

/// The key of an experiment that was named by key or by path.
fn key(root: &Path, name: &str) -> String {
    let is_there = |key: &str| {
        root.join("data")
            .join(key)
            .join("experiment.toml")
            .is_file()
    };
    let name = name.replace('\\', "/");
    let trimmed = name.trim_end_matches('/');
    let folder = trimmed.trim_end_matches("/experiment.toml");
    let data = format!(
        "{}/",
        root.join("data").to_string_lossy().replace('\\', "/")
    );
    let below = [folder.strip_prefix(&*data), folder.strip_prefix("data/")];
    let mut candidates = below.into_iter().flatten();
    if is_there(folder) {
        return folder.to_owned();
    }
    candidates
        .find(|key| is_there(key))
        .unwrap_or(folder)
        .to_owned()
}

/// The folder of a site's data.
pub(super) fn data(root: &Path) -> PathBuf {
    // `.` is left out: paths are shown, and typed again.
    match root == Path::new(".") {
        true => PathBuf::from("data"),
        false => root.join("data"),
    }
}

/// The folder of an experiment's runs.
pub(super) fn runs(root: &Path, key: &str) -> PathBuf {
    data(root).join(key).join("runs")
}

/// The definitions of all experiments that were named; none if one of them has faults.
pub(super) fn definitions(flags: &Flags) -> anyhow::Result<Option<Vec<Definition>>> {
    let mut report = Report::new();
    let mut definitions = Vec::new();
    for name in &flags.experiments {
        definitions.extend(definition(&flags.root, name, &mut report)?);
    }
    Ok(show_report(&report).then_some(definitions))
}

/// The plan of each experiment, fitted into the budget; none if one of them has faults.
pub(super) fn plans<'a>(
    flags: &Flags,
    elsewhere: bool,
    definitions: &'a [Definition],
) -> Option<Vec<(Plan<'a>, Seen)>> {
    let wishes = Wishes {
        engine: flags.engine.clone(),
        quick: flags.quick,
        repetitions: flags.repetitions,
        budget: flags.budget,
        order: flags.order.map(Into::into),
        seed: flags.seed,
        only: flags.only.clone(),
        shard: flags.shard,
        elsewhere,
    };
    let mut report = Report::new();
    let mut plans = Vec::new();
    for definition in definitions {
        let plan = Plan::new(definition, &wishes, &mut report);
        plans.extend(plan.map(|mut plan| {
            let seen = history::seen(&plan, &runs(&flags.root, &definition.key));
            if let Some(budget) = flags.budget {
                plan.fit(budget, &seen);
            }
            (plan, seen)
        }));
    }
    show_report(&report).then_some(plans)
}

/// Shows what would be run.
pub(super) fn show(flags: &Flags) -> anyhow::Result<ExitCode> {
    let server = server::named(flags)?;
    let definitions = definitions(flags)?;
    let plans = definitions
        .as_ref()
        .and_then(|all| plans(flags, server.is_some(), all));
    let fits = |(plan, _): &(Plan<'_>, Seen)| {
        let server = server.as_ref();
        server.is_none_or(|server| server::fits(plan, server))
    };
    let plans = plans.filter(|plans| plans.iter().all(fits));
    let Some(plans) = plans else {
        return Ok(ExitCode::from(COULD_NOT_RUN));
    };
    let outlines: Vec<String> = plans
        .iter()
        .map(|(plan, seen)| plan.describe(seen).to_string())
        .collect();
    print(&outlines.join("\n"))
}

/// Whether the engine of a plan can be used here, or on the server that was named; says what is missing.
pub(super) fn can_run(plan: &Plan<'_>, server: Option<&Server>) -> bool {
    if let Some(server) = server {
        return server::fits(plan, server);
    }
    match plan.engine.probe() {
        Availability::Ready(_) => true,
        Availability::Missing { what, help } => {
            let name = plan.engine.name();
            say(&format!(
                "benchbook: the engine `{name}` can't be used here: {what}\n{help}"
            ));
            if !plan.engine.schemes().is_empty() {
                say("or name a server that runs elsewhere, with `--server`");
            }
            false
        }
    }
}

/// Shows faults to people; answers whether there is no error among them.
pub(super) fn show_report(report: &Report) -> bool {
    let colour = std::io::stderr().is_terminal();
    let text = diag::render(&report.without_notes(), diag::Format::Human { colour });
    if !text.is_empty() {
        say(text.trim_end());
    }
    !report.has_errors()
}

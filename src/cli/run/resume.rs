//! Going on with a run that was left.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};

use super::ending::{self, Again, Ending, say};
use super::flags::Flags;
use super::{begin, plans, server};
use crate::diag::Report;
use crate::runner::event::Listener;
use crate::runner::folder::Folder;
use crate::runner::history;
use crate::runner::plan::Plan;
use crate::runner::plan_record::PlanRecord;
use crate::runner::run_record;
use crate::runner::session::{Session, SessionFault};
use crate::runner::stop::Stop;

/// Goes on with a run.
pub(super) fn resume(
    flags: &Flags,
    run: &str,
    stop: &Stop,
    listener: &mut dyn Listener,
) -> anyhow::Result<Ending> {
    let path = find(flags, run)?;
    let server = server::named(flags)?;
    // Before anything is locked: a folder that is no run is left as it is.
    run_record::read(&path)?;
    let folder = match Folder::open(&path) {
        Ok(folder) => folder,
        Err(fault) => {
            return Ok(ending::tell(
                Err(SessionFault::Folder(fault)),
                Again::new(flags, &path),
            ));
        }
    };
    let (record, plan_record) = run_record::read(&path)?;
    ensure!(
        plan_record.parts.is_empty(),
        "`{}` was joined from other runs: go on with those",
        path.display()
    );
    let is_complete = plan_record.finished == plan_record.trials && !history::is_unfinished(&path);
    if is_complete && !(flags.retry_failed && plan_record.failed > 0) {
        say(&complete(&path, &plan_record));
        return Ok(Ending::Complete);
    }
    let key = &plan_record.experiment;
    let mut report = Report::new();
    let definition = plans::definition(&flags.root, key, &mut report)?;
    let Some(definition) = definition.filter(|_| plans::show_report(&report)) else {
        plans::show_report(&report);
        return Ok(Ending::Impossible);
    };
    let mut wishes = plan_record
        .wishes()
        .map_err(|why| anyhow!("{}: {why}", path.join(run_record::NAME).display()))?;
    wishes.elsewhere = server.is_some();
    let mut report = Report::new();
    let plan = Plan::new(&definition, &wishes, &mut report);
    let Some(plan) = plan.filter(|_| plans::show_report(&report)) else {
        plans::show_report(&report);
        return Ok(ending::tell(
            Err(SessionFault::Changed {
                changes: Vec::new(),
                told: false,
            }),
            Again::new(flags, &path),
        ));
    };
    if !plans::can_run(&plan, server.as_ref()) {
        return Ok(Ending::Impossible);
    }
    let unwatched = plan_record.watched_every.is_none();
    let options = begin::options(flags, Vec::new(), unwatched, server);
    let state = (record, plan_record);
    let done = Session::resume(&plan, folder, state, flags.retry_failed, options)
        .and_then(|session| session.run(stop, listener));
    Ok(ending::tell(done, Again::new(flags, &path)))
}

fn complete(path: &Path, plan: &PlanRecord) -> String {
    let mut text = format!("the run in {} is complete", path.display());
    if plan.failed > 0 {
        text.push_str(&format!(
            "; {} of {} trials failed: `--retry-failed` tries them again",
            plan.failed, plan.trials
        ));
    }
    text
}

/// The folder of a run that was named: by path, by the name of its folder, or as the last one.
fn find(flags: &Flags, run: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(run);
    ensure!(
        flags.experiments.len() <= 1,
        "a run belongs to one experiment: name one, or none"
    );
    let Some(name) = flags.experiments.first() else {
        ensure!(
            run != "last" || path.is_dir(),
            "the last run of which experiment?\nname it: benchbook run EXPERIMENT --resume last"
        );
        ensure!(
            path.is_dir(),
            "there is no run in `{run}`\nname the folder of a run, or name its experiment too"
        );
        return Ok(path.to_owned());
    };
    let definition = plans::definition(&flags.root, name, &mut Report::new())?;
    let key = definition.map_or_else(|| name.clone(), |definition| definition.key);
    let runs = plans::runs(&flags.root, &key);
    if run == "last" {
        let mut all = history::newest_first(&runs).into_iter();
        return all
            .find(|folder| history::is_unfinished(folder))
            .with_context(|| format!("no run of `{key}` is unfinished"));
    }
    let named = runs.join(run);
    if named.is_dir() {
        return Ok(named);
    }
    if path.is_dir() {
        return Ok(path.to_owned());
    }
    let known: Vec<String> = history::newest_first(&runs)
        .iter()
        .filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
        .collect();
    match known.is_empty() {
        true => bail!("`{key}` has no run `{run}`; it has none yet"),
        false => bail!("`{key}` has no run `{run}`; it has: {}", known.join(", ")),
    }
}

//! New runs, one after the other.

use std::path::Path;

use anyhow::ensure;

use super::ending::{self, Again, Ending, say};
use super::flags::Flags;
use super::plans::{self, Seen};
use super::server;
use crate::runner::clock;
use crate::runner::engine::Server;
use crate::runner::event::Listener;
use crate::runner::folder::Folder;
use crate::runner::left;
use crate::runner::plan::Plan;
use crate::runner::probe;
use crate::runner::redact::Names;
use crate::runner::session::{Options, Session, SessionFault};
use crate::runner::stop::Stop;

/// Runs the experiments that were named.
pub(super) fn begin(
    flags: &Flags,
    stop: &Stop,
    listener: &mut dyn Listener,
) -> anyhow::Result<Ending> {
    ensure!(
        flags.out.is_none() || flags.experiments.len() == 1,
        "`--out` names the folder of one run: name one experiment"
    );
    let server = server::named(flags)?;
    // Everything is looked at before anything is run: a typing error should not be found at night.
    let Some(definitions) = plans::definitions(flags)? else {
        return Ok(Ending::Impossible);
    };
    let Some(plans) = plans::plans(flags, server.is_some(), &definitions) else {
        return Ok(Ending::Impossible);
    };
    let ready = plans
        .iter()
        .filter(|(plan, _)| plans::can_run(plan, server.as_ref()))
        .count();
    if ready < plans.len() {
        return Ok(Ending::Impossible);
    }
    let mut worst = Ending::Complete;
    for (plan, seen) in plans {
        if stop.is_raised() {
            say(&format!("`{}` was not begun", plan.definition.key));
            worst = worst.max(Ending::Left);
            continue;
        }
        worst = worst.max(one(flags, &plan, (seen, server.clone()), stop, listener));
    }
    Ok(worst)
}

fn one(
    flags: &Flags,
    plan: &Plan<'_>,
    (seen, server): (Seen, Option<Server>),
    stop: &Stop,
    listener: &mut dyn Listener,
) -> Ending {
    for note in plan.notes() {
        say(&format!("note: {note}"));
    }
    // A part without a block leaves the folder that was asked for, so that parts can be merged by name.
    if plan.trials.is_empty() && (plan.wishes.shard.is_none() || flags.out.is_none()) {
        say(&format!("`{}`: nothing to do", plan.definition.key));
        return Ending::Complete;
    }
    let (started, mut name) = clock::wall();
    if let Some(shard) = plan.wishes.shard {
        name.push_str(&format!("-{}of{}", shard.part, shard.of));
    }
    let folder = match &flags.out {
        Some(out) => Folder::create(out),
        None => Folder::create_below(&plans::runs(&flags.root, &plan.definition.key), &name),
    };
    let folder = match folder {
        Ok(folder) => folder,
        Err(fault) => {
            let path = flags.out.as_deref().unwrap_or(&flags.root);
            return ending::tell(Err(SessionFault::Folder(fault)), Again::new(flags, path));
        }
    };
    let path = folder.path().to_owned();
    let options = options(flags, seen, flags.unwatched, server);
    let done = Session::begin(plan, folder, started, plan.record(0), options)
        .and_then(|session| session.run(stop, listener));
    ending::tell(done, Again::new(flags, &path))
}

/// How runs are made.
pub(super) fn options(
    flags: &Flags,
    seen: Seen,
    unwatched: bool,
    server: Option<Server>,
) -> Options<'static> {
    Options {
        root: Path::new("/"),
        names: names(),
        seen,
        budget: flags.budget,
        scratch: flags.scratch.clone(),
        keep_scratch: flags.keep_scratch,
        stop_on_failure: flags.stop_on_failure,
        unwatched,
        server,
        notes: left::end_left(&plans::data(&flags.root)),
    }
}

/// Names that no result file should hold.
fn names() -> Names {
    names_of(|name| std::env::var(name).ok(), probe::host_name)
}

/// The same from the variables of an environment, which shells often keep to themselves, and from what the
/// system tells.
fn names_of(
    variable: impl Fn(&str) -> Option<String>,
    system: impl FnOnce() -> Option<String>,
) -> Names {
    let first = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| variable(name));
        values.find(|value| !value.is_empty())
    };
    Names {
        host: first(&["HOSTNAME", "COMPUTERNAME"])
            .or_else(system)
            .unwrap_or_default(),
        user: first(&["USER", "LOGNAME", "USERNAME"]).unwrap_or_default(),
        home: first(&["HOME", "USERPROFILE"]).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_the_host_where_the_environment_does_not() {
        let host = |variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let mut found = variables.iter().filter(|(other, _)| *other == name);
                found.next().map(|(_, value)| (*value).to_owned())
            };
            names_of(variable, || Some("node".to_owned())).host
        };
        assert_eq!(host(&[]), "node");
        assert_eq!(host(&[("HOSTNAME", "")]), "node");
        assert_eq!(host(&[("HOSTNAME", ""), ("COMPUTERNAME", "PC")]), "PC");
        assert_eq!(host(&[("HOSTNAME", "box")]), "box");
    }

    #[cfg(unix)]
    #[test]
    fn the_host_is_always_known() {
        assert!(!names().host.is_empty());
    }
}

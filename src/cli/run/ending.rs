//! How runs end: exit codes, and what to do next.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use super::super::{COULD_NOT_RUN, shown};
use super::flags::Flags;
use crate::runner::disk::DiskFault;
use crate::runner::folder::FolderFault;
use crate::runner::journal::JournalFault;
use crate::runner::session::{SessionFault, Tally};

/// How runs ended, the worst of them in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// Every trial has its values.
    Complete,
    /// Some trials failed, and are stored so.
    Failed,
    /// Trials are left.
    Left,
    /// The run could not begin or go on.
    Impossible,
}

impl Ending {
    pub(super) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Complete => 0,
            Self::Failed => 1,
            Self::Left => 3,
            Self::Impossible => COULD_NOT_RUN,
        })
    }
}

/// Says something to people, whoever else is told.
pub(super) fn say(text: &str) {
    // Nobody may be listening any more; the run goes on for its files.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// A run, as the flags of the command that goes on with it have to name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Again<'a> {
    root: &'a Path,
    folder: &'a Path,
    scratch: Option<&'a Path>,
    /// Whether a flag named a server.
    server: bool,
}

impl<'a> Again<'a> {
    pub(super) fn new(flags: &'a Flags, folder: &'a Path) -> Self {
        Self {
            root: &flags.root,
            folder,
            scratch: flags.scratch.as_deref(),
            server: flags.server.is_some(),
        }
    }
}

/// Says how a session ended, and what to do next.
pub(super) fn tell(done: Result<Tally, SessionFault>, run: Again<'_>) -> Ending {
    match done {
        Ok(tally) if tally.left > 0 => {
            say(&format!("go on with: {}", resume_command(run)));
            Ending::Left
        }
        Ok(tally) => {
            say(&next(run.root, run.folder));
            if tally.failed > 0 {
                Ending::Failed
            } else {
                Ending::Complete
            }
        }
        Err(fault) => {
            say(&format!("benchbook: {fault}"));
            if let Some(help) = help(&fault, run) {
                say(&help);
            }
            Ending::Impossible
        }
    }
}

/// What to do with a complete run: a site shows those that lie in it.
fn next(root: &Path, folder: &Path) -> String {
    let full = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if full(folder).starts_with(full(root).join("data")) {
        return format!("see it with: benchbook build{}", root_flag(root));
    }
    "it lies outside of the site; parts of a plan are joined with: benchbook merge".to_owned()
}

fn help(fault: &SessionFault, run: Again<'_>) -> Option<String> {
    let again = resume_command(run);
    let of_disk = |fault: &DiskFault| {
        let first = if fault.is_full() {
            "make room, and go on with"
        } else {
            "when that is mended, go on with"
        };
        format!("every finished trial is kept; {first}: {again}")
    };
    Some(match fault {
        SessionFault::Disk(fault) | SessionFault::Journal(JournalFault::Disk(fault)) => {
            of_disk(fault)
        }
        SessionFault::Folder(FolderFault::Busy { .. }) => {
            "wait until it is done: a second one would spoil both".to_owned()
        }
        SessionFault::Folder(_) => return None,
        SessionFault::Journal(JournalFault::Broken { line, .. }) => format!(
            "nothing was changed. To give up the trials from there on, and run them again, cut the file off \
             before line {line}; then go on with: {again}"
        ),
        SessionFault::Journal(_) => {
            "nothing was changed. It can't be gone on with; what was measured is in samples.csv"
                .to_owned()
        }
        SessionFault::Changed { changes, .. } if !changes.is_empty() => {
            "bring back what was, or begin another run".to_owned()
        }
        SessionFault::Changed { told: true, .. } => {
            "its definition is the same, and this benchbook runs it in another way: go on with the \
             one that began it, or begin another run"
                .to_owned()
        }
        SessionFault::Changed { told: false, .. } => {
            "its [run], its levels or its metrics have changed, or benchbook runs it in \
             another way now. Bring back what was, or begin another run"
                .to_owned()
        }
        SessionFault::OtherInstance { was_private: true } => {
            "go on without `--server` and the variable BENCHBOOK_SERVER, or begin another run".to_owned()
        }
        SessionFault::OtherInstance { was_private: false } => {
            "addresses are kept nowhere: give it again with `--server` or the variable BENCHBOOK_SERVER"
                .to_owned()
        }
        SessionFault::OtherEngine { .. } => {
            "values of different engines don't belong into one run: begin another".to_owned()
        }
    })
}

/// The command that goes on with a run.
fn resume_command(run: Again<'_>) -> String {
    let (folder, root) = (quoted(&shown(run.folder)), root_flag(run.root));
    let mut command = format!("benchbook run --resume {folder}{root}");
    if let Some(scratch) = run.scratch {
        command.push_str(&format!(" --scratch {}", quoted(&shown(scratch))));
    }
    if run.server {
        // Addresses are kept nowhere, not even in the log of somebody's terminal.
        command.push_str(" --server URL");
    }
    command
}

fn root_flag(root: &Path) -> String {
    match root == Path::new(".") {
        true => String::new(),
        false => format!(" --root {}", quoted(&shown(root))),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=+@,%\\".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_typed_as_it_is() {
        let run = Again {
            root: Path::new("."),
            folder: Path::new("data/a/runs/b"),
            scratch: None,
            server: false,
        };
        assert_eq!(resume_command(run), "benchbook run --resume data/a/runs/b");
        let run = Again {
            root: Path::new("my site"),
            folder: Path::new("my site/data/a/runs/b"),
            scratch: Some(Path::new("/var/tmp")),
            server: true,
        };
        assert_eq!(
            resume_command(run),
            "benchbook run --resume 'my site/data/a/runs/b' --root 'my site' --scratch /var/tmp --server URL"
        );
    }
}

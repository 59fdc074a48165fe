//! Programs: started without a shell, timed, and ended with all that they started.
//!
//! Each runs at the head of a group of its own, in the folder of its case, with nothing to read, `LC_ALL`
//! set to `C` so that what it prints can be read anywhere, and else the environment of the runner. All
//! that it prints is taken at once and written to the log when it has ended, so that no log is written
//! while something is measured.

mod account;
mod group;
mod orphans;
mod printed;
mod server;
mod table;

use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::fault::{Fault, LOG_TAIL};
use super::stop::Deadline;
use super::workload::FilledCommand;
use group::{End, Group};
use printed::Printed;

pub use account::{Account, can_reach, give, unprivileged};
pub use group::ProcessorTime;
pub use orphans::end_orphans;
pub use server::{Daemon, Request, Sockets, Surroundings, free_port, remove_sockets, run_within};

/// Variables of the runner that no program is to see: it might print them.
const SECRET: [&str; 2] = ["BENCHBOOK_PASSWORD", "BENCHBOOK_SERVER"];

/// How long a program that is told to end may take for it before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// How long pipes may stay open after the end of a program, held by others.
const MOMENT: Duration = Duration::from_millis(250);

/// How often it is asked whether a program has to end.
const STEP: Duration = Duration::from_millis(50);

/// What a program that went well gave.
#[derive(Debug)]
pub struct Finished {
    /// From its start to its end.
    pub took: Duration,
    /// What the processor did for it, where the system tells.
    pub processor: Option<ProcessorTime>,
    printed: Printed,
}

impl Finished {
    /// What it printed as its output; a fault if that is too much to be searched.
    pub fn output(&self) -> Result<String, Fault> {
        self.printed.lock().output.text().map(Cow::into_owned)
    }

    /// What it printed as its errors, where many programs tell how far they are.
    pub fn errors(&self) -> Result<String, Fault> {
        self.printed.lock().errors.text().map(Cow::into_owned)
    }

    /// Whether it printed nothing at all.
    pub fn is_silent(&self) -> bool {
        self.printed.lock().log.is_empty()
    }

    /// The end of what it printed, for a fault.
    pub fn tail(&self) -> String {
        self.printed.lock().tail()
    }
}

/// What a program has left running in its group. Dropping it ends that.
#[derive(Debug)]
pub struct Background {
    group: Group,
    printed: Printed,
    log: std::path::PathBuf,
    name: String,
}

impl Drop for Background {
    fn drop(&mut self) {
        self.group.end(GRACE);
        let printed = self.printed.lock();
        if !printed.log.is_empty() {
            let mut text =
                format!("# what {} left running printed later\n", self.name).into_bytes();
            printed.log.to_log(&mut text);
            // There is nobody to tell.
            let _ = append(&self.log, &text);
        }
    }
}

/// Runs a program to its end and ends what it has left running. It is a fault if it can't be started,
/// isn't done within the limit, or ends in anything but the exit status 0.
///
/// Which limits hold: the log is given the first 64 KiB and the last 1 MiB; 16 MiB of each stream can be
/// searched. A program that left the group and holds its pipes isn't waited for.
pub fn run(
    command: &FilledCommand,
    folder: &Path,
    log: &Path,
    deadline: &Deadline,
) -> Result<Finished, Fault> {
    go(
        command,
        folder,
        log,
        deadline,
        false,
        &Surroundings::default(),
    )
    .map(|(finished, _)| finished)
}

/// As [`run`], but what it has left running in the background, such as a server, goes on until the
/// answer is dropped.
pub fn run_and_leave(
    command: &FilledCommand,
    folder: &Path,
    log: &Path,
    deadline: &Deadline,
) -> Result<(Finished, Background), Fault> {
    let alone = Surroundings::default();
    let (finished, group) = go(command, folder, log, deadline, true, &alone)?;
    let printed = finished.printed.clone();
    // The log has what was printed so far.
    printed.lock().log = printed::Cut::default();
    let background = Background {
        group,
        printed,
        log: log.to_owned(),
        name: shown(command),
    };
    Ok((finished, background))
}

/// A command as it is shown: without secrets, and cut where it is long.
pub fn shown(command: &FilledCommand) -> String {
    const LONGEST: usize = 160;
    let line = one_line(command);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}

/// A command as it would be typed, without secrets.
fn one_line(command: &FilledCommand) -> String {
    let words = command.words.iter().map(String::as_str);
    let line = if command.shell {
        command.words.join(" ")
    } else {
        // Only a word with a zero byte can't be quoted.
        shlex::try_join(words).unwrap_or_else(|_| command.words.join(" "))
    };
    printed::readable(line.as_bytes()).replace('\n', " ")
}

/// The last of a log, for a fault.
pub fn log_tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    printed::readable(&text[text.len().saturating_sub(LOG_TAIL)..])
}

/// Adds what was found elsewhere to a log, under a heading.
pub fn log_text(log: &Path, heading: &str, bytes: &[u8]) -> Result<(), Fault> {
    let mut cut = printed::Cut::default();
    cut.add(bytes);
    let mut text = format!("# {heading}\n").into_bytes();
    cut.to_log(&mut text);
    append(log, &text)
}

/// Adds a text to a log.
fn append(log: &Path, text: &[u8]) -> Result<(), Fault> {
    let written = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .and_then(|mut file| file.write_all(text));
    written.map_err(|fault| Fault::failed(format!("the log can't be written: {fault}")))
}

fn go(
    command: &FilledCommand,
    folder: &Path,
    log: &Path,
    deadline: &Deadline,
    leave: bool,
    surroundings: &Surroundings,
) -> Result<(Finished, Group), Fault> {
    deadline.check()?;
    let (mut group, begin) = start(command, folder, surroundings)?;
    let printed = Printed::default();
    orphans::record(folder, group.child().id());
    let pipes =
        drain(&mut group, &printed).map_err(|fault| not_started(command, folder, &fault))?;
    let watched = watch(&mut group, deadline);
    let took = watched
        .as_ref()
        .map_or_else(|_| begin.elapsed(), |(at, _)| *at - begin);
    let processor = group.processor_time();
    if !leave || watched.is_err() {
        if watched.is_ok() {
            await_pipes(&pipes);
        }
        group.end(GRACE);
    }
    await_pipes(&pipes);
    let outcome = match &watched {
        Ok((_, end)) => end.to_string(),
        Err(fault) => format!("was ended: {fault}"),
    };
    let mut text = format!("$ {}\n", one_line(command)).into_bytes();
    printed.lock().log.to_log(&mut text);
    let last = format!("# {outcome} after {:.3} s\n", took.as_secs_f64());
    text.extend_from_slice(last.as_bytes());
    let logged = append(log, &text);
    let finished = Finished {
        took,
        processor,
        printed,
    };
    let message = || format!("{} {outcome}", shown(command));
    match watched {
        Err(fault) => Err(Fault {
            message: message(),
            ..fault.with_log(&finished.tail())
        }),
        Ok((_, End::Status(0))) => logged.map(|()| (finished, group)),
        Ok(_) => Err(Fault::failed(message()).with_log(&finished.tail())),
    }
}

fn start(
    command: &FilledCommand,
    folder: &Path,
    surroundings: &Surroundings,
) -> Result<(Group, Instant), Fault> {
    let mut program = prepared(command, folder)?;
    program.stdout(Stdio::piped()).stderr(Stdio::piped());
    surroundings.around(&mut program);
    Group::start(&mut program).map_err(|fault| not_started(command, folder, &fault))
}

/// A program that is ready to start in a folder, but for where its output goes.
fn prepared(command: &FilledCommand, folder: &Path) -> Result<Command, Fault> {
    if !folder.is_dir() {
        let folder = folder.display();
        return Err(Fault::failed(format!(
            "the folder {folder} to run in isn't there"
        )));
    }
    let marked = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mut program = program(command)?;
    program
        .current_dir(folder)
        .env("LC_ALL", "C")
        .env(orphans::VARIABLE, marked)
        .stdin(Stdio::null());
    for name in SECRET {
        program.env_remove(name);
    }
    Ok(program)
}

fn program(command: &FilledCommand) -> Result<Command, Fault> {
    let Some((first, rest)) = command.words.split_first() else {
        return Err(Fault::failed("a command without words can't be run"));
    };
    if command.shell {
        let (shell, flag) = if cfg!(windows) {
            ("cmd", "/C")
        } else {
            ("sh", "-c")
        };
        let mut program = Command::new(shell);
        program.arg(flag).arg(first);
        return Ok(program);
    }
    let mut program = Command::new(first);
    program.args(rest);
    Ok(program)
}

/// Why a program can't be started, and what to do about it.
fn not_started(command: &FilledCommand, folder: &Path, fault: &std::io::Error) -> Fault {
    use std::io::ErrorKind;
    let program = match command.words.first() {
        Some(program) if !command.shell => program.as_str(),
        _ => "sh",
    };
    let program = printed::readable(program.as_bytes());
    let is_path = program.contains(['/', '\\']);
    Fault::failed(match fault.kind() {
        ErrorKind::NotFound if is_path => format!(
            "the program `{program}` isn't there; a path that doesn't begin at the root is taken from \
             {}",
            folder.display()
        ),
        ErrorKind::NotFound => format!(
            "the program `{program}` is in no folder of PATH; install it, add its folder to PATH, or \
             write its whole path"
        ),
        ErrorKind::PermissionDenied => format!(
            "the program `{program}` may not be run; its file needs the permission to be executed"
        ),
        _ => format!("the program `{program}` can't be started: {fault}"),
    })
}

/// Begins to take what a program prints; the answer tells when both pipes are at their end.
fn drain(group: &mut Group, printed: &Printed) -> std::io::Result<Receiver<()>> {
    let (sender, receiver) = channel::<()>();
    let (output, errors) = (group.child().stdout.take(), group.child().stderr.take());
    let thread = |work: Box<dyn FnOnce() + Send>| {
        // It isn't waited for: whoever left the group may hold a pipe for ever.
        std::thread::Builder::new().spawn(work).map(drop)
    };
    if let Some(pipe) = output {
        let (printed, sender) = (printed.clone(), sender.clone());
        thread(Box::new(move || {
            printed.drain(pipe, |streams| &mut streams.output);
            drop(sender);
        }))?;
    }
    if let Some(pipe) = errors {
        let printed = printed.clone();
        thread(Box::new(move || {
            printed.drain(pipe, |streams| &mut streams.errors);
            drop(sender);
        }))?;
    }
    Ok(receiver)
}

/// Waits a moment until both pipes are at their end.
fn await_pipes(pipes: &Receiver<()>) {
    // Nothing is ever sent; what is waited for is that nobody could.
    let _: Result<(), RecvTimeoutError> = pipes.recv_timeout(MOMENT);
}

/// Waits for the end of a program or of the time it has.
fn watch(group: &mut Group, deadline: &Deadline) -> Result<(Instant, End), Fault> {
    loop {
        if let Some(ended) = group.ended(deadline.left().min(STEP)) {
            return Ok(ended);
        }
        deadline.check()?;
    }
}

#[cfg(test)]
mod tests;

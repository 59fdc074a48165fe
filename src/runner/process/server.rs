//! Servers: programs that run beside the runner until it ends them, with what they need around them.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::disk;
use super::super::fault::Fault;
use super::super::stop::Deadline;
use super::super::workload::FilledCommand;
use super::group::{End, Group, Signal, signal_process};
use super::{Account, Finished, GRACE, MOMENT, log_tail, not_started, orphans, shown};

/// What a program finds around it, beside the environment of the runner.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Variables of its environment; also the way by which a secret reaches it.
    pub variables: Vec<(&'static str, OsString)>,
    /// Whom it runs as, if not as the runner.
    pub account: Option<Account>,
}

impl Surroundings {
    /// Puts them around a program.
    pub(super) fn around(&self, program: &mut Command) {
        program.envs(self.variables.iter().map(|(name, value)| (name, value)));
        #[cfg(unix)]
        if let Some(account) = &self.account {
            use std::os::unix::process::CommandExt as _;
            program.uid(account.user).gid(account.group);
        }
    }
}

/// Runs a program of an engine, such as one that prepares the folder of a server, to its end; as
/// [`super::run`] in all else.
///
/// # Errors
/// As [`super::run`].
pub fn run_within(
    command: &FilledCommand,
    folder: &Path,
    log: &Path,
    deadline: &Deadline,
    surroundings: &Surroundings,
) -> Result<Finished, Fault> {
    let done = super::go(command, folder, log, deadline, false, surroundings);
    done.map(|(finished, _)| finished)
}

/// How a server is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// By SIGTERM.
    Terminate,
    /// By SIGINT.
    Interrupt,
    /// By SIGQUIT.
    Quit,
}

/// A server that the runner has started. Dropping it ends it with all that it started.
#[derive(Debug)]
pub struct Daemon {
    group: Group,
    folder: PathBuf,
    log: PathBuf,
    /// How much of the log others have written before.
    before: usize,
    name: String,
}

impl Daemon {
    /// Starts a server in a folder; all that it prints is added to a log.
    ///
    /// # Errors
    /// When it can't be started.
    pub fn start(
        command: &FilledCommand,
        folder: &Path,
        log: &Path,
        surroundings: &Surroundings,
    ) -> Result<Self, Fault> {
        let printed = || fs::File::options().create(true).append(true).open(log);
        let logging =
            |error| Fault::failed(format!("the log of the server can't be written: {error}"));
        let before = fs::metadata(log).map_or(0, |it| it.len() as usize);
        let (output, errors) = (printed().map_err(logging)?, printed().map_err(logging)?);
        let mut program = super::prepared(command, folder)?;
        program
            .stdout(Stdio::from(output))
            .stderr(Stdio::from(errors));
        surroundings.around(&mut program);
        let started = Group::start(&mut program);
        let (mut group, _) = started.map_err(|fault| not_started(command, folder, &fault))?;
        orphans::record(folder, group.child().id());
        Ok(Self {
            group,
            folder: folder.to_owned(),
            log: log.to_owned(),
            before,
            name: name(command),
        })
    }

    /// The number of its process.
    pub fn pid(&mut self) -> u32 {
        self.group.child().id()
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        self.wait(Duration::ZERO)
    }

    /// As [`Self::ended`] for those who have just lost it: its end may be told a moment later.
    pub fn gone(&mut self) -> Option<String> {
        self.wait(MOMENT)
    }

    /// Whether it has ended by itself and found nothing wrong.
    pub fn ended_well(&mut self) -> bool {
        matches!(self.group.ended(Duration::ZERO), Some((_, End::Status(0))))
    }

    /// Waits for its end for a while; answers how it ended, if it did.
    fn wait(&mut self, patience: Duration) -> Option<String> {
        self.group.ended(patience).map(|(_, end)| end.to_string())
    }

    /// Asks again and again whether it is ready, until `try_it` answers something. The last refusal is told
    /// when the trial's limit is over.
    ///
    /// # Errors
    /// When it ends, isn't ready within the limit, or the trial is dropped; with the end of its log.
    pub fn await_ready<T>(
        &mut self,
        deadline: &Deadline,
        patience: Duration,
        mut try_it: impl FnMut() -> Result<T, String>,
    ) -> Result<T, Fault> {
        const STEP: Duration = Duration::from_millis(10);
        let begin = Instant::now();
        loop {
            let refused = match try_it() {
                Ok(answer) => return Ok(answer),
                Err(refused) => refused,
            };
            let told = |message| Fault::failed(message).with_log(&log_tail(&self.log));
            if let Some((_, end)) = self.group.ended(STEP) {
                let end = format!("{} {end}", self.name);
                let log = format!("{}\n# {end}\n", log_tail(&self.log).trim_end());
                let message = match self.complaint() {
                    Some(complaint) => format!("{end}: {complaint}"),
                    None => end,
                };
                return Err(Fault::failed(message).with_log(log.trim_start()));
            }
            deadline.check()?;
            if begin.elapsed() >= patience {
                let seconds = patience.as_secs();
                return Err(told(format!(
                    "the server isn't ready after {seconds} s: {refused}"
                )));
            }
        }
    }

    /// The first error that it has written into its log.
    fn complaint(&self) -> Option<String> {
        let text = fs::read(&self.log).ok()?;
        complaint(&String::from_utf8_lossy(text.get(self.before..)?))
    }

    /// Asks it to end and waits for that; after `patience` it is ended by force. Answers whether it ended by
    /// itself. All connections should have been closed.
    pub fn end(&mut self, request: Request, patience: Duration) -> bool {
        let pid = i32::try_from(self.pid()).unwrap_or_default();
        let ended = self.ended().is_some() || {
            signal_process(
                pid,
                match request {
                    Request::Terminate => Signal::End,
                    Request::Interrupt => Signal::Interrupt,
                    Request::Quit => Signal::Quit,
                },
            );
            self.wait(patience).is_some()
        };
        if ended {
            self.clear();
        } else {
            self.kill();
        }
        ended
    }

    /// Ends it at once, as a failure of the machine would.
    pub fn kill(&mut self) {
        let pid = i32::try_from(self.pid()).unwrap_or_default();
        signal_process(pid, Signal::Kill);
        self.wait(GRACE);
        self.clear();
    }

    /// Ends what it has left; servers put their helpers into groups of their own.
    fn clear(&mut self) {
        self.group.end(GRACE);
        orphans::end_orphans(&self.folder);
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        log_tail(&self.log)
    }

    /// The end of its log, and after it the lines that tell most, of a server that writes a long report when it
    /// gives up: the reason stands far before the end then.
    pub fn log_tail_with(&self, tells: impl Fn(&str) -> bool) -> String {
        const MOST: usize = 256 << 10;
        const LINES: usize = 12;
        let tail = self.log_tail();
        let log = fs::read(&self.log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log[log.len().saturating_sub(MOST)..]).into_owned();
        // The same is often said again and again, each time with another time before it.
        let said = |line: &str| {
            line.split_once('[')
                .map_or_else(|| line.to_owned(), |(_, said)| said.to_owned())
        };
        let mut known = BTreeSet::new();
        let lines = log
            .lines()
            .filter(|line| tells(line) && !tail.contains(line));
        let lines: Vec<&str> = lines
            .filter(|line| known.insert(said(line)))
            .take(LINES)
            .collect();
        if lines.is_empty() {
            return tail;
        }
        format!("{tail}\n# before that\n{}\n", lines.join("\n"))
    }
}

/// The name of a program, without its folder and what it is told.
fn name(command: &FilledCommand) -> String {
    let program = command.words.first().map(Path::new);
    let name = program.and_then(Path::file_name);
    name.map_or_else(
        || shown(command),
        |name| format!("`{}`", name.to_string_lossy()),
    )
}

/// The first error in the log of a server, in one line and of a bearable length.
fn complaint(log: &str) -> Option<String> {
    /// How servers mark them.
    const MARKS: [&str; 4] = ["FATAL:", "PANIC:", "ERROR:", "[ERROR]"];
    const LONGEST: usize = 300;
    let mut lines = log.lines().filter_map(|line| {
        let marked = MARKS.iter().find_map(|mark| line.split_once(mark));
        marked.map(|(_, rest)| rest.trim())
    });
    let found = lines.find(|line| !line.is_empty())?;
    Some(found.chars().take(LONGEST).collect())
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end(Request::Terminate, GRACE);
    }
}

/// A port of the loopback interface that nobody listens on now. Somebody else may take it before it is used.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16, Fault> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let port = bound.and_then(|it| it.local_addr());
    port.map(|it| it.port())
        .map_err(|error| Fault::failed(format!("there is no free port: {error}")))
}

/// Where sockets are: their paths may have about 100 bytes, and folders of trials can lie deep.
const SOCKETS: &str = "/tmp";

/// The folder for the sockets of a server that runs in this one. The same folder gives the same, so that what a
/// killed runner left is found.
fn sockets_of(folder: &Path) -> PathBuf {
    Path::new(SOCKETS).join(format!("benchbook-{}", disk::mark(folder)))
}

/// A folder for sockets with a short path, which is removed when this is dropped.
#[derive(Debug)]
pub struct Sockets {
    path: PathBuf,
}

impl Sockets {
    /// Makes it, for a server that runs in this folder.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn make(folder: &Path, account: Option<&Account>) -> Result<Self, Fault> {
        let path = sockets_of(folder);
        remove_sockets(folder);
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&path)
            .map_err(|error| Fault::failed(format!("{} can't be made: {error}", path.display())))?;
        let sockets = Self { path };
        if let Some(account) = account {
            super::account::give(&sockets.path, account)?;
        }
        Ok(sockets)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes the folder for sockets that a server in this folder has left.
pub fn remove_sockets(folder: &Path) {
    let _ = fs::remove_dir_all(sockets_of(folder));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_complain_in_their_own_ways() {
        for (log, said) in [
            (
                "2026-12-01 04:30:38.1 UTC [1] LOG:  starting\n\
                 2026-12-01 04:30:38.1 UTC [1] FATAL:  invalid value for parameter \"x\": \"y\"\n\
                 2026-12-01 04:30:38.1 UTC [1] ERROR:  later\n",
                Some("invalid value for parameter \"x\": \"y\""),
            ),
            (
                "2026-12-01  4:30:38 0 [Warning] Could not increase number of max_open_files\n\
                 2026-12-01  4:30:38 0 [ERROR] /usr/sbin/mariadbd: unknown variable 'x=y'\n\
                 2026-12-01  4:30:38 0 [ERROR] Aborting\n",
                Some("/usr/sbin/mariadbd: unknown variable 'x=y'"),
            ),
            ("all is well\n", None),
            ("FATAL:\n", None),
            ("", None),
        ] {
            assert_eq!(complaint(log).as_deref(), said);
        }
    }
}

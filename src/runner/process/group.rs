//! A program and all that it started, as one: telling when it ends, and ending it.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use super::table;

/// What a process is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// To end.
    End,
    /// To end, as from a terminal.
    Interrupt,
    /// To end at once.
    Quit,
    /// Nothing any more.
    Kill,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
}

impl End {
    fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        Self::Status(status.code().unwrap_or(-1))
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Those that are the same on every system.
        const NAMES: [(i32, &str); 11] = [
            (1, " (SIGHUP)"),
            (2, " (SIGINT)"),
            (3, " (SIGQUIT)"),
            (
                4,
                " (SIGILL, an instruction that the processor doesn't have)",
            ),
            (6, " (SIGABRT, it gave up)"),
            (8, " (SIGFPE)"),
            (9, " (SIGKILL; the system does that when memory runs out)"),
            (11, " (SIGSEGV, memory that isn't its own)"),
            (13, " (SIGPIPE)"),
            (14, " (SIGALRM)"),
            (15, " (SIGTERM)"),
        ];
        match *self {
            Self::Status(status) => write!(out, "ended with exit status {status}"),
            Self::Signal(signal) => {
                let name = NAMES.iter().find(|(number, _)| *number == signal);
                write!(
                    out,
                    "was ended by signal {signal}{}",
                    name.map_or("", |(_, name)| name)
                )
            }
        }
    }
}

/// Time that the processor spent, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessorTime {
    /// In the program and the children that it waited for.
    pub user: f64,
    /// In the system on their behalf.
    pub system: f64,
}

/// A running program with all that it started and that didn't leave its group. Dropping it ends all.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    waiter: system::Waiter,
    ended: Option<(Instant, End)>,
    is_reaped: bool,
    is_over: bool,
}

impl Group {
    /// Starts a program at the head of a group of its own; answers when that was, too.
    pub(super) fn start(command: &mut Command) -> std::io::Result<(Self, Instant)> {
        system::set_apart(command);
        let begin = Instant::now();
        let mut child = command.spawn()?;
        let waiter = match system::Waiter::new(&child) {
            Ok(waiter) => waiter,
            Err(fault) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(fault);
            }
        };
        let group = Self {
            child,
            waiter,
            ended: None,
            is_reaped: false,
            is_over: false,
        };
        Ok((group, begin))
    }

    /// The program, for its pipes.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for the end of the program for a while; answers when it ended and how, if it did. Its number
    /// stays taken, so that its group can't be mistaken for another.
    pub(super) fn ended(&mut self, patience: Duration) -> Option<(Instant, End)> {
        if self.ended.is_none() {
            self.ended = self.waiter.ended(&mut self.child, patience);
        }
        self.ended
    }

    /// What the processor did for the program, once that has ended, where the system tells.
    pub(super) fn processor_time(&self) -> Option<ProcessorTime> {
        if self.ended.is_none() || self.is_reaped {
            return None;
        }
        let entry = table::entry(i32::try_from(self.child.id()).ok()?)?;
        let ticks = system::ticks_per_second()?;
        Some(ProcessorTime {
            user: entry.user as f64 / ticks,
            system: entry.system as f64 / ticks,
        })
    }

    /// Ends all that still runs: kindly, and after `grace` by force.
    pub(super) fn end(&mut self, grace: Duration) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let pid = i32::try_from(self.child.id()).unwrap_or_default();
        self.signal(pid, Signal::End);
        if !self.is_gone(pid, grace) {
            self.signal(pid, Signal::Kill);
            // One that waits for a disk can't be ended even so; the run goes on without it.
            self.is_gone(pid, grace);
        }
    }

    fn signal(&mut self, pid: i32, signal: Signal) {
        if !signal_group(pid, signal) && !self.is_reaped {
            let _ = self.child.kill();
        }
    }

    /// Whether everything is gone within a while.
    fn is_gone(&mut self, pid: i32, patience: Duration) -> bool {
        const STEP: Duration = Duration::from_millis(5);
        let begin = Instant::now();
        loop {
            if self.ended(STEP).is_some() {
                // From here on only what is left of the group keeps its number taken.
                self.is_reaped = self.is_reaped || self.child.wait().is_ok();
                if !system::is_taken(pid) || !others_live(pid) {
                    return true;
                }
                std::thread::sleep(STEP);
            }
            if begin.elapsed() >= patience {
                return false;
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(super::GRACE);
    }
}

/// Whether a group holds a process that hasn't ended, as far as can be known. Ended ones that nobody
/// asks for keep a group's number taken for ever.
fn others_live(group: i32) -> bool {
    table::living().is_none_or(|all| all.iter().any(|it| it.group == group))
}

pub(super) use system::{signal_group, signal_process};

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};
    use std::sync::mpsc::{Receiver, channel};
    use std::time::{Duration, Instant};

    use rustix::io::Errno;
    use rustix::process::{self, Pid, WaitId, WaitIdOptions};

    use super::{End, Signal};

    pub(super) fn set_apart(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn ticks_per_second() -> Option<f64> {
        Some(rustix::param::clock_ticks_per_second() as f64).filter(|ticks| *ticks > 0.0)
    }

    /// Tells a group; answers whether there is one.
    pub(in super::super) fn signal_group(group: i32, signal: Signal) -> bool {
        send(group, signal, process::kill_process_group)
    }

    /// Tells a process; answers whether there is one.
    pub(in super::super) fn signal_process(pid: i32, signal: Signal) -> bool {
        send(pid, signal, process::kill_process)
    }

    fn send(
        number: i32,
        signal: Signal,
        tell: fn(Pid, process::Signal) -> rustix::io::Result<()>,
    ) -> bool {
        // 1 is the system's first process, and its group anything at all.
        let Some(pid) = Pid::from_raw(number).filter(|_| number > 1) else {
            return false;
        };
        match signal {
            // A stopped one (it asked a terminal for a password, say) hears only once it goes on.
            Signal::End => {
                tell(pid, process::Signal::TERM).is_ok() && tell(pid, process::Signal::CONT).is_ok()
            }
            Signal::Interrupt => tell(pid, process::Signal::INT).is_ok(),
            Signal::Quit => tell(pid, process::Signal::QUIT).is_ok(),
            Signal::Kill => tell(pid, process::Signal::KILL).is_ok(),
        }
    }

    /// Whether any process, ended or not, still belongs to a group.
    pub(super) fn is_taken(group: i32) -> bool {
        Pid::from_raw(group)
            .is_some_and(|group| process::test_kill_process_group(group) != Err(Errno::SRCH))
    }

    /// A thread that waits for the end of a program without making its number free.
    #[derive(Debug)]
    pub(super) struct Waiter(Receiver<(Instant, End)>);

    impl Waiter {
        pub(super) fn new(child: &Child) -> std::io::Result<Self> {
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            let pid = pid.ok_or(std::io::ErrorKind::InvalidData)?;
            let (sender, receiver) = channel();
            std::thread::Builder::new().spawn(move || {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                let status = loop {
                    match process::waitid(WaitId::Pid(pid), options) {
                        Err(Errno::INTR) | Ok(None) => {}
                        Err(_) => return,
                        Ok(Some(status)) => break status,
                    }
                };
                let now = Instant::now();
                let end = match (status.exit_status(), status.terminating_signal()) {
                    (Some(status), _) => End::Status(status),
                    (None, signal) => End::Signal(signal.unwrap_or_default()),
                };
                // Nobody listens once the group is given up.
                let _ = sender.send((now, end));
            })?;
            Ok(Self(receiver))
        }

        pub(super) fn ended(
            &self,
            child: &mut Child,
            patience: Duration,
        ) -> Option<(Instant, End)> {
            use std::sync::mpsc::RecvTimeoutError;
            match self.0.recv_timeout(patience) {
                Ok(ended) => Some(ended),
                Err(RecvTimeoutError::Timeout) => None,
                // The thread couldn't wait, which is left to the standard library then.
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.try_wait().ok().flatten();
                    if status.is_none() {
                        std::thread::sleep(patience.min(Duration::from_millis(5)));
                    }
                    status.map(|status| (Instant::now(), End::of(status)))
                }
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    use super::{End, Signal};

    pub(super) fn set_apart(_: &mut Command) {}

    pub(super) fn ticks_per_second() -> Option<f64> {
        None
    }

    /// There are no groups: the program alone is ended, by its handle.
    pub(in super::super) fn signal_group(_: i32, _: Signal) -> bool {
        false
    }

    /// No process is found by its number alone.
    pub(in super::super) fn signal_process(_: i32, _: Signal) -> bool {
        false
    }

    pub(super) fn is_taken(_: i32) -> bool {
        false
    }

    /// Asks again and again.
    #[derive(Debug)]
    pub(super) struct Waiter;

    impl Waiter {
        #[allow(clippy::unnecessary_wraps)]
        pub(super) fn new(_: &Child) -> std::io::Result<Self> {
            Ok(Self)
        }

        pub(super) fn ended(
            &self,
            child: &mut Child,
            patience: Duration,
        ) -> Option<(Instant, End)> {
            const STEP: Duration = Duration::from_millis(1);
            let begin = Instant::now();
            loop {
                if let Ok(Some(status)) = child.try_wait() {
                    return Some((Instant::now(), End::of(status)));
                }
                if begin.elapsed() >= patience {
                    return None;
                }
                std::thread::sleep(STEP);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_in_words() {
        assert_eq!(End::Status(3).to_string(), "ended with exit status 3");
        assert_eq!(
            End::Signal(15).to_string(),
            "was ended by signal 15 (SIGTERM)"
        );
        assert_eq!(End::Signal(64).to_string(), "was ended by signal 64");
    }
}

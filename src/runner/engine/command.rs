//! Any program as an engine: set up before each trial, asked for its version and settings, torn down.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::super::fault::Fault;
use super::super::process::{self, Background};
use super::super::stop::{Deadline, Stop};
use super::super::watch::Watch;
use super::super::workload::{FilledCommand, FilledCommands};
use super::{Apply, Availability, Connection, Dialect, Engine, Instance, Start};

/// How long all the programs that tear down may take together. The trial's own limit may be over by then.
const TEARDOWN: Duration = Duration::from_secs(60);

/// The engine `command`.
pub(super) struct Command;

impl Engine for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn probe(&self) -> Availability {
        Availability::Ready("any program".into())
    }

    fn apply(&self, _setting: &str) -> Apply {
        // What a case sets is filled into its programs, and these are run for each trial.
        Apply::Restart
    }

    fn start(&self, start: &Start<'_>) -> Result<Box<dyn Instance>, Fault> {
        let Some(commands) = start.commands else {
            return Err(Fault::failed(
                "the engine `command` needs the table `[run.command]`",
            ));
        };
        // From here on it is torn down in any event, when it is dropped.
        let mut instance = Programs {
            commands: commands.clone(),
            deadline: start.deadline.clone(),
            version: String::new(),
            background: Mutex::default(),
        };
        for (step, command) in commands.setup.iter().enumerate() {
            let (_, background) = instance
                .run_and_leave(command)
                .map_err(|fault| in_step(&format!("step {} of the setup", step + 1), fault))?;
            instance.background().push(background);
        }
        instance.version = instance.ask_version()?;
        Ok(Box::new(instance))
    }
}

/// Says in which step something went wrong.
fn in_step(step: &str, fault: Fault) -> Fault {
    Fault {
        message: format!("{step}: {fault}"),
        ..fault
    }
}

/// What the setup of a trial has left, for as long as the trial lasts.
struct Programs {
    commands: FilledCommands,
    deadline: Deadline,
    version: String,
    background: Mutex<Vec<Background>>,
}

impl Programs {
    fn background(&mut self) -> &mut Vec<Background> {
        self.background
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn run_and_leave(
        &self,
        command: &FilledCommand,
    ) -> Result<(process::Finished, Background), Fault> {
        let FilledCommands { scratch, log, .. } = &self.commands;
        process::run_and_leave(command, scratch, log, &self.deadline)
    }

    fn ask(&self, command: &FilledCommand) -> Result<String, Fault> {
        let FilledCommands { scratch, log, .. } = &self.commands;
        process::run(command, scratch, log, &self.deadline)?.output()
    }

    /// The first line that the program asked for its version prints; without one, the name of what is
    /// measured.
    fn ask_version(&self) -> Result<String, Fault> {
        let Some(command) = &self.commands.version else {
            return Ok(name_of(&self.commands.measure));
        };
        let told = self
            .ask(command)
            .map_err(|fault| in_step("the version", fault))?;
        let first = told.lines().map(str::trim).find(|line| !line.is_empty());
        first.map(str::to_owned).ok_or_else(|| {
            Fault::failed(format!(
                "{} prints no version on its standard output",
                process::shown(command)
            ))
        })
    }

    fn read_back(&self, setting: &str) -> Option<&FilledCommand> {
        let mut all = self.commands.read_back.iter();
        all.find(|(name, _)| name == setting)
            .map(|(_, command)| command)
    }

    fn effective(&self, setting: &str, command: &FilledCommand) -> Result<String, Fault> {
        self.ask(command)
            .map(|told| told.trim().to_owned())
            .map_err(|fault| in_step(&format!("reading back `{setting}`"), fault))
    }
}

impl Drop for Programs {
    /// Tears down, ends what the setup left running, and then whatever else still runs that began in this
    /// folder. What goes wrong here stands in the log and spoils no value that was measured.
    fn drop(&mut self) {
        let FilledCommands { scratch, log, .. } = &self.commands;
        let limit = Stop::default().limit(TEARDOWN);
        for command in &self.commands.teardown {
            if let Err(fault) = process::run(command, scratch, log, &limit) {
                let _ = process::log_text(log, &format!("tearing down: {fault}"), &[]);
            }
        }
        self.background().clear();
        process::end_orphans(&self.commands.scratch);
    }
}

/// The file name of a program, to stand for it.
fn name_of(command: &FilledCommand) -> String {
    let word = command.words.first().map_or("", String::as_str);
    if command.shell {
        return "sh".into();
    }
    let name = Path::new(word).file_name();
    name.map_or_else(
        || word.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

impl Instance for Programs {
    fn version(&self) -> String {
        self.version.clone()
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        None
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Fault> {
        Err(Fault::unsupported(
            "the engine `command` has no connections; it goes with the workload `command`",
        ))
    }

    fn effective(&self, setting: &str) -> Result<Option<String>, Fault> {
        let command = self.read_back(setting);
        command
            .map(|command| self.effective(setting, command))
            .transpose()
    }

    /// Whether both are the same text, or numbers of the same value (`1e3` and `1000`).
    fn is_same(&self, _setting: &str, requested: &str, effective: &str) -> bool {
        let (requested, effective) = (requested.trim(), effective.trim());
        let numbers = requested
            .parse::<f64>()
            .ok()
            .zip(effective.parse::<f64>().ok());
        requested == effective || numbers.is_some_and(|(one, other)| one == other)
    }

    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault> {
        let all = self.commands.read_back.iter();
        all.map(|(name, command)| Ok((name.clone(), self.effective(name, command)?)))
            .collect()
    }

    fn flush(&self) -> Result<(), Fault> {
        Ok(())
    }

    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault> {
        Ok(Vec::new())
    }

    fn stop(self: Box<Self>) -> Result<(), Fault> {
        Ok(())
    }

    fn log_tail(&self) -> String {
        process::log_tail(&self.commands.log)
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::super::stop::Stop;
    use super::*;
    use crate::model::{CommandResults, MissingReason};

    fn shell(text: &str) -> FilledCommand {
        FilledCommand {
            words: vec![text.to_owned()],
            shell: true,
        }
    }

    /// Commands that run in a folder and measure nothing.
    fn commands(folder: &Path) -> FilledCommands {
        let scratch = folder.join("scratch");
        fs::create_dir(&scratch).expect("a folder");
        FilledCommands {
            setup: Vec::new(),
            measure: FilledCommand {
                words: vec!["/usr/bin/some tool".into(), "-x".into()],
                shell: false,
            },
            teardown: vec![shell("echo torn down >> ../told")],
            version: None,
            read_back: Vec::new(),
            results: CommandResults::WallTime,
            scratch,
            output: folder.join("output"),
            log: folder.join("log"),
        }
    }

    fn start(commands: &FilledCommands, limit: Duration) -> Result<Box<dyn Instance>, Fault> {
        Command.start(&Start {
            folder: &commands.scratch,
            from: None,
            settings: &[],
            server: None,
            deadline: &Stop::default().limit(limit),
            commands: Some(commands),
        })
    }

    fn started(commands: &FilledCommands) -> Result<Box<dyn Instance>, Fault> {
        start(commands, Duration::from_secs(300))
    }

    fn fault(result: Result<Box<dyn Instance>, Fault>) -> Fault {
        result.err().expect("a fault")
    }

    fn told(folder: &Path) -> String {
        fs::read_to_string(folder.join("told")).unwrap_or_default()
    }

    #[test]
    fn it_is_set_up_in_order_asked_and_torn_down() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let mut commands = commands(folder);
        commands.setup = vec![
            shell("echo one >> ../told"),
            shell("echo two >> ../told; echo 8 > kept"),
        ];
        commands.version = Some(shell("echo; echo ' Tool 1.2 '; echo more"));
        let read = |name: &str, text: &str| (name.to_owned(), shell(text));
        commands.read_back = vec![read("size", "cat kept"), read("mode", "echo ''")];
        let instance = started(&commands).expect("an instance");
        assert_eq!(instance.version(), "Tool 1.2");
        assert_eq!(instance.effective("size"), Ok(Some("8".into())));
        assert_eq!(instance.effective("mode"), Ok(Some(String::new())));
        assert_eq!(instance.effective("other"), Ok(None));
        let all = instance.all_settings().expect("settings");
        assert_eq!(
            all.into_iter().collect::<Vec<_>>(),
            [("mode".into(), String::new()), ("size".into(), "8".into())]
        );
        assert_eq!(told(folder), "one\ntwo\n");
        assert!(
            instance.log_tail().contains("$ cat kept\n8\n"),
            "{}",
            instance.log_tail()
        );
        assert_eq!(instance.stop(), Ok(()));
        assert_eq!(told(folder), "one\ntwo\ntorn down\n");
    }

    #[test]
    fn a_step_that_fails_ends_the_setup_and_is_torn_down() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let mut commands = commands(folder);
        let steps = [
            "echo one >> ../told",
            "echo no >&2; exit 7",
            "echo three >> ../told",
        ];
        commands.setup = steps.map(shell).to_vec();
        let fault = fault(started(&commands));
        assert_eq!(
            (fault.message.as_str(), fault.log.as_str()),
            (
                "step 2 of the setup: `echo no >&2; exit 7` ended with exit status 7",
                "no\n"
            )
        );
        assert_eq!(told(folder), "one\ntorn down\n");
    }

    #[test]
    fn it_is_torn_down_after_the_limit_has_passed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let mut commands = commands(folder);
        commands.setup = vec![shell("sleep 1000")];
        let fault = fault(start(&commands, Duration::from_millis(100)));
        assert_eq!(fault.reason, MissingReason::Timeout);
        assert_eq!(told(folder), "torn down\n");
    }

    #[test]
    fn trouble_in_tearing_down_is_logged_and_the_rest_goes_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let mut commands = commands(folder);
        commands.teardown.insert(0, shell("exit 4"));
        assert_eq!(started(&commands).expect("an instance").stop(), Ok(()));
        assert_eq!(told(folder), "torn down\n");
        let log = fs::read_to_string(&commands.log).expect("a log");
        assert!(
            log.contains("# tearing down: `exit 4` ended with exit status 4\n"),
            "{log}"
        );
    }

    /// A server of the setup runs while there is something to measure; teardown may end it, and it is
    /// ended anyway.
    #[test]
    fn a_server_of_the_setup_lives_as_long_as_the_instance() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let mut commands = commands(folder);
        let server =
            "trap 'echo ended >> ../told; exit' TERM; touch up; while :; do sleep 0.01; done";
        commands.setup = vec![shell(&format!(
            "({server}) & while ! [ -e up ]; do sleep 0.01; done"
        ))];
        let instance = started(&commands).expect("an instance");
        assert_eq!(told(folder), "");
        drop(instance);
        assert_eq!(told(folder), "torn down\nended\n");
    }

    #[test]
    fn without_a_command_for_it_the_program_stands_for_its_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut commands = commands(folder.path());
        assert_eq!(
            started(&commands).expect("an instance").version(),
            "some tool"
        );
        commands.version = Some(shell("echo wrong >&2"));
        let fault = fault(started(&commands));
        assert!(
            fault
                .message
                .ends_with("prints no version on its standard output"),
            "{fault}"
        );
        commands.version = Some(shell("exit 1"));
        let fault = self::fault(started(&commands));
        assert!(
            fault.message.starts_with("the version: `exit 1` ended"),
            "{fault}"
        );
    }

    #[test]
    fn values_are_the_same_as_text_or_as_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let instance = started(&commands(folder.path())).expect("an instance");
        let is_same = |requested, effective| instance.is_same("any", requested, effective);
        for (one, other) in [("on", "on"), ("1000", "1e3"), (" 8", "8.0"), ("", " ")] {
            assert!(is_same(one, other), "{one} {other}");
        }
        for (one, other) in [("on", "ON"), ("64MB", "64"), ("1", ""), ("nan", "NaN")] {
            assert!(!is_same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn other_workloads_are_told_that_there_are_no_connections() {
        let folder = tempfile::tempdir().expect("a folder");
        let instance = started(&commands(folder.path())).expect("an instance");
        let fault = instance.connect().err().expect("a fault");
        assert_eq!(fault.reason, MissingReason::Unsupported);
        let none = Command.start(&Start {
            folder: folder.path(),
            from: None,
            settings: &[],
            server: None,
            deadline: &Stop::default().limit(Duration::from_secs(300)),
            commands: None,
        });
        assert!(self::fault(none).message.contains("[run.command]"));
    }
}

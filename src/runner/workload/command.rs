//! The workload `command`: any program is measured; its results are found in what it prints.

use std::fs;

use super::super::fault::Fault;
use super::super::process::{self, Finished};
use super::{FilledCommands, Load, Measured, Outcome, Parameter, Task, Workload};
use crate::data::{self, Pattern};
use crate::diag::Source;
use crate::model::{CommandResults, SYSTEM_TIME, USER_TIME, WALL_TIME};
use crate::text::Unit;

/// The workload `command`.
pub struct Command;

impl Workload for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn meaning(&self) -> &'static str {
        "Runs any program, such as another tool that measures. Its results are found by regular \
         expressions, by a format of result files, or are the time that it took."
    }

    fn parameters(&self) -> &'static [Parameter] {
        &[]
    }

    fn results(&self) -> &'static [Outcome] {
        &[
            Outcome {
                name: WALL_TIME,
                unit: "s",
                meaning: "From the start of the program to its end.",
            },
            Outcome {
                name: USER_TIME,
                unit: "s",
                meaning: "What processors spent in the program and in the children that it waited for \
                          (on Linux, in steps of 0.01 s).",
            },
            Outcome {
                name: SYSTEM_TIME,
                unit: "s",
                meaning: "What processors spent in the system on their behalf (on Linux, in steps of 0.01 s).",
            },
        ]
    }

    fn builds_data(&self) -> bool {
        false
    }

    fn prepare(&self, _task: &Task<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a> {
        Box::new(Program { task })
    }
}

struct Program<'a> {
    task: &'a Task<'a>,
}

impl Load for Program<'_> {
    fn measure(&mut self) -> Result<Measured, Fault> {
        let Some(commands) = self.task.commands else {
            return Err(Fault::failed(
                "the workload `command` needs the table `[run.command]`",
            ));
        };
        let FilledCommands { scratch, log, .. } = commands;
        let finished = process::run(&commands.measure, scratch, log, self.task.deadline)?;
        let mut values = read(commands, &finished)?;
        let mut add = |name: &str, value: f64| {
            // A result that the program itself gives under such a name is what its author means.
            if values.iter().all(|(other, _)| other != name) {
                values.push((name.to_owned(), value));
            }
        };
        add(WALL_TIME, finished.took.as_secs_f64());
        if let Some(processor) = finished.processor {
            add(USER_TIME, processor.user);
            add(SYSTEM_TIME, processor.system);
        }
        Ok(Measured {
            values,
            steps: Vec::new(),
        })
    }

    /// A program checks its own answers; it says so by its exit status.
    fn verify(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// The results that a program gave.
fn read(commands: &FilledCommands, finished: &Finished) -> Result<Vec<(String, f64)>, Fault> {
    match &commands.results {
        CommandResults::WallTime => Ok(Vec::new()),
        CommandResults::Patterns(patterns) => {
            let is_silent = finished.is_silent();
            let (output, errors) = (finished.output()?, finished.errors()?);
            patterns
                .iter()
                .map(|(name, expression, unit)| {
                    if is_silent {
                        return Err(silent(commands));
                    }
                    let value = find(&expression.name, unit, &output, &errors)
                        .map_err(|why| Fault::failed(format!("result `{name}`: {why}")))?;
                    Ok((name.clone(), value))
                })
                .collect()
        }
        CommandResults::Format(format, wanted) => {
            read_format(&format.name, wanted, commands, finished)
        }
    }
    .map_err(|fault| fault.with_log(&finished.tail()))
}

fn silent(commands: &FilledCommands) -> Fault {
    Fault::failed(format!(
        "{} prints nothing, so there are no results in it",
        process::shown(&commands.measure)
    ))
}

fn read_format(
    format: &str,
    wanted: &[(String, String)],
    commands: &FilledCommands,
    finished: &Finished,
) -> Result<Vec<(String, f64)>, Fault> {
    let (path, text) = if names_output(commands) {
        ("the output file", read_output(commands)?)
    } else {
        if finished.is_silent() {
            return Err(silent(commands));
        }
        ("standard output", finished.output()?)
    };
    data::readings(format, &Source::new(path, text), wanted).map_err(|why| {
        Fault::failed(format!(
            "{path} of {}: {why}",
            process::shown(&commands.measure)
        ))
    })
}

/// Whether a command was told of the file for its output.
fn names_output(commands: &FilledCommands) -> bool {
    let output = commands.output.to_string_lossy();
    let before = commands.setup.iter().chain([&commands.measure]);
    before
        .flat_map(|command| &command.words)
        .any(|word| word.contains(&*output))
}

/// The file that the program wrote, which goes to the log too.
fn read_output(commands: &FilledCommands) -> Result<String, Fault> {
    const MOST: u64 = 16 << 20;
    let program = process::shown(&commands.measure);
    let cant = |why: &dyn std::fmt::Display| {
        Fault::failed(format!("{program} left no output that can be read: {why}"))
    };
    let length = fs::metadata(&commands.output)
        .map_err(|fault| cant(&fault))?
        .len();
    if length > MOST {
        return Err(cant(&format!("{length} bytes are more than 16 MiB")));
    }
    let bytes = fs::read(&commands.output).map_err(|fault| cant(&fault))?;
    if bytes.trim_ascii().is_empty() {
        return Err(cant(&"the file is empty"));
    }
    process::log_text(&commands.log, "its output file", &bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The one number that a pattern finds in standard output or, if there is none, in standard error, in
/// base units.
///
/// Several matches have to be of the same value. A tool that tells how far it is prints the same words
/// again and again, and whether the last of them is the result is for the pattern's author to say, by a
/// pattern that matches the result only.
fn find(expression: &str, unit: &str, output: &str, errors: &str) -> Result<f64, String> {
    let pattern = Pattern::parse(expression)?;
    let unit = Unit::parse(unit).ok_or_else(|| format!("`{unit}` is no unit"))?;
    let (mut found, mut place) = (pattern.all(output), "standard output");
    if found.is_empty() {
        (found, place) = (pattern.all(errors), "standard error");
    }
    let Some(((line, first), rest)) = found.split_first() else {
        return Err(format!(
            "the pattern `{expression}` matches nothing that was printed"
        ));
    };
    let value = number(first).map_err(|why| format!("{why}, on line {line} of {place}"))?;
    for (other_line, other) in rest {
        if number(other) != Ok(value) {
            return Err(format!(
                "the pattern `{expression}` matches {} times, with `{first}` on line {line} and \
                 `{other}` on line {other_line} of {place}; make it match the result only",
                found.len()
            ));
        }
    }
    Ok(unit.to_base(value))
}

/// Reads a number with a point.
fn number(text: &str) -> Result<f64, String> {
    let value = text.trim().parse::<f64>().ok();
    // Words such as `inf` and `nan` are numbers to the standard library.
    value
        .filter(|value| value.is_finite())
        .ok_or_else(|| format!("`{text}` is no plain number, such as `1234.5`"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    use super::super::super::engine::{self, Start};
    use super::super::super::stop::Stop;
    use super::super::{FilledCommand, Parameters};
    use super::*;
    use crate::diag::Span;
    use crate::model::{MissingReason, Named};

    fn named(name: &str) -> Named {
        Named {
            name: name.to_owned(),
            span: Span::new(&Source::new("a", ""), 0..0),
        }
    }

    fn pattern(name: &str, expression: &str, unit: &str) -> (String, Named, String) {
        (name.to_owned(), named(expression), unit.to_owned())
    }

    fn commands(folder: &Path, measure: &str, results: CommandResults) -> FilledCommands {
        let scratch = folder.join("scratch");
        fs::create_dir_all(&scratch).expect("a folder");
        let shell = |text: &str| FilledCommand {
            words: vec![text.to_owned()],
            shell: true,
        };
        FilledCommands {
            setup: Vec::new(),
            measure: shell(measure),
            teardown: Vec::new(),
            version: None,
            read_back: Vec::new(),
            results,
            scratch,
            output: folder.join("output"),
            log: folder.join("log"),
        }
    }

    /// What a command measures, by way of the engine.
    fn measure(commands: &FilledCommands) -> Result<Vec<(String, f64)>, Fault> {
        let limit = Stop::default().limit(Duration::from_secs(300));
        let engine = engine::find("command").expect("an engine");
        let instance = engine.start(&Start {
            folder: &commands.scratch,
            from: None,
            settings: &[],
            server: None,
            deadline: &limit,
            commands: Some(commands),
        })?;
        let task = Task {
            instance: &*instance,
            parameters: &Parameters::default(),
            seed: 1,
            folder: &commands.scratch,
            deadline: &limit,
            done: &AtomicU64::new(0),
            commands: Some(commands),
        };
        Command.prepare(&task)?;
        let mut load = Command.load(&task);
        let measured = load.measure()?;
        load.verify()?;
        assert_eq!(measured.steps, []);
        Ok(measured.values)
    }

    fn value(values: &[(String, f64)], name: &str) -> Option<f64> {
        let found = values.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| *value)
    }

    #[test]
    fn the_wall_time_is_always_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let commands = commands(folder.path(), "sleep 0.05", CommandResults::WallTime);
        let values = measure(&commands).expect("values");
        // Sleeping can't take less than it was asked to.
        assert!(
            value(&values, WALL_TIME).is_some_and(|seconds| seconds >= 0.05),
            "{values:?}"
        );
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        let known: Vec<&str> = Command.results().iter().map(|it| it.name).collect();
        if cfg!(target_os = "linux") {
            assert_eq!(names, known);
        }
    }

    #[test]
    fn patterns_find_results_in_their_units() {
        let folder = tempfile::tempdir().expect("a folder");
        let prints = "printf 'progress: 1.0 s, 310.5 tps\\nlatency average = 12.5 ms\\r\\ntps = 320.25 (x)\\n'; \
                      echo 'took 3 ms' >&2";
        let results = CommandResults::Patterns(vec![
            pattern("latency", "^latency average = ([0-9.]+) ms$", "ms"),
            pattern("tps", r"^tps = (?<value>\S+) (\(.*)", "1/s"),
            pattern("took", "took ([0-9]+) (?:ms|s)", "ms"),
            pattern("wall_time", "took ([0-9]+)", "ms"),
        ]);
        let values = measure(&commands(folder.path(), prints, results)).expect("values");
        assert_eq!(value(&values, "latency"), Some(0.0125));
        assert_eq!(value(&values, "tps"), Some(320.25));
        assert_eq!(value(&values, "took"), Some(0.003));
        assert_eq!(value(&values, "wall_time"), Some(0.003));
    }

    #[test]
    fn patterns_that_find_no_one_number_are_faults() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = |prints: &str, expression: &str, unit: &str| {
            let results = CommandResults::Patterns(vec![pattern("tps", expression, unit)]);
            let fault = measure(&commands(folder.path(), prints, results)).expect_err("a fault");
            assert_eq!(fault.reason, MissingReason::Failed);
            (fault.message, fault.log)
        };
        let (message, log) = told("echo nothing here", "tps = (.*)", "1/s");
        assert_eq!(
            message,
            "result `tps`: the pattern `tps = (.*)` matches nothing that was printed"
        );
        assert_eq!(log, "nothing here\n");
        let twice = "echo tps = 1; echo; echo tps = 2; echo tps = 3";
        let (message, _) = told(twice, "tps = ([0-9])", "1/s");
        assert!(
            message.contains(
                "matches 3 times, with `1` on line 1 and `2` on line 3 of standard output"
            ),
            "{message}"
        );
        let (message, _) = told("echo tps = 1,234.5", "tps = (.*)", "1/s");
        assert!(
            message.contains("`1,234.5` is no plain number"),
            "{message}"
        );
        for word in ["nan", "inf", "1e999", "", "0x10"] {
            let (message, _) = told(&format!("echo 'tps = {word}'"), "tps = (.*)", "1/s");
            assert!(message.contains("is no plain number"), "{message}");
        }
        let (message, _) = told("true", "(.*)", "1/s");
        assert_eq!(
            message,
            "`true` prints nothing, so there are no results in it"
        );
        for (expression, why) in [
            ("tps", "has no group"),
            ("(a)(b)", "has 2 groups; name the one"),
            ("(", "unclosed group"),
        ] {
            let (message, _) = told("echo tps", expression, "1/s");
            assert!(message.contains(why), "{message}");
        }
        let (message, _) = told("echo 1", "(1)", "no unit");
        assert!(message.contains("`no unit` is no unit"), "{message}");
        let (message, _) = told("echo tps = 1; exit 1", "tps = (.*)", "1/s");
        assert!(message.ends_with("ended with exit status 1"), "{message}");
    }

    #[test]
    fn the_same_value_may_be_printed_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let results = CommandResults::Patterns(vec![pattern("a", "a=([0-9.]+)", "")]);
        let values = measure(&commands(folder.path(), "echo a=1.50; echo a=1.5", results));
        assert_eq!(value(&values.expect("values"), "a"), Some(1.5));
    }

    #[test]
    fn formats_find_results_in_what_is_printed_or_in_the_output_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let format = |name: &str| {
            let unit = |name: &str, unit: &str| (name.to_owned(), unit.to_owned());
            CommandResults::Format(named(name), vec![unit("tps", "1/s"), unit("latency", "ms")])
        };
        let told = |format_name: &str, text: &str| {
            let commands = commands(folder, text, format(format_name));
            let values = measure(&commands);
            let _ = fs::remove_file(&commands.output);
            values
        };
        let both = |values: Vec<(String, f64)>| (value(&values, "tps"), value(&values, "latency"));
        let object = r#"{"tps": 320.25, "latency": 12.5, "other": 1}"#;
        let values = told("json", &format!("echo '{object}'")).expect("values");
        assert_eq!(both(values), (Some(320.25), Some(0.0125)));
        let values = told("csv", "printf 'tps,latency\\n3,4\\n'").expect("values");
        assert_eq!(both(values), (Some(3.0), Some(0.004)));
        // What is printed doesn't matter once the command names the file for its output.
        let output = folder.join("output");
        let writes = format!("echo chatter; echo '{object}' > {}", output.display());
        let values = told("json", &writes).expect("values");
        assert_eq!(both(values), (Some(320.25), Some(0.0125)));
        let log = fs::read_to_string(folder.join("log")).expect("a log");
        assert!(
            log.contains(&format!("# its output file\n{object}\n")),
            "{log}"
        );
        for (text, why) in [
            ("true".to_owned(), "`true` prints nothing"),
            (
                "echo chatter".to_owned(),
                "standard output of `echo chatter`: ",
            ),
            (
                format!("test ! -e {}", output.display()),
                "left no output that can be read: ",
            ),
            (
                format!(": > {}", output.display()),
                "can be read: the file is empty",
            ),
            (
                format!("truncate -s 17M {}", output.display()),
                "more than 16 MiB",
            ),
        ] {
            let fault = told("json", &text).expect_err("a fault");
            assert!(fault.message.contains(why), "{fault}");
        }
    }
}

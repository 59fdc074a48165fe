//! A site in a folder of its own, the program at work in it, and what it leaves there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// An experiment on SQLite whose trials take some hundredths of a second.
pub(crate) const FAST: &str = r#"
title = "Fast"
question = "How fast is it?"
[factors.page_cache]
label = "Page cache"
kind = "number"
levels = ["10", "1000"]
[factors.sync]
label = "Synchronous"
kind = "nominal"
levels = ["OFF", "NORMAL"]
[metrics.throughput]
label = "Throughput"
unit = "ops/s"
better = "higher"
[run]
engine = "sqlite"
workload = "insert-update"
repetitions = 10
timeout = "60 s"
[run.settings]
cache_size = "{page_cache}"
synchronous = "{sync}"
journal_mode = "MEMORY"
[run.parameters]
connections = 1
rows = 100
warm_up = "0 s"
duration = "0.01 s"
[run.watch]
every = "5 ms"
"#;

/// An experiment that runs a command for each of its levels `1` to `4`.
pub(crate) fn commands(command: &str) -> String {
    format!(
        r#"
title = "Commands"
question = "How long does it take?"
[factors.n]
label = "N"
kind = "number"
levels = ["1", "2", "3", "4"]
[metrics.wall_time]
label = "Time"
unit = "ms"
better = "lower"
[run]
engine = "command"
workload = "command"
order = "fixed"
repetitions = 2
timeout = "60 s"
[run.command]
{command}
"#
    )
}

/// A site with one experiment.
pub(crate) struct Site {
    folder: TempDir,
}

impl Site {
    /// A site with the experiment `x`.
    pub(crate) fn new(definition: &str) -> Self {
        Self::below(&std::env::temp_dir(), definition)
    }

    /// The same below a folder.
    pub(crate) fn below(folder: &Path, definition: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("benchbook-")
            .tempdir_in(folder)
            .expect("a folder");
        let site = Self { folder };
        fs::create_dir_all(site.path("data/x")).expect("a folder");
        site.write("data/x/experiment.toml", definition);
        site
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).expect("written");
    }

    /// The program with these arguments, in the site's folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_benchbook"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        Done::of(self.command(arguments).output().expect("the program runs"))
    }

    /// Starts the program.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().expect("the program starts")
    }

    /// The run folders, in the order of their names.
    pub(crate) fn runs(&self) -> Vec<Run> {
        let Ok(entries) = fs::read_dir(self.path("data/x/runs")) else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = entries.map(|it| it.expect("an entry").path()).collect();
        paths.sort();
        paths.into_iter().map(Run).collect()
    }

    /// The only run.
    pub(crate) fn the_run(&self) -> Run {
        let mut runs = self.runs();
        assert_eq!(runs.len(), 1, "one run");
        runs.remove(0)
    }

    /// Waits for the only run to have a journal with as many trials.
    pub(crate) fn wait_for_trials(&self, count: usize) -> Run {
        wait(|| {
            let run = self.runs().into_iter().next()?;
            (run.journal().len() >= count).then_some(run)
        })
    }

    /// Whether `check` finds nothing in the site.
    pub(crate) fn assert_valid(&self) {
        let done = self.run(&["check", "--strict"]);
        assert_eq!(done.code, 0, "{}", done.errors);
    }
}

/// What a program that has ended said.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Done {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            output: String::from_utf8(output.stdout).expect("UTF-8"),
            errors: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// Waits for something to be there, for much longer than it should take.
pub(crate) fn wait<T>(mut find: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "it never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Sends a signal to a program.
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(sent.success());
}

/// A run's folder.
#[derive(Debug)]
pub(crate) struct Run(pub(crate) PathBuf);

impl Run {
    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a plain path")
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }

    /// The trials of the journal, in the order in which they were finished; a torn last line is none.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let text = self.text("journal.jsonl");
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().skip(1);
        lines
            .map(|line| serde_json::from_str(line).expect("a line of a journal"))
            .collect()
    }

    pub(crate) fn record(&self) -> Value {
        serde_json::from_str(&self.text("run.json")).expect("a run record")
    }

    /// The rows of `samples.csv`, each by its columns.
    pub(crate) fn samples(&self) -> Vec<BTreeMap<String, String>> {
        table(&self.text("samples.csv"))
    }

    /// The trials that have a row in `samples.csv`, in file order.
    pub(crate) fn orders(&self) -> Vec<u32> {
        let orders = self.samples().into_iter();
        orders
            .map(|row| row["order"].parse().expect("a number"))
            .collect()
    }

    /// Names of what the folder holds.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|it| it.expect("an entry").file_name())
            .map(|name| name.into_string().expect("a plain name"))
            .collect();
        names.sort();
        names
    }
}

/// The rows of a table, each by its columns.
pub(crate) fn table(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize();
    rows.map(|row| row.expect("a row")).collect()
}

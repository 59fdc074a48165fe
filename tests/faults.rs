//! What people read when something is wrong: a transcript for every kind of fault, and for healthy runs.
//!
//! A case is a folder below `tests/faults/` named after the fault it shows (`dead-link-in-menu`), or
//! below `tests/runs/`. It holds the files that differ from the healthy site in `_base/`, and
//! `expected.txt`: what the program prints. `command.txt` has other commands than `check`, one a
//! line; `make.txt` makes files that Git or editors would spoil. `SNAPSHOTS=overwrite cargo test
//! --test faults` writes the transcripts anew, `CASES=link` takes only cases with that in their name.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use benchbook::diag::Code;
use snapbox::{Assert, Data, IntoData as _};

/// Files of a case that are no files of its site.
const OWN: [&str; 3] = ["expected.txt", "command.txt", "make.txt"];
/// Runs the program at once, at most.
const AT_ONCE: usize = 4;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// The cases below a folder, by name; names that begin with `_` are layers.
fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = tests().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|fault| panic!("{folder:?}: {fault}"));
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.is_dir() && !name(path).starts_with('_'))
        .collect();
    cases.sort();
    cases
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .expect("a plain name")
}

/// The kind of fault that a case is named after: the longest name that fits.
fn code(case: &str) -> Option<Code> {
    let fits = |code: &&Code| {
        let rest = case.strip_prefix(code.name());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    Code::ALL
        .iter()
        .copied()
        .filter(|code| fits(&code))
        .max_by_key(|code| code.name().len())
}

#[test]
fn every_kind_of_fault_has_a_case() {
    let shown: BTreeSet<Option<Code>> = cases("faults")
        .iter()
        .map(|case| code(name(case)))
        .collect();
    assert!(
        !shown.contains(&None),
        "a case is named after no kind of fault"
    );
    let unseen: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !shown.contains(&Some(**code)))
        .map(|code| code.name())
        .collect();
    assert!(
        unseen.is_empty(),
        "kinds of faults without a case: {unseen:?}"
    );
}

#[test]
fn faults_read_as_expected() {
    check_all(&cases("faults"), |case, transcript| {
        let code = code(name(case)).expect("a case named after a kind of fault");
        transcript
            .contains(code.name())
            .then_some(())
            .ok_or(format!("it doesn't say `{code}`"))
    });
}

#[test]
fn healthy_runs_read_as_expected() {
    check_all(&cases("runs"), |_, _| Ok(()));
}

/// Runs every case and compares its transcript; all that differ are told together.
fn check_all(cases: &[PathBuf], fits: impl Fn(&Path, &str) -> Result<(), String> + Sync) {
    let wanted = std::env::var("CASES").unwrap_or_default();
    let cases: Vec<&PathBuf> = cases
        .iter()
        .filter(|case| name(case).contains(&wanted))
        .collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(AT_ONCE);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = check(case, &fits) {
                        let why = format!("{}: {why}", name(case));
                        failed.lock().expect("no panic while held").push(why);
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().expect("no panic while held");
    failed.sort();
    assert!(
        failed.is_empty(),
        "{} differ:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

fn check(case: &Path, fits: impl Fn(&Path, &str) -> Result<(), String>) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|fault| fault.to_string())?;
    let site = folder.path();
    copy(&tests().join("faults/_base"), site)?;
    let made = std::fs::read_to_string(case.join("make.txt")).unwrap_or_default();
    if !cfg!(unix) && made.lines().any(|line| line == "unix") {
        return Ok(());
    }
    let (layers, made): (Vec<&str>, Vec<&str>) =
        made.lines().partition(|line| line.starts_with("layer "));
    for layer in layers {
        copy(&tests().join("faults").join(&layer["layer ".len()..]), site)?;
    }
    copy(case, site)?;
    for line in made {
        make(site, line).map_err(|why| format!("make.txt: `{line}`: {why}"))?;
    }
    let commands = std::fs::read_to_string(case.join("command.txt"));
    let commands = commands.unwrap_or_else(|_| "check\n".to_owned());
    let transcript: String = commands.lines().map(|command| run(site, command)).collect();
    fits(case, &transcript)?;
    let assert = Assert::new()
        .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
        .normalize_paths(false);
    let expected = Data::read_from(&case.join("expected.txt"), None).raw();
    let compared = assert.try_eq(Some(&name(case)), transcript.into_data().raw(), expected);
    compared.map_err(|fault| fault.to_string())
}

/// Copies a folder's files over those of another.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let say = |fault: std::io::Error| fault.to_string();
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.map_err(|fault| fault.to_string())?;
        let path = entry.path().strip_prefix(from).expect("a path below it");
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(to.join(path)).map_err(say)?;
        } else if !OWN.iter().any(|own| path == Path::new(own)) {
            std::fs::copy(entry.path(), to.join(path)).map_err(say)?;
        }
    }
    Ok(())
}

/// Does what a line of `make.txt` says:
/// `crlf FILE`, `mark FILE` (a byte order mark in front), `bytes FILE HEX`, `text FILE WORDS…`,
/// `symlink FILE TARGET`, `remove FILE`; `unix` for a case whose names other systems can't hold.
fn make(site: &Path, line: &str) -> Result<(), String> {
    if line == "unix" {
        return Ok(());
    }
    let mut words = line.splitn(3, ' ');
    let verb = words.next().unwrap_or_default();
    let path = site.join(words.next().ok_or("it names no file")?.replace("%20", " "));
    let rest = words.next().unwrap_or_default();
    let read = || std::fs::read_to_string(&path);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|fault| fault.to_string())?;
    }
    let done = match verb {
        "crlf" => read().and_then(|text| std::fs::write(&path, text.replace('\n', "\r\n"))),
        "mark" => read().and_then(|text| std::fs::write(&path, format!("\u{feff}{text}"))),
        "text" => std::fs::write(&path, format!("{rest}\n")),
        "bytes" => {
            let digits: Vec<u8> = rest
                .bytes()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            let bytes: Option<Vec<u8>> = digits
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect();
            std::fs::write(&path, bytes.ok_or("these are no hexadecimal digits")?)
        }
        "symlink" => symlink(rest, &path),
        "remove" if path.is_dir() => std::fs::remove_dir_all(&path),
        "remove" => std::fs::remove_file(&path),
        _ => return Err("there is no such verb".to_owned()),
    };
    done.map_err(|fault| fault.to_string())
}

#[cfg(unix)]
fn symlink(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(not(unix))]
fn symlink(_: &str, _: &Path) -> std::io::Result<()> {
    Err(std::io::Error::other("symbolic links need a right here"))
}

/// A line without what changes whenever the theme gets another word.
fn steady(line: &str) -> String {
    if line.starts_with("warning[missing-message]") {
        return line.replace(|letter: char| letter.is_ascii_digit(), "#");
    }
    match line.find("missing: `") {
        Some(at) => format!("{}…", &line[..at + "missing: ".len()]),
        None => line.to_owned(),
    }
}

/// Runs a command in the site and tells what it printed. `… | head -N` keeps the first lines only.
fn run(site: &Path, command: &str) -> String {
    let (words, head) = match command.split_once(" | head -") {
        Some((words, count)) => (words, count.parse().expect("a number of lines")),
        None => (command, usize::MAX),
    };
    let output = Command::new(env!("CARGO_BIN_EXE_benchbook"))
        .args(words.split_whitespace())
        .current_dir(site)
        .env("BENCHBOOK_JOBS", "2")
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .output()
        .unwrap_or_else(|fault| panic!("the program can't be run: {fault}"));
    let mut told = format!("$ benchbook {command}\n");
    for text in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(text).replace("benchbook.exe", "benchbook");
        for line in text.lines().take(head) {
            let _ = writeln!(told, "{}", steady(line.trim_end()));
        }
    }
    let code = output
        .status
        .code()
        .map_or_else(|| "a signal".to_owned(), |code| code.to_string());
    let _ = writeln!(told, "exit code {code}\n");
    told
}

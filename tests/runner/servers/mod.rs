//! Runs on real servers: what they leave, and what becomes of them when something goes wrong.
//!
//! A server that isn't installed skips its tests; each is counted in the file that `BENCHBOOK_SKIPPED` names.

mod own;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use benchbook::runner::engine::{self, Availability};

use self::own::{DATABASE, Own, PASSWORD, USER};
use super::site::{Done, FAST, Run, Site, signal, table, wait};

/// An engine that is tested.
struct Kind {
    name: &'static str,
    /// The name of the server's program.
    program: &'static str,
    /// A setting with two values that work.
    setting: (&'static str, [&'static str; 2]),
    /// A setting that keeps other instances small.
    small: &'static str,
    /// A setting with a value that the server doesn't take, and words of the fault.
    refused: (&'static str, &'static str, &'static [&'static str]),
    /// A setting with a value that the server takes as another one.
    clamped: Option<(&'static str, &'static str, &'static str)>,
    /// What is said of a wrong password.
    wrong_password: &'static str,
    /// A setting that lets few connections in, and what the server says to the next; there may be none.
    crowded: (&'static str, &'static str),
}

const POSTGRES: Kind = Kind {
    name: "postgres",
    program: "postgres",
    setting: ("shared_buffers", ["8MB", "16MB"]),
    small: "max_wal_size = \"64MB\"",
    refused: ("shared_buffers", "banana", &["shared_buffers"]),
    clamped: None,
    wrong_password: "password authentication failed",
    crowded: ("max_connections = \"8\"", "too many"),
};

const MARIADB: Kind = Kind {
    name: "mariadb",
    program: "mariadbd",
    setting: ("innodb_log_file_size", ["8M", "16M"]),
    small: "innodb_buffer_pool_size = \"16M\"",
    refused: ("innodb_flush_method", "banana", &["banana", "flush"]),
    clamped: Some(("innodb_log_file_size", "1M", "4194304")),
    wrong_password: "Access denied",
    crowded: ("max_connections = \"10\"", "oo many"),
};

const FIREBIRD: Kind = Kind {
    name: "firebird",
    program: "firebird",
    setting: ("DefaultDbCachePages", ["256", "512"]),
    small: "LockMemSize = \"2M\"",
    refused: ("ServerMode", "banana", &["ServerMode", "Super"]),
    clamped: Some(("LockHashSlots", "99999", "65521")),
    wrong_password: "user name and password aren't accepted",
    crowded: ("", ""),
};

/// Tests of an engine, each skipped where that isn't there.
macro_rules! tests_of {
    ($name:ident $kind:ident $($test:ident)*) => {
        mod $name {
            $(
                #[test]
                fn $test() {
                    if super::is_there(&super::$kind) {
                        super::$test(&super::$kind);
                    }
                }
            )*
        }
    };
}

tests_of! {
    postgres POSTGRES
    a_run_completes_and_leaves_nothing
    what_a_killed_runner_leaves_is_ended_and_the_run_goes_on
    a_server_that_dies_fails_its_trial_only
    a_run_that_is_asked_to_end_ends_its_server
    a_server_by_its_address_is_used_and_told_nothing_of
    what_a_server_by_its_address_refuses_is_told
    settings_that_are_not_taken_fail_their_trial
    too_many_connections_fail_their_trial
}

tests_of! {
    mariadb MARIADB
    a_run_completes_and_leaves_nothing
    what_a_killed_runner_leaves_is_ended_and_the_run_goes_on
    a_server_that_dies_fails_its_trial_only
    a_run_that_is_asked_to_end_ends_its_server
    a_server_by_its_address_is_used_and_told_nothing_of
    what_a_server_by_its_address_refuses_is_told
    settings_that_are_not_taken_fail_their_trial
    too_many_connections_fail_their_trial
}

tests_of! {
    firebird FIREBIRD
    a_run_completes_and_leaves_nothing
    what_a_killed_runner_leaves_is_ended_and_the_run_goes_on
    a_server_that_dies_fails_its_trial_only
    a_run_that_is_asked_to_end_ends_its_server
    a_server_by_its_address_is_used_and_told_nothing_of
    what_a_server_by_its_address_refuses_is_told
    settings_that_are_not_taken_fail_their_trial
}

/// Whether an engine is there; else the test is counted as skipped.
fn is_there(kind: &Kind) -> bool {
    let engine = engine::find(kind.name);
    let is_there = engine.is_some_and(|it| matches!(it.probe(), Availability::Ready(_)));
    if !is_there {
        eprintln!("skipped: the engine `{}` isn't here", kind.name);
        if let Some(file) = std::env::var_os("BENCHBOOK_SKIPPED") {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            let line = format!("{}\t{test}\n", kind.name);
            let file = fs::File::options().create(true).append(true).open(file);
            file.and_then(|mut file| file.write_all(line.as_bytes()))
                .expect("the list of skipped tests");
        }
    }
    is_there
}

/// An experiment on an engine: two levels of a setting, each trial of about a second.
fn definition(kind: &Kind, settings: &str, connections: u32, duration: &str) -> String {
    let (name, levels) = kind.setting;
    FAST.replace("\"sqlite\"", &format!("\"{}\"", kind.name))
        .replace("\"10\", \"1000\"", &format!("\"{}\", \"{}\"", levels[0], levels[1]))
        .replace("kind = \"number\"", "kind = \"nominal\"")
        .replace("\n[factors.sync]\nlabel = \"Synchronous\"\nkind = \"nominal\"\nlevels = [\"OFF\", \"NORMAL\"]", "")
        .replace("repetitions = 10", "repetitions = 1")
        .replace("cache_size = \"{page_cache}\"\nsynchronous = \"{sync}\"\njournal_mode = \"MEMORY\"",
            &format!("{name} = \"{{page_cache}}\"\n{}\n{settings}", kind.small))
        .replace("every = \"5 ms\"", "every = \"100 ms\"")
        .replace("connections = 1", &format!("connections = {connections}"))
        .replace("duration = \"0.01 s\"", &format!("duration = \"{duration}\""))
}

/// The same on a server whose settings are its own, so that something else makes the cases differ.
fn by_address(kind: &Kind) -> String {
    let (name, levels) = kind.setting;
    definition(kind, "", 3, "0.3 s")
        .replace(&format!("{name} = \"{{page_cache}}\"\n"), "")
        .replace(kind.small, "")
        .replace(
            &format!("\"{}\", \"{}\"", levels[0], levels[1]),
            "\"1\", \"3\"",
        )
        .replace("connections = 3", "connections = \"{page_cache}\"")
}

/// A site that servers of other users may enter.
fn site(definition: &str) -> Site {
    let site = Site::new(definition);
    fs::set_permissions(site.path(""), fs::Permissions::from_mode(0o755)).expect("opened");
    site
}

/// Processes that run below a folder: by where they are, what they were started with, and their environment.
fn processes(folder: &Path) -> Vec<u32> {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let folder = folder.to_string_lossy().into_owned();
    let all = fs::read_dir("/proc").expect("processes").flatten();
    let found = all.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let place = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        let texts = ["cmdline", "environ"].map(|name| fs::read(entry.path().join(name)));
        let mut texts = texts.into_iter().flatten();
        let is_below = place.to_string_lossy().contains(&folder)
            || texts.any(|text| String::from_utf8_lossy(&text).contains(&folder));
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        (is_below && pid != std::process::id() && !stat.contains(") Z ")).then_some(pid)
    });
    found.collect()
}

/// Servers of a run's trials.
fn servers(run: &Run) -> Vec<u32> {
    processes(&run.0.join("scratch"))
}

/// Where the sockets of a trial's server are, whether or not the folders are still there.
fn sockets_of(run: &Run, trial: &str) -> PathBuf {
    let folder = fs::canonicalize(&run.0).expect("a folder");
    let folder = folder.join("scratch").join(trial).join("data");
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    Path::new("/tmp").join(format!("benchbook-{}", &hash[..16]))
}

/// Whether nothing of a run is left running or lying about.
fn assert_nothing_left(site: &Site, run: &Run) {
    assert_eq!(processes(&site.path("")), Vec::<u32>::new(), "processes");
    for trial in 0..4 {
        let sockets = sockets_of(run, &trial.to_string());
        assert!(!sockets.exists(), "sockets of trial {trial}");
    }
    for name in ["lock", "scratch", "scratch-place"] {
        assert!(!run.0.join(name).exists(), "{name}");
    }
}

/// Waits until a trial has a server at work: one process of its program, for a while.
fn wait_for_server(site: &Site, trial: u32, kind: &Kind) -> Run {
    let server = |pid: &u32| {
        let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let told = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        // What prepares the data is the same program, but no server yet.
        let told = String::from_utf8_lossy(&told);
        let prepares = ["--boot", "--single"].iter().any(|it| told.contains(it));
        program
            .file_name()
            .is_some_and(|name| name == kind.program && !prepares)
    };
    wait(|| {
        let run = site.runs().into_iter().next()?;
        let folder = run.0.join("scratch").join(trial.to_string());
        if !folder.is_dir() {
            return None;
        }
        let first = processes(&folder).into_iter().find(server)?;
        std::thread::sleep(Duration::from_millis(600));
        processes(&folder).contains(&first).then_some(run)
    })
}

fn done(child: Child) -> Done {
    Done::of(child.wait_with_output().expect("ended"))
}

fn a_run_completes_and_leaves_nothing(kind: &Kind) {
    let site = site(&definition(kind, "", 3, "0.3 s"));
    let done = site.run(&["run", "x"]);
    assert_eq!(
        done.code,
        0,
        "{}\n{}",
        done.errors,
        site.the_run().text("samples.csv")
    );
    let run = site.the_run();
    assert_eq!(run.orders(), [0, 1]);
    assert_eq!(
        run.names(),
        ["run.json", "samples.csv", "settings.csv", "timeline.csv"]
    );
    let settings = table(&run.text("settings.csv"));
    for level in kind.setting.1 {
        let is = |row: &&_| {
            let row: &std::collections::BTreeMap<String, String> = row;
            row["setting"] == kind.setting.0 && row["page_cache"] == level
        };
        let row = settings.iter().find(is).expect("a row");
        assert_eq!(row["requested"], level);
        assert!(
            !row["effective"].is_empty() || kind.name == "firebird",
            "{row:?}"
        );
    }
    let record = run.record();
    assert_eq!(record["environment"]["instance"], "private");
    assert_nothing_left(&site, &run);
    site.assert_valid();
}

fn what_a_killed_runner_leaves_is_ended_and_the_run_goes_on(kind: &Kind) {
    let site = site(&definition(kind, "", 3, "2 s"));
    fs::create_dir(site.path("data/y")).expect("a folder");
    site.write("data/y/experiment.toml", FAST);
    let mut child = site.start(&["run", "x"]);
    let run = wait_for_server(&site, 1, kind);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let left = servers(&run);
    assert!(!left.is_empty(), "the server outlives the runner");

    let next = site.run(&["run", "y", "--repetitions", "1"]);
    assert_eq!(next.code, 0, "{}", next.errors);
    assert!(next.errors.contains("left running w"), "{}", next.errors);
    assert!(servers(&run).is_empty(), "{left:?} were ended");
    assert!(!sockets_of(&run, "1").exists());

    let again = site.run(&["run", "--resume", run.path()]);
    assert_eq!(again.code, 0, "{}", again.errors);
    assert_eq!(run.orders(), [0, 1]);
    assert_nothing_left(&site, &run);
}

/// Kills the server of a trial as a failure of the machine would, until that is noticed: between what prepares the
/// data and what is measured it may be stopped just now.
fn kill_server(run: &Run, trials: usize) {
    wait(|| {
        // Those of the next trial aren't meant.
        let servers = servers(run);
        if run.journal().len() >= trials {
            return Some(());
        }
        for pid in servers {
            // Its own helpers may be gone already.
            let _ = Command::new("kill")
                .args(["-KILL", &pid.to_string()])
                .output();
        }
        std::thread::sleep(Duration::from_millis(50));
        None
    });
}

fn a_server_that_dies_fails_its_trial_only(kind: &Kind) {
    let definition = definition(kind, "", 3, "2 s").replace("repetitions = 1", "repetitions = 2");
    let site = site(&definition);
    let child = site.start(&["run", "x", "--stop-on-failure"]);
    let run = wait_for_server(&site, 0, kind);
    kill_server(&run, 1);
    let first = done(child);
    assert_eq!(first.code, 3, "{}", first.errors);
    assert!(
        first.errors.contains("left (a trial failed)"),
        "{}",
        first.errors
    );
    assert_eq!(run.orders(), [0]);
    assert_nothing_left(&site, &run);

    let child = site.start(&["run", "--resume", run.path()]);
    wait_for_server(&site, 1, kind);
    kill_server(&run, 2);
    let second = done(child);
    assert_eq!(second.code, 1, "{}", second.errors);
    let rows = run.samples();
    assert_eq!(rows.len(), 4);
    for (order, row) in rows.iter().enumerate() {
        assert_eq!(
            row["status"],
            if order < 2 { "failed" } else { "" },
            "{row:?}"
        );
        let why = "was ended by signal 9";
        assert_eq!(row["note"].contains(why), order < 2, "{row:?}");
    }
    for order in 0..2 {
        let log = run.text(&format!("logs/{order}.log"));
        assert!(!log.is_empty(), "the end of the server's log");
    }
    assert_nothing_left(&site, &run);
    site.assert_valid();
}

fn a_run_that_is_asked_to_end_ends_its_server(kind: &Kind) {
    let site = site(&definition(kind, "", 3, "20 s"));
    let child = site.start(&["run", "x"]);
    let run = wait_for_server(&site, 0, kind);
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, "INT");
    let done = done(child);
    assert_eq!(done.code, 3, "{}", done.errors);
    assert!(run.orders().is_empty());
    assert_nothing_left(&site, &run);
}

/// Whether nothing of a server is told in the files of a run, nor on the screen.
fn assert_untold(run: &Run, said: &str) {
    let mut texts = vec![("the screen".to_owned(), said.to_owned())];
    let mut folders = vec![run.0.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let bytes = fs::read(entry.path()).expect("a file");
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    texts.push((entry.path().display().to_string(), text));
                }
            }
        }
    }
    for (place, text) in texts {
        for secret in [PASSWORD, USER, DATABASE] {
            assert!(!text.contains(secret), "{secret} in {place}: {text}");
        }
    }
}

fn a_server_by_its_address_is_used_and_told_nothing_of(kind: &Kind) {
    let own = Own::start(kind.name);
    let before = own.databases();
    let site = site(&by_address(kind));
    site.write("password", &format!("{PASSWORD}\n"));
    let address = own.address();
    let by_address = ["--server", &address, "--password-file", "password"];
    let done = site.run(&[&["run", "x"][..], &by_address].concat());
    let run = site.the_run();
    assert_eq!(done.code, 0, "{}\n{}", done.errors, run.text("samples.csv"));
    assert!(
        done.errors.contains("used by its address"),
        "{}",
        done.errors
    );
    assert_eq!(run.record()["environment"]["instance"], "by-address");
    assert_untold(&run, &done.errors);
    assert_eq!(own.databases(), before, "its database is removed");
    assert_nothing_left(&site, &run);
    site.assert_valid();
}

fn what_a_server_by_its_address_refuses_is_told(kind: &Kind) {
    let own = Own::start(kind.name);
    let site = site(&by_address(kind));
    let address = own.address();
    let closed = {
        let bound = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        bound.local_addr().expect("an address").port().to_string()
    };
    let port = address
        .split(':')
        .nth(2)
        .and_then(|it| it.split('/').next());
    let nowhere = address.replace(port.expect("a port"), &closed);
    for (address, password) in [(&address, "n0t-it"), (&nowhere, PASSWORD)] {
        let mut command = site.command(&["run", "x", "--server", address]);
        let output = command.env("BENCHBOOK_PASSWORD", password).output();
        let done = Done::of(output.expect("it runs"));
        assert_eq!(done.code, 1, "{}", done.errors);
        let run = site.the_run();
        for row in run.samples() {
            assert_eq!(row["status"], "failed", "{row:?}");
            let why = match password == PASSWORD {
                true => "refused",
                false => kind.wrong_password,
            };
            assert!(row["note"].contains(why), "{row:?}");
        }
        assert!(!done.errors.contains("n0t-it"), "{}", done.errors);
        assert_untold(&run, &done.errors);
        assert_nothing_left(&site, &run);

        // It can't be gone on with on a private one.
        let again = site.run(&["run", "--resume", run.path(), "--retry-failed"]);
        assert_eq!(again.code, 2, "{}", again.errors);
        assert!(
            again.errors.contains("give it again with `--server`"),
            "{}",
            again.errors
        );
        fs::remove_dir_all(&run.0).expect("removed");
    }
}

/// Runs one trial of an experiment with these lines among its settings; answers the reason for which it failed.
fn failure(kind: &Kind, line: &str, connections: u32) -> String {
    let (name, levels) = kind.setting;
    let definition = definition(kind, line, connections, "0.3 s").replace(
        &format!("levels = [\"{}\", \"{}\"]", levels[0], levels[1]),
        &format!("levels = [\"{}\"]", levels[0]),
    );
    let definition = match line.starts_with(name) {
        true => definition.replace(&format!("{name} = \"{{page_cache}}\"\n"), ""),
        false => definition,
    };
    let site = site(&definition);
    let done = site.run(&["run", "x"]);
    let Some(run) = site.runs().into_iter().next() else {
        assert_eq!(done.code, 2, "{}", done.errors);
        return done.errors;
    };
    assert_eq!(done.code, 1, "{}", done.errors);
    let rows = run.samples();
    assert_eq!(rows[0]["status"], "failed", "{rows:?}");
    assert_nothing_left(&site, &run);
    rows[0]["note"].clone()
}

fn settings_that_are_not_taken_fail_their_trial(kind: &Kind) {
    let (name, value, words) = kind.refused;
    let why = failure(kind, &format!("{name} = \"{value}\""), 1);
    for word in words {
        assert!(why.contains(word), "{why}");
    }
    if let Some((name, value, effective)) = kind.clamped {
        let why = failure(kind, &format!("{name} = \"{value}\""), 1);
        for word in [name, value, effective] {
            assert!(why.contains(word), "{why}");
        }
    }
}

fn too_many_connections_fail_their_trial(kind: &Kind) {
    let (line, words) = kind.crowded;
    let why = failure(kind, line, 30);
    assert!(why.contains(words), "{why}");
}

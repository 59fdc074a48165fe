//! What killed runners leave is found by whatever runs next in the site, wherever it is.

use std::fs;
use std::path::{Path, PathBuf};

use super::site::{Done, FAST, Run, Site, commands, signal, wait};

/// The second trial starts something that outlives its runner, in a group of its own, and waits.
const LEAVING: &str = r#"
shell = true
measure = """
if [ {n} = 2 ] && [ ! -e $OUTSIDE/first ]; then
  touch $OUTSIDE/first
  setsid sleep 300 &
  echo $! > $OUTSIDE/left
  sleep 300
fi
"""
"#;

/// Whether a process is at work. One that has ended stands in the table until somebody asks for it.
fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

/// Starts the experiment `x` and kills its runner once it has left something; answers the run and the process.
fn leave(site: &Site, flags: &[&str]) -> (Run, String) {
    let mut command = site.command(&[&["run", "x"], flags].concat());
    let mut child = command
        .env("OUTSIDE", site.path(""))
        .spawn()
        .expect("started");
    let left = wait(|| {
        let text = fs::read_to_string(site.path("left")).ok()?;
        text.ends_with('\n').then(|| text.trim().to_owned())
    });
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(lives(&left), "it outlives the runner");
    (site.the_run(), left)
}

fn go_on(site: &Site, run: &Run, flags: &[&str]) -> Done {
    let mut command = site.command(&[&["run", "--resume", run.path()], flags].concat());
    let output = command.env("OUTSIDE", site.path("")).output();
    Done::of(output.expect("the program runs"))
}

/// Where the sockets of a server in a folder are.
fn sockets(folder: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder).expect("a folder");
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    Path::new("/tmp").join(format!("benchbook-{}", &hash[..16]))
}

#[test]
fn the_next_run_of_any_experiment_ends_it() {
    let site = Site::new(&commands(LEAVING));
    fs::create_dir(site.path("data/y")).expect("a folder");
    site.write("data/y/experiment.toml", FAST);
    let (run, left) = leave(&site, &[]);
    let sockets = sockets(&run.0.join("scratch/1/data"));
    fs::create_dir(&sockets).expect("made");

    let done = site.run(&["run", "y", "--repetitions", "1"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    let note =
        "processes that a killed runner had left running were ended; its run is data/x/runs/";
    assert!(done.errors.contains(note), "{}", done.errors);
    assert!(!lives(&left), "it was ended");
    assert!(!sockets.exists(), "its sockets are removed");
    assert!(
        run.0.join("scratch/1").is_dir(),
        "what it was at can be seen"
    );
    let done = site.run(&["run", "y", "--repetitions", "1"]);
    assert!(!done.errors.contains("killed"), "{}", done.errors);

    let done = go_on(&site, &run, &[]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert_eq!(run.orders(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(!run.0.join("scratch").exists());
}

#[test]
fn a_runner_that_is_at_work_is_left_alone() {
    let site = Site::new(&commands("measure = \"sleep 60\""));
    fs::create_dir(site.path("data/y")).expect("a folder");
    site.write("data/y/experiment.toml", FAST);
    let child = site.start(&["run", "x"]);
    let run = wait(|| {
        let run = site.runs().into_iter().next()?;
        run.0.join("scratch/0/files").is_dir().then_some(run)
    });
    let done = site.run(&["run", "y", "--repetitions", "1"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert!(!done.errors.contains("killed"), "{}", done.errors);
    assert!(run.0.join("scratch/0/files").is_dir() && run.orders().is_empty());
    signal(&child, "TERM");
    let done = Done::of(child.wait_with_output().expect("ended"));
    assert_eq!(done.code, 3, "{}", done.errors);
}

#[test]
fn trials_write_where_they_are_told_to() {
    let site = Site::new(&commands(LEAVING));
    let large = tempfile::tempdir().expect("a folder");
    let names = || {
        let entries = fs::read_dir(large.path()).expect("a folder");
        entries
            .map(|it| it.expect("an entry").path())
            .collect::<Vec<_>>()
    };
    let (run, left) = leave(
        &site,
        &["--scratch", large.path().to_str().expect("a plain path")],
    );
    assert!(!run.0.join("scratch").exists());
    let [scratch] = &names()[..] else {
        panic!("one folder: {:?}", names())
    };
    assert!(scratch.join("1/data").is_dir());

    // It is found again without being named.
    let done = go_on(&site, &run, &[]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert!(
        done.errors.contains("left running were ended"),
        "{}",
        done.errors
    );
    assert!(!lives(&left), "it was ended");
    assert_eq!(run.orders(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(names().is_empty() && !run.0.join("scratch").exists());
    assert_eq!(
        run.names(),
        ["logs", "run.json", "samples.csv", "timeline.csv"]
    );
    site.assert_valid();
}

#[test]
fn a_place_elsewhere_stands_in_no_file() {
    let site = Site::new(&commands(
        "shell = true\nmeasure = \"pwd; echo {scratch}; [ {n} != 2 ]\"",
    ));
    let large = tempfile::tempdir().expect("a folder");
    let path = large.path().to_str().expect("a plain path");
    let done = site.run(&["run", "x", "--scratch", path]);
    assert_eq!(done.code, 1, "{}", done.errors);
    let run = site.the_run();
    assert!(
        run.text("logs/1.log").contains("{scratch}/1/files"),
        "{}",
        run.text("logs/1.log")
    );
    for name in run.names().iter().filter(|name| *name != "logs") {
        assert!(!run.text(name).contains(path), "{name}");
    }
    assert_eq!(fs::read_dir(path).expect("a folder").count(), 0);
}

#[test]
fn programs_are_not_told_the_servers_password() {
    let site = Site::new(&commands(
        "shell = true\nmeasure = \"env; [ -z \\\"$BENCHBOOK_PASSWORD\\\" ]\"",
    ));
    let mut command = site.command(&["run", "x"]);
    let output = command.env("BENCHBOOK_PASSWORD", "s3cret").output();
    let done = Done::of(output.expect("the program runs"));
    assert_eq!(done.code, 0, "{}", done.errors);
}

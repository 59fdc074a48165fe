//! What can't be begun or gone on with is refused, with a reason and a way out, and nothing is changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::site::{FAST, Run, Site, commands, signal};

/// Every file below a folder with what it holds.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all.extend(content(&path));
        } else {
            let name = path.to_string_lossy().into_owned();
            all.insert(name, fs::read(&path).expect("a file"));
        }
    }
    all
}

/// A run that was killed after some trials.
fn killed(site: &Site) -> Run {
    let mut child = site.start(&["run", "x"]);
    let run = site.wait_for_trials(3);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let _ = fs::remove_file(run.0.join("lock"));
    run
}

/// Going on with a run is refused with these words, and changes nothing in its folder.
fn assert_refused(site: &Site, run: &Run, words: &[&str]) {
    let before = content(&run.0);
    let done = site.run(&["run", "--resume", run.path()]);
    assert_eq!(done.code, 2, "{}", done.errors);
    for words in words {
        assert!(done.errors.contains(words), "{}", done.errors);
    }
    assert_eq!(content(&run.0), before);
}

#[test]
fn a_second_runner_is_refused() {
    let site = Site::new(&commands("measure = \"sleep 60\""));
    let child = site.start(&["run", "x"]);
    let run = super::site::wait(|| {
        let run = site.runs().into_iter().next()?;
        run.0.join("scratch/0/files").is_dir().then_some(run)
    });
    let second = site.run(&["run", "--resume", run.path()]);
    assert_eq!(second.code, 2, "{}", second.errors);
    let process = format!("another runner (process {}) is at work", child.id());
    assert!(second.errors.contains(&process), "{}", second.errors);
    assert!(
        run.0.join("scratch/0/files").is_dir(),
        "the first one's files are left alone"
    );
    signal(&child, "TERM");
    let done = child.wait_with_output().expect("ended");
    assert_eq!(done.status.code(), Some(3));
}

#[test]
fn a_run_of_another_definition_is_not_gone_on_with() {
    let site = Site::new(FAST);
    let run = killed(&site);
    for (was, is, told) in [
        (
            "\"1000\"]",
            "\"1000\", \"2000\"]",
            "`factors.page_cache.levels` is `10, 1000, 2000`, and was `10, 1000`",
        ),
        (
            "rows = 100",
            "rows = 101",
            "`run.parameters.rows` is `101`, and was `100`",
        ),
        (
            "journal_mode = \"MEMORY\"",
            "journal_mode = \"DELETE\"",
            "`run.settings.journal_mode` is `DELETE`, and was `MEMORY`",
        ),
        (
            "workload = \"insert-update\"",
            "workload = \"insert-updates\"",
            "there is no workload",
        ),
    ] {
        site.write("data/x/experiment.toml", &FAST.replace(was, is));
        let words = ["no longer what it was", "begin another run", told];
        assert_refused(&site, &run, &words);
    }
    // Runs of older versions don't say what they were.
    let mut record = run.record();
    let plan = record["plan"].as_object_mut().expect("a plan");
    let inputs = plan.remove("inputs").expect("inputs");
    assert_eq!(inputs["run.parameters.rows"], "100");
    let kept = run.text("run.json");
    fs::write(run.0.join("run.json"), record.to_string()).expect("written");
    site.write(
        "data/x/experiment.toml",
        &FAST.replace("rows = 100", "rows = 101"),
    );
    let words = ["its [run], its levels or its metrics have changed"];
    assert_refused(&site, &run, &words);
    fs::write(run.0.join("run.json"), kept).expect("written");
    // What says nothing about trials may change.
    site.write(
        "data/x/experiment.toml",
        &FAST.replace("How fast is it?", "How fast?"),
    );
    let done = site.run(&["run", "--resume", run.path()]);
    assert_eq!(done.code, 0, "{}", done.errors);
}

#[test]
fn a_run_of_another_engine_is_not_gone_on_with() {
    let site = Site::new(FAST);
    let run = killed(&site);
    let mut record = run.record();
    record["environment"]["engine"] = "SQLite 3.1.0".into();
    fs::write(run.0.join("run.json"), record.to_string()).expect("written");
    let journal = run.text("journal.jsonl");
    let done = site.run(&["run", "--resume", run.path()]);
    assert_eq!(done.code, 2, "{}", done.errors);
    assert!(
        done.errors
            .contains("begun with SQLite 3.1.0, and this is SQLite 3."),
        "{}",
        done.errors
    );
    assert!(
        journal.starts_with(&run.text("journal.jsonl")),
        "no trial was added"
    );
}

#[test]
fn a_journal_that_was_spoilt_is_told_with_its_line() {
    let site = Site::new(FAST);
    let run = killed(&site);
    let path = run.0.join("journal.jsonl");
    let journal = run.text("journal.jsonl");
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let spoil = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line] = text;
        fs::write(&path, lines.concat()).expect("written");
    };
    spoil(2, "{\"order\":1,\n");
    assert_refused(
        &site,
        &run,
        &[
            "journal.jsonl:3: this is no line of a journal",
            "before line 3",
        ],
    );
    spoil(2, lines[1]);
    assert_refused(
        &site,
        &run,
        &["journal.jsonl:3: the trial 0 stands in it twice"],
    );
    spoil(1, &lines[1].replace("\"order\":0", "\"order\":77"));
    assert_refused(&site, &run, &["journal.jsonl:2: the plan has no trial 77"]);
    spoil(1, &lines[1].replace("\"block\":0", "\"block\":1"));
    assert_refused(
        &site,
        &run,
        &["journal.jsonl:2: the trial 0 is another one in the plan"],
    );
    spoil(
        0,
        &lines[0].replace("fingerprint\":\"", "fingerprint\":\"0"),
    );
    assert_refused(&site, &run, &["belongs to another plan"]);
    fs::remove_file(&path).expect("removed");
    assert_refused(&site, &run, &["journal.jsonl` is missing"]);
}

#[test]
fn names_that_nothing_has_are_told_with_what_there_is() {
    let site = Site::new(FAST);
    for (arguments, words) in [
        (vec!["run", "y"], vec!["there is no experiment `y`", "`x`"]),
        (
            vec!["run", "x", "--engine", "sqlit"],
            vec!["there is no engine `sqlit`", "did you mean `sqlite`?"],
        ),
        (
            vec!["run", "x", "--only", "page_cash=10"],
            vec!["page_cash", "did you mean `page_cache`?"],
        ),
        (vec!["run", "x", "--only", "page_cache=11"], vec!["11"]),
        (
            vec!["run", "x", "--resume", "y"],
            vec!["`x` has no run `y`; it has none yet"],
        ),
        (
            vec!["run", "x", "--resume", "last"],
            vec!["no run of `x` is unfinished"],
        ),
        (
            vec!["run", "--resume", "data/x"],
            vec!["`data/x` is no run: it holds no run.json"],
        ),
        (
            vec!["run", "--resume", "data/y"],
            vec!["there is no run in `data/y`"],
        ),
        (vec!["run"], vec!["EXPERIMENT"]),
        (vec!["run", "x", "--budget", "soon"], vec!["`90s`"]),
        (
            vec!["run", "x", "--shard", "3/2"],
            vec!["there is no part 3 of 2"],
        ),
        (
            vec!["run", "x", "x", "--out", "a"],
            vec!["name one experiment"],
        ),
        (
            vec!["run", "x", "--resume", "a", "--seed", "2"],
            vec!["cannot be used with"],
        ),
    ] {
        let done = site.run(&arguments);
        assert_eq!(done.code, 2, "{arguments:?}: {}", done.errors);
        for words in words {
            assert!(
                done.errors.contains(words),
                "{arguments:?}: {}",
                done.errors
            );
        }
    }
    assert!(!site.path("data/x/runs").exists() && !site.path("data/x/lock").exists());
}

#[test]
fn settings_that_the_engine_has_not_are_told_before_anything_starts() {
    for (was, is, words) in [
        (
            "cache_size =",
            "chache_size =",
            "has no PRAGMA `chache_size`: did you mean `cache_size`?",
        ),
        (
            "\"OFF\", \"NORMAL\"",
            "\"OFF\", \"NORMALLY\"",
            "`synchronous` can't be `NORMALLY`",
        ),
    ] {
        let site = Site::new(&FAST.replace(was, is));
        for arguments in [&["run", "x"][..], &["run", "x", "--plan"]] {
            let done = site.run(arguments);
            assert_eq!(done.code, 2, "{}", done.errors);
            for words in [words, "data/x/experiment.toml:"] {
                assert!(done.errors.contains(words), "{}", done.errors);
            }
        }
        assert!(!site.path("data/x/runs").exists());
    }
}

#[test]
fn an_experiment_without_run_says_how_to_add_one() {
    let (without, _) = FAST.split_once("[run]").expect("the table");
    let site = Site::new(without);
    let done = site.run(&["run", "x"]);
    assert_eq!(done.code, 2, "{}", done.errors);
    assert!(
        done.errors.contains("add a table `[run]`"),
        "{}",
        done.errors
    );
}

#[test]
fn a_run_is_written_into_no_folder_that_holds_something() {
    let site = Site::new(FAST);
    fs::create_dir(site.path("mine")).expect("made");
    site.write("mine/notes.txt", "mine");
    let done = site.run(&["run", "x", "--out", "mine"]);
    assert_eq!(done.code, 2, "{}", done.errors);
    assert!(
        done.errors.contains("`mine` is there already"),
        "{}",
        done.errors
    );
    assert_eq!(content(&site.path("mine")).len(), 1);
}

#[test]
fn a_server_is_named_for_its_engine_and_without_secrets() {
    let site = Site::new(FAST);
    for (flags, words) in [
        (
            &["--server", "postgres://u@h"][..],
            "the engine `sqlite` uses no server",
        ),
        (&["--server", "u@h"], "write it like `postgres://"),
        (
            &["--server", "mysql://u:s3cret@h"],
            "the password into the variable BENCHBOOK_PASSWORD",
        ),
        (&["--password-file", "x"], "name it with `--server`"),
    ] {
        for command in [&["run", "x"][..], &["run", "x", "--plan"]] {
            let done = site.run(&[command, flags].concat());
            assert_eq!(done.code, 2, "{}", done.errors);
            assert!(done.errors.contains(words), "{}", done.errors);
            assert!(!done.errors.contains("s3cret"), "{}", done.errors);
            assert!(site.runs().is_empty());
        }
    }
}

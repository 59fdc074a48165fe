//! What a run does and writes when nothing disturbs it.

use std::fs;

use serde_json::Value;

use super::site::{FAST, Site, commands, table};

#[test]
fn a_seed_gives_the_same_order_and_another_gives_another() {
    let order = |seed: &str| {
        let site = Site::new(FAST);
        let done = site.run(&["run", "x", "--repetitions", "3", "--seed", seed]);
        assert_eq!(done.code, 0, "{}", done.errors);
        let rows = site.the_run().samples();
        let cases = rows
            .iter()
            .map(|row| ["block", "page_cache", "sync"].map(|column| row[column].clone()));
        cases.collect::<Vec<_>>()
    };
    let first = order("7");
    assert_eq!(first.len(), 12);
    for block in first.chunks(4) {
        let mut cases: Vec<_> = block.to_vec();
        cases.sort();
        cases.dedup();
        assert_eq!(cases.len(), 4, "each block holds every case once");
    }
    assert_eq!(order("7"), first);
    assert_ne!(order("8"), first);
}

#[test]
fn what_is_chosen_is_run_and_repeated_by_its_command() {
    let site = Site::new(FAST);
    let done = site.run(&[
        "run",
        "x",
        "--only",
        "page_cache=10",
        "--repetitions",
        "2",
        "--order",
        "fixed",
        "--out",
        "elsewhere/a",
    ]);
    assert_eq!(done.code, 0, "{}", done.errors);
    let run = super::site::Run(site.path("elsewhere/a"));
    assert!(run.samples().iter().all(|row| row["page_cache"] == "10"));
    let syncs: Vec<String> = run
        .samples()
        .iter()
        .map(|row| row["sync"].clone())
        .collect();
    assert_eq!(syncs, ["OFF", "NORMAL", "OFF", "NORMAL"]);
    let command = run.record()["command"]
        .as_str()
        .expect("a command")
        .to_owned();
    let again: Vec<&str> = command.split(' ').skip(1).collect();
    let done = site.run(&again);
    assert_eq!(done.code, 0, "{}", done.errors);
    let columns = ["page_cache", "sync", "block", "order"];
    let plain = |run: &super::site::Run| {
        let rows = run.samples().into_iter();
        rows.map(|row| columns.map(|column| row[column].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(plain(&site.the_run()), plain(&run));
    assert_eq!(site.the_run().record()["command"], command);
}

#[test]
fn every_setting_is_read_back_and_a_clamped_one_fails_its_case() {
    let definition = FAST
        .replace(
            "levels = [\"10\", \"1000\"]",
            "levels = [\"0\", \"99999999999\"]",
        )
        .replace("cache_size = ", "mmap_size = ");
    let site = Site::new(&definition);
    let done = site.run(&["run", "x", "--repetitions", "1"]);
    assert_eq!(done.code, 1, "{}", done.errors);
    assert!(
        done.errors
            .contains("4 trials: 2 measured, 2 without a value"),
        "{}",
        done.errors
    );
    let run = site.the_run();
    for row in run.samples() {
        let is_clamped = row["page_cache"] != "0";
        assert_eq!(row["status"], if is_clamped { "failed" } else { "" });
        assert_eq!(row["throughput"].is_empty(), is_clamped);
        let note = "`mmap_size` is `2147418112`, not `99999999999` as asked for";
        assert_eq!(row["note"], if is_clamped { note } else { "" });
    }
    let settings = table(&run.text("settings.csv"));
    let clamped: Vec<_> = settings
        .iter()
        .filter(|row| row["setting"] == "mmap_size" && row["page_cache"] != "0")
        .collect();
    assert_eq!(clamped.len(), 2);
    for row in clamped {
        assert_eq!(
            (&*row["requested"], &*row["effective"]),
            ("99999999999", "2147418112")
        );
    }
    // Settings that differ from case to case are none of the whole run.
    let record = run.record();
    let effective = record["settings"].as_object().expect("settings");
    assert!(effective.contains_key("page_size") && !effective.contains_key("mmap_size"));
    site.assert_valid();
}

#[test]
fn whatever_a_command_does_is_data() {
    let site = Site::new(
        &commands(
            r#"
shell = true
measure = """
case {n} in
  1) echo fine;;
  2) echo 'no such table' >&2; exit 7;;
  3) printf 'bin\\000ary \\377\\376\\n'; kill -9 $$;;
  4) sleep 60 & wait;;
esac
"""
"#,
        )
        .replace("timeout = \"60 s\"", "timeout = \"0.5 s\""),
    );
    let done = site.run(&["run", "x", "--repetitions", "1"]);
    assert_eq!(done.code, 1, "{}", done.errors);
    let run = site.the_run();
    let rows = run.samples();
    let statuses: Vec<&str> = rows.iter().map(|row| &*row["status"]).collect();
    assert_eq!(statuses, ["", "failed", "failed", "timeout"]);
    assert!(rows[1]["note"].contains('7'), "{:?}", rows[1]);
    assert!(run.text("logs/1.log").contains("no such table"));
    let printed = fs::read(run.0.join("logs/2.log")).expect("a log");
    let bytes = b"bin\0ary \xff\xfe\n";
    assert!(printed.windows(bytes.len()).any(|part| part == bytes));
    assert!(
        !run.text("logs/1.log")
            .contains(&*site.path("").to_string_lossy())
    );
    site.assert_valid();
    let done = site.run(&["run", "x", "--repetitions", "1", "--stop-on-failure"]);
    assert_eq!(done.code, 3, "{}", done.errors);
    assert!(
        done.errors.contains("2 left (a trial failed)"),
        "{}",
        done.errors
    );
}

#[test]
fn failed_trials_are_tried_again_when_asked_to() {
    let site = Site::new(&commands("measure = \"test -e ../../../mended-{n}\""));
    let done = site.run(&["run", "x"]);
    assert_eq!(done.code, 1, "{}", done.errors);
    let run = site.the_run();
    assert!(!run.0.join("journal.jsonl").exists());
    let complete = site.run(&["run", "x", "--resume", "last"]);
    assert_eq!(complete.code, 2, "{}", complete.errors);
    let complete = site.run(&["run", "--resume", run.path()]);
    assert_eq!(complete.code, 0, "{}", complete.errors);
    assert!(
        complete
            .errors
            .contains("8 of 8 trials failed: `--retry-failed`"),
        "{}",
        complete.errors
    );
    for (mended, measured, code) in [(1, 2, 1), (2, 4, 1), (3, 6, 1), (4, 8, 0)] {
        std::fs::write(run.0.join(format!("mended-{mended}")), "").expect("written");
        let before: Vec<_> = run
            .samples()
            .into_iter()
            .filter(|row| row["status"].is_empty())
            .collect();
        let done = site.run(&["run", "--resume", run.path(), "--retry-failed"]);
        assert_eq!(done.code, code, "{}", done.errors);
        let rows = run.samples();
        assert_eq!(rows.len(), 8);
        assert_eq!(
            rows.iter().filter(|row| row["status"].is_empty()).count(),
            measured
        );
        for row in before {
            assert!(rows.contains(&row), "what was measured stays: {row:?}");
        }
        assert!(!run.0.join("journal.jsonl").exists());
    }
    site.assert_valid();
}

#[test]
fn tools_are_told_in_json() {
    let site = Site::new(FAST);
    let done = site.run(&["run", "x", "--repetitions", "1", "--events", "json"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    let events: Vec<Value> = done
        .output
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object a line"))
        .collect();
    let names: Vec<&str> = events
        .iter()
        .map(|it| it["event"].as_str().expect("a name"))
        .collect();
    let mut expected = vec!["begins"];
    expected.extend(["trial-begins", "trial-ends"].repeat(4));
    expected.push("ends");
    assert_eq!(names, expected);
    assert_eq!(events[0]["trials"], 4);
    assert_eq!(
        events[1]["case"]["page_cache"].as_str().map(str::is_empty),
        Some(false)
    );
    let value = &events[2]["values"][0];
    assert_eq!(
        (&value["metric"], &value["unit"]),
        (&"throughput".into(), &"ops/s".into())
    );
    let sample = &site.the_run().samples()[0]["throughput"];
    assert_eq!(value["value"].as_f64(), sample.parse().ok());
    assert_eq!(events[9]["measured"], 4);
    assert_eq!(events[9]["reason"], Value::Null);
}

#[test]
fn lines_have_no_colours_and_a_plan_runs_nothing() {
    let site = Site::new(FAST);
    let done = site.run(&["run", "x", "--plan"]);
    assert_eq!((done.code, &*done.errors), (0, ""));
    assert!(done.output.contains("trials  40"), "{}", done.output);
    assert!(!site.path("data/x/runs").exists());
    let done = site.run(&["run", "data/x/", "--repetitions", "1", "--no-watch"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert!(!done.errors.contains('\u{1b}'));
    let lines: Vec<&str> = done.errors.lines().collect();
    assert!(
        lines[2].starts_with("1 of 4: page_cache "),
        "{}",
        done.errors
    );
    let run = site.the_run();
    assert_eq!(run.names(), ["run.json", "samples.csv", "settings.csv"]);
    assert_eq!(run.record()["plan"].get("watched_every"), None);
}

#[test]
fn the_folders_of_trials_are_kept_when_asked_to() {
    let site = Site::new(FAST);
    let done = site.run(&["run", "x", "--repetitions", "1", "--keep-scratch"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    let run = site.the_run();
    for trial in 0..4 {
        let mut files = run
            .0
            .join(format!("scratch/{trial}/data"))
            .read_dir()
            .expect("kept");
        assert!(files.next().is_some());
    }
    assert!(
        done.errors
            .contains("the folders of the trials are kept in"),
        "{}",
        done.errors
    );
    site.assert_valid();
}

/// A restore whose steps are levels of a factor.
const STEPS: &str = r#"
title = "Steps"
question = "Which step takes the time?"
missing = "not-run"
[factors.step]
label = "Step"
kind = "nominal"
levels = ["data", INDEXES"total"]
[metrics.step_time]
label = "Time"
unit = "ms"
better = "lower"
[run]
engine = "sqlite"
workload = "restore"
steps = "step"
repetitions = 2
[run.parameters]
rows = 500
"#;

#[test]
fn steps_of_a_case_have_rows_of_their_own() {
    // Without the levels for its indexes, the work says which are lacking.
    let site = Site::new(&STEPS.replace("INDEXES", ""));
    let done = site.run(&["run", "x"]);
    assert_eq!(done.code, 1, "{}", done.errors);
    let rows = site.the_run().samples();
    let steps: Vec<&str> = rows.iter().map(|row| &*row["step"]).collect();
    assert_eq!(steps, ["data", "total"].repeat(2));
    let (_, lacking) = rows[0]["note"]
        .split_once("lacks levels for steps of the work: ")
        .expect("a note");
    site.assert_valid();

    let indexes = lacking.replace('`', "\"") + ", ";
    let site = Site::new(&STEPS.replace("INDEXES", &indexes));
    let done = site.run(&["run", "x"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    let run = site.the_run();
    let rows = run.samples();
    let count = 2 + lacking.split(", ").count();
    assert_eq!(rows.len(), 2 * count);
    for block in rows.chunks(count) {
        let time = |row: &std::collections::BTreeMap<String, String>| {
            row["step_time"].parse::<f64>().expect("a time")
        };
        let total = block.iter().find(|row| row["step"] == "total").map(time);
        let parts: f64 = block
            .iter()
            .filter(|row| row["step"] != "total")
            .map(time)
            .sum();
        assert!(parts > 0.0 && total.expect("the whole") >= 0.99 * parts);
        let first = &block[0];
        assert!(
            block
                .iter()
                .all(|row| row["order"] == first["order"] && row["at"] == first["at"])
        );
    }
    site.assert_valid();
}

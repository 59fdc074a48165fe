//! Real outputs of real tools.

use super::{exact, faults, load, load_clean, observations, result};
use crate::diag::Code;
use crate::model::{Experiment, MissingReason, Value};

const TIMES: &str = r#"
title = "Times"
question = "How long?"
[metrics.elapsed]
label = "Elapsed"
unit = "s"
[metrics.memory]
label = "Memory"
unit = "MiB"
[metrics.share]
label = "CPU"
unit = "%"
[[files]]
path = "out.txt"
metrics = { real = "elapsed", max_rss = "memory", cpu = "share" }
"#;

fn numbers(experiment: &Experiment, metric: &str) -> Vec<f64> {
    let exact = |value| match value {
        Value::Exact(number) => number,
        other => panic!("{other:?}"),
    };
    let found = observations(experiment, metric, &[]).into_iter();
    found
        .map(|it| exact(it.result.as_ref().expect("a value").value))
        .collect()
}

macro_rules! sample {
    ($name:literal) => {
        include_str!(concat!("../../../tests/data/", $name))
    };
}

#[test]
fn every_form_of_time() {
    let cases = [
        (sample!("time/bash-time-C.txt"), 0.144),
        (sample!("time/bash-time-de_DE.txt"), 0.125),
        (sample!("time/bash-time-over-minute-C.txt"), 61.28),
        (sample!("time/bash-time-p-C.txt"), 0.15),
        (sample!("time/sh-dash-time-p.txt"), 0.13),
        (sample!("time/gnu-time-p.txt"), 0.12),
        (sample!("time/gnu-time-default.txt"), 0.14),
        (sample!("time/gnu-time-v.txt"), 0.12),
    ];
    for (text, seconds) in cases {
        let experiment = load_clean(TIMES, &[("out.txt", text)]);
        assert_eq!(numbers(&experiment, "elapsed"), [seconds]);
    }
    let short = load_clean(TIMES, &[("out.txt", sample!("time/gnu-time-default.txt"))]);
    assert_eq!(numbers(&short, "memory"), [1432.0 * 1024.0]);
    assert_eq!(numbers(&short, "share"), [0.0]);
    let long = load_clean(TIMES, &[("out.txt", sample!("time/gnu-time-v.txt"))]);
    assert_eq!(numbers(&long, "memory"), [1412.0 * 1024.0]);
}

#[test]
fn several_commands_are_repetitions_and_other_lines_are_ignored() {
    let one = sample!("time/bash-time-C.txt");
    let text = format!("Loaded 5 rows{one}{one}\nreal 0.15\nuser 0.00\nsys 0.00\n");
    let experiment = load_clean(TIMES, &[("out.txt", &text)]);
    assert_eq!(numbers(&experiment, "elapsed"), [0.144, 0.144, 0.15]);
    let replicates: Vec<u32> = observations(&experiment, "elapsed", &[])
        .iter()
        .map(|it| it.replicate)
        .collect();
    assert_eq!(replicates, [0, 1, 2]);
}

#[test]
fn a_failed_command_has_no_time() {
    let experiment = load_clean(TIMES, &[("out.txt", sample!("time/gnu-time-v-exit3.txt"))]);
    let missing = result(&experiment, "elapsed", &[])
        .clone()
        .expect_err("failed");
    assert_eq!(missing.reason, MissingReason::Failed);
    assert_eq!(
        missing.note.expect("a note").source(),
        "Command exited with non-zero status 3"
    );
}

#[test]
fn a_published_stray_blank_is_read_and_told() {
    let text = "real 3m6. 355s\nuser 0m0. 000s\nsys 0m0. 009s\n";
    let (experiment, report) = load(TIMES, &[("out.txt", text)]);
    assert_eq!(numbers(&experiment, "elapsed"), [186.355]);
    let told = faults(&report);
    assert_eq!(told.len(), 3);
    assert_eq!(told[0], (Code::ReceiptNote, "real 3m6. 355s".to_owned()));
}

const RESTORE: &str = r#"
title = "Restore"
question = "Which index takes long?"
[factors.index]
label = "Index"
kind = "nominal"
[metrics.time]
label = "Time"
unit = "s"
[metrics.written]
label = "Written"
unit = "pages"
[[files]]
path = "restore.log"
steps = "index"
metrics = { delta = "time", writes = "written" }
"#;

#[test]
fn a_whole_restore_gives_every_index() {
    let log = sample!("gbak/restore-end.log");
    for trailing in ["", " "] {
        let log = log.replace('\n', &format!("{trailing}\n"));
        let experiment = load_clean(RESTORE, &[("restore.log", &log)]);
        assert_eq!(experiment.observations.len(), 16);
        assert_eq!(exact(&experiment, "time", &["RDB$PRIMARY4"]), 0.0);
        assert_eq!(exact(&experiment, "time", &["RDB$PRIMARY1"]), 0.152);
        assert_eq!(exact(&experiment, "written", &["T1_K"]), 156.0);
        assert_eq!(exact(&experiment, "time", &["RDB$FOREIGN3"]), 0.433);
        let first = &experiment.definition.factors[0].levels[0];
        assert_eq!(first.key, "RDB$PRIMARY4", "steps keep the log's order");
        assert_eq!(
            observations(&experiment, "time", &["RDB$PRIMARY4"])[0]
                .place
                .line,
            10
        );
    }
}

#[test]
fn every_subset_of_statistics() {
    // Which letters stand, and the time of index A that follows from them.
    for letters in 1..16_u32 {
        let has = |bit: u32| letters & (1 << bit) != 0;
        let line = |figures: [&str; 4], words: &str| {
            let figures: Vec<&str> = figures
                .into_iter()
                .enumerate()
                .filter(|(bit, _)| has(*bit as u32))
                .map(|it| it.1)
                .collect();
            format!("gbak: {} {words}\n", figures.join("  "))
        };
        let log = line(["time", "delta", "reads", "writes"], "")
            + &line(
                ["1.000", "0.500", "1", "2"],
                "activating and creating deferred index \"A B\"",
            )
            + &line(
                ["3.250", "2.250", "30", "40"],
                "adjusting views dbkey length",
            );
        let (experiment, report) = load(RESTORE, &[("restore.log", &log)]);
        let timed = has(0) || has(1);
        let count = usize::from(timed) + usize::from(has(3));
        let found: Vec<_> = experiment.observations.iter().collect();
        assert_eq!(found.len(), count, "{letters:b} {}", super::shown(&report));
        if timed {
            assert_eq!(exact(&experiment, "time", &["A B"]), 2.25);
        }
        if has(3) {
            assert_eq!(exact(&experiment, "written", &["A B"]), 40.0);
        }
    }
}

#[test]
fn widths_overflow_and_lines_without_figures_stand_between() {
    let log = "gbak: time     delta  reads  writes \n\
        gbak: 100000.001 99999.001 123456789 987654321     activating and creating deferred index \"My \"\"own\"\"\"\n\
        gbak:some words without figures\n\
        gbak: 200000.002 100000.001 1234567890 1     activating and creating deferred index B\n\
        gbak:cannot commit index B\n\
        gbak: ERROR:attempt to store duplicate value\n\
        gbak: 200001.002  1.000      0      0 finishing\n";
    let (experiment, _) = load(RESTORE, &[("restore.log", log)]);
    assert_eq!(exact(&experiment, "time", &["My \"own\""]), 100_000.001);
    let failed = result(&experiment, "time", &["B"])
        .clone()
        .expect_err("failed");
    assert_eq!(failed.reason, MissingReason::Failed);
    assert_eq!(
        failed.note.expect("a note").source(),
        "gbak:cannot commit index B"
    );
}

#[test]
fn a_log_without_steps_is_one_sample() {
    let definition = RESTORE
        .replace("steps = \"index\"\n", "")
        .replace("delta =", "time =")
        .replace(
            "[factors.index]\nlabel = \"Index\"\nkind = \"nominal\"\n",
            "",
        );
    let experiment = load_clean(
        &definition,
        &[("restore.log", sample!("gbak/restore-end.log"))],
    );
    assert_eq!(exact(&experiment, "time", &[]), 3.351);
    assert_eq!(exact(&experiment, "written", &[]), 3684.0);
    let failed = load_clean(
        &definition,
        &[("restore.log", sample!("gbak/error-target-exists.txt"))],
    );
    let missing = result(&failed, "time", &[]).clone().expect_err("failed");
    assert_eq!(missing.reason, MissingReason::Failed);
}

#[test]
fn a_stopped_restore_without_steps_is_refused() {
    let (experiment, report) = load(
        RESTORE,
        &[("restore.log", sample!("gbak/error-target-exists.txt"))],
    );
    assert!(experiment.observations.is_empty());
    let told = faults(&report);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, Code::BadResultFile);
    assert!(told[0].1.starts_with("gbak: ERROR:database"));
}

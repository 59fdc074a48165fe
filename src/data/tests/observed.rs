//! What was watched and set in a run, written and read back, and every fault in it with its place.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{SMALL, faults, load, load_clean, shown};
use crate::data::observed::{
    self, TimelineRow, settings_header, settings_row, timeline_header, timeline_row,
};
use crate::diag::{Code, Report, Severity, Source};
use crate::model::{Definition, Reading, Run, SettingInEffect};

const RUN: &str = r#"{"format": "benchbook-run", "version": 1, "origin": "measured"}"#;

fn with(name: &str, text: &str) -> (Run, Report) {
    let name = format!("runs/r/{name}");
    let (mut experiment, report) = load(SMALL, &[("runs/r/run.json", RUN), (&name, text)]);
    (experiment.runs.remove(0), report)
}

fn setting(levels: [u32; 2], name: &str, effective: Option<&str>) -> SettingInEffect {
    SettingInEffect {
        levels: levels.to_vec(),
        name: name.to_owned(),
        requested: "64 MB".to_owned(),
        effective: effective.map(ToOwned::to_owned),
    }
}

#[test]
fn a_run_tells_what_was_set_and_watched() {
    // Levels that only files tell are put in order, and what was set goes along.
    let settings = "threads,plan,setting,requested,effective\n\
        8,balanced,cache,64 MB,65536 kB\n\
        4,Ausbalanciert,cache,64 MB,\n";
    let timeline = "order,at,series,value\n1,2.5,cpu,0.5\n0,1,log_size,4096\n0,0.5,log_size,0\n1,3,cpu,1e-3\n1,3,disk_read,7\n";
    let files = [
        ("runs/r/run.json", RUN),
        ("runs/r/settings.csv", settings),
        ("runs/r/timeline.csv", timeline),
        ("runs/r/journal.jsonl", "{not json"),
        ("runs/r/logs/3.log", "\u{fffd}"),
    ];
    let experiment = load_clean(SMALL, &files);
    let run = &experiment.runs[0];
    assert_eq!(
        run.settings,
        [
            setting([1, 0], "cache", Some("65536 kB")),
            setting([0, 0], "cache", None)
        ]
    );
    let told: Vec<String> = run
        .series
        .iter()
        .map(|series| {
            let readings = series.readings.iter();
            let readings: Vec<String> = readings
                .map(|it| format!("{}:{}", it.at, it.value))
                .collect();
            format!("{} {} {}", series.order, series.key, readings.join(" "))
        })
        .collect();
    assert_eq!(
        told,
        [
            "0 log_size 0.5:0 1:4096",
            "1 cpu 2.5:0.5 3:0.001",
            "1 disk_read 3:7"
        ]
    );
    let files = experiment.files.iter();
    let files: Vec<&str> = files.map(|file| &*file.path).collect();
    assert_eq!(
        files,
        ["data/e/runs/r/settings.csv", "data/e/runs/r/timeline.csv"]
    );
}

#[test]
fn faults_in_a_timeline_have_their_place() {
    for (row, code, place) in [
        ("x,1,cpu,2", Code::BadNumber, "x"),
        ("-1,1,cpu,2", Code::BadNumber, "-1"),
        (",1,cpu,2", Code::BadNumber, ""),
        ("0,soon,cpu,2", Code::BadNumber, "soon"),
        ("0,inf,cpu,2", Code::BadNumber, "inf"),
        ("0,1,cpu,", Code::BadNumber, ""),
        ("0,1,cpu,NaN", Code::BadNumber, "NaN"),
        ("0,1,,2", Code::BadResultFile, ""),
        ("0,1,cpu", Code::RaggedRow, "0,1,cpu"),
        ("0,1,\"cpu,2", Code::BadResultFile, "\""),
    ] {
        let text = format!("{}0,0,cpu,1\n{row}\n", timeline_header());
        let (run, report) = with("timeline.csv", &text);
        assert_eq!(faults(&report), [(code, place.to_owned())], "{row}");
        assert!(shown(&report).contains("timeline.csv:3:"), "{row}");
        assert_eq!(run.series[0].readings.len(), 1, "{row}");
    }
    let (run, report) = with("timeline.csv", "order,at,serie,value\n0,1,cpu,2\n");
    assert_eq!(faults(&report)[0].0, Code::MissingColumn);
    assert!(run.series.is_empty());
}

#[test]
fn faults_in_settings_have_their_place() {
    for (row, code, place) in [
        ("4,balancd,cache,1,1", Code::UnknownLevel, "balancd"),
        ("4,,cache,1,1", Code::UnknownLevel, ""),
        ("four,balanced,cache,1,1", Code::BadNumber, "four"),
        ("4,balanced,,1,1", Code::BadResultFile, ""),
        (
            "4,balanced,cache,1,1,1",
            Code::RaggedRow,
            "4,balanced,cache,1,1,1",
        ),
    ] {
        let text =
            format!("threads,plan,setting,requested,effective\n{row}\n4,balanced,x,64 MB,1\n");
        let (run, report) = with("settings.csv", &text);
        assert_eq!(faults(&report), [(code, place.to_owned())], "{row}");
        assert!(shown(&report).contains("settings.csv:2:"), "{row}");
        assert_eq!(run.settings, [setting([0, 0], "x", Some("1"))], "{row}");
    }
}

#[test]
fn a_row_that_was_cut_off_is_left_out_and_told() {
    // What stands there could be half a number.
    for cut in ["1,2,cpu,3", "1,2", "1"] {
        let text = format!("{}0,0,cpu,1\n{cut}", timeline_header());
        let (run, report) = with("timeline.csv", &text);
        assert_eq!(faults(&report), [(Code::ReceiptNote, cut.to_owned())]);
        assert!(
            report
                .sorted()
                .iter()
                .all(|it| it.severity == Severity::Note)
        );
        assert_eq!(run.series.len(), 1);
    }
    for nothing in ["", "\n", "order,at,series,value\n"] {
        let (run, report) = with("timeline.csv", nothing);
        assert_eq!(shown(&report), "");
        assert!(run.series.is_empty());
    }
}

#[test]
fn a_million_equal_faults_are_counted() {
    let text = format!("{}{}", timeline_header(), "0,1,cpu,x\n".repeat(1_000_000));
    let (_, report) = with("timeline.csv", &text);
    assert_eq!(report.sorted().len(), 21);
}

fn declared() -> Definition {
    let definition = SMALL.replace(
        "kind = \"number\"\n",
        "kind = \"number\"\nlevels = [1, 2, 4]\n",
    );
    load_clean(&definition, &[]).definition
}

proptest! {
    #[test]
    fn settings_read_back_as_they_were_written(
        rows in proptest::collection::vec((0_u32..3, 0_u32..2, "\\S.{0,8}", "\\PC{0,8}", proptest::option::of("[ -~\n\"]{0,6}")), 0..8),
    ) {
        let definition = declared();
        let rows: Vec<SettingInEffect> = rows
            .into_iter()
            .map(|(threads, plan, name, requested, effective)| SettingInEffect {
                levels: vec![threads, plan],
                name: name.trim().to_owned(),
                requested: requested.trim().to_owned(),
                effective: effective.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()),
            })
            .collect();
        let mut text = settings_header(&definition);
        text.extend(rows.iter().map(|row| settings_row(&definition, row)));
        let mut report = Report::new();
        let read = observed::read_settings(&definition, &Source::new("settings.csv", text), &mut report);
        prop_assert_eq!(shown(&report), "");
        prop_assert_eq!(read, rows);
    }

    #[test]
    fn readings_read_back_as_they_were_written(
        rows in proptest::collection::vec((any::<u32>(), "[a-z_,\"]{1,6}", proptest::num::f64::NORMAL, proptest::num::f64::NORMAL), 0..8),
    ) {
        let rows: Vec<TimelineRow<'_>> = rows
            .into_iter()
            .map(|(order, series, at, value)| TimelineRow {
                order,
                series: Cow::Owned(series),
                reading: Reading { at, value },
            })
            .collect();
        let mut text = timeline_header();
        text.extend(rows.iter().map(timeline_row));
        let mut report = Report::new();
        let mut read = Vec::new();
        let source = Source::new("timeline.csv", text);
        observed::read_timeline(&source, &mut report, |row| {
            read.push(TimelineRow { series: Cow::Owned(row.series.into_owned()), ..row });
        });
        prop_assert_eq!(shown(&report), "");
        prop_assert_eq!(read, rows);
    }
}

#[test]
fn no_case_has_a_level_of_steps() {
    let run = "[run]\nengine = \"e\"\nworkload = \"w\"\nsteps = \"plan\"\nsettings = { a = \"{threads}\" }\n";
    let definition = SMALL.replace(
        "kind = \"number\"\n",
        "kind = \"number\"\nlevels = [1, 2, 4]\n",
    );
    let definition = load_clean(&format!("{definition}{run}"), &[]).definition;
    let row = settings_row(&definition, &setting([2, 0], "a", None));
    assert_eq!(row, "4,,a,64 MB,\n");
    let text = settings_header(&definition) + &row;
    let mut report = Report::new();
    let read = observed::read_settings(&definition, &Source::new("s.csv", text), &mut report);
    assert_eq!(shown(&report), "");
    assert_eq!(read, [setting([2, 0], "a", None)]);
}

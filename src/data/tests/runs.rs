//! Run folders, written and read back.

use proptest::prelude::*;

use super::{SMALL, exact, faults, load, load_clean, shown};
use crate::data::record::{self, RunRecord, SampleRow};
use crate::diag::Code;
use crate::model::{Definition, MissingReason, Origin, Value};

const RUN: &str = r#"{
  "format": "benchbook-run", "version": 1, "origin": "measured", "started": "2026-01-01T00:00:00Z",
  "environment": {"cpu": "two cores", "memory_gib": 24},
  "settings": {"cache_size": "2000"}
}"#;

fn declared() -> Definition {
    let definition = SMALL.replace(
        "kind = \"number\"\n",
        "kind = \"number\"\nlevels = [1, 2, 4]\n",
    );
    load_clean(&definition, &[]).definition
}

#[test]
fn a_run_folder_needs_no_files_in_the_definition() {
    let samples = "threads,plan,speed,wait,replicate,block,order,at,status,note\n\
        4,balanced,100,0.5,0,0,3,12.5,,\n\
        4,high-performance,,,0,0,1,1,timeout,stopped\n\
        2,balanced,7,,0,0,2,5,,\n";
    let experiment = load_clean(
        SMALL,
        &[("runs/r1/run.json", RUN), ("runs/r1/samples.csv", samples)],
    );
    let run = &experiment.runs[0];
    assert_eq!((&*run.key, run.origin), ("r1", Origin::Measured));
    assert_eq!(
        run.environment.get("memory_gib").expect("a fact").source(),
        "24"
    );
    assert_eq!(run.environment.get("cache_size"), None);
    assert_eq!(run.effective, [("cache_size".into(), "2000".into())]);
    assert_eq!(run.started.as_deref(), Some("2026-01-01T00:00:00Z"));
    // Base units: half a second, though the metric's unit is milliseconds.
    assert_eq!(exact(&experiment, "wait", &["4", "balanced"]), 0.5);
    let sample = experiment.observations[0].result.as_ref().expect("a value");
    assert_eq!(
        (sample.at, sample.block, sample.order),
        (Some(12.5), Some(0), Some(3))
    );
    let timeout = experiment.observations[2]
        .result
        .as_ref()
        .expect_err("no value");
    assert_eq!(timeout.reason, MissingReason::Timeout);
    assert_eq!(
        experiment.observations.len(),
        5,
        "an empty cell without status says nothing"
    );
}

#[test]
fn run_records_with_faults() {
    let read = |run: &str| {
        let (experiment, report) = load(SMALL, &[("runs/r/run.json", run)]);
        assert!(experiment.runs.is_empty());
        assert_eq!(faults(&report)[0].0, Code::BadResultFile);
        shown(&report)
    };
    assert!(read("{").contains("no run record"));
    assert!(read(&RUN.replace("benchbook-run", "other")).contains("benchbook-run"));
    assert!(read(&RUN.replace("\"version\": 1", "\"version\": 99")).contains("newer"));
    assert!(read(&RUN.replace("measured", "mesured")).contains("did you mean `measured`?"));
    assert!(read(&RUN.replace("\"started\"", "\"begun\"")).contains("begun"));
}

#[test]
fn how_often_was_watched_is_kept() {
    let watched = |plan: &str| {
        let plan = format!("\"version\": 1, \"plan\": {plan}");
        let run = RUN.replace("\"version\": 1", &plan);
        let (experiment, _) = load(SMALL, &[("runs/r/run.json", &run)]);
        experiment.runs[0].watched_every
    };
    assert_eq!(watched("{\"watched_every\": 0.25}"), Some(0.25));
    for none in [
        "{}",
        "{\"watched_every\": 0}",
        "{\"watched_every\": \"often\"}",
        "7",
    ] {
        assert_eq!(watched(none), None, "{none}");
    }
}

#[test]
fn a_row_cut_off_by_a_crash_is_passed_over() {
    let samples = "threads,plan,speed,wait,replicate,block,order,at,status,note\n\
        4,balanced,100,0.5,0,0,3,12.5,,\n4,high-perf";
    let files = [("runs/r/run.json", RUN), ("runs/r/samples.csv", samples)];
    let (experiment, report) = load(SMALL, &files);
    assert_eq!(experiment.observations.len(), 2);
    assert_eq!(
        faults(&report),
        [(Code::ReceiptNote, "4,high-perf".to_owned())]
    );
}

#[test]
fn run_records_are_written_as_they_are_read() {
    let record: RunRecord = serde_json::from_str(RUN).expect("a record");
    let text = serde_json::to_string(&record).expect("text");
    assert_eq!(
        serde_json::from_str::<RunRecord>(&text).expect("a record"),
        record
    );
}

prop_compose! {
    fn values()(low in -1e300_f64..1e300, span in 0.0..1e300_f64, kind in 0..5) -> Option<Value> {
        match kind {
            0 => None,
            1 => Some(Value::Exact(low)),
            2 => Some(Value::Range(low, low + span)),
            3 => Some(Value::Above(low)),
            _ => Some(Value::Below(low)),
        }
    }
}

prop_compose! {
    fn sample_rows()(
        levels in (0..3_u32, 0..2_u32),
        speed in values(),
        wait in proptest::option::of(0.0..1e9_f64),
        replicate in any::<u32>(),
        block in any::<Option<u32>>(),
        order in any::<Option<u32>>(),
        at in proptest::option::of(0.0..1e9_f64),
        status in proptest::option::of(0..7_usize),
        note in "[ -~äж\n]{0,12}",
    ) -> SampleRow {
        let values = vec![speed, wait.map(Value::Exact)];
        let lacking = values.iter().any(Option::is_none);
        let status = status.filter(|_| lacking).map(|at| MissingReason::ALL[at]);
        SampleRow {
            levels: vec![levels.0, levels.1],
            values: if status == Some(MissingReason::Excluded) { vec![None, None] } else { values },
            replicate,
            block,
            order,
            at,
            status,
            note: if status.is_some() { note.trim().to_owned() } else { String::new() },
        }
    }
}

proptest! {
    #[test]
    fn rows_come_back_as_they_were_written(rows in proptest::collection::vec(sample_rows(), 1..8)) {
        let definition = declared();
        let mut text = record::header(&definition);
        for row in &rows {
            text += &record::row(&definition, row);
        }
        let source = crate::diag::Source::new("samples.csv", text);
        let mut report = crate::diag::Report::new();
        let back = record::read(&definition, &source, &mut report);
        prop_assert_eq!(shown(&report), "");
        prop_assert_eq!(back, rows);
    }
}

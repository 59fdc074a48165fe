//! The published figures, read from files as an author would keep them.

use super::{exact, load, load_clean, observations, result, shown, value};
use crate::diag::Code;
use crate::model::{MissingReason, Origin, Value};

#[test]
fn page_buffers_by_architecture_in_a_wide_table() {
    let definition = r#"
title = "Page buffers"
question = "Which number of page buffers suits which architecture?"
[factors.page_buffers]
label = "Page buffers"
kind = "number"
unit = "pages"
[factors.architecture]
label = "Architecture"
kind = "nominal"
levels = ["Classic", "SuperClassic"]
[metrics.points]
label = "Points"
unit = "points"
better = "higher"
[environment]
engine = "Firebird 2.5.2 (64-bit)"
[settings.LockHashSlots]
value = "30011"
default = "1009"
[[sources]]
key = "kovyazin-2014"
title = "1.7 TB"
authors = ["A. Kovyazin"]
date = "2014-07-14"
language = "en"
[[files]]
path = "points.csv"
origin = "published"
source = "kovyazin-2014"
columns = { "Page buffers" = "page_buffers" }
spread = { factor = "architecture", metric = "points" }
"#;
    let points = "\
Page buffers,Classic,SuperClassic
256,299,372
512,371,359
768,362,386
1024,312,387
1500,390,392
2048,285,284
";
    let experiment = load_clean(definition, &[("points.csv", points)]);
    assert_eq!(experiment.observations.len(), 12);
    assert_eq!(experiment.cases.len(), 12);
    assert_eq!(exact(&experiment, "points", &["1500", "Classic"]), 390.0);
    assert_eq!(
        exact(&experiment, "points", &["1500.0", "SuperClassic"]),
        392.0
    );
    let at = observations(&experiment, "points", &["2048", "SuperClassic"])[0].place;
    assert_eq!((at.file, at.line), (0, 7));
    let run = &experiment.runs[0];
    assert_eq!((&*run.key, run.origin), ("published", Origin::Published));
    assert_eq!(run.source.as_deref(), Some("kovyazin-2014"));
    assert_eq!(run.environment.facts[0].0, "engine");
    let levels: Vec<&str> = experiment.definition.factors[0]
        .levels
        .iter()
        .map(|level| &*level.key)
        .collect();
    assert_eq!(levels, ["256", "512", "768", "1024", "1500", "2048"]);
}

const INDICES: &str = r#"
title = "Power plans"
question = "What does the balanced power plan cost?"
[factors.index]
label = "Index"
kind = "nominal"
levels = ["INDMF_TAG_PLC_DATA_DT_D", "INDMF_TAG_PLC_DATA_TAG_D", "INDMF_TAG_PLC_DATA_LU_D", "INDMF_TAG_PLC_DATA_C1", "PKMNF2_DOC_DOWNTIME"]
[factors.plan]
label = "Power plan"
kind = "nominal"
levels = ["balanced", "high-performance"]
[metrics.index_time]
label = "Time"
unit = "s"
better = "lower"
[metrics.page_reads]
label = "Page reads"
unit = "pages"
[[files]]
path = "balanced.log"
origin = "published"
set = { plan = "balanced" }
steps = "index"
steps_of = "activating and creating deferred index"
metrics = { delta = "index_time", reads = "page_reads" }
[[files]]
path = "high-performance.log"
origin = "published"
set = { plan = "high-performance" }
steps = "index"
metrics = { delta = "index_time", reads = "page_reads" }
"#;

#[test]
fn indices_are_timed_by_the_next_line() {
    let balanced = include_str!("../../../tests/data/published/balanced.log");
    let high = include_str!("../../../tests/data/published/high-performance.log");
    let (experiment, report) = load(
        INDICES,
        &[("balanced.log", balanced), ("high-performance.log", high)],
    );
    let expected = [
        ("INDMF_TAG_PLC_DATA_DT_D", 1258.270, 622.882, 2.02),
        ("INDMF_TAG_PLC_DATA_TAG_D", 1036.718, 645.147, 1.61),
        ("INDMF_TAG_PLC_DATA_LU_D", 746.683, 616.506, 1.21),
        ("INDMF_TAG_PLC_DATA_C1", 733.321, 708.018, 1.04),
    ];
    let mut totals = (0.0, 0.0);
    for (index, balanced, high, speedup) in expected {
        let found = ["balanced", "high-performance"]
            .map(|plan| exact(&experiment, "index_time", &[index, plan]));
        assert_eq!(found, [balanced, high]);
        assert_eq!((found[0] / found[1] * 100.0).round() / 100.0, speedup);
        totals = (totals.0 + found[0], totals.1 + found[1]);
    }
    assert!((totals.0 - 3774.992).abs() < 1e-9 && (totals.1 - 2592.553).abs() < 1e-9);
    assert_eq!(
        exact(
            &experiment,
            "page_reads",
            &["INDMF_TAG_PLC_DATA_DT_D", "balanced"]
        ),
        5_028_909.0
    );
    let last = result(
        &experiment,
        "index_time",
        &["PKMNF2_DOC_DOWNTIME", "balanced"],
    );
    let missing = last.as_ref().expect_err("no figures of its own");
    assert_eq!(missing.reason, MissingReason::NotPublished);
    assert!(
        missing
            .note
            .as_ref()
            .is_some_and(|note| note.source() == "note-last-step")
    );
    // What the first line says is told, and is no one's value.
    let notes = report.sorted();
    assert_eq!(notes.len(), 2);
    assert!(notes.iter().all(|note| note.code == Code::ReceiptNote));
    assert!(shown(&report).contains("1230.343") && shown(&report).contains("615.045"));
}

#[test]
fn fillfactor_knows_only_ranges_and_bounds() {
    let definition = r#"
title = "Fillfactor"
question = "What does fillfactor 50 change?"
missing = "not-published"
[factors.load]
label = "Load"
kind = "ordinal"
levels = ["5-115", "5-22", "event"]
[metrics.change]
label = "Change"
unit = "%"
[[files]]
path = "changes.csv"
origin = "published"
missing = { "–" = "not-published" }
notes = { "more" = "More, without a figure." }
[files.environment]
memory = "2 GB"
"#;
    let text = "load,change\n5-115,-2..17\n5-22,7..16 %\nevent,< -80\n";
    let experiment = load_clean(definition, &[("changes.csv", text)]);
    assert_eq!(
        value(&experiment, "change", &["5-115"]),
        Value::Range(-0.02, 0.17)
    );
    assert_eq!(
        value(&experiment, "change", &["5-22"]),
        Value::Range(0.07, 0.16)
    );
    assert_eq!(value(&experiment, "change", &["event"]), Value::Below(-0.8));
    let words = "load,change\n5-115,–\n5-22,more\nevent,failed\n";
    let experiment = load_clean(definition, &[("changes.csv", words)]);
    let reason = |level| {
        result(&experiment, "change", &[level])
            .clone()
            .expect_err("missing")
    };
    assert_eq!(reason("5-115").reason, MissingReason::NotPublished);
    assert_eq!(
        reason("5-22").note.expect("a note").source(),
        "More, without a figure."
    );
    assert_eq!(reason("event").reason, MissingReason::Failed);
}

#[test]
fn log_file_size_by_data_size_with_seconds_per_mebibyte() {
    let definition = r#"
title = "Log file size"
question = "How does the log's size change the load time?"
[factors.log_size]
label = "Log"
kind = "bytes"
levels = ["512M", "1G", "2G", "4G", "8G"]
[factors.data_size]
label = "Data"
kind = "bytes"
levels = ["500M", "1G", "2G", "3G"]
[metrics.load_time]
label = "Load time"
unit = "duration"
better = "lower"
[metrics.time_per_mib]
label = "Time per MiB"
unit = "s/MiB"
better = "lower"
derived = "load_time / data_size"
[[files]]
path = "load.csv"
origin = "published"
"#;
    let text = "log_size,data_size,load_time
512M,500M,1 min 29.74 s
512M,1G,5 min 35.272 s
512M,2G,6 min 39.896 s
1G,500M,1 min 28 s
1024M,1G,3m6. 355s
2G,3G,11 min 22.13 s
";
    let (experiment, report) = load(definition, &[("load.csv", text)]);
    let faults = super::faults(&report);
    assert_eq!(faults, [(Code::ReceiptNote, "3m6. 355s".to_owned())]);
    let times = [
        ("512M", "500M", 89.74, 0.179),
        ("512M", "1G", 335.272, 0.327),
        ("512M", "2G", 399.896, 0.195),
        ("1G", "500M", 88.0, 0.176),
        ("1G", "1024M", 186.355, 0.182),
        ("2G", "3G", 682.13, 0.222),
    ];
    for (log, data, seconds, per_mebibyte) in times {
        let time = exact(&experiment, "load_time", &[log, data]);
        assert!((time - seconds).abs() < 1e-9, "{log} {data}: {time}");
        let unit = &experiment
            .definition
            .metric("time_per_mib")
            .expect("derived")
            .1
            .unit;
        let rate = unit.from_base(exact(&experiment, "time_per_mib", &[log, data]));
        assert_eq!((rate * 1000.0).round() / 1000.0, per_mebibyte);
    }
}

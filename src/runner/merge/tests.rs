//! Parts of a plan, written as the runner writes them, joined or refused.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{MergeFault, Merged, merge};
use crate::data::observed::{self, TimelineRow};
use crate::data::record::{self, SampleRow};
use crate::model::{Reading, Value};
use crate::runner::fixture::{RUN, definition, planned};
use crate::runner::journal::{Journal, Line};
use crate::runner::plan::{Shard, Wishes};
use crate::runner::plan_record::PlanRecord;
use crate::runner::run_record;

/// A part of a plan: which, and what is special about it.
#[derive(Clone, Copy)]
struct Made<'a> {
    part: u32,
    of: u32,
    seed: u64,
    run: &'a str,
    cpu: &'a str,
    started: &'a str,
    /// How many of its trials are finished.
    finished: usize,
}

const MADE: Made<'_> = Made {
    part: 1,
    of: 2,
    seed: 1,
    run: RUN,
    cpu: "one",
    started: "2026-11-30T23:00:00Z",
    finished: usize::MAX,
};

fn make(folder: &Path, name: &str, made: Made<'_>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir(&path).expect("a folder");
    let definition = definition(made.run);
    let wishes = Wishes {
        seed: Some(made.seed),
        shard: (made.of > 1).then_some(Shard {
            part: made.part,
            of: made.of,
        }),
        ..Wishes::default()
    };
    let plan = planned(&definition, &wishes);
    let finished = made.finished.min(plan.trials.len());
    let mut samples = record::header(&definition);
    let mut timeline = observed::timeline_header();
    for (number, trial) in plan.trials.iter().take(finished).enumerate() {
        let at = number as f64 + 0.25;
        samples += &record::row(
            &definition,
            &SampleRow {
                levels: plan.cases[trial.case as usize].to_vec(),
                values: vec![Some(Value::Exact(f64::from(trial.order))), None],
                replicate: trial.block,
                block: Some(trial.block),
                order: Some(trial.order),
                at: Some(at),
                status: None,
                note: String::new(),
            },
        );
        timeline += &observed::timeline_row(&TimelineRow {
            order: trial.order,
            series: "cpu".into(),
            reading: Reading { at, value: 0.5 },
        });
    }
    fs::write(path.join("samples.csv"), samples).expect("written");
    fs::write(path.join("timeline.csv"), timeline).expect("written");
    let settings = observed::settings_header(&definition) + "1 MiB,wal,,cache_size,1,1\n";
    fs::write(path.join("settings.csv"), settings).expect("written");
    fs::create_dir(path.join("logs")).expect("a folder");
    let log = path.join(format!("logs/{}.log", plan.trials[0].order));
    fs::write(log, name).expect("written");
    let mut run = run_record::new(made.started.to_owned(), plan.command());
    run.environment.insert("cpu".to_owned(), json!(made.cpu));
    run.environment.insert("cores".to_owned(), json!(8));
    run_record::write(&path, &mut run, &plan.record(finished as u32)).expect("written");
    path
}

fn refused(result: Result<Merged, MergeFault>) -> String {
    match result {
        Err(MergeFault::Refused(faults)) => faults.join("\n"),
        other => panic!("{other:?}"),
    }
}

/// Every file below a folder with its content.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(tree(&path));
        } else {
            files.push((path.clone(), fs::read(&path).expect("a file")));
        }
    }
    files.sort();
    files
}

#[test]
fn parts_become_the_whole() {
    let temp = tempfile::tempdir().expect("a folder");
    let other = Made {
        part: 2,
        cpu: "other",
        started: "2026-11-30T23:10:00Z",
        ..MADE
    };
    let parts = [make(temp.path(), "b", other), make(temp.path(), "a", MADE)];
    let before = tree(temp.path());
    let out = temp.path().join("new/whole");
    let merged = merge(&parts, &out, false).expect("joined");
    assert_eq!((merged.runs, merged.finished), (2, 30));
    assert_eq!(merged.notes, ["not the same in all parts: `cpu`"]);
    let (run, plan) = run_record::read(&out).expect("a record");
    assert_eq!(run.environment["cpu"], "one (part 1/2); other (part 2/2)");
    assert_eq!(run.environment["cores"], 8);
    assert_eq!(run.command.as_deref(), Some("benchbook run made"));
    assert_eq!(run.started.as_deref(), Some(MADE.started));
    assert_eq!((plan.shard, plan.trials, plan.finished), (None, 30, 30));
    let parts: Vec<_> = plan
        .parts
        .iter()
        .map(|part| (&*part.run, &*part.blocks, part.environment["cpu"].as_str()))
        .collect();
    assert_eq!(
        parts,
        [
            ("a", &[0, 2, 4][..], Some("one")),
            ("b", &[1, 3], Some("other"))
        ]
    );
    // The rows stand as the whole plan has them, the second part's ten minutes later.
    let samples = fs::read_to_string(out.join("samples.csv")).expect("a table");
    let orders: Vec<&str> = samples
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth_back(3).expect("a cell"))
        .collect();
    let expected: Vec<String> = (0..30).map(|order| order.to_string()).collect();
    assert_eq!(orders, expected);
    assert!(
        samples
            .lines()
            .nth(7)
            .is_some_and(|line| line.contains(",6,600.25,"))
    );
    let timeline = fs::read_to_string(out.join("timeline.csv")).expect("a table");
    assert!(timeline.contains("\n6,600.25,cpu,0.5\n"));
    let settings = fs::read_to_string(out.join("settings.csv")).expect("a table");
    assert_eq!(settings.lines().count(), 2);
    assert_eq!(
        fs::read_to_string(out.join("logs/6.log")).expect("a log"),
        "b"
    );
    // The parts are as they were.
    let mut after = tree(temp.path());
    after.retain(|(path, _)| !path.starts_with(temp.path().join("new")));
    assert_eq!(after, before);
    let made = fs::read_dir(temp.path().join("new")).expect("a folder");
    assert_eq!(made.count(), 1);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let temp = tempfile::tempdir().expect("a folder");
    let out = temp.path().join("out");
    let first = make(temp.path(), "first", MADE);
    let second = |name, made| make(temp.path(), name, Made { part: 2, ..made });
    let again = make(temp.path(), "again", MADE);
    let seeded = second("seeded", Made { seed: 2, ..MADE });
    let changed = RUN.replace("cache.value", "cache");
    let changed = second(
        "changed",
        Made {
            run: &changed,
            ..MADE
        },
    );
    let quarter = make(
        temp.path(),
        "quarter",
        Made {
            part: 3,
            of: 4,
            ..MADE
        },
    );
    for (other, expected) in [
        (&again, "are both part 1/2"),
        (&seeded, "belong to different plans: seed `1` and `2`"),
        (&changed, "settings, parameters, levels or commands"),
        // The blocks 0, 2, 4 and 2.
        (&quarter, "both hold block 2"),
    ] {
        let runs = [first.clone(), other.clone()];
        for partial in [false, true] {
            let said = refused(merge(&runs, &out, partial));
            assert!(said.contains(expected), "{said}");
        }
    }
    assert!(!out.exists());
    assert!(refused(merge(&[], &out, false)).contains("nothing to join"));
    let said = refused(merge(std::slice::from_ref(&first), &first, false));
    assert!(said.contains("is there already"));
    let missing = merge(&[temp.path().join("none")], &out, false);
    assert!(matches!(missing, Err(MergeFault::Record(_))));
}

#[test]
fn what_is_lacking_is_told_and_can_be_overlooked() {
    let temp = tempfile::tempdir().expect("a folder");
    let out = temp.path().join("out");
    let made = |part, finished| Made {
        part,
        of: 3,
        finished,
        ..MADE
    };
    let runs = [
        make(temp.path(), "first", made(1, usize::MAX)),
        make(temp.path(), "third", made(3, 4)),
    ];
    let said = refused(merge(&runs, &out, false));
    assert!(
        said.contains("third` isn't finished: 4 of 6 trials"),
        "{said}"
    );
    assert!(
        said.contains("blocks 1, 4 (part 2/3) of 5 are missing"),
        "{said}"
    );
    assert!(said.contains("--partial"));
    let merged = merge(&runs, &out, true).expect("joined");
    assert_eq!((merged.finished, merged.notes.len()), (16, 2));
    let almost: Vec<PathBuf> = [1, 2, 3, 5]
        .map(|part| {
            make(
                temp.path(),
                &format!("{part} of 5"),
                Made {
                    part,
                    of: 5,
                    ..MADE
                },
            )
        })
        .to_vec();
    let said = refused(merge(&almost, &temp.path().join("almost"), false));
    assert!(
        said.contains("block 3 (part 4/5) of 5 is missing"),
        "{said}"
    );
    // What was joined in part can be joined with the rest.
    let second = make(temp.path(), "second", made(2, usize::MAX));
    let whole = temp.path().join("whole");
    let merged = merge(&[second, out], &whole, true).expect("joined");
    assert_eq!(merged.finished, 28);
    let (_, plan) = run_record::read(&whole).expect("a record");
    let shards: Vec<_> = plan
        .parts
        .iter()
        .filter_map(|part| part.shard.as_deref())
        .collect();
    assert_eq!(shards, ["1/3", "3/3", "2/3"]);
}

#[test]
fn parts_without_blocks_lack_nothing() {
    let temp = tempfile::tempdir().expect("a folder");
    let runs: Vec<PathBuf> = (1..=7)
        .filter(|part| *part != 6)
        .map(|part| {
            let made = Made {
                part,
                of: 7,
                ..MADE
            };
            let name = format!("part-{part}");
            if part < 6 {
                return make(temp.path(), &name, made);
            }
            // It had nothing to do and wrote no table.
            let path = temp.path().join(&name);
            fs::create_dir(&path).expect("a folder");
            let (mut run, plan) = run_record::read(&temp.path().join("part-1")).expect("a record");
            let plan = PlanRecord {
                shard: Some("7/7".to_owned()),
                trials: 0,
                finished: 0,
                ..plan
            };
            run_record::write(&path, &mut run, &plan).expect("written");
            path
        })
        .collect();
    let merged = merge(&runs, &temp.path().join("out"), false).expect("joined");
    assert_eq!((merged.runs, merged.finished), (6, 30));
}

#[test]
fn runs_in_the_middle_are_taken_by_their_journal() {
    let temp = tempfile::tempdir().expect("a folder");
    let out = temp.path().join("out");
    let made = Made {
        part: 2,
        finished: 2,
        ..MADE
    };
    let run = make(temp.path(), "run", made);
    let (_, plan) = run_record::read(&run).expect("a record");
    let mut journal = Journal::create(&run, &plan.fingerprint).expect("a journal");
    let mut add = |order| {
        let line = Line {
            order,
            ..Line::default()
        };
        journal.add(&line).expect("written");
    };
    add(6);
    add(7);
    // Finished, and told by the journal only.
    add(8);
    let said = refused(merge(std::slice::from_ref(&run), &out, true));
    assert!(said.contains("--resume"), "{said}");
    fs::remove_file(run.join("journal.jsonl")).expect("removed");
    let mut journal = Journal::create(&run, &plan.fingerprint).expect("a journal");
    for order in [6, 7] {
        let line = Line {
            order,
            ..Line::default()
        };
        journal.add(&line).expect("written");
    }
    let merged = merge(std::slice::from_ref(&run), &out, true).expect("joined");
    assert_eq!(merged.finished, 2);
    // A runner at work holds its folder.
    let folder = crate::runner::folder::Folder::open(&run).expect("free");
    let said = refused(merge(&[run], &temp.path().join("other"), true));
    assert!(said.contains("being run right now"), "{said}");
    drop(folder);
}

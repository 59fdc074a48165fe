//! One plan on several machines: parts that are killed, gone on with, and joined.

use std::collections::BTreeSet;

use super::site::{FAST, Run, Site};

/// How many parts there are.
const PARTS: u32 = 4;

#[test]
fn parts_of_a_plan_are_killed_and_gone_on_with_and_joined() {
    let site = Site::new(FAST);
    let mut parts = Vec::new();
    for part in 1..=PARTS {
        let folder = format!("part-{part}");
        let mut child = site.start(&[
            "run",
            "x",
            "--shard",
            &format!("{part}/{PARTS}"),
            "--out",
            &folder,
        ]);
        let run = Run(site.path(&folder));
        super::site::wait(|| (run.journal().len() >= 3).then_some(()));
        child.kill().expect("killed");
        child.wait().expect("ended");
        parts.push(run);
    }
    let folders: Vec<&str> = parts.iter().map(Run::path).collect();
    let mut merge = vec!["merge", "--out", "data/x/runs/whole"];
    merge.extend(&folders);
    let early = site.run(&merge);
    assert_eq!(early.code, 1, "parts are unfinished: {}", early.errors);
    assert!(!site.path("data/x/runs/whole").exists());

    let mut blocks = BTreeSet::new();
    for run in &parts {
        let done = site.run(&["run", "--resume", run.path()]);
        assert_eq!(done.code, 0, "{}", done.errors);
        for row in run.samples() {
            blocks.insert((row["block"].clone(), run.path().to_owned()));
        }
    }
    assert_eq!(blocks.len(), 10, "each block belongs to one part");

    let done = site.run(&merge);
    assert_eq!(done.code, 0, "{}", done.errors);
    let whole = site.the_run();
    let mut orders = whole.orders();
    orders.sort_unstable();
    assert_eq!(orders, (0..40).collect::<Vec<u32>>());
    let single = Site::new(FAST);
    assert_eq!(single.run(&["run", "x"]).code, 0);
    let cases = |run: &Run| {
        let rows = run.samples().into_iter();
        let columns = ["order", "block", "page_cache", "sync"];
        rows.map(|row| columns.map(|column| row[column].clone()))
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(
        cases(&whole),
        cases(&single.the_run()),
        "the same plan as on one machine"
    );
    site.assert_valid();

    let refused = site.run(&["run", "--resume", whole.path()]);
    assert_eq!(refused.code, 2, "{}", refused.errors);
    assert!(
        refused.errors.contains("was joined from other runs"),
        "{}",
        refused.errors
    );
}

#[test]
fn array_jobs_number_their_parts() {
    let site = Site::new(FAST);
    let output = site
        .command(&["run", "x", "--shard", "auto", "--plan"])
        .env("SLURM_ARRAY_TASK_ID", "2")
        .env("SLURM_ARRAY_TASK_MIN", "1")
        .env("SLURM_ARRAY_TASK_MAX", "4")
        .env("SLURM_ARRAY_TASK_COUNT", "4")
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("--shard 2/4"), "{text}");
    let nowhere = site.run(&["run", "x", "--shard", "auto"]);
    assert_eq!(nowhere.code, 2, "{}", nowhere.errors);
    // A part without blocks has nothing to do, and that is no fault of its machine.
    let idle = site.run(&["run", "x", "--repetitions", "2", "--shard", "3/3"]);
    assert_eq!(idle.code, 0, "{}", idle.errors);
    assert!(idle.errors.contains("nothing to do"), "{}", idle.errors);
    assert!(!site.path("data/x/runs").exists());
    // Where a folder is asked for, it is there to be merged with the others.
    let part = |part: &str| {
        let run = ["run", "x", "--repetitions", "2", "--shard", part, "--out"];
        let out = site.path(&format!("part-{}", &part[..1]));
        let made = site.run(&[&run[..], &[out.to_str().expect("UTF-8")]].concat());
        assert_eq!(made.code, 0, "{}", made.errors);
        out
    };
    let parts = ["1/3", "2/3", "3/3"].map(part);
    let whole = site.path("whole");
    let folders = parts
        .iter()
        .chain([&whole])
        .map(|it| it.to_str().expect("UTF-8"));
    let mut words: Vec<&str> = folders.collect();
    words.insert(3, "--out");
    words.insert(0, "merge");
    let merged = site.run(&words);
    assert_eq!(merged.code, 0, "{}", merged.errors);
    assert!(!merged.errors.contains("`engine`"), "{}", merged.errors);
}

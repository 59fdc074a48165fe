//! A plan dealt out to four runners, one of which is killed and goes on, and joined again.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const EXPERIMENT: &str = r#"title = "Cache by journal mode"
question = "Which of them matters?"

[factors.cache]
label = "Cache"
kind = "number"
levels = ["100", "1000"]

[factors.mode]
label = "Journal mode"
levels = ["DELETE", "WAL"]

[metrics.throughput]
label = "Throughput"
unit = "1/s"
better = "higher"

[run]
engine = "sqlite"
workload = "insert-update"
repetitions = 5
timeout = "60 s"

[run.settings]
journal_mode = "{mode}"
cache_size = "{cache}"
synchronous = "OFF"

[run.parameters]
connections = 2
rows = 500
warm_up = 0
duration = "0.2 s"
"#;

fn benchbook(site: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_benchbook"));
    command
        .args(words)
        .current_dir(site)
        .env("NO_COLOR", "1")
        // This may be one of several jobs itself.
        .env_remove("CI_NODE_INDEX")
        .env_remove("CIRCLE_NODE_INDEX");
    command
}

fn run(site: &Path, words: &[&str]) -> (bool, String) {
    told(benchbook(site, words).output().expect("the program runs"))
}

fn told(output: Output) -> (bool, String) {
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.success(), out + &err)
}

fn fine(site: &Path, words: &[&str]) -> String {
    let (is_fine, said) = run(site, words);
    assert!(is_fine, "{words:?}: {said}");
    said
}

/// Kills a run as soon as its first trial is on the disk.
fn killed(site: &Path, words: &[&str], folder: &Path) {
    let mut child = benchbook(site, words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let journal = folder.join("journal.jsonl");
    loop {
        let lines = fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        if lines > 1 {
            break;
        }
        let ended = child.try_wait().expect("a process");
        assert_eq!(ended, None, "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    let status = child.wait().expect("a process");
    assert!(!status.success(), "it had ended already");
}

/// The places in the plan's order and the blocks of a run's samples.
fn places(folder: &Path) -> Vec<(u32, u32)> {
    let samples = fs::read_to_string(folder.join("samples.csv")).expect("samples");
    let mut lines = samples
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().expect("a head");
    let column = |name: &str| head.iter().position(|it| *it == name).expect("a column");
    let [order, block] = ["order", "block"].map(column);
    let number = |cell: &str| cell.parse().expect("a number");
    lines
        .map(|line| (number(line[order]), number(line[block])))
        .collect()
}

#[test]
fn four_shards_one_of_them_killed_make_the_whole() {
    let temp = tempfile::tempdir().expect("a folder");
    let site = temp.path();
    fs::create_dir_all(site.join("data/cache")).expect("a folder");
    fs::write(site.join("site.toml"), "title = \"T\"\n").expect("written");
    fs::write(site.join("data/cache/experiment.toml"), EXPERIMENT).expect("written");

    killed(
        site,
        &["run", "cache", "--shard", "1/4", "--out", "parts/1"],
        &site.join("parts/1"),
    );
    fine(
        site,
        &["run", "cache", "--shard", "2/4", "--out", "parts/2"],
    );
    let array = benchbook(
        site,
        &["run", "cache", "--shard", "auto", "--out", "parts/3"],
    )
    .env("SLURM_ARRAY_TASK_ID", "12")
    .env("SLURM_ARRAY_TASK_MIN", "10")
    .env("SLURM_ARRAY_TASK_COUNT", "4")
    .output();
    let (is_fine, said) = told(array.expect("the program runs"));
    assert!(is_fine, "{said}");
    let indexed = benchbook(
        site,
        &["run", "cache", "--shard", "auto/4", "--out", "parts/4"],
    )
    .env("JOB_COMPLETION_INDEX", "3")
    .output();
    let (is_fine, said) = told(indexed.expect("the program runs"));
    assert!(is_fine, "{said}");

    let out = "data/cache/runs/whole";
    let merge = [
        "merge", "parts/1", "parts/2", "parts/3", "parts/4", "--out", out,
    ];
    let (is_fine, said) = run(site, &merge);
    assert!(!is_fine && !site.join(out).exists(), "{said}");
    fine(site, &["run", "--resume", "parts/1"]);
    let said = fine(site, &merge);
    assert!(said.contains("4 runs joined"), "{said}");

    let found = places(&site.join(out));
    let expected: Vec<(u32, u32)> = (0..20).map(|order| (order, order / 4)).collect();
    assert_eq!(found, expected);
    // Part 1 of 4 holds two of the five blocks.
    assert_eq!(places(&site.join("parts/1")).len(), 8);
    let said = fine(site, &["check"]);
    assert!(said.contains("1 experiment"), "{said}");
    let said = fine(site, &["compare", "mode=DELETE", "mode=WAL"]);
    assert!(said.contains("Throughput"), "{said}");
}

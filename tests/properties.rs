//! Any bytes whatever: the fuzzer's bodies on stable, with the seeds and with bounded random inputs.

#[path = "../fuzz/shared/bodies.rs"]
mod bodies;

use std::path::Path;

use proptest::prelude::*;

/// The files of a target's seed corpus, in order.
fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(name);
    let mut seeds: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .unwrap_or_else(|fault| panic!("{}: {fault}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .map(|path| {
            (
                path.display().to_string(),
                std::fs::read(&path).expect("a seed"),
            )
        })
        .collect();
    seeds.sort();
    seeds
}

#[test]
fn every_body_takes_its_seeds() {
    for (name, body) in bodies::BODIES {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "`{name}` has no seeds");
        for (path, bytes) in seeds {
            let taken = std::panic::catch_unwind(|| body(&bytes));
            assert!(taken.is_ok(), "{path}");
        }
    }
}

/// Lines of a target's seeds, cut, doubled, mixed and spoilt by any bytes.
fn spoilt(name: &str) -> impl Strategy<Value = Vec<u8>> + use<> {
    let mut parts: Vec<Vec<u8>> = seeds(name)
        .iter()
        .flat_map(|(_, bytes)| bytes.split_inclusive(|&byte| byte == b'\n'))
        .map(<[u8]>::to_vec)
        .collect();
    parts.sort();
    parts.dedup();
    let line = prop::sample::select(parts);
    let cut = (line.clone(), any::<prop::sample::Index>())
        .prop_map(|(line, at)| line[..at.index(line.len() + 1)].to_vec());
    let any_bytes = prop::collection::vec(any::<u8>(), 0..12);
    let part = prop_oneof![6 => line, 2 => cut, 1 => any_bytes];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// Runs one body on random inputs; a find becomes a seed.
fn run(name: &str, cases: u32) {
    let (_, body) = bodies::BODIES
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("a body");
    let settings = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(settings);
    let outcome = runner.run(&spoilt(name), |bytes| {
        body(&bytes);
        Ok(())
    });
    if let Err(fault) = outcome {
        panic!("{name}: {fault}");
    }
}

#[test]
fn markdown_takes_anything() {
    run("markdown", 120);
}

#[test]
fn expressions_take_anything() {
    run("expression", 30);
}

#[test]
fn tables_take_anything() {
    run("csv", 30);
}

#[test]
fn definitions_take_anything() {
    run("definition", 30);
}

#[test]
fn logs_take_anything() {
    run("gbak", 30);
    run("time", 30);
}

#[test]
fn json_takes_anything() {
    run("json", 30);
}

#[test]
fn settings_take_anything() {
    run("config", 30);
}

#[test]
fn whole_sites_take_anything() {
    run("whole_site", 30);
}

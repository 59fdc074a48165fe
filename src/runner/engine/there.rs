//! Engines that tests need: a test whose engine isn't here is skipped, and counted.

use std::io::Write as _;

use super::{Availability, Engine, find};

/// The variable that names the file to which skipped tests are added, a line each: the engine, a tab, the test.
const SKIPPED: &str = "BENCHBOOK_SKIPPED";

/// The engine of this name, if it can be used here; else the test is to end, and is counted as skipped.
pub(in crate::runner) fn usable(name: &str) -> Option<&'static dyn Engine> {
    let engine = find(name);
    let ready = engine.filter(|it| matches!(it.probe(), Availability::Ready(_)));
    if ready.is_none() {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a test").to_owned();
        eprintln!("skipped: the engine `{name}` isn't here");
        if let Some(file) = std::env::var_os(SKIPPED) {
            let file = std::fs::File::options()
                .create(true)
                .append(true)
                .open(file);
            // In one piece: other tests write into it at the same time.
            let line = format!("{name}\t{test}\n");
            file.and_then(|mut file| file.write_all(line.as_bytes()))
                .expect("the list of skipped tests");
        }
    }
    ready
}

#[test]
fn embedded_engines_are_always_there() {
    assert_eq!(usable("sqlite").map(Engine::name), Some("sqlite"));
}

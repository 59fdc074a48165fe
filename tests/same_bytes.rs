//! The same input gives the same bytes: on any number of threads, anywhere, at any time, twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// This repository, whose own site is the input.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What a site consists of.
const PARTS: [&str; 5] = ["site.toml", "content", "data", "templates", "static"];

/// Builds a site and answers with what was said.
fn build(root: &Path, out: &Path, jobs: u16, environment: &[(&str, &str)]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_benchbook"))
        .args(["build", "--base-url", "https://example.org/some/where/"])
        .args(["--jobs", &jobs.to_string()])
        .arg("--root")
        .arg(root)
        .arg("--out")
        .arg(out)
        .envs(environment.iter().copied())
        .output()
        .expect("the program runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{said}");
    said
}

/// Every file below a folder by its path, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect()
}

fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let tree: BTreeMap<_, _> = files(folder)
        .into_iter()
        .map(|path| {
            let bytes = fs::read(&path).expect("a readable file");
            let path = path.strip_prefix(folder).expect("a file below it");
            (path.to_owned(), bytes)
        })
        .collect();
    assert!(tree.len() > 100, "only {} files", tree.len());
    tree
}

fn assert_same(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
    let paths = one.keys().chain(other.keys());
    let differ: Vec<_> = paths
        .filter(|path| one.get(*path) != other.get(*path))
        .collect();
    assert!(differ.is_empty(), "{what} changes {differ:?}");
}

#[test]
fn threads_and_places_change_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = |name: &str| folder.path().join(name);
    build(Path::new(ROOT), &out("first"), 1, &[]);
    let first = tree(&out("first"));
    type World = (&'static str, u16, &'static [(&'static str, &'static str)]);
    let worlds: [World; 3] = [
        (
            "two threads in Berlin",
            2,
            &[
                ("TZ", "Europe/Berlin"),
                ("LANG", "de_DE.UTF-8"),
                ("LC_ALL", "de_DE.UTF-8"),
            ],
        ),
        (
            "seven threads in Kathmandu",
            7,
            &[
                ("TZ", "Asia/Kathmandu"),
                ("LANG", "ru_RU.KOI8-R"),
                ("LC_ALL", "C"),
            ],
        ),
        (
            "one thread at the date line",
            1,
            &[
                ("TZ", "Pacific/Kiritimati"),
                ("LANG", ""),
                ("LC_ALL", "tr_TR.UTF-8"),
                ("NO_COLOR", "1"),
            ],
        ),
    ];
    for (what, jobs, environment) in worlds {
        build(Path::new(ROOT), &out(what), jobs, environment);
        assert_same(&first, &tree(&out(what)), what);
    }
}

#[test]
fn the_order_of_files_on_disk_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sources: Vec<PathBuf> = PARTS
        .iter()
        .flat_map(|part| files(&Path::new(ROOT).join(part)))
        .collect();
    let mut trees = Vec::new();
    for name in ["forwards", "backwards"] {
        let root = folder.path().join(name);
        for source in &sources {
            let copy = root.join(source.strip_prefix(ROOT).expect("a file of the repository"));
            fs::create_dir_all(copy.parent().expect("a parent")).expect("a folder");
            fs::copy(source, copy).expect("a copy");
        }
        sources.reverse();
        build(&root, &root.join("public"), 2, &[]);
        trees.push(tree(&root.join("public")));
    }
    assert_same(&trees[0], &trees[1], "the order of files");
}

#[test]
fn a_second_build_touches_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("public");
    build(Path::new(ROOT), &out, 2, &[]);
    let times = || -> BTreeMap<PathBuf, SystemTime> {
        let time = |path: &Path| {
            fs::metadata(path)
                .and_then(|it| it.modified())
                .expect("a time")
        };
        files(&out)
            .into_iter()
            .map(|path| (path.clone(), time(&path)))
            .collect()
    };
    let before = times();
    let said = build(Path::new(ROOT), &out, 2, &[]);
    // The list of files is no file of the site.
    let count = before.len() - 1;
    assert!(
        said.contains(&format!("0 written, {count} unchanged, 0 removed")),
        "{said}"
    );
    assert_eq!(before, times());
}

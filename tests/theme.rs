//! The built-in theme: Tera takes every template, every interface word exists, every colour can be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use tera::{Kwargs, State, Tera, TeraResult};

/// Every template by its name below `templates/`.
fn templates() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates");
    walkdir::WalkDir::new(&folder)
        .into_iter()
        .map(|entry| entry.expect("a readable folder"))
        .filter(|entry| entry.file_type().is_file())
        .filter(|entry| entry.path().extension().is_none_or(|end| end != "toml"))
        .map(|entry| {
            let name = entry.path().strip_prefix(&folder).expect("a file below it");
            let text = fs::read_to_string(entry.path()).expect("a readable template");
            (name.to_string_lossy().replace('\\', "/"), text)
        })
        .collect()
}

#[test]
fn tera_takes_every_template() {
    let mut tera = Tera::new();
    tera.register_filter(
        "message",
        |key: &str, _: Kwargs, _: &State| -> TeraResult<String> { Ok(key.to_owned()) },
    );
    if let Err(fault) = tera.add_raw_templates(templates()) {
        panic!("{fault}");
    }
}

#[test]
fn every_interface_word_is_in_every_catalog() {
    let mut keys = BTreeSet::new();
    for text in templates().values() {
        for piece in text.split(" | message").filter(|piece| piece.ends_with('"')) {
            let quoted = piece.trim_end_matches('"');
            keys.extend(quoted.rsplit('"').next().map(str::to_owned));
        }
    }
    assert!(keys.contains("skip-to-content"), "no keys found: {keys:?}");
    for lang in ["en", "de", "ru", "vi"] {
        let path = format!("{}/templates/locale/{lang}.toml", env!("CARGO_MANIFEST_DIR"));
        let catalog: toml::Table = fs::read_to_string(&path)
            .unwrap_or_else(|fault| panic!("{path}: {fault}"))
            .parse()
            .unwrap_or_else(|fault| panic!("{path}: {fault}"));
        let missing: Vec<_> = keys.iter().filter(|key| !catalog.contains_key(*key)).collect();
        assert!(missing.is_empty(), "{path} lacks {missing:?}");
    }
}

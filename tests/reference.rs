//! The reference page: every block, argument, function, filter and fault has words in every built-in language.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use benchbook::content::{FILTERS, FUNCTIONS, KINDS};
use benchbook::diag::Code;

/// Beginnings of the keys that the reference looks up.
const PREFIXES: [&str; 6] = [
    "block-",
    "argument-",
    "function-",
    "filter-",
    "parameter-",
    "fault-",
];

/// The keys of each entry of the tables, the most specific first, with the English sentence.
fn entries() -> Vec<(Vec<String>, &'static str)> {
    let mut entries = Vec::new();
    for kind in KINDS {
        entries.push((vec![format!("block-{}", kind.name)], kind.meaning));
        for argument in kind.arguments {
            let keys = vec![
                format!("argument-{}-{}", kind.name, argument.name),
                format!("argument-{}", argument.name),
            ];
            entries.push((keys, argument.meaning));
        }
    }
    for (prefix, table) in [("function", FUNCTIONS), ("filter", FILTERS)] {
        for function in table {
            entries.push((
                vec![format!("{prefix}-{}", function.name)],
                function.meaning,
            ));
            for parameter in function.parameters {
                let keys = vec![
                    format!("parameter-{}-{}", function.name, parameter.name),
                    format!("parameter-{}", parameter.name),
                ];
                entries.push((keys, parameter.meaning));
            }
        }
    }
    for code in Code::ALL {
        entries.push((vec![format!("fault-{}", code.name())], code.meaning()));
    }
    entries
}

/// The built-in catalogs but the English one.
fn catalogs() -> BTreeMap<String, BTreeMap<String, toml::Value>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/locale");
    fs::read_dir(folder)
        .expect("a readable folder")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| !path.ends_with("en.toml"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable catalog");
            let name = path.file_name().expect("a file's name").to_string_lossy();
            (name.into_owned(), toml::from_str(&text).expect("TOML"))
        })
        .collect()
}

#[test]
fn every_entry_is_translated() {
    let mut missing = Vec::new();
    for (name, catalog) in catalogs() {
        for (keys, _) in entries() {
            if !keys.iter().any(|key| catalog.contains_key(key)) {
                missing.push(format!("{name}: {}", keys.join(" or ")));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn no_translation_belongs_to_an_entry_that_is_gone() {
    let known: BTreeSet<String> = entries().into_iter().flat_map(|(keys, _)| keys).collect();
    let mut stray = Vec::new();
    for (name, catalog) in catalogs() {
        for key in catalog.keys() {
            if PREFIXES.iter().any(|prefix| key.starts_with(prefix)) && !known.contains(key) {
                stray.push(format!("{name}: {key}"));
            }
        }
    }
    assert!(stray.is_empty(), "{}", stray.join("\n"));
}

#[test]
fn entries_that_share_a_translation_share_their_english_words() {
    for (name, catalog) in catalogs() {
        let mut english: BTreeMap<String, &str> = BTreeMap::new();
        for (keys, meaning) in entries() {
            let Some(key) = keys.into_iter().find(|key| catalog.contains_key(key)) else {
                continue;
            };
            let first = *english.entry(key.clone()).or_insert(meaning);
            assert_eq!(first, meaning, "{name}: `{key}` stands for two sentences");
        }
    }
}

#[test]
fn code_words_stay_in_translations() {
    let code = |text: &str| -> BTreeSet<String> {
        text.split('`')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    };
    for (name, catalog) in catalogs() {
        for (keys, meaning) in entries() {
            let Some((key, value)) = keys.iter().find_map(|key| Some((key, catalog.get(key)?)))
            else {
                continue;
            };
            let words = code(value.as_str().expect("a text"));
            let lost: Vec<String> = code(meaning).difference(&words).cloned().collect();
            assert!(lost.is_empty(), "{name}: `{key}` lacks {lost:?}");
        }
    }
}

//! Holds the house to its plan: which room may use which, where each outside crate lives, who touches
//! the disk, the clock and the environment, and what may not stand in the program at all.
//!
//! ARCHITECTURE.md says why. To draw a new arrow, add it below with its reason, and there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, and for each those it may use. Lower rooms stand first: an arrow may only lead to a room
/// above it in this list, so there can be no cycle.
const ROOMS: &[(&str, &[&str])] = &[
    ("diag", &[]),
    ("text", &["diag"]),
    ("model", &["text", "diag"]),
    ("source", &["diag"]),
    ("output", &[]),
    ("theme", &["diag"]),
    ("content", &["text", "diag"]),
    // A raw-HTML policy is a word of `content`, said in site.toml.
    // What names a folder of the output can't have is known where folders are read.
    ("config", &["content", "source", "text", "diag"]),
    ("data", &["model", "source", "text", "diag"]),
    ("analysis", &["model"]),
    // The third wing: it meets the others only in `model` and in the files of `data`.
    ("runner", &["data", "model", "source", "text", "diag"]),
    ("figure", &["analysis", "model", "text"]),
    ("site", &["content", "text", "diag"]),
    // The room where words meet numbers. It looks up pictures and downloads in `source`'s map of files,
    // and hands over `output`'s map of finished ones.
    (
        "render",
        &[
            "site", "figure", "analysis", "data", "content", "model", "source", "output", "text",
            "diag",
        ],
    ),
    (
        "pipeline",
        &[
            "render", "site", "data", "content", "config", "theme", "source", "output", "text",
            "diag",
        ],
    ),
    (
        "cli",
        &[
            "pipeline", "runner", "figure", "analysis", "data", "model", "config", "content",
            "site", "source", "output", "text", "diag",
        ],
    ),
    ("main", &["cli"]),
];

/// Outside crates that have one address each, so that each can be replaced there.
const ADDRESSES: &[(&str, &[&str])] = &[
    ("ammonia", &["content"]),
    ("annotate_snippets", &["diag"]),
    ("anyhow", &["cli"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("csv", &["data", "figure/export"]),
    ("fixed_decimal", &["text"]),
    ("icu_calendar", &["text"]),
    ("icu_collator", &["text"]),
    ("icu_datetime", &["text"]),
    ("icu_decimal", &["text"]),
    ("icu_list", &["text"]),
    ("icu_locale", &["text"]),
    ("icu_normalizer", &["text"]),
    ("icu_plurals", &["text"]),
    ("plotters", &["figure/chart"]),
    ("plotters_backend", &["figure/chart"]),
    ("pulldown_cmark", &["content"]),
    ("indicatif", &["cli"]),
    // A pattern that can't be read is told where it stands, before anything is run.
    ("regex", &["data", "runner"]),
    ("mysql", &["runner/engine"]),
    ("postgres", &["runner/engine"]),
    ("rsfbclient", &["runner/engine"]),
    ("rusqlite", &["runner/engine"]),
    ("rustls", &["runner/engine"]),
    ("rustls_native_certs", &["runner/engine"]),
    ("rustix", &["output", "runner"]),
    ("shlex", &["data", "runner"]),
    ("signal_hook", &["cli"]),
    ("tempfile", &["output", "cli", "runner"]),
    ("tera", &["render"]),
    ("tokio_postgres_rustls", &["runner/engine"]),
    ("url", &["runner/engine"]),
    ("walkdir", &["source", "output"]),
    ("writeable", &["text"]),
];

/// What a word reaches outside, and who may say it.
const DOORS: &[(&str, &[&str], &str)] = &[
    (
        "std::fs",
        &["source", "output", "runner", "cli/init", "cli/stamp"],
        "only doors touch the disk",
    ),
    ("std::env", &["cli"], "only `cli` reads the environment"),
    (
        "std::process",
        &["cli", "main", "runner"],
        "only `cli` and `runner` know that there are processes",
    ),
    (
        "std::net",
        &["cli", "runner/engine", "runner/process"],
        "pages are built without a network",
    ),
];

/// Words of clocks: the same input has to give the same bytes at any time.
const CLOCKS: &[&str] = &["Instant", "SystemTime"];

/// Lines of a file, its tests aside. A file that is longer wants splitting.
const LONGEST: usize = 500;

#[test]
fn arrows_point_downwards() {
    let mut faults = Vec::new();
    for (place, (room, arrows)) in ROOMS.iter().enumerate() {
        for arrow in *arrows {
            if !ROOMS[..place].iter().any(|(lower, _)| lower == arrow) {
                faults.push(format!(
                    "the table lets `{room}` use `{arrow}`, which doesn't stand above it"
                ));
            }
        }
    }
    for file in program() {
        let Some((room, allowed)) = ROOMS.iter().find(|(room, _)| *room == file.room()) else {
            if file.room() != "lib" {
                faults.push(format!(
                    "{}: `{}` is no room of the table",
                    file.path,
                    file.room()
                ));
            }
            continue;
        };
        for (used, line) in file.rooms_used() {
            let known = ROOMS.iter().any(|(room, _)| *room == used);
            if known && used != *room && !allowed.contains(&used.as_str()) {
                faults.push(format!(
                    "{}:{line}: `{room}` may not use `{used}`; it may use {}",
                    file.path,
                    if allowed.is_empty() {
                        "no other room".to_owned()
                    } else {
                        allowed.join(", ")
                    }
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn outside_crates_have_one_address() {
    let mut faults = Vec::new();
    for file in program() {
        for path in file.paths() {
            let Some((name, homes)) = ADDRESSES.iter().find(|(name, _)| *name == path.words[0])
            else {
                continue;
            };
            if !homes.iter().any(|home| file.is_in(home)) {
                faults.push(format!(
                    "{}:{}: `{name}` lives in {}",
                    file.path,
                    path.line,
                    homes.join(" and ")
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn only_doors_reach_outside() {
    let mut faults = Vec::new();
    for file in program() {
        for path in file.paths() {
            for (word, homes, why) in DOORS {
                let said = path.words.len() >= 2
                    && format!("{}::{}", path.words[0], path.words[1]) == *word;
                if said && !homes.iter().any(|home| file.is_in(home)) {
                    faults.push(format!("{}:{}: {word}: {why}", file.path, path.line));
                }
            }
            if file.room() != "runner"
                && path
                    .words
                    .iter()
                    .any(|word| CLOCKS.contains(&word.as_str()) || word == "now")
            {
                faults.push(format!(
                    "{}:{}: a clock: the same input has to give the same bytes",
                    file.path, path.line
                ));
            }
        }
    }
    none(&faults);
}

#[test]
fn nothing_gives_up() {
    const MACROS: [&str; 4] = ["panic", "todo", "unimplemented", "dbg"];
    const PRINTERS: [&str; 4] = ["print", "println", "eprint", "eprintln"];
    let mut faults = Vec::new();
    for file in program() {
        let lines: Vec<&str> = file.text.lines().collect();
        for window in file.tokens.windows(3) {
            let [before, word, after] = window else {
                continue;
            };
            let name = word.text.as_str();
            let calls = before.text == "." && after.text == "(";
            let expands = after.text == "!";
            // What can't be reached says why.
            let silent = name == "unreachable" && !lines[word.line - 1].contains("unreachable!(\"");
            let gives_up = calls && ["unwrap", "expect"].contains(&name)
                || expands && (MACROS.contains(&name) || silent);
            let place = format!("{}:{}", file.path, word.line);
            if gives_up {
                faults.push(format!(
                    "{place}: `{name}` may end the program; report a fault, or say why it can't be \
                     reached with `unreachable!(\"…\")`"
                ));
            }
            if expands && PRINTERS.contains(&name) && file.room() != "cli" {
                faults.push(format!("{place}: only `cli` talks to people"));
            }
        }
    }
    none(&faults);
}

#[test]
fn files_say_what_they_are_and_fit_on_a_few_screens() {
    let mut faults = Vec::new();
    for file in every_file() {
        if !file.text.starts_with("//! ") {
            faults.push(format!(
                "{}:1: the first line says what the file is for, with `//! `",
                file.path
            ));
        }
    }
    for file in program() {
        if file.lines > LONGEST {
            faults.push(format!(
                "{}: {} lines, {LONGEST} at most",
                file.path, file.lines
            ));
        }
    }
    none(&faults);
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

// ---- reading Rust as far as it is needed -----------------------------------------------------------

/// A file of the program, or a test within it.
struct File {
    /// Relative to the repository, with `/`.
    path: String,
    text: String,
    /// Words and signs outside of comments, texts and tests.
    tokens: Vec<Token>,
    /// How many lines stand before the tests at its end.
    lines: usize,
    /// Modules that are compiled for tests only.
    test_modules: Vec<String>,
}

struct Token {
    text: String,
    line: usize,
}

/// Names joined by `::`.
struct Named {
    words: Vec<String>,
    line: usize,
}

fn every_file() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src")];
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                paths.insert(path);
            }
        }
    }
    let files: Vec<File> = paths.iter().map(|path| File::read(root, path)).collect();
    assert!(files.len() > 50, "the program was not found");
    files
}

/// The files that are compiled into the program.
fn program() -> Vec<File> {
    let files = every_file();
    let tests: BTreeSet<String> = files
        .iter()
        .flat_map(|file| {
            file.test_modules
                .iter()
                .map(|module| format!("{}/{module}", file.module()))
        })
        .collect();
    files
        .into_iter()
        .filter(|file| {
            let module = file.module();
            !tests
                .iter()
                .any(|test| module == *test || module.starts_with(&format!("{test}/")))
        })
        .collect()
}

impl File {
    fn read(root: &Path, path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("a readable file");
        let path = path.strip_prefix(root).expect("a path below the root");
        let path = path.to_string_lossy().replace('\\', "/");
        let (tokens, test_modules, first_test) = without_tests(tokens(&text));
        let lines = first_test.unwrap_or_else(|| text.lines().count());
        Self {
            path,
            text,
            tokens,
            lines,
            test_modules,
        }
    }

    /// The module's path, such as `src/figure/chart`.
    fn module(&self) -> String {
        let path = self.path.trim_end_matches(".rs");
        path.trim_end_matches("/mod").to_owned()
    }

    fn room(&self) -> String {
        self.module()
            .split('/')
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether this is a module, such as `figure/chart`, or stands within it.
    fn is_in(&self, module: &str) -> bool {
        let own = self.module();
        let own = own.trim_start_matches("src/");
        own == module || own.starts_with(&format!("{module}/"))
    }

    /// Every path of the file; those of a group in braces one by one.
    fn paths(&self) -> Vec<Named> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let starts = is_word(&self.tokens[at].text)
                && self
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| next.text == "::");
            if starts {
                at = self.path_at(at, &[], &mut all);
            } else {
                at += 1;
            }
        }
        all
    }

    /// Reads a path that begins at a token and goes on from others; answers where it ends.
    fn path_at(&self, mut at: usize, before: &[String], all: &mut Vec<Named>) -> usize {
        let mut words = before.to_vec();
        let line = self.tokens[at].line;
        loop {
            match self.tokens.get(at).map(|token| token.text.as_str()) {
                Some("{") => {
                    at += 1;
                    while let Some(token) = self.tokens.get(at).filter(|token| token.text != "}") {
                        let inner = is_word(&token.text) || token.text == "{";
                        at = if inner {
                            self.path_at(at, &words, all)
                        } else {
                            at + 1
                        };
                    }
                    return at + 1;
                }
                Some(word) if is_word(word) => {
                    words.push(word.to_owned());
                    at += 1;
                }
                _ => break,
            }
            if self.tokens.get(at).is_none_or(|token| token.text != "::") {
                break;
            }
            at += 1;
        }
        all.push(Named { words, line });
        at
    }

    /// The rooms that paths lead to, from the crate's root or from `super`.
    fn rooms_used(&self) -> Vec<(String, usize)> {
        let depth = self.module().split('/').count() - 1;
        let mut used = Vec::new();
        for path in self.paths() {
            let ups = path
                .words
                .iter()
                .take_while(|word| *word == "super")
                .count();
            let room = match path.words[0].as_str() {
                "crate" | "benchbook" => path.words.get(1),
                _ if ups > 0 && ups >= depth => path.words.get(ups),
                _ => None,
            };
            used.extend(room.map(|room| (room.clone(), path.line)));
        }
        used
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// Takes out `#[cfg(test)] mod …` and `#[cfg(all(test, …))] mod …`: the tokens without it, the names of such modules
/// that are files, and the line before the first that isn't.
fn without_tests(tokens: Vec<Token>) -> (Vec<Token>, Vec<String>, Option<usize>) {
    let mut kept = Vec::new();
    let mut files = Vec::new();
    let mut first = None;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let line = token.line;
        if token.text != "#" || tokens.peek().is_none_or(|next| next.text != "[") {
            kept.push(token);
            continue;
        }
        let mut attribute = vec![token];
        let mut open = 0_usize;
        for token in tokens.by_ref() {
            match token.text.as_str() {
                "[" => open += 1,
                "]" => open -= 1,
                _ => {}
            }
            attribute.push(token);
            if open == 0 {
                break;
            }
        }
        let words: String = attribute.iter().map(|token| token.text.as_str()).collect();
        if !words.starts_with("#[cfg(test)") && !words.starts_with("#[cfg(all(test,") {
            kept.append(&mut attribute);
            continue;
        }
        // Up to the item's end: a semicolon, or the brace that closes its first.
        let mut depth = 0_usize;
        let mut words = Vec::new();
        for token in tokens.by_ref() {
            match token.text.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            let ends = depth == 0 && (token.text == ";" || token.text == "}");
            words.push(token.text);
            if ends {
                break;
            }
        }
        let module = words
            .iter()
            .position(|word| word == "mod")
            .filter(|at| *at < 5);
        if let Some(at) = module {
            if words.last().is_some_and(|last| last == ";") {
                files.push(words[at + 1].clone());
            } else {
                first.get_or_insert(line - 1);
            }
        }
    }
    (kept, files, first)
}

/// Words and signs, without comments and the insides of texts.
fn tokens(text: &str) -> Vec<Token> {
    let letters: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let next = letters.get(at + 1).copied().unwrap_or(' ');
        let start = at;
        if letter.is_whitespace() {
            at += 1;
        } else if letter == '/' && next == '/' {
            at = (at..letters.len())
                .find(|&i| letters[i] == '\n')
                .unwrap_or(letters.len());
        } else if letter == '/' && next == '*' {
            at = (at + 2..letters.len())
                .find(|&i| letters[i - 1] == '*' && letters[i] == '/')
                .map_or(letters.len(), |i| i + 1);
        } else if letter == '"' {
            at = end_of_text(&letters, at + 1);
        } else if letter == '\'' {
            at = end_of_letter(&letters, at);
        } else if letter.is_alphanumeric() || letter == '_' {
            while at < letters.len() && (letters[at].is_alphanumeric() || letters[at] == '_') {
                at += 1;
            }
            let word: String = letters[start..at].iter().collect();
            let raw = ["r", "br"].contains(&word.as_str());
            let hashes = letters[at..]
                .iter()
                .take_while(|&&letter| letter == '#')
                .count();
            if raw && letters.get(at + hashes) == Some(&'"') {
                at = end_of_raw(&letters, at + hashes + 1, hashes);
            } else {
                all.push(Token { text: word, line });
            }
        } else {
            at += if letter == ':' && next == ':' { 2 } else { 1 };
            all.push(Token {
                text: letters[start..at].iter().collect(),
                line,
            });
        }
        line += letters[start..at]
            .iter()
            .filter(|&&letter| letter == '\n')
            .count();
    }
    all
}

fn end_of_text(letters: &[char], mut at: usize) -> usize {
    while at < letters.len() && letters[at] != '"' {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn end_of_raw(letters: &[char], mut at: usize, hashes: usize) -> usize {
    while at < letters.len() {
        let closes = letters[at] == '"'
            && letters[at + 1..]
                .iter()
                .take(hashes)
                .filter(|&&letter| letter == '#')
                .count()
                == hashes;
        at += 1;
        if closes {
            return at + hashes;
        }
    }
    at
}

/// The end of a character, or of the mark that begins a lifetime.
fn end_of_letter(letters: &[char], at: usize) -> usize {
    if letters.get(at + 1) == Some(&'\\') {
        let close = letters[at + 3..].iter().position(|&letter| letter == '\'');
        return close.map_or(letters.len(), |close| at + 3 + close + 1);
    }
    if letters.get(at + 2) == Some(&'\'') {
        at + 3
    } else {
        at + 1
    }
}

#[test]
fn rust_is_read_as_far_as_needed() {
    let text = "use crate::{a::b, c::{d, e}};\n// crate::f\nlet x = \"crate::g\"; r#\"crate::\"h\"#; '\"'; 'a';\n\
                fn i<'a>() { super::super::j::k() }\n#[cfg(test)]\nmod tests { crate::l }\n#[cfg(test)]\nmod m;\n\
                #[cfg(all(test, feature = \"p\"))]\nmod q;\n#[cfg(not(test))]\nmod r;\n#![allow(t)]";
    let (tokens, test_modules, first) = without_tests(tokens(text));
    let file = File {
        path: "src/n/o.rs".into(),
        text: text.into(),
        tokens,
        lines: 0,
        test_modules,
    };
    let used: BTreeMap<String, usize> = file.rooms_used().into_iter().collect();
    assert_eq!(
        used,
        BTreeMap::from([("a".into(), 1), ("c".into(), 1), ("j".into(), 4)])
    );
    assert_eq!(
        (file.test_modules, first),
        (vec!["m".to_owned(), "q".to_owned()], Some(4))
    );
}

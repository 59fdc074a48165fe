//! The door in: every file of a site, read once, in a fixed order.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use walkdir::WalkDir;

use crate::diag::{Code, Diagnostic, Report, Source, Span};

/// A file of the site.
#[derive(Debug, Clone)]
pub enum File {
    /// A UTF-8 text, without its byte order mark.
    Text(Arc<Source>),
    /// Bytes that are no text.
    Bytes(Arc<[u8]>),
}

impl File {
    /// The bytes as they stand in the file (less a byte order mark).
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(source) => source.text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&Arc<Source>> {
        match self {
            Self::Text(source) => Some(source),
            Self::Bytes(_) => None,
        }
    }
}

/// All files of a site by path relative to its root, with `/` between names.
#[derive(Debug, Clone, Default)]
pub struct Files {
    files: BTreeMap<String, File>,
}

impl Files {
    /// Adds a file.
    pub fn insert(&mut self, path: impl Into<String>, file: File) {
        self.files.insert(path.into(), file);
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// The file at a path, with the path as it is kept.
    pub fn entry(&self, path: &str) -> Option<(&str, &File)> {
        let (path, file) = self.files.get_key_value(path)?;
        Some((path, file))
    }

    /// The files below a folder, in the order of their paths.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a File)> {
        let start = format!("{folder}/");
        self.files
            .range(start.clone()..)
            .take_while(move |(path, _)| path.starts_with(&start))
            .map(|(path, file)| (path.as_str(), file))
    }

    /// Every path.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}

/// The folders and the file a site consists of; nothing else below the root is looked at.
const PARTS: [&str; 5] = ["site.toml", "content", "data", "templates", "static"];

/// Files that people write as text: one that isn't UTF-8 is a fault, not a picture.
const TEXTS: [&str; 13] = [
    "md", "toml", "csv", "tsv", "json", "jsonl", "log", "txt", "html", "xml", "css", "js", "svg",
];

/// What a site reads of a run's folder. The rest is the runner's own (its journal, logs, scratch data, which
/// may be large and change while they are looked at): it is neither read nor published.
const RUN_FILES: [&str; 4] = ["run.json", "samples.csv", "settings.csv", "timeline.csv"];

/// Whether a path in a folder `runs/NAME/` belongs to the runner only.
fn is_runners_own(path: &Path) -> bool {
    let Some(run) = path.parent() else {
        return false;
    };
    let runs = run.parent().and_then(Path::file_name);
    runs.is_some_and(|name| name == "runs")
        && !path
            .file_name()
            .is_some_and(|name| RUN_FILES.iter().any(|known| name == *known))
        && run.join(RUN_FILES[0]).is_file()
}

/// Reads a site. Links and paths that leave it, and names that some systems reserve, are reported
/// and left out; names that begin with a dot are passed over.
///
/// # Errors
/// When the root or a file in it can't be read.
pub fn read(root: &Path, report: &mut Report) -> std::io::Result<Files> {
    // The root itself must exist; each part of it may be absent.
    std::fs::metadata(root)?;
    let mut paths = Vec::new();
    for part in PARTS {
        let walk = WalkDir::new(root.join(part))
            .follow_root_links(false)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| {
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                let of_run = part == "data" && entry.depth() > 3;
                let passed = hidden || (of_run && is_runners_own(entry.path()));
                !passed
            });
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if error.depth() == 0 => break,
                Err(error) => return Err(error.into()),
            };
            let path = match relative(root, entry.path()) {
                Ok(path) => path,
                Err(fault) => {
                    report.push(*fault);
                    continue;
                }
            };
            if entry.path_is_symlink() {
                report.push(
                    Diagnostic::new(Code::UnsafePath, format!("`{path}` is a symbolic link"))
                        .in_file(path)
                        .help("put the file itself there: a site reads nothing outside its folder"),
                );
            } else if entry.file_type().is_file() {
                if let Some(why) = reserved(&path) {
                    report.push(
                        Diagnostic::new(Code::UnsafePath, format!("`{path}` {why}"))
                            .in_file(path)
                            .help("rename it: the site could not be unpacked on every system"),
                    );
                } else {
                    paths.push((path, entry.into_path()));
                }
            }
        }
    }
    let read: Vec<(String, std::io::Result<Vec<u8>>)> = paths
        .into_par_iter()
        .map(|(path, full)| (path, std::fs::read(full)))
        .collect();
    let mut files = Files::default();
    for (path, bytes) in read {
        let bytes = bytes.map_err(|error| {
            std::io::Error::new(error.kind(), format!("cannot read `{path}`: {error}"))
        })?;
        let file = decode(&path, bytes, report);
        files.insert(path, file);
    }
    Ok(files)
}

/// The files of a site that don't stand on the disk but in some state of it: path from the root, content.
/// What a site doesn't read, or can't hold, is left out as [`read`] does.
pub fn from_bytes(
    entries: impl IntoIterator<Item = (String, Vec<u8>)>,
    report: &mut Report,
) -> Files {
    let entries: BTreeMap<String, Vec<u8>> = entries.into_iter().collect();
    let is_own = |path: &str| {
        let mut parts = path.split('/');
        let is_part = PARTS.contains(&parts.next().unwrap_or_default());
        is_part && !path.split('/').any(|part| part.starts_with('.')) && reserved(path).is_none()
    };
    let runs: Vec<&str> = entries
        .keys()
        .filter_map(|path| path.strip_suffix("run.json"))
        .filter(|folder| folder.contains("/runs/"))
        .collect();
    let is_runners = |path: &str| {
        let in_run = |folder: &&&str| path.starts_with(**folder);
        let folder = runs.iter().find(in_run);
        folder.is_some_and(|folder| !RUN_FILES.contains(&&path[folder.len()..]))
    };
    let wanted: Vec<&String> = entries
        .keys()
        .filter(|path| is_own(path) && !is_runners(path))
        .collect();
    let mut files = Files::default();
    for path in wanted {
        files.insert(path.clone(), decode(path, entries[path].clone(), report));
    }
    files
}

/// Adds a run's folder that may lie anywhere, as if it stood at the path `place`.
///
/// # Errors
/// When a file of it can't be read.
pub fn add_run(
    files: &mut Files,
    folder: &Path,
    place: &str,
    report: &mut Report,
) -> std::io::Result<()> {
    for name in RUN_FILES {
        match std::fs::read(folder.join(name)) {
            Ok(bytes) => {
                let path = format!("{place}/{name}");
                let file = decode(&path, bytes, report);
                files.insert(path, file);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads a file that is no part of a site, as the site's files are read; faults name it by `name`.
///
/// # Errors
/// When it can't be read.
pub fn read_file(path: &Path, name: &str, report: &mut Report) -> std::io::Result<File> {
    std::fs::read(path).map(|bytes| decode(name, bytes, report))
}

/// Whether a file with this name should be a text; one that isn't was reported when it was read.
pub fn is_text_name(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    TEXTS.contains(&extension)
}

/// Bytes as text where they are UTF-8; a text file that isn't is reported.
pub fn decode(path: &str, bytes: Vec<u8>, report: &mut Report) -> File {
    match String::from_utf8(bytes) {
        Ok(text) => match text.strip_prefix('\u{feff}') {
            Some(rest) => {
                let source = Source::new(path, rest);
                report.push(
                    Diagnostic::new(Code::ByteOrderMark, "a byte order mark was skipped")
                        .at(Span::new(&source, 0..0), ""),
                );
                File::Text(source)
            }
            None => File::Text(Source::new(path, text)),
        },
        Err(error) => {
            if is_text_name(path) {
                // What can be read is shown around the first byte that can't.
                let at = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
                let source = Source::new(path, String::from_utf8_lossy(bytes));
                let unreadable = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
                report.push(
                    Diagnostic::new(Code::NotUtf8, format!("`{path}` is not UTF-8"))
                        .at(
                            Span::new(&source, unreadable),
                            format!("the byte {:#04x} belongs to no letter", bytes[at]),
                        )
                        .help(if wide {
                            "it seems to be UTF-16: save it as UTF-8"
                        } else {
                            "save the file as UTF-8; perhaps it is Windows-1252 or Latin-1 now"
                        }),
                );
            }
            File::Bytes(error.into_bytes().into())
        }
    }
}

fn relative(root: &Path, path: &Path) -> Result<String, Box<Diagnostic>> {
    let path = path.strip_prefix(root).unwrap_or(path);
    let mut parts = Vec::new();
    for part in path.components() {
        match part.as_os_str().to_str() {
            Some(part) => parts.push(part),
            None => {
                let shown = path.to_string_lossy().into_owned();
                return Err(Box::new(
                    Diagnostic::new(
                        Code::UnsafePath,
                        format!("the name of `{shown}` is not UTF-8"),
                    )
                    .in_file(shown),
                ));
            }
        }
    }
    Ok(parts.join("/"))
}

/// Longest name of a file or folder in bytes: what file systems hold, less a reserve for an ending.
const LONGEST: usize = 240;

/// Whether a character steers or separates others without being seen itself. Joiners are left to the
/// scripts that need them.
pub fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Why a path can't exist on every system, if so.
pub fn reserved(path: &str) -> Option<&'static str> {
    const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
    for part in path.split('/') {
        if part.is_empty() {
            return Some("has an empty name in it");
        }
        // Windows looks at what stands before the first point, without blanks.
        let stem = part.split('.').next().unwrap_or("").trim_end();
        let stem = stem.to_ascii_lowercase();
        let numbered = |name: &str| {
            stem.strip_prefix(name).is_some_and(|rest| {
                matches!(rest, "¹" | "²" | "³") || matches!(rest.as_bytes(), [b'0'..=b'9'])
            })
        };
        if DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt") {
            return Some("has a name that Windows reserves for a device");
        }
        if part.ends_with(['.', ' ']) {
            return Some("has a name that ends in a point or a blank");
        }
        if part.chars().any(is_unseen) {
            return Some("has a character in its name that nobody can see");
        }
        if part.len() > LONGEST {
            return Some("has a name that is too long");
        }
        if part
            .chars()
            .any(|letter| letter.is_control() || "<>:\"\\|?*".contains(letter))
        {
            return Some("has a character in its name that Windows doesn't allow");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_systems_reserve_are_known() {
        for path in [
            "data/con",
            "data/NUL.csv",
            "content/com1.md",
            "a/b.",
            "a/b ",
            "a/b:c",
            "a\\b",
            "con .txt",
            "lpt²",
            "a/\u{202e}b",
            "a\u{200b}",
            "line\nend",
            &"x".repeat(241),
        ] {
            assert!(reserved(path).is_some(), "{path}");
        }
        for path in [
            "data/console.csv",
            "content/com10.md",
            "static/.css",
            "данные/тест.csv",
        ] {
            assert!(reserved(path).is_none(), "{path}");
        }
    }

    #[test]
    fn what_only_the_runner_needs_is_passed_over() {
        let root = tempfile::tempdir().expect("a disk");
        let kept = [
            "data/e/experiment.toml",
            "data/e/runs/night/run.json",
            "data/e/runs/night/samples.csv",
            "data/e/runs/night/settings.csv",
            "data/e/runs/night/timeline.csv",
            // No folder of a run.
            "data/e/runs/old/points.csv",
            "data/runs/e/experiment.toml",
            "data/runs/e/lock",
        ];
        let passed = [
            "data/e/runs/night/journal.jsonl",
            "data/e/runs/night/lock",
            "data/e/runs/night/logs/3.log",
            "data/e/runs/night/scratch/7/con",
        ];
        for path in kept.iter().chain(&passed) {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a disk");
            // No text: it would be reported if it were read.
            let bytes: &[u8] = if passed.iter().any(|it| path.ends_with(it)) {
                &[0xff]
            } else {
                b"{}"
            };
            std::fs::write(path, bytes).expect("a disk");
        }
        let mut report = Report::new();
        let files = read(root.path(), &mut report).expect("a disk");
        assert_eq!(files.paths().collect::<Vec<_>>(), kept);
        assert!(report.sorted().is_empty());
    }

    #[test]
    fn below_keeps_to_the_folder() {
        let mut files = Files::default();
        for path in ["data/a/x", "data/ab/x", "data/a/y", "data.toml"] {
            files.insert(path, File::Bytes(Arc::from(&b""[..])));
        }
        let found: Vec<&str> = files.below("data/a").map(|(path, _)| path).collect();
        assert_eq!(found, ["data/a/x", "data/a/y"]);
    }
}

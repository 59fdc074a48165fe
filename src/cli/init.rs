//! `benchbook init`: a new small site that builds at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, ensure};
use clap::Args;
use include_dir::{Dir, include_dir};

use super::shown;
use crate::content;
use crate::diag::{Report, Source};
use crate::text::Lang;

/// The starter: every text carries its language (`index.de.md`, `experiment.de.toml`).
static STARTER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/cli/starter");

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// The folder to make; it must be new or empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The site's languages, the default first
    #[arg(long, value_delimiter = ',', default_value = "en,de", value_parser = language)]
    languages: Vec<Lang>,
}

fn language(tag: &str) -> Result<Lang, String> {
    Lang::parse(tag.trim())
        .ok_or_else(|| format!("`{tag}` is not a language tag such as `en` or `pt-BR`"))
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let folder = &flags.folder;
    if let Ok(mut entries) = std::fs::read_dir(folder) {
        ensure!(
            entries.next().is_none(),
            "`{}` holds files already; name a new or empty folder",
            folder.display()
        );
    }
    let mut files = files(&flags.languages);
    stamp(&mut files, &flags.languages);
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .with_context(|| format!("cannot make `{}`", parent.display()))?;
        }
        std::fs::write(&path, text)
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    anstream::eprintln!(
        "made a site in {0}\nbuild it with: benchbook build --root {0}\nthen open {1}",
        shown(folder),
        shown(&folder.join("public").join("index.html"))
    );
    Ok(ExitCode::SUCCESS)
}

/// The files of a new site by path: the texts of its languages, under the names that the default
/// language has none of and the others have their tag in.
fn files(languages: &[Lang]) -> BTreeMap<String, String> {
    let mut starter: BTreeMap<String, &str> = BTreeMap::new();
    walk(&STARTER, &mut starter);
    // The texts of a language that the starter isn't written in are taken from the English ones,
    // so that there is something to translate.
    let has = |lang: &Lang| {
        starter
            .keys()
            .any(|path| text_name(path).1 == Some(lang.tag()))
    };
    let default = languages
        .first()
        .filter(|lang| has(lang))
        .map_or("en", Lang::tag);
    let second = |tag: &str| languages.iter().skip(1).any(|lang| lang.tag() == tag);
    let mut files = BTreeMap::new();
    for (path, text) in &starter {
        let (name, lang) = text_name(path);
        match lang {
            None if path == "site.toml" => {
                let text = fill_in(text, default, languages, &starter);
                files.insert(path.clone(), text);
            }
            None => {
                files.insert(path.clone(), (*text).to_owned());
            }
            // An overlay holds only labels: the definition is the English one with them in place.
            Some("en") if path.ends_with(".toml") => {
                let overlays: Vec<_> = starter
                    .iter()
                    .map(|(path, text)| (text_name(path), *text))
                    .filter(|((other, lang), _)| *other == name && *lang != Some("en"))
                    .collect();
                if let Some((_, labels)) = overlays.first().filter(|_| second("en")) {
                    files.insert(path.clone(), with_labels(labels, text));
                }
                let own = overlays
                    .iter()
                    .find(|((_, lang), _)| *lang == Some(default));
                let text = own.map_or_else(
                    || (*text).to_owned(),
                    |(_, labels)| with_labels(text, labels),
                );
                files.insert(name.0 + name.1, text);
            }
            Some(_) if path.ends_with(".toml") && lang == Some(default) => {}
            Some(lang) => {
                if lang == default {
                    files.insert(name.0 + name.1, (*text).to_owned());
                }
                if second(lang) {
                    files.insert(path.clone(), (*text).to_owned());
                }
            }
        }
    }
    files
}

/// A definition with the texts of an overlay: each line of its own tables takes the place of the
/// line with the same key.
fn with_labels(definition: &str, overlay: &str) -> String {
    let keyed = |text: &str| {
        let mut table = String::new();
        let lines = text.lines().map(|line| {
            if line.starts_with('[') {
                line.clone_into(&mut table);
            }
            let key = line
                .split_once(" = ")
                .map(|(key, _)| format!("{table}{key}"));
            (key, line.to_owned())
        });
        lines.collect::<Vec<(Option<String>, String)>>()
    };
    let labels: BTreeMap<String, String> = keyed(overlay)
        .into_iter()
        .filter_map(|(key, line)| Some((key?, line)))
        .collect();
    let mut text = String::new();
    for (key, line) in keyed(definition) {
        text.push_str(key.and_then(|key| labels.get(&key)).unwrap_or(&line));
        text.push('\n');
    }
    text
}

/// Stamps the starter's translations: they match their originals.
fn stamp(files: &mut BTreeMap<String, String>, languages: &[Lang]) {
    let mut digests: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| path.ends_with(".md")) {
        let source = Source::new(path.clone(), text.clone());
        let raw_html = crate::content::markdown::RawHtml::Escape;
        if let Some(document) = content::read(&source, raw_html, &mut Report::new()) {
            digests.insert(path.clone(), document.digest);
        }
    }
    for (path, text) in files {
        let ((stem, ending), lang) = text_name(path);
        let translated = lang.is_some_and(|lang| languages.iter().any(|it| it.tag() == lang));
        if let Some(digest) = digests.get(&(stem + ending)).filter(|_| translated) {
            *text = content::set_translated_from(text, digest);
        }
    }
}

/// A starter path without its language (as stem and ending), and the language.
fn text_name(path: &str) -> ((String, &str), Option<&str>) {
    for ending in [".md", ".toml"] {
        if let Some(stem) = path.strip_suffix(ending)
            && let Some((stem, lang)) = stem.rsplit_once('.')
        {
            return ((stem.to_owned(), ending), Some(lang));
        }
    }
    ((path.to_owned(), ""), None)
}

/// `site.toml` with the languages in their place, and the titles that the home pages have.
fn fill_in(
    text: &str,
    default: &str,
    languages: &[Lang],
    starter: &BTreeMap<String, &str>,
) -> String {
    // The two lines of a home page's front matter are lines of `site.toml` as they stand.
    let titles = |lang: &str| {
        let home = starter.get(&format!("content/_index.{lang}.md"))?;
        let lines = home
            .lines()
            .filter(|line| line.starts_with("title = ") || line.starts_with("description = "));
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    let list: Vec<String> = languages.iter().map(|lang| format!("\"{lang}\"")).collect();
    let mut filled = text.replace(
        "languages = []",
        &format!("languages = [{}]", list.join(", ")),
    );
    if let Some(own) = titles(default) {
        filled = format!("{own}\n{filled}");
    }
    for lang in languages.iter().skip(1) {
        if let Some(words) = titles(lang.tag()) {
            filled.push_str(&format!("\n[translations.{lang}]\n{words}\n"));
        }
    }
    filled
}

fn walk<'a>(folder: &'a Dir<'a>, files: &mut BTreeMap<String, &'a str>) {
    for file in folder.files() {
        if let Some(text) = file.contents_utf8() {
            files.insert(file.path().to_string_lossy().replace('\\', "/"), text);
        }
    }
    for folder in folder.dirs() {
        walk(folder, files);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_language_has_no_suffix() {
        let languages: Vec<Lang> = ["de", "en"]
            .iter()
            .map(|tag| Lang::parse(tag).expect("a tag"))
            .collect();
        let files = files(&languages);
        assert!(files["site.toml"].contains("languages = [\"de\", \"en\"]"));
        assert!(files.contains_key("content/_index.md"));
        assert!(files.contains_key("content/_index.en.md"));
        let definition = &files["data/first-results/experiment.toml"];
        assert!(
            definition.contains("label = \"Dauer\"\nunit = \"ms\""),
            "{definition}"
        );
        assert!(!files.keys().any(|path| path.contains(".de.")));
    }

    #[test]
    fn every_choice_of_languages_builds() {
        for tags in ["en", "de", "vi,en,de", "ru,de", "en,pt-BR", "vi"] {
            let languages: Vec<Lang> = tags.split(',').filter_map(Lang::parse).collect();
            let mut site = crate::source::Files::default();
            let mut report = Report::new();
            for (path, text) in files(&languages) {
                let file = crate::source::decode(&path, text.into_bytes(), &mut report);
                site.insert(path, file);
            }
            crate::pipeline::build(&site, &crate::pipeline::Options::default(), &mut report);
            assert!(!report.has_errors(), "{tags}: {:?}", report.sorted());
        }
    }
}

//! `benchbook stamp`: records in translations which state of their original they match.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::{FAULTS, read_site, shown};
use crate::content::{Document, set_translated_from};
use crate::diag::Report;
use crate::pipeline;
use crate::site::State;
use crate::site::translation::state;

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// The site's folder
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// Translations to stamp, as paths; every stale or unstamped one with --all
    #[arg(value_name = "PAGE", required_unless_present = "all")]
    pages: Vec<PathBuf>,
    /// Stamp every translation that is stale or unstamped
    #[arg(long, conflicts_with = "pages")]
    all: bool,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let mut report = Report::new();
    let files = read_site(&flags.root, &mut report)?;
    let config = pipeline::read_config(&files, &mut report);
    let (site, _) = pipeline::read_pages(&files, &config, true, &mut report);
    let mut wanted: Vec<String> = flags
        .pages
        .iter()
        .map(|page| site_path(&flags.root, page))
        .collect();
    let mut stamped = 0;
    for page in &site.pages {
        let Some(original) = page.documents.get(&page.original) else {
            continue;
        };
        for (lang, document) in &page.documents {
            let named = wanted.iter().position(|path| *path == document.source.path);
            if let Some(at) = named {
                wanted.remove(at);
            } else if !flags.all {
                continue;
            }
            match state(page, lang) {
                State::Stale | State::Unstamped => {
                    stamp(&flags.root, document, &original.digest)?;
                    anstream::eprintln!("stamped {}", document.source.path);
                    stamped += 1;
                }
                State::Original if named.is_some() => {
                    anstream::eprintln!("benchbook: {} is the original", document.source.path);
                }
                _ => {}
            }
        }
    }
    for path in &wanted {
        anstream::eprintln!("benchbook: there is no page `{path}`");
    }
    anstream::eprintln!("{stamped} stamped");
    Ok(if wanted.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAULTS)
    })
}

/// A path given on the command line as a path from the site's root.
fn site_path(root: &Path, page: &Path) -> String {
    let page = page.strip_prefix(root).unwrap_or(page);
    let path = shown(page).replace('\\', "/");
    path.strip_prefix("./").unwrap_or(&path).to_owned()
}

/// Writes the stamp beside the file and moves it into place, so that a crash loses nothing.
fn stamp(root: &Path, document: &Document, digest: &str) -> anyhow::Result<()> {
    let path = root.join(&document.source.path);
    let text = set_translated_from(&document.source.text, digest);
    let folder = path.parent().unwrap_or(root);
    let fail = || format!("cannot write `{}`", path.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(fail)?;
    file.write_all(text.as_bytes()).with_context(fail)?;
    if let Ok(metadata) = std::fs::metadata(&path) {
        file.as_file()
            .set_permissions(metadata.permissions())
            .with_context(fail)?;
    }
    file.as_file().sync_all().with_context(fail)?;
    file.persist(&path).with_context(fail)?;
    Ok(())
}

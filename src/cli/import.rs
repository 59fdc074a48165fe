//! `benchbook import`: foreign result files into a run folder, with a receipt.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::Args;

use super::{FAULTS, SiteFlags, read_site, shown};
use crate::data::FileReceipt;
use crate::data::import::{Import, Imported, import, sketch};
use crate::data::record::FORMAT;
use crate::diag::{self, Code, Report, Source, Span};
use crate::output;
use crate::source::{self, File, Files};

/// Faults that the keys of a map can mend.
const HELPED_BY_MAP: [Code; 5] = [
    Code::MissingColumn,
    Code::UnmappedColumn,
    Code::DuplicateCase,
    Code::DecimalComma,
    Code::BadNumber,
];

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// Files with results, in any format that the site reads
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The experiment they belong to: the folder's name below data/
    #[arg(long, value_name = "KEY")]
    experiment: String,
    /// The format of the files; found out unless given
    #[arg(long = "as", value_name = "FORMAT")]
    format: Option<String>,
    /// A level that holds for all files
    #[arg(long, value_name = "FACTOR=LEVEL")]
    set: Vec<String>,
    /// A TOML file that says what the files hold, with the keys of a `[[files]]` entry: `columns`,
    /// `spread`, `metrics`, `steps`, `missing`, `decimal`, `delimiter`, `replicates`, …
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Name of the run; that of the first file unless given
    #[arg(long, value_name = "NAME")]
    run: Option<String>,
    /// Write nothing, only tell what would become of the files
    #[arg(long)]
    dry_run: bool,
    /// The site's folder
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let mut report = Report::new();
    // Faults elsewhere in the site are no matter of an import.
    let site = read_site(&flags.root, &mut Report::new())?;
    let mut files = Vec::new();
    for path in &flags.files {
        refuse_own(path)?;
        files.push(read(path, &mut report)?);
    }
    let map = match &flags.map {
        Some(path) => Some(read(path, &mut report)?),
        None => None,
    };
    let words = Words::of(flags);
    let name = flags.run.clone().unwrap_or_else(|| name_of(&flags.files));
    let mut set = Vec::new();
    for (given, at) in flags.set.iter().zip(&words.set) {
        let Some((factor, level)) = given.split_once('=') else {
            bail!("`--set {given}` names no level: write `--set FACTOR=LEVEL`");
        };
        set.push((factor.to_owned(), level.to_owned(), at.clone()));
    }
    let order = Import {
        experiment: &flags.experiment,
        run: (name.clone(), words.run),
        files: files.into_iter().zip(words.files).collect(),
        format: flags.format.clone().map(|format| (format, words.format)),
        set,
        map,
    };
    let (receipts, imported) = import(&site, &order, &mut report);
    // What was repaired stands in the receipt.
    show(&report.without_notes());
    let mut told = String::new();
    for file in &receipts {
        receipt_of(file, &mut told);
    }
    let Some(imported) = imported else {
        super::print(&told)?;
        if order.map.is_none() && report.lists(&HELPED_BY_MAP) {
            anstream::eprintln!(
                "keys that are named here go into a TOML file that is given with `--map`, above all `columns`\n"
            );
        }
        offer(&site, &order);
        let count = SiteFlags::count(&report.without_notes());
        anstream::eprintln!("nothing was imported; {count}");
        return Ok(ExitCode::from(FAULTS));
    };
    let place = format!("data/{}/runs/{name}", flags.experiment);
    tell(&imported, &mut told);
    if flags.dry_run {
        let _ = writeln!(told, "nothing was written to {place}: this was a dry run");
    } else {
        write(&flags.root.join(&place), &imported)
            .with_context(|| format!("cannot write `{place}`"))?;
        let _ = writeln!(told, "wrote {place}");
    }
    super::print(&told)
}

/// Refuses a table of a run folder: its numbers stand in base units, and the folder is whole as it is.
fn refuse_own(path: &Path) -> anyhow::Result<()> {
    let record = path.with_file_name("run.json");
    let record = source::read_file(&record, &shown(&record), &mut Report::new());
    let text = record.ok().and_then(|file| file.text().cloned());
    if text.is_some_and(|text| text.text.contains(FORMAT)) {
        bail!(
            "`{}` belongs to a run folder already; copy the whole folder to data/EXPERIMENT/runs/",
            shown(path)
        );
    }
    Ok(())
}

/// Reads a file as text.
fn read(path: &Path, report: &mut Report) -> anyhow::Result<Arc<Source>> {
    let name = shown(path);
    let file = match source::read_file(path, &name, report) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("there is no file `{name}`")
        }
        read => read.with_context(|| format!("cannot read `{name}`"))?,
    };
    match file {
        File::Text(source) => Ok(source),
        File::Bytes(_) => bail!("`{name}` is no text in UTF-8; export it as CSV in UTF-8"),
    }
}

/// The first file's name without its ending, as a run's name.
fn name_of(files: &[PathBuf]) -> String {
    let stem = files.first().and_then(|path| path.file_stem());
    let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().to_lowercase());
    let plain = |letter: char| match letter {
        letter if letter.is_alphanumeric() || matches!(letter, '.' | '_') => letter,
        _ => '-',
    };
    let name: String = stem.chars().map(plain).collect();
    let name = name.trim_matches(['-', '.']);
    if name.is_empty() { "import" } else { name }.to_owned()
}

/// The command line as a text that faults can point into.
struct Words {
    run: Span,
    files: Vec<Span>,
    format: Span,
    set: Vec<Span>,
}

impl Words {
    fn of(flags: &Flags) -> Self {
        let mut line = "benchbook import".to_owned();
        let mut add = |flag: &str, word: &str| {
            line.push_str(flag);
            line.push(' ');
            let start = line.len();
            line.push_str(word);
            start..line.len()
        };
        let files: Vec<_> = flags.files.iter().map(|it| add("", &shown(it))).collect();
        add(" --experiment", &flags.experiment);
        let format = flags.format.as_ref().map(|it| add(" --as", it));
        let set: Vec<_> = flags.set.iter().map(|it| add(" --set", it)).collect();
        if let Some(map) = &flags.map {
            add(" --map", &shown(map));
        }
        let run = flags.run.as_ref().map(|it| add(" --run", it));
        let first = files.first().cloned().unwrap_or_default();
        let source = Source::new("command line", line);
        let span = |range| Span::new(&source, range);
        Self {
            run: span(run.unwrap_or_else(|| first.clone())),
            format: span(format.unwrap_or(first)),
            files: files.into_iter().map(span).collect(),
            set: set.into_iter().map(span).collect(),
        }
    }
}

fn show(report: &Report) {
    let colour = std::io::stderr().is_terminal();
    anstream::eprint!("{}", diag::render(report, diag::Format::Human { colour }));
}

/// Where there is no such experiment, offers a definition to begin with.
fn offer(site: &Files, order: &Import<'_>) {
    let path = format!("data/{}/experiment.toml", order.experiment);
    let known = site.paths().filter_map(|path| {
        let key = path.strip_prefix("data/")?;
        key.strip_suffix("/experiment.toml")
    });
    if site.get(&path).is_some() || diag::nearest(order.experiment, known).is_some() {
        return;
    }
    if let Some(definition) = sketch(order) {
        anstream::eprintln!(
            "an experiment of its own begins with a definition; after a look at the file it could be the following,\n\
             to be saved as {path} and set right:\n\n{definition}"
        );
    }
}

fn write(folder: &Path, imported: &Imported) -> anyhow::Result<()> {
    let record = serde_json::to_string_pretty(&imported.record)? + "\n";
    let files = [("run.json", &*record), ("samples.csv", &*imported.samples)];
    Ok(output::new_folder(folder, &files)?)
}

/// What the run folder holds.
fn tell(imported: &Imported, told: &mut String) {
    for (factor, levels) in &imported.collected {
        let _ = writeln!(
            told,
            "levels of `{factor}`, which declares none: {}",
            levels.join(", ")
        );
    }
    if !imported.private.is_empty() {
        let _ = writeln!(
            told,
            "left out, for they name a machine or its people: {}",
            imported.private.join(", ")
        );
    }
    let rows = count(imported.rows, "row");
    let _ = writeln!(told, "{rows} of {}", count(imported.cases, "case"));
}

/// What became of one file.
fn receipt_of(file: &FileReceipt, told: &mut String) {
    let receipt = &file.receipt;
    let _ = writeln!(told, "{}: {}", receipt.path, receipt.format);
    let mut line = |label: &str, text: String| {
        let _ = writeln!(told, "  {label:<9} {text}");
    };
    let values = count(receipt.observations - file.lacking, "value");
    let lacking = match file.lacking {
        0 => String::new(),
        number => format!(", {number} lacking with a reason"),
    };
    let rows = count(receipt.rows, "row");
    line("read", format!("{rows}, {values}{lacking}"));
    for (column, meaning) in &file.columns {
        line("column", format!("`{column}`: {meaning}"));
    }
    for guess in &file.guessed {
        line("guessed", guess.clone());
    }
    for remark in &receipt.remarks {
        let (number, _) = remark.span.line_column();
        line("repaired", format!("line {number}: {}", remark.text));
    }
    for column in &receipt.ignored_columns {
        line("ignored", format!("column `{column}`"));
    }
    if receipt.ignored_lines > 0 {
        let lines = count(receipt.ignored_lines, "line");
        line("ignored", format!("{lines} without figures"));
    }
    if file.doubled > 0 {
        let values = count(file.doubled, "value");
        line(
            "doubled",
            format!("{values} of cases that have one already"),
        );
    }
}

fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

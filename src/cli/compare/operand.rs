//! What the two sides of a comparison are: found, read, and told apart.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};

use super::super::read_site;
use super::Flags;
use crate::analysis::{PivotError, Side};
use crate::data;
use crate::diag::{self, Format, Report, suggestion};
use crate::model::Experiment;
use crate::pipeline;
use crate::source::{self, Files};

/// Two sides of one experiment.
pub(super) struct Question {
    pub(super) experiment: Experiment,
    pub(super) sides: [Side; 2],
    /// What they are called.
    pub(super) names: [String; 2],
}

/// What a person named.
enum Operand {
    /// A run's folder.
    Folder(PathBuf),
    /// A run by its name.
    Run(String),
    /// A factor and a level.
    Level(String, String),
}

impl Operand {
    fn read(text: &str) -> Self {
        let folder = Path::new(text);
        if folder.join("run.json").is_file() {
            return Self::Folder(folder.to_owned());
        }
        match text.split_once('=') {
            Some((factor, level)) => Self::Level(factor.to_owned(), level.to_owned()),
            None => Self::Run(text.to_owned()),
        }
    }

    /// The site and the experiment that a run's folder lies in, and the run's name.
    fn home(&self) -> Option<Home> {
        let Self::Folder(folder) = self else {
            return None;
        };
        let folder = folder.canonicalize().ok()?;
        let name = folder.file_name()?.to_str()?.to_owned();
        let runs = folder.parent().filter(|it| it.ends_with("runs"))?;
        let experiment = runs.parent()?;
        if !experiment.join("experiment.toml").is_file() {
            return None;
        }
        let data = experiment
            .ancestors()
            .skip(1)
            .find(|it| it.ends_with("data"))?;
        let key = experiment.strip_prefix(data).ok()?.to_str()?;
        Some(Home {
            root: data.parent()?.to_owned(),
            experiment: key.replace('\\', "/"),
            run: name,
        })
    }

    /// The experiment that the runner wrote into a run's record.
    fn recorded(&self) -> Option<String> {
        let Self::Folder(folder) = self else {
            return None;
        };
        let mut files = Files::default();
        source::add_run(&mut files, folder, "run", &mut Report::new()).ok()?;
        let record = files.get("run/run.json")?.text()?;
        let record: serde_json::Value = serde_json::from_str(&record.text).ok()?;
        Some(record.get("plan")?.get("experiment")?.as_str()?.to_owned())
    }
}

/// Where a run's folder lies.
#[derive(PartialEq)]
struct Home {
    root: PathBuf,
    experiment: String,
    run: String,
}

/// How wide a text for people may be: as the environment says, 80 columns unless told.
pub(super) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok();
    let columns = columns.and_then(|columns| columns.trim().parse().ok());
    columns.filter(|columns| *columns >= 40).unwrap_or(80)
}

/// `: did you mean …?`, or nothing.
pub(super) fn suggested<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion(given, known).map_or_else(String::new, |text| format!(": {text}"))
}

/// Why two sides can't be compared as they are.
pub(super) fn mixed(experiment: &Experiment, error: &PivotError) -> anyhow::Error {
    match error {
        PivotError::MixedRuns { runs } => {
            let runs: Vec<String> = runs
                .iter()
                .map(|run| format!("`{}`", experiment.runs[*run].key))
                .collect();
            let runs = runs.join(", ");
            anyhow::anyhow!(
                "values of several runs would be pooled: {runs}; say which with `--run`"
            )
        }
        other => anyhow::anyhow!("these can't be compared: {other:?}"),
    }
}

/// Reads both sides.
pub(super) fn read(flags: &Flags) -> anyhow::Result<Question> {
    let operands = [&flags.from, &flags.to].map(|text| Operand::read(text));
    match &operands {
        [Operand::Level(..), Operand::Level(..)] => levels(flags, &operands),
        [Operand::Level(..), _] | [_, Operand::Level(..)] => {
            bail!("a run and a level can't be compared: name two runs, or two levels of one factor")
        }
        _ => runs(flags, &operands),
    }
}

fn levels(flags: &Flags, operands: &[Operand; 2]) -> anyhow::Result<Question> {
    let [Operand::Level(factor, from), Operand::Level(other, to)] = operands else {
        bail!("two levels are needed");
    };
    ensure!(
        factor == other,
        "`{factor}` and `{other}` are two factors: name two levels of one"
    );
    let root = flags.root.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut report = Report::new();
    let files = read_site(&root, &mut report)?;
    let key = match &flags.experiment {
        Some(key) => known_experiment(&files, key)?,
        None => {
            let has = |key: &&String| {
                data::definition(key, &files, &mut Report::new())
                    .is_some_and(|it| it.factor(factor).is_some())
            };
            only_one(&files, has, &format!("have a factor `{factor}`"))?
        }
    };
    let experiment = load(&files, &key, |name| {
        flags.run.as_ref().is_none_or(|run| run == name)
    })?;
    let definition = &experiment.definition;
    let Some((index, factor)) = definition.factor(factor) else {
        let known = definition.factors.iter().map(|it| &*it.key);
        bail!("there is no factor `{factor}`{}", suggested(factor, known));
    };
    let level = |text: &String| {
        factor.level(text).with_context(|| {
            let known = factor.levels.iter().map(|it| &*it.key);
            format!(
                "`{}` has no level `{text}`{}",
                factor.key,
                suggested(text, known)
            )
        })
    };
    let [from_level, to_level] = [level(from)?, level(to)?];
    ensure!(from_level != to_level, "both sides are the same level");
    let run = match &flags.run {
        Some(run) => Some(run_index(&experiment, &files, run)?),
        None => None,
    };
    let side = |level| Side {
        run,
        level: Some((index, level)),
    };
    Ok(Question {
        sides: [side(from_level), side(to_level)],
        names: [from, to].map(|level| format!("{}={level}", factor.key)),
        experiment,
    })
}

fn runs(flags: &Flags, operands: &[Operand; 2]) -> anyhow::Result<Question> {
    ensure!(
        flags.run.is_none(),
        "`--run` is for levels: A and B are runs"
    );
    let homes = operands.each_ref().map(Operand::home);
    if let ([Some(one), Some(other)], None) = (&homes, &flags.experiment) {
        ensure!(
            one.experiment == other.experiment,
            "A is a run of `{}`, B one of `{}`: their cases can't be compared",
            one.experiment,
            other.experiment
        );
    }
    // The new side knows best what the experiment is now.
    let home = homes[1].as_ref().or(homes[0].as_ref());
    let root = match (&flags.root, home) {
        (Some(root), _) => root.clone(),
        (None, Some(home)) => home.root.clone(),
        (None, None) => PathBuf::from("."),
    };
    let mut report = Report::new();
    let mut files = read_site(&root, &mut report)?;
    let recorded = || operands.iter().rev().find_map(Operand::recorded);
    let key = flags
        .experiment
        .clone()
        .or_else(|| home.map(|home| home.experiment.clone()))
        .or_else(recorded);
    let key = match key {
        Some(key) => known_experiment(&files, &key)?,
        None => {
            let named = |key: &&String| {
                operands.iter().any(|operand| match operand {
                    Operand::Run(run) => has_run(&files, key, run),
                    _ => false,
                })
            };
            only_one(&files, named, "have these runs")?
        }
    };
    let canonical = root.canonicalize().ok();
    let mut names: Vec<String> = Vec::new();
    for (operand, home) in operands.iter().zip(&homes) {
        let name = match (operand, home) {
            (Operand::Folder(_), Some(home))
                if Some(&home.root) == canonical.as_ref() && home.experiment == key =>
            {
                home.run.clone()
            }
            (Operand::Folder(folder), _) => {
                let name = free_name(&files, &key, folder);
                let place = format!("data/{key}/runs/{name}");
                source::add_run(&mut files, folder, &place, &mut report)
                    .with_context(|| format!("cannot read `{}`", folder.display()))?;
                name
            }
            (Operand::Run(run), _) => run.clone(),
            (Operand::Level(..), _) => bail!("two runs are needed"),
        };
        names.push(name);
    }
    ensure!(
        names[0] != names[1],
        "both sides are the run `{}`",
        names[0]
    );
    let experiment = load(&files, &key, |name| names.iter().any(|it| it == name))?;
    let side = |name: &String| -> anyhow::Result<Side> {
        Ok(Side {
            run: Some(run_index(&experiment, &files, name)?),
            level: None,
        })
    };
    Ok(Question {
        sides: [side(&names[0])?, side(&names[1])?],
        names: called(flags, operands),
        experiment,
    })
}

/// Runs by their folders' names, unless both have the same.
fn called(flags: &Flags, operands: &[Operand; 2]) -> [String; 2] {
    let name = |operand: &Operand| match operand {
        Operand::Folder(folder) => {
            let name = folder.canonicalize().ok();
            let name = name.as_deref().unwrap_or(folder).file_name();
            name.unwrap_or_default().to_string_lossy().into_owned()
        }
        Operand::Run(name) => name.clone(),
        Operand::Level(..) => String::new(),
    };
    let names = operands.each_ref().map(name);
    if names[0] == names[1] {
        return [flags.from.clone(), flags.to.clone()];
    }
    names
}

/// A name for a run from elsewhere that no run of the experiment has.
fn free_name(files: &Files, key: &str, folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut free = name.to_string();
    for number in 2.. {
        if !has_run(files, key, &free) {
            break;
        }
        free = format!("{name}-{number}");
    }
    free
}

fn has_run(files: &Files, key: &str, run: &str) -> bool {
    files
        .get(&format!("data/{key}/runs/{run}/run.json"))
        .is_some()
}

/// The keys of all experiments.
fn experiments(files: &Files) -> Vec<String> {
    files
        .below("data")
        .filter_map(|(path, _)| path.strip_prefix("data/")?.strip_suffix("/experiment.toml"))
        .map(ToOwned::to_owned)
        .collect()
}

fn known_experiment(files: &Files, key: &str) -> anyhow::Result<String> {
    let known = experiments(files);
    ensure!(
        known.iter().any(|it| it == key),
        "there is no experiment `{key}`{}",
        suggested(key, known.iter().map(String::as_str))
    );
    Ok(key.to_owned())
}

/// The only experiment that is meant; `what` says what several of them have.
fn only_one(files: &Files, fits: impl Fn(&&String) -> bool, what: &str) -> anyhow::Result<String> {
    let known = experiments(files);
    if let [only] = &known[..] {
        return Ok(only.clone());
    }
    let fitting: Vec<&String> = known.iter().filter(fits).collect();
    match fitting[..] {
        [one] => Ok(one.clone()),
        [] => bail!("no experiment is named: say which with `--experiment`"),
        _ => {
            let keys: Vec<String> = fitting.iter().map(|key| format!("`{key}`")).collect();
            bail!("{} {what}: say which with `--experiment`", keys.join(", "))
        }
    }
}

/// Reads an experiment with those of its runs that are wanted.
fn load(files: &Files, key: &str, is_wanted: impl Fn(&str) -> bool) -> anyhow::Result<Experiment> {
    let folder = format!("data/{key}");
    let runs = format!("{folder}/runs/");
    let mut few = Files::default();
    for (path, file) in files.below(&folder) {
        let run = path
            .strip_prefix(&runs)
            .and_then(|rest| rest.split('/').next());
        if run.is_none_or(&is_wanted) {
            few.insert(path, file.clone());
        }
    }
    let mut report = Report::new();
    let config = pipeline::read_config(files, &mut Report::new());
    let experiments = data::load(&few, &config.languages, &mut report);
    if report.has_errors() {
        let colour = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let text = diag::render(&report.without_notes(), Format::Human { colour });
        anstream::eprint!("{text}");
        bail!("the data of `{key}` can't be read");
    }
    let found = experiments.into_iter().find(|it| it.definition.key == key);
    found.with_context(|| format!("the data of `{key}` can't be read"))
}

fn run_index(experiment: &Experiment, files: &Files, name: &str) -> anyhow::Result<usize> {
    let key = &experiment.definition.key;
    let found = experiment.runs.iter().position(|run| run.key == name);
    found.with_context(|| {
        // Those that weren't read as well.
        let runs = format!("data/{key}/runs/");
        let folders = files
            .paths()
            .filter_map(|path| path.strip_prefix(&runs)?.strip_suffix("/run.json"));
        let read = experiment.runs.iter().map(|run| &*run.key);
        let known: BTreeSet<&str> = read.chain(folders).collect();
        format!("`{key}` has no run `{name}`{}", suggested(name, known))
    })
}

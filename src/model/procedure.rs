//! How an experiment is run: engine, workload, order, and what each case sets.

use std::ops::Range;

use crate::diag::Span;

/// What `[run]` says: how the runner gets samples of every case of an experiment.
#[derive(Debug, Clone)]
pub struct Procedure {
    /// Where the table begins.
    pub span: Span,
    /// Name of the engine that is measured.
    pub engine: Named,
    /// Name of the workload.
    pub workload: Named,
    /// How often each case is measured; the number of blocks.
    pub repetitions: u32,
    /// How the cases of a block are ordered.
    pub order: Order,
    /// Seed of the order and of all generated data.
    pub seed: u64,
    /// Seconds after which a case is given up.
    pub timeout: f64,
    /// Seconds of rest before each case.
    pub settle: f64,
    /// Settings of the engine, by the engine's names.
    pub settings: Vec<Assignment>,
    /// Parameters of the workload.
    pub parameters: Vec<Assignment>,
    /// Which metric each result of the workload becomes: name of the result, index of the metric. Where
    /// nothing is said of it, every measured metric is the result of its name, whose span is [`Self::span`];
    /// those that the workload doesn't give stay without values.
    pub results: Vec<(Named, usize)>,
    /// The factor whose levels are steps of one case (such as indexes being built), not cases.
    pub steps: Option<usize>,
    /// What is watched while a case is measured.
    pub watch: Watching,
    /// The power plan that each case asks for.
    pub power: Option<Template>,
    /// The programs of the `command` workload.
    pub commands: Option<Commands>,
    /// What stands in its place for a short trial.
    pub quick: Quick,
}

/// A word of the definition with its place.
#[derive(Debug, Clone)]
pub struct Named {
    /// The word.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// How the cases of a block are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each block holds every case once, in an order drawn from the seed.
    Random,
    /// As `Random`, but cases that share a running server stay together; the groups and the cases
    /// within each are drawn (a split-plot design).
    Grouped,
    /// As declared, in every block.
    Fixed,
}

impl Order {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Random, Self::Grouped, Self::Fixed];

    /// The word used in files and flags.
    pub fn key(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Grouped => "grouped",
            Self::Fixed => "fixed",
        }
    }

    /// Reads the word.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.key() == key)
    }
}

/// A name and the value it is given.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// The value.
    pub value: Template,
}

/// A text with the places of `{factor}` and the like, to be filled for each case.
#[derive(Debug, Clone)]
pub struct Template {
    /// As written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Its placeholders, in order.
    pub holes: Vec<Hole>,
}

/// A placeholder of a [`Template`].
#[derive(Debug, Clone)]
pub struct Hole {
    /// Its place in the text, braces included.
    pub range: Range<usize>,
    /// What fills it.
    pub fill: Fill,
}

/// What fills a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// `{factor}`: the key of the case's level of the factor with this index.
    Level(usize),
    /// `{factor.value}`: that level's number in base units (bytes, seconds).
    Number(usize),
    /// `{scratch}` and the like, known to the runner: one of [`Template::KNOWN`].
    Known(&'static str),
    /// `{{` or `}}`: the brace itself.
    Brace(char),
}

impl Template {
    /// Placeholders that the runner fills itself: the case's own folder; the file that a measuring
    /// command writes for an importer; the seed; the zero-based block.
    pub const KNOWN: [&'static str; 4] = ["scratch", "output", "seed", "block"];

    /// The text with its placeholders filled.
    pub fn fill(&self, mut with: impl FnMut(&Fill) -> String) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for hole in &self.holes {
            out.push_str(&self.text[at..hole.range.start]);
            match &hole.fill {
                Fill::Brace(brace) => out.push(*brace),
                fill => out.push_str(&with(fill)),
            }
            at = hole.range.end;
        }
        out.push_str(&self.text[at..]);
        out
    }

    /// The factors it depends on.
    pub fn factors(&self) -> impl Iterator<Item = usize> {
        self.holes.iter().filter_map(|hole| match hole.fill {
            Fill::Level(factor) | Fill::Number(factor) => Some(factor),
            Fill::Known(_) | Fill::Brace(_) => None,
        })
    }
}

/// What is watched while a case is measured.
#[derive(Debug, Clone)]
pub struct Watching {
    /// Seconds between two readings.
    pub every: f64,
    /// The series wanted; empty for all that the engine and the machine offer.
    pub series: Vec<Named>,
    /// Whether nothing is to be watched.
    pub off: bool,
}

/// The programs of the `command` workload. None of them goes through a shell unless asked to.
#[derive(Debug, Clone)]
pub struct Commands {
    /// Run before each case; their time doesn't count.
    pub setup: Vec<CommandLine>,
    /// What is measured.
    pub measure: CommandLine,
    /// Run after each case, whatever became of it.
    pub teardown: Vec<CommandLine>,
    /// What prints the version of what is measured.
    pub version: Option<CommandLine>,
    /// What prints the effective value of a setting, by the setting's name.
    pub read_back: Vec<(String, CommandLine)>,
    /// How results are found.
    pub results: CommandResults,
}

/// One program with its arguments.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// Program and arguments, one text each; for a shell, its one text.
    pub words: Vec<Template>,
    /// Whether the one text is given to the system's shell.
    pub shell: bool,
}

/// The time that a measured command took, which is a result of every one.
pub const WALL_TIME: &str = "wall_time";
/// What processors spent in it.
pub const USER_TIME: &str = "user_time";
/// What processors spent in the system for it.
pub const SYSTEM_TIME: &str = "system_time";

/// How the results of a measured command are found.
#[derive(Debug, Clone)]
pub enum CommandResults {
    /// Nothing is looked for: its times are its results.
    WallTime,
    /// By regular expressions over what it prints: name of the result, expression with one group that
    /// holds a number, unit of the number.
    Patterns(Vec<(String, Named, String)>),
    /// By a format that result files can have; `{output}` names the file, without it standard output
    /// is read. Results are the columns of the format; with them, the units in which their bare numbers
    /// stand: name of the result, unit's symbol.
    Format(Named, Vec<(String, String)>),
}

impl CommandResults {
    /// The names of all results, times included; `None` where only the program's output tells them.
    pub fn names(&self) -> Option<Vec<&str>> {
        let mut names: Vec<&str> = match self {
            Self::WallTime => Vec::new(),
            Self::Patterns(patterns) => patterns.iter().map(|(name, ..)| &**name).collect(),
            Self::Format(..) => return None,
        };
        for time in [WALL_TIME, USER_TIME, SYSTEM_TIME] {
            if !names.contains(&time) {
                names.push(time);
            }
        }
        Some(names)
    }

    /// Whether a result is one of the command's times: a pattern of such a name goes before.
    pub fn is_time(&self, name: &str) -> bool {
        let is_found = match self {
            Self::WallTime => false,
            Self::Patterns(patterns) => patterns.iter().any(|(found, ..)| found == name),
            Self::Format(..) => true,
        };
        !is_found && [WALL_TIME, USER_TIME, SYSTEM_TIME].contains(&name)
    }
}

/// What stands in place of the usual values in a short trial.
#[derive(Debug, Clone, Default)]
pub struct Quick {
    /// Repetitions.
    pub repetitions: Option<u32>,
    /// Settings.
    pub settings: Vec<Assignment>,
    /// Parameters of the workload.
    pub parameters: Vec<Assignment>,
    /// Levels to keep of a factor; all of one that isn't named.
    pub levels: Vec<(usize, Vec<usize>)>,
}

//! `benchbook doctor`: what can be measured here, and what would disturb it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::amounts::{size, wide, wrapped};
use super::{FAULTS, print};
use crate::runner::engine::{Availability, ENGINES};
use crate::runner::power::{Offer, offer};
use crate::runner::probe::{Room, State, clock_cost, environment, noise, room};

#[derive(Debug, Args)]
pub(super) struct Flags {
    /// The site's folder, whose disk is looked at
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// How it is told
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Exit with 1 if something would disturb measurements
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A page for a terminal
    Human,
    /// One JSON object a line
    Json,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let findings = find(&flags.root);
    print(&match flags.format {
        Format::Human => page(&machine(&flags.root), &findings),
        Format::Json => lines(&findings)?,
    })?;
    let disturbed = findings.iter().any(|it| it.state == Verdict::Bad);
    Ok(if flags.strict && disturbed {
        ExitCode::from(FAULTS)
    } else {
        ExitCode::SUCCESS
    })
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum About {
    Engine,
    PowerPlan,
    Disk,
    Machine,
}

impl About {
    const ALL: [Self; 4] = [Self::Engine, Self::PowerPlan, Self::Disk, Self::Machine];

    fn title(self) -> &'static str {
        match self {
            Self::Engine => "Engines",
            Self::PowerPlan => "Power plan",
            Self::Disk => "Disk of the site",
            Self::Machine => "Quiet and steady",
        }
    }
}

/// How a finding is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Good,
    /// It isn't here, or can't be told; only those who need it mind.
    Absent,
    Bad,
}

impl Verdict {
    fn mark(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Absent => "–",
            Self::Bad => "✗",
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Absent => Style::new(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, Serialize)]
struct Finding {
    about: About,
    key: String,
    state: Verdict,
    /// The verdict in the word that fits here.
    word: &'static str,
    says: String,
    /// What to do about it; empty for nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    advice: String,
}

fn find(root: &Path) -> Vec<Finding> {
    let system = Path::new("/");
    let mut findings = Vec::new();
    for engine in ENGINES {
        findings.push(engine_finding(engine.name(), engine.probe()));
    }
    findings.extend(power(offer(system)));
    findings.extend(disk(room(root)));
    let guards = noise(system).into_iter().chain([clock_cost()]);
    findings.extend(guards.map(|guard| {
        let (state, word) = match guard.state {
            State::Good => (Verdict::Good, "good"),
            State::Unknown => (Verdict::Absent, "unknown"),
            State::Bad => (Verdict::Bad, "warning"),
        };
        Finding {
            about: About::Machine,
            key: guard.key.to_owned(),
            state,
            word,
            says: guard.says,
            advice: guard.advice,
        }
    }));
    findings
}

fn engine_finding(name: &str, availability: Availability) -> Finding {
    let (state, word, says, advice) = match availability {
        Availability::Ready(version) => (Verdict::Good, "usable", version, String::new()),
        Availability::Missing { what, help } => (Verdict::Absent, "missing", what, help),
    };
    Finding {
        about: About::Engine,
        key: name.to_owned(),
        state,
        word,
        says,
        advice,
    }
}

fn power(offer: Offer) -> Vec<Finding> {
    let finding = |key: &str, state, word, says: String, advice: &str| Finding {
        about: About::PowerPlan,
        key: key.to_owned(),
        state,
        word,
        says,
        advice: advice.to_owned(),
    };
    let now = match offer.now {
        Ok(now) => now,
        // The same reason keeps every plan from being set.
        Err(fault) => {
            let advice = "Cases that ask for a power plan are recorded as not supported.";
            let says = sentence(&fault.message);
            return vec![finding("read", Verdict::Absent, "absent", says, advice)];
        }
    };
    let says = format!("{now} is in effect.");
    let mut findings = vec![finding("read", Verdict::Good, "readable", says, "")];
    for (word, check) in offer.words {
        findings.push(match check {
            Ok(()) => {
                let says = "It can be set, and is put back afterwards.".to_owned();
                finding(word, Verdict::Good, "settable", says, "")
            }
            Err(fault) => finding(
                word,
                Verdict::Absent,
                "locked",
                sentence(&fault.message),
                "",
            ),
        });
    }
    findings
}

/// Less than this fills up soon.
const LITTLE: f64 = 2.0 * 1024.0 * 1024.0 * 1024.0;

fn disk(room: Room) -> Vec<Finding> {
    let finding = |key: &str, is_good, word, says: String, advice: &str| Finding {
        about: About::Disk,
        key: key.to_owned(),
        state: if is_good { Verdict::Good } else { Verdict::Bad },
        word,
        says,
        advice: if is_good {
            String::new()
        } else {
            advice.to_owned()
        },
    };
    let (word, says) = match room.is_writable {
        true => ("writable", "Runs can be kept in the site's folder."),
        false => (
            "locked",
            "Runs can't be kept in the site's folder: it may not be written.",
        ),
    };
    let advice = "Name another folder with `run --out DIR`, or change who may write.";
    let mut findings = vec![finding(
        "folder",
        room.is_writable,
        word,
        says.to_owned(),
        advice,
    )];
    findings.push(match room.free {
        Some(free) => {
            let is_good = free as f64 >= LITTLE;
            let says = format!("{} are free.", size(free as f64));
            let word = if is_good { "good" } else { "short" };
            let advice = "`run --plan` tells how much an experiment needs.";
            finding("free", is_good, word, says, advice)
        }
        None => Finding {
            state: Verdict::Absent,
            ..finding(
                "free",
                true,
                "unknown",
                "How much is free can't be told here.".into(),
                "",
            )
        },
    });
    findings
}

/// A fault's message as a sentence.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// The machine in one line.
fn machine(root: &Path) -> String {
    let facts = environment(Path::new("/"), root);
    let fact = |key: &str| {
        let (_, value) = facts.iter().find(|(it, _)| it == key)?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let is_known = text != crate::runner::probe::UNAVAILABLE;
        is_known.then_some(text)
    };
    let processors = fact("cpu_count").map(|count| match count.as_str() {
        "1" => "1 processor".to_owned(),
        _ => format!("{count} processors"),
    });
    let parts = [fact("os"), fact("cpu"), processors, fact("memory")];
    parts
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join(", ")
}

/// Columns of a terminal.
const WIDTH: usize = 80;

/// The findings as a page.
fn page(machine: &str, findings: &[Finding]) -> String {
    let mut out = String::new();
    let bold = Style::new().bold();
    for line in wrapped(machine, WIDTH) {
        out.push_str(&format!("{line}\n"));
    }
    let widest = |text: fn(&Finding) -> &str| findings.iter().map(|it| wide(text(it))).max();
    let words = widest(|it| it.word).unwrap_or(0);
    let keys = widest(|it| &it.key).unwrap_or(0);
    let indent = 2 + 2 + words + 2 + keys + 2;
    for about in About::ALL {
        out.push_str(&format!("\n{bold}{}{bold:#}\n", about.title()));
        for finding in findings.iter().filter(|it| it.about == about) {
            let style = finding.state.style();
            let mark = finding.state.mark();
            let word = format!("{:words$}", finding.word);
            let mut start = format!("  {style}{mark} {word}{style:#}  {:keys$}  ", finding.key);
            for text in [&finding.says, &finding.advice] {
                for line in wrapped(text, WIDTH - indent) {
                    out.push_str(&format!("{start}{line}\n"));
                    start = " ".repeat(indent);
                }
            }
        }
    }
    out
}

/// The findings for tools.
fn lines(findings: &[Finding]) -> anyhow::Result<String> {
    let mut out = String::new();
    for finding in findings {
        out.push_str(&serde_json::to_string(finding)?);
        out.push('\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::fault::Fault;

    fn shown(findings: &[Finding]) -> String {
        let page = page("Debian 12, 2 processors", findings);
        anstream::adapter::strip_str(&page).to_string()
    }

    #[test]
    fn findings_make_a_page_of_eighty_columns() {
        let missing = Availability::Missing {
            what: "no server found".into(),
            help: "Install the package postgresql, or name the folder of its programs in the variable \
                   PGBIN, which may be long."
                .into(),
        };
        let mut findings = vec![
            engine_finding("sqlite", Availability::Ready("SQLite 3.50.4".into())),
            engine_finding("postgres", missing),
        ];
        findings.extend(power(Offer {
            now: Ok("profile=balanced".into()),
            words: vec![
                ("balanced", Ok(())),
                ("performance", Err(Fault::unsupported("it isn't permitted"))),
            ],
        }));
        findings.extend(disk(Room {
            free: Some(1 << 30),
            is_writable: true,
        }));
        assert_eq!(
            shown(&findings),
            "Debian 12, 2 processors\n\
             \n\
             Engines\n  \
             ✓ usable    sqlite       SQLite 3.50.4\n  \
             – missing   postgres     no server found\n                           \
             Install the package postgresql, or name the folder of\n                           \
             its programs in the variable PGBIN, which may be\n                           \
             long.\n\
             \n\
             Power plan\n  \
             ✓ readable  read         profile=balanced is in effect.\n  \
             ✓ settable  balanced     It can be set, and is put back afterwards.\n  \
             – locked    performance  It isn't permitted.\n\
             \n\
             Disk of the site\n  \
             ✓ writable  folder       Runs can be kept in the site's folder.\n  \
             ✗ short     free         1.0 GiB are free.\n                           \
             `run --plan` tells how much an experiment needs.\n\
             \n\
             Quiet and steady\n"
        );
    }

    #[test]
    fn tools_get_an_object_a_line() {
        let findings = [
            engine_finding("sqlite", Availability::Ready("SQLite 3".into())),
            disk(Room {
                free: None,
                is_writable: false,
            })
            .remove(0),
        ];
        assert_eq!(
            lines(&findings).expect("JSON"),
            "{\"about\":\"engine\",\"key\":\"sqlite\",\"state\":\"good\",\"word\":\"usable\",\
             \"says\":\"SQLite 3\"}\n\
             {\"about\":\"disk\",\"key\":\"folder\",\"state\":\"bad\",\"word\":\"locked\",\"says\":\"Runs can't \
             be kept in the site's folder: it may not be written.\",\"advice\":\"Name another folder with \
             `run --out DIR`, or change who may write.\"}\n"
        );
    }

    #[test]
    fn this_machine_is_looked_at() {
        let findings = find(Path::new("."));
        for about in About::ALL {
            assert!(findings.iter().any(|it| it.about == about), "{about:?}");
        }
        for line in shown(&findings).lines() {
            // A path may be longer than a line.
            assert!(wide(line) <= WIDTH || line.contains('/'), "{line}");
        }
        for finding in &findings {
            assert!(
                finding.says.ends_with('.') || finding.about == About::Engine,
                "{finding:?}"
            );
        }
    }
}

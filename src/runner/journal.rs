//! The journal of a run that isn't finished: one line for each trial, on the disk before the next begins.
//!
//! All result files can be made from it. A last line without its end was torn by a crash and counts as
//! never written; anything else that can't be read is told, and nothing is changed.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk::{DiskFault, Growing};

/// The file's name in the run's folder.
pub const NAME: &str = "journal.jsonl";
const FORMAT: &str = "benchbook-journal";
const VERSION: u32 = 1;

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    version: u32,
    /// Of the plan.
    fingerprint: String,
}

/// What became of a trial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Zero-based place in the plan's order.
    pub order: u32,
    /// Zero-based block.
    pub block: u32,
    /// Index of the case.
    pub case: u32,
    /// Seconds from the run's start to the start of measuring, or of the trial if it never got there.
    pub at: f64,
    /// How many seconds the whole trial took.
    pub took: f64,
    /// What it gave; for a case with steps, of each step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<StepLine>,
    /// Why it gave nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<FaultLine>,
    /// Settings as they took effect, where they aren't as an earlier trial of the case has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingLine>,
    /// What was watched: key of the series, readings of time and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<(String, Vec<(f64, f64)>)>,
}

/// What a trial or one step of it gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepLine {
    /// Key of the step's level; none for a case without steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Of each measured metric, in the definition's order, the value in base units.
    pub values: Vec<Option<f64>>,
}

/// Why a trial gave nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultLine {
    /// Key of the reason.
    pub reason: String,
    /// What happened, in a sentence.
    pub message: String,
}

/// A setting as it was asked for and as it took effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingLine {
    /// Name as the engine spells it.
    pub name: String,
    /// The value asked for.
    pub requested: String,
    /// The value read back; none where it couldn't be read.
    pub effective: Option<String>,
}

/// Why a journal can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum JournalFault {
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskFault),
    /// There is none.
    #[error("`{}` is missing", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A line can't be what the runner wrote.
    #[error("{}:{line}: {why}", path.display())]
    Broken {
        /// The journal.
        path: PathBuf,
        /// One-based line.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It can't be made again from the result files.
    #[error("the result files in `{}` can't be read: {why}", path.display())]
    Unreadable {
        /// The run's folder.
        path: PathBuf,
        /// What is wrong with them.
        why: String,
    },
    /// It belongs to another plan.
    #[error("`{}` belongs to another plan", path.display())]
    Foreign {
        /// The journal.
        path: PathBuf,
    },
}

/// A journal that is written.
#[derive(Debug)]
pub struct Journal(Growing);

impl Journal {
    /// Begins the journal of a new run.
    pub fn create(folder: &Path, fingerprint: &str) -> Result<Self, DiskFault> {
        let mut file = Growing::create(&folder.join(NAME))?;
        file.add(&head(fingerprint));
        file.sync()?;
        Ok(Self(file))
    }

    /// Goes on with a journal whose first `length` bytes are sound, see [`read`].
    pub fn reopen(folder: &Path, length: u64) -> Result<Self, DiskFault> {
        let mut file = Growing::reopen(&folder.join(NAME), length)?;
        file.sync()?;
        Ok(Self(file))
    }

    /// Writes a journal anew, with these lines, in the place of an older one or of none.
    pub fn rewrite(
        folder: &Path,
        fingerprint: &str,
        lines: impl IntoIterator<Item = Line>,
    ) -> Result<(), DiskFault> {
        let mut file = Growing::beside(&folder.join(NAME))?;
        file.add(&head(fingerprint));
        for line in lines {
            file.pour(&bytes(&line))?;
        }
        file.take_place()
    }

    /// Adds what became of a trial; it is on the disk afterwards.
    pub fn add(&mut self, line: &Line) -> Result<(), DiskFault> {
        self.0.add(&bytes(line));
        self.0.sync()
    }
}

fn head(fingerprint: &str) -> Vec<u8> {
    bytes(&Head {
        format: FORMAT.to_owned(),
        version: VERSION,
        fingerprint: fingerprint.to_owned(),
    })
}

fn bytes(line: &impl Serialize) -> Vec<u8> {
    // Plain structs of texts and numbers always have a JSON form.
    let mut bytes = serde_json::to_vec(line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Reads a journal line by line; `take` answers what is wrong with a line, if anything. Answers how
/// many bytes are sound: all but a torn last line.
pub fn read(
    folder: &Path,
    fingerprint: &str,
    mut take: impl FnMut(Line) -> Result<(), String>,
) -> Result<u64, JournalFault> {
    let path = folder.join(NAME);
    let fault = || DiskFault::of("read", &path);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(JournalFault::Missing { path });
        }
        Err(error) => return Err(fault()(error).into()),
    };
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut bytes = Vec::new();
    let mut sound = 0;
    for number in 1.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(fault())?;
        if bytes.last() != Some(&b'\n') {
            if number == 1 {
                // It is on the disk before the run is known at all, so a crash can't have torn it.
                return Err(broken(
                    &path,
                    number,
                    "the first line is no head of a journal",
                ));
            }
            break;
        }
        if number == 1 {
            check_head(&path, &bytes, fingerprint)?;
        } else {
            let line = serde_json::from_slice(&bytes)
                .map_err(|error| broken(&path, number, &words(&error)))?;
            take(line).map_err(|why| broken(&path, number, &why))?;
        }
        sound += length as u64;
    }
    Ok(sound)
}

fn check_head(path: &Path, bytes: &[u8], fingerprint: &str) -> Result<(), JournalFault> {
    let head: Option<Head> = serde_json::from_slice(bytes).ok();
    let Some(head) = head.filter(|head| head.format == FORMAT) else {
        return Err(broken(path, 1, "the first line is no head of a journal"));
    };
    if head.version > VERSION {
        return Err(broken(path, 1, "a newer version of the program wrote it"));
    }
    if head.fingerprint != fingerprint {
        return Err(JournalFault::Foreign {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn broken(path: &Path, line: usize, why: &str) -> JournalFault {
    JournalFault::Broken {
        path: path.to_owned(),
        line,
        why: why.to_owned(),
    }
}

/// What a reader of JSON has to say, without the place, which is always the first line of one.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("this is no line of a journal: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn line(order: u32) -> Line {
        Line {
            order,
            block: 0,
            case: order,
            at: 0.1 + f64::from(order),
            took: 0.25,
            samples: vec![StepLine {
                step: None,
                values: vec![Some(1.0 / 3.0), None],
            }],
            failed: None,
            settings: vec![SettingLine {
                name: "cache_size".to_owned(),
                requested: "10".to_owned(),
                effective: None,
            }],
            series: vec![("cpu".to_owned(), vec![(0.2, 0.5)])],
        }
    }

    fn lines(folder: &Path, fingerprint: &str) -> Result<(Vec<Line>, u64), JournalFault> {
        let mut lines = Vec::new();
        let length = read(folder, fingerprint, |line| {
            lines.push(line);
            Ok(())
        })?;
        Ok((lines, length))
    }

    #[test]
    fn what_was_written_is_read_wherever_a_crash_cut_it() {
        let temp = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(temp.path(), "f").expect("made");
        let head = fs::metadata(temp.path().join(NAME)).expect("there").len() as usize;
        for order in 0..3 {
            journal.add(&line(order)).expect("added");
        }
        drop(journal);
        let whole = fs::read(temp.path().join(NAME)).expect("read");
        for cut in head..=whole.len() {
            fs::write(temp.path().join(NAME), &whole[..cut]).expect("cut");
            let (found, length) = lines(temp.path(), "f").expect("sound");
            let ends = whole[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(found.len(), ends - 1, "cut at {cut}");
            assert!(
                found
                    .iter()
                    .zip(0..)
                    .all(|(found, order)| *found == line(order))
            );
            let mut journal = Journal::reopen(temp.path(), length).expect("opened");
            journal.add(&line(7)).expect("added");
            let (found, _) = lines(temp.path(), "f").expect("sound again");
            assert_eq!(found.len(), ends);
            assert_eq!(found.last(), Some(&line(7)));
        }
    }

    #[test]
    fn zeros_that_a_power_loss_left_at_the_end_are_cut_off() {
        let temp = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(temp.path(), "f").expect("made");
        journal.add(&line(0)).expect("added");
        let mut bytes = fs::read(temp.path().join(NAME)).expect("read");
        let sound = bytes.len() as u64;
        bytes.extend([0; 700]);
        fs::write(temp.path().join(NAME), &bytes).expect("written");
        assert_eq!(lines(temp.path(), "f").expect("sound").1, sound);
    }

    #[test]
    fn whatever_else_is_broken_is_told_with_its_line() {
        let temp = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(temp.path(), "f").expect("made");
        for order in 0..3 {
            journal.add(&line(order)).expect("added");
        }
        let text = fs::read_to_string(temp.path().join(NAME)).expect("read");
        let spoilt = text.replacen("\"order\":1", "\"order\":one", 1);
        fs::write(temp.path().join(NAME), &spoilt).expect("written");
        let told = lines(temp.path(), "f").expect_err("broken").to_string();
        assert!(told.contains("journal.jsonl:3: this is no line"), "{told}");
        assert_eq!(
            fs::read_to_string(temp.path().join(NAME)).expect("read"),
            spoilt
        );

        fs::write(temp.path().join(NAME), &text).expect("written");
        let refused = read(temp.path(), "f", |line| match line.order {
            2 => Err("no".to_owned()),
            _ => Ok(()),
        });
        let told = refused.expect_err("refused").to_string();
        assert!(told.ends_with("journal.jsonl:4: no"), "{told}");

        let told = lines(temp.path(), "g").expect_err("foreign");
        assert!(matches!(told, JournalFault::Foreign { .. }));
        fs::write(temp.path().join(NAME), "").expect("written");
        let told = lines(temp.path(), "f").expect_err("no head").to_string();
        assert!(told.contains(":1:"), "{told}");
        fs::remove_file(temp.path().join(NAME)).expect("removed");
        let told = lines(temp.path(), "f").expect_err("missing");
        assert!(matches!(told, JournalFault::Missing { .. }));
    }

    #[test]
    fn figures_are_read_to_their_last_bit() {
        let temp = tempfile::tempdir().expect("a folder");
        let mut journal = Journal::create(temp.path(), "f").expect("made");
        let mut random = crate::runner::random::Random::new(1, "figures", 0);
        let mut figures: Vec<f64> = (0..2000)
            .map(|_| f64::from_bits(random.bits()))
            .filter(|figure| figure.is_finite())
            .collect();
        figures.extend((0..2000).map(|_| random.share() * 1e6));
        let lines_written: Vec<Line> = figures
            .iter()
            .map(|figure| Line {
                samples: vec![StepLine {
                    step: None,
                    values: vec![Some(*figure)],
                }],
                ..line(0)
            })
            .collect();
        for line in &lines_written {
            journal.0.pour(&bytes(line)).expect("poured");
        }
        journal.0.sync().expect("written");
        assert_eq!(lines(temp.path(), "f").expect("sound").0, lines_written);
    }

    #[test]
    fn a_rewritten_journal_keeps_the_lines_it_is_given() {
        let temp = tempfile::tempdir().expect("a folder");
        Journal::create(temp.path(), "f").expect("made");
        Journal::rewrite(temp.path(), "f", [line(4), line(1)]).expect("written");
        let (found, _) = lines(temp.path(), "f").expect("sound");
        assert_eq!(found, [line(4), line(1)]);
    }
}

//! Rows of many files brought together: cases interned, repetitions counted, doubles refused.

use std::collections::HashMap;
use std::sync::Arc;

use super::faults::Faults;
use super::hash::Quick;
use super::level::Levels;
use super::rows::Row;
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::model::{Definition, Experiment, Observation, Place, Run, Sample};

/// Case, metric, run and replicate of an observation.
type Seen = (u32, u32, u32, u32);
/// A file, and the first and last byte of a cell in it.
type Stretch = (u32, u32, u32);

/// What has been read of an experiment so far.
#[derive(Debug, Default)]
pub(super) struct Collection {
    runs: Vec<Run>,
    cases: Vec<Box<[u32]>>,
    observations: Vec<Observation>,
    files: Vec<Arc<Source>>,
    /// Looked up only; order comes from the vectors.
    case_index: HashMap<Box<[u32]>, u32, Quick>,
    /// Where each observation stands.
    first: HashMap<Seen, Stretch, Quick>,
    repetitions: HashMap<(u32, u32, u32), u32, Quick>,
}

impl Collection {
    /// Adds a file and gives its index.
    pub(super) fn add_file(&mut self, source: &Arc<Source>) -> u32 {
        self.files.push(Arc::clone(source));
        (self.files.len() - 1) as u32
    }

    /// The run with a key, with its index.
    pub(super) fn run_mut(&mut self, key: &str) -> Option<(u32, &mut Run)> {
        let index = self.runs.iter().position(|run| run.key == key)?;
        Some((index as u32, &mut self.runs[index]))
    }

    /// Adds a run and gives its index.
    pub(super) fn add_run(&mut self, run: Run) -> u32 {
        self.runs.push(run);
        (self.runs.len() - 1) as u32
    }

    /// How many observations there are.
    pub(super) fn len(&self) -> usize {
        self.observations.len()
    }

    /// The observations after the first `count` ones.
    pub(super) fn after(&self, count: usize) -> &[Observation] {
        &self.observations[count..]
    }

    /// Makes room for so many more observations.
    pub(super) fn reserve(&mut self, count: usize) {
        self.observations.reserve(count);
        self.first.reserve(count);
    }

    /// Adds a row's findings. Where repetitions aren't numbered, they are counted if the file says
    /// that its rows are repetitions, and doubles otherwise.
    pub(super) fn add_row(
        &mut self,
        row: &mut Row,
        (file, run): (u32, u32),
        repeats: bool,
        faults: &mut Faults<'_>,
    ) {
        let case = match self.case_index.get(&*row.levels) {
            Some(&case) => case,
            None => {
                let levels: Box<[u32]> = row.levels.clone().into();
                let case = self.cases.len() as u32;
                self.cases.push(levels.clone());
                self.case_index.insert(levels, case);
                case
            }
        };
        let mut doubled = false;
        for found in row.found.drain(..) {
            let replicate = match row.replicate {
                Some(number) => number,
                None if repeats => {
                    let count = self
                        .repetitions
                        .entry((case, found.metric, run))
                        .or_default();
                    *count += 1;
                    *count - 1
                }
                None => 0,
            };
            let place = (file, found.range.start as u32, found.range.end as u32);
            let key = (case, found.metric, run, replicate);
            if let Some(&first) = self.first.get(&key) {
                // Once a row is enough: its other values stand twice for the same reason.
                if !std::mem::replace(&mut doubled, true) {
                    self.report_double(place, first, row.replicate.is_some(), faults);
                }
                continue;
            }
            self.first.insert(key, place);
            let sample = |value| Sample {
                value,
                at: row.at,
                block: row.block,
                order: row.order,
            };
            self.observations.push(Observation {
                case,
                metric: found.metric,
                run,
                replicate,
                result: found.result.map(sample),
                place: Place {
                    file,
                    line: row.line,
                },
            });
        }
    }

    fn report_double(
        &self,
        place: Stretch,
        first: Stretch,
        numbered: bool,
        faults: &mut Faults<'_>,
    ) {
        let span = |(file, start, end): Stretch| {
            Span::new(&self.files[file as usize], start as usize..end as usize)
        };
        faults.push(Code::DuplicateCase, || {
            let fault = Diagnostic::new(
                Code::DuplicateCase,
                if numbered {
                    "this case has a value with the same replicate number already"
                } else {
                    "this case has a value already"
                },
            )
            .at(span(place), "again")
            .at(span(first), "first here");
            if numbered {
                fault
            } else {
                fault.help("if the rows are repetitions, add `replicates = true` to the file's entry, or a column `replicate`; if they are other runs, give the files different `run` keys")
            }
        });
    }

    /// Everything read, with levels and runs in their final order.
    pub(super) fn finish(mut self, mut definition: Definition, levels: &[Levels]) -> Experiment {
        for (index, levels) in levels.iter().enumerate() {
            let Some(moved) = levels.settle(&mut definition.factors[index]) else {
                continue;
            };
            for case in &mut self.cases {
                case[index] = moved[case[index] as usize];
            }
            for setting in self.runs.iter_mut().flat_map(|run| &mut run.settings) {
                // That of steps is none, and stands as the first of perhaps none.
                let level = &mut setting.levels[index];
                *level = moved.get(*level as usize).copied().unwrap_or(0);
            }
        }
        let mut order: Vec<usize> = (0..self.runs.len()).collect();
        order.sort_by(|&a, &b| self.runs[a].key.cmp(&self.runs[b].key));
        let mut moved = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            moved[old] = new as u32;
        }
        self.runs.sort_by(|a, b| a.key.cmp(&b.key));
        for observation in &mut self.observations {
            observation.run = moved[observation.run as usize];
        }
        Experiment {
            definition,
            runs: self.runs,
            cases: self.cases,
            observations: self.observations,
            files: self.files,
        }
    }
}

//! Progress as lines without colours, one for each trial: for logs and continuous integration.

use std::io::Write;

use super::super::amounts::duration;
use super::words::{self, Values};
use crate::runner::event::{Event, Listener};

/// Writes a line for each trial.
pub(super) struct Lines<W> {
    out: W,
    values: Values,
    trials: usize,
    /// Of the trial under way: its number from 1, its case in words.
    trial: (usize, String),
}

impl<W: Write> Lines<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            values: Values::new(),
            trials: 0,
            trial: (0, String::new()),
        }
    }

    fn trial(&self) -> String {
        let (number, case) = &self.trial;
        format!("{number} of {}: {case}", self.trials)
    }
}

impl<W: Write> Listener for Lines<W> {
    fn hear(&mut self, event: &Event<'_>) {
        let text = match event {
            Event::Begins { trials, .. } => {
                self.trials = *trials;
                words::beginning(event).unwrap_or_default()
            }
            Event::Notes(note) => format!("note: {note}"),
            Event::TrialBegins { case, done, .. } => {
                self.trial = (done + 1, words::case(case));
                return;
            }
            Event::TrialEnds { took, values, .. } => format!(
                "{}: {} ({})",
                self.trial(),
                self.values.list(values),
                duration(took.as_secs_f64())
            ),
            Event::TrialFails { took, fault, .. } => format!(
                "{}: {}: {fault} ({})",
                self.trial(),
                fault.reason.key(),
                duration(took.as_secs_f64())
            ),
            Event::Ends { .. } => {
                let ending = words::ending(event).unwrap_or_default();
                ending.trim_end().to_owned()
            }
        };
        // Nobody may be listening any more; the run goes on for its files.
        let _ = writeln!(self.out, "{text}");
    }
}

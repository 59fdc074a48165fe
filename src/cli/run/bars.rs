//! Progress for people in front of a terminal: a bar, the case under way, and the last values.

use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ending::say;
use super::words::{self, Values};
use crate::runner::event::{Event, Listener};

/// Draws on standard error.
pub(super) struct Bars {
    all: MultiProgress,
    values: Values,
    /// One of them for each line; none before the run begins.
    lines: Option<[ProgressBar; 3]>,
    case: String,
}

impl Bars {
    pub(super) fn new() -> Self {
        Self {
            all: MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(5)),
            values: Values::new(),
            lines: None,
            case: String::new(),
        }
    }

    /// Something that writes a line above the bars, from another thread too.
    pub(super) fn voice(&self) -> impl Fn(&str) + Send + use<> {
        let all = self.all.clone();
        move |text| drop(all.println(text))
    }

    fn say(&self, text: &str) {
        if self.lines.is_some() {
            // Nobody may be looking any more; the run goes on for its files.
            let _ = self.all.println(text);
        } else {
            say(text);
        }
    }

    fn clear(&mut self) {
        for line in self.lines.take().into_iter().flatten() {
            line.finish_and_clear();
            self.all.remove(&line);
        }
    }

    fn begin(&mut self, trials: usize, done: usize) {
        let [bar, case, last] = [
            "{bar:32.cyan/dim} {pos} of {len}  {msg:.dim}",
            "{spinner:.cyan} {wide_msg}",
            "  {wide_msg:.dim}",
        ]
        .map(|template| {
            let style = ProgressStyle::with_template(template);
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::new(trials as u64);
            self.all.add(bar.clone());
            bar.set_style(style.progress_chars("━╸─").tick_chars("·• "));
            bar
        });
        bar.set_position(done as u64);
        case.enable_steady_tick(Duration::from_millis(500));
        self.lines = Some([bar, case, last]);
    }
}

impl Listener for Bars {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Begins { trials, done, .. } => {
                self.say(&words::beginning(event).unwrap_or_default());
                self.begin(*trials, *done);
            }
            Event::Notes(note) => self.say(&format!("note: {note}")),
            Event::TrialBegins {
                case,
                done,
                expected,
                ..
            } => {
                self.case = words::case(case);
                if let Some([bar, line, _]) = &self.lines {
                    bar.set_position(*done as u64);
                    bar.set_message(format!("{} left", words::left(expected)));
                    line.set_message(self.case.clone());
                }
            }
            Event::TrialEnds { values, .. } => {
                if let Some([bar, _, last]) = &self.lines {
                    bar.inc(1);
                    last.set_message(format!("last: {}", self.values.list(values)));
                }
            }
            Event::TrialFails { fault, .. } => {
                if let Some([bar, _, _]) = &self.lines {
                    bar.inc(1);
                }
                self.say(&format!("{}: {}: {fault}", self.case, fault.reason.key()));
            }
            Event::Ends { .. } => {
                self.clear();
                self.say(words::ending(event).unwrap_or_default().trim_end());
            }
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.clear();
    }
}

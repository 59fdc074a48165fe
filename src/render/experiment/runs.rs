//! What is told of a run beside its figures: when and how it was made, what failed, which settings took
//! effect, and what was watched meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::trial::step_factor;
use crate::figure::cases::Cases;
use crate::figure::markup::escape;
use crate::figure::{format, settings, timeline};
use crate::model::{Missing, MissingReason, Origin};
use crate::text::{Argument, Language};

use super::sheet::Sheet;

/// Up to so many failures are listed; the file of samples holds them all.
const MOST_FAILURES: usize = 50;

/// A case, its step aside, and a repetition of it.
type Place = (Box<[u32]>, u32);

/// The measurements of a run: how often cases were measured, and what failed.
struct Measurements {
    /// Those that gave a value.
    whole: BTreeSet<Place>,
    /// Those that gave none, and why.
    failed: BTreeMap<Place, Missing>,
    blocks: BTreeSet<u32>,
}

impl Measurements {
    fn of(sheet: &Sheet<'_>, run: usize) -> Self {
        let experiment = sheet.reader.experiment;
        let steps = step_factor(experiment);
        let mut all = Self {
            whole: BTreeSet::new(),
            failed: BTreeMap::new(),
            blocks: BTreeSet::new(),
        };
        let own = experiment.observations.iter();
        for observation in own.filter(|it| it.run as usize == run) {
            let mut case = experiment.cases[observation.case as usize].clone();
            if let Some(step) = steps.and_then(|factor| case.get_mut(factor)) {
                *step = 0;
            }
            let place = (case, observation.replicate);
            match &observation.result {
                Ok(sample) => {
                    all.whole.insert(place);
                    all.blocks.extend(sample.block);
                }
                Err(missing) if is_failure(missing.reason) => {
                    all.failed.entry(place).or_insert_with(|| missing.clone());
                }
                Err(_) => {}
            }
        }
        let whole = &all.whole;
        all.failed.retain(|place, _| !whole.contains(place));
        all
    }

    /// Whether no case was measured twice.
    fn are_single(&self) -> bool {
        let mut every = self.whole.iter().chain(self.failed.keys());
        every.all(|(_, replicate)| *replicate == 0)
    }

    fn cases(&self) -> BTreeSet<&[u32]> {
        let every = self.whole.iter().chain(self.failed.keys());
        every.map(|(case, _)| &**case).collect()
    }
}

/// Whether something was tried and gave no value.
fn is_failure(reason: MissingReason) -> bool {
    matches!(
        reason,
        MissingReason::Failed
            | MissingReason::Timeout
            | MissingReason::Unsupported
            | MissingReason::Excluded
    )
}

impl Sheet<'_> {
    /// When and how a run was made, and how much it holds.
    pub(super) fn head(&mut self, run: usize) {
        let reader = self.reader;
        let language = reader.language;
        let own = &reader.experiment.runs[run];
        let named = !is_start(&own.key);
        if self.has_several() {
            let words = match &own.started {
                Some(started) if own.origin == Origin::Measured => {
                    if named {
                        let date = language.date(started.get(..10).unwrap_or(started));
                        let words = [
                            ("run", Argument::Text(&own.key)),
                            ("date", Argument::Text(&date)),
                        ];
                        language.message_with("run-named-measured", &words)
                    } else {
                        let date = moment(language, started);
                        language.message_with("run-measured", &[("date", Argument::Text(&date))])
                    }
                }
                _ => format::run(reader, run),
            };
            self.heading(2, format!("run-{}", run + 1), &words);
        }
        let mut facts: Vec<(&str, String)> = Vec::new();
        if let Some(started) = &own.started
            && (named || !self.has_several())
        {
            facts.push(("run-started", escape(&moment(language, started))));
        }
        if own.origin == Origin::Measured {
            facts.push(("measurements", escape(&self.amount(run))));
        }
        if let Some(command) = &own.command {
            facts.push(("run-command", format!("<code>{}</code>", escape(command))));
        }
        if facts.is_empty() {
            return;
        }
        if !self.has_several() || !named {
            facts.insert(0, ("run", format!("<code>{}</code>", escape(&own.key))));
        }
        self.html.push_str("<dl class=\"facts\">");
        for (key, value) in facts {
            let key = escape(language.message(key));
            self.html
                .push_str(&format!("<div><dt>{key}</dt><dd>{value}</dd></div>"));
        }
        self.html.push_str("</dl>\n");
        if own.origin == Origin::Measured && Measurements::of(self, run).are_single() {
            let words = escape(language.message("drift-unknown"));
            self.html.push_str(&format!("<p>{words}</p>\n"));
        }
    }

    /// How many measurements, cases and blocks there are, and how many of them failed.
    fn amount(&self, run: usize) -> String {
        let language = self.reader.language;
        let all = Measurements::of(self, run);
        let count = |key: &str, count: usize| {
            language.message_with(key, &[("n", Argument::Count(count as u64))])
        };
        let total = all.whole.len() + all.failed.len();
        let mut parts = vec![
            count("measurements-count", total),
            count("cases-count", all.cases().len()),
        ];
        if !all.blocks.is_empty() {
            parts.push(count("blocks-count", all.blocks.len()));
        }
        let mut reasons: BTreeMap<MissingReason, usize> = BTreeMap::new();
        for missing in all.failed.values() {
            // What ended at its limit failed, as far as a count goes.
            let reason = match missing.reason {
                MissingReason::Timeout => MissingReason::Failed,
                reason => reason,
            };
            *reasons.entry(reason).or_default() += 1;
        }
        if reasons.is_empty() {
            parts.push(language.message("none-failed").to_owned());
        }
        for (reason, number) in reasons {
            parts.push(match reason {
                MissingReason::Failed => count("failed-count", number),
                reason => {
                    let number = language.count(number as u64);
                    format!("{}: {number}", format::reason(self.reader, reason))
                }
            });
        }
        parts.join(" · ")
    }

    /// What failed, which settings took effect, and what was watched.
    pub(super) fn watched(&mut self, run: usize) {
        let reader = self.reader;
        if reader.experiment.runs[run].origin == Origin::Measured {
            self.failures(run);
        }
        if let Some((figure, verdict)) = settings::figure(reader, run) {
            let words = reader.language.message("settings-in-effect").to_owned();
            self.part("settings", run, &words);
            self.figure(&figure, &verdict);
        }
        self.series(run);
    }

    /// The series that were watched: those of what is measured, then those of the machine, folded away;
    /// those that never changed are told in a sentence.
    fn series(&mut self, run: usize) {
        let reader = self.reader;
        let language = reader.language;
        let (mut steady, mut moving) = (Vec::new(), Vec::new());
        for key in timeline::keys(reader, run) {
            let label = timeline::label(reader, key);
            match timeline::steady(reader, run, key) {
                Some(value) => steady.push(format!("{label} ({value})")),
                None => moving.extend(
                    timeline::figure(reader, run, key, &[])
                        .map(|(figure, caption)| (key, label, caption, figure)),
                ),
            }
        }
        if steady.is_empty() && moving.is_empty() {
            return;
        }
        let words = language.message("watched").to_owned();
        self.part("watched", run, &words);
        if !steady.is_empty() {
            let names = language.list(&steady);
            let words = [("series", Argument::Text(&names))];
            let words = escape(&language.message_with("watched-steady", &words));
            self.html.push_str(&format!("<p>{words}</p>\n"));
        }
        let (machine, own): (Vec<_>, Vec<_>) = moving
            .into_iter()
            .partition(|(key, ..)| timeline::is_of_machine(key));
        // Where there is nothing else, the machine is what was to be seen.
        let folds = !own.is_empty() && !machine.is_empty();
        for (_, _, caption, figure) in own {
            self.figure(&figure, &caption);
        }
        if folds {
            let labels: Vec<String> = machine.iter().map(|(_, label, ..)| label.clone()).collect();
            let names = language.list(&labels);
            let words = [("series", Argument::Text(&names))];
            let words = escape(&language.message_with("watched-machine", &words));
            self.html.push_str(&format!(
                "<details class=\"fold\"><summary>{words}</summary>\n"
            ));
        }
        for (_, _, caption, figure) in machine {
            self.figure(&figure, &caption);
        }
        if folds {
            self.html.push_str("</details>\n");
        }
    }

    fn failures(&mut self, run: usize) {
        let reader = self.reader;
        let language = reader.language;
        let all = Measurements::of(self, run);
        if all.failed.is_empty() {
            return;
        }
        let words = language.message("measurements-missing").to_owned();
        self.part("failed", run, &words);
        let cases = Cases::new(all.cases(), step_factor(reader.experiment));
        self.html.push_str("<ul class=\"failures\">\n");
        // What failed in the same way stands together.
        let mut kinds: BTreeMap<(MissingReason, String), Failed<'_>> = BTreeMap::new();
        for ((case, replicate), missing) in &all.failed {
            let kind = (missing.reason, format::note(reader, missing));
            kinds
                .entry(kind)
                .or_default()
                .entry(case)
                .or_default()
                .push(*replicate);
        }
        let count = kinds.len();
        for ((reason, note), failed) in kinds.into_iter().take(MOST_FAILURES) {
            let places: Vec<String> = failed
                .into_iter()
                .take(MOST_FAILURES)
                .map(|(case, replicates)| place(language, &cases.name(reader, case), &replicates))
                .collect();
            let reason = told(language, &format::reason(reader, reason), &note);
            let places = escape(&places.join("; "));
            self.html
                .push_str(&format!("<li>{places}: {reason}</li>\n"));
        }
        if let Some(more) = count.checked_sub(MOST_FAILURES).filter(|it| *it > 0) {
            let more = [("n", Argument::Count(more as u64))];
            let more = escape(&language.message_with("figure-more", &more));
            self.html.push_str(&format!("<li>{more}</li>\n"));
        }
        self.html.push_str("</ul>\n");
    }
}

/// Repetitions by case.
type Failed<'a> = BTreeMap<&'a [u32], Vec<u32>>;

/// A case with the repetition that failed, or how many did.
fn place(language: &Language, case: &str, replicates: &[u32]) -> String {
    let count =
        |key: &str, n: u32| language.message_with(key, &[("n", Argument::Count(u64::from(n)))]);
    let words = match replicates {
        [one] => count("repetition-number", one + 1),
        several => count("repetitions-count", several.len() as u32),
    };
    match case.is_empty() {
        true => words,
        false => format!("{case}, {words}"),
    }
}

/// A reason with what else is known; what follows its first line, such as the end of a log, is folded
/// away.
fn told(language: &Language, reason: &str, note: &str) -> String {
    let (first, rest) = match note.trim().split_once('\n') {
        Some((first, rest)) => (first.trim_end(), rest),
        None => (note.trim(), ""),
    };
    let mut html = escape(reason);
    if !first.is_empty() {
        // The runner speaks English.
        html.push_str(&format!(" (<span lang=\"en\">{}</span>)", escape(first)));
    }
    if !rest.is_empty() {
        html.push_str(&format!(
            "<details class=\"fold\"><summary>{}</summary><pre tabindex=\"0\" lang=\"en\"><code>{}</code></pre></details>",
            escape(language.message("log-end")),
            escape(rest)
        ));
    }
    html
}

/// Whether the key of a run is only the time at which it began.
fn is_start(key: &str) -> bool {
    let sign = |(place, byte): (usize, u8)| match place {
        8 => byte == b'T',
        15 => byte == b'Z',
        _ => byte.is_ascii_digit(),
    };
    key.len() == 16 && key.bytes().enumerate().all(sign)
}

/// A time in words: the date, and the clock where it is told in UTC.
fn moment(language: &Language, iso: &str) -> String {
    let clock = iso.get(11..16).filter(|_| iso.ends_with('Z'));
    match (iso.get(..10), clock) {
        (Some(date), Some(clock)) => format!("{}, {clock}\u{a0}UTC", language.date(date)),
        _ => iso.to_owned(),
    }
}
